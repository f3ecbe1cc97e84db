"""Render an Explanation in at most ten lines: which hooks run, why the others do not, and how a hook refuses."""

from __future__ import annotations

from collections.abc import Iterator

from tenterhook.cli.explanation import abilities, fitting, order
from tenterhook.support.command_line import file_run
from tenterhook.support.terminal.text import Paint, columns, near, one_line, shorten_name
from tenterhook.tools.explain.explain import ExplainedHook, Explanation
from tenterhook.tools.explain.whatif import Effect

# Hooks that get a line. The first line, the number of hooks, the rest, and three lines at the end make ten.
HOOKS_SHOWN = 4
NAME_WIDTH = 28
# Answers that say the most about an event.
ANSWERS = ("exit 2, stderr", "exit 0, JSON deny", "exit 1, stderr")


def short_text(found: Explanation, paint: Paint, *, whole: bool) -> str:
    """`whole` cuts no line, for a pipe."""
    lines = [head(found, paint), *hook_lines(found, paint, whole=whole), where_to_write(found), answers_line(found)]
    lines += [paint("yellow", found.off)] if found.off else []
    return "\n".join([*filter(None, lines), paint("dim", "--all shows files, every answer, both modes, notes")])


def head(found: Explanation, paint: Paint) -> str:
    event = found.event
    about = f", {event.target} {one_line(event.value)}" if event.value is not None else ""
    return f"{paint('bold', event.name)}{about} ({found.title}, {found.mode} mode): hooks can {abilities(event)}"


def hook_lines(found: Explanation, paint: Paint, *, whole: bool) -> Iterator[str]:
    """The hooks that run come first: with many hooks they are the ones to see."""
    yield f"{paint('bold', 'hooks')}: {order(found)}"
    hooks = sorted(found.hooks, key=lambda hook: not hook.runs)
    yield from (hook_line(hook, found, paint, whole=whole) for hook in hooks[:HOOKS_SHOWN])
    if len(hooks) > HOOKS_SHOWN:
        running = sum(hook.runs for hook in hooks[HOOKS_SHOWN:])
        yield paint("dim", f"  ... and {len(hooks) - HOOKS_SHOWN} more, of which {running} run")


def hook_line(hook: ExplainedHook, found: Explanation, paint: Paint, *, whole: bool) -> str:
    number = paint("green", str(hook.batch)) if hook.runs else paint("dim", "-")
    name, where = shorten_name(file_run(hook.hook) or hook.hook, NAME_WIDTH), near(hook.source)
    why = one_line("; ".join(filter(None, reasons(hook, found))))
    room = len(why) if whole else columns() - len(name) - len(where) - 8
    return f"  {number}  {name} {paint('dim', where)}  {shorten_end(why, room)}"


def reasons(hook: ExplainedHook, found: Explanation) -> list[str]:
    """Why it runs, and under what condition; or why it does not."""
    if not hook.runs:
        return [hook.because, hook.missing if hook.why in ("untrusted", "modified") else ""]
    late = "in the background" if hook.background else ""
    return [hook.missing, fitting(hook, found.event), hook.only_if, "once" if hook.once else "", late]


def shorten_end(text: str, room: int) -> str:
    """The text, or as much of it as the line has room for."""
    room = max(room, 40)
    return text if len(text) <= room else f"{text[: room - 3].rstrip()}..."


def where_to_write(found: Explanation) -> str:
    """A file for the first hook."""
    if found.hooks:
        return ""
    project = [file.path for file in found.files if file.scope == "project"] or [file.path for file in found.files]
    return f"  write one in {near(project[0])}" if project else ""


def answers_line(found: Explanation) -> str:
    chosen = [one for name in ANSWERS for one in found.effects if one.what == name]
    return "; ".join(f"{one.what}: {consequence(one)}" for one in chosen)


def consequence(effect: Effect) -> str:
    receivers = [message.to for message in effect.messages]
    return f"{effect.then}, {receivers[0]} is told" if receivers and receivers[0] != "log" else effect.then
