"""Makefiles: lines of a recipe that start with blanks where make needs a tab, and lines that make cannot read."""

from __future__ import annotations

import re

from tenterhook.library.project.syntax.place import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DIRECTIVE = re.compile(
    r"\s*(?:-?include|sinclude|ifn?eq|ifn?def|else|endif|export|unexport|override|private|vpath|undefine|-?load)(?![\w-])"
)
ASSIGNMENT = re.compile(r"\s*[^\s:#=?+!]+\s*(?::{1,3}|[?+!])?=")
RULE = re.compile(r"\s+[\w./%$(){}-]+(?:[ \t]+[\w./%$(){}-]+)*[ \t]*::?(?:\s|$)")


def problems(path: str, text: str) -> list[str]:
    if ".RECIPEPREFIX" in text:
        return []  # then another character than the tab starts a recipe
    found, below_rule = [], False
    for number, line in readable(text):
        if DIRECTIVE.match(line) or ASSIGNMENT.match(line):
            below_rule = False
        elif below_rule and line[0] == " " and not RULE.match(line):
            found.append(at(number, 1, "blanks where make needs a tab: this is no line of the recipe"))
        elif ":" in line:
            below_rule = True
        elif "$" not in line and "=" not in line:  # what a variable stands for may be a rule
            found.append(at(number, 1, f"neither a rule nor an assignment, `missing separator`: {line.strip()[:40]!r}"))
            below_rule = False
    return found


def readable(text: str) -> Iterator[tuple[int, str]]:
    """The lines that make itself reads: no recipes, comments, or texts between `define` and `endef`."""
    defining = 0
    for number, line in join_continued_lines(text):
        word = "" if line.startswith("\t") else (line.split() or [""])[0]
        if word in ("define", "endef"):
            defining += 1 if word == "define" else -1
        elif word and not word.startswith("#") and defining <= 0:
            yield number, line


def join_continued_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with those that a backslash continues, under the number of the first."""
    held, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        first = first or number
        if line.endswith("\\"):
            held += line[:-1] + " "
            continue
        yield first, held + line
        held, first = "", 0
    if held:
        yield first, held
