"""Load hooks from files and from the library, for `tenter run` and for tests: run a file, take what it registers."""

from __future__ import annotations

import os
import sys

from tenterhook.author import hook
from tenterhook.author.calls import line_of
from tenterhook.author.registered import Broken
from tenterhook.errors import TenterhookError, UsageError, format_exception_line, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

    from tenterhook.author.calls import HookCommand
    from tenterhook.author.registered import Registered

LIBRARY = "library:"
# What the files have registered that were run before there was an event, each for one use.
AHEAD: dict[str, list[Registered]] = {}
FOLDER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "library")


def of_call(call: HookCommand) -> list[Registered]:
    """The hooks of all files of a command line, each file with its own options."""
    found: list[Registered] = []
    for word, settings in call.words:
        try:
            own = [one for one in of_word(word) if not call.only or one.name == call.only]
            found += hook.apply_options(own, [*call.settings, *settings], call.options, call.given)
        except TenterhookError as exc:
            found.append(Broken(word, str(exc)))
        except Exception as exc:
            found.append(Broken(word, f"{format_exception_line(exc)}{line(exc, word)}"))
    if not call.words:
        raise UsageError("which hooks? tenter run FILE...")
    if call.options and not any(isinstance(one, Broken) for one in found):
        from tenterhook.author.options import check_tables

        check_tables(call.options, found)
    return found


def of_word(word: str) -> list[Registered]:
    """The hooks of a file, or of `library:NAME`."""
    found = of_library(word[len(LIBRARY) :]) if word.startswith(LIBRARY) else of_file(word)
    if not found:
        raise UsageError(f"there is no hook in {word}: decorate a function with @hook(kind)")
    return found


def of_library(name: str) -> list[Registered]:
    from importlib import import_module

    library_file(name)
    with hook.apart():  # else a file that calls hook.main() would register it too
        found = import_module(f"tenterhook.library.{name.replace('-', '_')}")
    return [one for value in vars(found).values() for one in getattr(value, "hooks", ())]


def library_file(name: str) -> str:
    """The file of a ready hook."""
    if name.replace("_", "-") not in library_names():
        known = library_names()
        raise UsageError(f"the library has no hook {name!r}{nearest(name, known)}; tenter library lists them")
    return os.path.join(FOLDER, f"{name.replace('-', '_')}.py")


def library_names() -> list[str]:
    """The names of all ready hooks, for `library:NAME`."""
    files = (name for name in os.listdir(FOLDER) if name.endswith(".py") and not name.startswith("_"))
    return sorted(name.removesuffix(".py").replace("_", "-") for name in files)


def of_file(path: str) -> list[Registered]:
    """Run a file as a module, with its folder first on the path as Python does for a script."""
    whole = os.path.abspath(path)
    folder = os.path.dirname(whole)
    if whole in AHEAD:
        put_first_on_path(folder)
        return AHEAD.pop(whole)
    with open(whole, "rb") as file:
        code = compile(file.read(), whole, "exec")
    put_first_on_path(folder)
    return run_code(code, whole)


def put_first_on_path(folder: str) -> None:
    if folder not in sys.path:
        sys.path.insert(0, folder)


def run_code(code: CodeType, whole: str) -> list[Registered]:
    """Run the code of a file; returns the hooks that it registers."""
    with hook.apart() as found:
        exec(code, {"__name__": "__hook__", "__file__": whole, "__builtins__": __builtins__})
    return found


def line(exc: Exception, word: str) -> str:
    """The place of an error in a file; a syntax error has its own."""
    number = 0 if isinstance(exc, SyntaxError) else line_of(exc, os.path.abspath(word))
    return f" (line {number})" if number else ""
