"""`tenter install` and `tenter uninstall`, as a user calls them."""

import json
import os
import shlex
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tenterhook import dialects
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.support.paths import native_client
from tenterhook.tools.install.editing.edit import EMPTY
from tenterhook.tools.install.target import installable

from .conftest import Call, snapshot

AGENTS = installable()
GUARD = "hook files/my guard.py"


@pytest.mark.parametrize("agent", AGENTS)
def test_the_hook_fires_through_what_was_written_and_everything_can_be_taken_back(
    agent: str, tenter: Call, project: Path
) -> None:
    before = snapshot(project)
    ran = tenter("install", "--agent", agent, GUARD, "--yes")

    assert ran.code == 0, ran.out + ran.err
    assert "fires: no-force-push: refused" in ran.out
    assert "DOES NOT FIRE" not in ran.out
    read = HookSet(EngineOptions(project, dialect=agent, trust="all"))
    written = {hook.event: hook.timeout for hook in read.hooks()}
    assert read.warnings == ()
    assert written[read.rule("tool.before").name] == min(600.0, read.rule("tool.before").overrides.longest or 600.0)
    assert len(written) > 2
    assert {tuple(hook.matcher or "") for hook in read.hooks()} <= {(), ("*",)}
    again = tenter("install", "--agent", agent, GUARD, "--yes", "--dry-run")
    assert "nothing to do: the entries are there" in again.out
    assert tenter("uninstall", "--agent", agent, "--yes").code == 0
    assert set(snapshot(project)) - set(before) == {"tenterhook.toml"}
    assert tenter("uninstall", "--yes").code == 0
    assert snapshot(project) == before


@pytest.mark.parametrize("agent", AGENTS)
def test_a_dry_run_writes_nothing_and_the_config_of_others_stays(agent: str, tenter: Call, project: Path) -> None:
    target = project / (dialects.get(agent).install.project)  # type: ignore[union-attr]
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(FOREIGN.get(target.suffix, EMPTY["toml"]))
    before = snapshot(project)
    dry = tenter("install", "--agent", agent, GUARD, "--dry-run")

    assert dry.out.endswith("nothing was written (--dry-run)\n")
    assert snapshot(project) == before
    tenter("install", "--agent", agent, GUARD, "--yes")
    assert snapshot(project) != before
    tenter("uninstall", "--yes")
    assert snapshot(project) == before


FOREIGN = {".json": b'{\r\n\t"theme" : "dark"\r\n}', ".toml": b"# mine\n"}


@pytest.mark.parametrize("agent", AGENTS)
def test_the_page_names_the_files_of_every_agent(agent: str) -> None:
    install = dialects.get(agent).install
    page = (Path(__file__).parents[3] / "docs" / "start" / "install.md").read_text()

    assert install
    assert f"| `{agent}` | `{install.project}` | `{install.user.replace('@config', '~/.config')}` |" in page


def test_nobody_is_asked_where_nobody_sits(tenter: Call, project: Path) -> None:
    before = snapshot(project)
    ran = tenter("install", "--agent", "moai", GUARD)

    assert ran.code == 1
    assert "--yes writes what is shown" in ran.err
    assert snapshot(project) == before


def test_a_users_own_file_names_whole_paths(tenter: Call, project: Path) -> None:
    home = Path(os.environ["HOME"])
    ran = tenter("install", "--user", "--agent", "moai", GUARD, "--yes")

    assert ran.code == 0, ran.out
    command = json.loads((home / ".claude/settings.json").read_text())["hooks"]["Stop"][0]["hooks"][0]["command"]
    assert shlex.split(command)[0] == (native_client() or str(Path(sys.executable).parent / "tenter"))
    assert "PROJECT_DIR" not in command
    config = home / ".config" / "tenterhook" / "tenterhook.toml"
    assert tomllib.loads(config.read_text()) == {"hook": [{"use": str(project / GUARD)}]}
    assert tenter("uninstall", "--user", "--yes").code == 0
    assert not (home / ".claude").exists()
    assert not config.parent.exists()


