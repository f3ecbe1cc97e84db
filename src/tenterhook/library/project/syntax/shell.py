"""Shell scripts: the shell that a script names reads it without running it, where that shell is installed."""

from __future__ import annotations

import os

from tenterhook.library.project.syntax.place import at

SHELLS = ("sh", "bash", "dash", "ksh", "mksh", "zsh")


def problems(path: str, text: str, seconds: float = 2.0) -> list[str]:
    from shutil import which

    name = shell_of(path, text)
    program = which(name) if name else None
    if program is None or seconds <= 0:
        return []
    from tenterhook.runtime.process import Program, run

    # Without the caller's environment: BASH_ENV and ENV name files that a shell runs even when it only reads.
    environ = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    given = text.encode("utf-8", "surrogateescape")
    done = run(Program((program, "-n"), given, environ, "/", seconds, 0.1, leftovers="end"))
    if done.exit_code in (0, None):
        return []
    return [
        normalise_shell_error(line) for line in done.stderr.decode("utf-8", "replace").splitlines() if line.strip()
    ][:3]


def shell_of(path: str, text: str) -> str:
    """The shell of the first line, or that of the name; empty for one that takes no -n."""
    first = text.partition("\n")[0]
    if first.startswith("#!"):
        words = [word for word in first[2:].split() if not word.startswith("-")]
        names = [os.path.basename(word) for word in words if "=" not in word]
        name = names[1] if len(names) > 1 and names[0] == "env" else names[0] if names else ""
        return name if name in SHELLS else ""
    suffix = os.path.splitext(path)[1][1:].lower()
    return suffix if suffix in SHELLS and suffix != "sh" else "bash"


def normalise_shell_error(line: str) -> str:
    """`bash: line 3: what`, `sh: 3: what` and `zsh: 3: what`, all as `3:1: what`."""
    import re

    found = re.match(r"[^:]*:\s*(?:-c:\s*)?(?:line\s+)?(\d+):\s*(.*)", line)
    return at(int(found[1]), 1, found[2]) if found else at(1, 1, line)
