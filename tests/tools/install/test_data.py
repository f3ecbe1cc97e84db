"""What a dialect says about installing is checked when it is loaded."""

from typing import Any

import pytest
from msgspec.structs import replace

from tenterhook import dialects
from tenterhook.dialects.schema.dialect import Install
from tenterhook.errors import DialectError

GOOD = dialects.get("moai")
FILES = {"project": ".claude/settings.json", "user": "~/.claude/settings.json"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"project": ".claude/other.json"}, "install project: '.claude/other.json' is none of its files"),
        ({"user": ".claude/settings.json"}, "install user: '.claude/settings.json' is none of its files"),
        ({"folder": "NOWHERE_DIR"}, "install folder: no 'NOWHERE_DIR'"),
        ({"program": "exec"}, "install program: no 'exec'"),
        ({"closed": "block"}, "install closed: no key of an entry says that"),
    ],
)
def test_what_no_entry_of_the_agent_could_say_is_refused(fields: dict[str, Any], said: str) -> None:
    with pytest.raises(DialectError, match=said.replace(".", r"\.")):
        dialects.check_words(replace(GOOD, install=Install(**{**FILES, **fields})))


def test_an_agent_whose_commands_take_no_words_is_refused() -> None:
    other = dialects.get("massgen")
    path = other.config.files[0].path

    with pytest.raises(DialectError, match="no type takes a command with words"):
        dialects.check_words(replace(other, install=Install(project=path, user=path)))
