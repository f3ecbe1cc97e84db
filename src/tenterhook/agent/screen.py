"""What a user at the terminal sees of the agent: its words as they come, its tools, what hooks did, a summary."""

from __future__ import annotations

import asyncio
import os
import sys
from collections import deque
from contextlib import suppress
from typing import Any

from tenterhook.agent.trace import lines
from tenterhook.dialects.schema.dialect import Dialect
from tenterhook.engine.hook_log import STDERR
from tenterhook.hosts.permission import Permission, PermissionRequest
from tenterhook.hosts.result import ToolResult
from tenterhook.pipeline.deliver import Label
from tenterhook.pipeline.judge import IN_BACKGROUND
from tenterhook.support.clean_text import clean
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import (
    as_json,
    columns,
    duration,
    one_line,
    painter,
    pluralise_count,
    shorten,
    visible,
    wrap_with_indent,
)
from tenterhook.types import Outcome

# The most lines of a tool's output.
RESULT_LINES = 6
# The most columns of a tool's name, which may be invented by the model or a server.
NAME = 50
IN_TURN, IN_TOOL = "  ", "    "
# Reasons for which a hook does not run for one event, and may for another.
USUAL = ("agent", "matcher", "condition", "once", "duplicate", "chain ended", "overridden")
HINTS = {"untrusted": " (tenter trust approves them)"}


