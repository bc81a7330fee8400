"""What the archive asks of whoever judges changes and plans visits; it has no opinion of its own."""

from collections.abc import Iterable
from typing import Protocol

from fieldmouse.types import Copy, Occasion, Planned, Verdict


class Mind(Protocol):
    """Judges and plans. Called in the archive's own thread, between the files and the transaction."""

    def changed(self, host: str, noise: str, before: Copy, after: Copy) -> Verdict:
        """Whether a page's text changed (a score above zero), given what is known of its host's noise."""

    def plan(self, occasion: Occasion) -> Planned:
        """When to visit a page next."""

    def noises(self) -> Iterable[tuple[str, str]]:
        """What was learned about the noise of hosts since the last call: host and data."""
