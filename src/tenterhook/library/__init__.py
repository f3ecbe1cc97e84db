"""Ready hooks, one file each: `tenter run library:NAME --agent AGENT --set OPTION=VALUE`.

A hook's file is its name with underscores; its function's parameters are its options. The file's docstring says what
it does, then under `Options:` what each option means, then under `What it cannot stop:` what you must not rely on it
for. `tenter library` and docs/write/library-hooks.md are made of that. A hook whose rules are switched by name lists
them in a function `rules`. What several share is in parts/.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tenterhook.author.registered import Registered

FOLDER = os.path.dirname(__file__)
OPTIONS, LIMITS = "Options:", "What it cannot stop:"


class Described:
    """One hook of the library, for people: what it does, its options, its limits."""

    __slots__ = ("about", "hook", "limits", "name", "options", "rules", "title")

    def __init__(self, name: str, hook: Registered, text: str, rules: dict[str, tuple[str, str]]) -> None:
        self.name, self.hook, self.rules = name, hook, rules
        before, _, limits = text.partition(f"\n{LIMITS}\n")
        about, _, options = before.partition(f"\n{OPTIONS}\n")
        self.title, _, rest = about.partition("\n")
        self.about = [" ".join(part.split()) for part in rest.split("\n\n") if part.strip()]
        self.options = dict(parse_option_docs(options))
        self.limits = [" ".join(part.split()) for part in f"\n{limits}".split("\n- ") if part.strip()]

    def data(self) -> dict[str, object]:
        options = [
            {"name": name, "default": plain(self.hook.options[name]), "about": about}
            for name, about in self.options.items()
        ]
        return {
            "name": self.name,
            "title": self.title,
            "about": self.about,
            "kinds": list(self.hook.kinds),
            "match": self.hook.match,
            "options": options,
            "rules": [{"name": name, "decision": what, "says": says} for name, (what, says) in self.rules.items()],
            "cannot_stop": self.limits,
        }


def describe_hook(name: str) -> Described:
    import sys

    from tenterhook.author.loading import of_library

    hook = of_library(name)[0]
    module = sys.modules[hook.function.__module__]
    rules = getattr(module, "rules", dict)
    return Described(name, hook, (module.__doc__ or "").strip(), rules())


def parse_option_docs(text: str) -> Iterator[tuple[str, str]]:
    """Each option with its description: ` name: text`, which may continue on lines that are indented further."""
    name, words = "", ""
    for line in text.splitlines():
        head, colon, rest = line.partition(": ")
        if colon and line.startswith("    ") and not line.startswith("     "):
            if name:
                yield name, words
            name, words = head.strip(), rest.strip()
        elif line.strip():
            words = f"{words} {line.strip()}"
    if name:
        yield name, words


def plain(value: object) -> object:
    """A default as JSON has it."""
    return list(value) if isinstance(value, tuple) else value
