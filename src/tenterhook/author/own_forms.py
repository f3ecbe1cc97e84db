"""The forms of our own dialect, read on import: a warm interpreter does that before there is an event to answer."""

from __future__ import annotations

from tenterhook.author import callers

FORMS = callers.load(__package__.partition(".")[0])  # the dialect has the name of the package