class Screen:
    """Everything goes to stdout, in order."""

    def __init__(self, dialect: Dialect, *, colour: bool) -> None:
        self.dialect, self.paint = dialect, painter(colour)
        self.runs: dict[str, list[float]] = {}
        self.tool = ""  # the current tool
        self.open = False  # whether the model's text ends on an unfinished line
        self.recent: deque[str] = deque(maxlen=8)  # the last remarks, which are not repeated
        self.refusing: set[str] = set()  # the hooks whose refusal was shown last
        self.aside: dict[str, set[str]] = {}  # hooks that do not run at all, by reason
        self.label: Label = str

    def prompt(self, text: str) -> None:
        for line in wrap_with_indent(text, first="> ", indent="  ", most_lines=40):
            self.line(self.paint("bold", line))

    def words(self, text: str) -> None:
        """A chunk of the model's text."""
        if text:
            sys.stdout.write(visible(text))
            sys.stdout.flush()
            self.open = not text.endswith("\n")

    def whole(self, text: str, agent: str = "") -> None:
        """The model's text, after hooks have seen it, or from a subagent."""
        for line in visible(text).splitlines():
            self.line(f"{IN_TURN}{self.paint('dim', agent)}  {line}" if agent else line)

    def calls(self, name: str, input: Any, main: str = "") -> None:
        """`main` is the main input of this tool, if it exists."""
        self.tool = shorten(name, NAME)
        self.recent.clear()
        shown = shorten(main_value(input, main), columns() - len(self.tool) - 6)
        self.line(f"{IN_TURN}{self.paint('bold', self.tool)}  {shown}")

    def result(self, result: ToolResult) -> None:
        self.tool = ""
        if result.suppress_display:
            return
        if result.error and result.error.type in ("blocked", "stopped") and result.outcomes:
            return  # the hook's line says so already
        # What a hook hides from the model is not shown either.
        replaced = [one.changes["output"] for one in result.outcomes if "output" in one.changes]
        shown = replaced[-1] if replaced else result.return_display
        text = shown if isinstance(shown, str) else as_json(shown)
        style = "red" if result.error else "dim"
        for line in wrap_with_indent(text.strip("\n"), first=IN_TOOL, indent=IN_TOOL, most_lines=RESULT_LINES):
            self.line(self.paint(style, line))

    def watch(self, outcome: Outcome, agent: str) -> None:
        """Print a line for each hook that did something."""
        for attempt in outcome.attempts:
            if attempt.detail != IN_BACKGROUND:  # counted when it is done
                self.runs.setdefault(self.label(attempt.hook), []).append(attempt.seconds)
        for one in outcome.skipped:
            if one.why not in USUAL:
                self.aside.setdefault(one.why, set()).add(one.source)
        refusing = (one.hook for one in outcome.attempts if outcome.blocked and one.decision == "deny")
        self.refusing = set(map(self.label, refusing))
        for style, hook, text in lines(outcome, self.dialect, self.tool):
            self.remark(f"[hook {shorten(self.label(hook), 40)}] {text}" if hook else text, style, 4)

    def tell(self, text: str) -> None:
        """Print what a hook says to the user."""
        self.remark(text, "green", 20)

    def warn(self, text: str) -> None:
        """Print what went wrong with a hook, unless it refused for that reason: its line says so already."""
        hook = text.partition(": ")[2].partition(": failed: ")[0]
        if hook not in self.refusing:
            self.remark(text.partition(STDERR)[0], "yellow", 4)

    def was_printed(self, text: str) -> bool:
        """Whether it was printed already, alone or after a hook's name; not as a part of something else."""
        return any(one == text or one.partition("] ")[2] == text for one in self.recent)

    def remark(self, text: str, style: str, most: int) -> None:
        """Print a remark about the current tool, or the turn."""
        self.recent.append(text)
        indent = IN_TOOL if self.tool else IN_TURN
        for line in wrap_with_indent(text, first=indent, indent=indent + "  ", most_lines=most):
            self.line(self.paint(style, line))

    def note(self, text: str) -> None:
        """Print a note of our own; what it quotes may come from any source."""
        for line in visible(clean(text)).split("\n"):
            self.line(self.paint("dim", f"{IN_TURN}{line}"))

    async def asks(self, request: PermissionRequest) -> Permission:
        """Ask the user; only a clear yes counts. The whole input is shown: users must see what they agree to."""
        forget_typed()
        why = f" ({request.reason})" if request.reason and not self.was_printed(request.reason) else ""
        self.line(f"{IN_TOOL}{self.paint('yellow', f'Allow {one_line(request.tool_name)}?{visible(why)}')}")
        for line in wrap_with_indent(
            as_json(request.tool_input), first=IN_TOOL, indent=IN_TOOL, most_lines=sys.maxsize
        ):
            self.line(line)
        print(f"{IN_TOOL}[y]es or [n]o: ", end="", flush=True)
        answer = await read_terminal_line()
        if not answer:
            return Permission(False, "there was no answer")
        yes = answer.strip().lower() in ("y", "yes")
        return Permission(yes, "" if yes else "the user said no")

    def summary(self) -> None:
        """Which hooks ran, how often, and what they cost."""
        spent = {hook: sum(seconds) for hook, seconds in self.runs.items()}
        runs = sum(map(len, self.runs.values()))
        self.line("")
        for why, hooks in self.aside.items():
            self.line(
                self.paint("yellow", f"{pluralise_count(len(hooks), 'hook')} did not run: {why}{HINTS.get(why, '')}")
            )
        if not runs:
            self.line(
                self.paint("dim", "No hook ran." if self.aside else "No hook ran; tenter list shows which there are.")
            )
            return
        total = duration(sum(spent.values()))
        self.line(
            self.paint(
                "bold", f"{pluralise_count(len(spent), 'hook')} ran {pluralise_count(runs, 'time')}, {total} in all"
            )
        )
        slowest = sorted(spent, key=lambda hook: -spent[hook])
        rows = [
            [shorten(one, 50), pluralise_count(len(self.runs[one]), "run"), duration(spent[one])] for one in slowest
        ]
        self.line(table(rows, indent=IN_TURN))

    def line(self, text: str) -> None:
        if self.open:
            sys.stdout.write("\n")
            self.open = False
        print(text, flush=True)


async def read_terminal_line() -> str:
    """A line from the terminal, empty at its end.

    Not read in a thread: after Ctrl-C that thread would live on, and take the line meant for the next prompt.
    """
    loop, there = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(sys.stdin, there.set)
    try:
        await there.wait()
    finally:
        loop.remove_reader(sys.stdin)
    return os.read(sys.stdin.fileno(), 1 << 16).decode(errors="replace")


def forget_typed() -> None:
    """Discard what was typed before a question."""
    import termios

    with suppress(termios.error):
        termios.tcflush(sys.stdin, termios.TCIFLUSH)


def main_value(input: Any, main: str) -> str:
    """What a call is about, in a few words: its main input, its first text, or all of it."""
    if isinstance(input, dict):
        if isinstance(input.get(main), str):
            return str(input[main])
        texts = [value for value in input.values() if isinstance(value, str)]
        if texts:
            return texts[0]
    return as_json(input)
