"""Whether changed files parse: Python, JSON, TOML and YAML with our parsers, JavaScript with node if it is installed.

This comes before anything is run, with or without a linter. TypeScript, JSX and other languages have their own tools.
"""

from __future__ import annotations

import os
import re

from tenterhook.library.project import kinds
from tenterhook.library.project.wording import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tenterhook.library.project.subject import Subject

SECONDS = 2.0
LARGEST = 1 << 20
SCRIPTS = (".js", ".mjs", ".cjs")
# As a function's body, like CommonJS, else as a module: bundlers accept either under any name.
NODE = (
    "const vm = require('vm'), fs = require('fs'), found = {};"
    "for (const file of process.argv.slice(1)) {"
    " const text = fs.readFileSync(file, 'utf8').replace(/^\\uFEFF?#!.*/, '');"
    " try { new vm.Script(`(async function () {${text}\\n})`, { filename: 'file' }) } catch (first) {"
    " try { new vm.SourceTextModule(text, { identifier: 'file' }) } catch (error) {"
    " found[file] = [String(first.stack).split('\\n')[0], String(error), String(first)] } } }"
    "console.log(JSON.stringify(found))"
)
# Files with these suffixes may hold JSX or Flow types, which node cannot read: it stops at the first tag.
JSX, NO_TAG = re.compile(r"</[\w.]*\s*>|/>"), "Unexpected token '<'"
FLOW = re.compile(r"@flow\b")
PYTHON = "import ast, sys; ast.parse(open(sys.argv[1], 'rb').read())"


def unparsable(subjects: list[Subject], seconds: float = SECONDS) -> dict[str, str]:
    """The error of each file that does not parse, by name. Files without a parser here are left out."""
    found = {one.name: problem for one in subjects if (problem := by_reader(one))}
    scripts = [one for one in subjects if kinds.suffix_of(one.path) in SCRIPTS and is_for_node(one.path)]
    return {**found, **by_node(scripts, min(SECONDS, seconds))}


def by_reader(subject: Subject) -> str:
    from tenterhook.library.project.config_files.syntax import first_error

    text = text_of(subject.path)
    wrong = first_error(subject.path, text) if text is not None else ""
    if wrong and subject.language == "python" and reads_it_otherwise(subject):
        return ""
    return plain(wrong)


def reads_it_otherwise(subject: Subject) -> bool:
    """Whether the project's own Python, which may be newer than ours, accepts the file."""
    from tenterhook.library.project.asked import output_of
    from tenterhook.library.project.languages.python import interpreter

    program = interpreter(subject.folders())
    words = [program, "-I", "-c", PYTHON, subject.path]
    return bool(program) and output_of(words, dict(os.environ), SECONDS) is not None


def is_for_node(path: str) -> bool:
    text = text_of(path)
    return text is not None and not FLOW.search(text)


def is_jsx(path: str, errors: list[str]) -> bool:
    """Whether node stopped at a tag, and not at another error in a file that also has tags."""
    return any(NO_TAG in one for one in errors) and bool(JSX.search(text_of(path) or ""))


def by_node(scripts: list[Subject], seconds: float) -> dict[str, str]:
    """Let node parse the files without running them."""
    if not scripts or seconds <= 0:
        return {}
    import json

    from tenterhook.library.project.asked import output_of

    words = ["node", "--no-warnings", "--experimental-vm-modules", "-e", NODE, *(one.path for one in scripts)]
    env = {name: value for name, value in os.environ.items() if name != "NODE_OPTIONS"}
    output = output_of(words, env, seconds)
    try:
        found: dict[str, list[str]] = json.loads(output or b"{}")
    except ValueError:
        return {}
    wrong = [one for one in scripts if one.path in found and not is_jsx(one.path, found[one.path])]
    return {one.name: format_node_error(*found[one.path][:2]) for one in wrong}


def format_node_error(place: str, error: str) -> str:
    """`line 3: Unexpected token`, of `file:3` and `SyntaxError: Unexpected token`."""
    line = place.removeprefix("file:")
    return plain(f"{f'line {line}: ' if line.isdigit() else ''}{error.removeprefix('SyntaxError: ')}")


def text_of(path: str) -> str | None:
    """The text; None if the file does not exist, is too large to be written by hand, or cannot be read."""
    from tenterhook.support import files

    try:
        given = files.contents(path, LARGEST + 1)
    except OSError:
        return None
    return given.decode("utf-8", "surrogateescape") if len(given) <= LARGEST else None
