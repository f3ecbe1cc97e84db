"""What one kind of hook process may do, as plain data that a helper process can be sent.

The standard library alone, and little of it: the helper starts in 20 ms because it imports next to nothing.
"""

from __future__ import annotations

Paths = tuple[str, ...]
Packed = tuple[str, Paths, Paths, Paths, Paths, tuple[int, ...]]


class Profile:
    """Real paths, each with everything below it. What stands in none of them can be read and not be written."""

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
        # May be written; but for what is closed, there or not yet there.
        self.write, self.closed = write, closed
        # May not be read; but for what is shown.
        self.hidden, self.shown = hidden, shown
        # Which files it was that were closed and hidden: what replaces one is neither, until it is confined anew.
        self.seen = seen
        # Asked for with every hook, and made of hundreds of paths.
        self.hash = hash(self.pack())

    def pack(self) -> Packed:
        """What `Profile(*packed)` makes again."""
        return self.network, self.write, self.closed, self.hidden, self.shown, self.seen

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Profile) and self.pack() == other.pack()

    def __hash__(self) -> int:
        return self.hash
