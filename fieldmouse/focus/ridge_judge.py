"""A page judge that is held by its examples, and that knows how sure it is.

Ridge regression over five blocks of a page: its text, its title, its address, the anchors that led to it, and
what kind of page it is. It learns from the keywords, from pages that a person labelled, and from pages that
are surely off the topic. The cut between yes and no is where the estimated share of pages on the topic puts
it, and the estimate comes with bounds.
"""

import math
import statistics
from array import array
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from .terms import Reading, Terms, Vector
from .terms_python import doubles, numbers, sigmoid
from .topic import Topic
from .words import PageText

# The weights of the blocks: an inner product of two pages is the weighted sum of those of their blocks.
WEIGHTS = array("d", (1.0, 0.5, 0.2, 0.2))  # of text, title, address and anchors
KIND = 0.1
RARE = 1.3  # the idf of general English counts up to this many times the one among the pages at hand
ANCHOR_TERMS = 60

RIDGE = 0.5
TOTAL = 10.0  # weight of each class
KEYWORDS = 2.0  # examples that the table of keywords counts for
LEARNED = 160  # pages that a fit takes: labelled ones, then those surely off the topic
LEAST_OFF = 3  # examples off the topic whose own scores say something
LEAST_SURE = 10  # pages surely off the topic that are worth another fit
FIRST, RECENT, SCORES = 50, 250, 400  # pages for the usual values, pages kept, scores for the share
LEAST_WORDS = 20  # different terms of a page that is kept
REFITS = (25, 50, 100, 200, 400, 700)  # pages after which the judge is fitted again, then every 500
OFTEN = 500

# The estimated share: intercept, and the factors of its four inputs, fitted on topics of an encyclopaedia and
# of manuals.
SHARE = (-1.736, 0.582, 0.441, 0.035, 1.569)
QUARTILES = (0.25, 0.5, 0.75)
# The error of the log-odds of the reported share where the choice of examples leaves nothing open, as
# seen on development webs; draws of the examples that tell what their choice leaves open.
SHARE_ERROR, DRAWS = 0.9, 100
# Keywords are made from the examples, so that own scores are too good where these are few: a further error
# for one example. Where nobody labelled pages off the topic the judge chose them: a factor of the error.
FEW_ERROR, UNLABELLED = 3.0, 1.5
LEAST_FOR_SHARE = 100  # pages; before, the bounds do not hold
NINE_IN_TEN = 1.64
STEEP = 5.0  # log-odds between the cut and the median of the examples on the topic

# Who speaks tells a home page from a catalogue.
SPEAKERS = tuple(b"i my me we our us you your he she his her they their it its".split())
SPOKEN = 3000  # bytes of the words of a page in which speakers are counted
KINDS = 4 + len(SPEAKERS)  # numbers that tell the kind of a page

Floats = np.ndarray[Any, np.dtype[np.float64]]


class PageParts(NamedTuple):
    """What the judge looks at."""

    text: Vector
    names: tuple[bytes, bytes, bytes] = (b"", b"", b"")  # terms of title, address and anchors, each once
    kind: tuple[float, ...] = ()
    distinct: int = LEAST_WORDS  # terms of the text


class TopicShare(NamedTuple):
    """The estimated share of a crawl's pages that are on the topic, with bounds for nine in ten crawls."""

    share: float
    low: float
    high: float


class RidgeOpinion(NamedTuple):
    """The log-odds that a page is on the topic."""

    odds: float
    surely_off: bool  # for both judges, even if as many pages are on the topic as may be


class BlockVector(NamedTuple):
    """A page as numbers; the blocks are scaled by the roots of their weights."""

    ids: np.ndarray[Any, np.dtype[np.int64]]  # places of terms in the blocks, see `terms_python.blocks`
    values: Floats
    kind: Floats


def page_parts(terms: Terms, read: Reading, page: PageText, url: str, anchors: bytes = b"") -> PageParts:
    """The parts of a page that was read; `anchors` may hold the terms of its address too."""
    once, said = terms.lexicon.count, page.said[: 4 * SPOKEN]
    said = said.replace(b"\1 ", b"").replace(b"\2 ", b"")  # marks of links count as words
    address = once(terms.address(url))[0]
    title = once(terms.ids(page.title.lower().encode("utf-8", "ignore")))[0]
    linked = once(address + anchors)[0][len(address) :][: 4 * ANCHOR_TERMS] if anchors else b""
    words = len(read.ids) // 4 + 20
    near, *often = terms.engine.spoken(said[:SPOKEN], SPEAKERS)
    path = url.partition("//")[2].partition("/")[2]
    kind = (  # only what a page without markup tells as well: examples are kept as texts
        math.log(words),
        float("~" in path),
        path.count("/") / 3,
        float(url.endswith("/")),
        *[math.sqrt(100 * n / (near + 20)) for n in often],
    )
    return PageParts(read.vector, (title, address, linked), kind, read.distinct)


