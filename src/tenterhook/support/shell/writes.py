"""The files that a call writes, moves or deletes, as far as its words tell."""

from __future__ import annotations

import os

from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.wrappers import found_by, letter_value, option_value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.support.shell.calls import Call

# Programs that write to every file they name; to all but the first word; to the last.
ALL = ("tee", "touch", "mkdir", "rmdir", "rm", "unlink", "shred", "truncate", "mkfifo", "sponge")
BUT_FIRST = ("chmod", "chown", "chgrp")
LAST = ("cp", "mv", "ln", "install", "rsync", "scp")
# Those that may affect a folder with everything in it.
WHOLE = ("rm", "rsync", "tar", "bsdtar", "unzip", *BUT_FIRST)
VALUED = {"truncate": ("-s", "-r"), "install": ("-m", "-o", "-g"), "mkdir": ("-m",), "shred": ("-n", "-s")}
# The options and, if often combined with others, the letter by which a program is told where to write.
OUTPUTS = {
    "curl": ("--output", "--output-dir", "-D", "--dump-header", "-c", "--cookie-jar"),
    "wget": ("--output-document", "-P", "--directory-prefix"),
    "sort": ("--output",),
    "patch": ("-o", "--output"),
    "gpg": ("-o", "--output"),
    "openssl": ("-out",),
}
LETTERS = {"curl": "o", "wget": "O", "sort": "o", "unzip": "d"}
# Programs that write the files that they name, with their options that take a value; those that do with an option.
IN_PLACE = {
    **dict.fromkeys(("gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zstd", "dos2unix", "unix2dos"), ("-S", "-o")),
    **dict.fromkeys(("ed", "ex", "mktemp", "split", "csplit"), ("-l", "-b", "-n", "-p", "-f", "-c", "-sc")),
    "rename": ("-e",),
}
WITH_FLAG = {
    "prettier": ("--write", "-w"),
    "yq": ("-i", "--inplace"),
    **dict.fromkeys(("vim", "nvim", "vi"), ("-es", "-c", "-s", "-e")),
}
GIT = ("rm", "mv", "restore", "checkout", "archive", "diff", "log", "show", "format-patch")
# The most files of a pattern that are looked at.
MOST = 200
# No system accepts a longer path.
LONGEST = 8192


def written_paths(call: Call) -> list[str]:
    """Absolute paths, with a / at the end if everything below is meant.

    A * stands for what only the shell knows; paths that start with such a part are left out.
    """
    if call.remote:
        return []
    named = by_program(call)
    if call.program in WHOLE:
        named = list(map(all_below, named))
    elif call.program not in LAST:
        named = [one.rstrip("/") or one for one in named]
    paths = [path for path in (whole(call, one) for one in (*call.writes, *named)) if 0 < len(path) <= LONGEST]
    return [*paths, *(found for path in paths for found in fitting(path))]


def all_below(word: str) -> str:
    return word.rstrip("/") + "/"


def fitting(pattern: str) -> list[str]:
    """The files that match a pattern; none for a plain name."""
    if not any(char in pattern for char in "*?["):
        return []
    from glob import iglob
    from itertools import islice

    bare = pattern.rstrip("/")
    return [found + pattern[len(bare) :] for found in islice(iglob(bare), MOST)]


def whole(call: Call, word: str) -> str:
    """A word as an absolute path; empty if that cannot be told."""
    if not word or word.startswith(UNKNOWN) or (not word.startswith("/") and not call.folder):
        return ""
    return os.path.join(call.folder, word.replace(UNKNOWN, "*"))


def by_program(call: Call) -> list[str]:
    program, words = call.program, call.words
    if program in ALL:
        return operands(words, VALUED.get(program, ()))
    if program in BUT_FIRST:
        return operands(words)[0 if any(map(is_said, words)) else 1 :]
    if program in LAST:
        return copy_or_move_targets(call)
    if program == "dd":
        return [os.path.expanduser(word[3:]) for word in words if word.startswith("of=")]
    if program in ("sed", "gsed", "perl", "ruby"):
        return in_place_edit_targets(words)
    if program in ("awk", "gawk"):
        return operands(words, ("-i", "-v", "-F"))[1:] if "inplace" in words else []
    if program in IN_PLACE:
        return operands(words, IN_PLACE[program])
    if program in WITH_FLAG:
        return operands(words) if any(word in WITH_FLAG[program] for word in words) else []
    if program == "git":
        return by_git(words)
    if program in ("apply_patch", "applypatch"):
        from tenterhook.support.patches import in_patch

        return [
            path
            for text in (*words, *call.texts, *(one for fed in call.fed for one in fed.texts))
            for path in in_patch(text)
        ]
    if program == "find":
        return find_delete_targets(words)
    named = [option_value(words, name) for name in OUTPUTS.get(program, ())]
    if program == "wget" and (folder := option_value(words, "-P", "--directory-prefix")):
        named.append(os.path.join(folder, UNKNOWN))
    if program == "patch":
        named += operands(words, ("-p", "-i", "-d", "-D", "-F", "-r", "--strip", "--input"))[:1]
    elif program == "uniq":
        named += operands(words, ("-f", "-s", "-w"))[1:2]
    if program in ("tar", "bsdtar"):
        named.append(unpacked_to(words))
    elif program in LETTERS:
        named.append(letter_value(words, LETTERS[program]))
    return [one for one in named if one and one != "-"]


