"""Words to numbered terms, and sums over the rows of terms: the reference implementation of `_terms.c`.

`_terms.c` has the same functions and the same `Lexicon`, and is about thirty times as fast. `terms` chooses
the C module if it was built; tests hold the two equal.

Each term has a row of numbers. Numbers of terms are passed as bytes of 32-bit integers, and their values as
bytes of doubles. A term without a row counts as 0.
"""

import math
import struct
from array import array
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeAlias

from fieldmouse.page.word_positions import BEGINS, CALLED, ENDS

from .wordnet import DAMPED, MOST
from .words import LONGEST, REMEMBERED, Stems

# The columns of a row: how telling a term is; its place among the topic's matches, counted from 1; the weight
# in the page judge; on how many pages it was met and how relevant they were; the weight in the link judge;
# how many links with it were followed and how relevant their pages were.
IDF, MATCH, OPINION, NAMED, NAMED_TOTAL, WORDS, FOLLOWED, FOLLOWED_TOTAL, WIDTH = range(9)

# The numbers that the functions for links take: the topic's norm, for both records of terms the usual rate
# and the prior, what is known of the parent, and the bias of the link judge.
NORM, NAMED_USUAL, NAMED_PRIOR, FOLLOWED_USUAL, FOLLOWED_PRIOR, RELEVANCE, COSINE, LEVEL, BIAS = range(9)

SMALL = 0.01  # an error that needs no step
ANCHOR_TERMS = 50  # of one link
AROUND = 20  # terms on each side of a link
FULL = 400_000  # terms; beyond, new words have none, so that no page can fill the memory
LONGEST_TEXT = 1500  # bytes of the terms remembered of one link
NAMES_FROM = 1 << 19  # see `blocks`; terms from this number on are left out of it

# The packed bytes of a link: mentions and level; what address, anchors and surroundings say, three each;
# mean and best of the parents' relevance and of their cosine; then the terms of the address and the first
# anchor.
HEAD = struct.Struct("<BB")
BODY = struct.Struct("<13f")
TEXT = HEAD.size + BODY.size
MOST_MENTIONS = 255
OFTEN = tuple(min(math.log(max(n, 1)), 3.0) / 3 for n in range(MOST_MENTIONS + 1))  # full after 20 mentions

Rows: TypeAlias = "array[float]"
LinkInputs = tuple[Rows, Rows, Rows]  # the numbers above, the weights of the link judge, the topic's matches

# A vector, whether it is relevant, and two factors of its steps.
FitExample = tuple[bytes, bytes, float, float, float]

# A link on a page: its address; where it begins and ends in the terms of the page, and where its own terms
# do; how pages of its host and of its folder turned out; the terms of its address, if it was never seen
# before.
LinkRow = tuple[str, int, int, int, int, float, float, bytes]
SeenLink = tuple[str, float, int]  # address, score, level
# The cosine with the topic, the coverage of the topic, and the page judge's opinion.
TermEvidence = tuple[float, float, float]

# What `siblings` knows of pending links: the numbers of the pages that they stand on; of each such page the
# total relevance and the number of its links that were fetched; the usual relevance, and links of it that are
# added to those of each page.
SiblingEvidence = tuple[dict[str, tuple[int, ...]], dict[int, tuple[float, int]], float, float]
Past = tuple[float, float]  # relevance of the pages of a host and of a folder so far, each from -1 to 1


def sigmoid(z: float) -> float:
    """From log-odds to a probability."""
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


def numbers(ids: bytes) -> "array[int]":
    """Numbers of terms as an array."""
    found = array("i")
    found.frombytes(ids)
    return found


def doubles(values: bytes) -> "array[float]":
    """Values of terms as an array."""
    found = array("d")
    found.frombytes(values)
    return found


def dot(ids: bytes, values: bytes, rows: "array[float]", column: int, start: float, /) -> float:
    """The sum over terms of column times value."""
    total, most = start, len(rows)
    for one, value in zip(numbers(ids), doubles(values), strict=True):
        if 0 <= (place := WIDTH * one + column) < most:
            total += rows[place] * value
    return total


def raise_all(ids: bytes, rows: "array[float]", column: int, gain: float, /) -> None:
    """Add a number to a column of each term."""
    most = len(rows)
    for one in numbers(ids):
        if 0 <= (place := WIDTH * one + column) < most:
            rows[place] += gain


