"""The formatter that a project uses for a file, if its config names one."""

from __future__ import annotations

import os
import re

from tenterhook.library.project.commands import FILES, Command, of_tool, on_path, read
from tenterhook.library.project.languages import found_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.project.subject import Subject

FORMAT = "format"
# Files in which projects list the tools they run; a linter's own config says nothing about formatting.
SAID_IN = (
    *("pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py", "Makefile", "makefile", "justfile", "Taskfile.yml"),
    *(".pre-commit-config.yaml", "lefthook.yml", "package.json", "requirements-dev.txt", "dev-requirements.txt"),
)
PRETTIER = tuple(f".prettierrc{end}" for end in ("", ".json", ".yaml", ".yml", ".js", ".cjs", ".mjs", ".toml")) + tuple(
    f"prettier.config.{end}" for end in ("js", "cjs", "mjs", "ts")
)


def formatter(subject: Subject) -> Command | None:
    """The formatter's command; None if the project uses none for such a file."""
    folders = subject.folders()
    if subject.language == "python":
        return for_python(folders)
    if subject.language == "node" or subject.kind == "style":
        return for_node(folders)
    name, rest = {"go": ("gofmt", ["-w", FILES]), "rust": ("rustfmt", [FILES])}.get(subject.language, ("", []))
    return of_tool(FORMAT, name, folders[0], on_path(name), rest) if name else None


def for_python(folders: list[str]) -> Command | None:
    from tenterhook.library.project.languages.python import tool as python_tool

    text = read_formatter_configs(folders)
    if re.search(r"\[tool\.black|[\"'\s/]black(?![\w-])", text):
        return python_tool(FORMAT, "black", folders, ["-q", FILES])
    if re.search(r"\[tool\.ruff\.format|ruff[ -]format", text) or "[format]" in read(found_in(folders, "ruff.toml")):
        return python_tool(FORMAT, "ruff", folders, ["format", "-q", FILES])
    return None


def for_node(folders: list[str]) -> Command | None:
    used = any(found_in(folders, name) for name in PRETTIER) or '"prettier"' in read_formatter_configs(folders)
    if not used:
        return None
    from tenterhook.library.project.languages.node import tool as node_tool

    return node_tool(FORMAT, "prettier", folders, ["--write", "--ignore-unknown", FILES], ("--log-level", "warn"))


def read_formatter_configs(folders: list[str]) -> str:
    return "\n".join(read(os.path.join(folder, name)) for folder in folders for name in SAID_IN)
