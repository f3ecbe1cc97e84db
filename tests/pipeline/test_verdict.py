"""What one hook's end and output mean, rule by rule, in a dialect made up for the purpose."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from tenterhook import dialects as registered
from tenterhook.dialects.schema.dialect import (
    AnswerField,
    AnswerSection,
    AnswerValue,
    Can,
    ConfigRules,
    DenyRules,
    Dialect,
    EventRule,
    Exit,
    ExitAnswer,
    ExitText,
    Form,
    PayloadRules,
    PlanningRules,
    ReadingRules,
    TextRules,
    revise,
)
from tenterhook.pipeline.answer_intent import DECIDING
from tenterhook.pipeline.event_reader import compile_rules
from tenterhook.pipeline.failure_policy import describe_attempt_failure
from tenterhook.pipeline.verdict import verdict
from tenterhook.types import Attempt, Hook, Message, Source, Verdict

WORDS = {"yes": "allow", "no": "deny", "hm": "ask"}
CALL = EventRule(
    name="Call",
    kind="tool.before",
    about="",
    can=Can(block=True, ask=True),
    deny=DenyRules("model", "reason"),
    text=TextRules("context"),
)
NEWS = EventRule(name="News", kind="notify", about="")
ANSWERS = (
    AnswerField(path="decision", effect="decision", words=WORDS),
    AnswerField(path="reason", effect="reason"),
    AnswerField(path="because", effect="reason"),
    AnswerField(path="goes_on", effect="continue"),
    AnswerField(path="halt", effect="stop"),
    AnswerField(path="why", effect="stop_reason"),
    AnswerField(path="hush", effect="suppress"),
    AnswerField(path="context", effect="text", kind="context"),
    AnswerField(
        path="say",
        effect="text",
        kind="context",
        value=AnswerValue(kind_from="as", kinds={"user": "user_message", "fb": "feedback"}),
    ),
    AnswerField(path="as", effect="note"),
    AnswerField(path="input", effect="input"),
    AnswerField(path="output", effect="output"),
    AnswerField(path="tools", effect="tool_config"),
    AnswerField(path="own.decision", effect="decision", words=WORDS),
    AnswerField(path="own.reason", effect="reason"),
    AnswerField(path="own.context", effect="text", kind="context"),
    AnswerField(path="deep.er.text", effect="text", kind="system"),
    AnswerField(path="own.news", effect="text", events=("News",), kind="system"),
    AnswerField(path="news", effect="text", events=("News",), kind="system"),
)
EXITS: dict[int | str, Exit] = {
    0: Exit(means="fine", text=ExitText("stdout", "plain"), answer=ExitAnswer()),
    2: Exit(means="deny", decision="deny", text=ExitText("stderr", "reason")),
    "other": Exit(means="failed", failed=True, text=ExitText("stderr", "error")),
}
DIALECT = Dialect(
    name="small",
    title="Small",
    about="",
    events=(CALL, NEWS),
    payload=PayloadRules(base=(), env={}),
    reading=ReadingRules(exits=EXITS, answers=ANSWERS, section=AnswerSection(name="own", event="event")),
    config=ConfigRules(files=(), form=Form(), types=()),
    planning=PlanningRules(matcher="glob", timeout=1.0, order="parallel"),
)
HOOK = Hook(name="h", event="Call", handler="command", spec={}, source=Source("f"))
LATE = replace(HOOK, background=True)
NOTHING: dict[str, Any] = {}


def judged(
    out: Any = "",
    code: int | None = 0,
    *,
    rule: EventRule = CALL,
    strict: bool = False,
    hook: Hook = HOOK,
    dialect: dict[str, Any] = NOTHING,
    **attempt: Any,
) -> Verdict:
    """The verdict on a hook that printed this; a mapping is printed as JSON."""
    text = out if isinstance(out, str) else json.dumps(out)
    tried = Attempt("h", hook.handler, "f", None if attempt.get("error") else code, stdout=text, **attempt)
    return verdict(tried, hook, compile_rules(revise(DIALECT, **dialect), rule, strict=strict))


def told(one: Verdict) -> list[tuple[str, str, str]]:
    return [(message.to, message.kind, message.text) for message in one.messages]


def warned(one: Verdict) -> str:
    return "\n".join(one.warnings)


# ---- a clean end


def test_a_hook_without_a_word_says_nothing() -> None:
    assert judged() == Verdict("h")
    assert judged(rule=revise(CALL, text={"silence": "allow"})) == Verdict("h", "allow")


def test_silence_means_something_only_where_the_hook_is_silent_and_well() -> None:
    silent = revise(CALL, text={"silence": "allow"})

    assert judged("text", rule=silent).decision == "allow"
    assert judged({"decision": "no"}, rule=silent).decision == "deny"
    assert judged(code=1, rule=silent).decision == "none"
    assert judged("text").decision == "none"
    assert judged(rule=silent, hook=LATE) == Verdict("h")
    assert judged({"decision": "refuse"}, rule=silent).decision == "none"
    assert judged('{"decision": "no"', rule=silent).decision == "none"


@pytest.mark.parametrize(("word", "decision"), [*WORDS.items(), ("maybe", "none"), (None, "none"), (7, "none")])
def test_a_word_is_the_decision_that_the_dialect_says(word: object, decision: str) -> None:
    one = judged({"decision": word})

    assert one.decision == decision
    assert ("decides nothing" in warned(one)) is (word in ("maybe", 7))
    assert not one.failed


def test_plain_text_becomes_what_the_event_says() -> None:
    assert told(judged(" text \n")) == [("model", "context", "text")]
    assert told(judged("text", rule=revise(CALL, text={"becomes": "system"}))) == [("user", "system", "text")]
    assert told(judged("text", rule=revise(CALL, text={"becomes": ""}))) == []
    assert told(judged("  \n")) == []


def test_an_answer_is_not_told_as_text_too() -> None:
    assert told(judged({"decision": "yes"})) == []


DEEP = '"a": ' + "[" * 300 + "]" * 300


@pytest.mark.parametrize("dialect", [{"reading": {"deepest": 127}}, {"reading": {"deepest": 127, "broken": "text"}}])
def test_an_answer_that_the_agent_cannot_read_is_a_failure_and_no_text(dialect: dict[str, Any]) -> None:
    one = judged(f'{{"decision": "no", {DEEP}}}', dialect=dialect, hook=replace(HOOK, on_failure={"output": "ask"}))

    assert (one.decision, one.failed, told(one)[0][:2]) == ("ask", True, ("user", "reason"))
    assert "nested deeper than 127 levels" in one.reason
    assert judged(f'{{"decision": "no", {DEEP}}}').decision == "deny"


@pytest.mark.parametrize("levels", [250, 300, 5_000, 200_000])
def test_an_answer_counts_however_deep_something_in_it_is_nested(levels: int) -> None:
    nested = "[" * levels + "]" * levels
    text = f'{{"a": {nested}, "decision": "no", "input": {{"path": "b"}}, "because": "why"}}'
    one = judged(text)

    assert (one.decision, one.reason, one.changes, one.failed) == ("deny", "why", {"input": {"path": "b"}}, False)


@pytest.mark.parametrize("key", ["input", "output", "tools"])
def test_a_change_that_is_nested_too_deep_is_a_failure_and_not_made_by_half(key: str) -> None:
    text = f'{{"{key}": {{{DEEP}}}, "context": "hint"}}'
    one = judged(text, hook=replace(HOOK, on_failure={"output": "deny"}))

    assert (one.decision, one.failed, one.changes) == ("deny", True, {})
    assert one.reason == f"Hook failed: {key} is nested deeper than 256 levels, so it does not count"
    assert ("model", "context", "hint") in told(one)


@pytest.mark.parametrize(("last", "decision"), [("yes", "allow"), ("no", "deny")])
def test_of_two_equal_keys_the_last_counts_but_a_strict_engine_refuses(last: str, decision: str) -> None:
    text = f'{{"decision": "hm", "d\\u0065cision": "{last}"}}'

    assert (judged(text).decision, judged(text).failed) == (decision, False)
    assert "'decision' occurs twice, with different values; the last one counts" in warned(judged(text))
    assert (judged(text, strict=True).decision, judged(text, strict=True).failed) == ("deny", True)


HALF = '{"decision": "no", "reason": "'


@pytest.mark.parametrize("half", [HALF, '{"context": "x"} done', "{'decision': 'no'}"])
def test_half_an_answer_is_a_failure_and_text_only_where_the_agent_takes_it_for_text(half: str) -> None:
    closed = replace(HOOK, on_failure={"output": "deny"})
    text: dict[str, Any] = {"reading": {"broken": "text"}}

    assert (judged(half).decision, judged(half).failed, told(judged(half))) == ("none", True, [])
    assert (judged(half, dialect=text).failed, told(judged(half, dialect=text))) == (
        False,
        [("model", "context", half)],
    )
    for dialect in ({}, text):
        one = judged(half, dialect=dialect, hook=closed)
        assert (one.decision, one.failed, len(one.messages)) == ("deny", True, 1)
        assert one.reason.startswith("Hook failed: printed what looks like an answer but is not one JSON object")


@pytest.mark.parametrize("dialect", [{}, {"reading": {"broken": "text"}}])
def test_an_answer_that_was_cut_is_a_failure_and_never_text(dialect: dict[str, Any]) -> None:
    cut = '{"tool_input": "' + "x" * (1 << 20)
    one = judged(cut, dialect=dialect, truncated=True)

    assert (one.decision, one.failed, told(one)) == ("none", True, [])
    assert "the rest was dropped" in warned(one)
    assert (
        judged(cut, dialect=dialect, truncated=True, hook=replace(HOOK, on_failure={"default": "deny"})).decision
        == "deny"
    )
    assert judged("x" * (1 << 20), dialect=dialect, truncated=True, strict=True).decision == "deny"


def test_stderr_of_a_clean_end_is_nobodys_business() -> None:
    assert judged(stderr="noise") == Verdict("h")


# ---- reasons and who is told


def test_the_reason_of_a_deny_goes_where_the_event_says() -> None:
    one = judged({"decision": "no", "reason": "why"})

    assert (one.reason, told(one)) == ("why", [("model", "reason", "why")])
    assert told(judged({"decision": "no", "reason": "why"}, rule=NEWS)) == [("user", "reason", "why")]
    muted = revise(CALL, text={"muted": True})
    assert told(judged({"decision": "no", "reason": "why"}, rule=muted)) == [("log", "reason", "why")]


def test_a_deny_without_a_reason_has_one_all_the_same() -> None:
    one = judged({"decision": "no"})

    assert (one.reason, told(one)) == ("Blocked by hook", [("model", "reason", "Blocked by hook")])
    assert "must give a reason" not in warned(one)
    assert "must give a reason" in warned(judged({"decision": "no"}, rule=revise(CALL, deny={"needs_reason": True})))
    given = judged({"decision": "no", "reason": "why"}, rule=revise(CALL, deny={"needs_reason": True}))
    assert not given.warnings


def test_the_reason_of_an_allow_or_ask_goes_to_the_user_and_one_without_a_decision_to_nobody() -> None:
    assert told(judged({"decision": "yes", "reason": "why"})) == [("user", "reason", "why")]
    assert told(judged({"decision": "hm", "reason": "why"})) == [("user", "reason", "why")]
    assert told(judged({"reason": "why"})) == []
    assert told(judged({"decision": "yes"})) == []


def test_a_reason_that_is_no_text_is_none() -> None:
    one = judged({"decision": "no", "reason": 7})

    assert one.reason == "Blocked by hook"
    assert "reason must be text, not int" in warned(one)
    assert not judged({"decision": "no", "reason": None}).warnings


def test_an_ask_where_nobody_can_be_asked_denies_in_a_strict_engine() -> None:
    deaf = revise(CALL, can={"ask": False})
    ask = {"decision": "hm", "reason": "sure?"}

    assert (judged(ask).decision, judged(ask).warnings) == ("ask", [])
    assert judged(ask, strict=True).decision == "ask"
    assert judged(ask, rule=deaf).decision == "ask"
    assert "the user cannot be asked on Call" in warned(judged(ask, rule=deaf))
    assert judged(ask, rule=deaf, strict=True).decision == "deny"
    assert judged(ask, rule=revise(deaf, can={"block": False}), strict=True).decision == "ask"
    assert "cannot be asked" not in warned(judged({"decision": "yes"}, rule=deaf))


def test_an_empty_reason_does_not_take_the_place_of_another() -> None:
    assert judged({"decision": "no", "reason": "why", "because": ""}).reason == "why"
    assert judged({"decision": "no", "reason": "why", "because": "better"}).reason == "better"


# ---- stop and suppress


@pytest.mark.parametrize(
    ("answer", "stop"),
    [
        ({"halt": True}, True),
        ({"halt": False}, False),
        ({"goes_on": False}, True),
        ({"goes_on": True}, False),
        ({"halt": None, "goes_on": None}, False),
        ({"halt": "true"}, False),
        ({"goes_on": 0}, False),
        ({"halt": True, "goes_on": True}, True),
        ({"goes_on": False, "halt": False}, True),
    ],
)
def test_a_stop_is_a_true_or_false_and_nothing_takes_it_back(answer: dict[str, Any], stop: bool) -> None:
    one = judged(answer)

    assert one.stop is stop
    odd = any(not isinstance(value, bool | None) for value in answer.values())
    assert ("must be true or false" in warned(one)) is odd


def test_the_stop_reason_is_told_to_the_user_and_the_reason_stands_in_for_it() -> None:
    one = judged({"halt": True, "why": "enough"})
    assert (one.stop_reason, told(one)) == ("enough", [("user", "reason", "enough")])
    assert judged({"halt": True, "reason": "given"}).stop_reason == "given"
    assert judged({"halt": True, "reason": "given", "why": "enough"}).stop_reason == "enough"
    assert judged({"halt": True}).stop_reason == ""
    assert told(judged({"halt": True})) == []


def test_a_stop_reason_without_a_stop_is_nothing() -> None:
    one = judged({"why": "enough", "reason": "given"})

    assert (one.stop, one.stop_reason, told(one)) == (False, "", [])


def test_the_same_words_are_not_told_twice_to_the_same_reader() -> None:
    both = {"decision": "no", "reason": "why", "halt": True}

    assert told(judged(both)) == [("model", "reason", "why"), ("user", "reason", "why")]
    assert told(judged(both, rule=revise(CALL, deny={"to": "user", "kind": "reason"}))) == [("user", "reason", "why")]
    assert told(judged({"context": "twice", "own": {"context": "twice"}})) == [("model", "context", "twice")] * 2


def test_where_a_stop_does_not_count_there_is_none() -> None:
    one = judged({"halt": True, "why": "enough"}, rule=revise(CALL, stop={"does": "ignored"}))

    assert (one.stop, one.stop_reason, told(one)) == (False, "", [("log", "reason", "enough")])


def test_suppress_is_a_true() -> None:
    assert judged({"hush": True}).suppress
    assert not judged({"hush": False}).suppress
    assert not judged({"hush": "yes"}).suppress
    assert not judged({"hush": True}, rule=revise(CALL, text={"muted": True})).suppress


# ---- texts and changes


def test_a_text_is_of_the_kind_that_stands_beside_it() -> None:
    assert told(judged({"say": "x"})) == [("model", "context", "x")]
    assert told(judged({"say": "x", "as": "user"})) == [("model", "user_message", "x")]
    assert told(judged({"say": "x", "as": "fb"})) == [("model", "feedback", "x")]
    assert not judged({"say": "x", "as": "fb"}).warnings
    for wish in ("other", 7, ["fb"]):
        one = judged({"say": "x", "as": wish})
        assert told(one) == [("model", "context", "x")]
        assert "it may be: user, fb" in warned(one)
    assert not judged({"say": "x", "as": None}).warnings
    assert not judged({"context": "x", "as": "other"}).warnings
    assert warned(judged({"context": "x", "": "other"})) == "h:  is not part of this dialect's answers"


def test_a_text_that_is_empty_or_none_is_not_told() -> None:
    assert told(judged({"context": "", "say": None})) == []
    assert "context must be text, not list" in warned(judged({"context": ["x"]}))


def test_an_audience_is_the_events_or_the_dialects_or_the_usual_one() -> None:
    assert told(judged({"deep": {"er": {"text": "x"}}})) == [("user", "system", "x")]
    assert told(judged("x", dialect={"messages": {"audience": {"context": "user"}}})) == [("user", "context", "x")]
    both = revise(CALL, text={"audience": {"context": "log"}})
    assert told(judged("x", rule=both, dialect={"messages": {"audience": {"context": "user"}}})) == [
        ("log", "context", "x")
    ]
    assert told(judged("x", rule=revise(CALL, text={"muted": True}))) == [("log", "context", "x")]


@pytest.mark.parametrize(
    ("kind", "to"),
    [
        ("context", "model"),
        ("system", "user"),
        ("feedback", "model"),
        ("error", "log"),
        ("reason", "user"),
        ("result", "model"),
        ("user_message", "model"),
    ],
)
def test_every_kind_of_text_has_its_usual_reader(kind: str, to: str) -> None:
    assert compile_rules(DIALECT, CALL, strict=False).audience[kind] == to


def test_an_object_is_a_change_and_an_output_may_be_anything() -> None:
    assert judged({"input": {"a": 1}}).changes == {"input": {"a": 1}}
    assert judged({"input": {}}).changes == {"input": {}}
    assert judged({"output": "x"}).changes == {"output": "x"}
    assert judged({"output": {"a": 1}}).changes == {"output": {"a": 1}}
    assert judged({"input": None, "output": None}) == Verdict("h")
    assert "input must be an object, not str" in warned(judged({"input": "x"}))
    assert judged({"input": "x"}).changes == {}


@pytest.mark.parametrize(
    ("given", "taken", "warning"),
    [
        ({"mode": "ANY", "allowedFunctionNames": ["a"]}, {"mode": "ANY", "allowedFunctionNames": ["a"]}, ""),
        ({"mode": "NONE"}, {"mode": "NONE"}, ""),
        ({"mode": "AUTO", "more": 1}, {"mode": "AUTO"}, "tools has no 'more'"),
        ({"allowedFunctionNames": []}, {"allowedFunctionNames": []}, ""),
        ({"mode": "SOME", "allowedFunctionNames": ["a"]}, {"allowedFunctionNames": ["a"]}, "tools.mode is 'SOME'"),
        ({"mode": "ANY", "allowedFunctionNames": "a"}, {"mode": "ANY"}, "must be a list of names, not str"),
        ({"allowedFunctionNames": ["a", 7]}, None, "must be a list of names, not list"),
        ({"mode": ["ANY"]}, None, "tools.mode is ['ANY']"),
        ({"mode": None, "allowedFunctionNames": None}, None, ""),
        ({}, None, ""),
        ("NONE", None, "tools must be an object, not str"),
        (None, None, ""),
    ],
)
def test_a_tool_config_is_taken_as_far_as_it_is_one(given: Any, taken: Any, warning: str) -> None:
    one = judged({"tools": given})

    assert one.changes == ({} if taken is None else {"tool_config": taken})
    assert warning in warned(one)
    assert bool(warning) is bool(one.warnings)


# ---- the event's own section


def test_the_section_and_the_top_level_decide_together_and_the_stronger_wins() -> None:
    for general, own, wanted in (
        ("yes", "no", "deny"),
        ("no", "yes", "deny"),
        ("hm", "yes", "ask"),
        ("yes", "hm", "ask"),
    ):
        assert judged({"decision": general, "own": {"decision": own}}).decision == wanted
        assert judged({"own": {"decision": own}, "decision": general}).decision == wanted


def test_the_sections_reason_counts_unless_its_decision_is_the_weaker_one() -> None:
    def reason(general: str, own: str) -> str:
        answer = {"decision": general, "reason": "general", "own": {"decision": own, "reason": "own"}}
        return judged(answer).reason

    assert reason("yes", "no") == "own"
    assert reason("no", "no") == "own"
    assert reason("no", "yes") == "general"
    assert judged({"decision": "no", "reason": "general", "own": {"reason": "own"}}).reason == "own"
    assert judged({"decision": "no", "reason": "general", "own": {"decision": "no"}}).reason == "general"
    assert judged({"decision": "no", "own": {"decision": "yes", "reason": "own"}}).reason == "own"
    both = {"decision": "no", "reason": "general", "own": {"decision": "yes", "reason": "own"}}
    assert judged(both, dialect={"reading": {"section": {"reason_outranks": True}}}).reason == "own"


def test_a_section_for_another_event_is_void_and_one_without_a_name_is_good() -> None:
    void = judged({"decision": "yes", "reason": "kept", "own": {"event": "Other", "decision": "no", "reason": "own"}})

    assert (void.decision, void.reason) == ("allow", "kept")
    assert "names the event 'Other'" in warned(void)
    for good in ({"event": "Call", "decision": "no"}, {"event": None, "decision": "no"}, {"decision": "no"}):
        assert (judged({"own": good}).decision, judged({"own": good}).warnings) == ("deny", [])
    for other in ({"event": "Other"}, {"": "Other"}):
        assert (
            judged({"own": {"decision": "no", **other}}, dialect={"reading": {"section": {"event": ""}}}).decision
            == "deny"
        )


def test_an_inner_object_that_is_called_like_the_section_is_read_once() -> None:
    answers = (*ANSWERS, AnswerField(path="deep.own.context", effect="text", kind="context"))

    one = judged({"deep": {"own": {"context": "x"}}}, dialect={"reading": {"answers": answers}})
    assert told(one) == [("model", "context", "x")]


def test_a_section_that_is_no_object_says_nothing() -> None:
    assert "own must be an object, not str" in warned(judged({"own": "no"}))
    assert judged({"own": None}) == Verdict("h")
    assert "deep must be an object, not int" in warned(judged({"deep": 7}))
    assert "deep.er must be an object, not list" in warned(judged({"deep": {"er": []}}))


def test_a_key_that_does_nothing_here_is_said_to_do_so() -> None:
    assert warned(judged({"more": 1})) == "h: more is not part of this dialect's answers"
    assert warned(judged({"own": {"more": 1}})) == "h: own.more is not part of this dialect's answers"
    assert warned(judged({"news": "x"})) == "h: news has no effect on Call"
    assert warned(judged({"own": {"news": "x"}})) == "h: own.news has no effect on Call"
    assert told(judged({"news": "x", "own": {"news": "y"}}, rule=NEWS)) == [
        ("user", "system", "x"),
        ("user", "system", "y"),
    ]
    only_news = tuple(answer for answer in ANSWERS if answer.path.startswith(("own.news", "reason")))
    assert (
        warned(judged({"own": {"news": "x"}}, dialect={"reading": {"answers": only_news}}))
        == "h: own has no effect on Call"
    )


# ---- exit codes


def test_exit_two_denies_and_stderr_is_the_reason() -> None:
    one = judged(code=2, stderr=" why \n")

    assert (one.decision, one.reason, one.failed, told(one)) == ("deny", "why", False, [("model", "reason", "why")])
    assert judged(code=2).reason == "Blocked by hook"


def test_an_exit_that_reads_no_answer_says_that_it_lost_one() -> None:
    one = judged({"decision": "yes", "reason": "fine"}, code=2, stderr="why")

    assert (one.decision, one.reason) == ("deny", "why")
    assert "stdout is not read here" in warned(one)
    assert not judged("text", code=2).warnings
    assert "stdout is not read here" in warned(judged({"decision": "no"}, code=1))


def test_where_an_exit_reads_the_answer_its_reason_outranks_stderr() -> None:
    reads = {"reading": {"exits": {**EXITS, 2: revise(EXITS[2], answer={"read": True})}}}

    assert judged({"reason": "json"}, code=2, stderr="err", dialect=reads).reason == "json"
    assert judged({"decision": "yes"}, code=2, stderr="err", dialect=reads).reason == "err"
    assert judged({"decision": "yes"}, code=2, stderr="err", dialect=reads).decision == "deny"


def test_any_other_exit_has_failed_and_is_open() -> None:
    one = judged(code=1, stderr="boom")

    assert (one.decision, one.failed, told(one)) == ("none", True, [("log", "error", "boom")])
    assert warned(one) == "h: failed: exit code 1: boom"
    assert told(judged(code=7)) == []


def test_the_text_of_an_exit_has_its_prefix_and_its_own_decision() -> None:
    warning = revise(EXITS["other"], text={"becomes": "system", "prefix": "Warning: ", "decision": "allow"})
    exits = {"reading": {"exits": {**EXITS, "other": warning}}}

    assert told(judged(code=1, stderr="x", dialect=exits)) == [("user", "system", "Warning: x")]
    assert judged(code=1, stderr="x", dialect=exits).decision == "allow"
    assert judged(code=1, dialect=exits).decision == "none"


def test_the_text_of_an_exit_is_the_stream_that_its_row_names() -> None:
    exits: dict[int | str, Exit] = {
        **EXITS,
        0: Exit(means="stderr is for the user", text=ExitText("stderr", "system")),
        3: Exit(means="stdout is for the user", text=ExitText("stdout", "system")),
        4: Exit(means="says nothing", text=ExitText(becomes="system")),
    }

    assert told(judged(stderr="x", dialect={"reading": {"exits": exits}})) == [("user", "system", "x")]
    assert told(judged("x", 3, dialect={"reading": {"exits": exits}})) == [("user", "system", "x")]
    assert told(judged("x", 4, stderr="y", dialect={"reading": {"exits": exits}})) == []


def test_an_exit_that_fails_and_decides_is_no_matter_of_policy() -> None:
    both = {
        "reading": {"exits": {**EXITS, 2: replace(EXITS[2], failed=True)}},
        "failures": {"by_cause": {"exit": "ask"}},
    }

    one = judged(code=2, stderr="why", dialect=both)
    assert (one.decision, one.reason, one.failed) == ("deny", "why", True)
    assert judged(code=2, dialect=both).reason == "Blocked by hook"
    assert judged(code=1, dialect=both).decision == "ask"


def test_where_text_fails_an_exit_that_reads_answers_must_have_one() -> None:
    fails = {"reading": {"text_fails": True}}

    one = judged("text", dialect=fails)
    assert (one.failed, told(one)) == (True, [("log", "error", "text"), ("model", "context", "text")])
    assert "printed text that is not a JSON object" in warned(one)
    assert not judged({"decision": "yes"}, dialect=fails).failed
    assert not judged("  ", dialect=fails).failed
    assert not judged("text", code=2, dialect=fails).failed
    assert judged("text", dialect=fails | {"failures": {"by_cause": {"output": "deny"}}}).decision == "deny"


def test_a_deaf_event_hears_neither_answer_nor_text() -> None:
    deaf = revise(CALL, text={"ignored": True})

    one = judged({"decision": "no"}, rule=deaf)
    assert (one.decision, told(one)) == ("none", [])
    assert "stdout is not read here" in warned(one)
    assert judged("text", rule=deaf) == Verdict("h")
    assert judged(code=2, stderr="why", rule=deaf).reason == "why"


def test_a_deaf_event_says_that_it_lost_what_a_function_or_a_model_decided() -> None:
    deaf = revise(CALL, text={"ignored": True})
    lost = ["h: decided, but answers are not read here, so it does not count"]

    assert judged(rule=deaf, answer={"decision": "no"}).warnings == lost
    assert judged('{"ok": false}', rule=deaf, answer={}, decision="deny").warnings == lost
    assert judged('{"ok": true}', rule=deaf, answer={}) == judged(rule=deaf, answer={"note": "x"}) == Verdict("h")


def test_where_the_answer_outranks_the_exit_it_does_so_if_it_decides() -> None:
    outranks = {"reading": {"outranks_exit": True}}

    assert judged({"decision": "yes"}, code=2, dialect=outranks).decision == "allow"
    assert judged({"goes_on": True}, code=2, dialect=outranks).decision == "none"
    assert judged({"halt": True}, code=2, dialect=outranks).stop
    assert judged({"halt": True}, code=2, dialect=outranks).decision == "none"
    assert judged({"halt": False}, code=2, dialect=outranks).decision == "deny"
    assert judged({"context": "x"}, code=2, stderr="why", dialect=outranks).reason == "why"
    assert judged({"reason": "json"}, code=2, stderr="why", dialect=outranks).reason == "why"
    assert judged({"decision": "maybe"}, code=2, dialect=outranks).decision == "deny"
    assert not judged({"decision": "yes"}, code=1, dialect=outranks).failed
    assert judged({"context": "x"}, code=1, dialect=outranks).failed


def test_a_decision_that_outranks_counts_though_a_signal_came_after_it() -> None:
    outranks, killed = {"reading": {"outranks_exit": True}}, {"error": "signal", "signal": "SIGTERM"}

    assert judged({"decision": "no"}, dialect=outranks, **killed).decision == "deny"
    assert not judged({"decision": "no"}, dialect=outranks, **killed).failed
    assert judged({"context": "x"}, dialect=outranks, **killed).failed
    assert judged({"decision": "no"}, **killed).decision == "none"
    assert judged({"decision": "no"}, dialect=outranks, error="timeout").decision == "none"
    reads = {"reading": {"exits": {**EXITS, "other": revise(EXITS["other"], answer={"read": True})}}}
    assert judged({"decision": "no"}, dialect=reads, **killed).decision == "none"


# ---- failures


@pytest.mark.parametrize("error", ["spawn", "timeout", "signal", "import", "exception", "network"])
def test_a_hook_without_an_end_of_its_own_has_failed_and_is_open(error: str) -> None:
    one = judged(error=error, detail="what went wrong")

    assert (one.decision, one.failed) == ("none", True)
    assert told(one) == [("log", "error", "what went wrong")]
    assert warned(one) == "h: failed: what went wrong"


def test_an_unknown_status_denies() -> None:
    assert judged(error="status").decision == "deny"
    assert judged(error="status", dialect={"failures": {"by_cause": {"status": "allow"}}}).decision == "none"


def test_the_stderr_of_a_killed_hook_is_told_and_that_of_others_after_what_went_wrong() -> None:
    assert told(judged(error="signal", stderr=" last words ")) == [("log", "error", "last words")]
    assert told(judged(error="timeout", stderr="words", detail="late")) == [("log", "error", "late: words")]


def test_a_dialect_may_have_a_row_for_a_cause() -> None:
    row = Exit(means="killed", text=ExitText("stderr", "system", prefix="! "))
    exits = {"reading": {"exits": {**EXITS, "signal": row}}}

    assert told(judged(error="signal", stderr="x", dialect=exits)) == [("user", "system", "! x")]
    assert told(judged(error="signal", dialect=exits)) == []


def test_a_decision_printed_before_the_failure_is_said_to_be_lost() -> None:
    assert "before it failed" in warned(judged({"decision": "no"}, error="timeout"))
    assert "before it failed" not in warned(judged("text", error="timeout"))


@pytest.mark.parametrize(
    ("fields", "policy"),
    [
        ({}, "none"),
        ({"dialect": {"failures": {"by_cause": {"timeout": "deny"}}}}, "deny"),
        ({"dialect": {"failures": {"by_cause": {"spawn": "deny"}}}}, "none"),
        ({"dialect": {"failures": {"by_handler": {"command": "ask"}}}}, "ask"),
        ({"dialect": {"failures": {"by_handler": {"prompt": "ask"}}}}, "none"),
        ({"dialect": {"failures": {"by_cause": {"timeout": "deny"}, "by_handler": {"command": "ask"}}}}, "deny"),
        ({"strict": True}, "ask"),
        ({"strict": True, "dialect": {"failures": {"by_cause": {"timeout": "deny"}}}}, "deny"),
        ({"strict": True, "rule": revise(CALL, can={"ask": False})}, "deny"),
        ({"strict": True, "rule": revise(CALL, can={"block": False, "ask": False})}, "none"),
        ({"hook": replace(HOOK, on_failure={"default": "deny"})}, "deny"),
        ({"hook": replace(HOOK, on_failure={"timeout": "deny", "default": "allow"})}, "deny"),
        ({"hook": replace(HOOK, on_failure={"spawn": "deny", "default": "ask"})}, "ask"),
        ({"hook": replace(HOOK, on_failure={"spawn": "deny"})}, "none"),
        ({"strict": True, "hook": replace(HOOK, on_failure={"default": "allow"})}, "none"),
    ],
)
def test_a_failure_means_what_the_hook_or_else_dialect_and_mode_say(fields: dict[str, Any], policy: str) -> None:
    one = judged(error="timeout", detail="late", **fields)

    assert (one.decision, one.failed) == (policy, True)
    assert one.reason == ("" if policy == "none" else "Hook failed: late")


@pytest.mark.parametrize(
    "answer", ['{"decision": "no"', {"decision": "maybe"}, {"halt": 1}, {"goes_on": 1}, {"hush": 1}]
)
def test_an_answer_that_cannot_be_read_denies_in_a_strict_engine(answer: Any) -> None:
    assert (judged(answer).decision, judged(answer).failed) == ("none", isinstance(answer, str))
    assert judged(answer).warnings

    one = judged(answer, strict=True)
    assert (one.decision, one.failed) == ("deny", True)
    assert one.reason.startswith("Hook failed: ")
    assert judged(answer, strict=True, rule=NEWS).decision == "deny"
    open_hook = replace(HOOK, on_failure={"output": "allow"})
    assert judged(answer, strict=True, hook=open_hook).decision == "none"


def test_a_failure_keeps_the_reason_that_the_hook_gave_and_a_decision_stronger_than_its_own() -> None:
    one = judged({"decision": "maybe", "reason": "given"}, strict=True)
    assert (one.decision, one.reason) == ("deny", "given")
    asked = judged({"decision": "no", "hush": 1}, strict=True, hook=replace(HOOK, on_failure={"default": "ask"}))
    assert asked.decision == "deny"


def test_text_that_is_no_answer_is_no_failure() -> None:
    for text in ("text", "[1]", "{x}", "the decision is yours", ""):
        assert not judged(text, strict=True).failed


def test_the_first_cause_counts() -> None:
    hook = replace(HOOK, on_failure={"output": "deny", "exit": "allow"})
    reads = {"reading": {"exits": {**EXITS, "other": revise(EXITS["other"], answer={"read": True})}}}

    assert judged({"decision": "maybe"}, code=1, strict=True, hook=hook, dialect=reads).decision == "deny"


def test_why_an_answer_could_not_be_read_is_said() -> None:
    assert "not one JSON object: there is other text beside it" in warned(judged('log {"decision": "no"}'))
    assert "not one JSON object: Input data was truncated" in warned(judged('{"decision": "no"'))


# ---- functions


def test_a_functions_mapping_is_its_answer() -> None:
    assert judged(answer={"decision": "no", "reason": "why"}).reason == "why"
    assert warned(judged(answer={7: "seven"})) == "h: 7 is not part of this dialect's answers"
    assert judged(answer={"own": {"decision": "no"}}).decision == "deny"
    assert judged(answer={}) == Verdict("h")
    assert judged(code=None, answer={"decision": "no"}).decision == "deny"
    assert not judged("text", code=None).failed


def test_an_empty_answer_is_an_answer_and_not_silence() -> None:
    assert judged("text", answer={}).messages == []


# ---- words for people


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"detail": "late"}, "late"),
        ({"exit_code": 3}, "exit code 3"),
        ({"exit_code": 0}, "its answer could not be read"),
        ({"error": "signal"}, "signal"),
        ({}, "its answer could not be read"),
        ({"exit_code": 3, "stderr": "one\ntwo\n"}, "exit code 3: two"),
        ({"exit_code": 3, "stderr": "x" * 300}, "exit code 3: " + "x" * 200),
        ({"detail": "late", "stderr": "more"}, "late: more"),
        ({"detail": "late: more", "stderr": "more"}, "late: more"),
    ],
)
def test_a_failure_is_explained_in_one_line(fields: dict[str, Any], words: str) -> None:
    assert describe_attempt_failure(Attempt("h", "command", "f", **fields)) == words


def test_a_text_is_whole_until_it_is_delivered() -> None:
    long = "x" * 12_000
    assert judged({"context": long}).messages == [Message("model", "context", long, "h")]
    assert judged({"decision": "no", "reason": long}).messages == [Message("model", "reason", long, "h")]
    assert judged({"decision": "no", "reason": long}).reason == long
    assert judged({"deep": {"er": {"text": long}}}).messages == [Message("user", "system", long, "h")]
    assert judged({"decision": "no", "reason": long}, rule=NEWS).messages == [Message("user", "reason", long, "h")]


def test_what_decides_and_what_is_known_is_compiled_once() -> None:
    rules = compile_rules(DIALECT, CALL, strict=False)

    assert rules.guarded == ("decision", "goes_on", "halt")
    assert rules.elsewhere == {"own.news", "news"}
    assert set(rules.known) == {answer.path.rpartition(".")[2] for answer in ANSWERS}


# ---- hooks that come too late, stops that do not count, events that cannot be told


def test_a_background_hook_tells_its_reason_and_decides_nothing() -> None:
    one = judged({"decision": "no", "reason": "why", "input": {"a": 1}, "halt": True, "context": "c"}, hook=LATE)

    assert (one.decision, one.stop, one.changes, one.reason) == ("none", False, {}, "")
    assert told(one) == [("model", "context", "c"), ("user", "system", "why")]


def test_a_background_hook_without_a_word_tells_none() -> None:
    one = judged({"decision": "no"}, hook=LATE)

    assert (one.decision, told(one)) == ("none", [])


def test_a_background_hook_that_failed_has_failed_and_denies_nothing() -> None:
    one = judged("", 1, hook=replace(LATE, on_failure={"default": "deny"}), strict=True, stderr="broken")

    assert (one.decision, one.failed) == ("none", True)
    assert told(one) == [("log", "error", "broken")]
    assert "failed" in warned(one)


def test_a_stop_that_does_not_count_is_said() -> None:
    one = judged({"halt": True}, rule=revise(CALL, stop={"does": "ignored"}))

    assert "wants the agent to stop, which does not count on Call" in warned(one)
    assert told(one) == []


def test_an_event_that_no_hook_can_be_told_of_is_denied() -> None:
    assert judged(error="payload", detail="too deep").decision == "deny"
    assert judged(error="spawn", detail="no such program").decision == "none"


# ---- a strict engine takes what was probably meant as an answer for one that it cannot read


@pytest.mark.req("HOOK-016b")
@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ({"decision": "block"}, "decision is 'block', which decides nothing; it may be: yes, no, hm"),
        ({"decison": "no"}, "decison is not part of this dialect's answers (did you mean 'decision'?)"),
        ({"Decision": "no"}, "did you mean 'decision'?"),
        ({"own": {"desicion": "no"}}, "did you mean 'decision'?"),
        ({"inputs": {"path": "b"}}, "did you mean 'input'?"),
        ({"own": {"input": {"path": "b"}}}, "own.input counts for nothing; Small reads input"),
        ({"permissionDecision": "deny"}, "is how other agents' hooks decide; on Call Small reads decision"),
        (
            {"hookSpecificOutput": {"permissionDecision": "deny"}},
            "hookSpecificOutput is how other agents' hooks decide",
        ),
    ],
)
@pytest.mark.parametrize("by_function", [False, True])
def test_strict_refuses_what_was_meant_to_decide_and_says_the_word(answer: Any, said: str, by_function: bool) -> None:
    given: dict[str, Any] = {"code": None, "answer": answer} if by_function else {"out": answer}
    one = judged(strict=True, **given)

    assert (one.decision, one.failed) == ("deny", True)
    assert one.reason.startswith("Hook failed: ")
    assert said in one.reason
    assert judged(**given).decision == "none"


@pytest.mark.parametrize("key", ["tool_input", "session_id", "content", "session", "note", "version"])
def test_strict_does_not_mind_a_key_that_was_never_meant_to_decide(key: str) -> None:
    one = judged({key: "x", "decision": "yes"}, strict=True)

    assert (one.decision, one.failed) == ("allow", False)
    assert f"{key} is not part of this dialect's answers" in warned(one)


def test_every_key_by_which_hooks_of_some_agent_decide_is_known() -> None:
    dialects = [registered.get(name) for name in registered.names()]
    leaves = {
        answer.path.rpartition(".")[2]
        for dialect in dialects
        for answer in dialect.reading.answers
        if answer.effect in ("decision", "continue", "stop")
    }

    # `action` answers one event of one agent, and is a word of many a tool's input.
    assert leaves | {dialect.reading.section.name for dialect in dialects} - {""} == DECIDING | {"action"}
