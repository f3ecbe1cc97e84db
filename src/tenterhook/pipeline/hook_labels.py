"""The label of a hook in texts for the model, the user and the log.

The label is the hook's name. A hook without a name is named by its command line or URL, which is long and may hold a
token: texts then use the file that it runs, or the server. Secrets are removed from both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tenterhook.support.command_line import file_run
from tenterhook.support.secrets.redact import Redactor
from tenterhook.types import Hook

# Forms in which the main value is a command line or a path.
RUNNABLE = ("shell", "program", "script")


def label(name: str, hooks: Iterable[Hook], environ: Mapping[str, str]) -> str:
    """The label of the hooks with this name."""
    runs = next((file_run(hook.spec["main"]) for hook in hooks if hook.name == name and is_unnamed(hook)), "")
    return Redactor(environ).text(runs or server_of(name) or name)


def server_of(name: str) -> str:
    """Scheme and host of a URL, whose path is often a secret; empty if the name is not one."""
    scheme, _, rest = name.partition("://")
    if scheme not in ("http", "https"):
        return ""
    for end in "/?#":
        rest = rest.partition(end)[0]
    return f"{scheme}://{rest.rpartition('@')[2]}"


def is_unnamed(hook: Hook) -> bool:
    """Whether the hook is named after what it runs."""
    main = hook.spec.get("main")
    if hook.spec.get("form") not in RUNNABLE or not main:
        return False
    return hook.name in ((str(main), main[0]) if isinstance(main, list) else (main,))
