"""Whether a file of hooks may run before there is an event: decided from its text; in doubt, not.

What such a file does when it runs must depend on nothing but its own text: it imports, defines functions and classes,
and names constants. So it makes no difference when that happens.
"""

from __future__ import annotations

import ast
import builtins

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

# Functions that make the same of the same, by their whole names.
PURE = frozenset(
    (
        *("frozenset", "set", "tuple", "list", "dict", "re.compile", "pathlib.Path", "pathlib.PurePath"),
        *("os.path.join", "os.path.dirname", "os.path.basename"),
        *("collections.namedtuple", "dataclasses.field", "datetime.timedelta", "enum.auto", "functools.partial"),
        *("typing.NewType", "typing.TypeVar", "typing.cast"),
    )
)
DECORATORS = frozenset(
    (
        *("tenterhook.hook", "tenterhook.author.hook", "staticmethod", "classmethod", "property", "enum.unique"),
        "dataclasses.dataclass",
        *("functools.cache", "functools.lru_cache", "functools.cached_property", "typing.final", "typing.overload"),
    )
)
BASES = frozenset(
    (
        *("object", "str", "int", "dict", "list", "tuple", "set", "frozenset", "Exception", "ValueError", "TypeError"),
        *("RuntimeError", "KeyError", "LookupError", "OSError", "abc.ABC", "collections.UserDict"),
        *("enum.Enum", "enum.IntEnum", "enum.StrEnum", "enum.Flag", "typing.NamedTuple", "typing.Protocol"),
        "typing.TypedDict",
    )
)
# An enumeration calls its own `__new__`, `__init__` and `_generate_next_value_` while it is defined.
ENUMS = "enum."
# Methods of texts and containers, and what a path is asked for.
METHODS = frozenset("split splitlines strip lower upper format join replace keys values items copy union".split())
PARTS = frozenset(("parent", "name", "stem", "suffix"))
# The program of a hook's file, which does nothing while another program runs the file.
MAIN = ("tenterhook.hook.main", "tenterhook.author.hook.main")
FILE = "__file__"
AS_PROGRAM = "__name__ == '__main__'"
CHECKING = ("TYPE_CHECKING", "typing.TYPE_CHECKING")
OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.BitOr, ast.BitAnd)
SIMPLE = (ast.Pass, ast.Import, ast.Global)


def may_run_ahead(tree: ast.Module) -> bool:
    return FileReader(tree).is_plain(tree.body)


class FileReader:
    """What the names of a file stand for: `known` are imported names, by their whole names; `own` are defined here."""

    def __init__(self, tree: ast.Module) -> None:
        self.known: dict[str, str] = {}
        self.own: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition(".")[0]
                    self.add_import(alias.asname or top, alias.name if alias.asname else top)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.add_import(alias.asname or alias.name, f"{node.module}.{alias.name}")
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.own.add(node.name)
            elif isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
                self.own.add(node.id)
            elif isinstance(node, ast.ExceptHandler) and node.name:
                self.own.add(node.name)

    def add_import(self, name: str, whole: str) -> None:
        """A name that stands for two things in one file, even in two functions, is not known."""
        if self.known.setdefault(name, whole) != whole:
            self.own.add(name)

    def whole_name(self, node: ast.AST) -> str:
        """What a name with dots stands for; empty if that is not known."""
        if isinstance(node, ast.Attribute):
            owner = self.whole_name(node.value)
            return f"{owner}.{node.attr}" if owner else ""
        if not isinstance(node, ast.Name) or node.id in self.own:
            return ""
        return self.known.get(node.id) or (node.id if hasattr(builtins, node.id) else "")

    def is_plain(self, body: Iterable[ast.stmt]) -> bool:
        return all(self.is_plain_statement(node) for node in body)

    def is_plain_statement(self, node: ast.stmt) -> bool:
        if isinstance(node, ast.ImportFrom):
            return node.level == 0 and all(alias.name != "*" for alias in node.names)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            values = [*node.args.defaults, *(one for one in node.args.kw_defaults if one)]
            return self.are_decorators(node.decorator_list) and all(map(self.is_constant, values))
        if isinstance(node, ast.ClassDef):
            bases = [self.whole_name(base) for base in node.bases]
            if node.keywords or not BASES.issuperset(bases):
                return False
            if any(base.startswith(ENUMS) for base in bases) and any(map(is_hidden_function, ast.walk(node))):
                return False
            return self.are_decorators(node.decorator_list) and self.is_plain(node.body)
        if isinstance(node, ast.Assign):
            return all(map(is_name, node.targets)) and self.is_constant(node.value)
        if isinstance(node, ast.AnnAssign):
            return is_name(node.target) and (node.value is None or self.is_constant(node.value))
        if isinstance(node, ast.Expr):
            value = node.value
            called = isinstance(value, ast.Call) and not value.args and not value.keywords
            return isinstance(value, ast.Constant) or (called and self.whole_name(value.func) in MAIN)  # type: ignore[attr-defined]
        if isinstance(node, ast.If):
            return is_never_true(node.test) and self.is_plain(node.orelse)
        if isinstance(node, ast.Try):
            caught = [one for handler in node.handlers for one in handler.body]
            kinds = [kind for handler in node.handlers if handler.type for kind in ast.walk(handler.type)]
            if any(isinstance(kind, ast.Call) for kind in kinds):
                return False
            return self.is_plain([*node.body, *caught, *node.orelse, *node.finalbody])
        return isinstance(node, SIMPLE)

    def are_decorators(self, nodes: Iterable[ast.expr]) -> bool:
        for node in nodes:
            if isinstance(node, ast.Call):
                if not self.are_constant(node):
                    return False
                node = node.func
            if self.whole_name(node) not in DECORATORS:
                return False
        return True

    def are_constant(self, call: ast.Call) -> bool:
        """Whether all arguments are constant."""
        values = [*call.args, *(one.value for one in call.keywords)]
        return all(not isinstance(value, ast.Starred) and self.is_constant(value) for value in values)

    def is_constant(self, node: ast.expr) -> bool:
        """Whether a value depends on nothing but the text."""
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
            return all(map(self.is_constant, node.elts))
        if isinstance(node, ast.Dict):
            return all(key is not None and self.is_constant(key) for key in node.keys) and all(
                map(self.is_constant, node.values)
            )
        if isinstance(node, ast.UnaryOp):
            return self.is_constant(node.operand)
        if isinstance(node, ast.BinOp):
            return isinstance(node.op, OPERATORS) and self.is_constant(node.left) and self.is_constant(node.right)
        if isinstance(node, ast.Name):
            return node.id not in self.known and (node.id in (*self.own, FILE) or hasattr(builtins, node.id))
        if isinstance(node, ast.Attribute):
            flag = self.whole_name(node).startswith("re.")  # of a pattern
            return flag or (node.attr in PARTS and self.is_constant(node.value))
        if isinstance(node, ast.Call) and self.are_constant(node):
            method = isinstance(node.func, ast.Attribute) and node.func.attr in METHODS
            return self.whole_name(node.func) in PURE or (method and self.is_constant(node.func.value))  # type: ignore[attr-defined]
        return False


def is_name(node: ast.AST) -> bool:
    return isinstance(node, ast.Name)


def is_hidden_function(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("_")


def is_never_true(test: ast.expr) -> bool:
    """Whether it holds for type checkers alone, or if the file itself is the program."""
    return ast.unparse(test) in (AS_PROGRAM, *CHECKING)