def clear(rows: "array[float]", column: int, /) -> None:
    """Set a column to 0."""
    rows[column::WIDTH] = array("d", bytes(len(rows) // WIDTH * 8))


def fit(  # noqa: PLR0917  as in C
    examples: list[FitExample], rounds: int, size: float, rows: "array[float]", column: int, bias: float, /
) -> float:
    """Fit a column by logistic regression, with smaller steps in each round; returns the new bias."""
    most = len(rows)
    for turn in range(rounds):
        for ids, values, relevant, weight, share in examples:
            error = relevant - sigmoid(dot(ids, values, rows, column, bias))
            if abs(error) < SMALL:
                continue
            gain = size / (1 + 0.1 * turn) * weight * error * share
            for one, value in zip(numbers(ids), doubles(values), strict=True):
                if 0 <= (place := WIDTH * one + column) < most:
                    rows[place] += value * gain
            bias += 0.1 * gain
    return bias


def blocks(  # noqa: PLR0917  as in C
    ids: bytes,
    values: bytes,
    names: tuple[bytes, bytes, bytes],
    rows: Rows,
    usual: bytes,
    named: bytes,
    weights: Sequence[float],
    /,
) -> tuple[bytes, bytes]:
    """A page as one vector of blocks: text, title, address and anchors, each of a length by its weight.

    The place of a term is its number in the text, and a number from NAMES_FROM on in the others. `usual` has
    a limit of the idf of each term in the text, `named` its three idfs in the others, both as floats; the
    last are for all other terms.
    """
    limits, idfs = array("f", usual), array("f", named)
    places, found = array("q"), array("d")
    for block, part in enumerate((ids, *names)):
        squares, start = 0.0, len(found)
        for number, one in enumerate(numbers(part)):
            if not 0 <= one < NAMES_FROM:
                continue
            if block:
                x = idfs[3 * min(one, len(idfs) // 3 - 1) + block - 1]
            else:
                share = limits[min(one, len(limits) - 1)] / max(_at(rows, one, IDF), 1e-9)
                x = doubles(values)[number] * min(share, 1.0)
            squares += x * x
            places.append(NAMES_FROM + 3 * one + block - 1 if block else one)
            found.append(x)
        if length := math.sqrt(squares / weights[block]):
            found[start:] = array("d", [x / length for x in found[start:]])
    return places.tobytes(), found.tobytes()


def spoken(text: bytes, words: tuple[bytes, ...], /) -> list[int]:
    """How many words a text has, then how often each of some words is among them."""
    found = text.split()
    return [len(found), *map(found.count, words)]


def section_of(url: str) -> str:
    """The host of an address with the first folder; `url` itself if it has no path."""
    first = url.find("/", 8 if url.startswith("http") else url.find("//") + 2)
    if first < 0:
        return url
    second = url.find("/", first + 1)
    return url[:second] if second > 0 else url[: first + 1]


def sibling_odds(siblings: SiblingEvidence, url: str) -> float:
    """The log-odds of the best parent's links beyond the usual; 0 if none of them was fetched."""
    parents, records, usual, prior = siblings
    met = [records[page] for page in parents.get(url, ()) if page in records]
    if not met:
        return 0.0
    best = max([(total + prior * usual) / (n + prior) for total, n in met])
    return math.log(best * (1 - usual) / ((1 - best) * usual))


def record(rows: Rows, met: int, totals: int, ids: Iterable[int], usual: float, prior: float) -> float:  # noqa: PLR0917
    """From -1 to 1: whether pages with these terms are on the topic more often than the usual page."""
    total, known = 0.0, 0
    for one in ids:
        if (n := _at(rows, one, met)) > 0 and (odds := log_odds(n, _at(rows, one, totals), usual, prior)):
            total += odds
            known += 1
    return math.tanh(total / known / 2) if known else 0.0


def log_odds(n: float, total: float, usual: float, prior: float) -> float:
    """The log-odds of n pages with this total relevance, beyond the usual rate."""
    share = (total + prior * usual) / (n + prior)
    return math.log(share * (1 - usual) / (usual * (1 - share)))


def odds_parts(rows: Rows, weights: Sequence[float], x: Sequence[float], ids: Sequence[int]) -> list[float]:
    """What each kind of evidence, and then each term, adds to the log-odds of a link."""
    length = math.sqrt(len(ids))
    return [w * v for w, v in zip(weights, x, strict=True)] + [_at(rows, one, WORDS) / length for one in ids]


def odds(rows: Rows, weights: Sequence[float], x: Sequence[float], ids: Sequence[int], bias: float) -> float:
    """The log-odds of a link by its evidence and its terms."""
    total = bias
    for weight, value in zip(weights, x, strict=True):
        total += weight * value
    if ids:
        said = 0.0
        for one in ids:
            said += _at(rows, one, WORDS)
        total += said / math.sqrt(len(ids))
    return total


class _Numbers(dict[bytes, int]):
    """Words to numbers of terms; -1 for those that have none."""

    def __init__(self, lexicon: "Lexicon") -> None:
        super().__init__()
        self.lexicon, self.stems = lexicon, Stems()

    def __missing__(self, word: bytes) -> int:
        term = self.stems[word.decode()]
        number = self.lexicon.met(term) if term else -1
        if len(word) <= 4 * LONGEST:  # bytes; one that is longer may be a page's whole text
            if len(self) >= REMEMBERED:
                self.clear()
            self[word] = number
        return number


class Lexicon:
    """Terms by number; each word is worked out once."""

    def __init__(self, stops: list[str], plumbing: list[str]) -> None:  # noqa: ARG002  as in C
        self.terms: list[str] = []
        self._places: dict[str, int] = {}
        self._words = _Numbers(self)

    def __len__(self) -> int:
        return len(self.terms)

    def ids(self, text: bytes, /) -> bytes:
        """The terms of words with spaces between them; stop words have none."""
        found = map(self._words.__getitem__, text.split())
        return array("i", [one for one in found if one >= 0]).tobytes()

    def read(self, text: bytes, /) -> tuple[bytes, int, bytes]:
        """Read a text with marks as `page.word_positions` gives it.

        The terms of the page and then those that pictures are called, how many are the page's, and four
        numbers for each link: where it begins and ends in the page, and where its own terms do.
        """
        page, called, spans = array("i"), array("i"), array("i")
        known, target = self._words, page
        first = alt = 0
        for word in text.split():
            if word == BEGINS:
                first, alt = len(page), len(called)
            elif word == CALLED:
                target = called
            elif word == ENDS:
                last = len(page)
                own = (first, min(last, first + ANCHOR_TERMS))
                spans.extend((first, last, *(own if target is page else (-1 - alt, -1 - len(called)))))
                target = page
            elif (number := known[word]) >= 0:
                target.append(number)
        size = len(page)
        shifted = array("i", [one if one >= 0 else size - 1 - one for one in spans])
        return (page + called).tobytes(), size, shifted.tobytes()

    def address(self, url: str, /) -> bytes | None:  # noqa: ARG002
        """The terms of an address; None if `words.url_words` has to split it."""
        return None

    def count(self, ids: bytes, most: int = -1, /) -> tuple[bytes, bytes]:
        """The first so many terms, each once in the order met, and how often each is there."""
        found: dict[int, int] = {}
        for one in numbers(ids if most < 0 else ids[: 4 * most]):
            if 0 <= one < len(self.terms):
                found[one] = found.get(one, 0) + 1
        return array("i", found).tobytes(), array("i", found.values()).tobytes()

    def weigh(
        self, ids: bytes, often: bytes, rows: Rows, matches: Rows, most: int, /
    ) -> tuple[bytes, bytes, float, float]:
        """The heaviest terms as a vector of length 1, the squares of all weights, and what they hit."""
        all_, counted = numbers(ids), numbers(often)
        damped = [DAMPED[min(n, MOST)] for n in counted]
        weights = [d * _at(rows, one, IDF) for d, one in zip(damped, all_, strict=True)]
        squares = hits = norm = 0.0
        for d, one, weight in zip(damped, all_, weights, strict=True):
            squares += weight * weight
            hits += d * hit(rows, matches, one)
        chosen = list(zip(weights, all_, strict=True))
        if len(chosen) > most:
            chosen.sort(key=lambda pair: (pair[0], self.terms[pair[1]]), reverse=True)
            del chosen[most:]
        for weight, _ in chosen:
            norm += weight * weight
        length = math.sqrt(norm) or 1.0
        kept = array("i", [one for _, one in chosen])
        return kept.tobytes(), array("d", [w / length for w, _ in chosen]).tobytes(), squares, hits

    def strongest(
        self, ids: bytes, values: bytes, rows: Rows, column: int, most: int, /
    ) -> list[tuple[int, float]]:
        """The terms of a vector that say most by a column, with what they say."""
        pairs = zip(numbers(ids), doubles(values), strict=True)
        said = [(one, value) for one, x in pairs if (value := _at(rows, one, column) * x)]
        said.sort(key=lambda pair: (abs(pair[1]), self.terms[pair[0]]), reverse=True)
        return said[:most]

    def term(self, number: int, /) -> str:
        """A term by its number."""
        return self.terms[number]

    def number(self, term: str, /) -> int:
        """The number of a term, a new one if it was never met."""
        number = self._places.setdefault(term, len(self.terms))
        if number == len(self.terms):
            self.terms.append(term)
        return number

    def met(self, term: str) -> int:
        """The number of a term of a text; -1 for a new one when there are too many."""
        return self.number(term) if len(self.terms) < FULL else self._places.get(term, -1)

    def learn(self, rows: bytes, /) -> bytes:
        """Take the first terms from rows of a term, a space and a number; the numbers as doubles."""
        values = array("d")
        for row in rows.decode().removesuffix("\n").split("\n") if rows else ():
            term, _, n = row.partition(" ")
            values.append(float(n))
            if not term or self.number(term) != len(values) - 1:
                raise ValueError("a term stands in two rows, or has no number")
        return values.tobytes()

    def tell(self, rows: Rows, start: int, known: bytes, total: float, /) -> None:
        """Write how telling the terms from a number on are into their rows: ln(1 + N/n).

        `known` has n for the first terms; the others are as rare as can be.
        """
        met = doubles(known)
        for one in range(start, min(len(self.terms), len(rows) // WIDTH)):
            documents = max(met[one] if one < len(met) else 0.0, 0.5)
            rows[WIDTH * one + IDF] = math.log(1 + total / documents)

    def pack(self, rows: Rows, more: bytes, /) -> tuple[bytes, bytes, bytes]:
        """The terms of which the columns from OPINION on say something, or that `more` names.

        Their numbers, their names with a line each, and what each of these columns says of all of them, as
        floats.
        """
        used = {one for one in numbers(more) if 0 <= one < len(self.terms)}
        size = min(len(self.terms), len(rows) // WIDTH)
        used.update(one for one in range(size) if any(rows[WIDTH * one + OPINION : WIDTH * (one + 1)]))
        ids = array("i", sorted(used))
        names = "".join(f"{self.terms[one]}\n" for one in ids).encode()
        columns = range(OPINION, WIDTH)
        values = array("f", [_at(rows, one, column) for column in columns for one in ids])
        return ids.tobytes(), names, values.tobytes()

    def _said(self, ids: bytes, rows: Rows, matches: Rows, norm: float) -> TermEvidence:
        """What some terms say of a link."""
        squares = hits = judged = 0.0
        found = numbers(ids)
        for one in found:
            weight = _at(rows, one, IDF)
            squares += weight * weight
            hits += hit(rows, matches, one)
            if said := _at(rows, one, OPINION):
                judged += weight * said
        if not squares:
            return 0.0, 0.0, 0.0
        covered: dict[int, tuple[float, float]] = {}
        for one in found if hits else ():
            if match := int(_at(rows, one, MATCH)):
                place, factor, weight = matches[3 * match - 3 : 3 * match]
                covered[int(place)] = max(covered.get(int(place), (0.0, 0.0)), (factor, weight))
        covers = 0.0
        for factor, weight in covered.values():
            covers += (factor * weight) * (factor * weight)
        length = math.sqrt(squares)
        return hits / length / norm, math.sqrt(covers) / norm, math.tanh(judged / length / 2)

    def _evidence(
        self, known: bytes, host: float, section: float, rows: Rows, more: LinkInputs
    ) -> tuple[list[float], list[int]]:
        if len(known) < TEXT:
            raise ValueError("these are not the bytes of a link")
        v, at = BODY.unpack_from(known, HEAD.size), more[0]
        ids = [self._places.get(term, -1) for term in known[TEXT:].decode("utf-8", "ignore").split()]
        often, mean = OFTEN[known[0]], 2 * v[9] - 1
        named = record(rows, NAMED, NAMED_TOTAL, ids, at[NAMED_USUAL], at[NAMED_PRIOR])
        followed = record(rows, FOLLOWED, FOLLOWED_TOTAL, ids, at[FOLLOWED_USUAL], at[FOLLOWED_PRIOR])
        x = [v[0], v[3], v[11], v[6], v[1], v[4], v[2], v[5], v[8], mean, 2 * v[10] - 1, often * mean, often]
        return [*x, host, section, named, followed], ids

    def evidence(
        self, known: bytes, host: float, section: float, rows: Rows, more: LinkInputs, /
    ) -> tuple[float, ...]:
        """All evidence of a link, in the order of `link_learner.Attributes` and `More`."""
        return tuple(self._evidence(known, host, section, rows, more)[0])

    def score(self, known: bytes, host: float, section: float, rows: Rows, more: LinkInputs, /) -> float:
        """The score of a link by the link judge."""
        x, ids = self._evidence(known, host, section, rows, more)
        return sigmoid(odds(rows, more[1], x, ids, more[0][BIAS]))

    def rescore(  # noqa: PLR0917  as in C
        self,
        pending: dict[str, bytes],
        urls: list[str],
        pasts: Mapping[str, Past],
        siblings: SiblingEvidence,
        rows: Rows,
        more: LinkInputs,
        /,
    ) -> list[tuple[str, float]]:
        """Those of some links that are pending, with their scores now; `pasts` has those of `section_of`."""
        found = []
        for url in urls:
            if (known := pending.get(url)) is not None:
                x, ids = self._evidence(known, *pasts[section_of(url)], rows, more)
                total = odds(rows, more[1], x, ids, more[0][BIAS]) + sibling_odds(siblings, url)
                found.append((url, sigmoid(total)))
        return found

    def add_mentions(  # noqa: PLR0917  as in C
        self,
        pending: dict[str, bytes],
        links: list[LinkRow],
        ids: bytes,
        size: int,
        rows: Rows,
        more: LinkInputs,
        /,
    ) -> list[SeenLink]:
        """One more mention of each link of a page; their scores and levels.

        What is known of each link goes into `pending`. A level counts pages off the topic in a row.
        """
        at, _, matches = more
        found = []
        for url, first, last, start, end, host, section, address in links:
            if not (0 <= first <= last <= size <= len(ids) // 4 and 0 <= start <= end <= len(ids) // 4):
                raise ValueError("a link stands outside of its page")
            anchor = ids[4 * start : 4 * end]
            near = ids[4 * max(0, first - AROUND) : 4 * first] + ids[4 * last : 4 * min(last + AROUND, size)]
            said, around = (self._said(part, rows, matches, at[NORM]) for part in (anchor, near))
            old = pending.get(url, b"")
            if old:
                # Anchors keep the best, surroundings and parents their mean.
                n, now, near_topic = min(old[0] + 1, MOST_MENTIONS), at[RELEVANCE], at[COSINE]
                u0, u1, u2, *anchors, s0, s1, s2, mean, best, cosine, top = BODY.unpack_from(old, HEAD.size)
                body = BODY.pack(
                    *(u0, u1, u2),
                    *map(max, anchors, said),
                    *(s0 + (around[0] - s0) / n, s1 + (around[1] - s1) / n, s2 + (around[2] - s2) / n),
                    *(mean + (now - mean) / n, max(best, now)),
                    *(cosine + (near_topic - cosine) / n, max(top, near_topic)),
                )
                known = HEAD.pack(n, old[1]) + body + old[TEXT:]
            else:
                own = self._said(address, rows, matches, at[NORM])
                parent = (at[RELEVANCE], at[RELEVANCE], at[COSINE], at[COSINE])
                known = HEAD.pack(1, 0) + BODY.pack(*own, *said, *around, *parent)
                # As many terms as there is room for, each once.
                text = b""
                for one in dict.fromkeys(one for one in numbers(address + anchor) if one >= 0):
                    term = (b" " if text else b"") + self.terms[one].encode()
                    if len(text) + len(term) > LONGEST_TEXT:
                        break
                    text += term
                known += text
            score = self.score(known, host, section, rows, more)
            level = 0 if score > 0.5 else int(at[LEVEL]) + 1
            if old:
                level = min(level, old[1])
            pending[url] = known[:1] + bytes((min(level, MOST_MENTIONS),)) + known[2:]
            found.append((url, score, level))
        return found


def _at(rows: Rows, one: int, column: int) -> float:
    place = WIDTH * one + column
    return rows[place] if 0 <= place < len(rows) else 0.0


def hit(rows: Rows, matches: Rows, one: int) -> float:
    """What a term weighs in the topic, times its idf; of a match: its keyword's place, factor and weight."""
    match = int(_at(rows, one, MATCH))
    return _at(rows, one, IDF) * matches[3 * match - 2] * matches[3 * match - 1] if match else 0.0
