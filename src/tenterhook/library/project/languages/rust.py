"""Rust: cargo tests, checks and builds the whole crate; clippy if it is installed."""

from __future__ import annotations

import os
import re

from tenterhook.library.project import kinds
from tenterhook.library.project.commands import Command, absent, on_path

MANIFESTS = ("Cargo.toml",)


def commands(folders: list[str], tests: list[str]) -> dict[str, Command]:
    del tests
    if not os.path.isfile(os.path.join(folders[0], "Cargo.toml")):
        return {}
    words = {"test": ["test"], "types": ["check"], "build": ["build"]}
    if on_path("cargo-clippy"):
        words["lint"] = ["clippy"]
    return {
        kind: Command(kind, "cargo", folders[0], ["cargo", *verb], flags=("--quiet",), absent=absent("cargo"))
        for kind, verb in words.items()
    }


def concerns(source: str, test: str, text: str) -> bool:
    """Whether it is a test in the file itself, or names the module; every test of a crate is about its root."""
    if test == source:
        return "#[cfg(test)]" in text
    stem = kinds.stem_of(source)
    return stem in ("lib", "main", "src") or bool(re.search(rf"\b{re.escape(stem)}\b", text))


def to_write(source: str, folder: str) -> str:
    return os.path.join(folder, "tests", f"{kinds.stem_of(source)}.rs")
