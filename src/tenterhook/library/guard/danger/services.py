"""Containers, clusters, databases and processes."""

from __future__ import annotations

import os
import re

from tenterhook.library.guard.danger.files import is_root
from tenterhook.library.guard.danger.rules import from_subcommand
from tenterhook.library.guard.paths import Territory
from tenterhook.support.shell.calls import ProgramCall
from tenterhook.support.shell.wrappers import operands, option_value

RIGHTS = {"--pid=host", "--userns=host", "--cap-add=all", "--cap-add=sys_admin", "--security-opt=seccomp=unconfined"}
USERS = ("-u", "-U", "--user", "--euid", "--uid")
DROPS = r"(?is)^\s*(?:drop\s+(?:database|schema|table|user|role|keyspace)|truncate)\b"


def frees_container(call: ProgramCall, place: Territory) -> bool:
    """Whether a container gets the machine's own rights or files."""
    words = call.words
    if not {"run", "create", "exec"} & set(operands(from_subcommand(call))[:2]):
        return False
    mounted = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-v", "--volume", "--mount")]
    mounted += [word.partition("=")[2] for word in words if word.startswith(("--volume=", "--mount=", "-v="))]
    mounted += [word[2:] for word in words if word.startswith("-v/")]
    foreign = any(is_foreign(call, one, place) for one in mounted)
    socket = any("docker.sock" in one for one in mounted)
    pairs = {f"{word}={words[at + 1]}".lower() for at, word in enumerate(words[:-1])}
    rights = bool(RIGHTS & (pairs | {word.lower() for word in words}))
    return foreign or socket or rights or any(word in ("--privileged", "--privileged=true") for word in words)


def is_foreign(call: ProgramCall, mounted: str, place: Territory) -> bool:
    """Whether a writable mount is the system's root, a folder directly below it, or a home."""
    source = re.search(r"(?:source|src)=([^,]*)", mounted)
    path, _, rest = (source[1], "", mounted) if source else mounted.partition(":")
    if not path.startswith("/") or rest.endswith((":ro", "readonly")):
        return path.startswith("/") and os.path.normpath(path) in ("/", "//")
    path = os.path.normpath(path).replace("//", "/")
    return path not in (place.project, place.root) and is_root(call, path, place)


def deletes_cluster(call: ProgramCall, place: Territory) -> bool:
    words = operands(call.words)
    if "delete" not in words[:3]:
        return False
    kinds = words[words.index("delete") + 1 :][:1]
    wide = ("namespace", "namespaces", "ns", "all", "node", "nodes", "pv", "pvc", "crd")
    return "--all" in call.words or any(part in wide for kind in kinds for part in re.split(r"[,/]", kind))


def drops(call: ProgramCall, place: Territory) -> bool:
    program = call.program
    if program in ("mongosh", "mongo"):
        return any("dropDatabase" in text or ".drop(" in text for text in (*call.words, *call.texts))
    if program == "redis-cli":
        return any(word.lower() in ("flushall", "flushdb") for word in call.words)
    value = option_value(call.words, "-c", "--command", "-e", "--execute")
    joined = [word[2:] for word in call.words if word[:2] in ("-c", "-e") and len(word) > 2]
    statements = [
        value or "",
        *joined,
        *call.texts,
        *(operands(call.words)[1:] if program.startswith("sqlite") else ()),
    ]
    echoed = [" ".join(one.words) for one in call.fed if one.program in ("echo", "printf")]
    fed = [text for one in call.fed for text in one.texts]
    return any(
        re.match(DROPS, one) for text in (*statements, *echoed, *fed) for one in strip_sql_comments(text).split(";")
    )


def strip_sql_comments(text: str) -> str:
    if "/*" in text:
        first, *rest = text.split("/*")
        text = first + " ".join(one.partition("*/")[2] for one in rest)
    return "\n".join(line.partition("--")[0] for line in text.split("\n"))


def kills(call: ProgramCall, place: Territory) -> bool:
    """Whether it kills every process, process 1, or all of a user's. A leading -1 is a signal if a process follows."""
    words = call.words
    if call.program != "kill":
        return any(word in USERS for word in words) and not operands(words, (*USERS, "-s", "--signal"))
    if len(words) > 1 and words[0][:1] == "-" and words[0] != "--":
        words = words[2:] if words[0] in ("-s", "-n", "--signal") else words[1:]
    return any(word in ("-1", "1") for word in words)
