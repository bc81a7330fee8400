"""The objects of shared content that an archive knows, and those that are to be deleted."""

from collections.abc import Collection, Sequence
from typing import Protocol


class ContentObjects(Protocol):
    """Which objects count. An object that is given for deletion can never count again."""

    def discard(self, keys: Collection[str], now: float) -> list[str]:
        """Of these objects, give those for deletion to which no row points; returns them."""

    def due(self, now: float) -> list[str]:
        """The objects that are to be deleted now."""

    def deleted(self, keys: Sequence[str], now: float) -> None:
        """Note that objects were deleted; the note is kept for a month."""

    def sizes(self) -> dict[str, int]:
        """The committed sizes of all objects, by key."""
