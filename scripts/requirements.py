"""Each requirement with the tests that cite it (`make requirements`).

tests/requirements/ids.tsv holds the ids of all statements of the law, each with its state: `test` (a test must cite
it), `host` (a test of the host's side must cite it: it is about what a caller does), `docs`
(docs/inside/requirements.md answers it), `later` (a part that does not exist yet). A test cites ids with
`pytest.mark.req`, on itself, on its class, or in its module's `pytestmark`; a case of the agent with `req`. Test files
are parsed, never imported.
"""

from __future__ import annotations

import argparse
import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
IDS = "tests/requirements/ids.tsv"
ANSWERS = "docs/inside/requirements.md"
STATES = ("test", "host", "docs", "later")
HOSTS = ("tests/hosts/", "tests/clients/", "tests/agent/")
CASES = "tests/agent/cases"


class Requirement(NamedTuple):
    """One statement of the law."""

    id: str
    document: str
    state: str


class Citation(NamedTuple):
    """A test that says it checks a requirement."""

    id: str
    file: str
    line: int
    test: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.test}"


def requirements(root: Path = ROOT) -> list[Requirement]:
    rows = (root / IDS).read_text().splitlines()[1:]
    return [Requirement(*row.split("\t")) for row in rows]


def citations(root: Path = ROOT) -> list[Citation]:
    """All citations in all test files, in the order of the files."""
    found: list[Citation] = []
    for path in sorted((root / "tests").rglob("test_*.py")):
        tree = ast.parse(path.read_text(), str(path))
        file = path.relative_to(root).as_posix()
        found += [Citation(id, file, line, test) for test, line, ids in tests(tree, ()) for id in ids]
    for path in sorted((root / CASES).glob("*.toml")):
        text, file = path.read_text(), path.relative_to(root).as_posix()
        for case in tomllib.loads(text)["case"]:
            line = text[: text.index(f'id = "{case["id"]}"')].count("\n") + 1
            found += [Citation(id, file, line, case["id"]) for id in case.get("req", ())]
    return found


def tests(node: ast.Module | ast.ClassDef, inherited: tuple[str, ...]) -> Iterator[tuple[str, int, tuple[str, ...]]]:
    """Every test below a module or class with its line and the ids it cites, those of its surroundings included."""
    given = dict.fromkeys((*inherited, *pytestmark(node)))
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield from tests(child, (*given, *decorated(child)))
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) and child.name.startswith("test"):
            yield child.name, child.lineno, tuple(dict.fromkeys((*given, *decorated(child))))


def pytestmark(node: ast.Module | ast.ClassDef) -> list[str]:
    marks = [
        child.value
        for child in node.body
        if isinstance(child, ast.Assign)
        and any(isinstance(name, ast.Name) and name.id == "pytestmark" for name in child.targets)
    ]
    return [id for mark in marks for id in marked(mark)]


def decorated(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    return [id for decorator in node.decorator_list for id in marked(decorator)]


def marked(expression: ast.expr) -> list[str]:
    """The ids given to `pytest.mark.req(...)` anywhere in an expression, as in the marks of a parametrization."""
    return [
        id
        for call in ast.walk(expression)
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("pytest.mark.req", "mark.req")
        for argument in call.args
        for id in written(argument)
    ]


def written(argument: ast.expr) -> list[str]:
    """Ids that stand there as text. Those that are put together when the test is imported do not count."""
    match argument:
        case ast.Constant(value=str(text)):
            return [text]
        case ast.Starred(value=ast.Tuple(elts=several) | ast.List(elts=several)):
            return [id for one in several for id in written(one)]
    return []


def problems(known: list[Requirement], cited: list[Citation], answers: str) -> list[str]:
    """What is wrong: with the list, with a citation, or with what must be covered by now."""
    names = Counter(one.id for one in known)
    named = {one.id for one in cited}
    answered = set(re.findall(r"[A-Z]{2,4}-[\w.-]*\w", answers))
    found = [f"{IDS}: {id} stands there {count} times" for id, count in names.items() if count > 1]
    found += [f"{IDS}: {one.id} has the state {one.state!r}" for one in known if one.state not in STATES]
    found += [f"{one}: {one.id} is not a requirement" for one in cited if one.id not in names]
    in_hosts = {one.id for one in cited if one.file.startswith(HOSTS)}
    found += [f"{one.id}: no test cites it" for one in known if one.state == "test" and one.id not in named]
    found += [
        f"{one.id}: no test of the host's side cites it"
        for one in known
        if one.state == "host" and one.id not in in_hosts
    ]
    found += [
        f"{one.id}: {ANSWERS} does not answer it" for one in known if one.state == "docs" and one.id not in answered
    ]
    return found


def table(known: list[Requirement], cited: list[Citation]) -> Iterator[str]:
    by_id = {id: list(group) for id, group in groupby(sorted(cited), key=lambda one: one.id)}
    width = max(len(one.id) for one in known)
    for one in known:
        places = [str(place) for place in by_id.get(one.id, [])]
        nothing = {"docs": f"answered in {ANSWERS}", "later": "later"}.get(one.state, "NOT CITED")
        for n, place in enumerate(places or [nothing]):
            yield f"{one.id if n == 0 else '':<{width}}  {place}"


def summary(known: list[Requirement], cited: list[Citation]) -> str:
    named = {one.id for one in cited}
    states = Counter(("test" if one.state == "host" else one.state, one.id in named) for one in known)
    later = Counter(one.id.partition("-")[0] for one in known if one.state == "later")
    parts = ", ".join(f"{prefix} {count}" for prefix, count in later.items())
    return (
        f"{len(known)} requirements: {states['test', True]} cited by tests, {states['test', False]} not cited, "
        f"{states['docs', True] + states['docs', False]} answered in docs, {sum(later.values())} come with later parts "
        f"({parts}; {states['later', True]} of them cited in part)"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="Each requirement with the tests that cite it.")
    parser.add_argument("--check", action="store_true", help="print only what is wrong; exit 1 where something is")
    check = parser.parse_args().check
    known, cited = requirements(), citations()
    wrong = problems(known, cited, (ROOT / ANSWERS).read_text())
    if not check:
        print("\n".join(table(known, cited)), end="\n\n")
    print("\n".join([*wrong, summary(known, cited)]))
    return 1 if check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
