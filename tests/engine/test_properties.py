"""What holds for every hook there can be: nothing raises, no deny is lost, the order of finishing decides nothing."""

import asyncio
import json
import random
import selectors
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenterhook import Engine, Outcome, dialects
from tenterhook.cli.commands.fire import as_json
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.dialects.schema.vocabulary import CHANGES
from tenterhook.dialects.schema.words import WISHES
from tenterhook.testing import Did, simulate
from tenterhook.tools.report import report

NAMES = dialects.names()
PLACES = [(name, rule.name) for name in NAMES for rule in dialects.get(name).events]
# Some agents take the change, or the reason, of the hook that finished last: there time decides on purpose.
TIMED = {
    (name, rule.name)
    for name in NAMES
    for rule in dialects.get(name).events
    if any(one.startswith("last-finished") for one in (rule.merging.reasons, *rule.merging.changes.values()))
}
ORDERLY = [place for place in PLACES if place not in TIMED]
MODES = ("faithful", "strict", "observe")
ERRORS = st.sampled_from(
    ["spawn", "timeout", "signal", "import", "exception", "output", "network", "status", "cancelled", "missing"]
)
POLICIES = ("allow", "ask", "deny")
RANK = {"none": 0, "allow": 1, "ask": 2, "deny": 3}
DATA: dict[str, Any] = {
    "tool_name": "Bash",
    "tool_input": {"command": "ls", "n": 1},
    "tool_output": "out",
    "prompt": "hi",
    "llm_request": {"model": "m", "messages": []},
    "llm_response": {"text": "t"},
}


def steady(examples: int) -> Callable[[Any], Any]:
    """The same examples every time, so that a failure is the change's and not the day's."""
    health = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
    return settings(max_examples=examples, derandomize=True, deadline=None, database=None, suppress_health_check=health)


# ---- what hooks may do

# One field in four holds one of these instead of what it should hold.
JUNK: list[Any] = [
    *(None, True, False, 0, 1, -7, 2**70, 1.5, "", "allow", "deny", "DENY", "NONE", [], {}, [[]], ["deny"]),
    *({"deny": True}, {"a": {"b": [1, {"c": None}]}}, "x" * 20_000, "two\nlines", "\x00\x1b[31m", {"mode": 7}),
    *({"mode": "ANY", "allowedFunctionNames": "all"}, {"allowedFunctionNames": [1, "a"]}, {"": ""}, "\N{SNOWMAN}"),
]
# What only a function in the host's own process can answer with.
ODDITIES: list[Any] = [
    *(b"\xff", {1, 2}, (1, 2), 1j, {7: "seven"}, ValueError("x"), range(3), float("nan"), float("inf"), print),
]
GOOD: dict[str, list[Any]] = {
    **{effect: [True, False] for effect in ("continue", "stop", "suppress")},
    **{effect: [{"command": "rm"}, {"n": 2}, {"x": 1, "n": 1}, {}] for effect in ("input", "request", "response")},
    "output": ["redacted", {"ok": True}, ["list"], 0],
    "tool_config": [{"mode": "NONE"}, {"mode": "ANY", "allowedFunctionNames": ["b", "a"]}, {"mode": "AUTO"}],
}
TEXT = ["", "why", "text"]


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Dotted paths as objects in objects; a path through something that is not an object is left out."""
    result: dict[str, Any] = {}
    for path, value in flat.items():
        *parents, leaf = path.split(".")
        level: Any = result
        for parent in parents:
            level = level.setdefault(parent, {}) if isinstance(level, dict) else {}
        if isinstance(level, dict):
            level[leaf] = value
    return result


def fields(dialect: Dialect, junk: list[Any]) -> list[tuple[str, Any]]:
    """Every field that an answer may have, with every value that it is tried with."""
    found: list[tuple[str, Any]] = []
    for one in dialect.reading.answers:
        good = [*one.words] if one.effect == "decision" else GOOD.get(one.effect, TEXT)
        often = good * (3 * len(junk) // len(good) + 1)
        found += [(one.path, value) for value in (*often, *junk)]
    return [*found, *(("something.else", value) for value in junk)]


def nearly(dialect: Dialect, junk: list[Any] = JUNK) -> st.SearchStrategy[dict[str, Any]]:
    """Objects shaped like the dialect's answers."""
    return st.lists(st.sampled_from(fields(dialect, junk)), max_size=5).map(dict).map(nested)


