"""`make demo`: a small agent at work in a sample project, and its hooks at work on the agent. Offline."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SAMPLE = Path(__file__).parent.parent / "examples" / "agent"
PROMPT = "Make the greeting polite, and release it."
HEAD = """\
An agent changes a small program. Its model is a script, so this runs offline; the agent, its tools and the hooks are
real. The project's tenterhook.toml has six hooks: watch the lines that begin with [hook ...].
"""
FOOT = """
What you saw: context added to a prompt, a secret kept from the model, a forced push blocked, a release turned into a
dry run, a check in the background, and an agent that may not stop before the tests pass.
The hooks: examples/agent/tenterhook.toml. The same with your own model: tenter agent --help. Other agents' hooks, as
they are: make examples, docs/agents/dialects/README.md.\
"""


def main() -> int:
    print(HEAD, flush=True)
    with agent() as (command, env):
        code = subprocess.run(command, env=env, check=False).returncode
    print(FOOT, flush=True)
    return code


@contextmanager
def agent() -> Iterator[tuple[list[str], dict[str, str]]]:
    """The command and its environment, in a copy of the sample that the agent may change."""
    with tempfile.TemporaryDirectory() as folder:
        project, home = Path(folder, "greeting"), Path(folder, "home")
        shutil.copytree(SAMPLE, project, ignore=shutil.ignore_patterns("__pycache__"))
        home.mkdir()
        words = ["agent", "--project", str(project), "--script", str(project / "agent.jsonl"), "--prompt", PROMPT]
        env = {**os.environ, "HOME": str(home), "XDG_STATE_HOME": str(home / "state")}
        tenter = [sys.executable, "-m", "tenterhook"]
        subprocess.run(
            [*tenter, "trust", "--project", str(project), "--yes"], env=env, stdout=subprocess.DEVNULL, check=True
        )
        yield [*tenter, *words, "--yes"], env


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # a reader that stops early is not a failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
