"""Bash: a shell command in the project's folder, with an enforced time-out."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from tenterhook.clients.tool_definition import Definition
from tenterhook.clients.workspace.children import run_to_completion
from tenterhook.clients.workspace.workspace import Workspace, WorkspaceError
from tenterhook.hosts.result import ToolError, ToolResult

if TYPE_CHECKING:
    from tenterhook.runtime.process import Completed

SHELLS = ("/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash", "/bin/sh")
USUAL_SECONDS, MOST_SECONDS = 120.0, 600.0
# Seconds from SIGTERM to SIGKILL.
GRACE = 2.0
# Of each stream: its beginning, and as much of its end.
KEPT_BYTES = 16_000

ABOUT = f"""Run a shell command in the project's folder and give its output.
The input is empty, so nothing can be asked for. After the time-out the command ends with everything it started. A last
line tells the exit code where it is not 0. Of an output beyond {2 * KEPT_BYTES:,} bytes the middle is left out.
What is put into the background goes on after the call until the agent ends; send its output to a file."""


def definition(workspace: Workspace) -> Definition:
    async def bash(command: str, timeout: float = USUAL_SECONDS, description: str = "") -> ToolResult:
        from tenterhook.runtime.process import Program

        timeout = timeout / 1000 if timeout > MOST_SECONDS else timeout  # some agents count in milliseconds
        check(command, timeout)
        argv = (shell(), "-c", "--", command)
        environ = dict(workspace.environ)
        program = Program(argv, b"", environ, workspace.root, timeout, GRACE, cap=KEPT_BYTES, tail=KEPT_BYTES)
        done = await run_to_completion(program)
        text = format_command_output(done, timeout)
        # A command with a non-zero exit is a failed tool: hooks for failures are called.
        return ToolResult(text, text, error=ToolError(text) if describe_exit(done, timeout) else None)

    return Definition(
        name="Bash",
        about=ABOUT,
        inputs={
            "command": {"type": "string", "description": "The command, as for bash -c."},
            "timeout": {
                "type": "number",
                "description": f"Seconds it may take; {USUAL_SECONDS:g} by default, {MOST_SECONDS:g} at most.",
            },
            "description": {"type": "string", "description": "What the command does, in a few words for the user."},
        },
        function=bash,
        required=("command",),
        asks=True,
    )


def shell() -> str:
    return next(path for path in SHELLS if os.path.exists(path) or path == SHELLS[-1])


def check(command: str, timeout: float) -> None:
    if not command.strip():
        raise WorkspaceError("the command is empty")
    if "\0" in command:
        raise WorkspaceError("the command holds a NUL character, which no program can be given")
    if not 0 < timeout <= MOST_SECONDS:
        raise WorkspaceError(f"timeout is in seconds (above {MOST_SECONDS:g}: milliseconds), at most {MOST_SECONDS:g}")


def format_command_output(done: Completed, timeout: float) -> str:
    """The command's output and exit; stderr after stdout."""
    if done.error == "spawn":
        raise WorkspaceError(f"the command could not be started: {done.detail}")
    out, err = (text(data, done.truncated) for data in (done.stdout, done.stderr))
    parts = [out.rstrip("\n")] if out.strip() else []
    if err.strip():
        parts.append(f"[stderr]\n{err.rstrip(chr(10))}" if parts else err.rstrip("\n"))
    ending = describe_exit(done, timeout)
    if ending or not parts:
        parts.append(ending or "[no output, exit code 0]")
    return "\n".join(parts)


def text(data: bytes, truncated: bool) -> str:
    """Mark where the middle of a stream was dropped."""
    if truncated and len(data) >= 2 * KEPT_BYTES:
        data = data[:KEPT_BYTES] + b"\n[... the middle is left out ...]\n" + data[KEPT_BYTES:]
    return data.decode("utf-8", "replace")


def describe_exit(done: Completed, timeout: float) -> str:
    """Empty for an exit with 0."""
    if done.error == "timeout":
        return f"[ended by the time-out after {timeout:g} seconds, with everything it had started]"
    if done.signal:
        return f"[ended by {done.signal}]"
    if done.exit_code is None:
        return f"[it is not known how it ended: {done.detail}]"
    return f"[exit code {done.exit_code}]" if done.exit_code else ""
