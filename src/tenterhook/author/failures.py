"""Report failures of hooks to a test, each with the hook's own traceback. Loaded only for a test."""

from __future__ import annotations

import json
import os
import traceback

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from tenterhook.author.forms import Said

HERE = os.path.dirname(os.path.abspath(__file__))


def format_failures(reply: Said) -> list[str]:
    """One text for each failure: what failed, and the traceback from the hook's own code on."""
    return [text + format_hook_traceback(exc) for text, exc in reply.failures]


def format_hook_traceback(exc: BaseException) -> str:
    trace = own(exc.__traceback__)
    return "\n\n" + "".join(traceback.format_exception(type(exc), exc, trace)).rstrip() if trace else ""


def own(trace: TracebackType | None) -> TracebackType | None:
    """The traceback without our own frames before the hook's."""
    while trace is not None and os.path.dirname(trace.tb_frame.f_code.co_filename) == HERE:
        trace = trace.tb_next
    return trace


def write(reply: Said, path: str) -> None:
    """Write the report for the test that started this process, even without failures: it proves that the end was
    reached.
    """
    with open(path, "w", encoding="utf-8", errors="backslashreplace") as file:
        json.dump(format_failures(reply), file)
