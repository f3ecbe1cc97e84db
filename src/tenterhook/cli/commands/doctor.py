"""`tenter doctor`: show what this machine can do for hooks, what is switched off, and whether our folders are safe."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tenterhook import dialects
from tenterhook.cli.connected import about_agents
from tenterhook.cli.door_state import about_door
from tenterhook.cli.options import DIALECT, JSON, PROJECT, CommandUsage
from tenterhook.cli.project import print_json
from tenterhook.config.locations import resolve_config_path
from tenterhook.config.settings import USER, Settings, is_roots
from tenterhook.dialects import DEFAULT
from tenterhook.engine.hookset import HookSet
from tenterhook.engine.options import EngineOptions
from tenterhook.handlers.command import SHELL
from tenterhook.runtime.sandbox import kernel
from tenterhook.runtime.sandbox.abilities import Ability, abilities, proofs
from tenterhook.runtime.shell_free import kind_of
from tenterhook.support.paths import native_client, state_folder
from tenterhook.support.terminal.table import table
from tenterhook.support.terminal.text import Paint, colourful, near, painter, pluralise_count
from tenterhook.types import Attempt

USAGE = CommandUsage(
    "doctor",
    "Show when each connected agent last called its hooks, test what this machine can do to confine hooks and to\n"
    "start them quickly, show what the settings switch off, and check the folders that hold approvals and outcomes.",
    (),
    (DIALECT, PROJECT, JSON),
    "tenter doctor",
    "exit codes: 0 fine, 1 something does not work",
)
HOOK = '[[hook]]\non = "{}"\n{}\non_failure = "allow"\n'
COMMAND, SCRIPT = 'command = ["/bin/sh", "-c", "exit 0"]', 'script = "hook.py"'
NONE_RAN = "hooks are switched off (TENTERHOOK_OFF), or this command runs inside a hook"
# After this many seconds without a warm interpreter, there will not be one.
WARMING = 30.0
STYLES = {"works": "green", "absent": "dim", "broken": "red", "off": "yellow"}
TITLES = {
    "agents": "agents that call your hooks",
    "hooks": "your hooks in these agents",
    "machine": "what the machine supports",
    "sandbox": "sandbox: a confined process tried to get out",
    "speed": "speed",
    "settings": "settings",
    "folders": "folders",
}
# Settings that weaken protection: when off, they are reported prominently.
LOUD = {
    "sandbox": ("off", "hooks run unconfined"),
    "secrets": ("pass", "hooks see variables that hold secrets"),
    "journal": (False, "what hooks decided is not recorded"),
}


def run(argv: list[str]) -> int:
    options = USAGE.parse(argv)
    if options is None:
        return 0
    hooks = HookSet(EngineOptions(options.get("project", "."), dialect=options.get("dialect", DEFAULT)))
    tried = proofs()
    found = [
        *about_agents(hooks),
        *about_door(hooks),
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


def check_trial_hook(hooks: HookSet) -> Ability:
    """Fire one hook of our own through the whole engine, the way every hook goes."""
    name = "a hook, fired"
    with trial(hooks, COMMAND) as fire:
        attempt = fire()
    if attempt is None or attempt.error:
        return Ability("sandbox", name, "broken", attempt.detail if attempt else NONE_RAN)
    confined = attempt.sandbox not in ("", "none")
    if confined or hooks.settings.sandbox == "off":
        return Ability("sandbox", name, "works" if confined else "off", attempt.sandbox or "not confined")
    notes = "; ".join(attempt.notes) or "it was started by this process itself, which confines nothing"
    return Ability("sandbox", name, "broken" if kernel.MACHINE else "absent", notes)


@contextmanager
def trial(hooks: HookSet, entry: str, script: str = "") -> Iterator[Callable[[], Attempt | None]]:
    """An engine that fires one hook of our own and no others."""
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


def speed(hooks: HookSet) -> Iterator[Ability]:
    """What makes hooks start faster: no shell, warm Python, the server."""
    shell = kind_of(SHELL)
    known = f"{SHELL} is {shell}" if shell else f"{SHELL} is neither dash nor bash, so it runs every command text"
    yield Ability("speed", "no shell", "works" if shell else "absent", known)
    yield check_warm_python(hooks)
    yield resident()
    program = native_client()
    yield Ability("speed", "native client", "works" if program else "absent", program or "no compiler built it here")


def check_warm_python(hooks: HookSet) -> Ability:
    """Fire a Python script until it runs in a fork."""
    from tenterhook.runtime.warm.host import wait

    name = "warm Python"
    if sys.platform != "linux":
        return Ability("speed", name, "absent", "there is a supervisor on Linux alone, so far")
    with trial(hooks, SCRIPT, "import json\n") as fire:
        cold = fire()
        ready = wait(WARMING)
        warm = fire()
    if cold is None or warm is None:
        return Ability("speed", name, "absent", NONE_RAN)
    if not warm.warm:
        why = warm.detail or "; ".join((*cold.notes, *warm.notes)) or ("" if ready else "it is not ready in time")
        return Ability("speed", name, "absent", why or "there is no supervisor that could fork one")
    milliseconds = [f"{one.seconds * 1000:.1f} ms" for one in (cold, warm)]
    return Ability(
        "speed", name, "works", f"a script takes {milliseconds[0]} the first time, {milliseconds[1]} in a fork"
    )


def resident() -> Ability:
    from tenterhook.cli.commands import serve

    found = serve.ask("status") if sys.platform == "linux" else None
    if found:
        requests = pluralise_count(found["requests"], "request")
        return Ability("speed", "tenter serve", "works", f"process {found['pid']}, {requests} so far")
    return Ability(
        "speed", "tenter serve", "absent", "not running; with `tenter serve --detach`, `tenter fire` starts faster"
    )


def as_good(hook: Ability, tried: list[Ability]) -> Ability:
    """Report a hook as broken if a better sandbox works here than the one that confined it."""
    works = [one.detail for one in tried if one.state == "works"]
    if hook.state != "works" or not works or any(detail.startswith(hook.detail) for detail in works):
        return hook
    return Ability(hook.area, hook.name, "broken", f"{hook.detail}, though something better works here")


def about_settings(hooks: HookSet) -> Iterator[Ability]:
    """Which file has settings, and what they switch off."""
    settings = hooks.settings
    for name, (value, means) in LOUD.items():
        off = getattr(settings, name) == value
        yield Ability(
            "settings", name, "off" if off else "works", means if off else format_setting_value(settings, name)
        )
    sandbox = hooks.dialect.sandbox.default
    default = f"network {sandbox.network} unless a hook says otherwise"
    yield Ability("settings", f"dialect {hooks.dialect.name}", "works", default)
    system = hooks.options.system
    if os.path.exists(system):
        obeyed = is_roots(system)
        detail = f"{system} applies to all users" if obeyed else f"{system} is ignored: other users can write it"
        yield Ability("settings", "the system's file", "works" if obeyed else "broken", detail)


def format_setting_value(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    return "kept" if value is True else str(value)


def folders(hooks: HookSet) -> Iterator[Ability]:
    """Each folder must be writable by us alone, or we must be able to create it."""
    for name in ("trust", "journal", "quarantine"):
        yield folder(name, os.path.join(state_folder(hooks.environ, hooks.home), name))
    yield folder("config", os.path.dirname(resolve_config_path(USER, "", hooks.home, hooks.environ)))


def folder(name: str, path: str) -> Ability:
    try:
        found = os.lstat(path)
    except FileNotFoundError:
        return unmade(name, path)
    except OSError as exc:
        return Ability("folders", name, "broken", f"{path}: {exc.strerror}")
    wrong = ""
    if not stat.S_ISDIR(found.st_mode):
        wrong = "is not a folder"
    elif hasattr(os, "getuid") and found.st_uid != os.getuid():
        wrong = "belongs to another user"
    elif hasattr(os, "getuid") and found.st_mode & 0o022:
        wrong = f"can be written by others: run `chmod go-w {path}`"
    elif not os.access(path, os.W_OK | os.X_OK):
        wrong = "you cannot write to it"
    held = f", {len(os.listdir(path))} in it" if not wrong and os.access(path, os.R_OK) else ""
    return Ability("folders", name, "broken" if wrong else "works", f"{path} {wrong}".strip() + held)


def unmade(name: str, path: str) -> Ability:
    above = os.path.dirname(path)
    while not os.path.exists(above):
        above = os.path.dirname(above)
    can = os.access(above, os.W_OK | os.X_OK)
    detail = "not there yet" if can else f"cannot be created: you cannot write to {above}"
    return Ability("folders", name, "works" if can else "broken", f"{path}: {detail}")


def cells(one: Ability, paint: Paint) -> list[str]:
    """An agent is a sentence; what else is tried has a name and what came of it."""
    state = paint(STYLES[one.state], one.state)
    return [state, f"{one.name}: {near(one.detail)}"] if one.area == "agents" else [state, one.name, near(one.detail)]


def text(found: list[Ability], paint: Paint) -> str:
    lines: list[str] = []
    for area, title in TITLES.items():
        rows = [cells(one, paint) for one in found if one.area == area]
        if rows:
            lines += [paint("bold", title), table(rows, indent="  "), ""]
    broken = sum(one.state == "broken" for one in found)
    return "\n".join(
        [
            *lines,
            "everything works" if not broken else f"{broken} {'thing does' if broken == 1 else 'things do'} not work",
        ]
    )
