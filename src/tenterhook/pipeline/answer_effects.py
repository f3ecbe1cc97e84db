"""What each field of an answer does. A dialect maps paths to effects; the effects are the same for all dialects."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from tenterhook.errors import nearest
from tenterhook.pipeline.answer import DEPTH, holds_cut
from tenterhook.pipeline.answer_intent import says_no
from tenterhook.pipeline.answer_validity import TYPES, at, kind_of, response_fault
from tenterhook.pipeline.apply import MODES
from tenterhook.support.strategy import Strategy
from tenterhook.types import stronger

if TYPE_CHECKING:
    from tenterhook.dialects.schema.dialect import AnswerField
    from tenterhook.pipeline.verdict import Reader

Effect = Callable[["Reader", Any, "AnswerField", dict[str, Any]], None]

TOOL_CONFIG = ("mode", "allowedFunctionNames")


def decision(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    word = answer.words.get(value) if isinstance(value, str) else None
    if answer.value.otherwise and not word:
        reader.warn(f"{answer.path} is {value!r}, which means {answer.value.otherwise} here")
        word = answer.value.otherwise
    elif value is None:
        return
    if word:
        reader.decided = True
        reader.verdict.decision = stronger(reader.verdict.decision, word)
        return
    known = ", ".join(answer.words)
    reader.unreadable(f"{answer.path} is {value!r}, which decides nothing; it may be: {known}")


def switch(reader: Reader, value: Any, answer: AnswerField) -> bool | None:
    if isinstance(value, bool):
        return value
    if value is not None:
        reader.unreadable(f"{answer.path} must be true or false, not {type(value).__name__}")
    return None


def goes_on(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    going = switch(reader, value, answer)
    if going is not None:
        reader.decided = True
        reader.verdict.stop = reader.verdict.stop or not going


def stops(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    if switch(reader, value, answer):
        reader.decided = reader.verdict.stop = True


def suppresses(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    if switch(reader, value, answer):
        reader.verdict.suppress = True


def words(reader: Reader, value: Any, answer: AnswerField) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    if answer.value.written:
        return WRITTEN[answer.value.written](value) if value else ""
    reader.wrong(answer.path, value, "text")
    return ""


def as_text(value: Any) -> str:
    """A value as text, as JavaScript writes it."""
    if isinstance(value, list):
        return ",".join("" if one is None else as_text(one) for one in value)
    if isinstance(value, bool):
        return str(value).lower()
    return "[object Object]" if isinstance(value, dict) else f"{value}"


WRITTEN: dict[str, Callable[[Any], str]] = {
    "text": as_text,
    "json": lambda value: msgspec.json.encode(value, enc_hook=str).decode(),
}


def reason(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    reader.verdict.reasoned = True
    if answer.checks.fatal and value is not None and not isinstance(value, str):
        reader.verdict.ruins, reader.verdict.ruins_alone = f"its {answer.path} is not text", True
    reader.reason_is_text = isinstance(value, str)
    reader.verdict.reason = words(reader, value, answer) or reader.verdict.reason


def notice(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    text = words(reader, value, answer)
    if text:
        reader.spare = text
        reader.tell("system", text)


def follow_up(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    """Deny the stop: the hook has a next task for the agent."""
    text = words(reader, value, answer)
    if text:
        reader.decided = True
        reader.verdict.decision, reader.verdict.reason = stronger(reader.verdict.decision, "deny"), text


def stop_reason(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    reader.verdict.stop_reason = words(reader, value, answer)


def text(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    shown = words(reader, value, answer)
    kind = answer.kind
    if answer.value.kind_from and beside.get(answer.value.kind_from) is not None:
        wish = beside[answer.value.kind_from]
        if not isinstance(wish, str) or wish not in answer.value.kinds:
            reader.warn(f"{answer.value.kind_from} is {wish!r}; it may be: {', '.join(answer.value.kinds)}")
        else:
            kind = answer.value.kinds[wish]
    if shown:
        reader.tell(kind, shown)
    elif kind == "context" and reader.rules.rule.merging.contexts == "last":  # it takes the place of another hook's
        reader.add("log", kind, "")


def change(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    if answer.effect == "response" and isinstance(value, dict) and (wrong := response_fault(value)):
        reader.unreadable(f"{answer.path} is not a response, so it does not count: {wrong}")
    elif answer.checks.needs and isinstance(value, dict) and not at(answer.checks.needs, value):
        reader.unreadable(f"{answer.path} needs something in {answer.checks.needs}, so it does not count")
    elif answer.effect == "output" and answer.type == "text" and value is not None and not isinstance(value, str):
        reader.wrong(answer.path, value, "text, so the result is empty")
        reader.verdict.changes[answer.effect] = ""
    elif isinstance(value, dict) or (answer.effect == "output" and value is not None):
        reader.verdict.changes[answer.effect] = value
    elif answer.checks.fatal and not (value is None and answer.checks.null == "ignored"):  # the agent's own call fails
        reader.verdict.decision = stronger(reader.verdict.decision, "deny")
        reader.verdict.reason = reader.verdict.reason or f"{answer.path} must be an object, not {kind_of(value)}"
    elif value is not None:  # a strict engine must not go on with what the hook wanted changed
        reader.unreadable(f"{answer.path} must be an object, not {type(value).__name__}")


def tool_config(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    if not isinstance(value, dict):
        change(reader, value, answer, beside)
        return
    for key in value:
        if key not in TOOL_CONFIG:  # else the wish would restrict nothing, and the hook would not hear of it
            known = " and ".join(TOOL_CONFIG)
            reader.unreadable(f"{answer.path} has no {key!r}{nearest(str(key), TOOL_CONFIG)}; it holds {known}")
    config: dict[str, Any] = {}
    mode, names = value.get("mode"), value.get("allowedFunctionNames")
    if mode in MODES:
        config["mode"] = mode
    elif mode is not None:
        reader.unreadable(f"{answer.path}.mode is {mode!r}; it may be: {', '.join(MODES)}")
    if isinstance(names, list) and all(isinstance(name, str) for name in names):
        config["allowedFunctionNames"] = names
    elif names is not None:
        reader.wrong(f"{answer.path}.allowedFunctionNames", names, "a list of names")
    if config:
        reader.verdict.changes[answer.effect] = config


def wish(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    """Ask the host for something that only some hosts can do."""
    if value is None:
        return
    if TYPES[answer.type or "any"].run(value):
        reader.verdict.changes[answer.change] = value
    else:
        reader.wrong(answer.path, value, TYPES[answer.type].about)


def hold(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    """Keep the agent going, with this text as its next instruction."""
    text = words(reader, value, answer)
    if text:
        reader.decided = True
        reader.verdict.decision = stronger(reader.verdict.decision, "deny")
        reader.verdict.reason = reader.verdict.reason or text


def note(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
    """A field that the dialect has and that changes nothing by itself. If it says a refusal, warn that this is lost."""
    if isinstance(value, bool) and says_no(answer.path, value):
        reader.loses(f"{answer.path} decides nothing on {reader.rules.rule.name}")


def whole(effect: Effect) -> Effect:
    """Wrap an effect whose value reaches the host unchanged: a value that was cut is refused, not passed on in part."""

    def check_then_apply(reader: Reader, value: Any, answer: AnswerField, beside: dict[str, Any]) -> None:
        if reader.cut and holds_cut(value):
            reader.unreadable(f"{answer.path} is nested deeper than {DEPTH} levels, so it does not count", fails=True)
        else:
            effect(reader, value, answer, beside)

    return check_then_apply


EFFECTS: dict[str, Strategy[Effect]] = {
    "decision": Strategy(decision, "decides"),
    "reason": Strategy(reason, "the reason of the decision"),
    "notice": Strategy(notice, "is shown to the user, and is the reason if the answer has no other"),
    "follow_up": Strategy(follow_up, "keeps the agent at work, with this text"),
    "continue": Strategy(goes_on, "false stops the agent"),
    "stop": Strategy(stops, "true stops the agent"),
    "stop_reason": Strategy(stop_reason, "why the agent stops"),
    "suppress": Strategy(suppresses, "true hides the output from the user"),
    "text": Strategy(text, "a message"),
    "input": Strategy(whole(change), "changes the tool's input"),
    "output": Strategy(whole(change), "changes the tool's output"),
    "request": Strategy(whole(change), "changes the model request"),
    "response": Strategy(whole(change), "gives the model's response"),
    "tool_config": Strategy(whole(tool_config), "limits the tools"),
    "set": Strategy(whole(wish), "asks the host for something"),
    "hold": Strategy(hold, "keeps the agent going; the text is its instruction"),
    "note": Strategy(note, "is read with its neighbours and means nothing alone"),
}
