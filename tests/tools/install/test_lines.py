"""The command line: what a shell makes of it is what was meant; an upgrade does not change it."""

import re
import subprocess
from pathlib import Path

import pytest

from tenterhook import dialects
from tenterhook.dialects.schema.dialect import Field, revise
from tenterhook.errors import UsageError
from tenterhook.tools.install.command_line import line_of, program_for, quote_escaping_dollars

NAMES = [
    "plain",
    "with blank",
    "it's",
    'a "b"',
    "$HOME",
    "a$b",
    "$",
    "a${HOME}b",
    "`x`",
    "a\\b",
    "a\nb",
    "*",
    "",
    "ü",
    "-x",
]


def test_a_shell_gives_back_every_word() -> None:
    text = " ".join(quote_escaping_dollars(name) for name in NAMES)
    done = subprocess.run(["/bin/sh", "-c", f"printf '%s\\0' {text}"], capture_output=True, check=True, timeout=30)

    assert done.stdout.decode().split("\0")[:-1] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_nothing_looks_like_a_variable(name: str) -> None:
    assert not re.search(r"\$(\w|\{)", quote_escaping_dollars(name))


def test_every_entry_of_an_agent_calls_the_same() -> None:
    assert line_of("moai", "tenter").text() == "tenter run --agent moai"
    assert line_of("moai", "/my $HOME/tenter").text() == r"""'/my '\$'HOME/tenter' run --agent moai"""
    assert (line_of("moai", "tenter").fixed, line_of("moai", "/x/tenter").fixed) == (False, True)


def test_a_program_whose_name_no_config_can_hold_is_refused() -> None:
    with pytest.raises(UsageError, match=r"not\\udcff is not UTF-8, so no config can name it; rename it first"):
        line_of("moai", "not\udcff")


def test_the_event_is_named_where_the_agent_does_not_name_it() -> None:
    dialect = dialects.get("moai")
    rule = dialect.events[0]
    line = line_of("moai", "tenter")
    silent = revise(rule, overrides={"base": (Field("session_id", "session"),)})

    assert line.at(dialect, rule) == line
    assert line.at(dialect, silent).text() == f"tenter run --agent moai --event {rule.name}"


@pytest.mark.parametrize(
    ("folder", "user", "wanted"), [("bin", False, "tenter"), ("bin", True, ""), ("v/bin", False, "")]
)
def test_the_program_is_named_so_that_an_upgrade_does_not_move_it(
    folder: str, user: bool, wanted: str, tmp_path: Path
) -> None:
    """By its plain name, but not where the PATH is that of a virtual environment; a link is not followed."""
    (tmp_path / "v").mkdir()
    (tmp_path / "v" / "pyvenv.cfg").write_text("")
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / "tenter-1.2.3").write_text("#!/bin/sh\n")
    (tmp_path / "tenter-1.2.3").chmod(0o755)
    link = tmp_path / folder / "tenter"
    link.symlink_to(tmp_path / "tenter-1.2.3")

    assert program_for({"PATH": str(link.parent)}, user=user) == (wanted or str(link))
