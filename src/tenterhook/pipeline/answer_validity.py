"""Find what makes an agent refuse a whole answer: unknown keys, wrong types, fields that it does not support.

Most dialects take the parts of an answer that they understand. A strict one throws all of it away, even a deny, and the
operation goes on. So each such case is reported.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from tenterhook.dialects.schema.dialect import AnswerField
from tenterhook.support.strategy import Strategy

if TYPE_CHECKING:
    from tenterhook.pipeline.event_reader import Rules, Table

Judge = Callable[[str, Any, AnswerField, "Rules"], Iterator[str]]

FLAGS = ("continue", "stop", "suppress")
TEXTS = ("reason", "notice", "follow_up", "stop_reason", "text", "hold")
ANYTHING = ("output", "note", "set")
# Effects outside of a section that do not count if the section decides alone.
RIVALS = ("decision", "reason")


def fault(found: dict[str, Any], rules: Rules) -> str:
    """Why the agent cannot read the answer, so that nothing of it counts; empty if it can."""
    return next(chain(walk(found, rules.table, "", rules, misfit), section_event_errors(found, rules)), "")


def objection(found: dict[str, Any], rules: Rules) -> str:
    """Why the agent reads the answer but does not act on it; it still shows texts for the user."""
    return next(
        chain(walk(found, rules.table, "", rules, unsupported_value_errors), lonely(found, rules), bare(found, rules)),
        "",
    )


def walk(found: dict[str, Any], table: Table, path: str, rules: Rules, judge: Judge) -> Iterator[str]:
    """Yield what is wrong with each field. Only `misfit` reports keys that are not fields of an answer."""
    reads = judge is misfit
    for key, value in found.items():
        place, entry = f"{path}{key}", table.get(key)
        if isinstance(entry, AnswerField):
            yield from judge(place, value, entry, rules)
        elif isinstance(entry, dict) and isinstance(value, dict):
            yield from walk(value, entry, f"{place}.", rules, judge)
        elif entry is None:
            if reads and rules.reading.unknown_keys == "void" and place != rules.naming:
                yield f"{place} is a key that {rules.dialect.title} does not know on {rules.rule.name}"
        elif reads and rules.reading.wrong_types != "ignored" and (value is not None or counts_null(rules)):
            yield f"{place} must be an object, not {kind_of(value)}"


def misfit(place: str, value: Any, entry: AnswerField, rules: Rules) -> Iterator[str]:
    """Report a value of the wrong type. Null is allowed if the dialect ignores it, but never for a flag."""
    wanted = type_of(entry)
    if rules.reading.wrong_types == "ignored" or (value is None and wanted != "flag" and not counts_null(rules)):
        return
    if not TYPES[wanted].run(value):
        yield f"{place} must be {TYPES[wanted].about}, not {kind_of(value)}"
    elif entry.effect == "decision" and value not in entry.words and value not in entry.checks.unsupported:
        yield f"{place} is {value!r}; it may be: {', '.join(entry.words)}"


def unsupported_value_errors(place: str, value: Any, entry: AnswerField, rules: Rules) -> Iterator[str]:
    if entry.checks.unsupported and value is not None and not {"any", word(value)}.isdisjoint(entry.checks.unsupported):
        yield f"{place}: {word(value) or 'this'} is not supported on {rules.rule.name}"


def lonely(found: dict[str, Any], rules: Rules) -> Iterator[str]:
    """Report a field that counts only beside a decision, or beside a field that is missing."""
    for path, needed in rules.companions:
        if at(path, found) is None:
            continue
        given = [(at(place, found), words) for place, words in rules.deciding]
        decisions = {words.get(word(value), "") for value, words in given if value is not None}
        if needed not in decisions and not (needed == "any" and decisions):
            yield f"{path} needs a decision beside it" + ("" if needed == "any" else f" that means {needed}")


def bare(found: dict[str, Any], rules: Rules) -> Iterator[str]:
    """Report a word that counts only beside another field."""
    for path, needs in rules.wordy:
        decision = word(at(path, found))
        if decision in needs and at(needs[decision], found) is None:
            yield f"{path} {decision!r} is not supported without {needs[decision]}"


def without_rivals(found: dict[str, Any], rules: Rules) -> dict[str, Any]:
    """The answer without the deciding fields outside of a section that decides alone."""
    section = found.get(rules.section.name)
    if not isinstance(section, dict) or all(section.get(key) is None for key in rules.section.alone):
        return found
    rivals = {key for key, entry in rules.table.items() if isinstance(entry, AnswerField) and entry.effect in RIVALS}
    return {key: value for key, value in found.items() if key not in rivals}


def effects_of(value: Any, table: Table) -> set[str]:
    """The effects of an object's keys, whatever their values are."""
    entries = (table.get(key) for key in value) if isinstance(value, dict | list) else ()
    return {entry.effect for entry in entries if isinstance(entry, AnswerField)}


