"""Our own judge at all links of a page at once, where it was built with a compiler.

What `Corrected.sight`, `Corrected.evidence` and `OnlineLogistic.judge` do one after the other for one link,
`_terms.c` does for a page, without an object for each number on the way. A test holds the two equal.
"""

import math
import sys
from array import array
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .default_evidence import Corrected, words_of
from .evidence import Attributes, Evidence, Parent
from .evidence import More as Further
from .lexicon import Seen
from .online_logistic import LEAST_TOLD, PRIOR, SPOKEN, TOLD, OnlineLogistic
from .term_table import WORDS, engine, raise_all
from .track_records import TermRecords

More = tuple["array[float]", "array[float]", "array[float]"]

NONE = array("d", bytes(8 * len(PRIOR)))  # the weights of a learner that has none
NOBODY = Parent()


class LinkEstimate(NamedTuple):
    """What was thought of a link whose page has come."""

    score: float
    evidence: bytes
    words: bytes  # the numbers of its terms
    reasons: tuple[str, ...]


class Bench:
    """The quick way for one guide."""

    def __init__(
        self, seer: Corrected, learner: OnlineLogistic | None, named: TermRecords, followed: TermRecords
    ) -> None:
        self.seer, self.learner, self.named, self.followed = seer, learner, named, followed
        self.terms = seer.terms
        self.reads = hasattr(self.terms.lexicon, "sight")  # whether there is a quick way to the evidence
        self.ready = self.reads and learner is not None  # and one to the judgement
        self._numbers = array("d", [seer.norm, 0, named.prior, 0, followed.prior, 0, 0, 0, 0])

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
            known, host, section, self.terms.rows, self._more(NOBODY)
        )
        return score

    def evidence(self, known: bytes, host: float, section: float) -> Evidence:
        """All that is known of it, for the learner."""
        told = self.terms.lexicon.evidence(  # type: ignore[attr-defined]
            known, host, section, self.terms.rows, self._more(NOBODY)
        )
        return Evidence(Attributes(*told[:4]), Further(*told[4:]), words_of(known))

    def promise(self, known: bytes, host: float, section: float) -> LinkEstimate:
        """What is thought of it and why, as `OnlineLogistic.explain` says it."""
        score, evidence, words, told = self.terms.lexicon.promise(  # type: ignore[attr-defined]
            known, host, section, self.terms.rows, self._more(NOBODY), TOLD
        )
        self.terms.grow()
        reasons = [
            f"{self._spoken(place, words)} {odds:+.2f}" for place, odds in told if abs(odds) >= LEAST_TOLD
        ]
        return LinkEstimate(score, evidence, words, tuple(reasons))

    def _spoken(self, place: int, words: bytes) -> str:
        if place < len(SPOKEN):
            return SPOKEN[place]
        at = 4 * (place - len(SPOKEN))
        return f"word {self.terms.lexicon.term(int.from_bytes(words[at : at + 4], sys.byteorder))}"

    def learn(self, link: LinkEstimate, relevant: float) -> None:
        """Tell the judge how the page turned out, as `OnlineLogistic.learn`."""
        assert self.learner is not None
        assert engine is not None
        error = self.learner.missed_by(link.score, relevant)
        engine.step(self.learner.weights, link.evidence, self.learner.step * error)
        if link.words:
            gain = self.learner.word_step * error / math.sqrt(len(link.words) // 4)
            raise_all(link.words, self.terms.rows, WORDS, gain)

    def _more(self, parent: Parent) -> More:
        """What `_terms.c` has to know beside the rows, in its order."""
        at, learner = self._numbers, self.learner
        at[1], at[3] = self.named.usual, self.followed.usual
        _, at[5], at[7], _, at[6] = parent
        if learner is None:
            return at, NONE, self.terms.matches
        at[8] = learner.bias
        return at, learner.weights, self.terms.matches
