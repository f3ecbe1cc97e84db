"""What a file will hold after a change, and whether its kind can hold that: Python, JSON, TOML, YAML."""

from __future__ import annotations

import os
import re

from tenterhook.author import inputs
from tenterhook.errors import ConfigError
from tenterhook.support import files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.author.event import Event

LARGEST = 2 << 20
# A key of thousands of parts takes the reader of TOML quadratic time, and brackets within brackets that of YAML.
LONG_LINE = 4000
DEEPEST = 5000
FILLED_IN = re.compile(r"\{\{[^{}\n]{0,300}\}\}|\{%[^{}\n]{0,300}%\}")


def text_after(event: Event) -> str | None:
    """The file's text after the change; None where that cannot be told beforehand."""
    for name in inputs.WHOLE:
        if isinstance(event.input.get(name), str):
            return str(event.input[name])
    try:
        now = files.text(event.path)
    except (OSError, ValueError):
        return None
    for edit in inputs.edits(event.input) or [event.input]:
        old, new = (next((edit[name] for name in names if name in edit), None) for names in (inputs.OLD, inputs.NEW))
        if not isinstance(old, str) or not isinstance(new, str) or not old or old not in now:
            return None
        now = now.replace(old, new) if edit.get("replace_all") else now.replace(old, new, 1)
    return now


def text_before(path: str) -> str:
    """The file's text; one that is not there, or is not text, counts as one that parses."""
    try:
        return files.text(path)
    except (OSError, ValueError):
        return "" if not path.endswith((".json", ".jsonc")) else "{}"


def problem(path: str, text: str) -> str:
    """What is wrong with it, in one line; nothing where it is right or of a kind that is not looked at."""
    check = CHECKS.get(os.path.splitext(path)[1].lower())
    if check is None or len(text) > LARGEST:
        return ""
    try:
        return check(path, text)
    except (RecursionError, MemoryError):
        return "it is nested too deeply"


def python(path: str, text: str) -> str:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text.removeprefix("\ufeff"), "<file>", "exec", flags=0x400, dont_inherit=True)  # a syntax tree only
    except SyntaxError as exc:
        return f"line {exc.lineno}: {exc.msg}"
    except ValueError as exc:  # NUL
        return str(exc)
    return ""


def json(path: str, text: str) -> str:
    from json import loads

    from tenterhook.library.project.syntax.json import allows_json_comments, strict

    try:
        loads(strict(text) if allows_json_comments(path) else text)
    except (ValueError, ConfigError) as exc:
        return str(exc)
    return ""


def toml(path: str, text: str) -> str:
    import tomllib

    if max(map(len, text.split("\n"))) > LONG_LINE:
        return ""
    try:
        tomllib.loads(text)
    except ValueError as exc:
        return str(exc)
    return ""


def yaml(path: str, text: str) -> str:
    """A template of YAML is none; one that only has values to fill in is. Without a reader of YAML nothing is said."""
    from tenterhook.library.project.syntax.kubernetes import is_yaml_template

    if is_yaml_template(path, text):
        return ""
    text = FILLED_IN.sub("x", text)
    if text.count("[") + text.count("{") > DEEPEST:
        return ""
    try:
        import yaml as reader
    except ImportError:
        return ""
    try:
        for _ in reader.parse(text, Loader=getattr(reader, "CSafeLoader", reader.SafeLoader)):
            pass
    except reader.YAMLError as exc:
        mark = getattr(exc, "problem_mark", None)
        return f"line {mark.line + 1}: {getattr(exc, 'problem', exc)}" if mark else str(exc)
    return ""


CHECKS = {".py": python, ".pyi": python, ".json": json, ".jsonc": json, ".toml": toml, ".yaml": yaml, ".yml": yaml}
