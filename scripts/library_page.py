"""Write docs/write/library-hooks.md: the hooks of the library, from their own docstrings, options and rules."""

from __future__ import annotations

from pathlib import Path

from page_parts import markdown_table
from tenterhook.author.loading import library_names
from tenterhook.cli.commands.library import format_option_default
from tenterhook.library import Described, describe_hook

PAGE = Path(__file__).parent.parent / "docs" / "write" / "library-hooks.md"
INTRO = """<!-- Written by scripts/library_page.py from the hooks' own files: do not edit. -->

# Ready hooks

Hooks that come with tenterhook, for every agent. You install one as you install a hook of your own:

```sh
tenter install library:secrets library:git-rules --set branches=main --agent claude
```

You set options with `--set OPTION=VALUE`, a list with commas between its items. Several hooks stand in one call, each
followed by its own options. `tenter library NAME` prints what this page says. Try one by hand:

<!-- run prints=protected branch main -->
```sh
echo '{"tool_name": "Bash", "tool_input": {"command": "git push origin main"}}' |
  tenter run library:dangerous-commands library:git-rules --set branches=main,release/* --agent moai --event tool.before
```

> [!WARNING]
> Each hook says what it cannot stop. They are seat belts: they see what an agent is about to do, not what a program
> does once it runs. What must never happen needs a [sandbox](../team/sandbox.md) and rules at the other end."""


def files() -> dict[Path, str]:
    return {PAGE: page([describe_hook(name) for name in library_names()])}


def page(found: list[Described]) -> str:
    rows = [(f"[{one.name}](#{one.name})", one.title, ", ".join(kinds(one))) for one in found]
    parts = [INTRO, markdown_table(("Hook", "What it does", "At"), rows)]
    for one in found:
        parts += [f"## {one.name}", one.title, *one.about]
        options = [(f"`{name}`", f"`{default}`" if default else "", about) for name, default, about in options_of(one)]
        parts += [markdown_table(("Option", "Default", "What it means"), options)]
        if one.rules:
            rules = [(f"`{name}`", decision, says) for name, (decision, says) in one.rules.items()]
            parts += [markdown_table(("Rule", "Decides", "Says"), rules)]
        parts += ["What it cannot stop:", "\n".join(f"- {limit}" for limit in one.limits)]
    return "\n\n".join(parts) + "\n"


def kinds(one: Described) -> list[str]:
    """The kinds that it listens to; in words where they are many."""
    if len(one.hook.kinds) <= 4:
        return [f"`{kind}`" for kind in one.hook.kinds]
    return ["what `on` names" if "on" in one.options else "what an agent does"]


def options_of(one: Described) -> list[tuple[str, str, str]]:
    return [(name, format_option_default(one.hook.options[name]), about) for name, about in one.options.items()]
