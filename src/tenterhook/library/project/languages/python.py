"""Python: pytest or unittest, ruff or flake8, mypy or pyright, from what the project configures or depends on."""

from __future__ import annotations

import os
import re

from tenterhook.library.project import kinds
from tenterhook.library.project.commands import FILES, REPORT, Command, of_tool, on_path, read
from tenterhook.library.project.languages import found_in
from tenterhook.library.project.tests.reach import Import

MANIFESTS = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "pytest.ini", "requirements.txt")
CONFIGS = (
    *MANIFESTS,
    "requirements-dev.txt",
    "dev-requirements.txt",
    "requirements-test.txt",
    "test-requirements.txt",
    "Pipfile",
)
# A file of its own says that the tool is used, whatever else is written.
OWN_FILES = {
    "pytest": ("pytest.ini", ".pytest.ini", "conftest.py", "tests/conftest.py"),
    "ruff": ("ruff.toml", ".ruff.toml"),
    "flake8": (".flake8",),
    "mypy": ("mypy.ini", ".mypy.ini"),
    "pyright": ("pyrightconfig.json",),
}
BIN = "Scripts" if os.name == "nt" else "bin"
PYTEST_FLAGS = ("--tb=short", "--no-header", "--color=no", "-p", "no:cacheprovider", f"--junitxml={REPORT}")

IMPORT = re.compile(
    r"^[ \t]*from[ \t]+(?P<source>\.*[\w.]*)[ \t]+import[ \t]+(?P<names>\([^)]*|[^\n#(]*)"
    r"|^[ \t]*import[ \t]+(?P<whole>[^\n#]+)"
    r"|(?:import_module\(|run_module\(|\"-m\",|'-m',)\s*[\"'](?P<called>[\w.]+)[\"']",
    re.MULTILINE,
)


def commands(folders: list[str], tests: list[str]) -> dict[str, Command]:
    text = "\n".join(read(os.path.join(folder, name)) for folder in folders for name in CONFIGS)
    found = [test(folders, tests, text), lint(folders, text), types(folders, text), build(folders)]
    return {command.kind: command for command in found if command}


def test(folders: list[str], tests: list[str], text: str) -> Command:
    python = interpreter(folders)
    absent = "" if python else "python3 is not installed: not run"
    if uses("pytest", folders, text) or any(for_pytest(read(file)) for file in tests):
        # Some of the tests cover a part of the code: the project's threshold is for all of them.
        flags = (*PYTEST_FLAGS, "--no-cov") if "--cov" in text else PYTEST_FLAGS
        return Command("test", "pytest", folders[0], [python, "-m", "pytest", FILES], flags=flags, absent=absent)
    outside = any(os.path.relpath(file, folders[0]).startswith(os.pardir) for file in tests)
    start = next((name for name in ("tests", "test") if os.path.isdir(os.path.join(folders[0], name))), "")
    whole = ("discover", "-s", start) if start else ("discover",)
    folder = folders[-1] if outside else folders[0]
    return Command("test", "unittest", folder, [python, "-m", "unittest", FILES], whole=whole, absent=absent)


def for_pytest(text: str) -> bool:
    """Whether only pytest would find the tests: functions, or its own names."""
    return bool(re.search(r"(?m)^(?:async )?def test_|^\s*(?:import|from) pytest\b", text))


def lint(folders: list[str], text: str) -> Command | None:
    if uses("ruff", folders, text):
        flags = ("--output-format=concise", "--no-cache")
        return tool("lint", "ruff", folders, ["check", FILES], flags=flags)
    return tool("lint", "flake8", folders, [FILES]) if uses("flake8", folders, text) else None


def types(folders: list[str], text: str) -> Command | None:
    if uses("mypy", folders, text):
        flags = ("--no-color-output", "--no-error-summary")
        return tool("types", "mypy", folders, [FILES], flags=flags, whole=(".",))
    return tool("types", "pyright", folders, [FILES]) if uses("pyright", folders, text) else None


def build(folders: list[str]) -> Command | None:
    if not re.search(r"(?m)^\[build-system\]", read(os.path.join(folders[0], "pyproject.toml"))):
        return None
    return Command("build", "build", folders[0], [interpreter(folders) or "python3", "-m", "build"])


def tool(
    kind: str,
    name: str,
    folders: list[str],
    rest: list[str],
    *,
    flags: tuple[str, ...] = (),
    whole: tuple[str, ...] = (),
) -> Command:
    python = interpreter(folders)
    beside = os.path.join(os.path.dirname(python), name + (".exe" if os.name == "nt" else ""))
    program = beside if python and os.path.exists(beside) else on_path(name)
    return of_tool(kind, name, folders[0], program, rest, flags=flags, whole=whole, where=python)


