"""JSON without the module json: the same values, the same texts, the same errors."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tenterhook.support import light_json

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
KEYS = st.text() | st.integers() | st.none() | st.booleans()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner), max_leaves=20)


@given(VALUES, st.sampled_from(["", " ", "\n\t\r "]), st.sampled_from([None, 1]))
def test_values_are_written_and_read_as_by_json(value: Any, around: str, indent: int | None) -> None:
    assert light_json.dumps(value) == json.dumps(value)
    text = around + json.dumps(value, indent=indent, ensure_ascii=indent is None) + around
    assert light_json.loads(text) == json.loads(text)


def test_numbers_that_are_none_are_read_as_by_json() -> None:
    assert str(light_json.loads("[NaN, Infinity, -Infinity]")) == "[nan, inf, -inf]"
    assert light_json.dumps([float("nan"), float("-inf")]) == "[NaN, -Infinity]"


@pytest.mark.parametrize(
    "text", ["", "  ", "{", "[1, ]", "{} x", "\ufeff{}", "nul", '"a\nb"', "{'a': 1}", "9" * 5000, " \u2003{}", "{}\x0c"]
)
def test_what_is_wrong_with_a_text_is_said_as_by_json(text: str) -> None:
    with pytest.raises(ValueError) as theirs:
        json.loads(text)
    with pytest.raises(ValueError) as ours:
        light_json.loads(text)

    assert (type(ours.value), str(ours.value)) == (type(theirs.value), str(theirs.value))


@pytest.mark.parametrize("value", [object(), {"a": {1}}, {(1, 2): 3}], ids=["object", "set", "key"])
def test_a_value_that_has_no_form_in_json_is_an_error_as_by_json(value: object) -> None:
    with pytest.raises(TypeError) as theirs:
        json.dumps(value)
    with pytest.raises(TypeError) as ours:
        light_json.dumps(value)

    assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("text", ["{", "[1, ]", '"a', "", "{} x"])
def test_a_wrong_text_is_an_error_in_a_process_that_has_not_imported_json(text: str) -> None:
    program = "import sys; from tenterhook.support import light_json; light_json.loads(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", program, text], capture_output=True, text=True)

    with pytest.raises(ValueError) as theirs:
        json.loads(text)
    assert done.stderr.splitlines()[-1] == f"json.decoder.JSONDecodeError: {theirs.value}"


def test_a_list_in_itself_is_an_error() -> None:
    endless: list[object] = []
    endless.append(endless)

    with pytest.raises(ValueError, match="Circular"):
        light_json.dumps(endless)


def test_a_python_without_the_functions_in_c_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)

    assert light_json.loads(" [1] ") == [1]
    assert light_json.dumps({"a": 1}) == '{"a": 1}'
