"""Whether a text parses as what its file's name says: Python, JSON, TOML, YAML, a makefile, a shell script.

Each problem is `line:column: what`. linters.py checks what the program that reads a file expects of it. The parsers of
the standard library come first. The readers that can say where and why are loaded for a wrong file only.
"""

from __future__ import annotations

import os
import re

from tenterhook.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

LARGEST = 1 << 20
SUFFIXES = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".json", ".jsonc", ".code-workspace", ".webmanifest"), "json"),
    **dict.fromkeys((".yml", ".yaml"), "yaml"),
    **dict.fromkeys((".sh", ".bash", ".zsh", ".ksh"), "shell"),
    ".toml": "toml",
    ".mk": "makefile",
}
NAMES = {
    **dict.fromkeys((".babelrc", ".eslintrc", ".prettierrc", ".swcrc"), "json"),
    **dict.fromkeys(("pipfile", "poetry.lock", "uv.lock", "cargo.lock"), "toml"),
    **dict.fromkeys(("makefile", "gnumakefile"), "makefile"),
}
# Formats that are UTF-8; the others may hold any bytes but NUL.
UTF_8 = ("json", "toml", "yaml")
# JSON files whose program allows comments and trailing commas.
RELAXED = (".jsonc", ".code-workspace", *(name for name, kind in NAMES.items() if kind == "json"))
RELAXED_NAMES = ("tsconfig", "jsconfig", "devcontainer", "deno", "wrangler", "turbo", "biome", "api-extractor")
RELAXED_FOLDERS = (".vscode", ".devcontainer", ".cursor", ".zed", ".gemini", ".llxprt")
FILLED_IN = re.compile(r"\{\{[^{}\n]{0,300}\}\}|\{%[^{}\n]{0,300}%\}")
# The parser of YAML takes quadratic time for brackets within brackets.
DEEPEST = 5000
# tomllib takes quadratic time for a key of thousands of parts.
LONG_LINE = 4000
SHELLS = ("sh", "bash", "dash", "ksh", "mksh", "zsh")


def kind(path: str) -> str:
    """The format of a file, by its name; empty if there is no parser for it here."""
    name = os.path.basename(path).lower()
    return NAMES.get(name) or SUFFIXES.get(os.path.splitext(name)[1], "")


def problems(path: str, text: str, seconds: float = 2.0) -> list[str]:
    """All problems, repeated keys included; `seconds` limits the shell that reads a script."""
    format = kind(path)
    if not format or len(text) >= LARGEST:
        return []
    text = text.removeprefix("\ufeff")
    return not_text(text, format) or parse(path, text, format, seconds)


def first_error(path: str, text: str) -> str:
    """Why Python, JSON, TOML or YAML does not parse, as `line 3: what`; empty if it does."""
    format = kind(path)
    if format not in ("python", *UTF_8) or len(text) > 2 * LARGEST:
        return ""
    found = parse(path, text.removeprefix("\ufeff"), format, 0, once=False)
    line, _, what = found[0].partition(":") if found else ("", "", "")
    return f"line {line}: {what.partition(': ')[2]}" if found else ""


def parse(path: str, text: str, format: str, seconds: float, once: bool = True) -> list[str]:
    try:
        if format == "shell":
            return parse_shell(path, text, seconds)
        return {"python": parse_python, "json": parse_json, "toml": parse_toml, "yaml": parse_yaml}.get(
            format, parse_makefile
        )(path, text, once)
    except ConfigError as exc:
        return [at(exc.line or 1, exc.column or 1, exc.message)]
    except (RecursionError, MemoryError):
        return [at(1, 1, "it is nested too deeply")]


def at(line: int, column: int, what: str) -> str:
    return f"{line}:{column}: {what}"


def at_offset(text: str, offset: int, what: str) -> str:
    return at(text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset), what)


