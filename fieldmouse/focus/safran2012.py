"""The evidence and the link learners of Safran et al. 2012.

`Published` computes the four attributes of the paper, with their weaknesses. NB2, NB4 and the updatable NB4
are in the paper, the linear SVM and the small neural network in its future work, breadth-first and best-first
are its baselines. SVM and network keep the newest examples of each class and are fitted again after every
hundred.
"""

import math
import random
from abc import abstractmethod
from array import array
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from operator import add, mul, sub
from typing import Any

from fieldmouse.learn.learner import register
from fieldmouse.types import Verdict

from .link_learner import TASK, Attributes, Evidence, LinkLearner, LinkMention, Parent, keyword_matches
from .terms import Reading, Terms
from .terms_python import HEAD, Past, sigmoid
from .topic import Topic, top, weigh
from .wordnet import WordNet

THRESHOLDS = Attributes(0.30, 0.75, 0.60, 0.60)  # strictly above is Yes
PARENTS = 5  # the first so many mentions count
KEPT = 400  # examples of each class in an updatable training set
REFIT = 100  # examples learned between two fits


def cosine(topic: Sequence[float], other: Sequence[float]) -> float:
    """Equation 2 of the paper; 0 when either is empty."""
    if not any(other):
        return 0.0  # as most links have
    norms = math.sqrt(sum(map(mul, topic, topic))) * math.sqrt(sum(map(mul, other, other)))
    return sum(map(mul, topic, other)) / norms if norms else 0.0


class Published:
    """The four attributes as the paper computes them.

    Several parents are joined by adding up their tables; of one parent the result is the paper's exactly.
    """

    def __init__(
        self, topic: Topic, terms: Terms, wordnet: WordNet | None = None, *, synonym: float = 1.0
    ) -> None:
        self.weights = [one.weight for one in topic.keywords]
        self.size = len(self.weights)
        self.places = {one.stem: place for place, one in enumerate(topic.keywords)}
        self.matches = keyword_matches(topic, wordnet, synonym)
        self.terms = terms

    def named(self, ids: bytes) -> list[float]:
        """The table of an address or an anchor: a keyword's own weight when it is named, else 0."""
        table = [0.0] * self.size
        for term in self.matches.keys() & self.terms.names(ids):
            place, factor = self.matches[term]
            table[place] = max(table[place], factor * self.weights[place])
        return table

    def adjusted(self, counts: Mapping[str, int]) -> list[float]:
        """The top keywords of a text with their own weights, where they are the topic's; else 0."""
        table = [0.0] * self.size
        if self.places.keys().isdisjoint(counts):
            return table
        best = top(weigh([counts], lambda _: 1.0), self.size)
        for term in self.places.keys() & best.keys():
            table[self.places[term]] = best[term]
        return table

    def parent(self, page: Reading, parent: Parent) -> Parent:
        """The parent with the table of its text."""
        return parent._replace(table=tuple(self.adjusted(self.terms.counts(page))))

    def add_mention(self, known: bytes, link: LinkMention, parent: Parent) -> bytes:
        """What is known of a link after one more mention."""
        n, level = HEAD.unpack_from(known) if known else (0, 0)
        if n >= PARENTS:
            return known
        fresh = self.named(link.anchor) + list(parent.table or [0.0] * self.size)
        fresh += self.adjusted(Counter(self.terms.names(link.around)))
        if not known:
            address = self.named(self.terms.address(link.url))
            return HEAD.pack(1, level) + array("f", address + fresh).tobytes()
        old, size = array("f", known[HEAD.size :]), self.size
        old[size : 2 * size] = array("f", map(max, old[size : 2 * size], fresh[:size]))
        old[2 * size :] = array("f", map(add, old[2 * size :], fresh[size:]))
        return HEAD.pack(n + 1, level) + old.tobytes()

    def evidence(self, known: bytes, past: Past = (0.0, 0.0)) -> Evidence:  # noqa: ARG002
        """The four attributes of a link; the past is not in the paper."""
        if not known:
            return Evidence(Attributes())
        values, size = array("f", known[HEAD.size :]), self.size
        tables = (values[at : at + size] for at in range(0, 4 * size, size))
        return Evidence(Attributes(*(cosine(self.weights, table) for table in tables)))


@register("bfs", TASK)
class BreadthFirst(LinkLearner):
    """Every link has the same score."""

    corrected, updatable = True, False
    examples_seen = 0

    def learn(self, example: Evidence, label: float) -> None:
        """Nothing is learned."""

    def score(self, example: Evidence) -> float:  # noqa: ARG002
        return 1.0

    def judge(self, example: Evidence) -> Verdict:
        return Verdict(self.score(example), ("all links are equal",))

    def state(self) -> Any:
        return {}

    def restore(self, state: Any) -> None:
        """There is nothing to restore."""


