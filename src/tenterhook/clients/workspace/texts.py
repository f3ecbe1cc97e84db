"""Texts of files: their encoding and line ends, so that an edit keeps both; and visible cuts."""

from __future__ import annotations

import codecs

from msgspec import Struct

from tenterhook.clients.workspace.workspace import WorkspaceError

# How many bytes are checked to tell text from other data.
SAMPLE = 8192
# The longer mark first: that of UTF-16 begins like that of UTF-32.
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class TextEncoding(Struct, frozen=True):
    """How a file encodes its text: a byte order mark, if any, and the encoding."""

    mark: bytes = b""
    encoding: str = "utf-8"

    def decode_bytes(self, data: bytes) -> str:
        """Bytes that are invalid in this encoding are kept, so that encode_text() gives them back."""
        return data[len(self.mark) :].decode(self.encoding, self.errors)

    def encode_text(self, text: str) -> bytes:
        return self.mark + text.encode(self.encoding, self.errors)

    @property
    def errors(self) -> str:
        return "surrogateescape" if self.encoding == "utf-8" else "strict"


def coding(head: bytes) -> TextEncoding | None:
    """The encoding of a file that begins like this; None if it is not text."""
    for mark, encoding in MARKS:
        if head.startswith(mark):
            return TextEncoding(mark, encoding)
    return None if b"\0" in head[:SAMPLE] else TextEncoding()


def must_be_text(head: bytes, shown: str) -> TextEncoding:
    found = coding(head)
    if found is None:
        raise WorkspaceError(f"{shown} is a binary file, not a text")
    return found


def cut_end(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]} [... {len(text) - most:,} more characters]"
