"""Whether a test tests anything: it asserts something that could be false, skips nothing, and runs with the others."""

from __future__ import annotations

import re

from tenterhook.library.project import kinds
from tenterhook.library.project.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

MOST = 8
STARTS = ("setUp", "setUpClass", "asyncSetUp", "setup_method", "setup_class", "setUpModule", "setup_module")
NODE_TEST = r"(?m)^[ \t]*(?:it|test)(?:\.\w+(?:\([^)]*\)(?=\())?)*\(\s*[\"'`]([^\"'`\n]*)"
NODE_ASSERT = (
    r"\bexpect\w*\s*\([\s\S]{0,2000}?\)\s*\.\s*(?:not|to|be|have|resolves|rejects)|\bexpect[A-Z]\w*\s*\("
    r"|\b(?:assert|should|check|verify|ensure)\w*\s*[.(]|\.should\b|\.expect\(|\bt\.(?!skip|todo)\w+\("
    r"|\b(?:get|find)(?:All)?By[A-Z]\w*\(|\bwaitFor\w*\(|\bcy\."
)
NODE_WRONG = (
    (r"\b(?:describe|context|suite|it|test)\.only\(|\bf(?:it|describe)\(", "only this one runs, and no other"),
    (r"\b(?:describe|context|suite|it|test)\.(?:skip|todo|fails)\(|\bx(?:it|test|describe)\(", "is skipped"),
    (r"\{[^{}]*\b(?:skip|todo)\s*:\s*(?:true|[\"'`])[^{}]*\}\s*,", "is skipped"),
    (r"\bexpect\(\s*true\s*\)\s*\.\s*to(?:Be\(\s*true|BeTruthy|Equal\(\s*true)", "asserts what is always true"),
    (r"\bassert(?:\.ok)?\(\s*(?:true|1)\s*\)", "asserts what is always true"),
)
# Strings and comments of JavaScript, which are not code.
NODE_QUIET = re.compile(
    r"(?P<note>//[^\n]*|/\*[\s\S]*?\*/)|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`"
)
# Assertions that no code can make fail: on literals, on a thing and itself, with `or true`; and caught ones.
LITERAL = r"(?:-?\d[\w.]*|true|false|null|undefined|\"[ \n]*\"|'[ \n]*'|`[ \n]*`)"
NODE_IDLE = re.compile(
    rf"\bexpect\(\s*{LITERAL}\s*\)(?:\s*\.\s*\w+)+\(\s*(?:{LITERAL})?\s*\)"
    rf"|\bassert(?:\.\w+)?\(\s*{LITERAL}\s*(?:,\s*{LITERAL}\s*)*\)"
    r"|\bassert(?:\.\w+)?\([^;\n]{0,300}\|\|\s*(?:true|1)\s*[,)]"
    r"|\bassert\.\w*[eE]qual\w*\(\s*([^\n]{1,200}?)\s*,\s*\1\s*[,)]"
    r"|\bexpect\(\s*([^\n]{1,200}?)\s*\)\s*\.\s*to(?:Be|Equal|StrictEqual)\(\s*\2\s*\)"
    r"|\btry\s*\{[^{}]*\}\s*catch\s*(?:\([^)]*\))?\s*\{(?:(?!throw|assert|expect|fail|reject|done|\bt\.)[^{}])*\}"
    r"|\bif\s*\(\s*(?:false|0)\s*\)\s*\{[^{}]*\}"
    r"|\A[^{}]*\{\s*return\s*;[\s\S]*"
)
# How a test begins, asserts and is skipped, and an assertion that always holds.
OTHERS = {
    "go": (
        r"\bfunc (?:Test|Fuzz|Example)",
        r"\bt\.(?:Error|Fatal|Fail)\w*\(|\b(?:assert|require|is)\.\w+\(|// Output:",
        r"(?m)^\tt\.Skip(?:Now|f)?\(",
        r"$^",
    ),
    "rust": (
        r"#\[(?:\w+::)?test\b",
        r"\bassert\w*!|\bpanic!|should_panic|\?;|\.unwrap\(",
        r"#\[ignore",
        r"\bassert!\(\s*true\s*\)|\bassert_eq!\(\s*(\d+)\s*,\s*\1\s*\)",
    ),
}
# Comments of the languages that are not parsed further.
COMMENTS = re.compile(r"(?m)/\*[\s\S]*?\*/|^[ \t]*(?:#|//|--|;|%|\*).*$")


