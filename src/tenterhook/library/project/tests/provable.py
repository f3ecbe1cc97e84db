"""Whether a Python test can fail: it reaches an assert that is not always true, and nothing swallows its failure."""

from __future__ import annotations

import ast

# Prefixes of calls that assert; helpers in test files usually have them too.
ASSERTS = ("assert", "expect", "raises", "warns", "fail", "check", "verify", "ensure")
SWALLOWED = ("AssertionError", "Exception", "BaseException")
ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
OPPOSITES: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq,
    ast.Is: ast.IsNot,
    ast.In: ast.NotIn,
    ast.Lt: ast.GtE,
    ast.Gt: ast.LtE,
}
SAME = (ast.Eq, ast.Is, ast.LtE, ast.GtE)


def can_fail(function: ast.FunctionDef | ast.AsyncFunctionDef, helpers: set[str]) -> bool:
    """`helpers` are functions of the same file that assert themselves."""
    used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
    return any_fails(function.body, helpers, used, within=False)


def any_fails(body: list[ast.stmt], helpers: set[str], used: set[str], *, within: bool) -> bool:
    """Whether any statement can fail, up to the last reachable one; `within`: they are under a condition or so."""
    for one in body:
        if fails(one, helpers, used, within):
            return True
        if isinstance(one, ENDS):
            return False
    return False


def fails(one: ast.stmt, helpers: set[str], used: set[str], within: bool) -> bool:
    def inner(body: list[ast.stmt]) -> bool:
        return any_fails(body, helpers, used, within=True)

    match one:
        case ast.Assert(test=ast.Constant(value=value)):
            return within and not value  # `assert False` in a place that should not be reached
        case ast.Assert(test=test):
            return not is_always_true(test)
        case ast.If(test=test, body=body, orelse=orelse):
            taken = (body, orelse) if not isinstance(test, ast.Constant) else (body if test.value else orelse,)
            return calls_assert(test, helpers) or any(inner(part) for part in taken)
        case ast.While(test=test, body=body, orelse=orelse):
            never = isinstance(test, ast.Constant) and not test.value
            return (not never and inner(body)) or inner(orelse)
        case ast.For(iter=given, body=body, orelse=orelse) | ast.AsyncFor(iter=given, body=body, orelse=orelse):
            return calls_assert(given, helpers) or inner(body) or inner(orelse)
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=final):
            swallows = any(is_swallowed(each.type) and not leaves(each) for each in handlers)
            swallows = swallows or any(isinstance(each, ast.Return) for each in final)
            rest = (*(each.body for each in handlers), orelse, final)
            return (not swallows and inner(body)) or any(inner(part) for part in rest)
        case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
            return is_asserting_with_block([item.context_expr for item in items], body, helpers) or (
                not any(suppresses(item.context_expr) for item in items)
                and any_fails(body, helpers, used, within=within)
            )
        case ast.Match(cases=cases):
            return any(inner(case.body) for case in cases)
        case ast.Raise():
            return within
        case ast.ClassDef():
            return False
        case ast.FunctionDef(name=name, body=body) | ast.AsyncFunctionDef(name=name, body=body):
            return name in used and inner(body)
        case _:
            return calls_assert(one, helpers)


def is_asserting_with_block(contexts: list[ast.expr], body: list[ast.stmt], helpers: set[str]) -> bool:
    """Whether `with pytest.raises(...)` contains more than a raise of the test itself."""
    own = all(isinstance(one, ast.Raise | ast.Pass) for one in body)
    return not own and any(calls_assert(one, helpers) for one in contexts)


def suppresses(context: ast.expr) -> bool:
    if not isinstance(context, ast.Call) or last_name(context.func) != "suppress":
        return False
    return any(is_swallowed(one) for one in context.args)


def is_swallowed(kind: ast.expr | None) -> bool:
    """Whether an `except` of that kind catches a failed assert."""
    kinds = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    return any(one is None or last_name(one) in SWALLOWED for one in kinds)


def leaves(handler: ast.ExceptHandler) -> bool:
    """Whether the failure is raised again, or another one in its place."""
    return any(isinstance(node, ast.Raise | ast.Assert) or is_assert_call(node) for node in ast.walk(handler))


def is_assert_call(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func).lstrip("_").lower().startswith(ASSERTS)


def calls_assert(node: ast.AST, helpers: set[str]) -> bool:
    """Whether it is a call that is named like an assertion and can fail, or a call of a helper."""
    return any(
        last_name(one.func) in helpers or (is_assert_call(one) and not is_idle(one))
        for one in ast.walk(node)
        if isinstance(one, ast.Call)
    )


def is_idle(call: ast.Call) -> bool:
    """Whether no code can make it fail: `self.assertTrue(True)`, `assertEqual(1, 1)`, `assertEqual(f(), f())`."""
    name, args = last_name(call.func), call.args
    if not name.startswith("assert") or not args:
        return False
    if all(isinstance(one, ast.Constant) for one in args):
        return True
    if name in ("assertTrue", "assert_true", "assertIsNotNone"):
        return is_always_true(args[0])
    equal = any(word in name for word in ("Equal", "equal", "assertIs"))
    return equal and "Not" not in name and len(args) > 1 and ast.dump(args[0]) == ast.dump(args[1])


def is_always_true(test: ast.expr) -> bool:
    """Whether it is always true, whatever the code does: `(x, "text")`, `x or True`, `x == x`, `len(x) >= 0`."""
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return bool(elements)
        case ast.Dict(keys=keys):
            return bool(keys)
        case ast.JoinedStr(values=values):
            return any(isinstance(one, ast.Constant) and one.value for one in values)
        case ast.Lambda() | ast.GeneratorExp():
            return True
        case ast.BoolOp(op=ast.Or(), values=values):
            return any(map(is_always_true, values)) or has_opposites(values)
        case ast.BoolOp(values=values):
            return all(map(is_always_true, values))
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=value)):
            return not value
        case ast.IfExp(body=body, orelse=orelse):
            return is_always_true(body) and is_always_true(orelse)
        case ast.NamedExpr(value=value):
            return is_always_true(value)
        case ast.Call(func=ast.Name(id="isinstance"), args=[_, ast.Name(id="object")]):
            return True
        case ast.Compare(left=ast.Call(func=ast.Name(id="len")), ops=[ast.GtE()], comparators=[ast.Constant(value=0)]):
            return True
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            if isinstance(left, ast.Constant) and isinstance(right, ast.Constant):
                return True
            return isinstance(op, SAME) and ast.dump(left) == ast.dump(right)
    return False


def has_opposites(values: list[ast.expr]) -> bool:
    """`x == 3 or x != 3`, `x or not x`."""
    dumped = {ast.dump(one) for one in values}
    return any(ast.dump(other) in dumped for one in values for other in negations_of(one))


def negations_of(value: ast.expr) -> list[ast.expr]:
    match value:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return [operand]
        case ast.Compare(left=left, ops=[op], comparators=right) if type(op) in OPPOSITES:
            return [ast.Compare(left, [OPPOSITES[type(op)]()], right)]
    return []


def last_name(node: ast.expr) -> str:
    """`raises` of pytest.raises, `assertEqual` of self.assertEqual."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
