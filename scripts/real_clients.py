"""Fetch the real clients, and run the tests that need them, without a way outside.

python scripts/real_clients.py              what make clients does
python scripts/real_clients.py --page       write what was seen into docs/agents/clients.md, too
python scripts/real_clients.py --seed 7     draw other cases
python scripts/real_clients.py --seed 7 --case codex/tool.before/31    one drawn case again
python scripts/real_clients.py -k claude    other words are for pytest
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "benchmarks")]

import clients_page  # noqa: E402
from figures import Unavailable  # noqa: E402
from outside import npm  # noqa: E402
from real_agents.asked import DRAWN, VARIABLE, Asked, noted, summary  # noqa: E402
from real_agents.programs import pins  # noqa: E402
from real_agents.programs.closed import close_off  # noqa: E402

TESTS = ("-m", "pytest", str(ROOT / "tests" / "real_agents"), "-n", "2", "--dist", "loadscope", "-rs", "--durations=5")


def main(argv: Sequence[str]) -> int:
    words, seed, case = [word for word in argv if word != "--page"], value(argv, "--seed"), value(argv, "--case")
    words = [word for n, word in enumerate(words) if not {word, *words[max(0, n - 1) : n]} & {"--seed", "--case"}]
    words += ["-k", "drawn", "-s"] if case else []
    missing = fetch()
    open_still = close_off()
    if open_still:
        print(f"no network of its own ({open_still}): proxies keep the clients from going outside")
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "seen.jsonl"
        environ = {**os.environ, VARIABLE: Asked(missing, str(record), int(seed or 1), case).written()}
        code = subprocess.run([sys.executable, *TESTS, *words], cwd=ROOT, env=environ).returncode
        notes = noted(record)
        print(summary(notes))
        if "--page" in argv:
            clients_page.write(note for note in notes if note["kind"] != DRAWN)
    return code


def value(argv: Sequence[str], option: str) -> str:
    """What stands behind an option; empty where it is not given."""
    return argv[argv.index(option) + 1] if option in argv[:-1] else ""


def fetch() -> dict[str, str]:
    """What is not there yet; why not, for what cannot be had."""
    missing = {}
    for package in pins.EVERY:
        if package.path is not None:
            continue
        print(f"fetching {package.name} {package.version}", flush=True)
        try:
            npm(package.folder, f"{package.name}@{package.version}")
        except Unavailable as exc:
            missing[package.name] = str(exc)
            print(f"  it cannot be had: {exc}")
    return missing


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
