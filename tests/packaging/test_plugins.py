"""The plugin's folder, as each agent reads it: our own engine fires an event through it."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tenterhook import Engine, dialects
from tenterhook.support import readers
from tenterhook.tools.install.canary import AgentRunner
from tenterhook.version import __version__

ROOT = Path(__file__).parents[2]
PLUGIN = ROOT / "plugins" / "tenterhook"
HOOKS = {"claude": "hooks/hooks.json", "codex": "hooks/codex.json", "cursor": "hooks/cursor.json"}
MANIFESTS = {agent: json.loads((PLUGIN / f".{agent}-plugin" / "plugin.json").read_text()) for agent in HOOKS}
MARKETS = {
    "claude": ROOT / ".claude-plugin" / "marketplace.json",
    "codex": ROOT / ".agents" / "plugins" / "marketplace.json",
    "cursor": ROOT / ".cursor-plugin" / "marketplace.json",
}
RULE = '[[hook]]\nname = "house rule"\non = "tool.before"\nmatch = "shell"\ncommand = "echo not here >&2; exit 2"\n'
SETTINGS = {"enabledPlugins": {"tenterhook@tenterhook": True}}
CODEX = '[plugins."tenterhook@tenterhook"]\nenabled = true\n'
TOOLS = {"claude": "Bash", "codex": "Bash", "cursor": "Shell"}


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user's folder with the rule, and `tenter` on PATH."""
    folder = tmp_path / "home"
    (folder / ".config" / "tenterhook").mkdir(parents=True)
    (folder / ".config" / "tenterhook" / "tenterhook.toml").write_text(RULE)
    (tmp_path / "project").mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    return folder


def install_plugin(agent: str, home: Path) -> str | None:
    """Put the folder where the agent keeps plugins; the hook file, for an agent whose plugins we do not look for."""
    if agent == "cursor":
        return str(PLUGIN / HOOKS[agent])
    place = home / f".{agent}" / "plugins" / "cache" / "tenterhook" / "tenterhook" / __version__
    shutil.copytree(PLUGIN, place)
    (home / f".{agent}" / "settings.json").write_text(json.dumps(SETTINGS))
    (home / f".{agent}" / "config.toml").write_text(CODEX)
    if agent == "codex":  # the manifest names the file that counts
        shutil.copy(place / MANIFESTS[agent]["hooks"], place / "hooks" / "hooks.json")
    return None


def fire(agent: str, home: Path, command: str) -> tuple[bool, str]:
    config = install_plugin(agent, home)
    options = {"home": str(home), "config": config, "trust": "all", "secrets": "pass", "supervisor": "off"}
    with Engine(home.parent / "project", dialect=agent, **options) as engine:
        engine.runner = AgentRunner()  # it starts what the agent would start, as no hook of ours
        outcome = engine.fire("tool.before", tool_name=TOOLS[agent], tool_input={"command": command})
    return outcome.blocked, outcome.reason


@pytest.mark.parametrize("agent", HOOKS)
def test_an_event_goes_through_the_plugin_to_the_user_s_rule(agent, home):
    blocked, reason = fire(agent, home, "ls")

    assert (blocked, "not here" in reason) == (True, True)


@pytest.mark.parametrize("agent", HOOKS)
def test_without_the_command_the_plugin_refuses(agent, home, monkeypatch):
    monkeypatch.setenv("PATH", "/usr/bin:/bin")

    assert fire(agent, home, "ls")[0]


@pytest.mark.parametrize("agent", HOOKS)
def test_a_manifest_says_the_version_and_names_files_that_exist(agent):
    manifest = MANIFESTS[agent]
    skill = readers.read(str(PLUGIN / "skills" / "why-blocked" / "SKILL.md"), "frontmatter").data

    assert (manifest["name"], manifest["version"]) == ("tenterhook", __version__)
    assert all((PLUGIN / manifest[key]).exists() for key in ("hooks", "skills") if key in manifest)
    assert (PLUGIN / manifest.get("hooks", "hooks/hooks.json")).samefile(PLUGIN / HOOKS[agent])
    assert (skill["name"], len(skill["description"]) <= 1024) == ("why-blocked", True)


@pytest.mark.parametrize("agent", HOOKS)
def test_a_marketplace_leads_to_the_plugin(agent):
    market = json.loads(MARKETS[agent].read_text())
    (entry,) = market["plugins"]
    source = entry["source"]["path"] if isinstance(entry["source"], dict) else entry["source"]
    below = market.get("metadata", {}).get("pluginRoot", ".")

    assert (ROOT / below / source).samefile(PLUGIN)


@pytest.mark.parametrize("agent", HOOKS)
def test_every_event_that_can_be_refused_is_connected(agent):
    dialect = dialects.get(agent)
    connected = set(json.loads((PLUGIN / HOOKS[agent]).read_text())["hooks"])

    assert {rule.name for rule in dialect.events if rule.name in connected} == connected
    assert dialect.rule("tool.before").name in connected
