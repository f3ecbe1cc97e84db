"""What a call has a shell or an interpreter run: the text, or its source."""

from __future__ import annotations

import os
import re

from tenterhook.support.shell.piped_input import outputs
from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.startup_files import MAKES, makefile, shell_of
from tenterhook.support.shell.wrappers import (
    INTERPRETERS,
    LOADS,
    SHELLS,
    STDIN,
    after_options,
    interpreter_reads,
    letter_value,
    option_value,
    shell_reads,
    single_quote_word,
)
from tenterhook.support.shell.writes import by_program, operands, whole

# Options, variables and settings of git whose value is a shell text.
OPTIONS = {
    "git": "-x --exec --extcmd --upload-pack --receive-pack",
    **dict.fromkeys(("tar", "bsdtar"), "--to-command -I --use-compress-program"),
    "rsync": "-e --rsh",
    "man": "-P --pager",
    "zip": "-TT",
    "nix-shell": "--run --command",
    "nodemon": "-x --exec",
    "hyperfine": "-p -s -c --prepare --setup --cleanup --conclude",
    **dict.fromkeys(("xterm", "konsole", "x-terminal-emulator"), "-e"),
}
VARIABLES = (
    *("GIT_SSH_COMMAND", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS"),
    *("GIT_PROXY_COMMAND", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "PROMPT_COMMAND", "LESSOPEN"),
)
# What comes before the command in a line of a crontab.
CRON = r"^\s*(?:@\w+|\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+"
TYPES = (
    *("new-session", "new", "new-window", "neww", "split-window", "splitw", "run-shell", "run", "send-keys", "send"),
    *("respawn-pane", "respawnp", "respawn-window", "display-popup", "popup"),
)
PROXY = ("ProxyCommand=", "LocalCommand=")
SETTINGS = (
    r"(?i)core\.(?:editor|pager|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|pager\..+|diff\.external|"
    r"(?:diff|difftool|mergetool|merge|filter)\..+\.(?:command|textconv|cmd|driver|clean|smudge|process)|"
    r"credential\.(?:.+\.)?helper|gpg\.(?:.+\.)?program"
)

DECODES = ("base64", "base32", "xxd", "openssl", "uudecode", "rev")

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.support.shell.calls import Call


def texts_run(call: Call) -> list[str]:
    """The texts that a call has a shell read, as far as they are known."""
    program, words = call.program, call.words
    if program == "pwsh" and option_value(words, "-Command", "-command") is not None:
        return [" ".join(after_any(words, ("-Command", "-command")))]
    if program in SHELLS:
        kind, text = shell_reads(words)
        if kind == "text":
            return [text]
        return stdin_of(call) if kind == "stdin" else outputs(call.inner) if UNKNOWN in text else []
    if program in ("su", "runuser", "script", "sg"):
        text = option_value(words, "-c", "--command") or letter_value(words, "c") or ""
        return [text] if text else [*words[1:2], *stdin_of(call)] if program == "sg" else []
    if program == "capsh" and "--" in words:
        return [shell_reads(words[words.index("--") + 1 :])[1]]
    if program == "crontab":
        return [re.sub(CRON, "", line) for text in stdin_of(call) for line in text.split("\n")]
    if program in ("fd", "fdfind"):
        return [" ".join(map(single_quote_word, after_any(words, ("-x", "-X", "--exec", "--exec-batch"))))]
    if program == "tmux":
        return tmux_command_texts(words)
    if program == "hyperfine":
        return operands(words, ("-w", "-r", "-m", "-M", "-n", "-N", "-L", "--warmup", "--runs", "--export-json"))
    if program == "trap":
        return words[:1]
    if program in ("at", "batch", "newgrp"):
        return stdin_of(call)
    if program == "eval":
        return [" ".join(words)]
    if program == "watch":
        return [" ".join(words[after_options(words, ["-n", "--interval"]) :])]
    if program in (".", "source"):
        return stdin_of(call) if words[:1] and words[0] in STDIN else outputs(call.inner)
    return []


def after_any(words: list[str], marks: tuple[str, ...]) -> list[str]:
    return next((words[at + 1 :] for at, word in enumerate(words) if word in marks), [])


def tmux_command_texts(words: list[str]) -> list[str]:
    """What tmux is to run, or to type into a terminal."""
    given = after_any(words, TYPES)
    found = operands(given, ("-t", "-s", "-n", "-c", "-x", "-y", "-F", "-e", "-l", "-p"))
    keys = [word for word in found if word not in ("Enter", "C-m", "KPEnter")]
    return [" ".join(keys if len(keys) < 2 or "Enter" in found else map(single_quote_word, keys))]


def by_options(call: Call) -> list[str]:
    """The texts that a program has a shell read because of an option, a setting or a variable."""
    found = [call.assigned[name].lstrip("|") for name in VARIABLES if name in call.assigned]
    found += [option_value(call.words, name) or "" for name in OPTIONS.get(call.program, "").split()]
    if call.program in ("ssh", "scp", "sftp"):
        found += [word.partition("=")[2] for word in call.words if word.removeprefix("-o").startswith(PROXY)]
    if call.program in ("tar", "bsdtar"):
        found += [word.partition("=exec=")[2] for word in call.words if word.startswith("--checkpoint-action")]
    if call.program == "git":
        found += git_texts(call.words)
    if call.program in MAKES:
        found.append(shell_of(call))
    return [one for one in found if one]


def git_texts(words: list[str]) -> list[str]:
    """Aliases and settings that are commands; what rebase, bisect and submodule are to run."""
    found: list[str] = []
    for at, word in enumerate(words[:-1]):
        following = words[at + 1]
        name, _, value = following.partition("=") if word == "-c" else (word, "", following)
        if re.fullmatch(r"(?i)alias\..+", name):
            found.append(value[1:] if value.startswith("!") else f"git {value}")
        elif re.fullmatch(SETTINGS, name):
            found.append(value.removeprefix("!"))
        elif word == "run" and words[at - 1] == "bisect":
            rest = words[at + 1 :]
            found.append(" ".join(map(single_quote_word, rest) if len(rest) > 1 else rest))
        elif word == "grep" and following.startswith("-O"):
            found.append(following[2:])
        elif word == "foreach" and words[at - 1] == "submodule":
            found.append(" ".join(one for one in words[at + 1 :] if one not in ("--recursive", "--quiet")))
    return found


def stdin_of(call: Call) -> list[str]:
    """Its stdin, if the command itself has it."""
    return [*call.texts, *outputs(call.fed), *(outputs(call.inner) if UNKNOWN in "".join(call.reads) else [])]


def code_from(call: Call) -> tuple[str, str]:
    """Where a shell or an interpreter gets its code: text, file or stdin; ("", "") for other programs."""
    if call.program in SHELLS:
        return shell_reads(call.words)
    if call.program.rstrip("0123456789.") in INTERPRETERS:
        return interpreter_reads(call.words)
    if call.program == "eval":
        return "text", " ".join(call.words)
    if call.program in MAKES:
        return makefile(call.words)
    if call.program in (".", "source") and call.words:
        return ("stdin", "") if call.words[0] in STDIN else ("file", call.words[0])
    return "", ""


def made_by(call: Call) -> dict[str, list[str] | None]:
    """The files that a call writes, with their content."""
    if not call.writes and call.program not in ("tee", *LOADS):
        return {}
    loads = call.program in LOADS or any(one.program in LOADS for one in call.fed)
    named = [*call.writes, *by_program(call)]
    if call.program in LOADS and not named:
        named = [os.path.basename(word.partition("?")[0]) for word in call.words if not word.startswith("-")]
    decodes = any(one.program in DECODES for one in (call, *call.fed))
    texts = [UNKNOWN] if decodes and not loads else outputs([call])
    return {
        os.path.normpath(path): None if loads else texts
        for path in (whole(call, one) for one in named)
        if path and (loads or texts)
    }
