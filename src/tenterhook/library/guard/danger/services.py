"""Rules about shared services: packages, containers, clusters, clouds, databases."""

from __future__ import annotations

import os
import re

from tenterhook.library.guard.danger.files import is_root
from tenterhook.library.guard.finding import Rule
from tenterhook.library.guard.paths import Place
from tenterhook.support.shell.calls import Call
from tenterhook.support.shell.wrappers import operands, option_value

PUBLISH = {
    **dict.fromkeys(("npm", "yarn", "pnpm", "bun", "cargo", "poetry", "uv", "flit", "hatch"), ("publish",)),
    "twine": ("upload",),
    "gem": ("push",),
    "mvn": ("deploy",),
}
RIGHTS = {"--pid=host", "--userns=host", "--cap-add=all", "--cap-add=sys_admin", "--security-opt=seccomp=unconfined"}
# Options with a value that may come before the subcommand.
GLOBAL = {
    "aws": "--profile --region --endpoint-url --output --query --color --ca-bundle",
    "gcloud": "--project --account --configuration --format",
    **dict.fromkeys(("docker", "podman"), "-c -H -l --context --host --config --log-level"),
    "helm": "-n --namespace --kube-context --kubeconfig",
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun"), "-C -w -F --prefix --dir --cwd --workspace --filter --registry --tag"
    ),
    **dict.fromkeys(("cargo", "poetry", "uv"), "-C -Z --color --config --directory --project"),
}
SQL = "psql mysql mariadb sqlite"
DROPS = r"(?is)^\s*(?:drop\s+(?:database|schema|table|user|role|keyspace)|truncate)\b"


def plain(call: Call) -> list[str]:
    """The words of the subcommand, without options and the values of those before it."""
    found = operands(call.words, tuple(GLOBAL.get(call.program, "").split()))
    return found[1:] if call.program == "cargo" and found[:1] and found[0].startswith("+") else found


def publishes(call: Call, place: Place) -> bool:
    words = plain(call)
    program = call.program
    if "--dry-run" in call.words or "-n" in call.words:
        return False
    if program.startswith("python"):
        return "-m" in call.words and words[:2] == ["twine", "upload"]
    if program == "gh":
        return words[:2] in (["release", "create"], ["repo", "delete"], ["repo", "edit"])
    if program == "dotnet":
        return words[:2] == ["nuget", "push"]
    return any(word in PUBLISH.get(program, ()) for word in words[: 2 if program == "yarn" else 1])