ANSWERS = {name: nearly(dialects.get(name)) for name in NAMES}
RETURNS = {name: nearly(dialects.get(name), [*JUNK, *ODDITIES]) for name in NAMES}


SHAPES: list[Callable[[str], str]] = [
    *(str, str, str, json.dumps),
    lambda text: text[: len(text) // 2],
    lambda text: text[:-1],
    lambda text: f"log line\n{text}",
    lambda text: f"\ufeff {text}\n",
    lambda text: f"[{text}]",
    lambda text: text + text,
    lambda text: text.replace("decision", "d\\u0065cision", 1),
    lambda text: text.replace('"', "'"),
    lambda text: text.replace("true", "NaN").replace("text", "\\ud800"),
]
TEXTS = {
    name: st.one_of(
        st.builds(lambda shape, answer: shape(json.dumps(answer)), st.sampled_from(SHAPES), answers),
        st.builds(lambda shape, answer: shape(json.dumps(answer)), st.sampled_from(SHAPES), answers),
        st.text(max_size=30),
        st.binary(max_size=30).map(lambda raw: raw.decode("utf-8", "replace")),
    )
    for name, answers in ANSWERS.items()
}
CODES = st.sampled_from([0, 0, 0, 0, 2, 2, 1, 3, 127, 255, -1])
STDERRS = st.sampled_from(["", "no", " two\nlines \n", "\x00\x1b[31m"])
READABLE = {
    name: st.builds(
        lambda answer, code: Did(stdout=json.dumps(answer), exit_code=code), answers, st.sampled_from([0, 0, 2])
    )
    for name, answers in ANSWERS.items()
}
DID = {
    name: st.one_of(
        st.builds(lambda code, out, err: Did(exit_code=code, stdout=out, stderr=err), CODES, texts, STDERRS),
        st.builds(lambda code, out, err: Did(exit_code=code, stdout=out, stderr=err), CODES, texts, STDERRS),
        st.builds(lambda error, out, err: Did(error=error, stdout=out, stderr=err), ERRORS, texts, STDERRS),
        st.builds(lambda out, err: Did(exit_code=None, signal="SIGKILL", stdout=out, stderr=err), texts, STDERRS),
        st.builds(lambda answer: Did(answer=answer), RETURNS[name]),
    )
    for name, texts in TEXTS.items()
}


@st.composite
def happenings(draw: st.DrawFn, hooks: int = 2) -> tuple[str, str, list[Did]]:
    """A dialect, one of its events, and what its hooks did there."""
    name, event = draw(st.sampled_from(PLACES))
    return name, event, draw(st.lists(DID[name], min_size=1, max_size=hooks))


# ---- nothing raises, and every outcome is one


def refused(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def sound(outcome: Outcome) -> dict[str, Any]:
    """The outcome as a reader of `tenter fire` gets it, once it is known to be whole."""
    read = json.loads(as_json(outcome), parse_constant=refused)
    assert read["decision"] in RANK
    assert not read["blocked"] or read["decision"] == "deny"
    assert not read["stop_reason"] or read["stop"]
    assert set(read["changes"]) <= CHANGES | WISHES
    assert all(one["to"] in ("model", "user", "log") and one["text"] for one in read["messages"])
    assert all(one["decision"] in RANK and "answer" not in one for one in read["attempts"])
    assert read["decision"] != "deny" or read["reason"]
    return dict(read)


@steady(1000)
@given(happenings(3), st.sampled_from(MODES), st.booleans())
def test_nothing_that_hooks_do_makes_the_engine_raise(
    happened: tuple[str, str, list[Did]], mode: str, sequential: bool
) -> None:
    """All dialects, events, modes and ends; printed text, bytes, odd JSON and odd return values."""
    name, event, acts = happened

    outcome = simulate(name, event, acts, data=DATA, mode=mode, sequential=sequential)

    sound(outcome)
    assert report(outcome, colour=False)


@steady(300)
@given(st.sampled_from(PLACES), st.binary(max_size=200), st.sampled_from([0, 1, 2, 7]), st.sampled_from(MODES))
def test_no_bytes_make_the_engine_raise(place: tuple[str, str], printed: bytes, code: int, mode: str) -> None:
    act = Did(
        exit_code=code, stdout=printed.decode("utf-8", "replace"), stderr=printed[::-1].decode("utf-8", "replace")
    )

    sound(simulate(*place, [act], data=DATA, mode=mode))


# ---- what only functions can do


class Unequal:
    def __eq__(self, other: object) -> bool:
        raise RuntimeError("not comparable")

    def __hash__(self) -> int:
        return 0


class Unspeakable:
    def __repr__(self) -> str:
        raise RuntimeError("not printable")


class Unreadable(dict[str, Any]):
    def items(self) -> Any:
        raise RuntimeError("not readable")


LOOP: dict[str, Any] = {}
LOOP["again"] = LOOP
RETURNED = {
    "an object": {"decision": "deny", "input": {"x": object()}},
    "numbers as keys": {"decision": "deny", 7: "seven", "input": {7: "seven"}},
    "bytes": {"decision": "deny", "reason": b"no", "input": {"x": b"\xff"}},
    "half a surrogate pair": {"decision": "deny", "reason": "cannot touch \udcff"},
    "a tuple as a key": {"decision": "deny", "input": {("a", 1): 2}},
    "nothing as a key": {"decision": "deny", "input": {None: 1}},
    "a number of 5,000 digits": {"decision": "deny", "input": {"n": 10**5000}},
    "itself": {"decision": "deny", "input": LOOP},
    "what cannot be compared": {"decision": "deny", "input": {"command": Unequal()}},
    "what cannot be printed": {"decision": Unspeakable()},
    "what cannot be read": Unreadable(decision="deny"),
}


@pytest.mark.parametrize("name", RETURNED)
def test_whatever_a_function_returns_the_host_hears_of_it_as_an_outcome(name: str) -> None:
    """A deny among it is kept, or the hook has failed, which denies too: `tenter fire` must not end in a traceback."""
    with Engine(files=False, environ={}, home="/", journal=False) as engine:
        engine.add("tool.before", lambda event: RETURNED[name])

        read = sound(engine.fire("tool.before", **DATA))

    assert read["decision"] == "deny"


@pytest.mark.parametrize("timeout", [10.0, None])
def test_a_function_that_exits_has_failed(timeout: float | None) -> None:
    """Scripts that became functions still call sys.exit; the host must neither end nor wait for the time-out."""

    def leave(event: Any) -> None:
        raise SystemExit(2)

    with Engine(files=False, environ={}, home="/", journal=False) as engine:
        engine.add("tool.before", leave, timeout=timeout)
        try:
            outcome = engine.fire("tool.before", **DATA)
        except SystemExit:
            pytest.fail("the host would have ended")

    assert outcome.attempts[0].error == "exception"


# ---- a deny is never erased


@steady(800)
@given(st.data(), st.sampled_from(PLACES), st.booleans(), st.sampled_from(["faithful", "strict"]))
def test_no_second_hook_erases_a_deny_or_a_stop(
    data: st.DataObject, place: tuple[str, str], sequential: bool, mode: str
) -> None:
    """Whatever the other one does, before or after it, at once or in a chain that still reaches the denying one."""
    dialect = dialects.get(place[0])
    one = data.draw(READABLE[place[0]])
    other = data.draw(DID[place[0]])
    alone = simulate(*place, [one], data=DATA, mode=mode, sequential=sequential)

    for order in ([one, other], [other, one]):
        both = simulate(*place, order, data=DATA, mode=mode, sequential=sequential)
        if any(skipped.why == "chain ended" for skipped in both.skipped) and order[0] is other:
            assert both.stop or both.decision == "deny"
            continue
        assert RANK[both.decision] >= RANK[alone.decision]
        assert both.stop or not alone.stop
        assert both.blocked or not alone.blocked or (both.stop and dialect.reading.stop_outranks)


# ---- health and policy


@steady(600)
@given(st.data(), st.sampled_from(PLACES), st.sampled_from(["faithful", "strict"]))
def test_on_failure_never_loosens(data: st.DataObject, place: tuple[str, str], mode: str) -> None:
    """A stricter word never gives a weaker outcome, and no word takes back what the hook itself decided."""
    act = data.draw(DID[place[0]])
    plain = simulate(*place, [act], data=DATA, mode="faithful", on_failure={"default": "allow"})
    ranks = [
        RANK[simulate(*place, [act], data=DATA, mode=mode, on_failure={"default": policy}).decision]
        for policy in POLICIES
    ]

    assert ranks == sorted(ranks)
    assert ranks[0] >= RANK[plain.decision]


@steady(400)
@given(st.data(), st.sampled_from(PLACES), st.sampled_from(POLICIES))
def test_on_failure_says_nothing_about_a_hook_that_did_not_fail(
    data: st.DataObject, place: tuple[str, str], policy: str
) -> None:
    act = data.draw(DID[place[0]])
    plain = simulate(*place, [act], data=DATA)
    lost = any("looks like an answer" in warning for warning in plain.warnings)  # a failure to whoever says so
    rule = dialects.get(place[0]).rule(place[1])
    silent = rule is not None and rule.text.needs_answer and not (act.answer or act.stdout.strip())  # so is this

    if plain.success and not lost and not silent:
        assert told(plain) == told(simulate(*place, [act], data=DATA, on_failure={"default": policy}))


@steady(400)
@given(happenings(3))
def test_observe_applies_nothing_and_records_everything(happened: tuple[str, str, list[Did]]) -> None:
    outcome = simulate(*happened, data=DATA, mode="observe")

    applied = (outcome.decision, outcome.blocked, outcome.reason, outcome.stop, outcome.stop_reason, outcome.suppress)
    assert applied == ("none", False, "", False, "", False)
    assert (outcome.changes, outcome.messages) == ({}, ())
    assert len(outcome.attempts) + len(outcome.skipped) == len(happened[2])


@steady(400)
@given(happenings(2))
def test_a_strict_engine_is_never_weaker_than_a_faithful_one(happened: tuple[str, str, list[Did]]) -> None:
    faithful = simulate(*happened, data=DATA, mode="faithful")
    strict = simulate(*happened, data=DATA, mode="strict")

    assert RANK[strict.decision] >= RANK[faithful.decision]
    assert strict.stop >= faithful.stop or strict.decision == "deny"


# ---- the order of finishing decides nothing (R16)


def told(outcome: Outcome) -> dict[str, Any]:
    """Everything but the id and the time it took."""
    read = json.loads(as_json(outcome))
    del read["id"]
    for attempt in read["attempts"]:
        del attempt["seconds"]
    return dict(read)


class Clock(selectors.SelectSelector):
    """Waiting for a time takes none: the clock goes there at once."""

    now = 0.0

    def select(self, timeout: float | None = None) -> list[Any]:
        self.now += max(timeout or 0.0, 0.0)
        return super().select(0)


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop on a virtual clock: asyncio's own sleep and time-outs, thousands of schedules in a second."""

    def __init__(self) -> None:
        self.clock = Clock()
        super().__init__(self.clock)

    def time(self) -> float:
        return self.clock.now


def drawn(chance: random.Random, dialect: Dialect) -> Any:
    """What one function does: an answer of this dialect, text, nothing, or an exception."""
    dice = chance.random()
    if dice < 0.1:
        return chance.choice([None, "plain text", RuntimeError("broken"), 7])
    fields = [one for one in dialect.reading.answers if chance.random() < 0.35]
    values: dict[str, Any] = {}
    for one in fields:
        if one.effect == "decision":
            values[one.path] = chance.choice([*one.words, "sideways"])
        elif one.effect in ("continue", "stop", "suppress"):
            values[one.path] = chance.random() < 0.7
        elif one.effect in ("input", "request", "response"):
            values[one.path] = {chance.choice("abc"): chance.randrange(3)}
        elif one.effect == "tool_config":
            values[one.path] = {"mode": chance.choice(["ANY", "AUTO"]), "allowedFunctionNames": chance.sample("xyz", 2)}
        else:
            values[one.path] = f"text {chance.randrange(5)}"
    return nested(values)


def acting(act: Any, delays: list[float], finished: list[int], place: int) -> Callable[[Any], Any]:
    async def function(event: Any) -> Any:
        await asyncio.sleep(delays[place])
        finished.append(place)
        if isinstance(act, Exception):
            raise RuntimeError(*act.args)
        return act

    return function


def schedules(name: str, event: str, chance: random.Random, times: int) -> set[tuple[int, ...]]:
    """Fire one set of hooks `times` times, each time finishing in another order; the orders that came up."""
    dialect = dialects.get(name)
    hooks = chance.randrange(2, 6)
    delays, finished, orders = [0.0] * hooks, [], set()
    engine = Engine(dialect=name, files=False, environ={}, home="/", journal=False, mode=chance.choice(["", "strict"]))
    for place in range(hooks):
        late = chance.random() < 0.15
        act = acting(drawn(chance, dialect), delays, finished, place)
        engine.add(event, act, name=f"hook {place}", timeout=0.5 if late else 100.0)
    loop = VirtualLoop()
    try:
        expected = told(loop.run_until_complete(engine.afire(event, **DATA)))
        slow = {n for n in range(hooks) if engine.hooks()[n].timeout == 0.5 and chance.random() < 0.5}
        if slow:
            delays[:] = [1.0 if n in slow else 0.0 for n in range(hooks)]
            expected = told(loop.run_until_complete(engine.afire(event, **DATA)))
        for _ in range(times):
            delays[:] = [1.0 + chance.random() if n in slow else chance.random() / 3 for n in range(hooks)]
            finished.clear()
            assert expected == told(loop.run_until_complete(engine.afire(event, **DATA)))
            orders.add(tuple(finished[:hooks]))
    finally:
        loop.close()
        engine.close()
    return orders


@pytest.mark.parametrize("start", range(20))
def test_ten_thousand_schedules_give_what_the_plans_order_gives(start: int) -> None:
    """25 sets of hooks, 20 schedules of each, on a virtual clock through the real engine, runner and handler."""
    chance = random.Random(start)
    found: list[set[tuple[int, ...]]] = []
    for _ in range(25):
        name, event = chance.choice(ORDERLY)
        found.append(schedules(name, event, chance, 20))

    assert sum(len(orders) > 1 for orders in found) >= 5


def sleeping(act: Any, chance: random.Random) -> Callable[[Any], Any]:
    def function(event: Any) -> Any:
        time.sleep(chance.random() * 0.004)
        if isinstance(act, Exception):
            raise RuntimeError(*act.args)
        return act

    return function


@pytest.mark.parametrize("name", NAMES)
def test_threads_that_finish_in_any_order_give_the_same(name: str) -> None:
    """Functions with a time-out run in threads of their own."""
    chance = random.Random(name)
    dialect = dialects.get(name)
    for _ in range(4):
        event = chance.choice(dialect.events).name
        acts = [drawn(chance, dialect) for _ in range(5)]
        with Engine(dialect=name, files=False, environ={}, home="/", journal=False) as engine:
            for place, act in enumerate(acts):
                engine.add(event, sleeping(act, chance), name=f"hook {place}", timeout=30.0)
            results = [told(engine.fire(event, **DATA)) for _ in range(6)]

        assert all(result == results[0] for result in results)


def arranged(order: Sequence[int]) -> Callable[[Sequence[Any]], list[Any]]:
    return lambda items: [items[place] for place in order]


@steady(300)
@given(st.data(), st.permutations(range(4)))
def test_the_plan_and_not_the_clock_says_whose_change_is_laid_on_top(data: st.DataObject, order: list[int]) -> None:
    """Hooks put in another order give another plan; the same plan gives the same whatever is simulated first."""
    acts = [data.draw(READABLE["tenterhook"]) for _ in order]
    named = [Did(exit_code=one.exit_code, stdout=one.stdout, hook=f"h{n}") for n, one in enumerate(acts)]

    one = simulate("tenterhook", "tool.before", named, data=DATA)
    other = simulate("tenterhook", "tool.before", arranged(order)(named), data=DATA)

    assert one.decision == other.decision
    assert (one.blocked, one.stop, one.suppress, one.success) == (
        other.blocked,
        other.stop,
        other.suppress,
        other.success,
    )
