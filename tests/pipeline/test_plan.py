"""Which hooks run, in which batches, and why the others do not."""

from typing import Any

import pytest

from tenterhook import dialects
from tenterhook.dialects.schema.dialect import Dialect, EventRule, revise
from tenterhook.pipeline.payload_fields import lookup
from tenterhook.pipeline.plan import batches, fits, holds, plan
from tenterhook.types import Event, Hook, Plan, Source

DIALECT = dialects.get("tenterhook")
CALL = DIALECT.rule("tool.before")
BASH = {"tool_name": "Bash", "tool_input": {"command": "git push", "n": 1}}


def hook(name: str = "h", **fields: Any) -> Hook:
    given = {"event": "tool.before", "handler": "command", "spec": {"command": name}, "source": Source("f", ())}
    return Hook(name=name, **{**given, **fields})


def made(
    *hooks: Hook,
    data: dict[str, Any] | None = None,
    agent: str = "",
    dialect: Dialect = DIALECT,
    rule: EventRule | None = CALL,
    **options: Any,
) -> Plan:
    assert rule is not None
    given = BASH if data is None else data
    return plan(Event(rule.kind, rule.name, given, agents=(agent,) if agent else ()), hooks, dialect, rule, **options)


def names(planned: Plan) -> list[list[str]]:
    return [[one.name for one in batch] for batch in planned.batches]


def why(planned: Plan) -> list[tuple[str, str]]:
    return [(one.hook, one.why) for one in planned.skipped]


# ---- batches


def test_no_hooks_make_no_batches() -> None:
    assert made() == Plan()
    assert batches([], "parallel") == ()
    assert batches([], "sequential") == ()


def test_hooks_run_at_once_in_their_order_unless_one_wants_to_be_alone() -> None:
    one, two, alone = hook("one"), hook("two"), hook("alone", sequential=True)

    assert names(made(one, two)) == [["one", "two"]]
    assert names(made(one, two, alone)) == [["one"], ["two"], ["alone"]]


def test_a_sequential_dialect_runs_one_after_another_and_a_parallel_one_never_does() -> None:
    both = (hook("one", sequential=True), hook("two"))

    assert [len(batch) for batch in batches(both, "parallel")] == [2]
    assert [len(batch) for batch in batches(both[1:] * 2, "sequential")] == [1, 1]
    assert [len(batch) for batch in batches(both, "parallel-unless-sequential")] == [1, 1]
    assert [len(batch) for batch in batches(both[1:] * 2, "parallel-unless-sequential")] == [2]


def test_a_hook_that_does_not_run_makes_nobody_sequential() -> None:
    planned = made(hook("one"), hook("two"), hook("off", sequential=True, enabled=False))

    assert names(planned) == [["one", "two"]]


# ---- why not


def test_a_skipped_hook_is_named_with_its_place_and_why() -> None:
    where = Source("hooks.toml", (), lambda path: (7, 1))

    (skipped,) = made(hook("off", enabled=False, source=where)).skipped

    assert (skipped.hook, skipped.source, skipped.why) == ("off", "hooks.toml:7", "disabled")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"state": "untrusted"}, "untrusted"),
        ({"overridden": True}, "overridden"),
        ({"enabled": False}, "disabled"),
        ({"matcher": "Write"}, "matcher"),
        ({"condition": {"tool_input.command": "rm*"}}, "condition"),
    ],
)
def test_each_objection_has_its_word(fields: dict[str, Any], reason: str) -> None:
    planned = made(hook("out", **fields), hook("in"))

    assert names(planned) == [["in"]]
    assert why(planned) == [("out", reason)]


def test_objections_are_looked_at_in_an_order_that_lets_untrusted_files_decide_nothing() -> None:
    everything: dict[str, Any] = {
        "state": "untrusted",
        "overridden": True,
        "enabled": False,
        "matcher": "Write",
        "condition": {"tool_name": "Write"},
        "once": True,
    }
    good = {"state": "trusted", "overridden": False, "enabled": True, "matcher": None, "condition": None, "once": False}
    found = []
    for field, value in good.items():
        one = hook(**everything)
        found.append(why(made(one, spent={id(one)}))[0][1])
        everything[field] = value

    assert found == ["untrusted", "overridden", "disabled", "matcher", "condition", "once"]
    assert names(made(hook(**everything))) == [["h"]]


def test_switched_off_means_every_hook_is_disabled() -> None:
    planned = made(hook("one"), hook("two", enabled=False), off="somebody said so")

    assert why(planned) == [("one", "disabled"), ("two", "disabled")]
    assert not planned.batches


def test_another_agents_hook_is_skipped_whatever_else_speaks_against_it() -> None:
    hooks = (hook("hers", agent="her"), hook("his", agent="his", state="untrusted"), hook("all"))

    planned = made(*hooks, agent="her")

    assert names(planned) == [["hers", "all"]]
    assert why(planned) == [("his", "agent")]
    assert why(made(*hooks)) == [("hers", "agent"), ("his", "agent")]


def test_where_an_agent_overrides_its_own_hooks_replace_the_general_ones() -> None:
    both = (hook("all"), hook("hers", agent="her"))
    overrides = {("tool.before", "her")}

    assert names(made(*both, agent="her", overrides=overrides)) == [["hers"]]
    assert why(made(*both, agent="her", overrides=overrides)) == [("all", "overridden")]
    assert names(made(*both, agent="his", overrides=overrides)) == [["all"]]
    assert names(made(*both, agent="her", overrides={("tool.after", "her")})) == [["all", "hers"]]


def test_once_is_once() -> None:
    one, other = hook("one", once=True), hook("other")

    assert names(made(one, other)) == [["one", "other"]]
    assert why(made(one, other, spent={id(one), id(other)})) == [("one", "once")]
    assert names(made(one, other, spent={id(other)})) == [["one", "other"]]


