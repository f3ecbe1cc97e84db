"""A script that an interpreter is prepared for, and its code."""

from __future__ import annotations

import marshal

from tenterhook.support.fingerprint import is_stamp_reliable, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType

    from tenterhook.support.fingerprint import Stamp


class PreparedScript:
    """`before` is where its modules are looked for first, `own` are its own files as they were when they were read."""

    __slots__ = ("before", "code", "own", "script", "size", "text")

    def __init__(self, script: str, own: dict[str, Stamp], before: list[str], text: bytes, code: bytes) -> None:
        self.script, self.own, self.before = script, own, before
        self.code: CodeType | None = marshal.loads(code) if code else None
        self.size = len(code)
        # While the file may still change without a trace, its text is compared.
        self.text: bytes | None = text

    def is_same(self) -> bool:
        """Whether its files are unchanged since they were read."""
        if any(stamp(path) != known for path, known in self.own.items()):
            return False
        if self.text is not None:
            old = all(is_stamp_reliable(known) for known in self.own.values())
            with open(self.script, "rb") as file:
                if file.read() != self.text:
                    return False
            if old:
                self.text = None
        return True
