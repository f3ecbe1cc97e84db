"""Command-line options: a table, a small parser, help with an example. argparse would cost 8 ms on the hot path."""

from __future__ import annotations

from tenterhook.errors import UsageError, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# Plain classes: msgspec would cost more than all the rest of a `tenter hook`.


class Option:
    """One option: `--name VALUE`, or a flag where it takes no value."""

    __slots__ = ("choices", "help", "name", "value")

    def __init__(self, name: str, help: str, value: str = "", choices: tuple[str, ...] = ()) -> None:
        self.name, self.help, self.value, self.choices = name, help, value, choices


class CommandUsage:
    """The usage of one command: its positional arguments, its options, an example."""

    __slots__ = ("about", "command", "example", "more", "options", "words")

    def __init__(
        self,
        command: str,
        about: str,
        words: tuple[str, ...],
        options: tuple[Option, ...],
        example: str,
        more: str = "",
    ) -> None:
        self.command, self.about, self.words = command, about, words
        self.options, self.example, self.more = options, example, more

    def parse(self, argv: list[str]) -> dict[str, str] | None:
        """Options and arguments by name; None if help was asked for and printed."""
        table = {f"--{option.name}": option for option in self.options}
        if "--dialect" in table:
            table.setdefault("--agent", AGENT)
        found: dict[str, str] = {}
        names = list(self.words)
        rest = iter(argv)
        for word in rest:
            if word in ("-h", "--help"):
                print(self.help())
                return None
            name, equals, value = word.partition("=")
            if not word.startswith("-"):
                if not names:
                    raise self.error(f"unexpected argument: {word!r}{meant_option(word, table)}")
                name = names[0].strip("[].")
                if names[0].endswith("...]"):  # takes any number of arguments
                    found[name] = f"{found[name]}\0{word}" if name in found else word
                else:
                    found[names.pop(0).strip("[]")] = word
                continue
            option = table.get(name)
            if option is None:
                raise self.error(f"unknown option {name!r}{nearest(name, table)}")
            if not option.value and equals:
                raise self.error(f"{name} takes no value")
            found[option.name] = self.value(option, value if equals else None, rest) if option.value else "yes"
        if "agent" in found and table["--agent"] is AGENT and "--dialect" in table:
            settle_agent(found, ids="--subagent" in table)
        wanting = [name for name in names if not name.startswith("[")]
        if wanting:
            raise self.error(f"{wanting[0]} is missing")
        return found

    def value(self, option: Option, given: str | None, rest: object) -> str:
        value = next(rest, None) if given is None else given  # type: ignore[call-overload]
        if value is None:
            raise self.error(f"--{option.name} needs a value: {option.value}")
        if option.choices and value not in option.choices:
            raise self.error(f"--{option.name} may be {', '.join(option.choices)}; not {value!r}")
        return str(value)

    def number(
        self, options: dict[str, str], name: str, usual: float, *, most: float = 1e9, whole: bool = False
    ) -> float:
        """The value of an option that takes a number; `usual` if it is not given."""
        if name not in options:
            return usual
        text = options[name]
        try:
            found = float(text) if not whole or text.isdecimal() else 0.0
        except ValueError:
            found = 0.0
        if not 0 < found <= most:
            wanted = "a whole number of at least 1" if whole else "a number above 0"
            wanted = f"at most {most:,.0f}" if found > most else wanted
            raise self.error(f"--{name} must be {wanted}, not {text!r}")
        return found

    def error(self, text: str) -> UsageError:
        return UsageError(f"{text}\nusage: {self.line()}\nsee: tenter {self.command} --help")

    def line(self) -> str:
        options = [f"[--{option.name}{' ' + option.value if option.value else ''}]" for option in self.options]
        return " ".join(["tenter", self.command, *self.words, *options])

    def help(self) -> str:
        rows = [(f"--{o.name} {o.value}".strip(), o.help) for o in self.options]
        width = max((len(left) for left, _ in rows), default=0)
        table = "\n".join(f"  {left:<{width}}  {right}" for left, right in rows)
        parts = (self.about, f"usage: {self.line()}", table, self.more, f"example:\n  {self.example}")
        return "\n\n".join(part for part in parts if part)


def meant_option(word: str, table: Mapping[str, Option]) -> str:
    """For a path that stands alone: the option that takes it."""
    import os

    name = "--project" if os.path.isdir(word) else "--config" if os.path.isfile(word) else ""
    return f" (did you mean {name} {word}?)" if name in table else ""


def settle_agent(found: dict[str, str], *, ids: bool) -> None:
    """`--agent NAME` says whose rules count, as `--dialect` does. Where NAME is no agent, or `--dialect` has said that
    already, it is what it was until 0.1: the id of a subagent.
    """
    import sys

    from tenterhook import dialects

    name = found.pop("agent")
    if "dialect" not in found and (not ids or name.partition("@")[0] in dialects.names()):
        found["dialect"] = name
    elif ids:
        found.setdefault("subagent", name)
        hint = nearest(name, dialects.names())
        print(f"tenter: --agent {name} is taken for a subagent's id: write --subagent {name}{hint}", file=sys.stderr)
    elif found["dialect"] != name:
        raise UsageError(f"--agent {name} and --dialect {found['dialect']} say different things: leave one out")


DIALECT = Option("dialect", "whose rules, also --agent; tenter dialects lists them (default: our own)", "NAME")
PROJECT = Option("project", "the project's folder (default: this one)", "DIR")
CONFIG = Option("config", "read this file instead of searching for config files", "FILE")
AGENT = Option("agent", "the agent whose rules count, as --dialect", "NAME")
SUBAGENT = Option("subagent", "the id of the subagent that the event is about", "ID")
JSON = Option("json", "print JSON")
