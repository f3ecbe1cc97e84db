"""A Dockerfile as its instructions: continued lines joined, comments left out, here-documents passed over."""

from __future__ import annotations

import re

from tenterhook.library.project.syntax.place import at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

DIRECTIVE = re.compile(r"#\s*(syntax|escape|check)\s*=\s*(.*?)\s*$", re.IGNORECASE)
HERE = re.compile(r"(?<!<)<<(?!<)-?\s*(['\"]?)([A-Za-z_]\w*)\1")
# Only these read here-documents.
READING = ("RUN", "COPY", "ADD")


class Instruction:
    """One instruction: its name in capitals, the rest of its text, and the line where it starts."""

    __slots__ = ("line", "name", "rest")

    def __init__(self, line: int, name: str, rest: str) -> None:
        self.line, self.name, self.rest = line, name, rest

    def problem(self, what: str) -> str:
        return at(self.line, 1, what)

    def arguments(self) -> list[str]:
        """The words after the flags."""
        words = self.rest.split()
        while words and words[0].startswith("--"):
            words.pop(0)
        return words

    def flags(self) -> dict[str, str]:
        found = {}
        for word in self.rest.split():
            if not word.startswith("--"):
                break
            name, _, value = word[2:].partition("=")
            found[name] = value
        return found


class Dockerfile:
    """The instructions of a text, and what is wrong with its lines."""

    __slots__ = ("escape", "instructions", "lines", "problems")

    def __init__(self, text: str) -> None:
        self.lines = text.splitlines()
        self.problems: list[str] = []
        self.escape = self.directives()
        self.instructions = list(self.read())

    def directives(self) -> str:
        """The lines at the top that are for the parser: they say which character continues a line."""
        for number, line in enumerate(self.lines, 1):
            found = DIRECTIVE.match(line)
            if not found:
                break
            if found[1].lower() == "escape" and found[2] not in ("\\", "`"):
                self.problems.append(at(number, 1, f"`escape` can be \\ or `, not {found[2]!r}"))
            elif found[1].lower() == "escape":
                return found[2]
        return "\\"

    def read(self) -> Iterator[Instruction]:
        at_line = 0
        while at_line < len(self.lines):
            line = self.lines[at_line].strip()
            if not line or line.startswith("#"):
                at_line += 1
                continue
            start = at_line
            text, at_line = self.joined(start)
            name, _, rest = text.strip().partition(" ")
            found = Instruction(start + 1, name.upper(), rest.strip())
            at_line = self.past_documents(found, at_line)
            yield found

    def joined(self, start: int) -> tuple[str, int]:
        """The text from a line on, with the lines that continue it, and the number of the line behind it."""
        parts: list[str] = []
        for index in range(start, len(self.lines)):
            line = self.lines[index].rstrip()
            if index > start and (not line.strip() or line.lstrip().startswith("#")):
                continue  # a comment between continued lines does not end them
            if not line.endswith(self.escape):
                return " ".join([*parts, line.replace("\t", " ")]), index + 1
            parts.append(line[:-1].replace("\t", " "))
        return " ".join(parts), len(self.lines)

    def past_documents(self, found: Instruction, index: int) -> int:
        reading = found.name in READING or (found.name == "ONBUILD" and found.rest.upper().startswith(READING))
        for _, word in HERE.findall(strip_quoted_text(found.rest)) if reading else ():
            end = next((at for at in range(index, len(self.lines)) if self.lines[at].lstrip("\t") == word), None)
            if end is None:
                self.problems.append(found.problem(f"the here-document <<{word} has no line {word} that ends it"))
                return len(self.lines)
            index = end + 1
        return index


def strip_quoted_text(text: str) -> str:
    """Without what stands in quotes or in $((...)), where << is no here-document; the quotes of <<'EOF' stay."""
    text = re.sub(r"\$\(\(.*?\)\)", "", text)
    return re.sub(r"(?<!<)(?<!-)(['\"])(?:(?!\1).)*\1", "", text)
