"""Go: its own tool tests, vets and builds, a package at a time."""

from __future__ import annotations

import os
import re

from tenterhook.library.project.commands import FILES, Command, absent, read

MANIFESTS = ("go.mod",)


def commands(folders: list[str], tests: list[str]) -> dict[str, Command]:
    del tests
    if not os.path.isfile(os.path.join(folders[0], "go.mod")):
        return {}
    words = {"test": "test", "lint": "vet", "build": "build"}
    return {
        kind: Command(
            kind,
            "go",
            folders[0],
            ["go", verb, FILES],
            flags=("-v",) if kind == "test" else (),  # without it skipped tests are not listed
            whole=("./...",),
            by_folder=True,
            absent=absent("go"),
        )
        for kind, verb in words.items()
    }


def concerns(source: str, test: str, text: str) -> bool:
    """Whether a test of the same package, which needs no import, names something that the source declares."""
    if os.path.dirname(source) != os.path.dirname(test):
        return False
    declared = re.findall(r"(?m)^(?:func(?:\s*\([^)]*\))?|type)\s+(\w+)", read(source))
    return any(re.search(rf"\b{name}\b", text) for name in declared)


def to_write(source: str, folder: str) -> str:
    return os.path.splitext(source)[0] + "_test.go"
