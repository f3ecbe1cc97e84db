"""Conditions on what an event never has: unknown fields, rules for tools that the agent does not have."""

from __future__ import annotations

from collections.abc import Iterator

from tenterhook.errors import nearest
from tenterhook.pipeline import permission_rules
from tenterhook.pipeline.match import fits_all, match
from tenterhook.tools.check import CheckFinding, HookInspection
from tenterhook.tools.check.tools import CALL, NAME, fits_served, same_kind, tools_of
from tenterhook.types import RULE


def conditions(look: HookInspection) -> Iterator[CheckFinding]:
    for path, wanted in (look.hook.condition or {}).items():
        if path == RULE:
            yield from permission_rule(look, str(wanted))
        else:
            yield from unknown_field(look, path)


def unknown_field(look: HookInspection, path: str) -> Iterator[CheckFinding]:
    """A path into the event's data, under our names for them, that leads nowhere."""
    first, _, rest = path.partition(".")
    fields = [field.key for field in (*look.rule.overrides.base, *look.dialect.payload.base, *look.rule.fields)]
    if first not in fields:
        known = ", ".join(dict.fromkeys(fields))
        text = (
            f"{look.rule.name} has no field {first!r}{nearest(first, fields)}, so the hook never runs; it has {known}"
        )
        yield look.warning("unknown-field", "condition", text)
    elif first == CALL and rest:
        field = rest.partition(".")[0]
        inputs = {one for known in tools_of(look.dialect, look.rule).values() for one in known}
        hint = nearest(field, inputs) if field not in inputs else ""
        if hint:
            text = f"{look.dialect.title} knows no input {field!r} of a tool{hint}"
            yield look.warning("unknown-field", "condition", text)


def permission_rule(look: HookInspection, rule: str) -> Iterator[CheckFinding]:
    """A rule such as `Bash(git *)` for a tool that the agent, or the hook's matcher, does not have."""
    found = permission_rules.FORM.fullmatch(rule.strip())
    if found is None or look.rule.target.field != NAME:
        return
    named, known = found[1], tools_of(look.dialect, look.rule)
    fitting = [tool for tool in known if permission_rules.names(named, tool) or permission_rules.names(tool, named)]
    if not fitting and not named.startswith(permission_rules.SERVERS) and "*" not in named:
        alike = same_kind(named, look.dialect, known)
        hint = f", which calls it {' or '.join(map(repr, alike))}" if alike else nearest(named, known)
        text = f"the condition {rule!r} fits no tool of {look.dialect.title}{hint}, so the hook never runs"
        yield look.warning("unknown-field", "condition", text)
        return
    matcher, kind = look.hook.matcher, look.hook.match_kind or look.dialect.planning.matcher
    if not fitting or matcher is None or fits_all(matcher, kind) or fits_served(matcher, kind, look.dialect):
        return
    test = match(matcher, kind)
    if test and not any(map(test, fitting)):
        text = (
            f"the condition {rule!r} is for {fitting[0]}, which the matcher {matcher!r} leaves out: the hook never runs"
        )
        yield look.warning("bad-condition", "condition", text)
