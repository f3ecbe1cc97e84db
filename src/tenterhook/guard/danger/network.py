"""Rules about code that comes from elsewhere, and credentials that go there."""

from __future__ import annotations

from tenterhook.guard.calls import Call
from tenterhook.guard.finding import Rule
from tenterhook.guard.paths import Place
from tenterhook.guard.runs import code_from
from tenterhook.guard.shell.records import UNKNOWN
from tenterhook.guard.wrappers import LOADS

SENDS = "curl wget nc ncat netcat socat scp rsync sftp ftp http https telnet mail sendmail"
DECODES = ("base64", "base32", "xxd", "openssl", "uudecode", "rev")
RUNS = "sh bash dash zsh ksh ash mksh fish rbash eval source . python perl ruby node deno bun php lua osascript"
PRINTS = "cat less more head tail bat strings base64 xxd grep"
ENVIRONMENT = ("env", "printenv", "set", "export", "declare")
# Parts of paths below which, and names under which, credentials are kept.
SECRET_PLACES = ("/.ssh/", "/.aws/credentials", "/.netrc", "/.gnupg/", "/.kube/config", "/.docker/config.json")
MORE_PLACES = ("/.config/gcloud/", "/.git-credentials", "/.pypirc", "/.npmrc", "/etc/shadow", "/.config/gh/hosts")
KEY_FILES = ("id_rsa", "id_ed25519", "id_ecdsa", "id_dsa")
OPEN_PLACES = (".pub", "/known_hosts", "/authorized_keys", "/.ssh/config")


def upstream(call: Call) -> list[Call]:
    """All that is piped into a call, near and far, and what runs in the substitutions of those."""
    found: list[Call] = []
    waiting = [*call.fed]
    while waiting and len(found) < 50:
        one = waiting.pop()
        found.append(one)
        waiting += [*one.fed, *one.inner]
    return found


def runs_what(call: Call, programs: tuple[str, ...]) -> bool:
    """Whether a shell or an interpreter runs what one of these programs gives it, by a pipe or a substitution."""
    kind, text = code_from(call)
    if kind == "stdin":
        sources = upstream(call) + (call.inner if call.reads else [])
    elif kind and UNKNOWN in text:
        handed = upstream(call) if "xargs" in call.by else []
        sources = [*handed, *call.inner, *(one for inner in call.inner for one in upstream(inner))]
    else:
        sources = []
    return any(one.program in programs for one in sources)


def runs_download(call: Call, place: Place) -> bool:
    return runs_what(call, LOADS) or runs_file_of_download(call)


def runs_file_of_download(call: Call) -> bool:
    """`bash <(curl ...)` is a file to the shell."""
    return any(UNKNOWN in one for one in call.reads) and any(one.program in LOADS for one in call.inner)


def runs_decoded(call: Call, place: Place) -> bool:
    return runs_what(call, DECODES)


def is_credential(word: str) -> bool:
    named = word.lstrip("@").rpartition("=@")[2]
    if any(part in word for part in OPEN_PLACES):
        return False
    path = named if named.startswith("/") else "/" + named
    return any(part in path for part in (*SECRET_PLACES, *MORE_PLACES)) or path.rpartition("/")[2] in KEY_FILES


def reads(call: Call) -> list[str]:
    return [word for word in (*call.words, *call.reads) if is_credential(word)]


def sends_credentials(call: Call, place: Place) -> bool:
    """Its own words, what is piped into it, or what stands in its substitutions. Files of curl are marked by @."""
    if call.program in ("curl", "wget", "http", "https"):
        own = any(is_credential(word) and sent_as_file(call.words, word) for word in call.words)
    else:
        named = [
            word for at, word in enumerate(call.words) if not at or call.words[at - 1] not in ("-i", "-F", "-o", "-e")
        ]
        own = any(map(is_credential, named))
    sources = [*upstream(call), *call.inner, *(one for inner in call.inner for one in upstream(inner))]
    return own or any(map(is_credential, call.reads)) or any(reads(one) for one in sources)


def sent_as_file(words: list[str], word: str) -> bool:
    before = words[words.index(word) - 1] if words.index(word) else ""
    return "@" in word or before in ("-T", "--upload-file", "--post-file", "--body-file") or "-file=" in word


def sends_environment(call: Call, place: Place) -> bool:
    sources = [*upstream(call), *call.inner, *(one for inner in call.inner for one in upstream(inner))]
    return any(one.program in ENVIRONMENT and not has_operands(one) for one in sources)


def has_operands(call: Call) -> bool:
    return any(not word.startswith("-") for word in call.words)


def prints_credentials(call: Call, place: Place) -> bool:
    return bool(reads(call))


RULES = (
    Rule(
        "download-run",
        "deny",
        "runs code from the network that nobody has seen; load it into a file, read it, then run it",
        runs_download,
        RUNS,
    ),
    Rule("decoded-run", "ask", "runs code that is hidden by an encoding; write it out", runs_decoded, RUNS),
    Rule(
        "send-credentials",
        "deny",
        "sends credentials to another machine; leave them where they are",
        sends_credentials,
        SENDS,
    ),
    Rule(
        "send-environment",
        "deny",
        "sends the environment, with the secrets in it, to another machine; send single values that are no secrets",
        sends_environment,
        SENDS,
    ),
    Rule(
        "read-credentials",
        "ask",
        "shows credentials to the model; name what you need to know",
        prints_credentials,
        PRINTS,
    ),
)
