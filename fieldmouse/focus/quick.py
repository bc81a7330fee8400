"""Our own judge at all links of a page at once, where it was built with a compiler.

What `Corrected.sight`, `Corrected.evidence` and `OnlineLogistic.judge` do one after the other for one link,
`_terms.c` does for a page, without an object for each number on the way. A test holds the two equal.
"""

from array import array
from collections.abc import Callable, Sequence

from .corrected import Corrected, words_of
from .evidence import Attributes, Evidence, Parent
from .evidence import More as Further
from .lexicon import Seen
from .online import PRIOR, OnlineLogistic
from .records import TermRecords

More = tuple["array[float]", "array[float]", "array[float]"]

NONE = array("d", bytes(8 * len(PRIOR)))  # the weights of a learner that has none


class Bench:
    """The quick way for one guide."""

    def __init__(
        self, seer: Corrected, learner: OnlineLogistic | None, named: TermRecords, followed: TermRecords
    ) -> None:
        self.seer, self.learner, self.named, self.followed = seer, learner, named, followed
        self.terms = seer.terms

    @property
    def reads(self) -> bool:
        """Whether there is a quick way to the evidence."""
        return hasattr(self.terms.lexicon, "sight")

    @property
    def ready(self) -> bool:
        """Whether there is a quick way to the judgement too."""
        return self.reads and self.learner is not None

    def sight(
        self,
        pending: dict[str, bytes],
        places: Sequence[tuple[str, int, int, int, int]],
        page: tuple[bytes, int],
        parent: Parent,
        past: Callable[[str], tuple[float, float]],
    ) -> list[Seen]:
        """One more sighting of each link; their scores and levels."""
        address = self.terms.address
        links = [(*one, *past(one[0]), b"" if one[0] in pending else address(one[0])) for one in places]
        told: list[Seen] = self.terms.lexicon.sight(  # type: ignore[attr-defined]
            pending, links, *page, self.terms.rows, self._more(parent)
        )
        return told

    def score(self, known: bytes, host: float, section: float) -> float:
        """What a link that waits is worth now."""
        score: float = self.terms.lexicon.score(  # type: ignore[attr-defined]
            known, host, section, self.terms.rows, self._more(Parent())
        )
        return score

    def evidence(self, known: bytes, host: float, section: float) -> Evidence:
        """All that is known of it, for the learner."""
        told = self.terms.lexicon.evidence(  # type: ignore[attr-defined]
            known, host, section, self.terms.rows, self._more(Parent())
        )
        return Evidence(Attributes(*told[:4]), Further(*told[4:]), words_of(known))

    def _more(self, parent: Parent) -> More:
        named, followed = self.named, self.followed
        numbers = (
            *(self.seer.norm, named.usual, named.prior, followed.usual, followed.prior),
            *(parent.relevance, parent.cosine, parent.level, self.learner.bias if self.learner else 0.0),
        )
        return array("d", numbers), self.learner.weights if self.learner else NONE, self.terms.matches
