"""What is compiled plans as a plain walk over all hooks would, whatever was planned before."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tenterhook import Engine, dialects
from tenterhook.dialects.schema.dialect import Dialect, EventRule
from tenterhook.pipeline.match import LONGEST_NAME
from tenterhook.pipeline.plan import Planner, batches, doubts, duplicate, objection, unevaluated_hook_warnings
from tenterhook.pipeline.target_index import MEMO, Memo
from tenterhook.trust.seal import Seal
from tenterhook.types import Event, Hook, Plan, Skipped, Source

RULES = [(one, rule) for one in map(dialects.get, dialects.names()) for rule in one.events]
KINDS = ["", "glob", "glob-nocase", "regex-full", "regex-search", "literal"]
EVIL = "(a+)+$"
MATCHERS = [
    None,
    "",
    "*",
    "Bash",
    "Bash|Edit",
    "Bash | Edit",
    "|",
    "a||b",
    "B*",
    "bash",
    "[",
    "B[a]sh",
    "^Ba",
    "Bas",
    EVIL,
]
TARGETS = ["Bash", "Edit", "bash", "", "a", "b", "|", "Bash | Edit", "[", "B*", "Bash\n", None, 7, ["Bash"]]
LONG = ["Bash" + "x" * LONGEST_NAME, "a" * 2 * LONGEST_NAME + "!"]
AGENTS = ["", "main", "sub"]


def plain(
    event: Event,
    hooks: Sequence[Hook],
    dialect: Dialect,
    rule: EventRule,
    off: str,
    overrides: Collection[tuple[str, str]],
    spent: Collection[int],
) -> Plan:
    """One hook after another."""
    chosen: list[Hook] = []
    skipped: list[Skipped] = []
    seen: set[str] = set()
    overridden = any((event.name, agent) in overrides for agent in event.agents or ("",))
    for hook in hooks:
        other = hook.agent is not None and hook.agent not in (event.agents or ("",))
        why = "agent" if other else objection(hook, event, dialect, rule, off, overridden, spent)
        if not why and hook.state == "trusted":
            why = duplicate(hook, dialect.planning.dedupe, seen)
        if why:
            skipped.append(Skipped(hook.name, str(hook.source), why))
        else:
            chosen.append(hook)
    warnings = (*doubts(event, rule, hooks), *unevaluated_hook_warnings(event, rule, chosen, dialect))
    return Plan(batches(chosen, dialect.planning.order), tuple(skipped), warnings)


@st.composite
def some_hooks(draw: st.DrawFn) -> list[Hook]:
    def one(n: int) -> Hook:
        command = draw(st.sampled_from(["x", "y", f"own {n}"]))
        made = Hook(
            name=f"hook {n}",
            event="e",
            handler="command",
            spec={"main": command, "command": command},
            source=Source("f", (), scope=draw(st.sampled_from(["project", "managed"]))),
            matcher=draw(st.sampled_from(MATCHERS)),
            match_kind=draw(st.sampled_from(KINDS)),
            agent=draw(st.sampled_from([None, None, *AGENTS])),
            enabled=draw(st.sampled_from([True, True, True, False])),
            state=draw(st.sampled_from(["trusted", "trusted", "trusted", "modified", "untrusted"])),
            overridden=draw(st.sampled_from([False, False, False, True])),
            sequential=draw(st.sampled_from([False, False, True])),
            once=draw(st.sampled_from([False, False, True])),
            condition=draw(st.sampled_from([None, None, {"tool_input.command": ["git *", "ls"]}])),
        )
        if made.state == "modified":
            before = replace(made, matcher=draw(st.sampled_from(MATCHERS)), state="trusted")
            made = replace(made, seal=Seal([], None, why="changed", before=before))  # type: ignore[arg-type]
        return made

    return [one(n) for n in range(draw(st.integers(0, 12)))]


events = st.tuples(
    st.sampled_from([*TARGETS, *LONG]),
    st.sampled_from(["ls", "git push", "cat"]),
    st.lists(st.sampled_from([*AGENTS, "nobody's"]), max_size=2).map(tuple),
)


@settings(max_examples=100, deadline=None)
@given(
    which=st.sampled_from(RULES),
    hooks=some_hooks(),
    happened=st.lists(events, min_size=1, max_size=6),
    off=st.sampled_from(["", "", "", "switched off"]),
    overriding=st.sets(st.sampled_from(AGENTS)),
    data=st.data(),
)
def test_a_compiled_plan_is_the_one_that_a_walk_over_all_hooks_makes(
    which: tuple[Dialect, EventRule],
    hooks: list[Hook],
    happened: list[tuple[Any, str, tuple[str, ...]]],
    off: str,
    overriding: set[str],
    data: st.DataObject,
) -> None:
    dialect, rule = which
    overrides = {(rule.name, agent) for agent in overriding}
    planner = Planner(hooks, dialect, rule, off=off, overrides=overrides)
    spent: set[int] = set()
    for target, command, agents in happened:
        given = {"tool_input": {"command": command}, **({rule.target.field: target} if target is not None else {})}
        event = Event(rule.kind, rule.name, given, agents=agents)

        made = planner.plan(event, spent)

        assert made == plain(event, hooks, dialect, rule, off, overrides, spent)
        if hooks and data.draw(st.booleans()):
            spent.add(id(data.draw(st.sampled_from(hooks))))


def test_names_in_use_stay_known_however_many_a_host_makes_up() -> None:
    memo: Memo[str, str] = Memo()
    memo.keep("Bash", "known")
    lost = 0
    for n in range(10 * MEMO):
        memo.keep(f"made up {n}", "x")
        lost += (memo.get("Bash") or memo.recall("Bash")) is None

    assert lost == 0
    assert len(memo) + len(memo.older) <= 2 * MEMO


@pytest.mark.parametrize("options", [{}, {"once": True}, {"condition": {"tool_input.command": "ls"}}], ids=str)
def test_an_engine_remembers_so_many_targets_and_no_long_ones(options: dict[str, Any]) -> None:
    engine = Engine(files=False)
    engine.add("tool.before", lambda event: None, match="B.*", match_kind="regex-full", **options)
    names = [f"B{n}" for n in range(3 * MEMO)] + ["B" * (LONGEST_NAME + 1)]
    fired = [engine.fire("tool.before", tool_name=name, tool_input={"command": "ls"}) for name in names]

    compiled = engine.hookset.compiled["tool.before"]
    (table,) = compiled.planner.tables.values()
    assert sum(len(outcome.attempts) for outcome in fired) == (1 if options.get("once") else len(names))
    for memo in (compiled.memo, table.plans, table.fitting.memo):
        assert len(memo) + len(memo.older) <= 2 * MEMO
        assert not any("B" * LONGEST_NAME in str(key) for key in (*memo, *memo.older))
