"""Conversations of every shape, as the real clients send them: each API must take what hooks have left of one."""

from typing import Any

import pytest

from .provider_chosen import TOOLS, Chosen


def odd(*messages: dict[str, Any]) -> list[dict[str, Any]]:
    return list(messages)


USER = {"role": "user", "content": "Hello"}
CALL = {"role": "model", "content": "", "tool_calls": [{"name": "Read", "input": {}, "id": "call_1"}]}
RESULT = {"role": "tool", "tool_call_id": "call_1", "name": "Read", "content": "text"}
MISSING = "There is no result: the call was not completed."

ODD: list[tuple[str, list[dict[str, Any]], list[tuple[str, Any]]]] = [
    ("nothing", odd(), [("user", "Go on.")]),
    ("a system text alone", odd({"role": "system", "content": "Be."}), [("system", "Be."), ("user", "Go on.")]),
    (
        "the model first",
        odd({"role": "model", "content": "Hi"}, USER),
        [("user", "Go on."), ("assistant", "Hi"), ("user", "Hello")],
    ),
    (
        "the model last",
        odd(USER, {"role": "assistant", "content": "Hi"}),
        [("user", "Hello"), ("assistant", "Hi"), ("user", "Go on.")],
    ),
    (
        "blank texts",
        odd({"role": "user", "content": " \n"}, USER, {"role": "model", "content": ""}),
        [("user", "Hello")],
    ),
    ("parts of a text", odd({"role": "user", "content": [{"text": "Hel"}, "lo"]}), [("user", "Hello")]),
    (
        "a call without a result",
        odd(USER, CALL, {"role": "user", "content": "So?"}),
        [("user", "Hello"), ("call", ("call_1", "Read", {})), ("result", ("call_1", MISSING)), ("user", "So?")],
    ),
    (
        "a call at the end",
        odd(USER, CALL),
        [("user", "Hello"), ("call", ("call_1", "Read", {})), ("result", ("call_1", MISSING))],
    ),
    (
        "a result behind another text",
        odd(USER, CALL, {"role": "user", "content": "So?"}, RESULT),
        [("user", "Hello"), ("call", ("call_1", "Read", {})), ("result", ("call_1", "text")), ("user", "So?")],
    ),
    ("a result without its call", odd(RESULT), [("user", "The result of an earlier call of Read:\ntext")]),
]


@pytest.mark.parametrize(("messages", "expected"), [one[1:] for one in ODD], ids=[one[0] for one in ODD])
def test_a_conversation_that_hooks_cut_is_put_as_the_apis_want_it(
    chosen: Chosen, messages: list[dict[str, Any]], expected: list[tuple[str, Any]]
) -> None:
    chosen.api.events(chosen.protocol.stream(["Hello"]))

    chosen.ask(messages=messages, tools=TOOLS)

    assert expected == chosen.sent()


def test_adjacent_messages_of_one_side_all_arrive_in_their_order(chosen: Chosen) -> None:
    chosen.api.events(chosen.protocol.stream(["Hello"]))
    more = {"role": "model", "content": "Two", "tool_calls": [{"name": "Bash", "input": {}, "id": "call_2"}]}
    other = {"role": "tool", "tool_call_id": "call_2", "name": "Bash", "content": "out"}
    messages = [USER, USER, {"role": "model", "content": "One"}, CALL, more, RESULT, other, USER]

    chosen.ask(messages=messages, tools=TOOLS)

    expected = [
        *[("user", "Hello"), ("user", "Hello"), ("assistant", "One"), ("assistant", "Two")],
        *[("call", ("call_1", "Read", {})), ("call", ("call_2", "Bash", {}))],
        *[("result", ("call_1", "text")), ("result", ("call_2", "out")), ("user", "Hello")],
    ]
    assert expected == flat(chosen.sent())


def test_ids_that_an_api_would_refuse_are_replaced_on_both_sides(chosen: Chosen) -> None:
    chosen.api.events(chosen.protocol.stream(["Hello"]))
    call = {"role": "model", "content": "", "tool_calls": [{"name": "Read", "input": {}, "id": "turn 1/call:1"}]}

    chosen.ask(messages=[USER, call, {**RESULT, "tool_call_id": "turn 1/call:1"}], tools=TOOLS)

    expected = [("call", ("turn_1_call_1", "Read", {})), ("result", ("turn_1_call_1", "text"))]
    assert expected == chosen.sent()[1:]


def flat(messages: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    """Texts that an API joined, apart again."""
    return [(role, one) for role, what in messages for one in (what.split("\n\n") if isinstance(what, str) else [what])]


def test_a_system_text_in_the_middle_reaches_the_model(chosen: Chosen) -> None:
    chosen.api.events(chosen.protocol.stream(["Hello"]))
    messages = [USER, {"role": "model", "content": "Hi"}, {"role": "system", "content": "Be careful now."}, USER]

    chosen.ask(messages=messages)

    assert [what for role, what in chosen.sent() if "Be careful now." in what]
