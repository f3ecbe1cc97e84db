"""The words of a command, without a shell: which file it would run, and whether that file exists."""

from __future__ import annotations

import itertools
import os
import re
import sys
from collections.abc import Iterable, Mapping

# Patterns are compiled when they are used: most commands need none.
PLACEHOLDER = r"\$\{(\w+)\}"
SHELL_SYNTAX = frozenset("|&;<>()`\n*?[]{!#")
PLAIN_FLAGS = ("-u", "-B", "-E", "-s", "-S", "-I", "-O", "-OO", "-q")
SHELL_FLAGS = ("-e", "-u", "-x", "-eu", "-ex", "-eux")
INTERPRETERS = ("sh", "bash", "dash", "zsh", "python", "node", "ruby", "perl")
# Programs that start the command after their own options and a number.
STARTERS = ("env", "exec", "command", "nohup", "nice", "time", "timeout", "setsid")
# Programs that run a script named among their arguments.
RUNNERS = (
    *("tenter", "uv", "uvx", "pipx", "poetry", "pipenv", "hatch", "pdm", "npx", "npm", "pnpm", "yarn", "bun", "bunx"),
    *("deno", "tsx", "ts-node", "go", "php", "lua", "pwsh", "powershell", "sudo", "doas", "stdbuf", "docker", "podman"),
)
SCRIPT = r"^library:[\w-]+$|^\S+\.(?:[bz]?a?sh|fish|py|[cm]?[jt]s|rb|pl|php|lua|go|ps1)$"
NUMBER = r"\d+(?:\.\d+)?[smhd]?"


def at_home(path: str, home: str) -> str:
    return os.path.join(home, path[2:]) if path.startswith("~/") else path


def one_program(main: str, cwd: str, home: str) -> tuple[str, ...]:
    """A path is relative to the project; a Python file without the executable bit is run by Python."""
    path = os.path.join(cwd, at_home(main, home))
    if not os.path.exists(path) and os.sep not in main:
        return (main,)
    if path.endswith(".py") and os.path.isfile(path) and not os.access(path, os.X_OK):
        return (sys.executable, path)
    return (path,)


def substitute_placeholders(words: Iterable[str], env: Mapping[str, str]) -> list[str]:
    """Replace `${NAME}` in words by variables; no shell reads them, so the values are not expanded further."""
    return [re.sub(PLACEHOLDER, lambda found: env.get(found[1], found[0]), word) for word in words]


def missing(command: object, env: Mapping[str, str], cwd: str) -> str:
    """The missing file that the command would run; empty if it exists, or if only a shell can tell."""
    plain = list(command) if isinstance(command, list) else simple_words(str(command), {**env, "PWD": cwd})
    if not plain:
        return ""
    first = plain[0]
    if not exists(first, env, cwd):
        return first
    name = os.path.basename(first)
    if name == "env" and not any(word.startswith("-") for word in plain[1:]):
        return missing([word for word in plain[1:] if "=" not in word], env, cwd)
    if is_interpreter(name):
        # After any other option its value cannot be told from the script (-W ignore, -o pipefail).
        flags = PLAIN_FLAGS if name.startswith("python") else SHELL_FLAGS if name.endswith("sh") else ()
        rest = list(itertools.dropwhile(lambda word: word in flags, plain[1:]))
        script = rest[0] if rest and not rest[0].startswith("-") else ""
        if script and not os.path.exists(os.path.join(cwd, script)):
            return script
    return ""


def file_run(command: object) -> str:
    """The name of the script that a command runs, else of its program: a guess, for people.

    Never its arguments: options may hold secrets.
    """
    words = [str(word) for word in command] if isinstance(command, list) else split_shell_words(str(command))
    words = list(itertools.dropwhile(starts_another, words))
    if not words:
        return ""
    name, rest = os.path.basename(words[0]), words[1:]
    interprets = is_interpreter(name)
    names_script = interprets or name in RUNNERS or name in BUILTINS  # cd DIR && ./guard.sh
    if names_script and (script := next((word for word in rest if re.search(SCRIPT, word)), "")):
        return os.path.basename(script)
    if interprets:
        rest = list(itertools.dropwhile(lambda word: word in (*PLAIN_FLAGS, *SHELL_FLAGS), rest))
        rest = rest[1:] if rest[:1] == ["-m"] else rest
        return os.path.basename(rest[0]) if rest and not rest[0].startswith("-") else name
    return name


def starts_another(word: str) -> bool:
    """A program that starts the command after it, a variable or an option for that, or a shell grouping."""
    if os.path.basename(word) in STARTERS or "=" in word.partition("/")[0]:
        return True
    return word.startswith("-") or re.fullmatch(NUMBER, word) is not None or not word.strip("(){}!")


def split_shell_words(text: str) -> list[str]:
    import shlex

    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError:  # an open quote
        return text.split()


def is_interpreter(name: str) -> bool:
    return any(name == one or name.rstrip("0123456789.") == one for one in INTERPRETERS)


def simple_words(text: str, env: Mapping[str, str]) -> list[str]:
    """The words of one simple command, variables and home filled in; none if it is more than that."""
    import shlex
    import string

    if SHELL_SYNTAX & set(text.replace("${", "")) or "$(" in text or "$$" in text:
        return []
    try:
        words = [string.Template(word).substitute(env) for word in shlex.split(text)]
    except (KeyError, ValueError):  # unset, ${VAR:-default} or an open quote: only a shell can tell
        return []
    home = env.get("HOME", "~")
    words = [home + word[1:] if word.startswith("~/") else word for word in words]
    return [word for word in words if "=" not in word.partition("/")[0]]


def exists(word: str, env: Mapping[str, str], cwd: str) -> bool:
    if os.sep in word:
        return os.path.exists(os.path.join(cwd, word))
    from shutil import which

    return word in BUILTINS or which(word, path=env.get("PATH")) is not None


BUILTINS = frozenset(
    ". : [ alias bg break builtin cd command continue declare echo eval exec exit export false fg getopts hash jobs "
    "kill let local popd printf pushd select shopt source time typeset "
    "pwd read readonly return set shift test times trap true type ulimit umask unalias unset wait if for while until "
    "case".split()
)