def not_text(text: str, format: str) -> list[str]:
    """A NUL, or a byte that is not UTF-8 although the format requires it, as `surrogateescape` reads it."""
    bad = re.search("[\0\ud800-\udfff]" if format in UTF_8 else "\0", text)
    if not bad:
        return []
    return [at_offset(text, bad.start(), "a NUL character: this is not a text" if bad[0] == "\0" else "not UTF-8")]


def parse_python(path: str, text: str, once: bool) -> list[str]:
    import warnings

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<file>", "exec", flags=0x400, dont_inherit=True)  # a syntax tree only
    except SyntaxError as exc:
        return [at(exc.lineno or 1, exc.offset or 1, exc.msg)]
    except ValueError as exc:  # NUL
        return [at(1, 1, str(exc))]
    return []


# ---- JSON and TOML


def parse_json(path: str, text: str, once: bool) -> list[str]:
    from json import loads

    if os.path.basename(path).lower() in NAMES and not text.lstrip().startswith(("{", "[", "/")):
        return []  # the same file may be YAML
    text = without_comments(text) if allows_comments(path) else text
    try:
        refuse = refuse_repeated if once else None
        loads(text, object_pairs_hook=refuse, parse_constant=refuse)
    except (ValueError, RecursionError):
        from tenterhook.support.readers import json

        json.values(text, "")
        return [at_offset(text, offset, f"the key {key!r} stands here again") for offset, key in json.scan(text, "")[1]]
    return []


def refuse_repeated(pairs: Any) -> None:
    """Refuse a repeated key, and NaN, which Python would accept; the values do not matter."""
    if isinstance(pairs, str) or len({key for key, _ in pairs}) < len(pairs):
        raise ValueError


def allows_comments(path: str) -> bool:
    folder, name = os.path.split(path.lower())
    if name.endswith(RELAXED) or name.startswith(RELAXED[2:]) or name.partition(".")[0] in RELAXED_NAMES:
        return True
    return os.path.basename(folder) in RELAXED_FOLDERS


def without_comments(text: str) -> str:
    """Replace comments, and commas before a closing bracket, by blanks; strings stay."""
    from tenterhook.support.readers.json import blank_out_comments

    # A string that is not closed is skipped whole: searching its end from each quote in it would be quadratic.
    found = r'"(?:[^"\\\n]|\\.)*+"?|,(?=\s*[}\]])'
    return re.sub(found, lambda one: one[0] if one[0] != "," else " ", blank_out_comments(text, ""))


def parse_toml(path: str, text: str, once: bool) -> list[str]:
    import tomllib

    try:
        if max(map(len, text.split("\n"))) <= LONG_LINE:
            tomllib.loads(text)
            return []
    except (ValueError, RecursionError):
        pass
    from tenterhook.support.readers import toml

    toml.values(text, "")
    return []


# ---- YAML


def parse_yaml(path: str, text: str, once: bool) -> list[str]:
    """Check every document of the file. Any tags are fine; `once` checks aliases and keys."""
    import yaml

    if is_yaml_template(path, text):
        return []
    text = FILLED_IN.sub(lambda one: "x" * len(one[0]), text)
    try:
        if not once and text.count("[") + text.count("{") <= DEEPEST:
            for _ in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
                pass
        return list(repeated_keys(text)) if once else []
    except yaml.YAMLError as exc:
        from tenterhook.support.readers.yaml import yaml_config_error

        raise yaml_config_error(exc, text, "") from None


def is_yaml_template(path: str, text: str) -> bool:
    """Whether it is a template that only becomes YAML when it is rendered."""
    if "{{" not in text and "{%" not in text:
        return False
    folder = os.path.dirname(path)
    while os.path.basename(folder) and os.path.basename(folder) != "templates":
        folder = os.path.dirname(folder)
    if os.path.exists(os.path.join(os.path.dirname(folder), "Chart.yaml")):
        return True
    return any(line.lstrip().startswith(("{{", "{%")) for line in text.splitlines())


