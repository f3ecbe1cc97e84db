"""Whether a source file does anything that a test could check: types, constants and re-exports do not."""

from __future__ import annotations

import os
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from tenterhook.library.project.subject import Subject

# A type alias in Python's syntax since 3.12: an older parser sees an assignment.
TYPE_ALIAS = re.compile(r"(?m)^type (?=\w+ *=)")
# Calls that make a constant or a type.
MAKERS = frozenset(
    "TypeVar NewType ParamSpec TypeVarTuple namedtuple NamedTuple TypedDict Enum IntEnum StrEnum frozenset set tuple "
    "dict list str int float bytes bool compile Path PurePath Decimal Fraction timedelta auto getLogger "
    "MappingProxyType dataclass field".split()
)
# In JavaScript and TypeScript: code that acts, and the top-level statements that do not.
NODE_ACTS = re.compile(
    r"\bfunction\b|\bclass\b|\bnew\b|=>\s*\{(?!\s*\w+\??\s*:)|\)\s*\{|\b(?:if|for|while|return|throw)\b"
)
NODE_STATEMENT = re.compile(
    r"(?:export\s+|declare\s+|default\s+)*"
    r"(?:import\b(?!\s*\()|type\b|interface\b|enum\b|namespace\b|const\s+enum\b|(?<!default )\{|\*)"
)
NODE_VALUE = re.compile(r"\b(?:const(?!\s+enum)|let|var|exports)\b|;[ \t]*[\w$.]+\(")
NODE_CONSTANT = re.compile(
    r"(?:(?:export\s+(?:default\s+)?)?(?:const|let|var)\s+[\w$]+[^=]*=|(?:module\.)?exports[\w$.]*\s*=|export\s+default\b)"
    r"(?!=)(?:(?!=>)[^()])*$"
)
NODE_FROZEN = re.compile(r"\bObject\.freeze\(([^()]*)\)")
# In Go and Rust: code with a body.
ACTS = {"go": r"(?m)^func\b|\bfunc\s*\([^\n]*\{", "rust": r"\bfn\b|\bmacro_rules!"}


def has_logic(subject: Subject, text: str) -> bool:
    """False only if the text clearly has no logic; True for an unknown language."""
    if subject.language == "python":
        return python_has_logic(text, entry=os.path.basename(subject.path) == "__main__.py")
    if subject.language == "node":
        return node_has_logic(text)
    acts = ACTS.get(subject.language)
    return bool(re.search(acts, without_comments(text))) if acts else True


def without_comments(text: str) -> str:
    from tenterhook.library.project.tests.assertions import quiet

    return quiet(text, strings=True)


def node_has_logic(text: str) -> bool:
    text = NODE_FROZEN.sub(r"\1", without_comments(text))
    if NODE_ACTS.search(text):
        return True
    return not all(is_plain(one.strip()) for one in re.split(r"\n(?=[^\s})\]|&])", text))


def is_plain(statement: str) -> bool:
    """Whether it is a type, an import or a constant; one line may have several constants."""
    if not statement or (NODE_STATEMENT.match(statement) and not NODE_VALUE.search(statement)):
        return True
    return all(NODE_CONSTANT.match(one.strip()) for one in statement.split(";") if one.strip())


# Python: by its syntax tree


def python_has_logic(text: str, *, entry: bool = False) -> bool:
    """`entry` is for __main__.py, which may call what it imports: it only starts code that is tested elsewhere."""
    import ast

    try:
        tree = ast.parse(TYPE_ALIAS.sub("", text))
    except (SyntaxError, ValueError, RecursionError):
        return True
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return any(acts(node, imported if entry else set()) for node in tree.body)


def acts(node: ast.stmt, startable: set[str]) -> bool:
    import ast

    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return False
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            return value is not None and computes(value)
        case ast.ClassDef(body=body, decorator_list=marks):
            return any(computes(mark) for mark in marks) or any(acts(one, set()) for one in body)
        case ast.FunctionDef(body=body) | ast.AsyncFunctionDef(body=body):  # a protocol's method, without a body
            return not all(isinstance(one, ast.Pass | ast.Expr) and is_said_only(one) for one in body)
        case ast.If(test=test, body=body, orelse=orelse):
            if "TYPE_CHECKING" in ast.dump(test) or "version_info" in ast.dump(test):
                return any(acts(one, startable) for one in (*body, *orelse))
            started = "__main__" in ast.dump(test) and not orelse
            return not started or any(not starts(one, None) for one in body)
        case _:
            return not starts(node, startable)


def is_said_only(node: ast.stmt) -> bool:
    import ast

    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def starts(node: ast.stmt, startable: set[str] | None) -> bool:
    """`main()`, `sys.exit(main())`, `raise SystemExit(main())`: one call; of imported names, if those are given."""
    import ast

    call = node.value if isinstance(node, ast.Expr) else node.exc if isinstance(node, ast.Raise) else None
    if not isinstance(call, ast.Call):
        return False
    names = {one.id for one in ast.walk(call) if isinstance(one, ast.Name)} - {"SystemExit", "exit", "__name__"}
    return startable is None or (bool(names) and names <= startable)


def computes(value: ast.expr) -> bool:
    """Whether a value is more than a literal, a type, or a call that usually makes a constant."""
    import ast

    from tenterhook.library.project.tests.provable import last_name

    for node in ast.walk(value):
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp | ast.Await):
            return True
        if isinstance(node, ast.Call) and last_name(node.func) not in MAKERS:
            return True
    return False
