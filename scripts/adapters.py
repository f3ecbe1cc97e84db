"""Run the behaviour suite of the adapters, each in the real SDK and in an environment of its own.

    python scripts/adapters.py                     all adapters
    python scripts/adapters.py langchain strands   some
    python scripts/adapters.py --lock langchain    write its lock file anew, with the newest versions
    python scripts/adapters.py langchain -- -x     options for pytest

An environment is kept in the user's cache, under the hash of its lock file. An SDK that cannot be installed is skipped,
and the last lines say so. Exit code 1 if a case failed.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
SUITE = ROOT / "tests" / "adapters"
TESTING = ["pytest>=8.3", "pytest-timeout>=2.3"]
# A case that hangs ends the run, not the machine's patience.
CASE_SECONDS = 120


def main(argv: list[str]) -> int:
    words, options = argv, []
    if "--" in argv:
        words, options = argv[: argv.index("--")], argv[argv.index("--") + 1 :]
    names = [word for word in words if not word.startswith("--")] or adapters()
    unknown = sorted(set(names) - set(adapters()))
    if unknown:
        print(f"no adapter is called {', '.join(unknown)}; there are: {', '.join(adapters())}", file=sys.stderr)
        return 2
    if "--lock" in words:
        for name in names:
            write_lock(name)
        return 0
    results = {name: run_suite(name, options) for name in names}
    for name, result in results.items():
        print(f"{name}: {result}")
    return int(any(result.startswith("failed") for result in results.values()))


def adapters() -> list[str]:
    """Those with a driver, and those that are no agent and have cases of their own."""
    drivers = [path.stem for path in (SUITE / "drivers").glob("*.py") if path.stem != "__init__"]
    return sorted([*drivers, *(path.stem.removesuffix("_cases") for path in SUITE.glob("*_cases.py"))])


def run_suite(name: str, options: list[str]) -> str:
    """The result in a few words."""
    print(f"=== {name}", flush=True)
    environment, problem = make_environment(name)
    if problem:
        return f"skipped: its packages cannot be installed here: {problem}"
    words = [str(environment / "bin" / "python"), "-m", "pytest", "-c", os.devnull, "--rootdir", str(SUITE)]
    words += ["--confcutdir", str(SUITE), "-q", "-p", "no:cacheprovider", "--timeout", str(CASE_SECONDS)]
    words += ["--import-mode", "append"]  # behind the SDK's packages, some of which have names of our folders of tests
    env = {**os.environ, "ADAPTER": name, "PYTHONPATH": str(ROOT / "src")}
    ran = subprocess.run(
        [*words, *map(str, suites(name)), *options], env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    print(ran.stdout, flush=True)
    last = ran.stdout.strip().rpartition("\n")[2].strip("= ")
    return last if ran.returncode == 0 else f"failed: {last}"


def suites(name: str) -> list[Path]:
    """The suite of all adapters, and what is this adapter's alone."""
    if (alone := SUITE / f"{name}_cases.py").exists():
        return [alone]
    own = SUITE / "own_cases" / f"{name}.py"
    return [SUITE / "behaviour.py", *([own] if own.exists() else [])]


def make_environment(name: str) -> tuple[Path, str]:
    """The folder of the environment, made if it is not there; and why it could not be made."""
    lock = SUITE / "locks" / f"{name}.txt"
    digest = hashlib.sha256(lock.read_bytes() + sys.version.encode()).hexdigest()[:12]
    folder = cache() / f"{name}-{digest}"
    if (folder / "ready").exists():
        return folder, ""
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    problem = install(folder, ["-r", str(lock)])
    if not problem:
        (folder / "ready").touch()
    return folder, problem


def install(folder: Path, words: list[str]) -> str:
    """Returns why it could not be installed."""
    pip = [str(folder / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    ran = subprocess.run([*pip, *words], capture_output=True, text=True)
    errors = [line for line in ran.stderr.splitlines() if line.startswith("ERROR")]
    return "" if ran.returncode == 0 else (errors or ["pip failed"])[-1][:200]


def write_lock(name: str) -> None:
    """Install the extra and what its driver needs, and write down every version."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    folder = cache() / f"{name}-lock"
    subprocess.run([sys.executable, "-m", "venv", "--clear", str(folder)], check=True)
    wanted = [*project["project"]["dependencies"], *extra_of(name, project), *TESTING]
    if problem := install(folder, wanted):
        sys.exit(f"{name}: {problem}")
    freeze = [str(folder / "bin" / "python"), "-m", "pip", "freeze", "--disable-pip-version-check"]
    listed = subprocess.run(freeze, check=True, capture_output=True, text=True).stdout
    (SUITE / "locks" / f"{name}.txt").write_text(listed)
    print(f"{name}: {len(listed.splitlines())} packages locked")


def extra_of(name: str, project: dict[str, dict[str, dict[str, list[str]]]]) -> list[str]:
    """The packages of the adapter's extra, and those that only its driver needs."""
    extras = project["project"]["optional-dependencies"]
    driver = SUITE / "drivers" / f"{name}.py"
    needs = re.search(r"^# needs: (.*)$", driver.read_text() if driver.exists() else "", re.MULTILINE)
    return [*extras[name.replace("_", "-")], *(needs[1].split() if needs else [])]


def cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "tenterhook-adapters"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