def frees_container(call: Call, place: Place) -> bool:
    """Whether a container gets the machine's own rights or files."""
    words = call.words
    if not {"run", "create", "exec"} & set(plain(call)[:2]):
        return False
    mounted = [words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-v", "--volume", "--mount")]
    mounted += [word.partition("=")[2] for word in words if word.startswith(("--volume=", "--mount=", "-v="))]
    mounted += [word[2:] for word in words if word.startswith("-v/")]
    foreign = any(is_foreign(call, one, place) for one in mounted)
    socket = any("docker.sock" in one for one in mounted)
    pairs = {f"{word}={words[at + 1]}".lower() for at, word in enumerate(words[:-1])}
    rights = bool(RIGHTS & (pairs | {word.lower() for word in words}))
    return foreign or socket or rights or any(word in ("--privileged", "--privileged=true") for word in words)


def is_foreign(call: Call, mounted: str, place: Place) -> bool:
    """Whether a writable mount is the system's root, a folder directly below it, or a home."""
    source = re.search(r"(?:source|src)=([^,]*)", mounted)
    path, _, rest = (source[1], "", mounted) if source else mounted.partition(":")
    if not path.startswith("/") or rest.endswith((":ro", "readonly")):
        return path.startswith("/") and os.path.normpath(path) in ("/", "//")
    path = os.path.normpath(path).replace("//", "/")
    return path not in (place.project, place.root) and is_root(call, path, place)


def prunes(call: Call, place: Place) -> bool:
    words = plain(call)
    everything = any(word in ("-a", "--all", "--volumes", "-af", "-fa") for word in call.words)
    if words[:2] in (["volume", "prune"], ["volume", "rm"]):
        return True
    return words[:2] in (["system", "prune"], ["image", "prune"]) and everything


def deletes_cluster(call: Call, place: Place) -> bool:
    words = plain(call)
    if call.program == "helm":
        return words[:1] in (["uninstall"], ["delete"])
    if "delete" not in words[:3]:
        return False
    kinds = words[words.index("delete") + 1 :][:1]
    wide = ("namespace", "namespaces", "ns", "all", "node", "nodes", "pv", "pvc", "crd")
    return "--all" in call.words or any(part in wide for kind in kinds for part in re.split(r"[,/]", kind))


def destroys(call: Call, place: Place) -> bool:
    words = plain(call)
    applied = words[:1] == ["apply"] and any(word in ("-destroy", "--destroy") for word in call.words)
    return applied or words[:1] in (["destroy"], ["down"]) or words[:2] == ["run-all", "destroy"]


def deletes_cloud(call: Call, place: Place) -> bool:
    words, given = plain(call), call.words
    if call.program == "aws":
        emptied = words[:2] == ["s3", "rm"] and "--recursive" in given
        return (
            emptied
            or words[:2] == ["s3", "rb"]
            or any(word.startswith(("delete-", "terminate-")) for word in words[1:2])
        )
    return "delete" in words


def drops(call: Call, place: Place) -> bool:
    program = call.program
    if program == "dropdb":
        return "--help" not in call.words
    if program in ("mongosh", "mongo"):
        return any("dropDatabase" in text or ".drop(" in text for text in (*call.words, *call.texts))
    if program == "redis-cli":
        return any(word.lower() in ("flushall", "flushdb") for word in call.words)
    value = option_value(call.words, "-c", "--command", "-e", "--execute")
    joined = [word[2:] for word in call.words if word[:2] in ("-c", "-e") and len(word) > 2]
    statements = [value or "", *joined, *call.texts, *(plain(call)[1:] if program.startswith("sqlite") else ())]
    said = [" ".join(one.words) for one in call.fed if one.program in ("echo", "printf")]
    fed = [text for one in call.fed for text in one.texts]
    return any(
        re.match(DROPS, one) for text in (*statements, *said, *fed) for one in strip_sql_comments(text).split(";")
    )


def strip_sql_comments(text: str) -> str:
    if "/*" in text:
        first, *rest = text.split("/*")
        text = first + " ".join(one.partition("*/")[2] for one in rest)
    return "\n".join(line.partition("--")[0] for line in text.split("\n"))


RULES = (
    Rule(
        "publish",
        "ask",
        "publishes for everybody and cannot be taken back; have the user decide",
        publishes,
        "npm yarn pnpm bun twine cargo poetry uv flit hatch gem gh dotnet mvn python",
    ),
    Rule(
        "container-rights",
        "deny",
        "gives a container the whole machine; mount single folders",
        frees_container,
        "docker podman",
    ),
    Rule(
        "container-prune",
        "ask",
        "deletes images and data of other projects; name what should go",
        prunes,
        "docker podman",
    ),
    Rule(
        "cluster-delete", "deny", "deletes much of a cluster; name single objects", deletes_cluster, "kubectl oc helm"
    ),
    Rule(
        "infrastructure-destroy",
        "deny",
        "destroys infrastructure; show the plan and leave the deed to the user",
        destroys,
        "terraform tofu pulumi terragrunt",
    ),
    Rule("cloud-delete", "ask", "deletes in the cloud; have the user decide", deletes_cloud, "aws gcloud"),
    Rule(
        "database-drop",
        "ask",
        "deletes tables or a database; make a backup and have the user decide",
        drops,
        f"{SQL} mongosh mongo redis-cli dropdb",
    ),
)
