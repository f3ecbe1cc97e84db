"""Options of hooks: `--set name=value`, converted to the type of the default, and tables of a TOML file."""

from __future__ import annotations

from tenterhook.errors import UsageError, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from tenterhook.author.registered import Registered

SEVERAL = (tuple, list, set, frozenset)
SWITCHES = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def apply_hook_options(hooks: Iterable[Registered], settings: Iterable[str], file: str = "") -> list[Registered]:
    """The hooks with their options: those of a file, and over them those of the command line.

    A setting that no hook has is an error: else a guard would silently stay as it was.
    """
    found = list(hooks)
    if file:
        found = [one.having(load_options_table(one, file)) for one in found]
    for setting in settings:
        name, equals, text = setting.partition("=")
        owner, dot, option = name.rpartition(".")
        option = option.replace("-", "_")
        meant = [one for one in found if option in one.options and (not dot or one.name == owner)]
        if not equals:
            raise UsageError(f"--set {setting}: NAME=VALUE is needed")
        if not meant:
            raise unknown(f"--set {setting}", name, found)
        for one in meant:
            given = {option: value(text, one.options[option], f"--set {setting}")}
            found[found.index(one)] = one.having(given)
    return found


def check_tables(file: str, hooks: Iterable[Registered]) -> None:
    """Raise for anything without effect: an option outside of all tables, a hook's name in another spelling.

    Tables of hooks that are not here are ignored: several commands may share a file.
    """
    known = sorted({one.name for one in hooks})
    for name, table in tables(file).items():
        meant = name.replace("_", "-").lower()
        if not isinstance(table, dict) and name not in known:
            raise UsageError(f"{file}: {name} is not in a table: write it below [{known[0] if known else 'HOOK'}]")
        if meant != name and name not in known and meant in known:
            raise UsageError(f"{file}: there is no hook {name!r}; did you mean [{meant}]?")


def unknown(where: str, name: str, hooks: list[Registered]) -> UsageError:
    known = sorted({name for one in hooks for name in one.options})
    there = f"there is {', '.join(known)}" if known else "they have none"
    return UsageError(f"{where}: no hook here has an option {name!r}{nearest(name, known)}; {there}")


def load_options_table(hook: Registered, file: str) -> dict[str, Any]:
    """The table of a TOML file with the hook's name."""
    table = tables(file).get(hook.name, {})
    if not isinstance(table, dict):
        raise UsageError(f"{file}: {hook.name} must be a table of options")
    return check_values(table, hook, f"{file}: [{hook.name}]")


def check_values(table: dict[str, Any], hook: Registered, where: str) -> dict[str, Any]:
    """The options of a table, each of the type that the hook's default has."""
    given = {}
    for name, value in table.items():
        option = name.replace("-", "_")
        if option not in hook.options:
            raise unknown(where, name, [hook])
        default = hook.options[option]
        if default is not None and not fits(value, default):
            raise UsageError(f"{where} {name} must be like {default!r}, not {value!r}")
        given[option] = type(default)(value) if isinstance(default, SEVERAL) else value
    return given


def apply_given_options(hooks: Iterable[Registered], given: str) -> list[Registered]:
    """The hooks with the options of their config entry; each takes those that it has."""
    from tenterhook.author.declarations import check_options

    table, hooks = in_json(given, "options"), list(hooks)
    check_options(hooks, table)
    found = []
    for one in hooks:
        own = {name: value for name, value in table.items() if name.replace("-", "_") in one.options}
        found.append(one.having(check_values(own, one, "options:")))
    return found


def tables(file: str) -> dict[str, Any]:
    import tomllib

    try:
        with open(file, "rb") as opened:
            return tomllib.load(opened)
    except OSError as exc:
        raise UsageError(f"{file}: {exc.strerror}") from None
    except ValueError as exc:
        raise UsageError(f"{file}: {exc}") from None


def fits(value: Any, default: Any) -> bool:
    if isinstance(default, SEVERAL):
        return isinstance(value, list)
    if isinstance(default, bool) or isinstance(value, bool):
        return isinstance(value, bool) and isinstance(default, bool)
    return isinstance(value, int | float if isinstance(default, int | float) else type(default))


def value(text: str, default: Any, setting: str) -> Any:
    """Convert a value to the type of the default; a list has commas between its items, anything else may be JSON."""
    if isinstance(default, bool):
        if text.lower() not in SWITCHES:
            raise UsageError(f"{setting}: yes or no is needed, not {text!r}")
        return SWITCHES[text.lower()]
    if isinstance(default, int | float):
        try:
            return type(default)(text)
        except ValueError:
            raise UsageError(f"{setting}: a number is needed, not {text!r}") from None
    if isinstance(default, SEVERAL):
        items = in_json(text, setting) if text.lstrip().startswith("[") else text.split(",")
        return type(default)(one.strip() if isinstance(one, str) else one for one in items if one != "")
    if isinstance(default, dict) or (default is None and text[:1] in '{["'):
        return in_json(text, setting)
    return text


def in_json(text: str, setting: str) -> Any:
    import json

    try:
        return json.loads(text)
    except ValueError as exc:
        raise UsageError(f"{setting}: not JSON: {exc}") from None