class FoundTest:
    """A test in a file: its line, its name as it is shown, whether it can fail, and whether it never runs."""

    __slots__ = ("can_fail", "line", "name", "skipped")

    def __init__(self, line: int, name: str, can_fail: bool, skipped: bool = False) -> None:
        self.line, self.name, self.can_fail, self.skipped = line, name, can_fail, skipped


def problems(path: str, text: str) -> list[str]:
    """The problems of a test file's text; empty for unknown languages."""
    language = kinds.language_of(path)
    if language in OTHERS:
        return others(text, *OTHERS[language])[:MOST]
    if language not in READERS:
        return []
    tests, found = READERS[language](text)
    if not tests and not found:
        helper = kinds.tested_by(path) == kinds.stem_of(path)  # it is among tests but not named like one
        return [] if helper else ["holds no test"]
    found += [f"line {one.line}: {one.name} is skipped" for one in tests if one.skipped]
    found += [f"line {one.line}: {one.name} asserts nothing that could be false" for one in tests if not one.can_fail]
    return found[:MOST]


def holds_test(path: str, text: str) -> bool:
    """Whether a text has a test that runs and can fail; for an unknown language, anything except comments counts."""
    language = kinds.language_of(path)
    if language in OTHERS:
        begins, asserts, _, idle = OTHERS[language]
        return bool(re.search(begins, text)) and bool(re.search(asserts, re.sub(idle, "", text)))
    if language not in READERS:
        return bool(COMMENTS.sub("", text).strip())
    return any(one.can_fail and not one.skipped for one in READERS[language](text)[0])


def is_idle(path: str, text: str) -> bool:
    """Whether Python or JavaScript has tests of which none can fail; False if unknown."""
    read = READERS.get(kinds.language_of(path))
    tests = read(text)[0] if read else []
    return bool(tests) and not any(one.can_fail for one in tests)


def others(text: str, test: str, asserts: str, skips: str, idle: str) -> list[str]:
    if not re.search(test, text):
        return []
    found = [] if re.search(asserts, re.sub(idle, "", text)) else ["asserts nothing"]
    return found + [f"line {number}: is skipped" for number, line in number_lines(text) if re.search(skips, line)]


def number_lines(text: str) -> list[tuple[int, str]]:
    return list(enumerate(text.splitlines(), 1))


# JavaScript and TypeScript: by their lines


def node(text: str) -> tuple[list[FoundTest], list[str]]:
    """The tests, each up to the next one; and what the lines tell about the file."""
    code, bare = quiet(text, strings=False), quiet(text, strings=True)
    wrong = [
        f"line {number}: {why}: {plain(line.strip(), 100)}"
        for number, line in number_lines(code)
        for pattern, why in NODE_WRONG
        if re.search(pattern, line)
    ]
    starts = list(re.finditer(NODE_TEST, code))
    ends = [*(match.start() for match in starts[1:]), len(code)]
    tests = []
    for match, end in zip(starts, ends, strict=False):
        asserts = re.search(NODE_ASSERT, NODE_IDLE.sub("", bare[match.end() : end]))
        line = code.count("\n", 0, match.start(1)) + 1
        tests.append(FoundTest(line, f"test {plain(match[1], 80)!r}", bool(asserts)))
    return tests, wrong


def quiet(text: str, *, strings: bool) -> str:
    """Replace comments and, if asked, the content of strings by blanks; everything stays in its place."""

    def blank(match: re.Match[str]) -> str:
        if match["note"] is None and not strings:
            return match[0]
        inside = re.sub(r"[^\n]", " ", match[0])
        return inside if match["note"] else f"{match[0][0]}{inside[1:-1]}{match[0][-1]}"

    return NODE_QUIET.sub(blank, text)


# Python: by its syntax tree


def python(text: str) -> tuple[list[FoundTest], list[str]]:
    """The tests; and why classes, or all tests, never run."""
    import ast

    from tenterhook.library.project.tests.provable import can_fail

    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError) as exc:
        return [], [f"line {getattr(exc, 'lineno', None) or 1}: cannot be read: {exc}"]
    if whole := skipped_whole(tree):
        return [], [f"line {number}: the whole file is skipped" for number in whole]
    classes = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and is_skipped(node)]
    functions, helpers = functions_of(tree)
    tests = [FoundTest(one.lineno, one.name, can_fail(one, helpers), is_skipped(one)) for one in functions]
    return tests, [f"line {node.lineno}: {node.name} is skipped" for node in classes]