def by_git(words: list[str]) -> list[str]:
    """What git deletes, moves or replaces; switching to a branch is not included."""
    at = next((at for at, word in enumerate(words) if word in GIT), len(words))
    command, rest = words[at : at + 1], words[at + 1 :]
    folder = next((words[place + 1] for place, word in enumerate(words[:at]) if word == "-C"), "")
    written = [
        option_value(rest, "--output") or "",
        *([option_value(rest, "-o") or ""] if command == ["archive"] else []),
    ]
    if command in (["rm"], ["mv"], ["restore"]):
        written += [] if "--cached" in rest else operands(rest, ("-s", "--source"))
    elif command == ["checkout"] and "--" in rest:
        written += rest[rest.index("--") + 1 :]
    return [os.path.join(folder, one) for one in written if one]


def find_delete_targets(words: list[str]) -> list[str]:
    """What find deletes: the names that it looks for, below where it starts."""
    if "-delete" not in words:
        return []
    starts, _, _ = found_by(words)
    names = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-name", "-iname")]
    return [os.path.join(start, name) for start in starts for name in names or [""]]


def is_said(word: str) -> bool:
    """Whether the mode is given in a way that looks like an option: `chmod -x file`, `--reference=other`."""
    return word.startswith("--reference") or (len(word) > 1 and word[0] == "-" and set(word[1:]) <= set("rwxXst"))


def unpacked_to(words: list[str]) -> str | None:
    """The folder that tar unpacks to; one that it packs is only read."""
    unpacks = any(
        word in ("--extract", "--get") or (word[:2] != "--" and "x" in word and (not place or word[:1] == "-"))
        for place, word in enumerate(words)
    )
    return option_value(words, "-C", "--directory") if unpacks else None


def operands(words: list[str], valued: tuple[str, ...] = ()) -> list[str]:
    """The words that are neither options nor the values of the options given."""
    found: list[str] = []
    plain = False
    before = ""
    for word in words:
        if word == "--" and not plain:
            plain = True
        elif plain or not word.startswith("-") or word == "-":
            if before not in valued or plain:
                found.append(word)
            before = ""
        else:
            before = word
    return found


def copy_or_move_targets(call: Call) -> list[str]:
    """Where copies go; what is moved away is changed too. Files on another machine are ignored."""
    program, words = call.program, call.words
    local = program not in ("rsync", "scp")
    into = option_value(words, "--target-directory") or (letter_value(words, "t") if local else None)
    named = operands(words, (*VALUED.get(program, ()), "-t", "-S", "-e", "--exclude", "--include", "-P", "-i"))
    if program == "install" and any(word in ("-d", "--directory") for word in words):
        return named
    sources, target = (named, into) if into else (named[:-1], named[-1] if named else "")
    # A hard link is the file itself, under another name.
    changed = program == "mv" or (program == "ln" and not is_soft(words))
    if program in ("rsync", "scp") and ":" in target:
        return []
    away = list(map(all_below, sources)) if changed else []
    if not (into or len(sources) > 1 or target.endswith(("/", "/.")) or os.path.isdir(whole(call, target) or "-")):
        return [*away, all_below(target)]
    contents = any(one.endswith("/.") for one in sources)
    copies = [os.path.join(target, os.path.basename(one.rstrip("/"))) for one in sources]
    return [*away, all_below(target) if contents else target.rstrip("/"), *copies]


def is_soft(words: list[str]) -> bool:
    return "--symbolic" in words or any(word[:1] == "-" and word[1:2] != "-" and "s" in word for word in words)


def symlink_targets(call: Call) -> dict[str, str]:
    """A symlink that the call makes, with its target; both as absolute paths."""
    if call.program != "ln" or call.remote or not is_soft(call.words):
        return {}
    *before, last = operands(call.words) or [""]
    link = whole(call, last)
    if len(before) != 1 or not link:
        return {}
    name = os.path.join(link, os.path.basename(before[0])) if os.path.isdir(link) else link
    return {os.path.normpath(name): os.path.join(os.path.dirname(name), before[0])}


def through(path: str, links: dict[str, str]) -> list[str]:
    """A path, and where it leads by symlinks that are about to be made."""
    under = [(link, target) for link, target in links.items() if f"{path}/".startswith(f"{link}/")]
    return [path, *(target + path[len(link) :] for link, target in under)]


def in_place_edit_targets(words: list[str]) -> list[str]:
    """The files that sed -i and perl -i change."""
    options = [word for word in words if word.startswith("-")]
    in_place = any(
        one.startswith("--in-place") or (not one.startswith("--") and "i" in one[1:].partition("e")[0])
        for one in options
    )
    if not in_place:
        return []
    by_option = any(one in ("-e", "-f", "--expression", "--file") or one.endswith("e") for one in options)
    named = operands(words, ("-e", "-f", "--expression", "--file", "-pe", "-pie", "-ne", "-ie"))
    return named if by_option else named[1:]
