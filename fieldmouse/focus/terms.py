"""All terms a crawl has met, with what is known of each in a row, and pages read into them.

Memory is bounded: when there are too many terms, half of them are forgotten, those met least.
"""

from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from fieldmouse.page.links import STOP_WORDS

from .lexicon import lexicon
from .term_table import WIDTH, clear, numbers
from .wordnet import Background
from .words import PLUMBING, PageText, url_words

HEAVIEST = 150  # terms of a page that its judge looks at
MOST_TERMS = 200_000
STEP = 4096  # terms by which the rows grow, at least


class Vector(NamedTuple):
    """The heaviest terms of a page, its length taken out."""

    ids: bytes
    values: bytes


class Reading(NamedTuple):
    """A page as terms."""

    ids: bytes  # in their order, and then those that pictures are called
    size: int  # so many are the page's
    spans: "array[int]"  # four of each link, see `lexicon.Words.read`
    once: bytes  # each term once
    often: bytes  # how often each stands there
    vector: Vector
    squares: float  # of the weights of all terms
    hits: float  # what they weigh in the topic

    @property
    def distinct(self) -> int:
        """How many different terms there are."""
        return len(self.once) // 4


class Terms:
    """Terms by number; see above."""

    def __init__(self, background: Background) -> None:
        self._total = background.total
        self.lexicon = lexicon(sorted(STOP_WORDS), sorted(PLUMBING))
        self._documents = self.lexicon.learn(background.rows)  # in how many each of the first terms stands
        self.rows = array("d")  # see `columns`; they reach as far as the terms, and often further
        self.matches = array("d")  # terms that stand for a keyword: its place, how good it is, its weight
        self._told = 0  # so many terms have a row
        self._asked: tuple[Iterable[str], bytes] = ((), b"")

    @property
    def common(self) -> int:
        """So many terms are of the background, and come first."""
        return len(self._documents) // 8

    def grow(self) -> None:
        """Let the rows reach as far as the terms."""
        size, room = len(self.lexicon), len(self.rows) // WIDTH
        if size > self._told:
            if size > room:
                self.rows.frombytes(bytes(8 * WIDTH * (size - room + room // 4 + STEP)))
            self.lexicon.tell(self.rows, self._told, self._documents, self._total)
            self._told = size

    def read(self, page: PageText) -> Reading:
        """Read a page."""
        ids, size, spans = self.lexicon.read(page.said)
        self.grow()
        once, often = self.lexicon.count(ids, size)
        top, values, squares, hits = self.lexicon.weigh(once, often, self.rows, self.matches, HEAVIEST)
        return Reading(ids, size, numbers(spans), once, often, Vector(top, values), squares, hits)

    def ids(self, said: bytes) -> bytes:
        """The terms of a small text."""
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

    def number(self, term: str) -> int:
        """The number of a term."""
        found = self.lexicon.number(term)
        self.grow()
        return found

    def numbers(self, terms: Iterable[str]) -> bytes:
        """The numbers of some terms; a learner asks for those of one link again and again."""
        if terms is self._asked[0]:
            return self._asked[1]
        found = array("i", map(self.lexicon.number, terms)).tobytes()
        self.grow()
        if isinstance(terms, tuple):
            self._asked = (terms, found)
        return found

    def names(self, ids: bytes) -> list[str]:
        """Terms by their numbers; what is no term is left out."""
        term = self.lexicon.term
        return [term(one) for one in numbers(ids) if one >= 0]

    def counts(self, page: Reading) -> dict[str, int]:
        """How often each term stands on a page."""
        return dict(zip(self.names(page.once), numbers(page.often), strict=True))

    def said(self, column: int) -> dict[str, float]:
        """What a column says of the terms that it says something of."""
        term, size = self.lexicon.term, len(self.lexicon)
        return {term(one): value for one, value in enumerate(self.rows[column::WIDTH][:size]) if value}

    def fill(self, column: int, said: Mapping[str, float]) -> None:
        """The same back."""
        found = numbers(self.numbers(said))
        clear(self.rows, column)
        for one, value in zip(found, said.values(), strict=True):
            self.rows[WIDTH * one + column] = value

    def put(self, term: str, column: int, value: float) -> None:
        """Write into a term's row."""
        one = self.number(term)
        self.rows[WIDTH * one + column] = value

    def forget(self, kept: Sequence[int]) -> dict[int, int]:
        """Keep some terms, and those of the background before them; where each of them stands now."""
        kept = [*range(self.common), *kept]
        names = list(map(self.lexicon.term, kept))
        self.lexicon = lexicon(sorted(STOP_WORDS), sorted(PLUMBING))
        for name in names:
            self.lexicon.number(name)
        rows = self.rows[:]
        for new, old in enumerate(kept):
            rows[WIDTH * new : WIDTH * (new + 1)] = self.rows[WIDTH * old : WIDTH * (old + 1)]
        self.rows = rows[: WIDTH * len(kept)]
        self._told, self._asked = len(kept), ((), b"")
        return {old: new for new, old in enumerate(kept)}
