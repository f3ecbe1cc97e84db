"""Config read anew, because the host or the user asked for it: all of it at once, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenterhook.engine.registry import Registry
from tenterhook.errors import ConfigError

if TYPE_CHECKING:
    from tenterhook.config.load import Loaded
    from tenterhook.engine.engine import Engine
    from tenterhook.types import Hook


def reload(engine: Engine) -> None:
    """Functions stay; hooks of files are those that the files have now. A broken file changes nothing, loudly."""
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
        if hookset.settings != settings:
            begin_journal(engine)


def swap(engine: Engine, before: Loaded, loaded: Loaded) -> None:
    """Events under way keep what they began with."""
    hookset, old = engine.hookset, {id(hook) for hook in before.hooks}
    registry = Registry()
    registry.add(*(hook for hook in hookset.registry.all() if id(hook) not in old), *loaded.hooks)
    spent = {same(hook) for hook in engine.spent.values()}
    engine.spent.update((id(hook), hook) for hook in loaded.hooks if hook.once and same(hook) in spent)
    hookset.registry, hookset.loaded, hookset.stale, hookset.compiled = registry, loaded, "", {}
    vars(engine).pop("confinement", None)  # made of the settings, and of the places that were there


def same(hook: Hook) -> tuple[Any, ...]:
    """What makes a hook that runs once the one that has run."""
    return hook.source.file, hook.event, hook.agent, hook.name, hook.matcher, str(hook.spec)


def begin_journal(engine: Engine) -> None:
    """As the settings have it now."""
    before, engine.journal = engine.journal, engine.open_journal()
    if before is not None:
        before.flush()