def uses(name: str, folders: list[str], text: str) -> bool:
    """Whether a tool is configured in a table or a file of its own, or is a dependency."""
    if any(found_in(folders, file) for file in OWN_FILES[name]):
        return True
    table, dependency = rf"\[(?:tool[.:])?{name}[\].:-]", rf"[\"']?{name}(?![\w-])"
    return bool(re.search(rf"(?m)^\s*(?:{table}|{dependency})|[\"']{name}(?![\w-])", text))


def interpreter(folders: list[str]) -> str:
    """The Python of the project's environment, else of the active one, else the first on PATH; never our own."""
    name = "python.exe" if os.name == "nt" else "python"
    places = [os.path.join(folder, venv, BIN, name) for folder in folders for venv in (".venv", "venv")]
    active = os.environ.get("VIRTUAL_ENV")
    if active:
        places.append(os.path.join(active, BIN, name))
    return next((place for place in places if os.path.exists(place)), "") or on_path("python3") or on_path("python")


def module_names(source: str) -> list[str]:
    """The dotted names of a module: from the outermost package on, and with the folders above, which may be packages
    too.
    """
    folder, name = os.path.split(source)
    parts = [] if name == "__init__.py" else [os.path.splitext(name)[0]]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, last = os.path.split(folder)
        parts.insert(0, last)
    above = [one for one in folder.split(os.sep)[-3:] if one]
    return [".".join([*above[at:], *parts]) for at in range(len(above), -1, -1)]


def graph(paths: list[str], folder: str) -> dict[str, list[Import]]:
    """The imports between the files, including names in quotes, as `python -m` takes them."""
    del folder
    index: dict[str, str] = {}
    for path in paths:
        for dotted in module_names(path):
            index.setdefault(dotted, path)
    shared = {path: re.findall(r"\bdef +(\w+)", read(path)) for path in paths if path.endswith(f"{os.sep}conftest.py")}
    return {path: [*imported(path, index, set(paths)), *collect_conftest_imports(path, shared)] for path in paths}


def collect_conftest_imports(path: str, shared: dict[str, list[str]]) -> list[Import]:
    """The fixtures that pytest gives a test without an import, from a conftest.py beside or above it, by name."""
    above = [one for one in shared if one != path and path.startswith(one.removesuffix("conftest.py"))]
    words = set(re.findall(r"\w+", read(path))) if above else set()
    return [Import(one, None, frozenset()) for one in above if not words.isdisjoint(shared[one])]


def imported(path: str, index: dict[str, str], known: set[str]) -> list[Import]:
    found: list[Import] = []
    for match in IMPORT.finditer(read(path)):
        if match["whole"] or match["called"]:
            names = [one.split()[0] for one in (match["whole"] or match["called"]).split(",") if one.split()]
            files = [index.get(f"{name}.__main__", "") if match["called"] else "" for name in names]
            found += [Import(file, None, frozenset()) for file in files if file]
            found += [Import(index[name], None, frozenset((name,))) for name in names if name in index]
            continue
        base = match["source"]
        for name, bound in aliases(match["names"]):
            inner = resolve_module_file(path, base, name, index, known)
            file = inner or resolve_module_file(path, base, "", index, known)
            if file:
                taken = None if inner or name == "*" else frozenset((name,))
                found.append(Import(file, taken, frozenset((bound,))))
    return [one for one in found if one.path != path]


def aliases(text: str) -> list[tuple[str, str]]:
    """The names of `a, b as c`, each with its local name."""
    parts = [re.findall(r"[\w*]+", re.sub(r"#.*", "", part)) for part in text.strip("( \t").split(",")]
    return [(part[0], part[-1]) for part in parts if part]


def resolve_module_file(path: str, base: str, name: str, index: dict[str, str], known: set[str]) -> str:
    """The file of a module, or of a name in it that is a module; empty if it is not in the project."""
    dots = len(base) - len(base.lstrip("."))
    parts = [part for part in (*base.strip(".").split("."), name) if part]
    if not dots:
        return index.get(".".join(parts), "")
    folder = os.path.dirname(path)
    for _ in range(dots - 1):
        folder = os.path.dirname(folder)
    stem = os.path.join(folder, *parts)
    return next((one for one in (f"{stem}.py", os.path.join(stem, "__init__.py")) if one in known), "")


def to_write(source: str, folder: str) -> str:
    """The test to write: beside the source if tests are there, else in the tests folder, mirrored if that is."""
    name = f"test_{kinds.stem_of(source).strip('_')}.py"
    here = os.path.dirname(source)
    if here != folder and any(kinds.kind_of(other) == "test" for other in names(here)):
        return os.path.join(here, name)
    tests = next((one for one in ("tests", "test") if os.path.isdir(os.path.join(folder, one))), "tests")
    mirrored = os.path.join(folder, tests, os.path.basename(here))
    return os.path.join(mirrored if os.path.isdir(mirrored) else os.path.join(folder, tests), name)


def names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:
        return []
