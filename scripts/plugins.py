"""Write what is made of the plugins: hook files as `tenter install` would write them, manifests and marketplaces.

One folder, plugins/tenterhook, is a plugin of three agents; its skill and its README are written by hand.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from tenterhook import dialects
from tenterhook.author.registered import GUARDED
from tenterhook.config.entry_keys import key_of
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.tools.install.change import install
from tenterhook.tools.install.command_line import line_of
from tenterhook.tools.install.hookfiles import events_to_connect
from tenterhook.tools.install.target import target
from tenterhook.version import __version__

ROOT = Path(__file__).parent.parent
NAME = "tenterhook"
PLUGIN = ROOT / "plugins" / NAME
SOURCE = "https://github.com/tenterhook/tenterhook"
ABOUT = "Runs the hooks of tenterhook.toml: one config that every agent obeys. Needs the command tenter."
# The file of each agent's hooks. The first is where two of them look by default; a manifest names the others.
HOOKS = {"claude": "hooks/hooks.json", "codex": "hooks/codex.json", "cursor": "hooks/cursor.json"}
# A shell's way to refuse where the command fails or is not installed: an agent takes other exit codes for permission.
OR_REFUSE = " || exit 2"

COMMON = {
    "name": NAME,
    "version": __version__,
    "description": ABOUT,
    "author": {"name": "the authors of tenterhook"},
    "homepage": "https://tenterhook.github.io/tenterhook/",
    "repository": SOURCE,
    "license": "Apache-2.0",
    "keywords": ["hooks", "policy", "guard", "audit"],
}


def files() -> dict[Path, str]:
    found: dict[Path, Any] = {PLUGIN / path: hook_file(agent) for agent, path in HOOKS.items()}
    found |= {
        PLUGIN / ".claude-plugin/plugin.json": COMMON,
        PLUGIN / ".codex-plugin/plugin.json": {
            **COMMON,
            "skills": "./skills/",
            "hooks": f"./{HOOKS['codex']}",
            "interface": {"displayName": NAME, "shortDescription": ABOUT, "category": "Developer Tools"},
        },
        PLUGIN / ".cursor-plugin/plugin.json": {
            **COMMON,
            "displayName": NAME,
            "skills": "./skills/",
            "hooks": f"./{HOOKS['cursor']}",
        },
        ROOT / ".claude-plugin/marketplace.json": {
            "name": NAME,
            "description": ABOUT,
            "owner": {"name": "the authors of tenterhook"},
            "plugins": [{"name": NAME, "source": f"./plugins/{NAME}", "description": ABOUT}],
        },
        ROOT / ".agents/plugins/marketplace.json": {
            "name": NAME,
            "interface": {"displayName": NAME},
            "plugins": [
                {
                    "name": NAME,
                    "source": {"source": "local", "path": f"./plugins/{NAME}"},
                    "policy": {"installation": "AVAILABLE", "authentication": "ON_INSTALL"},
                    "category": "Developer Tools",
                }
            ],
        },
        ROOT / ".cursor-plugin/marketplace.json": {
            "name": NAME,
            "owner": {"name": "the authors of tenterhook"},
            "metadata": {"description": ABOUT, "pluginRoot": "plugins"},
            "plugins": [{"name": NAME, "source": NAME, "description": ABOUT}],
        },
    }
    return {path: json.dumps(data, indent=2, ensure_ascii=False) + "\n" for path, data in found.items()}


def hook_file(agent: str) -> dict[str, Any]:
    """What an install would write, with a refusal where `tenter` is missing."""
    dialect = dialects.get(agent)
    with tempfile.TemporaryDirectory() as project:
        place = target(agent, project, user=False)
        changes = install(place, events_to_connect(dialect, ())[0], line_of(agent, "tenter"), None)
        (made,) = (change.after for change in changes.changes if change.path.endswith(place.path))
    data: dict[str, Any] = json.loads(made or b"{}")
    if not key_of(dialect.config.form.keys, "closed") or dialect.config.form.group:
        refuse_without_us(dialect, data["hooks"])
    return {"description": ABOUT, **data} if dialect.config.form.group else data


def refuse_without_us(dialect: Dialect, hooks: dict[str, Any]) -> None:
    """At the events at which a hook can guard."""
    for name, groups in hooks.items():
        rule = dialect.rule(name)
        if rule and rule.kind in GUARDED:
            for entry in (entry for group in groups for entry in group[dialect.config.form.group]):
                entry["command"] += OR_REFUSE
