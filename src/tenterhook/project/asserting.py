"""Whether a test tests anything: it asserts something that could be false, skips nothing, and runs with the others."""

from __future__ import annotations

import re

from tenterhook.project import kinds
from tenterhook.project.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

MOST = 8
EMPTY = "holds no test"
# Calls that assert, by how their name begins; helpers of a test file are usually named so too.
ASSERTS = ("assert", "expect", "raises", "warns", "fail", "check", "verify", "ensure")
NODE_TEST = r"(?m)^[ \t]*(?:it|test)(?:\.\w+(?:\([^)]*\)(?=\())?)*\(\s*[\"'`]([^\"'`\n]*)"
NODE_ASSERT = r"\b(?:expect|assert|should|check|verify|ensure)\w*\s*[.(]|\bt\.\w+\("
NODE_WRONG = (
    (r"\b(?:describe|context|suite|it|test)\.only\(|\bf(?:it|describe)\(", "only this one runs, and no other"),
    (r"\b(?:describe|context|suite|it|test)\.(?:skip|todo)\(|\bx(?:it|test|describe)\(", "is skipped"),
    (r"\bexpect\(\s*true\s*\)\s*\.\s*to(?:Be\(\s*true|BeTruthy|Equal\(\s*true)", "asserts what is always true"),
    (r"\bassert(?:\.ok)?\(\s*(?:true|1)\s*\)", "asserts what is always true"),
)
# How a test begins, asserts and is skipped.
OTHERS = {
    "go": (
        r"\bfunc Test",
        r"\bt\.(?:Error|Fatal|Fail)\w*\(|\b(?:assert|require|is)\.\w+\(",
        r"(?m)^\tt\.Skip(?:Now|f)?\(",
    ),
    "rust": (r"#\[test\]", r"\bassert\w*!|\bpanic!|should_panic|\?;|\.unwrap\(", r"#\[ignore"),
}


def problems(path: str, text: str) -> list[str]:
    """What is wrong with a test file's text; nothing for languages that are not known."""
    language = kinds.language_of(path)
    if language in OTHERS:
        return others(text, *OTHERS[language])[:MOST]
    found = python(text) if language == "python" else node(text) if language == "node" else []
    if found == [EMPTY] and kinds.tested_by(path) == kinds.stem_of(path):
        return []  # it stands among tests without being named like one: a helper
    return found[:MOST]


def others(text: str, test: str, asserts: str, skips: str) -> list[str]:
    if not re.search(test, text):
        return []
    found = [] if re.search(asserts, text) else ["asserts nothing"]
    return found + [f"line {number}: is skipped" for number, line in numbered(text) if re.search(skips, line)]


def numbered(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines(), 1))


# JavaScript and TypeScript: by their lines


def node(text: str) -> list[str]:
    text = re.sub(r"(?m)^[ \t]*(?://|\*|/\*).*$", "", text)
    found = [
        f"line {number}: {why}: {plain(line.strip(), 100)}"
        for number, line in numbered(text)
        for pattern, why in NODE_WRONG
        if re.search(pattern, line)
    ]
    starts = list(re.finditer(NODE_TEST, text))
    ends = [*(match.start() for match in starts[1:]), len(text)]
    for match, end in zip(starts, ends, strict=False):
        if not re.search(NODE_ASSERT, text[match.end() : end]):
            found.append(
                f"line {text.count(chr(10), 0, match.start(1)) + 1}: test {plain(match[1], 80)!r} asserts nothing"
            )
    return found if starts or found else [EMPTY]


# Python: by its syntax tree


def python(text: str) -> list[str]:
    import ast

    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as exc:
        return [f"line {getattr(exc, 'lineno', None) or 1}: cannot be read: {exc}"]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    tests = [node for node in functions if node.name.startswith("test")]
    helpers = {node.name for node in functions if node not in tests and asserts(node, set())}
    found = [f"line {number}: the whole file is skipped" for number in skipped_whole(tree)]
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    found += [f"line {node.lineno}: {node.name} is skipped" for node in [*classes, *tests] if is_skipped(node)]
    for test in tests:
        if not asserts(test, helpers):
            found.append(f"line {test.lineno}: {test.name} asserts nothing that could be false")
    return found if tests or found else [EMPTY]


def asserts(function: ast.AST, helpers: set[str]) -> bool:
    """An assert of more than a constant, or a call that is named like one or asserts in its turn."""
    import ast

    for node in ast.walk(function):
        if isinstance(node, ast.Assert) and not isinstance(node.test, ast.Constant):
            return True
        if isinstance(node, ast.Call):
            name = last_name(node.func)
            if name in helpers or (name.lstrip("_").lower().startswith(ASSERTS) and not constant_true(name, node)):
                return True
    return False


def constant_true(name: str, call: ast.Call) -> bool:
    """`self.assertTrue(True)`."""
    import ast

    return name == "assertTrue" and bool(call.args) and isinstance(call.args[0], ast.Constant)


def is_skipped(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Marked to be skipped whatever happens, or skipping itself with its first statement."""
    if any(is_skip(mark) for mark in node.decorator_list):
        return True
    body = node.body[1:] if is_docstring(node.body[0]) else node.body
    return bool(body) and is_skip_call(body[0])


def skipped_whole(tree: ast.Module) -> list[int]:
    """`pytestmark = pytest.mark.skip`, or `pytest.skip(..., allow_module_level=True)` under no condition."""
    import ast

    found = []
    for node in tree.body:
        marks = isinstance(node, ast.Assign) and any(last_name(one) == "pytestmark" for one in node.targets)
        values = [one for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Call)] if marks else []
        if any(is_skip(one) for one in values) or is_skip_call(node):
            found.append(node.lineno)
    return found


def is_skip(mark: ast.expr) -> bool:
    import ast

    return last_name(mark.func if isinstance(mark, ast.Call) else mark) == "skip"


def is_skip_call(node: ast.stmt) -> bool:
    import ast

    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    return last_name(node.value.func) in ("skip", "skipTest")


def is_docstring(node: ast.stmt) -> bool:
    import ast

    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def last_name(node: ast.expr) -> str:
    """`raises` of pytest.raises, `assertEqual` of self.assertEqual."""
    import ast

    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