@register("best-first", TASK)
class BestFirst(BreadthFirst):
    """The parents' similarity to the topic, and the link's own words', by TF-IDF cosine, half and half."""

    def score(self, example: Evidence) -> float:
        _, anchor, parents, around = example.four
        return min(1.0, parents / 2 + max(anchor, around) / 2)

    def judge(self, example: Evidence) -> Verdict:
        _, anchor, parents, around = example.four
        own = ("anchor", anchor) if anchor >= around else ("around", around)
        parts = sorted((("parents", parents), own), key=lambda one: -one[1])
        return Verdict(self.score(example), tuple(f"{name} {x:.2f} {x / 2:+.2f}" for name, x in parts))


class _WindowLearner(LinkLearner):
    """Keeps the newest examples of each class."""

    def __init__(self, most: int | None) -> None:
        self.examples: dict[bool, deque[tuple[float, ...]]] = {c: deque(maxlen=most) for c in (True, False)}

    @property
    def examples_seen(self) -> int:
        """How many examples are kept."""
        return sum(map(len, self.examples.values()))

    def state(self) -> Any:
        return {str(side): [list(one) for one in kept] for side, kept in self.examples.items()}

    def restore(self, state: Any) -> None:
        for side, kept in self.examples.items():
            kept.clear()
            kept.extend(tuple(one) for one in state[str(side)])


@register("nb4-updatable", TASK, updatable=True)
@register("nb4", TASK)
@register("nb2", TASK, attributes=2)
class LinkBayes(_WindowLearner):
    """Naive Bayes over Yes/No attributes, smoothed by one example: P(x|c) = (n + 1) / (N + 2)."""

    def __init__(self, *, attributes: int = 4, updatable: bool = False) -> None:
        super().__init__(KEPT if updatable else None)
        self.attributes, self.updatable = attributes, updatable
        self.yes: dict[bool, list[int]] = {c: [0] * attributes for c in (True, False)}
        self._known: dict[tuple[bool, ...], float] = {}

    def learn(self, example: Evidence, label: float) -> None:
        side = label > 0.5
        kept = self.examples[side]
        if len(kept) == kept.maxlen:
            self.yes[side] = list(map(sub, self.yes[side], kept[0]))
        kept.append(self.answers(example))
        self.yes[side] = list(map(add, self.yes[side], kept[-1]))
        self._known.clear()

    def answers(self, evidence: Evidence) -> tuple[bool, ...]:
        """Each attribute as Yes or No."""
        pairs = zip(evidence.four[: self.attributes], THRESHOLDS, strict=False)
        return tuple(value > least for value, least in pairs)

    def likelihood(self, answers: tuple[bool, ...], side: bool) -> float:
        """P(X|class) P(class)."""
        n, total = len(self.examples[side]), self.examples_seen
        product = n / total if total else 0.5
        for answer, yes in zip(answers, self.yes[side], strict=True):
            p = (yes + 1) / (n + 2)
            product *= p if answer else 1 - p
        return product

    def score(self, example: Evidence) -> float:
        """See `Learner`; there are at most 16 cases, each computed once."""
        answers = self.answers(example)
        if answers not in self._known:
            good, bad = self.likelihood(answers, True), self.likelihood(answers, False)
            self._known[answers] = good / (good + bad) if good + bad else 0.0
        return self._known[answers]

    def judge(self, example: Evidence) -> Verdict:
        """See `Learner`: each attribute, its answer, and by how much it moves the log-odds."""
        parts = []
        for place, answer in enumerate(self.answers(example)):
            odds = 0.0
            for side, sign in ((True, 1), (False, -1)):
                p = (self.yes[side][place] + 1) / (len(self.examples[side]) + 2)
                odds += sign * math.log(p if answer else 1 - p)
            name, value = Attributes._fields[place], example.four[place]
            parts.append((abs(odds), f"{name} {value:.2f} {'Yes' if answer else 'No'} {odds:+.2f}"))
        return Verdict(self.score(example), tuple(text for _, text in sorted(parts, reverse=True)))

    def restore(self, state: Any) -> None:
        super().restore(state)
        for side, kept in self.examples.items():
            self.yes[side] = list(map(sum, zip(*kept, strict=True))) or [0] * self.attributes
        self._known.clear()


