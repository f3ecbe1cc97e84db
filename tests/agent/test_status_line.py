"""The status line: no shell, no variables, from the project's root; and what `tenter check` says of one."""

import json

import pytest

from conftest import Project
from tenterhook.cli.main import main

from .agents import script, words
from .terminal import Person


def settings(project: Project, command: object, file: str = ".claude/settings.json") -> None:
    project.write(file, json.dumps({"statusLine": {"type": "command", "command": command}}))


def line_of(project: Project, *options: str, until: str) -> str:
    """What stands between the greeting and the prompt."""
    path = script(project, "Hello.")
    with Person(project, words(project, "moai", "--script", str(path), *options)) as person:
        person.sees("What should I do?")
        person.sees(until)
        person.types("/exit\n")

        assert person.leaves() == 0
    return person.screen


@pytest.mark.req("CC-CFG-statusline")
def test_a_status_line_is_a_path_from_the_projects_root(project: Project) -> None:
    project.write(".moai/status_line.sh", '#!/bin/sh\necho "in $(basename "$PWD")"\necho second\n')
    settings(project, ".moai/status_line.sh")

    screen = line_of(project, "--trust", until=f"in {project.root.name}\n> ")

    assert "second" not in screen


@pytest.mark.req("CC-CFG-statusline")
def test_nothing_expands_in_a_status_line(project: Project) -> None:
    project.write("show.sh", "#!/bin/sh\nprintf '%s|' \"$@\"\n")
    settings(project, "./show.sh $HOME ~ '$(touch pwned)' `id` *")

    line_of(project, "--trust", until="$HOME|~|$(touch pwned)|`id`|*|")

    assert not project.has("pwned")


@pytest.mark.req("CC-CFG-statusline")
def test_a_variable_in_its_path_is_no_variable(project: Project) -> None:
    project.write("show.sh", "#!/bin/sh\necho shown\n")
    settings(project, '"$CLAUDE_PROJECT_DIR/show.sh"')

    screen = line_of(project, "--trust", until="[status line:")

    assert "shown" not in screen


def test_it_is_told_the_session_and_the_model(project: Project) -> None:
    project.write("show.sh", "#!/bin/sh\ncat > told.json\necho told\n")
    settings(project, "./show.sh")

    line_of(project, "--trust", until="told")

    told = project.json("told.json")
    assert told["workspace"]["project_dir"] == str(project.root)
    assert told["model"]["id"] == "script"


def test_that_of_an_untrusted_project_does_not_run(project: Project) -> None:
    project.write("show.sh", "#!/bin/sh\ntouch ran\necho shown\n")
    settings(project, "./show.sh")

    screen = line_of(project, until="> ")

    assert "shown" not in screen
    assert not project.has("ran")


def test_the_closest_file_counts(project: Project) -> None:
    settings(project, "echo shared")
    settings(project, "echo mine", ".claude/settings.local.json")

    assert "shared" not in line_of(project, "--trust", until="mine")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ('"$CLAUDE_PROJECT_DIR/show.sh"', "nothing expands in its command"),
        ("~/show.sh", "nothing expands in its command"),
        (".moai/absent.sh", ".moai/absent.sh does not exist"),
        (7, "it needs a command, as text"),
        ("it's", "cannot be split into words"),
    ],
)
@pytest.mark.req("CC-CFG-statusline")
def test_check_says_what_cannot_work(
    project: Project, capsys: pytest.CaptureFixture[str], command: object, said: str
) -> None:
    settings(project, command)

    main(["check", "--dialect", "moai", "--project", str(project.root)])

    shown = capsys.readouterr().out
    assert said in shown
    assert "settings.json:1:" in shown
