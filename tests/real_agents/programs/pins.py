"""Which clients are run: the packages and versions, in this one place, and where their programs are once fetched."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

FETCHED = Path(__file__).parents[3] / ".bench" / "clients"
MACHINES = {"x86_64": "x64", "aarch64": "arm64"}


class Package(NamedTuple):
    """One of npm's packages; `program` is where what is run lies below the folder it is fetched into."""

    label: str
    name: str
    version: str
    program: str

    @property
    def folder(self) -> Path:
        return FETCHED / f"{self.label}-{self.version}"

    @property
    def path(self) -> Path | None:
        """The program; None where it was not fetched."""
        return next(iter(sorted((self.folder / "node_modules").glob(self.program))), None)


def this_machine() -> str:
    system = os.uname()
    return f"{system.sysname.lower()}-{MACHINES.get(system.machine, system.machine)}"


CLAUDE = Package("claude", "@anthropic-ai/claude-code", "2.1.325", "@anthropic-ai/claude-code-*/claude")
CODEX = Package("codex", "@openai/codex", "0.166.0", "@openai/codex-*/vendor/*/bin/codex")
GEMINI = Package("gemini", "@google/gemini-cli", "0.61.0", "@google/gemini-cli/bundle/gemini.js")
QWEN = Package("qwen", "@qwen-code/qwen-code", "0.24.4", "@qwen-code/qwen-code/cli-entry.js")
COPILOT = Package("copilot", "@github/copilot", "1.0.102", "@github/copilot-*/copilot")
# Qwen Code needs a newer node than many machines have.
NODE = Package("node", f"node-{this_machine()}", "22.23.3", "node-*/bin/node")

EVERY = (CLAUDE, CODEX, GEMINI, QWEN, COPILOT, NODE)
