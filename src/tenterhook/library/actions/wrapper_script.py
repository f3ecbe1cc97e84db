"""The wrapper scripts: POSIX sh that finds the program and execs it, so that stdin is passed on untouched."""

from __future__ import annotations

import os
import sys
from shlex import quote

from tenterhook.dialects.schema.dialect import Wrapper

PROGRAM = "tenter"
MARK = "# Written by tenter init"

TEXT = """\
#!/bin/sh
{mark} --dialect {dialect}; tenter init --dialect {dialect} --undo takes it away again.
# Hands its stdin to: tenter hook {words}. Where tenter is not installed, nothing happens.
{check}if command -v tenter >/dev/null 2>&1; then
  exec tenter hook {call}
fi
for place in {places}; do
  if [ -f "$place" ] && [ -x "$place" ]; then
    exec "$place" hook {call}
  fi
done
cat >/dev/null 2>&1
exit 0
"""
CHECK = """\
if [ $# -eq 0 ]; then
  echo "${0##*/}: which action? usage: ${0##*/} ACTION" >&2
  exit 1
fi
"""
# Empty if HOME is not set: `/.local/bin` would belong to another user.
DEFAULT = '${HOME:+"$HOME/.local/bin/tenter"}'


def text(wrapper: Wrapper, dialect: str, place: str) -> str:
    """The script; `place` is where the program is now, or empty if that is not known."""
    action = wrapper.calls == "agent"
    end = f"--dialect {quote(dialect)}"
    return TEXT.format(
        mark=MARK,
        dialect=dialect,
        words=f"agent ACTION {end}" if action else f"{wrapper.calls} {end}",
        check=CHECK if action else "",
        call=f'agent "$1" {end}' if action else f"{wrapper.calls} {end}",
        places=f"{quote(place)} {DEFAULT}" if place else DEFAULT,
    )


def is_ours(content: bytes) -> bool:
    """Whether `tenter init` wrote the script, on this machine or another."""
    return MARK.encode() in content[:200]


def program() -> str:
    """The program's path: as it was called, beside this Python, or on PATH. Links stay: upgrades move targets."""
    from shutil import which

    called = sys.argv[0] if os.path.basename(sys.argv[0]) == PROGRAM else ""
    beside = os.path.join(os.path.dirname(sys.executable), PROGRAM) if sys.executable else ""
    for path in (called, beside, which(PROGRAM) or ""):
        if path and os.path.isfile(path) and os.access(path, os.X_OK):
            return os.path.abspath(path)
    return ""
