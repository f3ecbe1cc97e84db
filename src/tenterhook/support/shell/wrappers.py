"""Programs that run another one: find the inner command in their words."""

from __future__ import annotations

import re

# Programs that run another one, whose options take no value; and those that take one more word before it.
PLAIN = (
    *("command", "builtin", "nohup", "setsid", "busybox", "toybox", "noglob", "coproc", "poetry run"),
    *("pipenv run", "pdm run", "hatch run", "bundle exec", "bunx", "mise exec", "asdf exec"),
    *("rbenv exec", "pyenv exec", "valgrind", "chronic", "unbuffer", "entr", "firejail", "linux32"),
    *("linux64", "perf trace"),
)
PLAIN_BEHIND_A_WORD = ("chrt", "taskset", "direnv exec", "gosu", "su-exec", "setarch")
# The options of each that take a value, and how many further words come before the command.
WRAPPERS = {
    **dict.fromkeys(PLAIN, ("", 0)),
    **dict.fromkeys(PLAIN_BEHIND_A_WORD, ("", 1)),
    "sudo": ("-u -g -h -p -C -T -r -t -U -D -R --user --group --host --prompt --chdir --role --type", 0),
    "doas": ("-u -C -a", 0),
    "pkexec": ("--user", 0),
    "env": ("-u -C -P -S --unset --chdir --argv0 --split-string", 0),
    "exec": ("-a", 0),
    "nice": ("-n --adjustment", 0),
    "ionice": ("-c -n -p --class --classdata", 0),
    "time": ("-f -o --format --output", 0),
    "timeout": ("-k -s --kill-after --signal", 1),
    "stdbuf": ("-i -o -e --input --output --error", 0),
    "strace": ("-a -b -e -E -I -o -O -p -P -s -S -u -U -X", 0),
    "ltrace": ("-a -e -l -n -o -p -s -u -x", 0),
    "flock": ("-w -E --timeout --wait --conflict-exit-code", 1),
    "chroot": ("--userspec --groups", 1),
    "unshare": ("-S -G -R -w --root --wd", 0),
    "caffeinate": ("-t -w", 0),
    "parallel": ("-j -a -I -N -n --jobs --arg-file --colsep --delay", 0),
    "xargs": ("-a -d -E -I -L -n -P -s --arg-file --delimiter --max-args --max-procs --max-lines --replace", 0),
    "ssh": ("-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w", 1),
    "uv run": ("-p -m -C --python --with --extra --group --directory --project --env-file --package", 0),
    "conda run": ("-n -p --name --prefix", 0),
    **dict.fromkeys(
        ("npx", "npm exec", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx"), ("-p -c --package --call", 0)
    ),
    "uvx": ("-p -w -i --from --with --python --index --index-url --default-index --extra-index-url --env-file", 0),
    "systemd-run": ("-u -p -E -t --unit --property --setenv --slice --description --on-active", 0),
    "nsenter": ("-t -S -G --target", 0),
    "fakeroot": ("-l -s -i -b", 0),
    "numactl": ("-N -m -C -p --cpunodebind --membind --physcpubind --preferred", 0),
    "perf stat": ("-e -o -r -x -p -C --event --output --repeat", 0),
    "perf record": ("-e -o -F -c -p -C --event --output --freq", 0),
    "sem": ("-j --jobs --id", 0),
    "rlwrap": ("-b -D -f -H -l -P -q -s -S -t", 0),
    "prlimit": ("-p -o --pid --output", 0),
    "screen": ("-S -s -c -t -T -h -p -e", 0),
    "xvfb-run": ("-n -e -f -p -s -w --server-num --error-file --auth-file --xauth-protocol --server-args --wait", 0),
    "dbus-run-session": ("--config-file --dbus-daemon", 0),
    **dict.fromkeys(("docker exec", "podman exec"), ("-e -u -w --env --user --workdir --env-file --detach-keys", 1)),
    **dict.fromkeys(("kubectl exec", "oc exec"), ("-n -c -f --namespace --container --context --filename", 1)),
    "lxc exec": ("--env --cwd --user --group --mode", 1),
}
# Those that run it on another machine, or in a container.
ELSEWHERE = ("ssh", "docker exec", "podman exec", "kubectl exec", "oc exec", "lxc exec")
PRIVILEGED = ("sudo", "doas", "pkexec", "su", "runuser", "gosu", "su-exec", "nsenter")
SHELLS = ("sh", "bash", "dash", "zsh", "ksh", "ash", "mksh", "fish", "rbash", "csh", "tcsh", "pwsh")
INTERPRETERS = ("python", "python3", "python2", "perl", "ruby", "node", "deno", "bun", "php", "lua", "osascript")
# Other programs whose words, or whose input, may be code.
AWKS = ("awk", "gawk", "mawk", "nawk")
SEDS = ("sed", "gsed")
EDITORS = ("vim", "vi", "nvim", "ex", "view", "gdb")
TCLS = ("expect", "tclsh")
CLIENTS = ("psql", "mysql", "mariadb", "sqlite")
# Programs that download something.
LOADS = ("curl", "wget", "fetch", "aria2c", "http", "https", "nc", "ncat", "netcat", "lynx", "ftp", "scp", "ssh")
# A script that comes by stdin.
STDIN = ("-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0")
# Letters of an interpreter's options, the last of which takes the code: python -Ic, perl -lne.
BUNDLE = r"-[a-zA-LN-Z0-9]{0,4}[ceE]"
# Conditions of find: with one of these it does not take everything. A file's age, owner or mode are not among them: in
# a project nearly all files are alike in those.
FILTERS = (
    *("-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-iregex", "-size", "-empty", "-samefile"),
    *("-lname", "-inum"),
)
# Actions of find on what it has found.
ACTIONS = ("-delete", "-exec", "-execdir", "-ok", "-okdir")


def program_of(word: str) -> str:
    """A program by its name alone: /bin/rm and rm.exe are rm."""
    name = word.rpartition("/")[2]
    return name[:-4] if name.lower().endswith(".exe") else name


def split_wrapper_name(program: str, words: list[str]) -> tuple[str, list[str]]:
    """The program's name in the table, and its words from there on; no name if it is not a wrapper."""
    if program in WRAPPERS:
        return program, words
    if words and f"{program} {words[0]}" in WRAPPERS:
        return f"{program} {words[0]}", words[1:]
    return "", words


def command_of(name: str, words: list[str]) -> tuple[list[str], list[str]]:
    """What a wrapper runs, and the assignments before it."""
    takes, operands = WRAPPERS[name]
    if name == "command" and words and words[0] in ("-v", "-V"):  # which only looks it up
        return [], []
    at = after_options(words, takes.split())
    at += name == "env" and words[at : at + 1] == ["-"]  # an empty environment
    assigned: list[str] = []
    while name in ("env", "sudo", "doas") and at < len(words) and is_assignment(words[at]):
        assigned.append(words[at])
        at += 1
    at += operands
    at += operands > 0 and words[at : at + 1] == ["--"]
    return words[at:], assigned


def after_options(words: list[str], takes: list[str]) -> int:
    """The position of the first word that is neither an option nor the value of one."""
    at = 0
    while at < len(words) and words[at].startswith("-") and words[at] != "-":
        word = words[at]
        at += 1
        if word == "--":
            break
        if word in takes or (word[1:2] != "-" and "-" + word[-1] in takes and "-" + word[1] not in takes):
            at += 1
    return at


def single_quote_word(word: str) -> str:
    """One word for a shell, whatever is in it."""
    return "'" + word.replace("'", "'\\''") + "'"


def is_assignment(word: str) -> bool:
    return "=" in word and word.partition("=")[0].isidentifier()


def shell_reads(words: list[str]) -> tuple[str, str]:
    """What a shell runs: ("text", -c's), ("file", its name) or ("stdin", "")."""
    text, at = False, 0
    while at < len(words) and words[at][:1] in ("-", "+") and len(words[at]) > 1:
        word = words[at]
        at += 1
        if word == "--":
            break
        if not word.startswith("--"):
            text = text or ("c" in word and word[0] == "-")
            at += word[-1] in "oO"
            if "s" in word and not text:
                return "stdin", ""
        elif word in ("--rcfile", "--init-file"):
            at += 1
    if text:
        return "text", words[at] if at < len(words) else ""
    return ("file", words[at]) if at < len(words) and words[at] not in STDIN else ("stdin", "")


def interpreter_reads(words: list[str]) -> tuple[str, str]:
    """The same for python, perl, node and their like: -c, -e and their like give the text."""
    for at, word in enumerate(words):
        if word in ("-c", "-e", "-E", "-p", "-r", "--eval", "--print") or re.fullmatch(BUNDLE, word):
            return "text", words[at + 1] if at + 1 < len(words) else ""
        if word[:2] in ("-c", "-e") and len(word) > 5:
            return "text", word[2:]
        if word == "-m" or word.startswith("-m"):
            return "file", word
        if word in STDIN:
            return "stdin", ""
        if not word.startswith("-") and (not at or words[at - 1] not in ("-W", "-X")):
            return "file", word
    return "stdin", ""


def option_value(words: list[str], *names: str) -> str | None:
    """The value of the first of these options, separate or after =; None if there is none."""
    for at, word in enumerate(words):
        if word in names:
            return words[at + 1] if at + 1 < len(words) else ""
        name, sign, value = word.partition("=")
        if sign and name in names:
            return value
    return None


def letter_value(words: list[str], letter: str) -> str | None:
    """The value of an option by its letter, alone, among others (-so file) or with the value attached (-ofile)."""
    for at, word in enumerate(words):
        before, found, value = word.partition(letter)
        if found and before[:1] == "-" and (before == "-" or before[1:].isalnum()):
            return value or (words[at + 1] if at + 1 < len(words) else "")
    return None


def has_option(words: list[str], letters: str, *names: str) -> bool:
    """Whether an option is given: by one of its letters, alone or among others, or by the start of a long name."""
    for word in words:
        if word == "--":
            return False
        if word[:2] == "--" and any(name.startswith(word.partition("=")[0]) for name in names):
            return True
        if word[:1] == "-" and word[1:2] != "-" and any(letter in word[1:] for letter in letters):
            return True
    return False


def operands(words: list[str], valued: tuple[str, ...] = ()) -> list[str]:
    """The words that are not options, nor the values of these options."""
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


def split_string(words: list[str]) -> str | None:
    """The argument of env -S, with the words after it; None if there is no such option."""
    for at, word in enumerate(words):
        name, _, value = word.partition("=")
        if name == "--split-string" or (word[:1] == "-" and word[1:2] != "-" and "S" in word):
            value = value if word.startswith("--") else word.partition("S")[2]
            return " ".join((value, *words[at + 1 :]))
        if not word.startswith("-") and (not at or words[at - 1] not in ("-u", "-C", "-P")):
            return None
    return None


def replaced_by(words: list[str]) -> str:
    """The text that xargs replaces by its input; empty if the input is appended."""
    for word in words:
        if word[:2] in ("-I", "-i") and len(word) > 2:
            return word[2:]
        if word in ("-i", "--replace"):
            return "{}"
    return option_value(words, "-I", "--replace") or ""


def found_by(words: list[str]) -> tuple[list[str], bool, list[list[str]]]:
    """Of find: where it starts, whether it takes everything there, and the commands that it runs."""
    at = 0
    while at < len(words) and words[at] in ("-H", "-L", "-P"):
        at += 1
    starts: list[str] = []
    while at < len(words) and not words[at].startswith("-") and words[at] not in ("(", "!"):
        starts.append(words[at])
        at += 1
    everything = takes_all(words[at:])
    runs: list[list[str]] = []
    while at < len(words):
        if words[at] in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((place for place in range(at + 1, len(words)) if words[place] in (";", "+")), len(words))
            runs.append(words[at + 1 : end])
            at = end
        at += 1
    return starts or ["."], everything, runs


def takes_all(words: list[str]) -> bool:
    """Whether one of find's alternatives is unrestricted: `! -name x` and `-name '*'` leave nearly all.

    A condition after an action has no effect: `-delete -name x` has deleted everything already.
    """
    held = False
    for at, word in enumerate(words):
        if word in ACTIONS:
            if not held:
                return True
            continue
        if word in ("-o", "-or", ","):
            if not held:
                return True
            held = False
        elif word in FILTERS:
            negated = at > 0 and words[at - 1] in ("!", "-not")
            held = held or not (negated or fits_nearly_all(word, "".join(words[at + 1 : at + 2])))
    return not held


def fits_nearly_all(test: str, value: str) -> bool:
    """A pattern without a letter, such as `*.*`; a size of more than so much."""
    if test == "-size":
        return value.startswith("+")
    return test != "-empty" and bool(value) and not value.strip("*?./")
