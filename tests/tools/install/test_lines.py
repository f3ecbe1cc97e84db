"""The command line: what a shell makes of it is what was meant; an upgrade does not change it."""

import re
import subprocess
from pathlib import Path

import pytest

from tenterhook import dialects
from tenterhook.author.process import parse_argv
from tenterhook.dialects.schema.dialect import Field, Install, revise
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
SHELL = Install(project="a", user="b", folder="PROJECT")
WORDS = Install(project="a", user="b", folder="PROJECT", words="args")


def test_a_shell_gives_back_every_word() -> None:
    text = " ".join(quote_escaping_dollars(name) for name in NAMES)
    done = subprocess.run(["/bin/sh", "-c", f"printf '%s\\0' {text}"], capture_output=True, check=True, timeout=30)

    assert done.stdout.decode().split("\0")[:-1] == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_nothing_looks_like_a_variable(name: str) -> None:
    assert not re.search(r"\$(\w|\{)", quote_escaping_dollars(name))


def test_files_of_the_project_are_named_from_its_folder(project: Path) -> None:
    call = parse_argv(["--set", "a=1", "hook files/my guard.py", "--set", "b=2", "library:audit"])
    shell = line_of(call, "moai", "tenter", SHELL, str(project))
    words = line_of(call, "moai", "tenter", WORDS, str(project))

    assert shell.text() == (
        "tenter run --set a=1 \"${PROJECT}\"/'hook files/my guard.py' --set b=2 library:audit --agent moai"
    )
    assert words.argv()[3] == "${PROJECT}/hook files/my guard.py"
    assert not shell.fixed


def test_a_name_that_no_config_can_hold_is_refused(project: Path) -> None:
    (project / "not\udcff.py").touch()

    with pytest.raises(UsageError, match=r"not\\udcff\.py is not UTF-8, so no config can name it; rename it first"):
        line_of(parse_argv(["not\udcff.py"]), "moai", "tenter", SHELL, str(project))


def test_the_event_is_named_where_the_agent_does_not_name_it(project: Path) -> None:
    dialect = dialects.get("moai")
    rule = dialect.events[0]
    line = line_of(parse_argv(["library:audit"]), "moai", "tenter", SHELL, str(project))
    silent = revise(rule, overrides={"base": (Field("session_id", "session"),)})

    assert line.at(dialect, rule) == line
    assert line.at(dialect, silent).text() == f"tenter run library:audit --agent moai --event {rule.name}"


def test_files_elsewhere_are_named_by_whole_paths(project: Path, tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("")
    line = line_of(parse_argv(["../x.py"]), "moai", "tenter", SHELL, str(project))

    assert line.argv()[1] == str(tmp_path / "x.py")
    assert line.fixed


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
