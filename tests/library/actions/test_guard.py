"""The guard as a whole: what it looks at, how findings are weighed and told."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tenterhook.author import Event
from tenterhook.errors import ConfigError, UsageError
from tenterhook.library.actions.answers import ActionAnswer
from tenterhook.library.actions.before import tool_before
from tenterhook.library.actions.settings import ActionSettings

TOKEN = "ghp" + "_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def said(project: Path, settings: ActionSettings | None = None, tool: str = "T", **given: Any) -> ActionAnswer:
    event = Event("tool.before", {"tool_name": tool, "tool_input": given, "cwd": str(project)}, raw={})
    return tool_before(event, settings or ActionSettings())


def test_a_deny_outweighs_an_ask_and_stands_first(tmp_path: Path) -> None:
    answer = said(tmp_path, command="git reset --hard; rm -rf /")

    lines = answer.reason.splitlines()
    assert answer.decision == "deny"
    assert "delete-root" in lines[1]
    assert "git-discard" in lines[2]
    assert "refused: delete-root, git-discard" in answer.note


def test_what_is_asked_is_asked(tmp_path: Path) -> None:
    answer = said(tmp_path, command="git reset --hard")

    assert answer.decision == "ask"
    assert "commit or stash it first" in answer.reason


@pytest.mark.parametrize(
    "given",
    [
        {"command": "ls -la"},
        {"file_path": "src/app.py", "content": "x = 1\n"},
        {"file_path": ".git/config"},  # to be read
        {"pattern": "rm -rf /", "path": "/etc"},
        {"query": TOKEN},
        {},
    ],
)
def test_nothing_against_it_decides_nothing(tmp_path: Path, given: dict[str, Any]) -> None:
    answer = said(tmp_path, **given)

    assert (answer.decision, answer.reason) == ("none", "")
    assert answer.note


@pytest.mark.parametrize(
    "given",
    [
        {"file_path": ".git/config", "content": ""},
        {"path": "tenterhook.toml", "new_string": "x", "old_string": "y"},
        {"absolute_path": "/etc/hosts", "content": "x"},
        {"file_path": "../../../../../etc/hosts", "file_text": "x"},
        {"patch": "*** Begin Patch\n*** Update File: .git/config\n+x\n"},
        {"file_path": "a.py", "content": f'TOKEN = "{TOKEN}"\n'},
        {"file_path": "a.py", "edits": [{"old_string": "x", "new_string": f"y = '{TOKEN}'"}]},
        {"file_path": "~/.bashrc", "content": "x"},
        {"file_path": "a.py", "path": "/etc/hosts", "content": "x"},
        {"file_path": "a.py", "filename": "~/.bashrc", "content": "x"},
        {"command": "ls", "cmd": "rm -rf /"},
        {"command": "", "cmd": "rm -rf /"},
        {"command": "touch hosts", "directory": "/etc"},
        {"command": "rm settings.json", "dir_path": ".claude"},
        {"script": "rm -rf /"},
        {"target_file": ".git/config", "code_edit": "x"},
        {"filePath": "a.py", "oldString": "x", "newString": f"y = '{TOKEN}'"},
        {"file_path": "file:///etc/hosts", "content": "x"},
        {"paths": ["a.py", "/etc/hosts"], "content": "x"},
        {"patch": "*** Begin Patch\n*** Delete File: .git/config\n*** End Patch\n"},
        {"patch": f"*** Begin Patch\n*** Update File: .env\n+x\n*** Update File: a.py\n+y = '{TOKEN}'\n"},
    ],
)
def test_writing_where_or_what_must_not_be_is_refused(tmp_path: Path, given: dict[str, Any]) -> None:
    answer = said(tmp_path, **given)

    assert answer.decision == "deny"
    assert TOKEN not in answer.reason
    assert TOKEN[4:] not in answer.reason


@pytest.mark.parametrize(
    "given",
    [
        {"command": "rm -rf /"},
        {"command": "git reset --hard"},
        {"command": f"curl -H 'Authorization: {TOKEN}' localhost"},
        {"file_path": "a.py", "content": f'TOKEN = "{TOKEN}"\n'},
        {"file_path": "keep/a.py", "content": "x"},
        {"file_path": "/srv/elsewhere/a.py", "content": "x"},
        {"file_path": ".env", "content": "x"},
    ],
)
def test_the_model_is_not_told_how_a_rule_is_loosened(tmp_path: Path, given: dict[str, Any]) -> None:
    settings = ActionSettings()
    settings.protected = ["keep/**"]

    answer = said(tmp_path, settings, **given)

    assert answer.decision in ("deny", "ask")
    told = f"{answer.reason}{answer.contexts}{answer.notices}".lower()
    assert not [word for word in ("actions.", "tenterhook.toml", "allow", "not_secret", "outside =") if word in told]


SETTINGS = '[project]\nname = "x"\n\n[tool.tenterhook.actions.rules]\ngit-discard = "deny"\n'


@pytest.mark.parametrize(
    ("before", "given"),
    [
        ("", {"content": SETTINGS}),
        (SETTINGS, {"content": '[project]\nname = "x"\n'}),
        (SETTINGS, {"old_string": '"deny"', "new_string": '"allow"'}),
        ("[project]\n", {"edits": [{"old_string": "[project]", "new_string": "[tool.tenterhook]\n[project]"}]}),
    ],
)
def test_the_guards_own_settings_are_kept_from_the_agent(tmp_path: Path, before: str, given: dict[str, Any]) -> None:
    (tmp_path / "pyproject.toml").write_text(before)
    answer = said(tmp_path, file_path="pyproject.toml", **given)

    assert answer.decision == "deny"
    assert "tool.tenterhook in pyproject.toml" in answer.reason


def test_the_rest_of_the_file_is_the_agents(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(SETTINGS)

    assert said(tmp_path, file_path="pyproject.toml", old_string='"x"', new_string='"y"').decision == "none"
    assert said(tmp_path, file_path="sub/pyproject.toml", content='[project]\nname = "x"\n').decision == "none"
    assert said(tmp_path, command="cat pyproject.toml | grep tenterhook").decision == "none"
    assert said(tmp_path, command="sed -i s/deny/allow/ pyproject.toml").decision == "ask"
    assert said(tmp_path, command="echo '[tool.tenterhook.actions]' >> pyproject.toml").decision == "deny"
    (tmp_path / "pyproject.toml").write_text("[project]\n")
    assert said(tmp_path, command="sed -i s/a/b/ pyproject.toml").decision == "none"


def test_a_tool_that_takes_files_away_is_judged_by_its_paths(tmp_path: Path) -> None:
    def decided(tool: str, **given: str) -> str:
        return said(tmp_path, tool=tool, **given).decision

    assert decided("mcp__files__move_file", source="tenterhook.toml", destination="x") == "deny"
    assert decided("mcp__files__move_file", source="x", destination=".git/config") == "deny"
    assert decided("delete_file", path=".claude/settings.json") == "deny"
    assert decided("delete_file", path="notes.md") == "none"
    assert decided("read_file", path=".claude/settings.json") == "none"


def test_a_secret_in_a_command_is_asked_about_and_masked(tmp_path: Path) -> None:
    answer = said(tmp_path, command=f"curl -H 'Authorization: Bearer {TOKEN}' https://x")

    assert answer.decision == "ask"
    assert "secret-in-command" in answer.reason
    assert TOKEN not in answer.reason


def test_a_call_that_is_quoted_in_a_reason_shows_no_secret(tmp_path: Path) -> None:
    answer = said(tmp_path, command=f"sudo curl -H 'X: {TOKEN}' https://x")

    assert "[privileged]" in answer.reason
    assert TOKEN not in answer.reason
    assert "ghp_..." in answer.reason


@pytest.mark.parametrize(
    "given",
    [
        {"command": f"touch /etc/{TOKEN}"},
        {"command": f"""bash -c "sudo echo {TOKEN[:20]}""{TOKEN[20:]}" """},
        {"command": f"x={TOKEN[:9]}; sudo echo $x{TOKEN[9:]}"},
        {"command": f"sudo echo {'x ' * 25} {TOKEN[:9]}''{TOKEN[9:]}"},
        {"file_path": f"/etc/{TOKEN}", "content": "x"},
    ],
)
def test_a_secret_is_shown_neither_in_a_path_nor_put_together(tmp_path: Path, given: dict[str, str]) -> None:
    answer = said(tmp_path, **given)

    assert answer.decision in ("ask", "deny")
    assert TOKEN[8:24] not in answer.reason + answer.note


def test_a_secret_that_was_there_before_is_not_new(tmp_path: Path) -> None:
    line = f'TOKEN = "{TOKEN}"'

    assert said(tmp_path, file_path="a.py", old_string=line, new_string=f"{line}\nx = 1").decision == "none"


def test_files_that_hold_what_is_no_secret_can_be_named(tmp_path: Path) -> None:
    settings = ActionSettings()
    settings.not_secret = ["tests/**"]
    text = f'TOKEN = "{TOKEN}"'

    assert said(tmp_path, settings, file_path="tests/a.py", content=text).decision == "none"
    assert said(tmp_path, settings, file_path="src/a.py", content=text).decision == "deny"


def test_rules_are_switched_by_name_and_an_unknown_name_is_an_error(tmp_path: Path) -> None:
    settings = ActionSettings()
    settings.rules = {"git-discard": "deny", "secret": "ask", "env-file": "allow"}

    assert said(tmp_path, settings, command="git reset --hard").decision == "deny"
    assert said(tmp_path, settings, file_path="a.py", content=f"x = '{TOKEN}'").decision == "ask"
    assert said(tmp_path, settings, file_path=".env", content=f"X={TOKEN}").decision == "none"
    settings.rules = {"git-discrad": "deny"}
    with pytest.raises(ConfigError, match="there is no rule 'git-discrad' \\(did you mean 'git-discard'"):
        said(tmp_path, settings, command="ls")


def test_a_reason_stays_short(tmp_path: Path) -> None:
    answer = said(tmp_path, command="; ".join(f"touch /etc/{'x' * 200}{number}" for number in range(300)))

    assert answer.decision == "deny"
    assert len(answer.reason) <= 2000
    assert len(answer.reason.splitlines()) <= 20


@pytest.mark.req("CC-SEC-validate")
@pytest.mark.parametrize(
    "given",
    [
        {"command": ["ls"]},
        {"command": 1},
        {"file_path": {"a": 1}, "content": "x"},
        {"file_path": "a\0b", "content": "x"},
        {"file_path": "\ud800", "content": "x"},
    ],
)
def test_input_of_a_wrong_kind_is_an_error_in_words(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="the tool's"):
        said(tmp_path, **given)


@pytest.mark.req("CC-SEC-validate")
def test_a_command_with_a_nul_or_without_end_is_asked_about(tmp_path: Path) -> None:
    for command in ("ls\0 -l", "echo " + "x" * (2 << 20), "(" * 100_000, "echo 'x"):
        answer = said(tmp_path, command=command)

        assert answer.decision == "ask"
        assert "cannot be read" in answer.reason


@pytest.mark.req("CC-SEC-validate")
def test_a_command_that_writes_more_files_than_can_be_followed_is_asked_about(tmp_path: Path) -> None:
    (tmp_path / ("a/" * 30)).mkdir(parents=True)
    answer = said(tmp_path, command="touch " + " ".join("a/" * 30 + str(number) for number in range(14_000)))

    assert answer.decision == "ask"
    assert "more files than can be looked at" in answer.reason


@pytest.mark.req("CC-SEC-validate")
def test_braces_cannot_make_a_command_longer_than_can_be_read(tmp_path: Path) -> None:
    answer = said(tmp_path, command="touch " + "{1,2,3,4,5,6}{1,2,3,4,5,6}{1,2,3,4,5,6} " * 6000)

    assert answer.decision == "ask"
    assert "more words than can be looked through" in answer.reason


@pytest.mark.req("CC-SEC-validate")
@pytest.mark.parametrize(
    ("command", "wanted"),
    [
        ("cd aaaaaaaaaaaaaaaaaaaa;" * 9000, "none"),
        (f"x={'a' * 4000};" + "sh -c $x$x$x$x$x$x$x$x$x$x;" * 2000, "ask"),
        ("touch " + "a/" * 100_000, "none"),
    ],
)
def test_what_grows_with_each_command_takes_no_longer(tmp_path: Path, command: str, wanted: str) -> None:
    before = time.process_time()

    assert said(tmp_path, command=command).decision == wanted
    assert time.process_time() - before < 10


def test_names_that_are_no_utf_8_are_judged_like_others(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.py")

    assert said(tmp_path, file_path=name, content="x").decision == "none"
    assert said(tmp_path, file_path=f"/etc/{name}", content="x").decision == "deny"


HEAVY = {
    "typing",
    "msgspec",
    "dataclasses",
    "subprocess",
    "asyncio",
    "shlex",
    "fnmatch",
    "pathlib",
    "tomllib",
    "ast",
    "yaml",
}


@pytest.mark.parametrize("given", [{"command": "ls -la"}, {"file_path": "a.py", "content": "x = 1\n"}])
def test_judging_imports_little(tmp_path: Path, given: dict[str, str]) -> None:
    code = (
        "import sys\nfrom tenterhook.author import Event\nfrom tenterhook.library.actions.before import tool_before\n"
        "from tenterhook.library.actions.settings import ActionSettings as Settings\n"
        f"tool_before(Event('tool.before', {{'tool_input': {given!r}}}, raw={{}}), Settings())\nprint(*sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-IS", "-c", f"import sys; sys.path[:0] = {sys.path!r}\n{code}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
    )

    loaded = set(done.stdout.split())
    assert "tenterhook.library.guard" in loaded, done.stderr
    assert not loaded & HEAVY
    assert ("tenterhook.library.guard.danger" in loaded) == ("command" in given)
    assert not {name for name in loaded if name.startswith("tenterhook.library.guard.danger.")} - {
        "tenterhook.library.guard.danger.always",
        "tenterhook.library.guard.danger.rules",
    }
