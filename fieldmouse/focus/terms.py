"""All terms that a crawl has met, with a row of numbers for each, and pages read into terms.

Memory is bounded: when there are too many terms, at least half of them are forgotten, the rarest first.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from fieldmouse.page.links import STOP_WORDS

from . import terms_python
from .terms_python import (
    FOLLOWED,
    FOLLOWED_TOTAL,
    MATCH,
    NAMED,
    NAMED_TOTAL,
    OPINION,
    WIDTH,
    Lexicon,
    numbers,
)
from .wordnet import Background
from .words import PLUMBING, PageText, url_words

ENGINE: ModuleType = terms_python
with suppress(ImportError):  # without a compiler: the same results, slower
    ENGINE = import_module("fieldmouse.focus._terms")

HEAVIEST = 150  # terms of a page that its judge looks at
MOST_TERMS = 200_000
STEP = 4096  # terms by which the rows grow, at least
KEEP = 1e9  # pages; more than any term has


class Vector(NamedTuple):
    """The heaviest terms of a page, as a vector of length 1."""

    ids: bytes
    values: bytes


class Reading(NamedTuple):
    """A page as terms."""

    ids: bytes  # in order, then those of the descriptions of images
    size: int  # number of terms of the text itself
    spans: "array[int]"  # four numbers of each link, see `terms_python.Lexicon.read`
    once: bytes  # each term once
    often: bytes  # the count of each
    vector: Vector
    squares: float  # sum of the squares of all weights
    hits: float  # sum of their weights in the topic

    @property
    def distinct(self) -> int:
        """The number of different terms."""
        return len(self.once) // 4


class TermRecords:
    """How relevant the pages with each term were, in two columns: their number, and their total relevance."""

    prior = 2.0  # pages of the usual relevance, added to those of each term

    def __init__(self, terms: "Terms", met: int, totals: int) -> None:
        self.terms, self.met, self.totals = terms, met, totals
        self.pages, self.relevance = 0, 0.0

    @property
    def usual(self) -> float:
        """The mean relevance of a page."""
        return (self.relevance + 0.5) / (self.pages + 1)

    def add(self, ids: bytes, relevance: float) -> None:
        """Count one more page with its terms, each once."""
        self.pages += 1
        self.relevance += relevance
        self.terms.engine.raise_all(ids, self.terms.rows, self.met, 1.0)
        self.terms.engine.raise_all(ids, self.terms.rows, self.totals, relevance)

    def state(self) -> list[Any]:
        """The sums over all pages, for JSON; the columns are saved with the terms."""
        return [self.pages, self.relevance]

    def restore(self, state: Sequence[Any]) -> None:
        """Take back what `state` returned."""
        self.pages, self.relevance = state


class Terms:
    """Terms by number, with a row for each."""

    def __init__(self, background: Background, engine: ModuleType = ENGINE) -> None:
        self.engine = engine
        self._total = background.total
        self.lexicon: Lexicon = engine.Lexicon(sorted(STOP_WORDS), sorted(PLUMBING))
        self._documents = self.lexicon.learn(background.rows)  # documents that hold each of the first terms
        self.rows = array("d")  # the columns are listed in `terms_python`; there may be more rows than terms
        self.matches = array("d")  # for each term that matches a keyword: its place, factor and weight
        self._filled = 0  # terms with a row
        self._last: tuple[Iterable[str], bytes] = ((), b"")
        self.named = TermRecords(self, NAMED, NAMED_TOTAL)  # of pages that hold a term
        self.followed = TermRecords(self, FOLLOWED, FOLLOWED_TOTAL)  # of pages whose link holds it

    @property
    def common(self) -> int:
        """The number of terms of the background, which come first."""
        return len(self._documents) // 8

    def grow(self) -> None:
        """Make a row for each term that has none."""
        size, room = len(self.lexicon), len(self.rows) // WIDTH
        if size > self._filled:
            if size > room:
                self.rows.frombytes(bytes(8 * WIDTH * (size - room + room // 4 + STEP)))
            self.lexicon.tell(self.rows, self._filled, self._documents, self._total)
            self._filled = size

    def read(self, page: PageText) -> Reading:
        """A page as terms."""
        ids, size, spans = self.lexicon.read(page.said)
        self.grow()
        once, often = self.lexicon.count(ids, size)
        top, values, squares, hits = self.lexicon.weigh(once, often, self.rows, self.matches, HEAVIEST)
        return Reading(ids, size, numbers(spans), once, often, Vector(top, values), squares, hits)

    def ids(self, said: bytes) -> bytes:
        """The terms of a short text."""
        found = self.lexicon.ids(said)
        self.grow()
        return found

    def address(self, url: str) -> bytes:
        """The terms of an address."""
        found = self.lexicon.address(url)
        if found is None:
            found = self.lexicon.ids(" ".join(url_words(url)).replace("\u2019", "'").encode())
        self.grow()
        return found

    def numbers(self, terms: Iterable[str]) -> bytes:
        """The numbers of some terms; those of the last tuple are remembered."""
        if terms is self._last[0]:
            return self._last[1]
        found = array("i", map(self.lexicon.number, terms)).tobytes()
        self.grow()
        if isinstance(terms, tuple):
            self._last = (terms, found)
        return found

    def names(self, ids: bytes) -> list[str]:
        """Terms by their numbers, without negative ones."""
        term = self.lexicon.term
        return [term(one) for one in numbers(ids) if one >= 0]

    def counts(self, page: Reading) -> dict[str, int]:
        """The count of each term of a page."""
        return dict(zip(self.names(page.once), numbers(page.often), strict=True))

    def column(self, column: int) -> dict[str, float]:
        """The values of a column by term, without zeros."""
        term, size = self.lexicon.term, len(self.lexicon)
        return {term(one): value for one, value in enumerate(self.rows[column::WIDTH][:size]) if value}

    def fill(self, column: int, values: Mapping[str, float]) -> None:
        """Replace a column by what `column` returned."""
        found = numbers(self.numbers(values))
        self.engine.clear(self.rows, column)
        for one, value in zip(found, values.values(), strict=True):
            self.rows[WIDTH * one + column] = value

    def put(self, term: str, column: int, value: float) -> None:
        """Write into the row of a term."""
        one = self.lexicon.number(term)
        self.grow()
        self.rows[WIDTH * one + column] = value

    def forget(self) -> dict[int, int]:
        """Forget at least half of the terms; returns the new numbers of the others by the old ones.

        Terms of the background, of the topic and of links stay, then those on most pages.
        """
        rows = self.rows
        columns = zip(*(rows[column::WIDTH] for column in (NAMED, FOLLOWED, MATCH, OPINION)), strict=True)
        worth = [
            named + KEEP * bool(followed or match) + bool(opinion)
            for named, followed, match, opinion in columns
        ]
        order = sorted(range(self.common, len(self.lexicon)), key=worth.__getitem__)
        first = max(len(order) // 2, len(order) - MOST_TERMS // 2)
        kept = [*range(self.common), *sorted(order[first:])]
        names = list(map(self.lexicon.term, kept))
        self.lexicon = self.engine.Lexicon(sorted(STOP_WORDS), sorted(PLUMBING))
        for name in names:
            self.lexicon.number(name)
        self.rows = array("d")
        for old in kept:
            self.rows += rows[WIDTH * old : WIDTH * (old + 1)]
        self._filled, self._last = len(kept), ((), b"")
        return {old: new for new, old in enumerate(kept)}
