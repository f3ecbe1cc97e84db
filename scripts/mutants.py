"""Mutation score of the modules that decide: change one thing at a time and see whether a test notices.

    python scripts/mutants.py [MODULE ...] [--jobs N]

Every comparison, condition, boolean, constant, word, default, result and statement of these modules is changed in turn;
only texts for people are left alone, so every mutant touches a decision. Each runs in a fork against a sample of the
decision tables, then the fast tests, then a larger sample. Exit 1 where a survivor is not explained in
mutants_explained.toml, or below 90 % of a module that decides; a good part of the reading in `answer` is there for
speed alone, which no test can notice.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import importlib.util
import os
import random
import shutil
import signal
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

# Imported once here, so that a fork need not; tenterhook itself only ever in a fork.
import msgspec  # noqa: F401
import pytest  # noqa: F401

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "tenterhook" / "pipeline"
EXPLAINED = ROOT / "scripts" / "mutants_explained.toml"
DECIDING = ("verdict", "failure_policy", "answer_validity", "answer_effects", "merge", "plan")
MODULES = (*DECIDING, "apply", "answer")
FAST = ("pipeline.test_answer", "pipeline.test_plan", "pipeline.test_merge", "pipeline.test_verdict")
NOT_RUN = ("annotation", "returns", "decorator_list")
WANTED = 0.90
TIME_LIMIT = 60
SAMPLES = (100, 2500)
PAIRS = ((ast.Eq, ast.NotEq), (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.In, ast.NotIn), (ast.Is, ast.IsNot))
SWAPS: dict[type[ast.cmpop], type[ast.cmpop]] = {one: other for a, b in PAIRS for one, other in ((a, b), (b, a))}


class Mutant(NamedTuple):
    """One change: where it is, how it reads, and the module with it."""

    module: str
    line: int
    text: str
    change: str
    tree: ast.Module


# ---- making mutants


def mutants(module: str) -> Iterator[Mutant]:
    source = (SOURCE / f"{module}.py").read_text()
    lines = source.splitlines()
    tree = ast.parse(source)
    places = list(changeable(tree))
    for node, parent, field, index in places:
        for new in changes(node):
            put(parent, field, index, new)
            mutated = ast.fix_missing_locations(copy.deepcopy(tree))
            put(parent, field, index, node)
            line: int = getattr(node, "lineno", 0) or node.target.lineno  # type: ignore[attr-defined]
            yield Mutant(module, line, lines[line - 1].strip(), f"{short(node)} -> {short(new)}", mutated)


def short(node: ast.AST) -> str:
    """The node on one line; of an `if` or a loop only its condition."""
    text = ast.unparse(node.test if isinstance(node, ast.If | ast.While) else node)
    return " ".join(text.split())


def put(parent: ast.AST, field: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, field, node)
    else:
        getattr(parent, field)[index] = node


def changeable(parent: ast.AST) -> Iterator[tuple[ast.AST, ast.AST, str, int | None]]:
    """Every node that may be changed, with its place. Annotations, docstrings, imports and texts are left alone."""
    for field, value in ast.iter_fields(parent):
        if (
            field in NOT_RUN
            or isinstance(parent, ast.JoinedStr)
            or (isinstance(parent, ast.ClassDef) and field != "body")
        ):
            continue
        several = isinstance(value, list)
        for index, node in enumerate(value if several else [value]):
            if not isinstance(node, ast.AST) or skipped(node):
                continue
            yield node, parent, field, index if several else None
            yield from changeable(node)


def skipped(node: ast.AST) -> bool:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    typing = isinstance(node, ast.If | ast.Assign) and ast.unparse(node).startswith(("if TYPE_CHECKING", "Table = "))
    return docstring or typing or isinstance(node, ast.Import | ast.ImportFrom)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPS:
            yield ast.Compare(node.left, [SWAPS[type(op)]()], node.comparators)
        case ast.BoolOp():
            yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
            for dropped in node.values:
                left = [value for value in node.values if value is not dropped]
                yield ast.BoolOp(node.op, left) if len(left) > 1 else left[0]
        case ast.UnaryOp(op=ast.Not()):
            yield node.operand
        case ast.Constant():
            yield from constants(node.value)
        case ast.IfExp():
            yield ast.IfExp(node.test, node.orelse, node.body)
        case ast.If() | ast.While():
            yield type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.comprehension(ifs=[_, *_]):
            yield ast.comprehension(node.target, node.iter, node.ifs[1:], node.is_async)
        case ast.Return(value=ast.expr()) if not isinstance(node.value, ast.Constant):
            yield ast.Return(ast.Constant(None))
        case ast.Expr() | ast.Continue() | ast.Break() | ast.Return(value=None) | ast.AugAssign():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript(), *_]) | ast.Assign(targets=[ast.Tuple()]):
            yield ast.Pass()


def constants(value: Any) -> Iterator[ast.Constant]:
    """Words, numbers and truths change; whatever has a blank in it is a text for people."""
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
    elif isinstance(value, str) and " " not in value:
        yield ast.Constant(f"{value}?" if value else "?")


# ---- running one


class Suite:
    """What a mutant has to survive, on a copy of the sources, so that later edits change nothing."""

    def __init__(self, copied: Path, seed: int = 7) -> None:
        for folder in ("src", "tests"):
            shutil.copytree(ROOT / folder, copied / folder, ignore=shutil.ignore_patterns("__pycache__"))
            sys.path.insert(0, str(copied / folder))
        self.source = copied / "src" / "tenterhook" / "pipeline"
        chance = random.Random(seed)
        self.samples: list[list[tuple[str, Any]]] = [[] for _ in SAMPLES]
        for path in sorted((copied / "tests" / "oracles").glob("[a-z]*.py")):
            if path.stem == "table":
                continue
            rows = list(dict.fromkeys(importlib.import_module(f"oracles.{path.stem}").rows()))
            for sample, size in zip(self.samples, SAMPLES, strict=True):
                sample += [(path.stem, row) for row in chance.sample(rows, min(size, len(rows)))]
        for sample in self.samples:
            chance.shuffle(sample)

    def run(self, mutant: Mutant | None) -> None:
        """Called in a fork: raises where a test notices."""
        if mutant is not None:
            self.load(mutant)
        tables = importlib.import_module("pipeline.test_decision_tables")
        agree(tables, self.samples[0])
        for name in FAST:
            run_tests(importlib.import_module(name))
        agree(tables, self.samples[1])

    def load(self, mutant: Mutant) -> None:
        """The mutated module, in the place of the real one, before anything imports that."""
        name, path = f"tenterhook.pipeline.{mutant.module}", self.source / f"{mutant.module}.py"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        exec(compile(mutant.tree, str(path), "exec"), sys.modules[name].__dict__)


def agree(tables: ModuleType, sample: list[tuple[str, Any]]) -> None:
    for name, row in sample:
        for difference in tables.differences(name, row):
            raise AssertionError(difference)


def run_tests(module: ModuleType) -> None:
    """Every test of a module that has no fixtures, with its parameters: pytest itself takes a second to start."""
    for name, test in vars(module).items():
        if name.startswith("test_") and "mebibyte" not in name:
            for arguments in parameters(getattr(test, "pytestmark", [])):
                test(**arguments)


def parameters(marks: list[Any]) -> Iterator[dict[str, Any]]:
    """The arguments of every case of a test, but for those that are expected to fail."""
    if not marks:
        yield {}
        return
    names = marks[0].args[0]
    names = [names] if isinstance(names, str) else list(names)
    for case in marks[0].args[1]:
        if getattr(case, "marks", ()):
            continue
        case = getattr(case, "values", case) if hasattr(case, "marks") else [case] if len(names) == 1 else case
        for more in parameters(marks[1:]):
            yield {**dict(zip(names, case, strict=True)), **more}


def start(suite: Suite, mutant: Mutant | None) -> int:
    """A fork that exits 0 where the mutant survives; a mutant that hangs is found by the alarm."""
    pid = os.fork()
    if pid:
        return pid
    code = 1
    try:
        signal.alarm(TIME_LIMIT)
        if mutant is not None:
            os.dup2(os.open(os.devnull, os.O_RDWR), 2)
        suite.run(mutant)
        code = 0
    except BaseException as exc:
        print(f"{type(exc).__name__}: {exc}", file=sys.stderr)
    finally:
        os._exit(code)


def run(suite: Suite, todo: list[Mutant], jobs: int) -> list[Mutant]:
    """The survivors."""
    running: dict[int, Mutant] = {}
    survivors: list[Mutant] = []
    waiting = list(reversed(todo))
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            running[start(suite, mutant)] = mutant
        pid, status = os.wait()
        mutant = running.pop(pid)
        survivors += [mutant] if status == 0 else []
    return survivors


# ---- telling


def tell(todo: list[Mutant], survivors: list[Mutant], seconds: float) -> bool:
    """Print the table; whether it is good enough."""
    listed = tomllib.loads(EXPLAINED.read_text())["survivor"]
    known = {(one["module"], one["line"], one["change"]) for one in listed if one["why"]}
    print(f"{'module':<10}{'mutants':>9}{'killed':>9}{'score':>9}")
    good = True
    for module in dict.fromkeys(one.module for one in todo):
        made = sum(one.module == module for one in todo)
        left = sum(one.module == module for one in survivors)
        good = good and (module not in DECIDING or (made - left) / made >= WANTED)
        print(f"{module:<10}{made:>9}{made - left:>9}{(made - left) / made:>9.1%}")
    print(f"{'all':<10}{len(todo):>9}{len(todo) - len(survivors):>9}{1 - len(survivors) / len(todo):>9.1%}")
    print(f"{seconds:.0f} s; {len(survivors)} survived:")
    for one in sorted(survivors, key=lambda one: (one.module, one.line)):
        explained = (one.module, one.text, one.change) in known
        good = good and explained
        place = f"src/tenterhook/pipeline/{one.module}.py:{one.line}"
        print(f"  {'explained' if explained else 'UNEXPLAINED'}  {place}  {one.change}")
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", default=MODULES, metavar="MODULE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args()
    todo = [mutant for module in options.modules for mutant in mutants(module)]
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutants") as copied:
        suite = Suite(Path(copied))
        if os.waitpid(start(suite, None), 0)[1]:
            print("a test fails without any mutant: run make test first", file=sys.stderr)
            return 1
        survivors = run(suite, todo, options.jobs)
    return 0 if tell(todo, survivors, time.monotonic() - began) else 1


if __name__ == "__main__":
    sys.exit(main())
