"""The files that a patch names, in the form of apply_patch or of a diff."""

from __future__ import annotations

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


def squeeze(text: str) -> str:
    return "".join(text.strip(BLANKS).split()).lower()
