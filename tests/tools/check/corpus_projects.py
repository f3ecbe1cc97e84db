"""The corpus of published configs, each put where its agent reads it, and what `tenter check` finds in it.

Run this file to see how the findings differ from those in corpus/expected.txt; with --write it writes them there. Then
look at each new one: corpus/reviews.toml says why a kind of finding is right.
"""

from __future__ import annotations

import difflib
import json
import re
import shutil
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.tools.check.run_checks import check

CORPUS = Path(__file__).parent / "corpus"
EXPECTED = CORPUS / "expected.txt"
# What is installed where the configs are used. Other programs are not, as on most machines.
PROGRAMS = (
    *("awk", "bash", "bun", "cat", "curl", "cut", "date", "echo", "git", "go", "grep", "jq", "node", "npm", "npx"),
    *("pnpm", "powershell", "pwsh", "python", "python3", "ruff", "sh", "tail", "uv"),
)
# Files that an entry calls, by their extensions; a path with a folder of its own before it is not in the project.
FILE = re.compile(r"(?<![\w~.:\\/-])(?:\./)?((?:[\w.-]+/)*[\w.-]+\.(?:sh|py|js|mjs|cjs|ts|cmd|ps1|go))\b")
FOLDER = re.compile(r"""\$(?:\{\w+\}|\w+|\(git rev-parse --show-toplevel\))["']?/""")
# The folder in which a plugin's files lie.
PLUGIN = re.compile(r"(~/\.(claude|codex)/plugins/cache/([^/]+)/([^/]+)/[^/]+)/hooks/hooks\.json")


class PublishedConfig(NamedTuple):
    """A config of the index."""

    file: str
    agent: str
    repository: str
    path: str
    commit: str
    licence: str = ""
    left_out: list[str] = []
    changed: str = ""
    place: str = ""
    scripts: dict[str, str] = {}
    files: list[str] = []

    @property
    def text(self) -> str:
        return (CORPUS / self.file).read_text()


def configs() -> list[PublishedConfig]:
    rows = tomllib.loads((CORPUS / "index.toml").read_text())["config"]
    return [PublishedConfig(**row) for row in rows]


def reviews() -> list[dict[str, Any]]:
    return tomllib.loads((CORPUS / "reviews.toml").read_text())["review"]


def findings(config: PublishedConfig, folder: Path) -> list[str]:
    """What `tenter check` says of a config, without the folder's own path. The folder must be empty."""
    project, home, programs = folder / "project", folder / "home", folder / "programs"
    project.mkdir()
    for name in PROGRAMS:
        write(programs / name, "#!/bin/sh\n")
    place = config.place or config.path
    plugin = PLUGIN.fullmatch(place)
    root = under(plugin[1], home) if plugin else project
    if plugin:
        enable(plugin, home)
    write(under(place, home) if place.startswith("~") else project / place, config.text)
    for path in {*called_files(config.text), *config.files} - set(config.scripts):
        write(root / path, "#!/bin/sh\n")
    for path, script in config.scripts.items():
        write(root / path, (CORPUS / "scripts" / script).read_text())
    environ = {"PATH": str(programs), "HOME": str(home)}
    options = EngineOptions(
        project, dialect=config.agent, home=home, environ=environ, trust="all", on_config_error="warn"
    )
    said = []
    for one in check(HookSet(options)).problems:
        where = "" if Path(one.file).name == Path(place).name else f"{one.file}:"
        text = f"{where}{one.line}:{one.column} {one.level}: {one.text}"
        said.append(text.replace(f"{project}/", "").replace(str(home), "~"))
    return said


def called_files(text: str) -> Iterator[str]:
    """The files of the project that entries call, as far as an extension tells."""
    plain = FOLDER.sub("", text.replace('\\"', "").replace("'", ""))
    return (found[1] for found in FILE.finditer(plain))


def enable(plugin: re.Match[str], home: Path) -> None:
    agent, name = plugin[2], f"{plugin[4]}@{plugin[3]}"
    if agent == "claude":
        write(home / ".claude/settings.json", json.dumps({"enabledPlugins": {name: True}}))
    else:
        write(home / ".codex/config.toml", f'[plugins."{name}"]\nenabled = true\n')


def under(path: str, home: Path) -> Path:
    return home / path.removeprefix("~/")


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def expected() -> dict[str, list[str]]:
    """The findings of each config, as they were reviewed."""
    found: dict[str, list[str]] = {}
    name = ""
    for line in EXPECTED.read_text().splitlines():
        if line.startswith("  "):
            found[name].append(line.strip())
        elif line:
            found[name := line] = []
    return found


def as_text(found: dict[str, list[str]]) -> str:
    return "\n".join("\n".join([name, *(f"  {one}" for one in said), ""]) for name, said in found.items())


def differences(before: str, after: str) -> str:
    return "\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), "expected", "found", lineterm=""))


def main(argv: list[str]) -> int:
    found = {}
    for config in configs():
        folder = Path(tempfile.mkdtemp())
        found[config.file] = findings(config, folder)
        shutil.rmtree(folder)
    before, after = EXPECTED.read_text() if EXPECTED.exists() else "", as_text(found)
    print(differences(before, after) or "nothing differs")
    if "--write" in argv:
        EXPECTED.write_text(after)
    return before != after


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
