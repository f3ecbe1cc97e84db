"""`tenter doctor`: what this machine can do for hooks, what is switched off, and whether we can keep what we must."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tenterhook import dialects
from tenterhook.cli.options import DIALECT, JSON, PROJECT, Usage
from tenterhook.cli.project import print_json
from tenterhook.config.locations import resolve_config_path
from tenterhook.config.settings import USER, Settings, is_roots
from tenterhook.dialects import DEFAULT
from tenterhook.engine.hookset import HookSet
from tenterhook.handlers.command import SHELL
from tenterhook.runtime.sandbox import kernel
from tenterhook.runtime.sandbox.abilities import Finding, abilities, proofs
from tenterhook.runtime.shell_free import kind_of
from tenterhook.support.paths import state_folder
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import Paint, colourful, near, painter, pluralise_count
from tenterhook.types import Attempt

USAGE = Usage(
    "doctor",
    "What this machine can do to confine and contain hooks, and to spare them their start, proven by trying; what is\n"
    "switched off by the settings; and whether the folders are sound in which approvals and outcomes are kept.",
    (),
    (DIALECT, PROJECT, JSON),
    "tenter doctor",
    "exit codes: 0 fine, 1 something does not work",
)
HOOK = '[[hook]]\non = "{}"\n{}\non_failure = "allow"\n'
COMMAND, SCRIPT = 'command = ["/bin/sh", "-c", "exit 0"]', 'script = "hook.py"'
NONE_RAN = "hooks are switched off (TENTERHOOK_OFF), or this is one"
# Seconds in which an interpreter is warm, or will never be.
WARMING = 30.0
STYLES = {"works": "green", "absent": "dim", "broken": "red", "off": "yellow"}
TITLES = {
    "machine": "what the machine has",
    "sandbox": "hooks, confined: a process tried to get out",
    "speed": "hooks, quickly",
    "settings": "settings",
    "folders": "where we keep things",
}
# What is no matter of taste: off, it is said loudly.
LOUD = {
    "sandbox": ("off", "hooks run unconfined"),
    "secrets": ("pass", "hooks see variables that hold secrets"),
    "journal": (False, "what hooks decided is not kept"),
}


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    hooks = HookSet(options.get("project", "."), dialect=options.get("dialect", DEFAULT))
    tried = proofs()
    found = [
        *abilities(),
        *tried,
        as_good(check_trial_hook(hooks), tried),
        *speed(hooks),
        *about_settings(hooks),
        *folders(hooks),
    ]
    if "json" in options:
        print_json(found)
    else:
        print(text(found, painter(colourful())))
    return 1 if any(one.state == "broken" for one in found) else 0


def check_trial_hook(hooks: HookSet) -> Finding:
    """A hook of our own, from end to end: the way that every hook goes."""
    name = "a hook, fired"
    with trial(hooks, COMMAND) as fire:
        attempt = fire()
    if attempt is None or attempt.error:
        return Finding("sandbox", name, "broken", attempt.detail if attempt else NONE_RAN)
    confined = attempt.sandbox not in ("", "none")
    if confined or hooks.settings.sandbox == "off":
        return Finding("sandbox", name, "works" if confined else "off", attempt.sandbox or "not confined")
    said = "; ".join(attempt.notes) or "it was started by this process itself, which confines nothing"
    return Finding("sandbox", name, "broken" if kernel.MACHINE else "absent", said)


@contextmanager
def trial(hooks: HookSet, entry: str, script: str = "") -> Iterator[Callable[[], Attempt | None]]:
    """To fire one hook of our own. No other one runs, whoever it belongs to."""
    from tempfile import TemporaryDirectory

    from tenterhook.engine.engine import Engine

    event = dialects.get(DEFAULT).events[0].name
    with TemporaryDirectory(prefix="tenterhook-") as folder:
        config = os.path.join(folder, "tenterhook.toml")
        for path, text in ((config, HOOK.format(event, entry)), (os.path.join(folder, "hook.py"), script)):
            with open(path, "w") as file:
                file.write(text)
        with Engine(
            folder, config=config, trust="all", journal=False, log=False, home=hooks.home, environ=hooks.environ,
            system="", sandbox=hooks.settings.sandbox,
        ) as engine:  # fmt: skip
            yield lambda: next(iter(engine.fire(event).attempts), None)


def speed(hooks: HookSet) -> Iterator[Finding]:
    """What spares hooks their start."""
    shell = kind_of(SHELL)
    known = f"{SHELL} is {shell}" if shell else f"{SHELL} is neither dash nor bash, so it runs every command text"
    yield Finding("speed", "no shell", "works" if shell else "absent", known)
    yield check_warm_python(hooks)
    yield resident()


def check_warm_python(hooks: HookSet) -> Finding:
    """A Python script, until it runs in a copy."""
    from tenterhook.runtime.warm.host import wait

    name = "warm Python"
    with trial(hooks, SCRIPT, "import json\n") as fire:
        cold = fire()
        ready = wait(WARMING)
        warm = fire()
    if cold is None or warm is None:
        return Finding("speed", name, "absent", NONE_RAN)
    if not warm.warm:
        why = warm.detail or "; ".join((*cold.notes, *warm.notes)) or ("" if ready else "it does not get ready in time")
        return Finding("speed", name, "absent", why or "there is no supervisor that could copy one")
    milliseconds = [f"{one.seconds * 1000:.1f} ms" for one in (cold, warm)]
    return Finding(
        "speed", name, "works", f"a script takes {milliseconds[0]} the first time, {milliseconds[1]} in a copy"
    )


def resident() -> Finding:
    from tenterhook.cli.commands import serve

    found = serve.ask("status") if sys.platform == "linux" else None
    if found:
        requests = pluralise_count(found["requests"], "request")
        return Finding("speed", "tenter serve", "works", f"process {found['pid']}, {requests} so far")
    return Finding(
        "speed", "tenter serve", "absent", "none runs: `tenter serve --detach` spares `tenter fire` its start"
    )


def as_good(hook: Finding, tried: list[Finding]) -> Finding:
    """A hook that is confined by something weaker than what works here is not as it should be."""
    works = [one.detail for one in tried if one.state == "works"]
    if hook.state != "works" or not works or any(detail.startswith(hook.detail) for detail in works):
        return hook
    return Finding(hook.area, hook.name, "broken", f"{hook.detail}, though something better works here")


def about_settings(hooks: HookSet) -> Iterator[Finding]:
    """Who says something, and what that leaves out."""
    said = hooks.settings
    for name, (value, means) in LOUD.items():
        off = getattr(said, name) == value
        yield Finding("settings", name, "off" if off else "works", means if off else format_setting_value(said, name))
    sandbox = hooks.dialect.sandbox.default
    default = f"network {sandbox.network} unless a hook says otherwise"
    yield Finding("settings", f"dialect {hooks.dialect.name}", "works", default)
    if os.path.exists(hooks.system):
        obeyed = is_roots(hooks.system)
        detail = (
            f"{hooks.system} counts for all users" if obeyed else f"{hooks.system} does not count: others can write it"
        )
        yield Finding("settings", "the system's file", "works" if obeyed else "broken", detail)


def format_setting_value(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    return "kept" if value is True else str(value)


def folders(hooks: HookSet) -> Iterator[Finding]:
    """Ours alone to write, or to be made when they are needed."""
    for name in ("trust", "journal", "quarantine"):
        yield folder(name, os.path.join(state_folder(hooks.environ, hooks.home), name))
    yield folder("config", os.path.dirname(resolve_config_path(USER, "", hooks.home, hooks.environ)))


def folder(name: str, path: str) -> Finding:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return unmade(name, path)
    except OSError as exc:
        return Finding("folders", name, "broken", f"{path}: {exc.strerror}")
    wrong = ""
    if not stat.S_ISDIR(found.st_mode):
        wrong = "is no folder"
    elif found.st_uid != os.getuid():
        wrong = "belongs to somebody else"
    elif found.st_mode & 0o022:
        wrong = f"can be written by others: run `chmod go-w {path}`"
    elif not os.access(path, os.W_OK | os.X_OK):
        wrong = "cannot be written by you"
    held = f", {len(os.listdir(path))} in it" if not wrong and os.access(path, os.R_OK) else ""
    return Finding("folders", name, "broken" if wrong else "works", f"{path} {wrong}".strip() + held)


def unmade(name: str, path: str) -> Finding:
    above = os.path.dirname(path)
    while not os.path.exists(above):
        above = os.path.dirname(above)
    can = os.access(above, os.W_OK | os.X_OK)
    detail = "not there yet" if can else f"cannot be made: {above} cannot be written by you"
    return Finding("folders", name, "works" if can else "broken", f"{path}: {detail}")


def text(found: list[Finding], paint: Paint) -> str:
    lines: list[str] = []
    for area, title in TITLES.items():
        rows = [[paint(STYLES[one.state], one.state), one.name, near(one.detail)] for one in found if one.area == area]
        if rows:
            lines += [paint("bold", title), table(rows, indent="  "), ""]
    broken = sum(one.state == "broken" for one in found)
    return "\n".join(
        [*lines, "all is well" if not broken else f"{broken} {'thing does' if broken == 1 else 'things do'} not work"]
    )