def functions_of(tree: ast.Module) -> tuple[list[ast.FunctionDef | ast.AsyncFunctionDef], set[str]]:
    """The tests, and the names of other functions that assert."""
    import ast

    from tenterhook.library.project.tests.provable import can_fail

    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    inner = {one for function in functions for one in ast.walk(function) if one is not function}
    tests = [one for one in functions if one.name.startswith("test") and one not in inner and not is_fixture(one)]
    return tests, {node.name for node in functions if node not in tests and can_fail(node, set())}


def is_fixture(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether pytest takes it for a fixture, so it is not a test, whatever its name."""
    import ast

    from tenterhook.library.project.tests.provable import last_name

    marks = (mark.func if isinstance(mark, ast.Call) else mark for mark in function.decorator_list)
    return any(last_name(mark) == "fixture" for mark in marks)


def is_skipped(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether it never runs: because of a mark, its first statement, or a class that is marked as not a test."""
    if any(is_skip(mark) for mark in node.decorator_list):
        return True
    body = node.body[1:] if is_docstring(node.body[0]) else node.body
    return bool(body) and (is_skip_call(body[0]) or any(is_no_test(one) or is_skipping_start(one) for one in body))


def is_skipping_start(node: ast.stmt) -> bool:
    """Whether a `setUp` or an automatic fixture begins by skipping."""
    import ast

    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return False
    automatic = is_fixture(node) and any("autouse" in ast.dump(mark) for mark in node.decorator_list)
    if not automatic and node.name not in STARTS:
        return False
    body = node.body[1:] if is_docstring(node.body[0]) else node.body
    return bool(body) and (is_skip_call(body[0]) or is_skip_raised(body[0]))


def is_skip_raised(node: ast.stmt) -> bool:
    import ast

    return isinstance(node, ast.Raise) and node.exc is not None and "skip" in ast.dump(node.exc).lower()


def is_no_test(node: ast.stmt) -> bool:
    """`__test__ = False`."""
    import ast

    match node:
        case ast.Assign(targets=[ast.Name(id="__test__")], value=ast.Constant(value=value)):
            return not value
    return False


def skipped_whole(tree: ast.Module) -> list[int]:
    """`pytestmark = pytest.mark.skip`, or `pytest.skip(..., allow_module_level=True)` without a condition."""
    import ast

    from tenterhook.library.project.tests.provable import last_name

    found = []
    for node in tree.body:
        marks = isinstance(node, ast.Assign) and any(last_name(one) == "pytestmark" for one in node.targets)
        values = [one for one in ast.walk(node) if isinstance(one, ast.Attribute | ast.Call)] if marks else []
        whole = node.body[0] if isinstance(node, ast.If) and is_true(node.test) else node
        starts = is_skip_call(whole) or is_skip_raised(whole) or is_skipping_start(node)
        if any(is_skip(one) for one in values) or starts or is_no_test(node):
            found.append(node.lineno)
    return found


def is_skip(mark: ast.expr) -> bool:
    """Whether a mark skips a test, or lets it fail, without a condition or with one that always holds."""
    import ast

    from tenterhook.library.project.tests.provable import last_name

    name = last_name(mark.func if isinstance(mark, ast.Call) else mark)
    if name in ("skip", "expectedFailure"):
        return True
    given = mark.args if isinstance(mark, ast.Call) else []
    named = [one.value for one in mark.keywords if one.arg == "condition"] if isinstance(mark, ast.Call) else []
    condition = next(iter((*given, *named)), None)
    if name in ("skipif", "skipIf", "xfail"):
        return name == "xfail" if condition is None else is_true(condition)
    if name == "parametrize" and len(given) > 1:
        return isinstance(given[1], ast.List | ast.Tuple) and not given[1].elts
    return name == "skipUnless" and condition is not None and is_true(ast.UnaryOp(ast.Not(), condition))


def is_true(condition: ast.expr) -> bool:
    """Whether a condition of literals holds: `True`, `1 == 1`, `not False`, and pytest's `"True"` in quotes."""
    import ast

    match condition:
        case ast.Constant(value=str(text)):
            return text.strip() in ("True", "1")
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=value)):
            return not value
        case ast.Compare(left=ast.Constant(value=one), ops=[ast.Eq()], comparators=[ast.Constant(value=other)]):
            return bool(one == other)
    return False


def is_skip_call(node: ast.stmt) -> bool:
    import ast

    from tenterhook.library.project.tests.provable import last_name

    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    return last_name(node.value.func) in ("skip", "skipTest", "xfail")


def is_docstring(node: ast.stmt) -> bool:
    import ast

    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


READERS = {"python": python, "node": node}
