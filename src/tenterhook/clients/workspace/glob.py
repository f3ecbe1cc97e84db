"""Glob: find files by a pattern of their names, newest first."""

from __future__ import annotations

import fnmatch
import os
import re
import time
from collections.abc import Callable, Sequence
from functools import cache

from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.workspace import SKIPPED, WalkedFile, Workspace, WorkspaceError

MOST_FILES, MOST_LOOKED_AT, MOST_SECONDS = 200, 500_000, 20.0
MAGIC = re.compile(r"[*?\[{]")
BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")
MOST_FORMS = 64
# Longer than any path: the cost of a pattern grows faster than its length, and it cannot be interrupted.
LONGEST = 1000

ABOUT = f"""Find files by a pattern: * and ? within a name, ** for any folders, [abc] and {{a,b}} for one of several.
The newest come first, at most {MOST_FILES}. Links are not followed, .gitignore is not read; folders such as .git and
node_modules are left out unless the path names them."""


def definition(workspace: Workspace) -> Definition:
    def glob(pattern: str, path: str = ".") -> str:
        base, pattern = split_glob_base(pattern, path)
        if not pattern:
            return (
                workspace.display_path(base) if exists(workspace, base) else f"[no file {workspace.display_path(base)}]"
            )
        found, whole = matching(workspace, base, matcher(pattern))
        found.sort(key=lambda entry: (-entry.modified, entry.path))
        shown = [workspace.display_path(entry.path) for entry in found[:MOST_FILES]]
        if len(found) > MOST_FILES:
            shown.append(f"[{len(found) - MOST_FILES:,} older files match too: make the pattern narrower]")
        if not whole:
            shown.append("[not everything was looked at, it is too much: name a folder with path]")
        return "\n".join(shown) or "[no file matches]"

    return Definition(
        name="Glob",
        about=ABOUT,
        inputs={
            "pattern": {"type": "string", "description": "Such as src/**/*.py; a * alone does not enter folders."},
            "path": {"type": "string", "description": "The folder to look in; by default the project."},
        },
        function=glob,
        required=("pattern",),
        asks=lambda input: workspace.asks(split_glob_base(input["pattern"], input.get("path", "."))[0]),
    )


def split_glob_base(pattern: str, path: str) -> tuple[str, str]:
    """The folder to look in and the pattern below it: the first parts of a pattern may be a plain path."""
    if not pattern:
        raise WorkspaceError("a pattern is needed")
    if len(pattern) > LONGEST:
        raise WorkspaceError(f"the pattern is longer than {LONGEST:,} characters")
    parts = pattern.split("/")
    plain = next((number for number, part in enumerate(parts) if MAGIC.search(part)), len(parts))
    rest = [part for part in parts[plain:] if part not in ("", ".")]
    if ".." in rest:
        raise WorkspaceError("after the first * or ? a pattern cannot go back by ..: name the folder with path")
    base = "/".join(parts[:plain]) or ("/" if pattern.startswith("/") else "")
    return base if base.startswith("~") else os.path.join(path or ".", base), "/".join(rest)


def exists(workspace: Workspace, path: str) -> bool:
    try:
        return not workspace.is_folder(path)
    except WorkspaceError:
        return False


def matching(workspace: Workspace, base: str, matches: Callable[[str], bool]) -> tuple[list[WalkedFile], bool]:
    """The files, and whether everything was looked at."""
    found: list[WalkedFile] = []
    until, start = time.monotonic() + MOST_SECONDS, len(os.path.join(base, ""))
    for number, entry in enumerate(workspace.walk(base, SKIPPED)):
        if number >= MOST_LOOKED_AT or (number % 256 == 255 and time.monotonic() > until):
            return found, False
        if matches(entry.path[start:]):
            found.append(entry)
    return found, True


def matcher(pattern: str) -> Callable[[str], bool]:
    """Whether a path below the folder matches. Name by name, so that the time is linear in the path's length."""
    forms = [
        [one if one == "**" else compile_glob_part(one) for one in form.split("/")] for form in expand_braces(pattern)
    ]
    return lambda path: any(fits(path.split("/"), form) for form in forms)


@cache
def compile_glob_part(part: str) -> re.Pattern[str]:
    return re.compile(fnmatch.translate(part))


def fits(names: Sequence[str], parts: Sequence[str | re.Pattern[str]]) -> bool:
    """Which parts of the pattern may come next, name after name."""
    states = skip_double_stars({0}, parts)
    for name in names:
        after = set()
        for state in states:
            part = parts[state] if state < len(parts) else None
            if part is None:
                continue
            if isinstance(part, str):
                after.add(state)
            elif part.match(name):
                after.add(state + 1)
        states = skip_double_stars(after, parts)
    return len(parts) in states


def skip_double_stars(states: set[int], parts: Sequence[str | re.Pattern[str]]) -> set[int]:
    """Include positions after **, which may stand for no folder at all."""
    more = set(states)
    for state in sorted(states):
        while state < len(parts) and isinstance(parts[state], str):
            state += 1
            more.add(state)
    return more


def expand_braces(pattern: str) -> list[str]:
    """The pattern once for each choice of its braces."""
    forms = [pattern]
    while len(forms) <= MOST_FORMS:
        at = next((number for number, form in enumerate(forms) if BRACES.search(form)), None)
        if at is None:
            return forms
        form = forms.pop(at)
        match = BRACES.search(form)
        assert match
        forms[at:at] = [form[: match.start()] + one + form[match.end() :] for one in match[1].split(",")]
    raise WorkspaceError(f"the braces of this pattern stand for more than {MOST_FORMS} patterns")
