"""A folder for device management: administrators' files of agents at their paths, and a page on them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from tenterhook import dialects
from tenterhook.author.loading import LIBRARY
from tenterhook.errors import UsageError
from tenterhook.hosts.gate.hooks import hooks_of_file
from tenterhook.tools.install import change, command_line, hookfiles, limits, own_config
from tenterhook.tools.install.editing.edit import EMPTY, apply_additions
from tenterhook.tools.install.editing.writing import Change, content, folders_for
from tenterhook.tools.install.target import Target, build_managed_target

# The folders of the bundle, by the names of `sys.platform`.
SYSTEMS = {"linux": "linux", "macos": "darwin"}
# Where the program is on the machines, unless `--program` says so.
USUAL_PROGRAM = "/usr/local/bin/tenter"
README = "README.md"

HEAD = """\
# tenterhook for all users of a machine

Each folder has the files of one system at their paths. Put them there with root as their owner and mode 0644, their
folders with mode 0755. The agents call `{program}`: install tenterhook there, so that root alone can change it.

If a machine has one of the files already, do not replace it: run this there as root, with the options of your hooks. It
adds the entries and keeps the rest. `tenter uninstall --managed` gives the file back as it was.

```sh
{program} install --managed {words}
```

To take a bundle back, remove the files.

## What goes where
"""
WINDOWS = """\

On Windows agents look for these files. The bundle has none of them, because tenterhook does not
read the system's file there.

"""


class BundleFile(Struct, frozen=True):
    """One file of the bundle, by its path there."""

    path: str
    data: bytes


def make_bundle(
    agents: list[str], files: list[tuple[str, dict[str, Any]]], program: str, timeout: float | None, others: list[str]
) -> list[BundleFile]:
    """All files for these agents and hooks. `others` are agents whose own hooks run, too."""
    found: list[BundleFile] = []
    rows: list[tuple[str, str, str]] = []
    for system, platform in SYSTEMS.items():
        own = build_managed_target(dialects.DEFAULT, own_config.OWN, platform)
        for path, data in own_files(own, files):
            found.append(BundleFile(f"{system}/{path}", data))
            rows.append((system, own.dialect.title, f"/{path}"))
        hooks = [hook for word, _ in files for hook in hooks_of_file(word, [], os.getcwd(), "/")]
        for name in agents:
            target = build_managed_target(name, dialects.get(name).install, platform)
            events, _ = hookfiles.events_to_connect(target.dialect, hooks)
            line = command_line.line_of(name, program, [one for one in others if one != name])
            wanted = change.additions(target, events, line, timeout, {})
            data, _ = apply_additions(EMPTY[target.file.format], target.path, target.file.format, wanted)
            found.append(BundleFile(f"{system}/{target.path}", data))
            rows.append((system, target.dialect.title, target.whole))
    page = render_page(agents, rows, program, [word for word, _ in files])
    return [*found, BundleFile(README, page.encode())]


def own_files(own: Target, files: list[tuple[str, dict[str, Any]]]) -> list[tuple[str, bytes]]:
    """Our config, and the hook files that it names."""
    entries = [own_config.entry_for(own_config.name_in_config(word, own), options) for word, options in files]
    found = [(own.path, apply_additions(own_config.first_text(own), own.path, own.file.format, entries)[0])]
    for word, _ in files:
        if not word.startswith(LIBRARY):
            path = os.path.join(os.path.dirname(own.path), own_config.name_in_config(word, own))
            if any(path == known for known, _ in found):
                raise UsageError(f"two hook files are called {os.path.basename(path)}; rename one")
            found.append((path, content(os.path.realpath(word)) or b""))
    return found


def render_page(agents: list[str], rows: Sequence[tuple[str, str, str]], program: str, words: list[str]) -> str:
    named = " ".join([f"--agent {','.join(agents)}", *(os.path.basename(word) for word in words)])
    lines = [HEAD.format(program=program, words=named), "| System | Agent | File |", "| --- | --- | --- |"]
    lines += [f"| {system} | {title} | `{path}` |" for system, title, path in rows]
    known = [(dialects.get(name).title, dialects.get(name).install) for name in agents]
    windows = [(title, one.managed.windows) for title, one in known if one and one.managed and one.managed.windows]
    if windows:
        lines += [
            WINDOWS + "| Agent | File |",
            "| --- | --- |",
            *(f"| {title} | `{path}` |" for title, path in windows),
        ]
    lines += ["", "## What to know of each agent", ""]
    for name in agents:
        dialect = dialects.get(name)
        lines += [f"- {dialect.title}: {text}." for text in limits.of_files(dialect, managed=True)]
    return "\n".join([*lines, ""])


def bundle_changes(folder: str, files: list[BundleFile]) -> tuple[list[Change], list[str]]:
    """The files to write and the folders to make. A file of another content is never replaced."""
    changes = []
    for one in files:
        path = os.path.join(folder, one.path)
        now = content(path)
        if now not in (None, one.data):
            raise UsageError(f"{path} is there with another content; name an empty folder")
        if now is None:
            changes.append(Change(path, None, one.data))
    return changes, folders_for([change.path for change in changes])
