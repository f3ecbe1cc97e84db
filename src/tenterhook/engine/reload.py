"""Read the config again, on request of the host or the user: all of it, or nothing if a file is broken."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenterhook.engine.registry import Registry
from tenterhook.errors import ConfigError

if TYPE_CHECKING:
    from tenterhook.config.load import Loaded
    from tenterhook.engine.engine import Engine
    from tenterhook.types import Hook


def reload(engine: Engine) -> None:
    """Replace the hooks of files; functions stay. If a file is broken, nothing changes and an error or a warning says
    so.
    """
    hookset = engine.hookset
    with engine.lock:
        before, settings = engine.ready(), hookset.made_settings
        hookset.made_settings = None
        try:
            loaded = hookset.read(on_error="raise")
        except ConfigError as exc:
            hookset.made_settings, hookset.compiled = settings, {}
            hookset.stale = f"{exc}; what was read before stays in force"
            if engine.options.on_config_error == "raise":
                raise
            return
        swap(engine, before, loaded)
        begin_journal(engine)


def swap(engine: Engine, before: Loaded, loaded: Loaded) -> None:
    """Replace the hooks; events that have begun keep the old ones."""
    hookset, old = engine.hookset, {id(hook) for hook in before.hooks}
    registry = Registry()
    registry.add(*(hook for hook in hookset.registry.all() if id(hook) not in old), *loaded.hooks)
    spent = {same(hook) for hook in engine.spent.values()}
    engine.spent.update((id(hook), hook) for hook in loaded.hooks if hook.once and same(hook) in spent)
    hookset.registry, hookset.loaded, hookset.stale, hookset.compiled = registry, loaded, "", {}
    vars(engine).pop("confinement", None)  # it depends on the settings and on what was on the disk


def same(hook: Hook) -> tuple[Any, ...]:
    """The key by which a hook that runs once is recognised after a reload."""
    return hook.source.file, hook.event, hook.agent, hook.name, hook.matcher, str(hook.spec)


def begin_journal(engine: Engine) -> None:
    """Open the journal that the settings ask for now, and that knows the files in force."""
    before, engine.journal = engine.journal, engine.open_journal()
    if before is not None:
        before.flush()
