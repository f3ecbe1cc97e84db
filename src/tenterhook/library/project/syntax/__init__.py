"""Whether a config file is sound: YAML, JSON, TOML, Dockerfiles, CI files, manifests, makefiles, shell scripts.

What a file is follows from its name. A checker is one module with `problems(path, text) -> list[str]`, each problem as
`line:column: what`. Only what is plainly wrong is told: a file that some tool reads otherwise must not be held up.
"""

from __future__ import annotations

import os
import re

from tenterhook.library.project.syntax.place import at

LARGEST = 1 << 20
DOCKERFILES = ("dockerfile", "containerfile")
NO_DOCKERFILE = (".dockerignore", ".in", ".j2", ".md", ".py", ".template", ".tmpl", ".txt")
JSON = (".json", ".jsonc", ".code-workspace", ".webmanifest")
JSON_NAMES = (".babelrc", ".eslintrc", ".prettierrc", ".swcrc")
YAML = (".yml", ".yaml")
TOML_NAMES = ("pipfile", "poetry.lock", "uv.lock", "cargo.lock")
MAKEFILES = ("makefile", "gnumakefile")
ANY_BYTES = ("dockerfile", "makefile", "shell")
SHELL = (".sh", ".bash", ".zsh", ".ksh")


def kind(path: str) -> str:
    """The checker for a file, by its name; empty where there is none."""
    name = os.path.basename(path).lower()
    stem, suffix = os.path.splitext(name)
    if name in DOCKERFILES or suffix[1:] in DOCKERFILES or is_variant(os.path.basename(path), suffix):
        return "dockerfile"
    if suffix in YAML:
        return yaml_kind(path.replace(os.sep, "/").lower(), stem)
    if suffix in JSON or name in JSON_NAMES:
        return "json"
    if suffix == ".toml" or name in TOML_NAMES:
        return "toml"
    if name in MAKEFILES or suffix == ".mk":
        return "makefile"
    return "shell" if suffix in SHELL else ""


def is_variant(name: str, suffix: str) -> bool:
    """Whether it is a Dockerfile for some stage or system, such as Dockerfile.dev, and no text or code about one."""
    return name.startswith(("Dockerfile.", "Containerfile.")) and suffix not in NO_DOCKERFILE


def yaml_kind(path: str, stem: str) -> str:
    """What the YAML of a file is for, in small letters."""
    if "/.github/workflows/" in f"/{path}":
        return "workflow"
    if stem == ".gitlab-ci" or stem.endswith(".gitlab-ci"):
        return "gitlab"
    first = stem.partition(".")[0]
    if first in ("compose", "docker-compose") or first.startswith("docker-compose-"):
        return "compose"
    return "kubernetes"  # any other YAML file may be one: its documents say so themselves


def no_text(text: str, found: str) -> str:
    """A NUL, or a byte that is no UTF-8 where the format asks for that, as `surrogateescape` reads it."""
    odd = "\0" if found in ANY_BYTES else "\0\ud800-\udfff"
    bad = re.search(f"[{odd}]", text)
    if not bad:
        return ""
    line, column = text.count("\n", 0, bad.start()) + 1, bad.start() - text.rfind("\n", 0, bad.start())
    what = "a NUL character: this is no text file" if bad[0] == "\0" else "not UTF-8"
    return at(line, column, what)


def problems(path: str, text: str, seconds: float = 2.0) -> list[str]:
    """What is wrong with a file of this name and text; nothing for a sound one, and for a kind that nobody knows.

    `seconds` bounds the one checker that asks another program, the shell.
    """
    found = kind(path)
    if not found or len(text) >= LARGEST:
        return []
    from importlib import import_module

    text = text.removeprefix("\ufeff")
    strange = no_text(text, found)
    if strange:
        return [strange]
    checker = import_module(f"{__name__}.{found}")
    given: list[str] = checker.problems(path, text, seconds) if found == "shell" else checker.problems(path, text)
    return given
