"""A word becomes fields: braces, the tilde and variables are filled in as far as they are known."""

from __future__ import annotations

from tenterhook.support.shell.records import BARE, BRACE, HIDDEN, UNKNOWN, VARIABLE, Variable, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Pieces = list[tuple[str, Any]]

# The values that a variable may have; a missing one is unknown.
Variables = dict[str, list[str]]
# A word that would become more fields, or is longer, is left unknown.
MOST, LONGEST, LARGEST = 256, 2000, 1 << 20


def fields(word: Word, variables: Variables) -> list[str]:
    """The fields of a word, with UNKNOWN for what only the shell knows.

    If a variable may have several values there is a field for each. File name patterns stay as they are.
    """
    pieces = word.pieces
    if len(pieces) == 1 and pieces[0][0] != VARIABLE:
        kind, text = pieces[0]
        if kind == BARE and text[:1] == "~":
            return [home(text, variables)]
        return [UNKNOWN if kind == HIDDEN else text]
    found: list[str] = []
    for one in alternatives(pieces):
        found += expand_variables(one, variables)
    return found if len(found) <= 16 * MOST else [UNKNOWN]


def expand_variables(pieces: Pieces, variables: Variables) -> list[str]:
    """Pieces without braces: their texts joined, split at blanks of unquoted variables."""
    made = [""]
    parted: list[str] = []
    run: list[str] = []  # texts not yet appended to the others: one by one would be quadratic
    solid, size = False, 0
    for place, (kind, text) in enumerate(pieces):
        if kind != VARIABLE:
            run.append(UNKNOWN if kind == HIDDEN else home(text, variables) if not place and kind == BARE else text)
            solid = True
            continue
        found = values(text, variables)
        if len(found) == 1 and (text.quoted or found[0].split() == found):
            run.append(found[0])
            solid, size = True, size + len(found[0])
            if size > LARGEST:
                return [UNKNOWN]
            continue
        made, run = [one + "".join(run) for one in made], []
        made, more = append_variable_values(made, found, text.quoted)
        parted += more
        solid = text.quoted or (solid and not more)
        if len(made) > MOST or len(parted) > MOST:
            return [UNKNOWN]
    return [*parted, *(one for one in (one + "".join(run) for one in made) if one or solid)]


def append_variable_values(made: list[str], found: list[str], quoted: bool) -> tuple[list[str], list[str]]:
    """The texts so far with a variable's values appended; and the fields that its blanks split off before."""
    behind: list[str] = []
    parted: list[str] = []
    for value in found:
        parts = value.split()
        if quoted or [value] == parts or not value:
            behind += [one + value for one in made]
            continue
        before = made
        if value[0].isspace():
            parted += [one for one in made if one]
            before = [""]
        if value[-1].isspace():
            parts.append("")
        if len(parts) == 1:
            behind += [one + parts[0] for one in before]
        else:
            parted += [one + parts[0] for one in before] + parts[1:-1]
            behind.append(parts[-1])
    return behind, parted


def values(variable: Variable, variables: Variables) -> list[str]:
    """Its possible values, or its default if it has none."""
    found = variables.get(variable.name, [UNKNOWN])
    if variable.change:
        from tenterhook.support.shell.changes import apply_parameter_expansion

        made = [apply_parameter_expansion(one, variable.change) for one in found]
        return [one if one is not None else UNKNOWN for one in made]
    if variable.operand is None:
        return found
    return [*found, *fields(variable.operand, variables)]


def home(text: str, variables: Variables) -> str:
    """A text at the start of a word, its tilde expanded."""
    if text[:1] != "~":
        return text
    name, slash, rest = text[1:].partition("/")
    if name in ("", "+"):
        return variables.get("HOME" if not name else "PWD", [UNKNOWN])[0] + slash + rest
    return UNKNOWN + slash + rest if name == "-" else ("/root" if name == "root" else f"/home/{name}") + slash + rest


def positional(words: list[str]) -> Variables:
    """Words as $1, $2 and all of them."""
    several: Variables = {"@": words, "*": words} if words else {}
    return several | {str(number): [word] for number, word in enumerate(words[:99], 1)}


# ---- braces


def alternatives(pieces: Pieces) -> list[Pieces]:
    """The words that a word with braces stands for."""
    if all(kind != BRACE for kind, _ in pieces):
        return [pieces]
    roles = match_expansion_braces(pieces)
    if not roles:
        return [pieces]
    if len(pieces) > LONGEST:
        return [[(HIDDEN, "")]]
    # For each open brace: what came before it, and the complete alternatives.
    stack: list[tuple[list[Pieces], list[Pieces]]] = []
    current: list[Pieces] = [[]]
    for place, piece in enumerate(pieces):
        role = roles.get(place)
        if role == "{":
            stack.append((current, []))
            current = [[]]
        elif role == ",":
            stack[-1][1].extend(current)
            current = [[]]
        elif role == "}":
            before, done = stack.pop()
            current = [[*one, *other] for one in before for other in (*done, *current)]
        else:
            for one in current:
                one.append(piece)
        if len(current) > MOST:
            return [[(HIDDEN, "")]]
    return current


def match_expansion_braces(pieces: Pieces) -> dict[int, str]:
    """The braces that close, with a comma of their own between; the others are literal."""
    open_braces: list[list[int]] = []
    roles: dict[int, str] = {}
    for place, (kind, text) in enumerate(pieces):
        if kind != BRACE:
            continue
        if text == "{":
            open_braces.append([place])
        elif text == "," and open_braces:
            open_braces[-1].append(place)
        elif text == "}" and open_braces:
            first, *commas = open_braces.pop()
            if commas:
                roles |= {first: "{", place: "}", **dict.fromkeys(commas, ",")}
    return roles
