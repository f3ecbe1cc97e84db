"""`tenter fire`: read an event's data from stdin, fire the event, print the outcome."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import msgspec

from tenterhook.cli.options import CONFIG, DIALECT, JSON, PROJECT, SUBAGENT, CommandUsage, Option
from tenterhook.dialects import DEFAULT
from tenterhook.engine.engine import Engine
from tenterhook.errors import UsageError
from tenterhook.pipeline.answer import decode
from tenterhook.pipeline.failure_policy import MODES
from tenterhook.types import Outcome

# A byte order mark. The codec that skips one is a module of its own.
BOM = b"\xef\xbb\xbf"

USAGE = CommandUsage(
    "fire",
    "Fire an event: run its hooks and print the outcome, as JSON when piped, readable on a terminal.",
    ("EVENT",),
    (
        DIALECT,
        PROJECT,
        CONFIG,
        SUBAGENT,
        Option("session", "the session's id (default: a new one)", "ID"),
        Option("input", "read the event's data from this file instead of stdin", "FILE"),
        Option("mode", "faithful, strict or observe (default: the dialect's)", "MODE", tuple(MODES)),
        Option("unattended", "no user can be asked; the dialect decides what an ask means then"),
        Option("trust", "run the project's hooks without asking: for tests and CI"),
        Option("require-trusted", "exit 4 if hooks were skipped because they are not approved"),
        JSON,
    ),
    """echo '{"tool_name": "Bash", "tool_input": {"command": "ls"}}' | tenter fire tool.before --trust""",
    "exit codes: 0 goes on (or asks: see decision), 2 blocked, 3 the agent shall stop, "
    "4 hooks that are not approved (--require-trusted), 1 could not run",
)


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    data = read_input(options.get("input", ""))
    with Engine(**engine_arguments(options), session=options.get("session", ""), supervisor="fork") as engine:
        warn_of_bypass(engine)
        with stdout_kept_clean(), ended_with_us():
            outcome = engine.fire(options["EVENT"], **data)
            if engine.runner is not None:  # not reached on a signal, which ends us and the hooks
                engine.runner.release()
        warn_of_untrusted(outcome, options.get("project", ""))
        code = exit_code(outcome, require_trusted="require-trusted" in options)
        try:
            show(outcome, readable="json" not in options and sys.stdout.isatty())
        except (OSError, AttributeError) as exc:  # stdout is closed or full: the exit code still decides
            sys.stdout = None
            return code or cannot_say(exc)
    return code


def engine_arguments(options: dict[str, str]) -> dict[str, Any]:
    """The engine's arguments, from the command-line options."""
    return {
        "project": options.get("project", "."),
        "dialect": options.get("dialect", DEFAULT),
        "config": options.get("config"),
        "agent": options.get("subagent", ""),
        "mode": options.get("mode", ""),
        "attended": False if "unattended" in options else None,
        "trust": "all" if "trust" in options else "ask",
        "log": False,  # what would be logged is in the outcome
    }


def warn_of_bypass(engine: Engine) -> None:
    """Warn on stderr that unapproved hooks may run, so that the log of the run shows it."""
    if engine.options.trust != "all":
        return
    if count := sum(hook.source.scope == "project" and hook.trusted for hook in engine.hooks()):
        what = "1 hook" if count == 1 else f"{count} hooks"
        print(f"tenter: warning: --trust: {what} of the project may run without your approval", file=sys.stderr)


def warn_of_untrusted(outcome: Outcome, project: str) -> None:
    """Warn on one line that hooks were skipped, and say what to type; `project` is the folder as the caller wrote
    it.
    """
    count = sum(one.why == "untrusted" for one in outcome.skipped)
    if not count:
        return
    command = "tenter trust"
    if project:
        from shlex import quote

        command += f" --project {quote(project)}"
    what, them = ("1 hook", "it") if count == 1 else (f"{count} hooks", "them")
    print(
        f"tenter: warning: {what} of the project did not run, because you have not approved {them}: {command}",
        file=sys.stderr,
    )


def cannot_say(exc: Exception) -> int:
    if not isinstance(exc, BrokenPipeError):
        print(f"tenter: the outcome could not be printed: {exc}", file=sys.stderr)
    return 1


