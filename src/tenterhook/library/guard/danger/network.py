"""Code that comes from the network, and credentials that are sent there."""

from __future__ import annotations

import re

from tenterhook.library.guard.danger.rules import SOCKETS
from tenterhook.library.guard.paths import EXAMPLES, Territory
from tenterhook.support.shell.calls import ProgramCall
from tenterhook.support.shell.programs import DECODES, code_from, whole
from tenterhook.support.shell.records import UNKNOWN
from tenterhook.support.shell.wrappers import LOADS, SHELLS, operands

# Code that runs what it loads, gives another machine a terminal, or runs what it decodes.
FROM_NETWORK = (
    r"(?s)\b(?:exec|eval|system)\b\s*\(?[^\n;]*\b(?:urlopen|requests|httpx|fetch|LWP|Net::HTTP)\b|"
    r"\bsocket\b.{0,400}\b(?:pty\.spawn|dup2)\b"
)
DECODED = (
    r"\b(?:exec|eval|system)\b\s*\(?[^\n;]*\b(?:b64decode|decodebytes|fromhex|unhexlify|unpack|pack|atob|decode64)\b"
)
LONGEST = 200_000
ENVIRONMENT = ("env", "printenv", "set", "export", "declare")
# Parts of paths, and file names, that hold credentials.
SECRET_PLACES = (
    *("/.ssh/", "/.aws/credentials", "/.netrc", "/.gnupg/", "/.kube/config", "/.docker/config.json", "/.pgpass"),
    *("/.vault-token", "/.cargo/credentials", "/.config/gcloud/", "/.git-credentials", "/.pypirc", "/.npmrc"),
    *("/etc/shadow", "/.config/gh/hosts"),
)
SECRET_FOLDERS = ("/.ssh", "/.aws", "/.gnupg", "/.config/gcloud")
KEY_FILES = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa")
OPEN_PLACES = (".pub", "/known_hosts", "/authorized_keys", "/.ssh/config")


def upstream(call: ProgramCall) -> list[ProgramCall]:
    """All calls that are piped into a call, directly or not, and those in their substitutions."""
    found: list[ProgramCall] = []
    waiting = [*call.fed]
    while waiting and len(found) < 50:
        one = waiting.pop()
        found.append(one)
        waiting += [*one.fed, *one.inner]
    return found


def substituted(call: ProgramCall) -> list[ProgramCall]:
    """The calls in its substitutions, and all that is piped into those."""
    return [*call.inner, *(one for inner in call.inner for one in upstream(inner))]


def runs_what(call: ProgramCall, programs: tuple[str, ...]) -> bool:
    """Whether a shell or an interpreter runs the output of one of these programs, by a pipe or a substitution."""
    kind, text = code_from(call)
    if kind == "stdin" or (kind == "text" and re.search(r"\b(?:exec|eval)\b.*(?:stdin|open\(0\))", text)):
        sources = upstream(call) + (call.inner if call.reads else [])
    elif kind and UNKNOWN in text:
        handed = upstream(call) if "xargs" in call.by else []
        sources = [*handed, *substituted(call)]
    else:
        sources = []
    return any(one.program in programs for one in sources)


def runs_download(call: ProgramCall, place: Territory) -> bool:
    if call.program in SOCKETS.split():
        return gives_shell(call)
    from_socket = any(one.startswith(("/dev/tcp/", "/dev/udp/")) for one in (*call.reads, *call.writes))
    return from_socket or runs_what(call, LOADS) or runs_file_of_download(call) or says(call, FROM_NETWORK)


def says(call: ProgramCall, pattern: str) -> bool:
    """Whether the code of an interpreter in the command contains this."""
    kind, text = code_from(call)
    given = [text] if kind == "text" else call.texts if kind == "stdin" else []
    return call.program not in SHELLS and any(re.search(pattern, one[:LONGEST]) for one in given)


def gives_shell(call: ProgramCall) -> bool:
    """Whether it gives the other end of a connection a shell."""
    if call.program == "socat":
        return any(re.match(r"(?i)(?:exec|system):", word) for word in call.words)
    options = [word for word in call.words if word[:1] == "-" and word[1:2] != "-"]
    return any("e" in one or "c" in one for one in options if len(one) < 5) or any(
        word.startswith(("--exec", "--sh-exec")) for word in call.words
    )


def runs_file_of_download(call: ProgramCall) -> bool:
    """Whether a shell runs `<(curl ...)`, which is a file to it."""
    return any(UNKNOWN in one for one in call.reads) and any(one.program in LOADS for one in call.inner)


def runs_decoded(call: ProgramCall, place: Territory) -> bool:
    return runs_what(call, DECODES) or says(call, DECODED)


def is_credential(word: str) -> bool:
    named = word.lstrip("@").rpartition("=@")[2].removeprefix("if=")
    if any(part in word for part in OPEN_PLACES):
        return False
    path = named if named.startswith("/") else "/" + named
    if path.rstrip("/").endswith(SECRET_FOLDERS) or (path.startswith("/proc/") and path.endswith("/environ")):
        return True
    return any(part in path for part in SECRET_PLACES) or path.rpartition("/")[2] in KEY_FILES


def is_sent_secret(word: str) -> bool:
    """Whether it is a credential, or a file that may be read here but not sent."""
    name = word.rpartition("@")[2].rpartition("=")[2].rpartition("/")[2].lower()
    return is_credential(word) or (name == ".env" or (name.startswith(".env.") and name not in EXAMPLES))


def reads(call: ProgramCall) -> list[str]:
    """The credentials that a call reads, by their names and the call's folder."""
    words = [word for word in (*call.words, *call.reads) if not word.startswith("-") or "=" in word]
    return [word for word in words if is_credential(word) or (call.folder and is_credential(whole(call, word)))]


def sends_credentials(call: ProgramCall, place: Territory) -> bool:
    """Whether credentials are sent: by its arguments, its input, or its substitutions. curl marks files by @."""
    if call.program in ("curl", "wget", "http", "https"):
        own = any(is_sent_secret(word) and sent_as_file(call.words, word) for word in call.words)
    else:
        named = [
            word for at, word in enumerate(call.words) if not at or call.words[at - 1] not in ("-i", "-F", "-o", "-e")
        ]
        own = any(map(is_sent_secret, named))
    sources = [*upstream(call), *substituted(call)]
    read = [word for one in sources for word in (*one.words, *one.reads) if is_sent_secret(word)]
    return own or any(map(is_sent_secret, call.reads)) or bool(read) or any(map(reads, sources))


def sent_as_file(words: list[str], word: str) -> bool:
    before = words[words.index(word) - 1] if words.index(word) else ""
    return (
        "@" in word
        or word.startswith("-T")
        or before in ("-T", "--upload-file", "--post-file", "--body-file")
        or "-file=" in word
    )


def sends_environment(call: ProgramCall, place: Territory) -> bool:
    sources = [*upstream(call), *substituted(call)]
    return any(one.program in ENVIRONMENT and not operands(one.words) for one in sources)


def prints_credentials(call: ProgramCall, place: Territory) -> bool:
    return bool(reads(call))
