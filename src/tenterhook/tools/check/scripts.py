"""Scripts that are missing, cannot be started, or refuse in a way that the agent ignores."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from msgspec.structs import replace

from tenterhook.config.entries import Problem
from tenterhook.pipeline.event_reader import compile_rules
from tenterhook.pipeline.failure_policy import policy_for
from tenterhook.support.command_line import missing
from tenterhook.tools.check import Fix, HookInspection
from tenterhook.tools.check.commands import LAUNCHERS, HookScript, is_simple, script, words, words_before_unset

SMALL = 64 * 1024
COMMAND = "the command"
SHELLS = ("sh", "bash", "dash", "zsh")
EXIT = re.compile(
    r"(?<![\w.-])(?:sys\.exit|os\._exit|process\.exit|raise SystemExit|exit)\b[ \t]*\(?[ \t]*([^\s;)&|}]*)"
)
# A script's own arguments, and the signs that it reads the event.
ARGUMENTS = re.compile(r"\$\{?[1-9@*]|\bsys\.argv\[1|\bprocess\.argv\[2")
READS = re.compile(r"\b(?:cat|read|jq|input|mapfile)\b|stdin|readFileSync\(0|\bexec\b|\bsource\b")
FUNCTION = re.compile(r"^[ \t]*(?:function[ \t]+)?[\w-]+[ \t]*\(\)[ \t]*\{.*?^[ \t]*\}", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"^[ \t]*(?:#|//).*$", re.MULTILINE)


def absent(look: HookInspection) -> Iterator[Problem]:
    """A missing file that the command would run. A program may be installed later; a path should exist."""
    silent = " (this agent then skips the hook without a message)" if look.dialect.failures.missing_is_silent else ""
    gone = absent_file(look)
    promised = os.sep in gone or gone not in words(look)[:1]
    if gone and not is_simple(look):
        if promised:
            text = f"{shorten_project_path(gone, look)} does not exist, so that part of the command fails"
            yield look.warning("missing-file", "main", text)
    elif gone and promised:
        text = f"{shorten_project_path(gone, look)} does not exist, so the hook cannot run{silent}"
        yield look.error("missing-file", "main", text)
    elif gone:
        text = f"{gone} is not found in PATH, so the hook cannot run here{silent}"
        yield look.warning("missing-program", "main", text)


def absent_file(look: HookInspection) -> str:
    found = script(look)
    if look.form == "script":
        return found.path if found and not os.path.isfile(found.path) else ""
    gone = missing(words(look), look.env, look.project)
    if not gone and found and os.path.basename(found.by) in LAUNCHERS and not os.path.isfile(found.path):
        return found.path
    return gone


def not_executable(look: HookInspection) -> Iterator[Problem]:
    found = script(look)
    if found and not found.by and os.path.isfile(found.path) and not os.access(found.path, os.X_OK):
        name = shorten_project_path(found.path, look)
        what = "the hook" if is_simple(look) else "it"
        text = f"{name} is not executable, so {what} cannot run; run: chmod +x {name}"
        yield replace(look.error("not-executable", "main", text), fix=Fix("run-bit", found.path))


def unreadable(look: HookInspection) -> Iterator[Problem]:
    """A program without read permission may be a binary; an interpreter must be able to read its script."""
    found = script(look)
    if found and found.by and os.path.isfile(found.path) and not os.access(found.path, os.R_OK):
        text = f"{shorten_project_path(found.path, look)} may not be read, so {found.by} cannot run it"
        yield look.error("unreadable-script", "main", text)


def first_line(look: HookInspection) -> Iterator[Problem]:
    """Windows line ends, a program without a #! line, and a #! line that names a missing file."""
    found = script(look)
    text = content(found)
    if found is None or not text:
        return
    name = shorten_project_path(found.path, look)
    first = text.split("\n", 1)[0]
    if first.endswith("\r") and (not found.by or found.by in SHELLS):
        text = f"{name} has CRLF line ends, with which it does not run; save it with LF line ends"
        yield look.error("crlf", "main", text)
    elif not found.by and not first.startswith("#!") and os.access(found.path, os.X_OK):
        if look.shell_text:
            text = f"{name} has no #! line, so a shell has to guess; begin it with #!/bin/sh"
            yield look.warning("no-interpreter-line", "main", text)
        else:
            text = f"{name} has no #! line, so it cannot be started; begin it with #!/bin/sh"
            yield look.error("no-interpreter-line", "main", text)
    elif not found.by and first.startswith("#!"):
        yield from no_interpreter(first[2:].split(), name, look)


