"""One table: a program, its options and words, and what it writes or runs by them."""

from __future__ import annotations

import os
import re

from tenterhook.support.shell.piped_input import outputs, stdin_of
from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.startup_files import MAKES, makefile
from tenterhook.support.shell.wrappers import (
    INTERPRETERS,
    LOADS,
    SHELLS,
    STDIN,
    after_options,
    found_by,
    interpreter_reads,
    letter_value,
    operands,
    option_value,
    shell_reads,
    single_quote_word,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tenterhook.support.shell.calls import ProgramCall

# What stands before the command in a line of a crontab.
CRON = r"^\s*(?:@\w+|\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+"
TYPES = (
    *("new-session", "new", "new-window", "neww", "split-window", "splitw", "run-shell", "run", "send-keys", "send"),
    *("respawn-pane", "respawnp", "respawn-window", "display-popup", "popup"),
)
# Variables and settings of git whose value is a text for a shell.
VARIABLES = (
    *("GIT_SSH_COMMAND", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS"),
    *("GIT_PROXY_COMMAND", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "PROMPT_COMMAND", "LESSOPEN"),
)
SETTINGS = (
    r"(?i)core\.(?:editor|pager|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor|pager\..+|diff\.external|"
    r"(?:diff|difftool|mergetool|merge|filter)\..+\.(?:command|textconv|cmd|driver|clean|smudge|process)|"
    r"credential\.(?:.+\.)?helper|gpg\.(?:.+\.)?program"
)
DECODES = ("base64", "base32", "xxd", "openssl", "uudecode", "rev")
GIT = ("rm", "mv", "restore", "checkout", "archive", "diff", "log", "show", "format-patch")


# ---- what a place in the table cannot say


def copy_or_move_targets(call: ProgramCall) -> list[str]:
    """Where copies go; what is moved away is changed too. Another machine's files are not ours."""
    program, words = call.program, call.words
    local = program not in ("rsync", "scp")
    into = option_value(words, "--target-directory") or (letter_value(words, "t") if local else None)
    named = operands(words, VALUED[program])
    if program == "install" and any(word in ("-d", "--directory") for word in words):
        return named
    sources, target = (named, into) if into else (named[:-1], named[-1] if named else "")
    # A hard link is the file itself, whatever it is called then.
    changed = program == "mv" or (program == "ln" and not is_soft(words))
    if not local and ":" in target:
        return []
    away = list(map(all_below, sources)) if changed else []
    if not (into or len(sources) > 1 or target.endswith(("/", "/.")) or os.path.isdir(whole(call, target) or "-")):
        return [*away, all_below(target)]
    contents = any(one.endswith("/.") for one in sources)
    copies = [os.path.join(target, os.path.basename(one.rstrip("/"))) for one in sources]
    return [*away, all_below(target) if contents else target.rstrip("/"), *copies]


def permission_targets(call: ProgramCall) -> list[str]:
    """All but the rights, which may look like an option: `chmod -x file`, `--reference=other`."""
    flags = (set(word[1:]) <= set("rwxXst") for word in call.words if len(word) > 1 and word[0] == "-")
    by_option = any(flags) or any(word.startswith("--reference") for word in call.words)
    return operands(call.words)[0 if by_option else 1 :]


def in_place_edit_targets(call: ProgramCall) -> list[str]:
    """The files that sed -i and perl -i change."""
    options = [word for word in call.words if word.startswith("-")]
    short = (one[1:].partition("e")[0] for one in options if not one.startswith("--"))
    if not any("i" in one for one in short) and not any(one.startswith("--in-place") for one in options):
        return []
    by_option = any(one in ("-e", "-f", "--expression", "--file") or one.endswith("e") for one in options)
    return operands(call.words, VALUED[call.program])[0 if by_option else 1 :]


def find_delete_targets(call: ProgramCall) -> list[str]:
    """What find deletes: the names that it looks for, below where it starts."""
    words = call.words
    if "-delete" not in words:
        return []
    names = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-name", "-iname")]
    return [os.path.join(start, name) for start in found_by(words)[0] for name in names or [""]]


def git_targets(call: ProgramCall) -> list[str]:
    """What git takes away, moves or puts in place of what is there; a branch that is gone to is none of it."""
    words = call.words
    at = next((at for at, word in enumerate(words) if word in GIT), len(words))
    command, rest = "".join(words[at : at + 1]), words[at + 1 :]
    folder = option_value(words[:at], "-C") or ""
    written = [option_value(rest, "--output"), option_value(rest, "-o") if command == "archive" else None]
    if command in ("rm", "mv", "restore") and "--cached" not in rest:
        written += operands(rest, ("-s", "--source"))
    elif command == "checkout" and "--" in rest:
        written += rest[rest.index("--") + 1 :]
    return [os.path.join(folder, one) for one in written if one]


def patch_targets(call: ProgramCall) -> list[str]:
    from tenterhook.support.patches import in_patch

    texts = (*call.words, *call.texts, *(one for fed in call.fed for one in fed.texts))
    return [path for text in texts for path in in_patch(text)]


def unpack_targets(call: ProgramCall) -> list[str]:
    """The folder that tar unpacks to; one that it packs is only read."""
    unpacks = any(
        word in ("--extract", "--get") or (word[:2] != "--" and "x" in word and (not place or word[:1] == "-"))
        for place, word in enumerate(call.words)
    )
    return [option_value(call.words, "-C", "--directory") or ""] if unpacks else []


def wget_targets(call: ProgramCall) -> list[str]:
    folder = option_value(call.words, "-P", "--directory-prefix")
    return [os.path.join(folder, UNKNOWN)] if folder else []


def shell_texts(call: ProgramCall) -> list[str]:
    if call.program == "pwsh" and (command := after_any(call.words, ("-Command", "-command"))):
        return [" ".join(command)]
    kind, text = shell_reads(call.words)
    if kind == "text":
        return [text]
    return stdin_of(call) if kind == "stdin" else outputs(call.inner) if UNKNOWN in text else []


def sourced_texts(call: ProgramCall) -> list[str]:
    return stdin_of(call) if call.words[:1] and call.words[0] in STDIN else outputs(call.inner)


def cron_texts(call: ProgramCall) -> list[str]:
    return [re.sub(CRON, "", line) for text in stdin_of(call) for line in text.split("\n")]


def fd_texts(call: ProgramCall) -> list[str]:
    return [" ".join(map(single_quote_word, after_any(call.words, ("-x", "-X", "--exec", "--exec-batch"))))]


def capsh_texts(call: ProgramCall) -> list[str]:
    return [shell_reads(after_any(call.words, ("--",)))[1]] if "--" in call.words else []


def tmux_texts(call: ProgramCall) -> list[str]:
    """What tmux is to run, or to type into a terminal."""
    found = operands(after_any(call.words, TYPES), VALUED["tmux"])
    keys = [word for word in found if word not in ("Enter", "C-m", "KPEnter")]
    return [" ".join(keys if len(keys) < 2 or "Enter" in found else map(single_quote_word, keys))]


def git_texts(call: ProgramCall) -> list[str]:
    """Aliases and settings that are commands; what rebase, bisect and submodule are to run."""
    words, found = call.words, list[str]()
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


def after_any(words: list[str], marks: tuple[str, ...]) -> list[str]:
    return next((words[at + 1 :] for at, word in enumerate(words) if word in marks), [])


# ---- the table

# A place is one of these.
#
#   -o, --output   the value of the option
#   o+             the same by its letter, among others or glued to its value: -so file, -ofile
#   of=            what stands behind this in a word
#   each           every word that is not an option; 2 is the second, 2- from the second on
#   all            all words, as one text; rest: those behind the options
#   stdin          what it is given on stdin
#
# With `if` behind it, the place counts only beside one of those words. A function says what a place cannot.
TABLE: dict[str, tuple[tuple[str, str | Callable[[ProgramCall], list[str]]], ...]] = {
    "writes": (
        ("tee touch mkdir rmdir rm unlink shred truncate mkfifo sponge", "each"),
        ("gzip gunzip bzip2 bunzip2 xz unxz zstd dos2unix unix2dos rename", "each"),
        ("ed ex mktemp split csplit", "each"),
        ("chmod chown chgrp", permission_targets),
        ("cp mv ln install rsync scp", copy_or_move_targets),
        ("sed gsed perl ruby", in_place_edit_targets),
        ("awk gawk", "2- if inplace"),
        ("prettier", "each if --write -w"),
        ("yq", "each if -i --inplace"),
        ("vim nvim vi", "each if -es -c -s -e"),
        ("dd", "of="),
        ("find", find_delete_targets),
        ("git", git_targets),
        ("apply_patch applypatch", patch_targets),
        ("tar bsdtar", unpack_targets),
        ("unzip", "d+"),
        ("curl", "--output --output-dir -D --dump-header -c --cookie-jar o+"),
        ("wget", "--output-document -P --directory-prefix O+"),
        ("wget", wget_targets),
        ("sort", "--output o+"),
        ("patch", "-o --output 1"),
        ("gpg", "-o --output"),
        ("openssl", "-out"),
        ("uniq", "2"),
    ),
    "runs": (
        (" ".join(SHELLS), shell_texts),
        (". source", sourced_texts),
        ("eval", "all"),
        ("watch", "rest"),
        ("trap", "1"),
        ("at batch newgrp", "stdin"),
        ("su runuser script", "-c --command c+"),
        ("sg", "-c --command c+ 2 stdin"),
        ("crontab", cron_texts),
        ("fd fdfind", fd_texts),
        ("capsh", capsh_texts),
        ("tmux", tmux_texts),
        ("hyperfine", "each -p -s -c --prepare --setup --cleanup --conclude"),
        ("git", git_texts),
        ("git", "-x --exec --extcmd --upload-pack --receive-pack"),
        ("tar bsdtar", "--to-command -I --use-compress-program --checkpoint-action=exec="),
        ("rsync", "-e --rsh"),
        ("ssh scp sftp", "ProxyCommand= LocalCommand="),
        ("man", "-P --pager"),
        ("zip", "-TT"),
        ("nix-shell", "--run --command"),
        ("nodemon", "-x --exec"),
        ("xterm konsole x-terminal-emulator", "-e"),
        ("make gmake", "SHELL="),
    ),
}
COPIES = "-t -S -e --exclude --include -P -i"
EDITS = "-e -f --expression --file -pe -pie -ne -ie"
# The options of each program that take a value, which is not a word that it writes or runs.
VALUED = {
    name: tuple(options.split())
    for names, options in {
        "truncate": "-s -r",
        "mkdir": "-m",
        "shred": "-n -s",
        "gzip gunzip bzip2 bunzip2 xz unxz zstd dos2unix unix2dos": "-S -o",
        "ed ex mktemp split csplit": "-l -b -n -p -f -c -sc",
        "rename": "-e",
        "cp mv ln rsync scp": COPIES,
        "install": f"-m -o -g {COPIES}",
        "sed gsed perl ruby": EDITS,
        "awk gawk": "-i -v -F",
        "patch": "-p -i -d -D -F -r --strip --input",
        "uniq": "-f -s -w",
        "watch": "-n --interval",
        "hyperfine": "-w -r -m -M -n -N -L --warmup --runs --export-json",
        "tmux": "-t -s -n -c -x -y -F -e -l -p",
    }.items()
    for name in names.split()
}
PLACES: dict[str, dict[str, list[str | Callable[[ProgramCall], list[str]]]]] = {effect: {} for effect in TABLE}
for effect, rows in TABLE.items():
    for programs, place in rows:
        for program in programs.split():
            PLACES[effect].setdefault(program, []).append(place)


def written_words(call: ProgramCall) -> list[str]:
    """The words that name files which a program writes, moves or deletes."""
    return [one for one in look_up(call, "writes") if one]


def texts_run(call: ProgramCall) -> list[str]:
    """The texts that a call has a shell read, by its words, its input or a variable, as far as they are known."""
    found = [*look_up(call, "runs"), *(call.assigned[name].lstrip("|") for name in VARIABLES if name in call.assigned)]
    return [one for one in dict.fromkeys(found) if one]


def look_up(call: ProgramCall, effect: str) -> list[str]:
    found: list[str] = []
    for place in PLACES[effect].get(call.program, ()):
        found += at_places(call, place) if isinstance(place, str) else place(call)
    return found


def at_places(call: ProgramCall, places: str) -> list[str]:
    places, _, beside = places.partition(" if ")
    if beside and not any(word in beside.split() for word in call.words):
        return []
    return [one for place in places.split() for one in at_place(call, place)]


def at_place(call: ProgramCall, place: str) -> list[str]:
    words, valued = call.words, VALUED.get(call.program, ())
    if place == "stdin":
        return stdin_of(call)
    if place in ("all", "rest"):
        return [" ".join(words[after_options(words, list(valued)) if place == "rest" else 0 :])]
    if place.endswith("="):
        given = [word.removeprefix("-o") for word in words]
        return [os.path.expanduser(word[len(place) :]) for word in given if word.startswith(place)]
    if place.endswith("+") or place.startswith("-"):
        value = letter_value(words, place[0]) if place.endswith("+") else option_value(words, place)
        return [value] if value and value != "-" else []
    named = operands(words, valued)
    if place == "each":
        return named
    first = int(place[0]) - 1
    return [one for one in named[first : None if place.endswith("-") else first + 1] if one != "-"]


# ---- files


def all_below(word: str) -> str:
    return word.rstrip("/") + "/"


def is_soft(words: list[str]) -> bool:
    return "--symbolic" in words or any(word[:1] == "-" and word[1:2] != "-" and "s" in word for word in words)


def whole(call: ProgramCall, word: str) -> str:
    """A word as a path from the root on; nothing where that cannot be told."""
    if not word or word.startswith(UNKNOWN) or (not word.startswith("/") and not call.folder):
        return ""
    return os.path.join(call.folder, word.replace(UNKNOWN, "*"))


def code_from(call: ProgramCall) -> tuple[str, str]:
    """Where the code comes from that a shell or an interpreter is to run: text, file or stdin; ("", "") for others."""
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


def made_by(call: ProgramCall) -> dict[str, list[str] | None]:
    """The files that a call writes, with what it says into them."""
    if not call.writes and call.program not in ("tee", *LOADS):
        return {}
    loads = call.program in LOADS or any(one.program in LOADS for one in call.fed)
    named = [*call.writes, *written_words(call)]
    if call.program in LOADS and not named:
        named = [os.path.basename(word.partition("?")[0]) for word in call.words if not word.startswith("-")]
    decodes = any(one.program in DECODES for one in (call, *call.fed))
    texts = [UNKNOWN] if decodes and not loads else outputs([call])
    return {
        os.path.normpath(path): None if loads else texts
        for path in (whole(call, one) for one in named)
        if path and (loads or texts)
    }
