"""The switch for all hooks, for a user who has to work while a hook is broken. It always leaves a warning."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

OFF = "TENTERHOOK_OFF"
NOT_OFF = ("", "0", "false", "no", "off")


def switched_off(environ: Mapping[str, str]) -> str:
    """Why no hook runs; empty if they do."""
    return f"{OFF} is set: no hook runs" if environ.get(OFF, "").lower() not in NOT_OFF else ""
