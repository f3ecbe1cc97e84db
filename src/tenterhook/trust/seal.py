"""What an approval was bound to, looked at once more right before the hook runs."""

from __future__ import annotations

from msgspec import Struct


class Seal(Struct, frozen=True):
    """The files behind one approved hook, each with what `os.stat` said of it when it was read and hashed."""

    files: tuple[tuple[str, tuple[int, ...]], ...] = ()

    def broken(self) -> str:
        """What changed since; empty where nothing did."""
        import os

        for path, was in self.files:
            try:
                now = os.stat(path)
            except OSError as exc:
                return f"{path}: {exc.strerror}"
            if (now.st_ino, now.st_size, now.st_mtime_ns, now.st_ctime_ns) != was:
                return f"{path} was changed"
        return ""
