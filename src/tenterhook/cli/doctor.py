"""`tenter doctor`: what this machine can do for hooks, what is switched off, and whether we can keep what we must."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator

from tenterhook import dialects
from tenterhook.cli.options import DIALECT, JSON, PROJECT, Usage
from tenterhook.cli.project import print_json
from tenterhook.dialects import DEFAULT
from tenterhook.hookset import HookSet
from tenterhook.places import located
from tenterhook.sandbox import kernel
from tenterhook.sandbox.abilities import Finding, abilities, proofs
from tenterhook.settings import USER, Settings, is_roots
from tenterhook.state import state_folder
from tenterhook.table import table
from tenterhook.terminal import Paint, colourful, near, painter

USAGE = Usage(
    "doctor",
    "What this machine can do to confine and contain hooks, proven by trying; what is switched off by the settings;\n"
    "and whether the folders are sound in which approvals and outcomes are kept.",
    (),
    (DIALECT, PROJECT, JSON),
    "tenter doctor",
    "exit codes: 0 fine, 1 something does not work",
)
HOOK = '[[hook]]\non = "{}"\ncommand = ["/bin/sh", "-c", "exit 0"]\non_failure = "allow"\n'
STYLES = {"works": "green", "absent": "dim", "broken": "red", "off": "yellow"}
TITLES = {
    "machine": "what the machine has",
    "sandbox": "hooks, confined: a process tried to get out",
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
    found = [*abilities(), *tried, as_good(fired(hooks), tried), *about_settings(hooks), *folders(hooks)]
    if "json" in options:
        print_json(found)
    else:
        print(text(found, painter(colourful())))
    return 1 if any(one.state == "broken" for one in found) else 0


def fired(hooks: HookSet) -> Finding:
    """A hook of our own, from end to end: the way that every hook goes. No other hook runs, whoever it belongs to."""
    from tempfile import TemporaryDirectory

    from tenterhook.engine import Engine

    name, event = "a hook, fired", dialects.get(DEFAULT).events[0].name
    with TemporaryDirectory(prefix="tenterhook-") as folder:
        config = os.path.join(folder, "tenterhook.toml")
        with open(config, "w") as file:
            file.write(HOOK.format(event))
        with Engine(
            folder, config=config, trust="all", journal=False, home=hooks.home, environ=hooks.environ, system="",
            sandbox=hooks.settings.sandbox,
        ) as engine:  # fmt: skip
            [attempt] = engine.fire(event).attempts or [None]
    if attempt is None or attempt.error:
        why = attempt.detail if attempt else "hooks are switched off (TENTERHOOK_OFF), or this is one"
        return Finding("sandbox", name, "broken", why)
    confined = attempt.sandbox not in ("", "none")
    if confined or hooks.settings.sandbox == "off":
        return Finding("sandbox", name, "works" if confined else "off", attempt.sandbox or "not confined")
    said = "; ".join(attempt.notes) or "it was started by this process itself, which confines nothing"
    return Finding("sandbox", name, "broken" if kernel.MACHINE else "absent", said)


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
        yield Finding("settings", name, "off" if off else "works", means if off else shown(said, name))
    sandbox = hooks.dialect.sandbox
    default = f"network {sandbox.network} unless a hook says otherwise"
    yield Finding("settings", f"dialect {hooks.dialect.name}", "works", default)
    if os.path.exists(hooks.system):
        obeyed = is_roots(hooks.system)
        detail = (
            f"{hooks.system} counts for all users" if obeyed else f"{hooks.system} does not count: others can write it"
        )
        yield Finding("settings", "the system's file", "works" if obeyed else "broken", detail)


def shown(settings: Settings, name: str) -> str:
    value = getattr(settings, name)
    return "kept" if value is True else str(value)


def folders(hooks: HookSet) -> Iterator[Finding]:
    """Ours alone to write, or to be made when they are needed."""
    for name in ("trust", "journal", "quarantine"):
        yield folder(name, os.path.join(state_folder(hooks.environ, hooks.home), name))
    yield folder("config", os.path.dirname(located(USER, "", hooks.home, hooks.environ)))


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
