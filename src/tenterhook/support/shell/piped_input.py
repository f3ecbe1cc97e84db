"""What calls print into others, as far as the command itself has it."""

from __future__ import annotations

import re

from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.wrappers import found_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.support.shell.calls import ProgramCall

SAY = ("echo", "printf")
PASS_ON = ("cat", "tee")
# A longer chain of programs that only pass a text on is not honest work.
LONGEST = 20
ESCAPE = r"\\(?:x([0-9A-Fa-f]{1,2})|0?([0-7]{1,3})|([nt\\]))"
LETTERS = {"n": "\n", "t": "\t", "\\": "\\"}


def echo_output(call: ProgramCall) -> str:
    """The output of echo or printf."""
    words = call.words
    if call.program == "printf":
        pattern, *values = words or [""]
        left = iter(values)
        text = re.sub(r"%[sbqd]", lambda one: next(left, ""), decode_echo_escapes(pattern))
        return " ".join((text, *left)) if "%" not in pattern else " ".join((text, *map(decode_echo_escapes, left)))
    options = [word for word in words if re.fullmatch(r"-[neE]+", word)]
    text = " ".join(word for word in words if word not in options)
    return decode_echo_escapes(text) if any("e" in one for one in options) else text


def decode_echo_escapes(text: str) -> str:
    """Decode the escapes of echo -e and printf; what cannot be in a command becomes a blank."""

    def character(one: re.Match[str]) -> str:
        if one[3]:
            return LETTERS[one[3]]
        number = int(one[1], 16) if one[1] else int(one[2], 8) & 0xFF
        return chr(number) if number else " "

    return re.sub(ESCAPE, character, text) if "\\" in text else text


def outputs(calls: list[ProgramCall], layers: int = 0) -> list[str]:
    """The texts that some calls print."""
    found: list[str] = []
    for one in calls if layers < LONGEST else []:
        if one.program in SAY:
            found.append(echo_output(one))
        elif one.program in PASS_ON:
            found += [*one.texts, *outputs(one.fed, layers + 1)]
    return found


def names(words: list[str]) -> list[str]:
    return [word for word in words if not word.startswith("-")]


def xargs_input_words(call: ProgramCall) -> list[str]:
    """The input of xargs: the printed words, or all that find and ls list."""
    found: list[str] = [word for text in (*outputs(call.fed), *call.texts) for word in text.split()]
    for one in call.fed:
        if one.program == "find":
            starts, everything, _ = found_by(one.words)
            found += [f"{start}/*" for start in starts] if everything else []
        elif one.program == "git" and one.words[:1] == ["ls-files"] and not names(one.words[1:]):
            found.append("./*")
        elif one.program == "ls":
            named = names(one.words) or ["."]
            found += [word if "*" in word else f"{word}/*" for word in named]
    return found


def stdin_of(call: ProgramCall) -> list[str]:
    """What comes in, where it is written in the command."""
    return [*call.texts, *outputs(call.fed), *(outputs(call.inner) if UNKNOWN in "".join(call.reads) else [])]
