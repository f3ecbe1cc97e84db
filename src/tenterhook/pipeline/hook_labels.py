"""What a hook is called in texts for the model, the user and the log.

That is its name. A hook without one has its command line or its URL for a name, which is long and may hold a token:
texts call it by the file that it runs, or by the server. Secrets are taken out of either.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tenterhook.support.command_line import file_run
from tenterhook.support.secrets.redact import Redactor
from tenterhook.types import Hook

# Forms in which the main value is a command line or a path.
RUNNABLE = ("shell", "program", "script")


def label(name: str, hooks: Iterable[Hook], environ: Mapping[str, str]) -> str:
    """What texts call the hooks of this name."""
    runs = next((file_run(hook.spec["main"]) for hook in hooks if hook.name == name and is_unnamed(hook)), "")
    return Redactor(environ).text(runs or server_of(name) or name)


def server_of(name: str) -> str:
    """Scheme and host of a URL, whose path is often a secret; empty where the name is not one."""
    scheme, _, rest = name.partition("://")
    if scheme not in ("http", "https"):
        return ""
    for end in "/?#":
        rest = rest.partition(end)[0]
    return f"{scheme}://{rest.rpartition('@')[2]}"


def is_unnamed(hook: Hook) -> bool:
    """Whether what it runs stands for its name."""
    main = hook.spec.get("main")
    if hook.spec.get("form") not in RUNNABLE or not main:
        return False
    return hook.name in ((str(main), main[0]) if isinstance(main, list) else (main,))
