"""What one kind of hook process may do, as plain data that can be sent to a helper process.

It uses little of the standard library: the helper starts in 20 ms because it imports almost nothing.
"""

from __future__ import annotations

Paths = tuple[str, ...]
Packed = tuple[str, Paths, Paths, Paths, Paths, tuple[int, ...]]


class Profile:
    """Real paths, each with everything below it. A path outside of them can be read and not written."""

    __slots__ = ("closed", "hash", "hidden", "network", "seen", "shown", "write")

    def __init__(
        self,
        network: str,
        write: tuple[str, ...] = (),
        closed: tuple[str, ...] = (),
        hidden: tuple[str, ...] = (),
        shown: tuple[str, ...] = (),
        seen: tuple[int, ...] = (),
    ) -> None:
        # none, loopback or full
        self.network = network
        # May be written, except what is closed, whether it exists or not.
        self.write, self.closed = write, closed
        # May not be read, except what is shown.
        self.hidden, self.shown = hidden, shown
        # The identities of the closed and hidden files: a replaced file is unprotected until the sandbox is set up
        # again.
        self.seen = seen
        # Cached: needed with every hook, and computed from hundreds of paths.
        self.hash = hash(self.pack())

    def pack(self) -> Packed:
        """The inverse of `Profile(*packed)`."""
        return self.network, self.write, self.closed, self.hidden, self.shown, self.seen

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and self.pack() == other.pack()

    def __hash__(self) -> int:
        return self.hash
