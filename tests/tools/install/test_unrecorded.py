"""Installs that nobody remembers: the record was deleted, or the project was moved."""

import hashlib
import json
import os
import shutil
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tenterhook import dialects
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.tools.install.target import installable

from .conftest import Call

AGENTS = installable()
GUARD = "hook files/my guard.py"
FORGOTTEN = "what this file was before is not known"
THEIRS: dict[str, Any] = {
    "theme": "dark",
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "tenter run mine.py --agent moai"}]}]},
}


def forget() -> None:
    shutil.rmtree(Path(os.environ["HOME"]) / ".local/state/tenterhook/installs")


def config_of(agent: str) -> Path:
    install = dialects.get(agent).install
    assert install
    return Path(install.project)


def calls(agent: str) -> list[str]:
    """The events with a hook there, as the agent reads the file."""
    return [hook.event for hook in HookSet(EngineOptions(".", dialect=agent, trust="all")).hooks()]


@pytest.mark.parametrize("agent", AGENTS)
def test_entries_are_taken_out_though_the_record_is_gone(agent: str, tenter: Call, project: Path) -> None:
    tenter("install", "--agent", agent, "--yes")
    assert calls(agent)
    forget()
    dry = tenter("uninstall", "--dry-run")

    assert FORGOTTEN in dry.out
    assert "-" in [line[:1] for line in dry.out.splitlines()]
    assert calls(agent)
    ran = tenter("uninstall", "--yes")
    assert ran.code == 0, ran.out
    assert "restored" not in ran.out
    assert calls(agent) == []
    assert "tenter run" not in config_of(agent).read_text()
    assert tenter("uninstall", "--yes").out.startswith("nothing to uninstall")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_second_install_remembers_again_what_was_forgotten(agent: str, tenter: Call, project: Path) -> None:
    tenter("install", "--agent", agent, "--yes")
    written = config_of(agent).read_bytes()
    forget()
    ran = tenter("install", "--agent", agent, "--yes")

    assert ran.code == 0, ran.out
    assert "their record is written again" in ran.out
    assert f"{config_of(agent)} as it was" in ran.out
    assert config_of(agent).read_bytes() == written
    assert len(list((Path(os.environ["HOME"]) / ".local/state/tenterhook/installs").iterdir())) == 1
    assert "nothing to do: the entries are there" in tenter("install", "--agent", agent, "--yes").out
    undone = tenter("uninstall", "--yes")
    assert undone.code == 0
    assert FORGOTTEN in undone.out
    assert calls(agent) == []


