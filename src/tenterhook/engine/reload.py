"""Config read anew, because the host or the user asked for it: all of it at once, or nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tenterhook.engine.registry import Registry
from tenterhook.errors import ConfigError

if TYPE_CHECKING:
    from tenterhook.config.load import Loaded
    from tenterhook.engine.hookset import HookSet
    from tenterhook.types import Hook


def reload(hooks: HookSet) -> None:
    """Functions stay; hooks of files are those that the files have now. A broken file changes nothing, loudly."""
    with hooks.lock:
        before, settings = hooks.ready(), hooks.made_settings
        hooks.made_settings = None
        try:
            loaded = hooks.read(on_error="raise")
        except ConfigError as exc:
            hooks.made_settings, hooks.slots = settings, {}
            hooks.stale = f"{exc}; what was read before stays in force"
            if hooks.on_config_error == "raise":
                raise
            return
        swap(hooks, before, loaded)
        if hooks.settings != settings:
            begin_journal(hooks)


def swap(hooks: HookSet, before: Loaded, loaded: Loaded) -> None:
    """Events under way keep what they began with."""
    old = {id(hook) for hook in before.hooks}
    registry = Registry()
    registry.add(*(hook for hook in hooks.registry.all() if id(hook) not in old), *loaded.hooks)
    spent = {same(hook) for hook in hooks.spent.values()}
    hooks.spent.update((id(hook), hook) for hook in loaded.hooks if hook.once and same(hook) in spent)
    hooks.registry, hooks.loaded, hooks.stale, hooks.slots = registry, loaded, "", {}
    vars(hooks).pop("confinement", None)  # made of the settings, and of the places that were there


def same(hook: Hook) -> tuple[Any, ...]:
    """What makes a hook that runs once the one that has run."""
    return hook.source.file, hook.event, hook.agent, hook.name, hook.matcher, str(hook.spec)


def begin_journal(hooks: HookSet) -> None:
    """As the settings have it now."""
    before, hooks.journal = hooks.journal, hooks.open_journal()
    if before is not None:
        before.flush()