def test_another_install_adds_its_hooks_and_the_originals_come_back(tenter: Call, project: Path) -> None:
    Path("other.py").write_text(Path(GUARD).read_text().replace("no_force_push", "other"))
    Path(".claude").mkdir()
    Path(".claude/settings.json").write_text('{"a": 1}')
    Path("tenterhook.toml").write_text("# mine\r\n")
    tenter("install", "--agent", "moai", GUARD, "--yes")
    written = Path(".claude/settings.json").read_text()
    ran = tenter("install", "--agent", "moai", "other.py", "other.py", "--set", "other.branch=next", "--yes")

    assert "fires: no-force-push, other: refused" in ran.out
    assert Path(".claude/settings.json").read_text() == written
    entries = tomllib.loads(Path("tenterhook.toml").read_text())["hook"]
    assert entries == [{"use": GUARD}, {"use": "other.py"}]
    tenter("uninstall", "--yes")
    assert Path(".claude/settings.json").read_text() == '{"a": 1}'
    assert Path("tenterhook.toml").read_bytes() == b"# mine\r\n"


def test_hooks_are_approved_for_the_project_with_their_options(tenter: Call, project: Path) -> None:
    """Nothing else is: an entry of somebody else's waits for the user."""
    Path("tenterhook.toml").write_text('[[hook]]\non = "tool.before"\nname = "foreign"\ncommand = "true"\n')
    ran = tenter("install", "--agent", "moai", GUARD, "--set", "branch=next", "library:git-rules", "--yes")

    assert "approved: no-force-push, tests-first, git-rules\n" in ran.out
    assert "not approved, so set aside: foreign; look and approve: tenter trust" in ran.out
    entries = tomllib.loads(Path("tenterhook.toml").read_text())["hook"]
    assert entries[1:] == [{"use": GUARD, "options": {"branch": "next"}}, {"use": "library:git-rules"}]
    assert {hook.name: hook.state for hook in HookSet(EngineOptions(project)).hooks()} == {
        "foreign": "untrusted",
        "no-force-push": "trusted",
        "tests-first": "trusted",
        "git-rules": "trusted",
    }


def test_an_agent_is_connected_without_a_hook(tenter: Call, project: Path) -> None:
    ran = tenter("install", "--agent", "moai", "--yes")

    assert ran.code == 0
    assert "No hook is in tenterhook.toml yet" in ran.out
    assert not Path("tenterhook.toml").exists()
    assert "tool.before" in [HookSet(EngineOptions(project, dialect="moai")).rule(name).kind for name in events()]


def events() -> list[str]:
    return list(json.loads(Path(".claude/settings.json").read_text())["hooks"])


def test_options_that_are_lists_are_written_as_such(tenter: Call, project: Path) -> None:
    tenter("install", "--agent", "moai", "library:git-rules", "--set", "branches=main,next", "--yes")

    entries = tomllib.loads(Path("tenterhook.toml").read_text())["hook"]
    assert entries == [{"use": "library:git-rules", "options": {"branches": ["main", "next"]}}]


def test_what_people_changed_since_stays(tenter: Call, project: Path) -> None:
    config = Path(".claude/settings.json")
    tenter("install", "--agent", "moai", GUARD, "--yes")
    config.write_text(config.read_text().replace('"hooks": {', '"theme": "dark",\n  "hooks": {', 1))

    assert tenter("uninstall", "--yes").code == 0
    assert json.loads(config.read_text()) == {"theme": "dark"}


