"""Check what the program that reads a config file expects of it, with linters that are installed.

A linter that uses the network because a file says so is not run: `docker compose config` fetches what a file includes,
`kubeconform` its schemas.
"""

from __future__ import annotations

import os
import re

from tenterhook.library.project.config_files.syntax import at, at_offset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

SCHEMA = ["check-jsonschema", "--output-format", "json", "--builtin-schema"]
# By kind: what it checks, and the linters that can, the best one first.
LINTERS = {
    "dockerfile": ("the instructions of a Dockerfile", [["hadolint", "--format", "json"]]),
    "workflow": (
        "what GitHub expects of a workflow",
        [
            ["actionlint", "-no-color", "-shellcheck=", "-pyflakes=", "-format", "{{json .}}"],
            [*SCHEMA, "vendor.github-workflows"],
        ],
    ),
    "gitlab": ("what GitLab expects", [[*SCHEMA, "vendor.gitlab-ci", "--data-transform", "gitlab-ci"]]),
    "compose": ("what Compose expects", [[*SCHEMA, "vendor.compose-spec"]]),
    "kubernetes": ("what Kubernetes expects of a manifest", []),
}
HOW = {
    "hadolint": "install hadolint",
    "actionlint": "install actionlint",
    "check-jsonschema": "pip install 'tenterhook[config]'",
}
BY_HAND = "run kubeconform yourself: it fetches schemas from the network"
DOCKERFILES = ("dockerfile", "containerfile")
NOT_DOCKERFILES = (".dockerignore", ".in", ".j2", ".md", ".py", ".template", ".tmpl", ".txt")
MANIFEST = (re.compile("(?m)^apiVersion:"), re.compile("(?m)^kind:"))
STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]|\['(.*?)'\]")
GRACE = 0.1


def kind(path: str, text: str = "") -> str:
    """The kind of a file, by its name, and by its text for a Kubernetes manifest; empty if no linter knows it."""
    name = os.path.basename(path)
    stem, suffix = os.path.splitext(name.lower())
    variant = name.startswith(("Dockerfile.", "Containerfile.")) and suffix not in NOT_DOCKERFILES
    if name.lower() in DOCKERFILES or suffix[1:] in DOCKERFILES or variant:
        return "dockerfile"
    if suffix not in (".yml", ".yaml"):
        return ""
    if "/.github/workflows/" in "/" + path.replace(os.sep, "/").lower():
        return "workflow"
    if stem.endswith(".gitlab-ci"):
        return "gitlab"
    first = stem.partition(".")[0]
    if first in ("compose", "docker-compose") or first.startswith("docker-compose-"):
        return "compose"
    return "kubernetes" if all(key.search(text) for key in MANIFEST) else ""


def lint(path: str, text: str, seconds: float) -> tuple[list[str], str]:
    """The problems of a file, each as `line:column: what`; and what was not checked, and how to get it checked."""
    found = kind(path, text)
    if not found:
        return [], ""
    what, linters = LINTERS[found]
    words = next(([program, *one[1:]] for one in linters if (program := installed(one[0]))), None)
    if words is None:
        return [], f"{what} ({', or '.join(HOW[one[0]] for one in linters) or BY_HAND})"
    output = run(words, path, seconds) if seconds > 0 else None
    if output is None:
        return [], f"{what} ({os.path.basename(words[0])} gave no answer)"
    return list(format_problems(output, text)), ""


def installed(name: str) -> str:
    """The path of a linter: on PATH, or beside the Python that runs us, where pip installs those of an extra."""
    import sys
    from shutil import which

    return which(name) or which(name, path=os.path.dirname(sys.executable)) or ""


def run(words: list[str], path: str, seconds: float) -> Any:
    """A linter's output about a file, as data; None if it prints something else, or nothing in time."""
    import json

    from tenterhook.runtime.process import Program, run

    words = [*words, os.path.join(".", os.path.basename(path))]  # a name may begin with a dash
    done = run(Program(tuple(words), b"", os.environ, os.path.dirname(path), seconds, GRACE, leftovers="end"))
    try:
        return json.loads(done.stdout)
    except ValueError:
        return None


def format_problems(output: Any, text: str) -> Iterator[str]:
    """Read a linter's output: hadolint and actionlint print a list with places. Of hadolint only errors count.

    check-jsonschema prints paths within the file.
    """
    for one in output if isinstance(output, list) else []:
        if one.get("level", "error") == "error":
            yield at(one["line"], one["column"], " ".join(one["message"].split()))
    for one in output["errors"] if isinstance(output, dict) else []:
        best = one.get("best_deep_match") or one
        where = best["path"].lstrip("$.")
        yield at_offset(
            text, offset_of(best["path"], text), f"{where}: {best['message']}" if where else best["message"]
        )


def offset_of(path: str, text: str) -> int:
    """The offset of `$.jobs.test.steps[0]`, or of the nearest part around it that exists."""
    from tenterhook.errors import ConfigError
    from tenterhook.support.readers import yaml

    try:
        place, _ = yaml.scan(text, "")
    except ConfigError:  # several documents
        return 0
    for key, index, quoted in STEP.findall(path):
        step = int(index) if index else key or quoted
        if step not in place.inside:
            break
        place = place.inside[step]
    return place.offset