def no_interpreter(line: list[str], name: str, look: HookInspection) -> Iterator[Problem]:
    """A path should exist here too; what env looks for in PATH may be installed later."""
    gone = missing(line if os.path.basename("".join(line[:1])) == "env" else line[:1], look.env, look.project)
    text = f"the #! line of {name} names {gone}, which "
    if os.sep in gone:
        yield look.error("missing-interpreter", "main", f"{text}does not exist, so it cannot be started")
    elif gone:
        yield look.warning("missing-program", "main", f"{text}is not found in PATH, so it cannot be started here")


def exit_one(look: HookInspection) -> Iterator[Problem]:
    """A refusal by exit 1, if the agent treats that as a failure and goes on."""
    dialect, rule = look.dialect, look.rule
    rules = compile_rules(dialect, rule, strict=look.strict)
    row = dialect.reading.exits.get(1, dialect.reading.exits["other"])
    if not rule.can.block or row.decision or policy_for("exit", look.hook, rules) != "allow":
        return
    what, text = text_run(look)
    if refuses_by_one(text) and not answers(text, rules.guarded):
        codes = [str(code) for code, one in dialect.reading.exits.items() if one.decision == "deny"]
        hint = f"; to block, exit with {' or '.join(codes)}" if codes else ""
        text = f"{what} exits with 1, which does not block {rule.name} in {dialect.title}{hint}"
        yield look.warning("exit-one", "main", text)


def arguments_not_given(look: HookInspection) -> Iterator[Problem]:
    """A script that looks for the event in its arguments, while the agent writes it to stdin."""
    found = script(look)
    text = FUNCTION.sub("", COMMENT.sub("", content(found)))
    if found is None or not ARGUMENTS.search(text) or READS.search(text) or not look.shell_text:
        return
    given = [word for word in words(look) or words_before_unset(look) if os.path.join(look.project, word) != found.path]
    if not given or given == [found.by]:
        none = "of which this entry gives none" if words(look) else "and this entry gives it a variable that is not set"
        name = shorten_project_path(found.path, look)
        text = f"{name} looks at its arguments, {none}; the event comes on stdin"
        yield look.warning("reads-arguments", "main", text)


def refuses_by_one(text: str) -> bool:
    """An exit code that is computed at run time may be anything: it is not reported."""
    codes = set(EXIT.findall(COMMENT.sub("", text)))
    return "1" in codes and codes <= {"", "0", "1"}


def answers(text: str, fields: tuple[str, ...]) -> bool:
    """Whether the script writes one of the fields that decide, or leaves that to our own library or command."""
    names = "|".join(map(re.escape, fields))
    return (
        "tenterhook" in text or "tenter hook" in text or re.search(rf"\b(?:{names})\b[\"'\\]*\s*[:=]", text) is not None
    )


def text_run(look: HookInspection) -> tuple[str, str]:
    """The hook's script, by its path, and its text; without one that can be read, its command line."""
    found = script(look)
    text = content(found)
    return (shorten_project_path(found.path, look), text) if found and text else (COMMAND, look.shell_text)


def content(found: HookScript | None) -> str:
    """The text of a small script; empty if it is large, binary, or not readable."""
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


def shorten_project_path(path: str, look: HookInspection) -> str:
    """Relative if it is in the project."""
    inside = os.path.relpath(path, look.project) if os.path.isabs(path) else path
    return path if inside.startswith("..") else inside