TIDY = [{"indent": 4}, {"indent": "\t", "sort_keys": True}, {"indent": None}, {"indent": 2, "sort_keys": True}]
THEIRS = {"theme": "dark", "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}], "Mine": []}}


@pytest.mark.parametrize("layout", TIDY, ids=str)
def test_entries_are_found_in_a_file_that_was_laid_out_anew(layout: Any, tenter: Call, project: Path) -> None:
    """Each of our entries says the same."""
    config = Path(".claude/settings.json")
    config.parent.mkdir()
    config.write_text(json.dumps(THEIRS))
    tenter("install", "--agent", "claude", GUARD, "--yes")
    config.write_text(json.dumps(json.loads(config.read_text()), **layout))

    assert tenter("uninstall", "--yes").code == 0
    assert json.loads(config.read_text()) == THEIRS


def test_entries_that_say_the_same_are_told_apart_by_their_place(tenter: Call, project: Path) -> None:
    """What stands around them stays to the byte."""
    config = Path(".claude/settings.json")
    config.parent.mkdir()
    config.write_text('{"hooks": {\n\t"Stop": [ ]\n}, "a": 1}')
    tenter("install", "--agent", "claude", "--yes")
    config.write_text(config.read_text().replace('"a": 1', '"a":  2'))

    assert tenter("uninstall", "--yes").code == 0
    assert config.read_text() == '{"hooks": {\n\t"Stop": [ ]\n}, "a":  2}'


def test_comments_between_entries_stay(tenter: Call, project: Path) -> None:
    config = Path(".gemini/settings.json")
    config.parent.mkdir()
    config.write_text('{"hooks": {"AfterAgent": [\n  {"hooks": []} // mine\n]}}')
    tenter("install", "--agent", "gemini", GUARD, "--yes")
    written = config.read_text()
    last = written.rindex("}\n]")
    config.write_text(f'{written[:last]}}}, // and another\n  {{"hooks": []}}\n]{written[last + 3 :]}')

    assert tenter("uninstall", "--yes").code == 0
    assert "// mine" in config.read_text()
    assert "// and another" in config.read_text()
    assert "tenter run" not in config.read_text()


def test_an_entry_that_somebody_changed_is_left_to_them(tenter: Call, project: Path) -> None:
    config = Path(".claude/settings.json")
    tenter("install", "--agent", "moai", GUARD, "--yes")
    last = config.read_text().rindex('"timeout": 600')
    config.write_text(f'{config.read_text()[:last]}"timeout": 300{config.read_text()[last + 14 :]}')

    assert "nothing to do" in tenter("install", "--agent", "moai", GUARD, "--yes").out
    ran = tenter("uninstall", "--yes")
    assert ran.code == 1
    assert "take out of .claude/settings.json: the entry with" in ran.out
    assert "nothing of ours" not in ran.out
    assert '"timeout": 300' in config.read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("import nothing_of_that_name", "nothing_of_that_name"),
        ("raise SystemExit(3)", "ends the program"),
        ("", "there is no hook in"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_refused_before_anything_is_written(
    text: str, said: str, tenter: Call, project: Path
) -> None:
    Path("broken.py").write_text(text)
    before = snapshot(project)
    ran = tenter("install", "--agent", "moai", "broken.py", "--yes")

    assert ran.code == 1
    assert said in ran.err
    assert snapshot(project) == before


def test_a_canary_that_does_not_come_back_is_told(tenter: Call, project: Path) -> None:
    ran = tenter("install", "--agent", "wave", GUARD, "--program", "/nowhere/tenter", "--yes")

    assert ran.code == 1
    assert "PreToolUse DOES NOT FIRE" in ran.out
    assert "/nowhere/tenter" in ran.out


def test_a_switch_that_is_off_is_told(tenter: Call, project: Path) -> None:
    Path(".llxprt").mkdir()
    Path(".llxprt/settings.json").write_text('{"enableHooks": false}')
    ran = tenter("install", "--agent", "llxprt", GUARD, "--yes")

    assert ran.code == 1
    assert "enableHooks is False in .llxprt/settings.json, so LLxprt Code runs no hook" in ran.out
    assert "DOES NOT FIRE: LLxprt Code does not run it: enableHooks is not true" in ran.out


def test_what_an_agent_cannot_do_is_said(tenter: Call, project: Path) -> None:
    Path("failed.py").write_text(Path(GUARD).read_text().replace("turn.stop", "tool.failed"))
    ran = tenter("install", "--agent", "llxprt", "failed.py", "--dry-run")

    assert "tests-first is not called for tool.failed: LLxprt Code has no such event" in ran.out
    assert (
        "BeforeTool: an ask becomes a refusal; "
        "where the command takes too long or cannot be started, the operation goes on"
    ) in ran.out


def test_everything_is_there_as_data(tenter: Call, project: Path) -> None:
    ran = tenter("install", "--agent", "moai,wave", GUARD, "--yes", "--json")
    found = json.loads(ran.out)

    assert found["done"] is True
    assert found["config"]["files"] == [{"what": "created", "path": "tenterhook.toml"}]
    assert found["approved"] == ["no-force-push", "tests-first"]
    assert [one["agent"] for one in found["agents"]] == ["moai", "wave"]
    assert all(flight["proven"] for one in found["agents"] for flight in one["canaries"])
    undone = json.loads(tenter("uninstall", "--yes", "--json").out)
    assert {one["agent"] for one in undone["agents"]} == {"moai", "wave", "tenterhook"}


def test_claude_code_is_given_one_text_for_a_shell_and_fails_closed(tenter: Call, project: Path) -> None:
    tenter("install", "--agent", "claude", GUARD, "--program", "tenter", "--yes")
    entries = json.loads(Path(".claude/settings.json").read_text())["hooks"]

    assert entries["PreToolUse"][0]["hooks"] == [
        {
            "type": "command",
            "command": "tenter run --agent claude",
            "timeout": 600,
            "onFailure": "block",
        }
    ]
    assert "onFailure" not in entries["Stop"][0]["hooks"][0]


def test_an_older_version_gets_what_it_knows(tenter: Call, project: Path) -> None:
    ran = tenter("install", "--agent", "claude@2.1.240", GUARD, "--yes")

    assert "PreToolUse fires" in ran.out
    assert "onFailure" not in Path(".claude/settings.json").read_text()
    tenter("uninstall", "--agent", "claude", "--yes")
    assert not Path(".claude").exists()


def test_a_folder_of_the_users_that_a_variable_moves_is_found(
    tenter: Call, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CODEX_HOME", str(tmp_path / "elsewhere"))
    ran = tenter("install", "--user", "--agent", "codex", GUARD, "--yes")

    assert "PreToolUse fires" in ran.out
    assert (tmp_path / "elsewhere" / "hooks.json").exists()
    tenter("uninstall", "--user", "--yes")
    assert not (tmp_path / "elsewhere").exists()


def test_agents_that_read_one_file_share_its_entries(tenter: Call, project: Path) -> None:
    """Else every hook would run twice there."""
    ran = tenter("install", "--agent", "copilot,claude,moai", GUARD, "--yes")

    assert ran.code == 0
    for title in ("GitHub Copilot CLI", "Claude Code (MoAI)"):
        assert f"{title} reads .claude/settings.json, too: the entries for Claude Code answer it" in ran.out
    assert not Path(".github").exists()
    assert "--agent moai" not in Path(".claude/settings.json").read_text()


def test_a_file_that_the_agent_refuses_as_a_whole_is_told(tenter: Call, project: Path) -> None:
    Path(".claude").mkdir()
    Path(".claude/settings.json").write_text('{"hooks": {"PreToolUse": [{"command": "true"}]}}')
    ran = tenter("install", "--agent", "claude", GUARD, "--yes")

    assert ran.code == 1
    assert "DOES NOT FIRE: Claude Code does not run it" in ran.out


@pytest.mark.parametrize("original", [None, b'{"model": "small"}\n'])
def test_what_two_agents_share_is_taken_back_for_both(original: bytes | None, tenter: Call, project: Path) -> None:
    """They read the same file, and were installed one after another."""
    file = project / ".claude" / "settings.json"
    if original:
        file.parent.mkdir()
        file.write_bytes(original)
    assert [tenter("install", "--agent", agent, GUARD, "--yes").code for agent in ("moai", "claude")] == [0, 0]

    ran = tenter("uninstall", "--yes")

    assert ran.code == 0, ran.err
    assert (file.read_bytes() if file.exists() else None) == original


@pytest.mark.parametrize("agents", ["claude,claude", "claude,claude@2.1.240"])
def test_an_agent_that_is_named_twice_is_taken_back_once(agents: str, tenter: Call, project: Path) -> None:
    before = snapshot(project)
    tenter("install", "--agent", "claude", GUARD, "--yes")

    ran = tenter("uninstall", "--agent", agents, "--yes")

    assert ran.code == 0, ran.err
    assert not Path(".claude").exists()
    tenter("uninstall", "--yes")
    assert snapshot(project) == before


def test_there_is_nothing_to_take_back_where_nothing_is_on_record(tenter: Call, project: Path) -> None:
    said = "nothing to uninstall: no install is on record here, and no entry is certainly ours\n"
    assert tenter("uninstall").out == said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((GUARD,), "--agent is missing"),
        (("--agent", "massgen", GUARD), "there are:"),
        (("--agent", "moai", "nowhere.py"), "no such file: nowhere.py"),
        (("--agent", "moai", "hook files"), "hook files: a folder; name the files in it that hold hooks"),
        (("--agent", "moai", "/dev/null"), "/dev/null: not a regular file"),
        (("--agent", "moai", GUARD, "--timeout", "0"), "--timeout must be"),
        (("--agent", "moai", GUARD, "--set", "colour=red"), "no hook here has an option"),
    ],
)
def test_a_wrong_call_says_what_is_wrong(words: tuple[str, ...], said: str, tenter: Call, project: Path) -> None:
    ran = tenter("install", *words)

    assert ran.code == 1
    assert said in ran.err


@pytest.mark.parametrize("user", [(), ("--user",)])
def test_a_home_that_is_no_whole_path_is_refused(
    user: tuple[str, ...], tenter: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else what is kept with the user would lie in the project."""
    monkeypatch.setenv("HOME", "some where")
    before = snapshot(project)
    ran = tenter("install", "--agent", "moai", GUARD, "--yes", *user)

    assert ran.code == 1
    assert "your home folder is given as 'some where', which is not an absolute path" in ran.err
    assert tenter("uninstall", "--yes", *user).code == 1
    assert snapshot(project) == before


def test_what_codex_does_without_a_hook_and_needs_first_is_said(tenter: Call, project: Path) -> None:
    ran = tenter("install", "--agent", "codex", GUARD, "--dry-run")
    matrix = tenter("dialects", "--matrix", "codex")

    assert "no hook is called for write_stdin, which types into an open shell" in ran.out
    assert "from 0.169 on a project's hooks run only in a folder that you trust" in ran.out
    assert 'run codex exec --trust there, or put trust_level = "trusted" below [projects."FOLDER"]' in ran.out
    assert "No hook is called for write_stdin" in matrix.out


def test_agents_of_two_installs_share_one_file_too(tenter: Call, project: Path) -> None:
    tenter("install", "--agent", "claude", GUARD, "--yes")
    ran = tenter("install", "--agent", "copilot", "--yes")

    assert "GitHub Copilot CLI reads .claude/settings.json, too: the entries for Claude Code answer it" in ran.out
    assert not Path(".github").exists()


def test_an_agent_that_will_call_twice_is_named(tenter: Call, project: Path) -> None:
    tenter("install", "--agent", "copilot", GUARD, "--yes")
    ran = tenter("install", "--agent", "claude", "--yes")

    assert "calls twice; take those out: tenter uninstall --agent copilot" in ran.out
    assert "Grok Build reads this file, too: its form is not known" in ran.out


def test_the_entries_for_copilot_are_read_by_vs_code_and_the_cloud_agent(tenter: Call, project: Path) -> None:
    """They know `command`, and no list of words."""
    tenter("install", "--agent", "copilot", GUARD, "--program", "tenter", "--yes")
    [entry] = json.loads(Path(".github/hooks/tenterhook.json").read_text())["hooks"]["preToolUse"]

    assert entry == {
        "type": "command",
        "command": "tenter run --agent copilot --event preToolUse",
        "timeoutSec": 600,
    }
