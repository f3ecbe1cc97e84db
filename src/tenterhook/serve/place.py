"""The server's folder, for those who make it and for those who keep hooks away from it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tenterhook.serve.client import own_places, places

if TYPE_CHECKING:
    from collections.abc import Mapping

# How the last of the places ends, which is in a folder of ours and can always be made.
LAST = "/serve"


def made(path: str) -> bool:
    """Whether the folder is there now. A runtime folder is the system's to make, a state folder is ours."""
    try:
        if path.endswith(LAST):
            os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        os.mkdir(path, 0o700)
    except FileExistsError:
        return True
    except OSError:
        return False
    return True


def out_of_reach(environ: Mapping[str, str], home: str) -> list[str]:
    """Where no confined hook may look: who knows a server's key has it do what he likes, unconfined.

    Made, if they are not there: what is to be hidden from a process must be there when it is confined.
    """
    found = [*dict.fromkeys([*places(environ, home), *own_places()])]
    for path in found:
        made(path)
    return found
