"""Dockerfiles: instructions that exist, in an order that works, with arguments that they can take."""

from __future__ import annotations

import os
import re

from tenterhook.errors import nearest
from tenterhook.library.project.syntax.instructions import Dockerfile
from tenterhook.library.project.syntax.place import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tenterhook.library.project.syntax.instructions import Instruction

NAMES = (
    *("ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL", "MAINTAINER"),
    *("ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"),
)
# `["` cannot be a test in a shell, and neither can a list with commas: both are meant as JSON.
MEANT_AS_JSON = re.compile(r"\[\s*[\"'][^\"']*[\"']\s*,|\[[\"']")
PORT = re.compile(r"\d{1,5}(?:-\d{1,5})?(?:/(?:tcp|udp|sctp))?$", re.IGNORECASE)
# What a build outside of the Dockerfile makes need not be there when the file is written.
BUILT = (".jar", ".war", ".whl", ".gz", ".tgz", ".zip", ".tar", ".so", ".exe", ".deb", ".rpm", ".apk", ".bin", ".wasm")
BUILT_FOLDERS = {"bin", "build", "dist", "node_modules", "out", "public", "publish", "release", "target", "vendor"}
# Nobody reads more, and a file of nothing but unknown instructions must not take long.
MOST = 200


def problems(path: str, text: str) -> list[str]:
    file = Dockerfile(text)
    found, stages = list(file.problems), 0
    if not file.instructions:
        return [at(1, 1, "there is no instruction: a Dockerfile starts with FROM")]
    for one in file.instructions:
        if len(found) >= MOST:
            return found
        if one.name not in NAMES:
            found.append(one.problem(f"unknown instruction {one.name!r:.40}{nearest(one.name, NAMES)}"))
            continue
        if not stages and one.name not in ("FROM", "ARG"):
            found.append(one.problem(f"{one.name} before the first FROM, where only ARG can stand"))
            stages = 1
        found += [one.problem(what) for what in check_instruction(one, stages)]
        found += [one.problem(what) for what in missing(one, path)]
        stages += one.name == "FROM"
    return found if stages else [*found, at(1, 1, "there is no FROM")]


def check_instruction(one: Instruction, stages: int) -> list[str]:
    """What is wrong with one instruction's arguments."""
    if not one.rest:
        return [f"{one.name} without anything behind it"]
    if one.name in ("COPY", "ADD"):
        return list(check_copy_instruction(one, stages))
    check = CHECKS.get(one.name)
    return list(check(one)) if check else []


def image(one: Instruction) -> Iterator[str]:
    words = one.arguments()
    if len(words) not in (1, 3) or (len(words) == 3 and words[1].upper() != "AS"):
        yield "FROM takes an image, or `image AS name`"


def exec_form(one: Instruction) -> Iterator[str]:
    text = without_flags(one.rest)
    if MEANT_AS_JSON.match(text) and json_words(text) is None:
        yield f"the list behind {one.name} is no JSON: words stand in double quotes, with commas between them"


def shell(one: Instruction) -> Iterator[str]:
    if not json_words(one.rest):
        yield 'SHELL takes a JSON list, such as ["/bin/bash", "-c"]'


def check_copy_instruction(one: Instruction, stages: int) -> Iterator[str]:
    text = without_flags(one.rest)
    words = json_words(text) if text.startswith("[") else one.arguments()
    if words is None:
        yield f"the list behind {one.name} is no JSON: words stand in double quotes, with commas between them"
    elif len(words) < 2:
        yield f"{one.name} takes at least one source and a destination"
    source = one.flags().get("from", "")
    if source.isdecimal() and int(source) >= stages:
        yield f"--from={source}: there is no such stage above; the first has the number 0"


def healthcheck(one: Instruction) -> Iterator[str]:
    words = one.arguments()
    kind = words[0].upper() if words else ""
    if kind not in ("NONE", "CMD") or (kind == "CMD" and len(words) < 2):
        yield "HEALTHCHECK takes NONE, or `CMD command` after its options"


def later(one: Instruction) -> Iterator[str]:
    from tenterhook.library.project.syntax.instructions import Instruction

    name, _, rest = one.rest.partition(" ")
    name = name.upper()
    if name in ("ONBUILD", "FROM", "MAINTAINER"):
        yield f"ONBUILD cannot hold {name}"
    elif name not in NAMES:
        yield f"unknown instruction {name!r:.40} behind ONBUILD{nearest(name, NAMES)}"
    else:
        yield from check_instruction(Instruction(one.line, name, rest.strip()), 1)


def environment(one: Instruction) -> Iterator[str]:
    first, *others = one.rest.split()
    if "=" not in first and not others:
        yield f"{one.name} takes `name=value`"
    elif first.startswith("="):
        yield f"{one.name} has a value without a name"


def ports(one: Instruction) -> Iterator[str]:
    for word in one.rest.split():
        if "$" not in word and not PORT.match(word.strip("\"'")):
            yield f"EXPOSE takes ports such as 80 or 53/udp, not {word!r:.40}"


CHECKS: dict[str, Callable[[Instruction], Iterator[str]]] = {
    "FROM": image,
    "RUN": exec_form,
    "CMD": exec_form,
    "ENTRYPOINT": exec_form,
    "VOLUME": exec_form,
    "SHELL": shell,
    "HEALTHCHECK": healthcheck,
    "ONBUILD": later,
    "ENV": environment,
    "LABEL": environment,
    "EXPOSE": ports,
}


def missing(one: Instruction, path: str) -> Iterator[str]:
    """Sources that are plainly absent: a file by its name, no pattern, nothing that a build makes first."""
    if one.name not in ("COPY", "ADD") or "from" in one.flags() or one.rest.count("<<"):
        return
    text = without_flags(one.rest)
    words = json_words(text) if text.startswith("[") else one.arguments()
    for source in (words or ())[:-1]:
        if literal(source) and not any(os.path.exists(os.path.join(folder, source)) for folder in contexts(path)):
            hint = near(path, source)
            if hint or os.path.splitext(source)[1]:
                yield f"there is no {source!r} to be copied{hint}"


def literal(source: str) -> bool:
    """Whether it names a file of the build's context, and one that somebody writes by hand."""
    if any(char in source for char in "*?[$\"'\\:") or source in (".", "./", "/"):
        return False
    parts = set(source.lower().strip("./").split("/"))
    return not source.lower().endswith(BUILT) and not parts & BUILT_FOLDERS


def contexts(path: str) -> Iterator[str]:
    """The folders that a build may start from: the Dockerfile's own and those above, up to the repository's."""
    folder = os.path.dirname(os.path.abspath(path))
    while True:
        yield folder
        above = os.path.dirname(folder)
        if above == folder or os.path.exists(os.path.join(folder, ".git")):
            return
        folder = above


def near(path: str, source: str) -> str:
    folder = os.path.join(os.path.dirname(os.path.abspath(path)), os.path.dirname(source.strip("/")))
    try:
        return nearest(os.path.basename(source.rstrip("/")), os.listdir(folder))
    except OSError:
        return ""


def without_flags(text: str) -> str:
    return re.sub(r"^(?:--\S+\s+)+", "", text)


def json_words(text: str) -> list[str] | None:
    import json

    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) and all(isinstance(one, str) for one in found) else None