@contextmanager
def stdout_kept_clean() -> Iterator[None]:
    """Send what Python hooks print to stderr, line by line: stdout holds the outcome and nothing else."""
    by_line = flush_stdout(by_line=True)  # otherwise its lines would come after all of stderr's
    real = os.dup(1)
    os.dup2(2, 1)
    try:
        yield
    finally:
        try:
            flush_stdout(by_line=by_line)
        except (OSError, ValueError):  # stderr takes nothing, or a function closed stdout: the outcome still counts
            sys.stdout = open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False)
        os.dup2(real, 1)
        os.close(real)


def flush_stdout(*, by_line: bool) -> bool:
    """Flush stdout, and make it line-buffered if `by_line`. Returns whether it was before."""
    sys.stdout.flush()
    if not isinstance(sys.stdout, io.TextIOWrapper):  # a program that calls main() has replaced it
        return False
    before = sys.stdout.line_buffering
    sys.stdout.reconfigure(line_buffering=by_line)
    return before


@contextmanager
def ended_with_us() -> Iterator[None]:
    """On SIGTERM, which a host sends when it gives up on us, end the running hooks too, as on Ctrl-C."""
    import _signal as signal  # type: ignore[import-not-found]  # the enums of the module signal take 0.6 ms

    def leave(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # Any other handler was chosen on purpose: by nohup, or by a program that calls main().
    before: dict[int, object] = {}
    with suppress(ValueError):  # only the main thread can handle signals
        before = {one: signal.signal(one, leave) for one in numbers if signal.getsignal(one) == signal.SIG_DFL}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def show(outcome: Outcome, *, readable: bool) -> None:
    if readable:
        print(as_text(outcome))
    else:
        sys.stdout.buffer.write(as_json(outcome) + b"\n")
        sys.stdout.flush()


def as_text(outcome: Outcome) -> str:
    from tenterhook.tools.report import report

    return redact_fire_output(report(outcome, colour="NO_COLOR" not in os.environ))


def redact_fire_output(text: str) -> str:
    from tenterhook.support.secrets.redact import Redactor

    return Redactor(os.environ).text(text)


def as_json(outcome: Outcome) -> bytes:
    """The outcome as one JSON object, without fields that only the engine needs."""
    plain = msgspec.to_builtins(outcome, enc_hook=str)
    redact_names([*plain["attempts"], *plain["skipped"], *plain["messages"]])
    for attempt in plain["attempts"]:
        del attempt["answer"], attempt["warm"]
        if attempt["detail"]:
            attempt["detail"] = redact_fire_output(attempt["detail"])
    if plain["warnings"]:
        plain["warnings"] = [redact_fire_output(text) for text in plain["warnings"]]
    for message in plain["messages"]:
        if message["to"] == "model":
            from tenterhook.pipeline.deliver import truncate_message_text  # the caller may pass this on to the model

            message["text"] = truncate_message_text(message["text"])
    try:
        return msgspec.json.encode(plain)
    except UnicodeEncodeError:  # a folder whose name is not UTF-8
        import json

        return json.dumps(plain).encode()


def redact_names(named: list[dict[str, Any]]) -> None:
    """Redact names: a hook without a name is called by its command line, which may hold a secret; a single word hardly
    does.
    """
    known: dict[str, str] = {}
    for one in named:
        name = one["hook"]
        if " " in name or "=" in name or "://" in name:
            if name not in known:
                known[name] = redact_fire_output(name)
            one["hook"] = known[name]


def read_input(file: str) -> dict[str, Any]:
    """The event's data: one JSON object; empty if stdin is a terminal or empty."""
    if file:
        try:
            with open(file, "rb") as opened:
                text = opened.read()
        except OSError as exc:
            raise UsageError(f"--input {file!r}: {exc.strerror}") from None
    else:
        text = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()
    return parse_event_data(text, file or "stdin")


def parse_event_data(text: bytes, where: str) -> dict[str, Any]:
    if not text.strip():
        return {}
    data, problem = decode(text.removeprefix(BOM).decode("utf-8", "replace"))
    if not isinstance(data, dict):
        raise UsageError(f"{where}: the event's data must be one JSON object{': ' + problem if problem else ''}")
    return data


def exit_code(outcome: Outcome, *, require_trusted: bool) -> int:
    aside = any(one.why in ("untrusted", "denied") for one in outcome.skipped)
    if require_trusted and (aside or any(one.error == "modified" for one in outcome.attempts)):
        return 4
    return 3 if outcome.stop else 2 if outcome.blocked else 0