def test_a_project_that_was_moved_is_installed_anew(
    tenter: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenter("install", "--agent", "wave", GUARD, "--yes")
    before = calls("wave")
    monkeypatch.chdir(project.rename(project.parent / "else where"))
    ran = tenter("install", "--agent", "wave", GUARD, "--yes")

    assert ran.code == 0, ran.out
    assert "approved: no-force-push, tests-first" in ran.out
    assert calls("wave") == before
    assert tenter("uninstall", "--yes").code == 0
    assert calls("wave") == []


def test_a_config_of_ours_without_a_record_is_left_alone(tenter: Call, project: Path) -> None:
    tenter("install", "--agent", "moai", GUARD, "--yes")
    forget()

    assert tenter("uninstall", "--yes").code == 0
    assert GUARD in Path("tenterhook.toml").read_text()


HANDMADE = [
    "tenter run guard.py --agent moai",  # install names no file by a relative path
    "tenter run '/x/guard.py' --agent moai",  # nor quotes what needs no quotes
    "tenter run /x/guard.py --agent wave",
    "tenter run /x/guard.py --agent moai; true",
    "tenter run --agent moai /x/guard.py",
    "tenter run /x/guard.py",
    "nottenter run /x/guard.py --agent moai",
    "tenter fire /x/guard.py --agent moai",
    "tenter run --agent wave",
    "tenter run '",
]


@pytest.mark.parametrize("command", HANDMADE)
def test_what_install_does_not_write_letter_by_letter_is_not_touched(command: str, tenter: Call, project: Path) -> None:
    config = config_of("moai")
    config.parent.mkdir()
    config.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": command}]}]}}))
    before = config.read_bytes()
    ran = tenter("uninstall", "--yes")

    assert ran.out.startswith("nothing to uninstall")
    assert config.read_bytes() == before


def test_what_stands_beside_our_entry_stays(tenter: Call, project: Path) -> None:
    config = config_of("moai")
    config.parent.mkdir()
    config.write_text(json.dumps(THEIRS, indent=4))
    tenter("install", "--agent", "moai", GUARD, "--yes")
    written = json.loads(config.read_text())["hooks"]
    forget()

    assert tenter("uninstall", "--yes").code == 0
    assert json.loads(config.read_text()) == {**THEIRS, "hooks": {**{name: [] for name in written}, **THEIRS["hooks"]}}


@pytest.mark.parametrize("change", ["a key", "a second hook"])
def test_a_forgotten_entry_that_somebody_changed_is_left_to_them(change: str, tenter: Call, project: Path) -> None:
    config = config_of("moai")
    tenter("install", "--agent", "moai", GUARD, "--yes")
    data = json.loads(config.read_text())
    group = data["hooks"]["Stop"][0]
    if change == "a key":
        group["hooks"][0]["async"] = True
    else:
        group["hooks"].append({"type": "command", "command": "true"})
    config.write_text(json.dumps(data))
    forget()
    ran = tenter("uninstall", "--yes")

    assert ran.code == 1
    assert "take out of .claude/settings.json: the entry with" in ran.out
    assert json.loads(config.read_text())["hooks"] == {**{name: [] for name in data["hooks"]}, "Stop": [group]}
    again = tenter("install", "--agent", "moai", GUARD, "--yes")
    assert again.code == 0, again.out
    assert json.loads(config.read_text())["hooks"]["Stop"] == [group]
    assert tenter("uninstall", "--yes").code == 1
    assert json.loads(config.read_text())["hooks"]["Stop"] == [group]


def test_tables_of_others_stay_where_a_forgotten_one_is_taken_out(tenter: Call, project: Path) -> None:
    config = config_of("amcp")
    config.parent.mkdir()
    config.write_text("# mine\n[[hooks.Stop]]\ncommand = 'true' # too\n")
    before = config.read_text()
    tenter("install", "--agent", "amcp", GUARD, "--yes")
    config.write_text(f'{config.read_text()}\n[[hooks.Stop]]\ncommand = "later"\n')
    forget()

    assert tenter("uninstall", "--yes").code == 0
    assert config.read_text() == f'{before}\n[[hooks.Stop]]\ncommand = "later"\n'


def test_a_file_that_cannot_be_read_and_says_nothing_of_us_keeps_nobody_from_the_others(
    tenter: Call, project: Path
) -> None:
    tenter("install", "--agent", "moai", GUARD, "--yes")
    forget()
    Path(".gemini").mkdir()
    Path(".gemini/settings.json").write_text("{broken")

    assert tenter("uninstall", "--yes").code == 0
    assert calls("moai") == []


def test_a_users_own_file_is_looked_at_too(tenter: Call, project: Path) -> None:
    tenter("install", "--user", "--agent", "claude", GUARD, "--yes")
    forget()
    ran = tenter("uninstall", "--user", "--yes", "--json")

    assert [one["agent"] for one in json.loads(ran.out)["agents"]] == ["claude"]
    assert FORGOTTEN in json.loads(ran.out)["agents"][0]["notes"][0]
    assert "tenter run" not in (Path(os.environ["HOME"]) / ".claude/settings.json").read_text()


@pytest.mark.parametrize("recorded", [True, False])
def test_hooks_of_an_earlier_form_move_into_our_config(recorded: bool, tenter: Call, project: Path) -> None:
    """Those that nobody remembers may be a stranger's: they wait for an approval, and nothing of them runs before."""
    write_earlier_form(tenter, "", recorded=recorded)
    Path(GUARD).write_text(f"open('ran', 'w').close()\n{Path(GUARD).read_text()}")
    ran = tenter("install", "--agent", "claude", "--yes")

    assert ran.code == 0, ran.out
    assert "hook files" not in config_of("claude").read_text()
    assert tomllib.loads(Path("tenterhook.toml").read_text())["hook"] == [{"use": GUARD}, {"use": "library:secrets"}]
    states = {hook.name: hook.state for hook in HookSet(EngineOptions(".")).hooks()}
    assert set(states) == {"no-force-push", "tests-first", "secrets"}
    assert set(states.values()) == {"trusted" if recorded else "untrusted"}
    assert Path("ran").exists() == recorded
    assert ("approved:" if recorded else "set aside: no-force-push, secrets, tests-first;") in ran.out


def test_options_of_an_earlier_form_move_too(tenter: Call, project: Path) -> None:
    before = write_earlier_form(tenter, " --set branch=next", recorded=True)
    tenter("install", "--agent", "claude", "--yes")

    wanted = [{"use": GUARD, "options": {"branch": "next"}}, {"use": "library:secrets"}]
    assert tomllib.loads(Path("tenterhook.toml").read_text())["hook"] == wanted
    tenter("uninstall", "--yes")
    assert (config_of("claude").read_bytes(), Path("tenterhook.toml").exists()) == (before, False)


def test_an_earlier_form_that_cannot_move_as_it_is_stays(tenter: Call, project: Path) -> None:
    write_earlier_form(tenter, " --set branch=next", recorded=False)
    written = config_of("claude").read_bytes()
    ran = tenter("install", "--agent", "claude", "--yes")

    assert ran.code == 1
    assert "with options, and no record says that you installed that; nothing was written" in ran.err
    assert config_of("claude").read_bytes() == written
    assert tenter("install", "--agent", "claude", GUARD, "library:secrets", "--yes").code == 0


def test_a_file_of_an_earlier_form_that_is_gone_is_told(tenter: Call, project: Path) -> None:
    write_earlier_form(tenter, "", recorded=True)
    Path(GUARD).unlink()
    ran = tenter("install", "--agent", "claude", "--yes")

    assert ran.code == 1
    assert "my guard.py, which is not there any more; name the file where it is now: tenter install FILE" in ran.out
    assert tomllib.loads(Path("tenterhook.toml").read_text())["hook"] == [{"use": "library:secrets"}]


def write_earlier_form(tenter: Call, options: str, *, recorded: bool) -> bytes:
    """As an earlier version wrote it: two files in every entry, and a record that says so. Returns the original."""
    config = config_of("claude")
    config.parent.mkdir()
    config.write_text(json.dumps({"theme": "dark"}))
    before = config.read_bytes()
    tenter("install", "--agent", "claude", "--program", "tenter", "--yes")
    now = "tenter run --agent claude"
    earlier = f"""tenter run "${{CLAUDE_PROJECT_DIR}}"/'{GUARD}'{options} library:secrets --agent claude"""
    record = next((Path(os.environ["HOME"]) / ".local/state/tenterhook/installs").iterdir())
    config.write_text(config.read_text().replace(now, json.dumps(earlier)[1:-1]))
    known = json.loads(record.read_text().replace(now, json.dumps(earlier)[1:-1]))
    for edit in known["configs"][str(config)]["edits"]:
        edit["new"] = edit["new"].replace(earlier, json.dumps(earlier)[1:-1])
    known["configs"][str(config)]["digest"] = hashlib.sha256(config.read_bytes()).hexdigest()
    record.write_text(json.dumps(known))
    if not recorded:
        forget()
    return before
