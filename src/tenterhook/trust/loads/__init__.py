"""What a file of a hook loads and runs in its turn, read from its text. Nothing is run or imported to find out.

    records      what a reader is given, and what it finds
    python       imports and `sys.path`; paths: expressions that come to a known text; starting: programs
    shell        files that a script sources or runs
    javascript   relative `require` and `import`

A reader finds too much rather than too little: both branches of a condition count. What it cannot follow it names.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from tenterhook.trust.loads.records import Loads, SourceText

SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh")
PYTHONS = ("python", "pypy")
JAVASCRIPTS = ("node", "deno", "bun", "tsx", "ts-node")
SUFFIXES = {
    **dict.fromkeys((".py", ".pyw"), "python"),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh"), "shell"),
    **dict.fromkeys((".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts"), "javascript"),
    **dict.fromkeys((".rb", ".pl", ".pm", ".php", ".lua", ".fish", ".nu", ".ps1", ".r", ".tcl", ".exs"), "other"),
}
OTHERS = ("ruby", "perl", "php", "lua", "fish", "nu", "pwsh", "tclsh", "expect", "elixir", "Rscript")


def language_of(interpreter: str) -> str:
    """The language that a program of this name reads; empty if unknown."""
    name = os.path.basename(interpreter).rstrip("0123456789.")
    for language, names in (("shell", SHELLS), ("python", PYTHONS), ("javascript", JAVASCRIPTS), ("other", OTHERS)):
        if name in names:
            return language
    return ""


def language_in(path: str, start: bytes) -> str:
    """The language of a file that is run or loaded, by its first line or by its name; empty for a binary."""
    if start.startswith(b"#!"):
        words = start.split(b"\n", 1)[0][2:].decode("utf-8", "replace").split()
        if words and os.path.basename(words[0]) == "env":
            words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        return (language_of(words[0]) or "other") if words else "shell"
    suffix = os.path.splitext(path)[1].lower()
    if suffix not in SUFFIXES and b"\0" not in start and (not suffix or os.access(path, os.X_OK)):
        return "shell"  # a file that the kernel cannot start is read by a shell
    return SUFFIXES.get(suffix, "")


def loads_of(source: SourceText) -> Loads:
    """What one file loads."""
    reader = readers().get(source.language)
    if reader is None:
        found = Loads()
        found.note(source, "what it loads and starts: its language is not followed")
        return found
    return reader(source)


def readers() -> dict[str, Callable[[SourceText], Loads]]:
    """Imported only when a file is to be read: an event whose hooks are unchanged needs none of them."""
    from tenterhook.trust.loads import javascript, python, shell

    return {"python": python.read, "shell": shell.read, "javascript": javascript.read}
