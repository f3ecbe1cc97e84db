"""What a call has a shell or an interpreter run: the text, or where it comes from."""

from __future__ import annotations

import os

from tenterhook.guard.fed import outputs
from tenterhook.guard.shell.records import UNKNOWN
from tenterhook.guard.wrappers import (
    INTERPRETERS,
    LOADS,
    SHELLS,
    STDIN,
    after_options,
    interpreter_reads,
    option_value,
    shell_reads,
)
from tenterhook.guard.writes import by_program, whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.guard.calls import Call


def texts_run(call: Call) -> list[str]:
    """The texts that a call has a shell read, as far as they are known."""
    program, words = call.program, call.words
    if program in SHELLS:
        kind, text = shell_reads(words)
        if kind == "text":
            return [text]
        return stdin_of(call) if kind == "stdin" else outputs(call.inner) if UNKNOWN in text else []
    if program in ("su", "runuser", "script"):
        text = option_value(words, "-c", "--command") or ""
        return [text] if text else []
    if program == "trap":
        return words[:1]
    if program == "eval":
        return [" ".join(words)]
    if program == "watch":
        return [" ".join(words[after_options(words, ["-n", "--interval"]) :])]
    if program in (".", "source"):
        return stdin_of(call) if words[:1] and words[0] in STDIN else outputs(call.inner)
    return []


def stdin_of(call: Call) -> list[str]:
    """What comes in, where it is written in the command."""
    return [*call.texts, *outputs(call.fed), *(outputs(call.inner) if UNKNOWN in "".join(call.reads) else [])]


def code_from(call: Call) -> tuple[str, str]:
    """Where the code comes from that a shell or an interpreter is to run: text, file or stdin; ("", "") for others."""
    if call.program in SHELLS:
        return shell_reads(call.words)
    if call.program.rstrip("0123456789.") in INTERPRETERS:
        return interpreter_reads(call.words)
    if call.program == "eval":
        return "text", " ".join(call.words)
    if call.program in (".", "source") and call.words:
        return ("stdin", "") if call.words[0] in STDIN else ("file", call.words[0])
    return "", ""


def made_by(call: Call) -> dict[str, list[str] | None]:
    """The files that a call writes, with what it says into them."""
    if not call.writes and call.program not in ("tee", *LOADS):
        return {}
    loads = call.program in LOADS or any(one.program in LOADS for one in call.fed)
    named = [*call.writes, *by_program(call)]
    if call.program in LOADS and not named:
        named = [os.path.basename(word.partition("?")[0]) for word in call.words if not word.startswith("-")]
    texts = outputs([call])
    return {
        os.path.normpath(path): None if loads else texts
        for path in (whole(call, one) for one in named)
        if path and (loads or texts)
    }
