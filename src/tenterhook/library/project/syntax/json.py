"""JSON; with comments and commas at the end where the program that reads the file allows them."""

from __future__ import annotations

import os

from tenterhook.errors import ConfigError
from tenterhook.library.project.syntax.place import at, format_config_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RELAXED = (".jsonc", ".code-workspace")
RELAXED_NAMES = ("tsconfig", "jsconfig", "devcontainer", "deno", "wrangler", "turbo", "biome", "api-extractor")
RELAXED_FOLDERS = (".vscode", ".devcontainer", ".cursor", ".zed", ".gemini", ".llxprt")
EITHER = (".babelrc", ".eslintrc", ".prettierrc", ".swcrc")


def problems(path: str, text: str) -> list[str]:
    name = os.path.basename(path).lower()
    if name in EITHER and not text.lstrip().startswith(("{", "[", "/")):
        return []  # the same file may be YAML
    if not is_sound(text):
        return find_json_problems(text, allows_json_comments(path))
    from tenterhook.library.project.syntax.kubernetes import in_json

    return in_json(text)


def is_sound(text: str) -> bool:
    """The reader that knows places takes longer to load than most files take to read: it is for what is wrong."""
    import json

    try:
        json.loads(text, object_pairs_hook=once_each, parse_constant=once_each)
    except (ValueError, RecursionError):
        return False
    return True


def once_each(pairs: Any) -> None:
    """Refuses a key that stands twice, and NaN, which Python would take; what the values are does not matter."""
    if isinstance(pairs, str) or len({key for key, _ in pairs}) < len(pairs):
        raise ValueError


def find_json_problems(text: str, is_relaxed: bool) -> list[str]:
    from tenterhook.support.readers import json

    try:
        text = strict(text) if is_relaxed else text
        json.values(text, "")
        repeated = json.scan(text, "")[1]
    except ConfigError as exc:
        return [format_config_error(exc)]
    return [
        at(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset), f"the key {key!r} stands here again")
        for offset, key in repeated
    ]


def allows_json_comments(path: str) -> bool:
    """Whether the program that reads the file allows comments and last commas."""
    folder, name = os.path.split(path.lower())
    first = name.partition(".")[0]
    usual = name.endswith(RELAXED) or name.startswith(EITHER) or first in RELAXED_NAMES
    return usual or os.path.basename(folder) in RELAXED_FOLDERS


def strict(text: str) -> str:
    """Blanks for comments and for the commas before a closing bracket, strings left alone."""
    import re

    from tenterhook.support.readers.json import blank_out_comments

    # A string that is not closed ends where it ends: to look for its end from each quote in it would be quadratic.
    found = r'"(?:[^"\\\n]|\\.)*+"?|,(?=\s*[}\]])'
    return re.sub(found, lambda one: one[0] if one[0] != "," else " ", blank_out_comments(text, ""))
