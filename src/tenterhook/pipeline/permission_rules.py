"""Permission rules, with which some agents let an entry limit a hook: `Tool`, `Tool(what)`.

Every part of a shell command is checked, including substitutions. A part that cannot be read counts as matching: a
guard that cannot look must not be bypassed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import dropwhile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tenterhook.support.shell.records import SimpleCommand

FORM = re.compile(r"([\w*.-]+)(?:\((.*)\))?", re.DOTALL)
# The prefix of the names of MCP tools.
SERVERS = "mcp__"
# Inputs that name a file.
FILES = ("file_path", "notebook_path", "path", "absolute_path")
# The longest command that is checked part by part.
LONGEST = 1 << 16


def is_rule(text: str) -> bool:
    return FORM.fullmatch(text.strip()) is not None


def permits(rule: str, data: Mapping[str, Any]) -> bool:
    """Whether the rule matches this call. An event without a tool matches no rule."""
    found = FORM.fullmatch(rule.strip())
    tool, given = data.get("tool_name"), data.get("tool_input")
    if not isinstance(tool, str):
        return False
    if found is None:
        return not rule.strip()
    if not names(found[1], tool):
        return False
    what = (found[2] or "").strip()
    return what in ("", "*") or about(what, given if isinstance(given, Mapping) else {})


def names(named: str, tool: str) -> bool:
    """Match the tool itself, or MCP tools by a glob or by their server."""
    return named == tool or (named.startswith(SERVERS) and fnmatchcase(tool, named)) or tool.startswith(f"{named}__")


def about(what: str, given: Mapping[str, Any]) -> bool:
    command = given.get("command")
    if isinstance(command, str):
        return runs(what, command)
    if what.startswith("domain:") and isinstance(url := given.get("url"), str):
        return at_domain(what.removeprefix("domain:"), url)
    file = next((given[key] for key in FILES if isinstance(given.get(key), str)), None)
    if file is not None:
        return path_pattern(what).fullmatch(file) is not None
    return any(fnmatchcase(value, what) for value in given.values() if isinstance(value, str))


def runs(what: str, command: str) -> bool:
    """`git push` is exactly that command; `git *` and `git:*` are git alone or with any arguments."""
    if len(command) > LONGEST:
        return True
    what = f"{what[:-2]} *" if what.endswith(":*") else what
    test = command_pattern(what)
    return any(part is None or test.fullmatch(part) for part in parts(command))


def parts(command: str) -> Iterator[str | None]:
    """The whole command and each simple command in it, without assignments; None for a part that cannot be read."""
    from tenterhook.support.shell import parse

    yield command.strip()
    script = parse(command)
    if script.problem:
        yield None
    for one in script.commands:
        words = [word.text for word in one.words]
        if doubtful(one):
            yield None
        yield " ".join(words)
        if words[:1] == ["xargs"]:
            yield " ".join(dropwhile(lambda word: word.startswith("-"), words[1:]))


def doubtful(command: SimpleCommand) -> bool:
    """Whether the program or its arguments come from something that is not checked."""
    from tenterhook.support.shell.records import BRACE, UNKNOWN, VARIABLE

    pieces = [piece for word in command.words for piece in word.pieces]
    given = any(kind == VARIABLE and value.operand for kind, value in pieces)
    listed = any(kind == BRACE and value == "," for kind, value in pieces)
    here = any(one.operator.startswith("<<") and one.operator != "<<<" for one in command.redirections)
    return given or listed or here or any(UNKNOWN in word.text for word in command.words[:1])


@lru_cache(maxsize=1024)
def command_pattern(what: str) -> re.Pattern[str]:
    """A star matches anything; after a blank at the end of the rule it also matches nothing."""
    whole = what.removesuffix(" *")
    body = ".*".join(map(re.escape, whole.split("*")))
    return re.compile(f"{body}(?: .*)?" if whole != what else body, re.DOTALL)


@lru_cache(maxsize=1024)
def path_pattern(what: str) -> re.Pattern[str]:
    """As in .gitignore: `**` crosses folders, `*` does not, and a folder includes its content.

    The base of a relative pattern is not known here, so it matches from any folder.
    """
    rooted = what.startswith("//")
    what = what[1:] if rooted else re.sub(r"^(?:~|\.)?/", "", what)
    pieces = re.split(r"(\*\*/?|\*|\?)", what)
    body = "".join(WILD.get(piece) or re.escape(piece) for piece in pieces)
    return re.compile(f"{'' if rooted else '(?:.*/)?'}{body}(?:/.*)?", re.DOTALL)


WILD = {"**": ".*", "**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]"}


def at_domain(domain: str, url: str) -> bool:
    host = re.match(r"[a-z][a-z0-9+.-]*://(?:[^/?#@]*@)?([^/?#:]+)", url, re.IGNORECASE)
    named = host[1].lower() if host else ""
    return named == domain.lower() or named.endswith(f".{domain.lower()}")
