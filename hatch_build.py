"""Compiles the native client when a wheel is built, and puts it beside the command `tenter`; gives the package's page
links that lead somewhere.

Without a C compiler, outside of Linux, or with TENTERHOOK_PURE=1, the wheel has the Python client alone, for every
system. TENTERHOOK_NATIVE=1 makes it an error if the wheel would not have the client, or not for every Linux.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

SOURCE = "src/tenterhook/cli/server/native/tenter_client.c"
PROGRAM = "tenter-client"
FLAGS = ("-std=c11", "-O2", "-Wall", "-Wextra", "-fstack-protector-strong", "-D_FORTIFY_SOURCE=2", "-s")
# Without a dynamic linker it starts in two thirds of the time; not every system has what that needs.
LINKING = (("-fPIE", "-static-pie"), ("-static",), ("-fPIE", "-pie", "-Wl,-z,relro,-z,now"), ())
SECONDS = 120


# The first bytes of a Linux program, and the entry of its header that asks for a dynamic linker.
ELF, INTERPRETER = b"\x7fELF", 3
# Where a program runs that needs nothing of the system but its kernel: on glibc and on musl.
STATIC_TAGS = ("manylinux_2_17", "manylinux2014", "musllinux_1_1")
LINK = re.compile(r"(\]\()(?!https?:|#)([^)\s]+\))")


class PackagePage(MetadataHookInterface):
    """The README as the package's page: links between files become links to the repository."""

    def update(self, metadata: dict[str, Any]) -> None:
        source = metadata["urls"]["Source"]
        text = Path(self.root, "README.md").read_text("utf-8")
        text = LINK.sub(lambda found: f"{found[1]}{source}/{place_of(found[2])}", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def place_of(path: str) -> str:
    """A picture must be served as it is, a page as GitHub shows it."""
    return f"{'raw' if path.removesuffix(')').endswith('.svg') else 'blob'}/main/{path}"


class NativeClient(BuildHookInterface[Any]):
    """The build hook: it has nothing to do for a source distribution."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or wanted("TENTERHOOK_PURE"):
            return
        self.folder = tempfile.mkdtemp(prefix="tenterhook-")
        program = os.path.join(self.folder, PROGRAM)
        if sys.platform == "linux" and compile_client(Path(self.root, SOURCE), program):
            static = is_static(Path(program).read_bytes())
            if wanted("TENTERHOOK_NATIVE") and not static:
                raise SystemExit("TENTERHOOK_NATIVE: the client could only be linked dynamically; install static libc")
            build_data["shared_scripts"][program] = PROGRAM
            build_data["pure_python"], build_data["tag"] = False, f"py3-none-{tags(static)}"
        elif wanted("TENTERHOOK_NATIVE"):
            raise SystemExit(f"TENTERHOOK_NATIVE: no C compiler can build {SOURCE} here")
        else:
            self.app.display_warning("no native client: no C compiler can build it; the Python client does its work")

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(getattr(self, "folder", ""), ignore_errors=True)


def wanted(variable: str) -> bool:
    return os.environ.get(variable, "0") not in ("", "0")


def tags(static: bool) -> str:
    """The platforms of a wheel with the client. One that needs this system's libc is for this machine."""
    if not static:
        return sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return ".".join(f"{tag}_{platform.machine()}" for tag in STATIC_TAGS)


def is_static(program: bytes) -> bool:
    """Whether an ELF program for 64 bits, little-endian, needs no dynamic linker."""
    if program[:6] != ELF + b"\x02\x01":
        return False
    start, size, count = (
        int.from_bytes(program[at : at + length], "little") for at, length in ((32, 8), (54, 2), (56, 2))
    )
    kinds = (program[start + size * number : start + size * number + 4] for number in range(count))
    return INTERPRETER not in (int.from_bytes(kind, "little") for kind in kinds)


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
