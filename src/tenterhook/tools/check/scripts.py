"""Scripts that are missing, cannot be started, or refuse in a way that the agent does not hear."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from tenterhook.config.entries import Problem
from tenterhook.pipeline.event_reader import compile_rules
from tenterhook.pipeline.failure_policy import policy_for
from tenterhook.support.command_line import missing
from tenterhook.tools.check import Look
from tenterhook.tools.check.commands import Script, is_simple, script, words

SMALL = 64 * 1024
SHELLS = ("sh", "bash", "dash", "zsh")
EXIT = re.compile(
    r"(?<![\w.-])(?:sys\.exit|os\._exit|process\.exit|raise SystemExit|exit)\b[ \t]*\(?[ \t]*([^\s;)&|}]*)"
)
COMMENT = re.compile(r"^[ \t]*(?:#|//).*$", re.MULTILINE)


def absent(look: Look) -> Iterator[Problem]:
    """What the command would run and is not there. A program may be installed later; a path is a promise."""
    silent = " (this agent then skips the hook without a word)" if look.dialect.failures.missing_is_silent else ""
    gone = absent_file(look)
    promised = os.sep in gone or gone not in words(look)[:1]
    if gone and not is_simple(look):
        if promised:
            yield look.warning(
                "main", f"{shorten_project_path(gone, look)} does not exist, so that part of the command fails"
            )
    elif gone and promised:
        yield look.error("main", f"{shorten_project_path(gone, look)} does not exist, so the hook cannot run{silent}")
    elif gone:
        yield look.warning("main", f"{gone} is not found in PATH, so the hook cannot run here{silent}")


def absent_file(look: Look) -> str:
    found = script(look)
    if look.hook.handler == "script":
        return found.path if found and not os.path.isfile(found.path) else ""
    return missing(words(look), look.env, look.project)


def not_executable(look: Look) -> Iterator[Problem]:
    found = script(look)
    if found and not found.by and os.path.isfile(found.path) and not os.access(found.path, os.X_OK):
        name = shorten_project_path(found.path, look)
        what = "the hook" if is_simple(look) else "it"
        yield look.error("main", f"{name} is not executable, so {what} cannot run; run: chmod +x {name}")


def unreadable(look: Look) -> Iterator[Problem]:
    """A program without the right to read may be a binary; what an interpreter is given is not."""
    found = script(look)
    if found and found.by and os.path.isfile(found.path) and not os.access(found.path, os.R_OK):
        yield look.error(
            "main", f"{shorten_project_path(found.path, look)} may not be read, so {found.by} cannot run it"
        )


def first_line(look: Look) -> Iterator[Problem]:
    """Line ends of Windows, a program without a #! line, and one that names what is not there."""
    found = script(look)
    text = content(found)
    if found is None or not text:
        return
    name = shorten_project_path(found.path, look)
    first = text.split("\n", 1)[0]
    if first.endswith("\r") and (not found.by or found.by in SHELLS):
        yield look.error("main", f"{name} has CRLF line ends, with which it does not run; save it with LF line ends")
    elif not found.by and not first.startswith("#!") and os.access(found.path, os.X_OK):
        if isinstance(look.hook.spec["main"], str) and look.hook.spec["form"] == "shell":
            yield look.warning("main", f"{name} has no #! line, so a shell has to guess; begin it with #!/bin/sh")
        else:
            yield look.error("main", f"{name} has no #! line, so it cannot be started; begin it with #!/bin/sh")
    elif not found.by and first.startswith("#!"):
        yield from no_interpreter(first[2:].split(), name, look)


def no_interpreter(line: list[str], name: str, look: Look) -> Iterator[Problem]:
    """A path is a promise here too; what env looks for in PATH may be installed later."""
    gone = missing(line if os.path.basename("".join(line[:1])) == "env" else line[:1], look.env, look.project)
    text = f"the #! line of {name} names {gone}, which "
    if os.sep in gone:
        yield look.error("main", f"{text}does not exist, so it cannot be started")
    elif gone:
        yield look.warning("main", f"{text}is not found in PATH, so it cannot be started here")


def exit_one(look: Look) -> Iterator[Problem]:
    """A refusal by exit 1, where the agent takes that for a failure and goes on."""
    dialect, rule = look.dialect, look.rule
    rules = compile_rules(dialect, rule, strict=look.strict)
    row = dialect.reading.exits.get(1, dialect.reading.exits["other"])
    if not rule.can.block or row.decision or policy_for("exit", look.hook, rules) != "allow":
        return
    found = script(look)
    main = look.hook.spec.get("main")
    text = content(found) or (main if isinstance(main, str) and look.hook.spec.get("form") == "shell" else "")
    if refuses_by_one(text) and not answers(text, rules.guarded):
        what = shorten_project_path(found.path, look) if found and content(found) else "the command"
        codes = [str(code) for code, one in dialect.reading.exits.items() if one.decision == "deny"]
        hint = f"; to block, exit with {' or '.join(codes)}" if codes else ""
        yield look.warning("main", f"{what} exits with 1, which does not block {rule.name} in {dialect.title}{hint}")


def refuses_by_one(text: str) -> bool:
    """An exit with a number that is made up at run time may be anything: nothing is said about it."""
    codes = set(EXIT.findall(COMMENT.sub("", text)))
    return "1" in codes and codes <= {"", "0", "1"}


def answers(text: str, fields: tuple[str, ...]) -> bool:
    """Whether the script writes one of the fields that decide, or leaves that to our own library or command."""
    names = "|".join(map(re.escape, fields))
    return (
        "tenterhook" in text or "tenter hook" in text or re.search(rf"\b(?:{names})\b[\"'\\]*\s*[:=]", text) is not None
    )


def content(found: Script | None) -> str:
    """The text of a small script; nothing where it is large, a binary, or not to be read."""
    if found is None:
        return ""
    try:
        if not os.path.isfile(found.path) or os.path.getsize(found.path) > SMALL:
            return ""
        with open(found.path, encoding="utf-8", newline="") as file:
            text = file.read(SMALL)
    except (OSError, ValueError):  # ValueError: not UTF-8
        return ""
    return "" if "\0" in text else text


def shorten_project_path(path: str, look: Look) -> str:
    """Short where it lies in the project."""
    inside = os.path.relpath(path, look.project) if os.path.isabs(path) else path
    return path if inside.startswith("..") else inside
