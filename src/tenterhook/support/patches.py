"""The files that a patch names, in the form of apply_patch or of a diff."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# The text before a file's name in a patch: in the form of apply_patch, and in a diff.
BEGIN = "***beginpatch"
HEADERS = ("***addfile", "***updatefile", "***deletefile", "***moveto")  # lower-case, without blanks
DIFF_HEADERS = ("+++ b/", "--- a/")
# Every character that some agent treats as a blank around a header and around a name.
BLANKS = (
    "\t\n\x0b\x0c\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


def in_patch(text: str) -> list[str]:
    """The files that a patch names, under every name by which an agent may read it.

    Agents parse patches loosely: some allow blanks around and within headers and around names, ignore case, end a line
    at a lone carriage return, or remove returns and tabs from a name.
    """
    found: list[str] = []
    for line in text.split("\n"):
        if line.startswith(DIFF_HEADERS):
            found.append(line[len(DIFF_HEADERS[0]) :].partition("\t")[0].strip())
        for part in dict.fromkeys((*line.split("\r"), line.replace("\r", "").replace("\t", ""))):
            head, _, name = part.partition(":")
            if squeeze(head) in HEADERS:
                found.append(name.strip(BLANKS))
    return [name for name in found if name]


class FileChange:
    """What a patch does to one file: all names by which an agent may read it, the lines that go and that come."""

    __slots__ = ("added", "adds", "names", "removed")

    def __init__(self, names: list[str], *, adds: bool) -> None:
        self.names, self.adds = names, adds
        self.removed: list[str] = []
        self.added: list[str] = []


def file_changes(text: str) -> Iterator[FileChange]:
    """The changes of a patch, file by file, in its order."""
    now: FileChange | None = None
    for line in text.split("\n"):
        names = in_patch(line)
        if names and now is not None and (is_move(line) or line.startswith("+++ ")):
            now.names += [name for name in names if name not in now.names]
        elif names:
            if now is not None:
                yield now
            now = FileChange(names, adds=squeeze(line.partition(":")[0]) == HEADERS[0])
        elif now is not None and line[:1] == "+":
            now.added.append(line[1:])
        elif now is not None and line[:1] == "-":
            now.removed.append(line[1:])
    if now is not None:
        yield now


def is_move(line: str) -> bool:
    return squeeze(line.partition(":")[0]) == HEADERS[-1]


def squeeze(text: str) -> str:
    return "".join(text.strip(BLANKS).split()).lower()