def keep_texts(found: dict[str, Any], rules: Rules) -> bool:
    """Remove all but texts from a section of an answer; return whether anything was removed."""
    name = rules.section.name
    section, table = found.pop(name, None), rules.table.get(name)
    if isinstance(section, dict) and isinstance(table, dict):
        found[name] = {key: value for key, value in section.items() if effects_of([key], table) <= {"text", "note"}}
    return section is not None and section != found.get(name)


def section_event_errors(found: dict[str, Any], rules: Rules) -> Iterator[str]:
    """Report a section that does not name its event, or names another one."""
    asked, own = rules.section, rules.rule.name
    section = found.get(asked.name)
    if asked.unnamed == "counts" or asked.name not in found:
        return
    if not isinstance(section, dict):
        if section is not None or counts_null(rules):
            yield f"{asked.name} must be an object, not {kind_of(section)}"
        return
    named = section.get(asked.event)
    if named != own and (asked.unnamed == "void" or rules.dialect.rule(str(named)) is None):
        problem = f"is {named!r}" if named is not None else "is missing"
        yield f"{rules.naming} {problem}; it must be {own!r}"


def at(path: str, value: Any) -> Any:
    """The value at a dotted path of keys and indexes, or None."""
    for key in path.split("."):
        if isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def response_fault(view: dict[str, Any]) -> str:
    """Why a hook's response cannot replace a model's response. A response may be empty on purpose."""
    text, given = view.get("text"), view.get("candidates")
    candidates = [one for one in given if isinstance(one, dict | str)] if isinstance(given, list) else []
    if candidates:
        return "" if any(map(is_readable, candidates)) else "none of its candidates has a content that can be read"
    if isinstance(text, str) or given == []:
        return ""
    kinds = " and ".join(
        f"{key} is {kind_of(view[key])}" for key in ("text", "candidates") if view.get(key) is not None
    )
    return f"its {kinds}" if kinds else "it has neither text nor candidates"


def is_readable(candidate: Any) -> bool:
    """Whether a candidate has a text, or parts of which one is a text. Empty parts or empty content do not count."""
    content = candidate.get("content") if isinstance(candidate, dict) else candidate
    if content == {}:
        return True
    parts = content.get("parts") if isinstance(content, dict) else content
    if not isinstance(parts, list):
        return isinstance(parts, str)
    texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
    return not parts or any(isinstance(text, str) for text in texts)


def type_of(entry: AnswerField) -> str:
    if entry.type:
        return entry.type
    if entry.effect in FLAGS:
        return "flag"
    if entry.effect in TEXTS or entry.effect == "decision":
        return "text"
    return "any" if entry.effect in ANYTHING else "object"


def counts_null(rules: Rules) -> bool:
    return rules.reading.wrong_types == "void-also-null"


def word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else ""


def kind_of(value: Any) -> str:
    return "null" if value is None else type(value).__name__


TYPES: dict[str, Strategy[Callable[[Any], bool]]] = {
    "text": Strategy(lambda value: isinstance(value, str), "text"),
    "flag": Strategy(lambda value: isinstance(value, bool), "true or false"),
    "number": Strategy(lambda value: isinstance(value, int | float) and not isinstance(value, bool), "a number"),
    "object": Strategy(lambda value: isinstance(value, dict), "an object"),
    "list": Strategy(lambda value: isinstance(value, list), "a list"),
    "any": Strategy(lambda value: True, "anything"),
}