class RidgeJudge:
    """Judges whole pages on the scale of log-odds."""

    def __init__(self, topic: Topic, terms: Terms, second_odds: Callable[[PageParts], float]) -> None:
        self.topic, self.terms = topic, terms
        self.second_odds = second_odds  # log-odds of a page by the other judge
        self.labelled: list[tuple[PageParts, bool]] = []
        self.first: list[PageParts] = []
        self.recent: deque[tuple[PageParts, BlockVector | None]] = deque(maxlen=RECENT)
        self.scores: deque[float] = deque(maxlen=SCORES)
        self.seen = self.worded = 0  # pages of the crawl, and those with enough words
        self.settled, self.settled_on = 0, 0.0  # pages with enough words up to the last fit, on the topic
        self._usual: _Usual | None = None
        self._weights = np.zeros(1, np.float32)  # by place in the blocks
        self._kind: Floats = np.zeros(KINDS)
        self._bias = 0.0
        self._cut, self._scale = 0.0, 1.0
        self._own: tuple[list[float], list[float]] = ([], [])  # of labelled pages on the topic and off it
        self._share: float | None = None
        # A page is surely off the topic if its score and the other judge's log-odds are below these.
        self._sure = self._sure_second = math.inf
        self._fitted = False

    def teach(self, page: PageParts, *, relevant: bool) -> None:
        """Learn from a labelled page."""
        self.labelled.append((page, relevant))
        self._fitted = False
        if len(self.first) < FIRST:
            self._usual = None

    def odds(self, page: PageParts) -> float:
        """The log-odds that the page is on the topic."""
        return STEEP * (self._score(self._vector(page)) - self._cut) / self._scale

    def saw(self, page: PageParts) -> RidgeOpinion:
        """Judge a page of the crawl, which counts towards the share of pages on the topic."""
        vector = self._vector(page)
        score = self._score(vector)
        off = score < self._sure and self.second_odds(page) < self._sure_second
        opinion = RidgeOpinion(STEEP * (score - self._cut) / self._scale, off)
        self.seen += 1
        if page.distinct >= LEAST_WORDS:
            self.worded += 1
            if len(self.first) < FIRST:
                self.first.append(page)
                self.recent.append((page, None))  # the usual values change
            else:
                self.recent.append((page, vector))
            self.scores.append(score)
        if self.seen in REFITS or (self.seen > REFITS[-1] and self.seen % OFTEN == 0):
            self._fitted = False
        return opinion

    def share(self, judged: float) -> TopicShare | None:
        """The estimated share of all pages on the topic; None before there are enough pages.

        The pages between two fits are estimated once, by the newest of them: a crawl that has found all pages
        of its topic goes on without them. Pages with few words count as off the topic. What the
        verdicts say, the share `judged` on the topic, is another estimate: the mean of both is stated, but
        not less than was judged, for the cut is rather too low. Where they disagree the bounds are wider.
        """
        self._fit()
        if self.seen < LEAST_FOR_SHARE or self._share is None:
            return None
        newest = stated_share(self.scores, *self._own)
        on = self.settled_on + sigmoid(newest.odds) * (self.worded - self.settled)
        estimated, said = (
            math.log(share / (1 - share))
            for share in np.clip((on / self.seen, judged), 0.5 / self.seen, 1 - 0.5 / self.seen).tolist()
        )
        share = sigmoid(max((estimated + said) / 2, said))
        on, off = (sum(relevant is side for _, relevant in self.labelled) for side in (True, False))
        error = math.hypot(newest.error, (estimated - said) / 2, FEW_ERROR / max(on, 1))
        # Pages that are more like the examples on the topic than like those off it may all be on it.
        alike = nearer_share(self.scores, *self._own)
        further = max(math.log(alike / (1 - alike)) - math.log(share / (1 - share)), 0.0) / 2 if off else 0.0
        factor = 1.0 if off else UNLABELLED
        low = bounds(share, factor * error)[0]
        high = bounds(share, factor * math.hypot(error, further))[1]
        # Where most pages are judged on the topic, the others may be so too: as many examples may be missed.
        recall = least_rate([own > self._cut for own in self._own[0][1:]])
        high = 1.0 if judged > max(recall, 0.5) else high
        return TopicShare(share, low if low * self.seen >= 0.5 else 0.0, high)  # 0 for less than half a page

    def _vector(self, page: PageParts) -> BlockVector:
        self._fit()
        assert self._usual is not None
        return self._usual.vector(page)

    def _score(self, page: BlockVector) -> float:
        total = float(self._weights.take(page.ids, mode="clip") @ page.values)
        return self._bias + total + float(self._kind @ page.kind)

    def _fit(self) -> None:
        """Fit again if labelled pages were added or enough pages were seen."""
        if self._fitted:
            return
        self._fitted = True
        if self._usual is None or any(vector is None for _, vector in self.recent):
            self._usual = _Usual(self.terms, [page for page, _ in self.labelled] + self.first)
            whole = len(self.first) == FIRST
            pages = [(page, self._usual.vector(page)) for page, _ in self.recent]
            recent = [vector for _, vector in pages]
            if whole:
                self.recent = deque(pages, maxlen=RECENT)
        else:
            recent = [vector for _, vector in self.recent if vector is not None]
        good = [self._usual.keywords(self.topic)]
        good += [self._usual.vector(page) for page, relevant in self.labelled if relevant]
        bad = [self._usual.vector(page) for page, relevant in self.labelled if not relevant]
        enough = self.seen >= REFITS[0] and len(recent) >= LEAST_SURE
        if len(good) == 1 or (not bad and not enough):
            # The keywords alone. Pages of one site are alike, whatever they are about: an example says
            # something only together with pages off the topic, and own scores need an example.
            self._set(good[:1], np.ones(1), 0.0)
            self._cut, self._scale, self._share = 0.1, STEEP / 10, None
            return
        labelled_off = bool(bad)
        if not bad:
            self._set(good, np.full(len(good), 1 / len(good)), 0.0)
            # The pages least like those on the topic stand for examples off it.
            bad = sorted(recent, key=self._score)[: int(0.6 * len(recent))][-LEARNED // 2 :]
        self._solve(good, bad, [])
        if not enough and len(bad) < LEAST_OFF:
            self._cut, self._scale, self._share = 0.0, 1.0, None
            return
        if not enough:
            low = statistics.fmean(self._own[1])
            gap = max(statistics.median(self._own[0]) - low, 0.2)
            self._cut, self._scale, self._share = low + 0.6 * gap, gap, None
            return
        scores = list(map(self._score, recent))
        # Fitted to examples of one class, the other judge knows nothing of what is off the topic.
        second = [self.second_odds(page) for page, _ in self.recent] if labelled_off else []
        fewest = self._limit_sure(scores, second)
        sure = [recent[place] for place in ranked_last(scores, second or scores, fewest)]
        if len(sure) >= LEAST_SURE:
            self._solve(good, bad, sure[-max(LEARNED - len(good) - len(bad), LEAST_SURE) :])
            scores = list(map(self._score, recent))
            self._limit_sure(scores, second)
        self._settle(scores, labelled_off)

    def _settle(self, scores: Sequence[float], labelled_off: bool) -> None:
        """Estimate the share of the pages since the last fit, and put the cut where it belongs."""
        self.scores = deque(scores, maxlen=SCORES)
        self._share = estimated_share(scores, *self._own)
        if self.worded <= RECENT:  # all of them are at hand
            self.settled, self.settled_on = 0, 0.0
        stated = stated_share(scores, *self._own)
        self.settled_on += sigmoid(stated.odds) * (self.worded - self.settled)
        self.settled = self.worded
        # As many pages as are surely on the topic are judged so: the share of the cut is rather too low.
        least = bounds(sigmoid(stated.odds), stated.error)[0]
        self._cut = float(np.quantile(scores, 1 - max(self._share, least)))
        if labelled_off:
            self._cut = min(self._cut, self._examples_apart())
        spread = max(statistics.median(self._own[0]) - statistics.median(scores), statistics.pstdev(scores))
        self._scale = max(spread, 1e-6)

    def _examples_apart(self) -> float:
        """A score that three quarters of the examples on the topic and a tenth of those off it exceed.

        The share is estimated too low where most of a crawl is on the topic; a cut above that score would
        miss pages that no example speaks against.
        """
        on, off = self._own
        return max(float(np.quantile(on, 0.25)), float(np.quantile(off, 0.9)))

    def _limit_sure(self, scores: Sequence[float], second: Sequence[float]) -> float:
        """Find below what a page is off the topic even if the share is as large as it may be.

        Gives the share of pages that are.
        """
        most = bounds(estimated_share(scores, *self._own), 1.0)[1]
        fewest = min(1 - most, 0.5)
        self._sure = min(float(np.quantile(self._own[0], 0.1)), float(np.quantile(scores, fewest)))
        self._sure_second = float(np.quantile(second, fewest)) if second else math.inf
        return fewest

    def _solve(self, good: list[BlockVector], bad: list[BlockVector], sure: list[BlockVector]) -> None:
        """Fit the weights; the own scores are those that labelled pages get if they are not learned."""
        weights = np.concatenate(
            [
                [KEYWORDS / (KEYWORDS + len(good) - 1)],
                np.full(len(good) - 1, 1 / (KEYWORDS + len(good) - 1)),
                *(np.full(len(rows), 1 / len(rows)) for rows in (bad, sure) if rows),
            ]
        )
        targets = np.where(np.arange(len(weights)) < len(good), 1.0, -1.0)
        rows = [*good, *bad, *sure]
        alpha, bias, own = ridge(_gram(rows), TOTAL * weights, targets)
        off = len(bad) if len(bad) >= LEAST_OFF else len(bad) + len(sure)
        self._own = own[: len(good)].tolist(), own[len(good) : len(good) + off].tolist()
        self._set(rows, alpha, bias)

    def _set(self, rows: Sequence[BlockVector], alpha: Floats, bias: float) -> None:
        """Make the weights the sum of some pages, each times a number."""
        size = max(int(row.ids.max(initial=-1)) + 2 for row in rows)  # the last is 0, for all other terms
        self._weights = np.zeros(size, np.float32)
        self._kind, self._bias = np.zeros_like(self._kind), bias
        for row, factor in zip(rows, alpha.tolist(), strict=True):
            self._weights[row.ids] += row.values * factor  # each term stands once in a block
            self._kind += row.kind * factor

    def moved(self, places: Mapping[int, int]) -> None:
        """Some terms were forgotten; `places` has the new numbers of the others."""

        def fresh(page: PageParts) -> PageParts:
            title, address, anchors = (
                array("i", [places[one] for one in numbers(part) if one in places]).tobytes()
                for part in page.names
            )
            return page._replace(text=moved(page.text, places), names=(title, address, anchors))

        self.labelled = [(fresh(page), relevant) for page, relevant in self.labelled]
        self.first = [fresh(page) for page in self.first]
        self.recent = deque(((fresh(page), None) for page, _ in self.recent), maxlen=RECENT)
        self._usual, self._fitted = None, False

    def _pages(self) -> list[PageParts]:
        return [*(page for page, _ in self.labelled), *self.first, *(page for page, _ in self.recent)]

    def vectors(self) -> list[Vector]:
        """The texts of all pages remembered: the labelled ones, the first, and the newest."""
        return [page.text for page in self._pages()]

    def state(self) -> dict[str, Any]:
        """What was learned without the texts, for JSON."""
        return {
            "seen": self.seen,
            "settled": [self.worded, self.settled, self.settled_on],
            "labelled": [relevant for _, relevant in self.labelled],
            "first": len(self.first),
            "parts": [
                (list(map(self.terms.names, p.names)), [round(x, 3) for x in p.kind], p.distinct)
                for p in self._pages()
            ],
        }

    def restore(self, state: Mapping[str, Any], vectors: Sequence[Vector]) -> None:
        """Take back what `state` and `vectors` gave."""
        pages = []
        for vector, (names, kind, distinct) in zip(vectors, state["parts"], strict=True):
            title, address, anchors = map(self.terms.numbers, names)
            if len(kind) > KINDS:  # stored when the links of a page were counted
                del kind[1]
            pages.append(PageParts(vector, (title, address, anchors), tuple(kind), distinct))
        labels, first = state["labelled"], state["first"]
        self.seen = int(state["seen"])
        self.worded, self.settled, self.settled_on = state.get("settled", (self.seen, 0, 0.0))
        self.labelled = list(zip(pages, map(bool, labels), strict=False))
        self.first = pages[len(labels) : len(labels) + first]
        self.recent = deque(((page, None) for page in pages[len(labels) + first :]), maxlen=RECENT)
        self._usual, self._fitted = None, False


class _Usual:
    """How common terms are among the pages at hand, and the usual numbers of their kind."""

    def __init__(self, terms: Terms, pages: Sequence[PageParts]) -> None:
        self.terms = terms

        def idfs(parts: list[bytes]) -> Floats:  # the last of each part is for all other terms
            ids = [np.frombuffer(part, np.int32) for part in parts]
            size = 2 + max([int(part.max(initial=-1)) for part in ids])
            met = np.stack([np.bincount(part, minlength=size) for part in ids], axis=1)
            return np.asarray(np.log(1 + (len(pages) + 1) / (met + 0.5)))

        names = [b"".join([page.names[at] for page in pages]) for at in range(3)]
        limits = RARE * idfs([b"".join([page.text.ids for page in pages])])
        self.limits, self.named = (one.astype(np.float32).tobytes() for one in (limits, idfs(names)))
        kinds = np.array([page.kind for page in pages if page.kind] or [(0.0,) * KINDS])
        self.mean, self.spread = kinds.mean(axis=0), kinds.std(axis=0) + 0.05

    def keywords(self, topic: Topic) -> BlockVector:
        """The table of keywords as a page."""
        ids = np.array(numbers(self.terms.numbers([one.stem for one in topic.keywords])), dtype=np.int64)
        values = np.array([one.weight for one in topic.keywords]) / topic.norm
        return BlockVector(ids, values, np.zeros_like(self.mean))

    def vector(self, page: PageParts) -> BlockVector:
        """A page as numbers."""
        rows, usual = self.terms.rows, (self.limits, self.named)
        ids, values = self.terms.engine.blocks(*page.text, page.names, rows, *usual, WEIGHTS)
        kind = np.zeros_like(self.mean)
        if page.kind:
            usual = (np.array(page.kind) - self.mean) / self.spread
            kind = np.minimum(np.maximum(usual, -3), 3) * math.sqrt(KIND / len(usual))
        return BlockVector(np.frombuffer(ids, np.int64), np.frombuffer(values), kind)


def ridge(gram: Floats, weights: Floats, targets: Floats) -> tuple[Floats, float, Floats]:
    """Weighted ridge regression in its dual form: a factor for each example, the constant, and own scores.

    The own score of an example is what it gets from a fit without it.
    """
    share = weights / weights.sum()
    mean = float(share @ targets)
    products = gram @ share
    centred = gram - products[None, :] - products[:, None] + float(share @ products)
    root = np.sqrt(weights)
    system = root[:, None] * centred * root
    inverse = np.linalg.inv(system + RIDGE * np.eye(len(weights)))
    alpha = root * (inverse @ (root * (targets - mean)))
    fitted = mean + centred @ alpha
    leverage = np.minimum(np.diag(system @ inverse) + share, 0.999)
    own = (fitted - leverage * targets) / (1 - leverage)
    # A sum of centred examples is one of the examples, less their mean.
    alpha = alpha - share * alpha.sum()
    return alpha, mean - float(alpha @ products), own


def estimated_share(scores: Sequence[float], on: Sequence[float], off: Sequence[float]) -> float:
    """The share of pages on the topic, from their scores and the own scores of examples on it and off it.

    It is rather too low: pages that are wrongly taken for the topic's do more harm than those missed.
    """
    n, u, p, q = len(scores), np.array(scores), np.array(on), np.array(off)

    def logit(share: float) -> float:
        share = min(max(share, 0.5 / n), 1 - 0.5 / n)
        return math.log(share / (1 - share))

    lower, middle, upper = np.quantile(p, QUARTILES)
    above = 0.5 * (u > middle).mean() + 0.25 * (u > lower).mean() + 0.25 * (u > upper).mean()
    beyond = float((u > q.max()).mean())
    apart = float((middle - np.median(u)) / (u.std() or 1.0))
    pairs = float((p[:, None] > q[None, :]).mean())
    start, *factors = SHARE
    inputs = (logit(float(above)), logit(beyond), apart, pairs)
    z = start + sum(a * b for a, b in zip(factors, inputs, strict=True))
    return min(max(sigmoid(z), 1 / n), 0.95)


class ShareOdds(NamedTuple):
    """The log-odds of the share of pages on the topic, and their standard error."""

    odds: float
    error: float


def stated_share(scores: Sequence[float], on: Sequence[float], off: Sequence[float]) -> ShareOdds:
    """The share of pages on the topic that is reported: the mean of two estimates, on the scale of log-odds.

    One is that of the cut. The other needs no constants: three quarters of the pages on the topic score
    above the lower quartile of the examples, a half above the median, a quarter above the upper one. Its
    spread over other draws of the same examples (a bootstrap) is a part of the error.
    """
    examples, ordered, n = np.array(on), np.sort(np.array(scores)), len(scores)

    def by_quartiles(quartiles: Floats) -> Floats:  # the three are a row each
        above = 1 - np.searchsorted(ordered, quartiles, side="right") / n
        share = np.clip((above.T / (1 - np.array(QUARTILES))).T, 0.5 / n, 1 - 0.5 / n)
        return np.asarray(np.log(share / (1 - share)).mean(axis=0))

    draws = np.random.default_rng(1).choice(examples, (DRAWS, len(examples)))
    spread = float(by_quartiles(np.quantile(draws, QUARTILES, axis=1)).std())
    cut = estimated_share(scores, on, off)
    odds = (math.log(cut / (1 - cut)) + float(by_quartiles(np.quantile(examples, QUARTILES)))) / 2
    return ShareOdds(odds, math.hypot(SHARE_ERROR, spread / 2))


def nearer_share(scores: Sequence[float], on: Sequence[float], off: Sequence[float]) -> float:
    """The share of scores that are nearer to those of examples on the topic than to those off it."""
    middle, n = (statistics.median(on) + statistics.median(off)) / 2, len(scores)
    return min(max(sum(one > middle for one in scores), 0.5), n - 0.5) / n


def bounds(share: float, error: float) -> tuple[float, float]:
    """Between which the true share lies in nine of ten crawls."""
    odds = math.log(share / (1 - share))
    low, high = (sigmoid(odds + side * NINE_IN_TEN * error) for side in (-1, 1))
    return low, high


def least_rate(hits: Sequence[bool]) -> float:
    """The rate of hits that some trials leave open, for nine in ten (Wilson's lower bound)."""
    if not hits:
        return 0.0
    rate, wide = sum(hits) / len(hits), NINE_IN_TEN**2 / len(hits)
    return (rate + wide / 2 - math.sqrt(wide * rate * (1 - rate) + wide**2 / 4)) / (1 + wide)


def ranked_last(scores: Sequence[float], second: Sequence[float], share: float) -> list[int]:
    """The places of a share of pages, those that two judges together put last.

    What one judge alone puts last is of one kind, such as short pages; learned as off the topic, it would
    stay there whatever it is about.
    """
    ranks = np.argsort(np.argsort(scores)) + np.argsort(np.argsort(second))
    places = np.argsort(ranks)[: round(share * len(ranks))]
    return sorted(places.tolist())


def _gram(rows: Sequence[BlockVector]) -> Floats:
    """The inner products of all pairs of pages."""
    all_ids, all_values = (
        np.concatenate([row.ids for row in rows]),
        np.concatenate([row.values for row in rows]),
    )
    lines = np.repeat(np.arange(len(rows)), [len(row.ids) for row in rows])
    _, places, often = np.unique(all_ids, return_inverse=True, return_counts=True)
    # What stands in one page only, most of the terms, counts for its own square alone.
    shared = often[places] > 1
    columns = np.cumsum(often > 1) - 1
    table = np.zeros((len(rows), int(columns[-1]) + 1 if len(columns) else 0), dtype=np.float32)
    table[lines[shared], columns[places[shared]]] = all_values[shared]
    kinds = np.array([row.kind for row in rows])
    products: Floats = (table @ table.T).astype(np.float64) + kinds @ kinds.T
    own = np.bincount(lines[~shared], all_values[~shared] ** 2, len(rows))
    products[np.diag_indices(len(rows))] += own
    return products


def moved(vector: Vector, places: Mapping[int, int]) -> Vector:
    """A vector after some terms were forgotten; `places` has the new numbers of the others."""
    pairs = zip(numbers(vector.ids), doubles(vector.values), strict=True)
    kept = {places[one]: value for one, value in pairs if one in places}
    return Vector(array("i", kept).tobytes(), array("d", kept.values()).tobytes())
