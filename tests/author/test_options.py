"""Options of hooks: read as what the default is, and never silently left as they were."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tenterhook import hook
from tenterhook.author.event import Event
from tenterhook.author.options import apply_hook_options
from tenterhook.author.registered import Registered
from tenterhook.errors import UsageError

with hook.apart() as HOOKS:

    @hook("tool.before")
    def guard(
        event: Event,
        text: str = "a",
        number: int = 1,
        share: float = 0.5,
        strict: bool = False,
        several: tuple[str, ...] = (),
        table: dict[str, str] = {},  # noqa: B006 (an option's default is never written to)
        anything: Any = None,
    ) -> None: ...

    @hook("tool.after", name="other")
    def second(event: Event, text: str = "b") -> None: ...


def given(*settings: str, file: str = "") -> dict[str, Any]:
    return apply_hook_options(HOOKS, settings, file)[0].options


@pytest.mark.parametrize(
    ("setting", "name", "value"),
    [
        ("text=x=y", "text", "x=y"),
        ("text=7", "text", "7"),
        ("number=7", "number", 7),
        ("share=2", "share", 2.0),
        ("strict=yes", "strict", True),
        ("strict=OFF", "strict", False),
        ("several=a, b", "several", ("a", "b")),
        ('several=["a, b", "c"]', "several", ("a, b", "c")),
        ("several=", "several", ()),
        ('table={"a": "b"}', "table", {"a": "b"}),
        ("anything=text", "anything", "text"),
        ("anything=[1]", "anything", [1]),
        ("guard.text=x", "text", "x"),
    ],
)
def test_a_setting_is_read_as_what_the_default_is(setting: str, name: str, value: Any) -> None:
    assert given(setting)[name] == value


@pytest.mark.parametrize(
    ("setting", "problem"),
    [
        ("text", "NAME=VALUE is needed"),
        ("txet=1", "no hook here has an option 'txet'"),
        ("other.number=1", "no hook here has an option 'other.number'"),
        ("number=many", "a number is needed, not 'many'"),
        ("strict=perhaps", "yes or no is needed"),
        ("table=a", "not JSON"),
    ],
)
def test_a_setting_that_cannot_be_is_an_error(setting: str, problem: str) -> None:
    with pytest.raises(UsageError, match=problem):
        given(setting)


def test_a_setting_is_for_all_hooks_that_have_it_and_changes_none_of_them_in_place() -> None:
    first, other = apply_hook_options(HOOKS, ["text=x"])

    assert (first.options["text"], other.options["text"]) == ("x", "x")
    assert (HOOKS[0].options["text"], HOOKS[1].options["text"]) == ("a", "b")
    assert isinstance(first, Registered)
    assert first.kinds == ("tool.before",)


def test_a_file_has_a_table_for_each_hook_and_the_command_line_counts_more(tmp_path: Path) -> None:
    file = tmp_path / "options.toml"
    file.write_text('[guard]\ntext = "x"\nseveral = ["a"]\nshare = 1\n[other]\ntext = "y"\n[nobody]\nz = 1\n')

    found = given("text=z", file=str(file))

    assert (found["text"], found["several"], found["share"]) == ("z", ("a",), 1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[guard]\nnumber = true", "number must be like 1, not True"),
        ("[guard]\nstrict = 1", "strict must be like False, not 1"),
        ("[guard]\nseveral = 'a'", "several must be like"),
        ("[guard]\ntxet = 'a'", "no hook here has an option 'txet'"),
        ("guard = 1", "guard must be a table"),
        ("[guard", "options.toml: "),
    ],
)
def test_a_file_that_does_not_fit_is_an_error(text: str, problem: str, tmp_path: Path) -> None:
    file = tmp_path / "options.toml"
    file.write_text(text)

    with pytest.raises(UsageError, match=problem):
        given(file=str(file))