def repeated_keys(text: str) -> Iterator[str]:
    from tenterhook.support.readers.yaml import AliasBounds, Loader, YamlScanner

    loader = Loader(text)
    while loader.check_node():
        if (node := loader.get_node()) is None:
            continue
        AliasBounds().measure(node, 1)
        for at, key in YamlScanner(loader, text).scan(node)[1]:
            yield at_offset(text, at, f"the key {key!r} stands here again")


# ---- makefiles and shell scripts

MAKE_DIRECTIVE = re.compile(
    r"\s*(?:-?include|sinclude|ifn?eq|ifn?def|else|endif|export|unexport|override|private|vpath|undefine|-?load)(?![\w-])"
)
MAKE_ASSIGNMENT = re.compile(r"\s*[^\s:#=?+!]+\s*(?::{1,3}|[?+!])?=")
MAKE_RULE = re.compile(r"\s+[\w./%$(){}-]+(?:[ \t]+[\w./%$(){}-]+)*[ \t]*::?(?:\s|$)")


def parse_makefile(path: str, text: str, once: bool) -> list[str]:
    """Report recipes that start with blanks, and lines that make cannot read. `make -n` could run code."""
    if ".RECIPEPREFIX" in text:
        return []  # then another character than the tab starts a recipe
    found, below_rule, defining = [], False, 0
    for number, line in join_continued_lines(text):
        word = "" if line.startswith("\t") else (line.split() or [""])[0]
        if word in ("define", "endef"):
            defining += 1 if word == "define" else -1
        elif not word or word.startswith("#") or defining > 0:
            continue
        elif MAKE_DIRECTIVE.match(line) or MAKE_ASSIGNMENT.match(line):
            below_rule = False
        elif below_rule and line[0] == " " and not MAKE_RULE.match(line):
            found.append(at(number, 1, "blanks where make needs a tab: this is not a line of the recipe"))
        elif ":" in line:
            below_rule = True
        elif "$" not in line and "=" not in line:  # a variable may expand to a rule
            found.append(at(number, 1, f"neither a rule nor an assignment, `missing separator`: {line.strip()[:40]!r}"))
            below_rule = False
    return found


def join_continued_lines(text: str) -> Iterator[tuple[int, str]]:
    """Join lines that a backslash continues, under the number of the first."""
    held, first = "", 0
    for number, line in enumerate([*text.splitlines(), ""], 1):
        first = first or number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        yield first, held + line
        held, first = "", 0


def parse_shell(path: str, text: str, seconds: float) -> list[str]:
    """Let the shell that a script names parse it without running it, if that shell is installed."""
    from shutil import which

    name = shell_of(path, text)
    program = which(name) if name else None
    if program is None or seconds <= 0:
        return []
    from tenterhook.runtime.process import Program, run

    # Without the caller's environment: BASH_ENV and ENV name files that a shell runs even when it only reads.
    environ = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"}
    given = text.encode("utf-8", "surrogateescape")
    done = run(Program((program, "-n"), given, environ, "/", seconds, 0.1, leftovers="end"))
    lines = done.stderr.decode("utf-8", "replace").splitlines() if done.exit_code not in (0, None) else []
    return [normalise_shell_error(line) for line in lines if line.strip()][:3]


def shell_of(path: str, text: str) -> str:
    """The shell of the first line, or of the file's name; empty for one that has no -n."""
    first = text.partition("\n")[0]
    if first.startswith("#!"):
        words = [word for word in first[2:].split() if not word.startswith("-")]
        names = [os.path.basename(word) for word in words if "=" not in word]
        name = names[1] if len(names) > 1 and names[0] == "env" else names[0] if names else ""
        return name if name in SHELLS else ""
    suffix = os.path.splitext(path)[1][1:].lower()
    return suffix if suffix in SHELLS and suffix != "sh" else "bash"


def normalise_shell_error(line: str) -> str:
    """`bash: line 3: what`, `sh: 3: what` and `zsh: 3: what`, all as `3:1: what`."""
    found = re.match(r"[^:]*:\s*(?:-c:\s*)?(?:line\s+)?(\d+):\s*(.*)", line)
    return at(int(found[1]), 1, found[2]) if found else at(1, 1, line)
