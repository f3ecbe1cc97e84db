"""Whatever the data: written in a format it is read back, and each place is where the text says so."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tenterhook.errors import ConfigError
from tenterhook.support import readers

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def parse(text: str | bytes, format: str) -> readers.Document:
    return readers.parse(text.encode() if isinstance(text, str) else text, "file", format)


def paths(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    yield path, data
    for step, child in data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ():
        yield from paths(child, (*path, step))


def text_at(text: str, position: tuple[int, int]) -> str:
    line, column = position
    start = sum(len(each) + 1 for each in text.split("\n")[: line - 1])
    return text[start + column - 1 :]


def nested(keys: st.SearchStrategy[str], texts: st.SearchStrategy[str]) -> st.SearchStrategy[dict[str, Any]]:
    numbers = st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False)
    anything = st.recursive(
        st.booleans() | numbers | texts,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4),
        max_leaves=20,
    )
    return st.dictionaries(keys, anything, max_size=5)


def holds(text: str, format: str, data: Any, starts: Any) -> None:
    """The text says the data, and at each place stands what `starts` allows."""
    document = parse(text, format)
    assert data == document.data
    assert document.duplicates() == []
    for path, value in paths(data):
        if path:
            found = text_at(text, document.where(path))
            assert found.startswith(tuple(starts(path[-1], value))), (path, found[:40])


ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@quick
@given(nested(ANY_TEXT, ANY_TEXT), st.sampled_from([None, 0, 1, 4]), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_any_json_is_read_back_and_found(data, indent, ascii_only, newline):
    def starts(step: str | int, value: Any) -> list[str]:
        shown = json.dumps(value if isinstance(step, int) else step, ensure_ascii=ascii_only)
        return [shown[0] if isinstance(step, int) and isinstance(value, (dict, list)) else shown]

    text = json.dumps(data, indent=indent, ensure_ascii=ascii_only).replace("\n", newline)
    holds(text, "json", data, starts)
    commented = text.replace("\n", ' // a "comment {\n/* another\n " } */')
    holds(commented, "jsonc", data, starts)


@quick
@given(nested(ANY_TEXT, ANY_TEXT), st.randoms(use_true_random=False))
def test_json_with_a_hole_is_refused_by_both_or_read_by_both(data, dice):
    """The scanner knows the same grammar as the parser."""
    from tenterhook.support.readers import json as module

    text = json.dumps(data, indent=1)
    at = dice.randrange(len(text))
    broken = (
        text[:at] + dice.choice(["", ",", "}", "]", '"', "x", "0", "\\", "\n", ":"]) + text[at + dice.randrange(3) :]
    )
    try:
        document = parse(broken, "json")
    except ConfigError as exc:
        if "top level" not in exc.message and "empty" not in exc.message:
            with pytest.raises(ConfigError):
                module.scan(broken, "file")
    else:
        document.where(())


YAML_KEYS = st.text("abcé '\":#-0y", min_size=1, max_size=8)
YAML_TEXTS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufeff"), max_size=8
)


@quick
@given(
    nested(YAML_KEYS, YAML_TEXTS | st.just("two\nlines\n")),
    st.sampled_from([None, True, False]),
    st.sampled_from([2, 4]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_any_yaml_is_read_back_and_found(data, flow, indent, newline):
    def starts(step: str | int, value: Any) -> list[str]:
        if isinstance(step, str):
            return [step, "'" + step.replace("'", "''") + "'", '"' + step.replace('"', '\\"') + '"']
        if isinstance(value, dict):
            return ["{", "? ", *starts(next(iter(value), "{"), None)]
        if isinstance(value, list):
            return ["[", "- "]
        return ["'", '"', "|", value[:1]] if isinstance(value, str) else [yaml.safe_dump(value).split("\n")[0]]

    text = yaml.safe_dump(data, default_flow_style=flow, indent=indent, allow_unicode=True, sort_keys=False)
    text = text.replace("\n", newline)
    holds(text, "yaml", data, starts)
    holds(f"---{newline}{text}---{newline}", "frontmatter", data, starts)


def toml_text(text: str, dice: random.Random) -> str:
    basic = json.dumps(text, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f")
    choices = [f'"{basic}"', f'"""{basic}"""', f'"""\n{basic}\\\n  """']
    if "'" not in text and text.isprintable():
        choices += [f"'{text}'", f"'''{text}'''", f"'''\n{text}'''"]
    return dice.choice(choices)


def toml_keys(key: str) -> list[str]:
    """All ways to write a key."""
    literal = [f"'{key}'"] if "'" not in key and key.isprintable() else []
    bare = [key] if key.isascii() and key.replace("-", "a").isalnum() else []
    return ['"' + json.dumps(key, ensure_ascii=False)[1:-1].replace("\x7f", "\\u007f") + '"', *literal, *bare]


def toml_key(key: str, dice: random.Random) -> str:
    return dice.choice(toml_keys(key))


def toml_value(value: Any, dice: random.Random) -> str:
    gap = dice.choice(["", " ", "\n  ", " # ] a 'comment\n"])
    if isinstance(value, str):
        return toml_text(value, dice)
    if isinstance(value, list):
        return f"[{gap}" + f"{gap},{gap}".join(toml_value(item, dice) for item in value) + f"{gap}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml_key(k, dice)} = {toml_value(v, dice)}" for k, v in value.items()) + " }"
    return json.dumps(value)


def toml_table(data: dict[str, Any], path: list[str], dice: random.Random) -> str:
    """Plain keys first, then some of the tables under headers of their own."""
    lines, tables = [], []
    for key, value in data.items():
        here = [*path, toml_key(key, dice)]
        table_list = isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
        if table_list and dice.random() < 0.8:
            tables += [f"[[ {'.'.join(here)} ]]\n" + toml_table(item, here, dice) for item in value]
        elif isinstance(value, dict) and dice.random() < 0.6:
            tables.append(f"[{' . '.join(here)}] # [x]\n" + toml_table(value, here, dice))
        else:
            lines.append(f"{here[-1]} = {toml_value(value, dice)}\n")
    return "".join(lines + tables)


TOML_KEYS = st.text("ab-1", min_size=1, max_size=4) | ANY_TEXT


@quick
@given(nested(TOML_KEYS, ANY_TEXT), st.randoms(use_true_random=False), st.sampled_from(["\n", "\r\n"]))
def test_any_toml_is_read_back_and_found(data, dice, newline):
    def starts(step: str | int, value: Any) -> list[str]:
        if isinstance(step, str):
            return toml_keys(step)
        return {dict: ["{", "[[ "], list: ["["], str: ['"', "'"]}.get(type(value)) or [json.dumps(value)]

    holds(toml_table(data, [], dice).replace("\n", newline), "toml", data, starts)


@quick
@given(nested(TOML_KEYS, ANY_TEXT), st.randoms(use_true_random=False))
def test_toml_with_a_hole_loses_the_scanner_only_where_the_parser_fails(data, dice):
    from tenterhook.support.readers import toml as module

    text = toml_table(data, [], dice) or "a = 1"
    at = dice.randrange(len(text))
    broken = text[:at] + dice.choice(["", ",", "}", "]", '"', "'", "=", "#", "\\", "\n", "."]) + text[at + 1 :]
    module.refuse_depth(broken, "file")
    try:
        document = parse(broken, "toml")
    except ConfigError:
        return
    document.where(())


def test_toml_in_which_a_list_is_a_table_as_well_is_left_to_the_parser():
    from tenterhook.support.readers import toml as module

    broken = "a = [1]\n[a]\nb = 1\n[a.c]\n"
    module.refuse_depth(broken, "file")
    with pytest.raises(ConfigError):
        parse(broken, "toml")
