"""Compiles the native client when a wheel is built, and puts it beside the command `tenter`.

Without a C compiler, or with TENTERHOOK_PURE=1, the wheel has the Python client alone, for every system.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = "src/tenterhook/cli/server/native/tenter_client.c"
PROGRAM = "tenter-client"
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2")
# Without a dynamic linker it starts in two thirds of the time; not every system has what that needs.
LINKING = (("-fPIE", "-static-pie"), ("-static",), ("-fPIE", "-pie", "-Wl,-z,relro,-z,now"), ())
SECONDS = 120


class NativeClient(BuildHookInterface[Any]):
    """The build hook: it has nothing to do for a source distribution."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or os.environ.get("TENTERHOOK_PURE", "0") not in ("", "0"):
            return
        self.folder = tempfile.mkdtemp(prefix="tenterhook-")
        program = os.path.join(self.folder, PROGRAM)
        if compile_client(Path(self.root, SOURCE), program):
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["shared_scripts"][program] = PROGRAM
            build_data["pure_python"], build_data["tag"] = False, f"py3-none-{platform}"
        else:
            self.app.display_warning("no native client: no C compiler can build it; the Python client does its work")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(getattr(self, "folder", ""), ignore_errors=True)


def compile_client(source: Path, program: str) -> bool:
    """Whether a compiler built the program, with the best way of linking that works here."""
    compiler = shlex.split(os.environ.get("CC", "")) or ["cc"]
    if shutil.which(compiler[0]) is None:
        return False
    return any(runs([*compiler, *FLAGS, *linking, "-o", program, str(source)]) for linking in LINKING)


def runs(command: list[str]) -> bool:
    try:
        return subprocess.run(command, capture_output=True, timeout=SECONDS).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
