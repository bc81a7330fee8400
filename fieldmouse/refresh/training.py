"""Train the static classifier on a history: pages not played, or the time before the play."""

from dataclasses import dataclass, field

from .arrays import Floats, np
from .groups import Grouping
from .history import History

Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Training:
    """What training gave: the groups, and what it believes of each page."""

    centres: tuple[float, ...]
    opinions: dict[Key, tuple[float, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def beliefs(self, pages: tuple[Key, ...]) -> Floats:
        """For each page how far it is believed to be in each group; evenly if nothing is known."""
        count = len(self.centres) or 4
        even = (1.0 / count,) * count
        return np.array([self.opinions.get(page, even) for page in pages]).reshape(len(pages), count)


def trained(history: History, played: set[int], start: float, static: bool, seed: int) -> Training:
    return Training((), {}, ())