# ---- matchers


def test_a_matcher_is_of_the_hooks_kind_or_else_of_the_dialects() -> None:
    searched = hook("searched", matcher="as", match_kind="regex-search")

    assert names(made(searched, hook("whole", matcher="as"), hook("exact", matcher="B.*"))) == [["searched", "exact"]]
    assert names(made(hook("g", matcher="B?sh"), dialect=revise(DIALECT, planning={"matcher": "glob"}))) == [["g"]]


def test_a_matcher_is_ignored_on_an_event_without_a_target() -> None:
    assert CALL is not None

    assert names(made(hook(matcher="Write"), rule=revise(CALL, target={"field": ""}))) == [["h"]]


def test_a_target_that_is_absent_is_empty_and_one_that_is_no_text_is_written_out() -> None:
    assert names(made(hook("empty", matcher="|x"), hook("full", matcher=".+"), data={})) == [["empty"]]
    assert names(made(hook(matcher="7"), data={"tool_name": 7})) == [["h"]]


# ---- conditions


def test_every_path_of_a_condition_must_fit() -> None:
    assert holds({"tool_name": "Ba*", "tool_input.command": "git *"}, BASH)
    assert not holds({"tool_name": "Ba*", "tool_input.command": "rm *"}, BASH)
    assert not holds({"tool_name": "x", "tool_input.command": "git *"}, BASH)
    assert names(made(hook(condition={"tool_name": "Ba*"}))) == [["h"]]


@pytest.mark.parametrize(
    ("value", "wanted", "good"),
    [
        ("git push", "git *", True),
        ("Git push", "git *", False),
        ("rm", ["git *", "r?"], True),
        ("ls", ["git *", "r?"], False),
        ("ls", [], False),
        (None, "*", False),
        (None, None, True),
        (7, "7", True),
        (7, 7, True),
        (7, 8, False),
        (7.0, 7, False),
        (True, 1, False),
        (1, True, False),
        (True, True, True),
        (True, "True", True),
        ("7", 7, False),
        (["a"], "*a*", True),
        (7, [8, 7], True),
    ],
)
def test_a_value_fits_a_glob_or_is_the_same_of_the_same_type(value: object, wanted: object, good: bool) -> None:
    assert fits(value, wanted) is good


def test_a_path_leads_through_objects_only() -> None:
    data = {"a": {"b": {"c": 1}}, "t": "text", "x.y": 2}

    assert lookup("a.b.c", data) == 1
    assert lookup("a.b", data) == {"c": 1}
    assert lookup("t", data) == "text"
    assert [lookup(path, data) for path in ("a.x", "t.upper", "a.b.c.d", "x.y", "")] == [None] * 5


# ---- duplicates


def test_the_first_of_two_equal_commands_wins_where_the_dialect_says_so() -> None:
    hooks = (hook("one", spec={"command": "x"}), hook("two", spec={"command": "x"}), hook("three"))
    deduping = revise(DIALECT, planning={"dedupe": "command"})

    assert names(made(*hooks, dialect=deduping)) == [["one", "three"]]
    assert why(made(*hooks, dialect=deduping)) == [("two", "duplicate")]
    assert names(made(*hooks, dialect=revise(DIALECT, planning={"dedupe": ""}))) == [["one", "two", "three"]]


def test_hooks_without_the_key_are_all_kept() -> None:
    deduping = revise(DIALECT, planning={"dedupe": "command"})

    assert names(made(hook("one", spec={}), hook("two", spec={}), dialect=deduping)) == [["one", "two"]]


def test_a_hook_that_does_not_run_is_nobodys_double() -> None:
    deduping = revise(DIALECT, planning={"dedupe": "command"})
    hooks = (hook("out", spec={"command": "x"}, matcher="Write"), hook("in", spec={"command": "x"}))

    assert names(made(*hooks, dialect=deduping)) == [["in"]]


# ---- what makes a plan doubtful


def test_an_event_without_what_matchers_are_compared_with_is_doubted() -> None:
    """A host that forgets the tool's name would get past every matcher."""
    doubt = ("tool.before came without tool_name as text, which matchers are compared with",)

    assert made(hook(matcher="Bash"), data={}).warnings == doubt
    assert made(hook(matcher="Bash"), data={"tool_name": 5}).warnings == doubt
    assert made(hook(), hook("two", matcher="Bash"), data={}).warnings == doubt


def test_nothing_is_doubted_where_nothing_is_compared() -> None:
    stop = DIALECT.rule("turn.stop")

    assert made(hook(matcher="Bash")).warnings == ()
    assert made(hook(), data={}).warnings == ()
    assert made(hook(matcher="x"), data={}, rule=stop).warnings == ()
    assert made(data={}).warnings == ()


def test_words_are_compared_as_a_whole_when_duplicates_are_looked_for() -> None:
    once = revise(DIALECT, planning={"dedupe": "command"})
    hooks = [hook(str(n), spec={"command": words}) for n, words in enumerate((["a", "b"], ["a", "b"], ["ab"], "ab"))]

    assert why(made(*hooks, dialect=once)) == [("1", "duplicate"), ("3", "duplicate")]


def test_where_no_agent_is_named_the_hooks_of_one_without_a_name_run() -> None:
    mine, general = hook("mine", agent=""), hook("general")

    assert names(made(mine, general)) == [["mine", "general"]]
    assert names(made(mine, general, agent="other")) == [["general"]]
    assert why(made(mine, general, overrides={("tool.before", "")})) == [("general", "overridden")]
    assert why(made(mine, general, overrides={("tool.before", "?")})) == []
