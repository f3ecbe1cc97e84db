"""Installs that nobody remembers: the record was deleted, or the project was moved."""

import json
import os
import shutil
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
    tenter("install", "--agent", agent, "library:audit", GUARD, "--yes")
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
    assert "my guard" not in config_of(agent).read_text()
    assert tenter("uninstall", "--yes").out.startswith("nothing to uninstall")


@pytest.mark.parametrize("agent", AGENTS)
def test_a_second_install_remembers_again_what_was_forgotten(agent: str, tenter: Call, project: Path) -> None:
    tenter("install", "--agent", agent, GUARD, "--yes")
    written = config_of(agent).read_bytes()
    forget()
    ran = tenter("install", "--agent", agent, GUARD, "--yes")

    assert ran.code == 0, ran.out
    assert "their record is written again" in ran.out
    assert f"{config_of(agent)} as it was" in ran.out
    assert config_of(agent).read_bytes() == written
    assert len(list((Path(os.environ["HOME"]) / ".local/state/tenterhook/installs").iterdir())) == 1
    assert "nothing to do: the entries are there" in tenter("install", "--agent", agent, GUARD, "--yes").out
    undone = tenter("uninstall", "--yes")
    assert undone.code == 0
    assert FORGOTTEN in undone.out
    assert calls(agent) == []


@pytest.mark.parametrize("agent", AGENTS)
def test_a_project_that_was_moved_is_installed_anew(
    agent: str, tenter: Call, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old entries name files that are no more, for agents that have no variable for the folder."""
    tenter("install", "--agent", agent, GUARD, "--yes")
    before = calls(agent)
    moved = project.rename(project.parent / "else where")
    monkeypatch.chdir(moved)
    ran = tenter("install", "--agent", agent, GUARD, "--yes")

    assert ran.code == 0, ran.out
    assert calls(agent) == before
    assert tenter("uninstall", "--yes").code == 0
    assert calls(agent) == []


def test_other_hooks_take_the_place_of_forgotten_ones(tenter: Call, project: Path) -> None:
    Path("other.py").write_text(Path(GUARD).read_text().replace("no_force_push", "other"))
    config = config_of("moai")
    config.parent.mkdir()
    config.write_text(json.dumps(THEIRS, indent=4))
    tenter("install", "--agent", "moai", GUARD, "--yes")
    forget()
    ran = tenter("install", "--agent", "moai", "other.py", "--yes")

    assert "fires: other: refused" in ran.out
    assert "my guard" not in config.read_text()
    assert tenter("uninstall", "--yes").code == 0
    assert json.loads(config.read_text()) == {**THEIRS, "hooks": {**THEIRS["hooks"], "PreToolUse": []}}


HANDMADE = [
    "tenter run guard.py --agent moai",  # install names no file by a relative path
    "tenter run '/x/guard.py' --agent moai",  # nor quotes what needs no quotes
    "tenter run /x/guard.py --agent wave",
    "tenter run /x/guard.py --agent moai; true",
    "tenter run --agent moai /x/guard.py",
    "tenter run /x/guard.py",
    "nottenter run /x/guard.py --agent moai",
    "tenter fire /x/guard.py --agent moai",
    "tenter run --agent moai",
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
    forget()

    assert tenter("uninstall", "--yes").code == 0
    assert json.loads(config.read_text()) == {**THEIRS, "hooks": {**THEIRS["hooks"], "PreToolUse": []}}


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
    assert json.loads(config.read_text())["hooks"] == {"PreToolUse": [], "Stop": [group]}
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
    assert "my guard" not in (Path(os.environ["HOME"]) / ".claude/settings.json").read_text()