class RefittedLearner(_WindowLearner):
    """Fitted again from the kept examples; explained by leaving out one attribute."""

    def __init__(self, rounds: int, seed: int) -> None:
        super().__init__(KEPT)
        self.rounds, self.seed = rounds, seed
        self.learned = 0
        self.fitted = 0

    def learn(self, example: Evidence, label: float) -> None:
        self.examples[label > 0.5].append(tuple(example.four))
        self.learned += 1
        if self.learned < REFIT or self.learned - self.fitted >= REFIT:
            self.fitted = -1  # the next score fits again

    def score(self, example: Evidence) -> float:
        if self.fitted < 0:  # learn all examples again, alternating between the classes
            self.fitted = self.learned
            rng = random.Random(self.seed)  # noqa: S311
            self.begin(rng)
            sides = {side: list(kept) for side, kept in self.examples.items() if kept}
            longest = max(map(len, sides.values()), default=0)
            for step in range(min(self.rounds * longest, 20 * KEPT)):
                for side, kept in sides.items():
                    self.step(kept[rng.randrange(len(kept))], side, step)
        return self.predict(example.four)

    @abstractmethod
    def begin(self, rng: random.Random) -> None:
        """Start with new parameters."""

    @abstractmethod
    def step(self, values: Sequence[float], relevant: bool, number: int) -> None:
        """Learn one example."""

    @abstractmethod
    def predict(self, values: Sequence[float]) -> float:
        """From 0 to 1."""

    def judge(self, example: Evidence) -> Verdict:
        """See `Learner`: how much the score falls when an attribute is set to 0."""
        whole = self.score(example)
        parts = []
        for place, name in enumerate(Attributes._fields):
            four = list(example.four)
            four[place] = 0.0
            change = whole - self.predict(four)
            parts.append((abs(change), f"{name} {example.four[place]:.2f} {change:+.2f}"))
        return Verdict(whole, tuple(text for _, text in sorted(parts, reverse=True)))

    def state(self) -> Any:
        """See `Learner`; the parameters are saved too, as the last fit may be older than some examples."""
        return [super().state(), self.learned, self.fitted, self.parameters]

    def restore(self, state: Any) -> None:
        kept, self.learned, self.fitted, self.parameters = state
        super().restore(kept)

    parameters: Any  # what was fitted, as JSON values


@register("svm", TASK)
class LinearSvm(RefittedLearner):
    """A linear support vector machine on the four attributes, by stochastic subgradients."""

    def __init__(self, *, rounds: int = 40, seed: int = 1, penalty: float = 0.01) -> None:
        super().__init__(rounds, seed)
        self.penalty = penalty
        self.parameters = [0.0] * 5  # a weight for each attribute, and the bias

    def begin(self, rng: random.Random) -> None:  # noqa: ARG002
        self.parameters = [0.0] * 5

    def step(self, values: Sequence[float], relevant: bool, number: int) -> None:
        rate = 1 / (self.penalty * (number + 100))
        sign = 1 if relevant else -1
        inside = sign * self.margin(values) < 1
        *weights, bias = self.parameters
        self.parameters = [
            w * (1 - rate * self.penalty) + (rate * sign * x if inside else 0.0)
            for w, x in zip(weights, values, strict=True)
        ]
        self.parameters.append(bias + (rate * sign if inside else 0.0))

    def margin(self, values: Sequence[float]) -> float:
        """Above 0 is relevant."""
        *weights, bias = self.parameters
        margin: float = bias + sum(map(mul, weights, values))
        return margin

    def predict(self, values: Sequence[float]) -> float:
        return sigmoid(2 * self.margin(values))


@register("network", TASK)
class SmallNetwork(RefittedLearner):
    """A neural network: four attributes, six hidden cells, one answer."""

    def __init__(self, *, rounds: int = 40, seed: int = 1, cells: int = 6, rate: float = 0.3) -> None:
        super().__init__(rounds, seed)
        self.cells, self.rate = cells, rate
        self.begin(random.Random(seed))  # noqa: S311

    def begin(self, rng: random.Random) -> None:
        """See `RefittedLearner`; the last number of each row is its bias."""
        hidden = [[rng.uniform(-1, 1) for _ in range(5)] for _ in range(self.cells)]
        self.parameters = [hidden, [rng.uniform(-1, 1) for _ in range(self.cells)] + [0.0]]

    def step(self, values: Sequence[float], relevant: bool, number: int) -> None:
        hidden, out = self.parameters
        cells, answer = self._forward(values)
        error = (relevant - answer) * self.rate / (1 + number / 2000)
        for place, cell in enumerate(cells):
            back = error * out[place] * (1 - cell * cell)
            out[place] += error * cell
            row = hidden[place]
            for at, x in enumerate(values):
                row[at] += back * x
            row[4] += back
        out[-1] += error

    def _forward(self, values: Sequence[float]) -> tuple[list[float], float]:
        """The outputs of the hidden cells, and of the network."""
        hidden, out = self.parameters
        cells = [math.tanh(row[4] + sum(map(mul, row, values))) for row in hidden]
        return cells, sigmoid(out[-1] + sum(map(mul, out, cells)))

    def predict(self, values: Sequence[float]) -> float:
        return self._forward(values)[1]
