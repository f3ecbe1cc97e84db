"""`make examples`: fire events in the sample projects of all dialects and show what was decided and why. Offline."""

from __future__ import annotations

import os
import sys
import tempfile
import tomllib
from pathlib import Path

from tenterhook import Engine
from tenterhook.tools.report import report

EXAMPLES = Path(__file__).parent.parent / "examples"


def main() -> int:
    colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    steps = tomllib.loads((EXAMPLES / "events.toml").read_text())["step"]
    with tempfile.TemporaryDirectory() as home:
        for number, step in enumerate(steps, 1):
            print(f"{number}. {step['about']}")
            agent = f" --agent {step['agent']}" if "agent" in step else ""
            command = f"tenter fire {step['event']} --dialect {step['dialect']}{agent} --trust"
            print(f"   examples/{step['dialect']}$ {command}\n")
            print(fired(step, home, colour), "\n")
    print("The same by hand: cd examples/wave && tenter explain Stop --dialect wave --trust")
    return 0


def main_into_a_pipe() -> int:
    """Like main; a reader that stops early (`| head`) is not a failure."""
    try:
        code = main()
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what is left is flushed at exit
        return 0
    return code


def fired(step: dict[str, str], home: str, colour: bool) -> str:
    project, dialect = EXAMPLES / step["dialect"], step["dialect"]
    with Engine(project, dialect=dialect, agent=step.get("agent", ""), trust="all", home=home) as engine:
        outcome = engine.fire(step["event"], **step["input"])  # type: ignore[arg-type]
    text = report(outcome, colour=colour)
    return "\n".join(f"   {line}" if line else "" for line in text.splitlines())


if __name__ == "__main__":
    sys.exit(main_into_a_pipe())
