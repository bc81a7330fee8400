"""Compares learners of spam on labelled texts, and trains the best one that can be scored without a library.

Texts of one source are all in one fold. A training text that is the same as a test text is left out, because
spam is copied between sources. Labels are 0 to 1; errors are shown on the scale of the score.
"""

import math
import random
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from fieldmouse.errors import UsageError
from fieldmouse.learn.byte_filter import ByteFilter
from fieldmouse.learn.learner import TrainingRecord, make_learner
from fieldmouse.learn.mean_embedding import MeanEmbedding
from fieldmouse.learn.ngram_linear import NgramLinear
from fieldmouse.learn.ranking_metrics import ScoreQuality, measure
from fieldmouse.learn.text_hashing import normalise

from .executors import in_order
from .spam_data import LabelledText

NGRAMS = (1, 2, 3, 4)
PASSES = 10  # of Vowpal Wabbit over the texts
READ = 10_000  # characters by which texts are the same


class TextModel(Protocol):
    """What is compared."""

    def fit(self, examples: Sequence[str], labels: Sequence[float]) -> Any:
        """Learn from texts and the share of spam in each."""

    def score(self, example: str) -> float:
        """The probability of spam."""


class Contender(NamedTuple):
    """A learner with n-grams of up to n words; n is 0 where it has none."""

    name: str
    n: int
    make: Callable[[], TextModel]


class SpamTableRow(NamedTuple):
    """A contender's figures on texts of sources that it did not learn from."""

    learner: str
    n: int
    accuracy: float
    auc: float
    pr_auc: float
    rmse: float  # on the scale of the score
    model_bytes: int
    train_seconds: float  # of one fold
    score_us: float  # of one text
    by_source: dict[str, float]  # AUC of each fold, by its source; empty if folds have several


@dataclass(frozen=True, slots=True, kw_only=True)
class SpamComparison:
    """The table, and the model that was trained on all texts."""

    folds: str  # how they were made
    texts: int
    spam: int
    rows: list[SpamTableRow]
    best: SpamTableRow  # by AUC
    chosen: SpamTableRow  # the best of those that need no library
    model: NgramLinear


class VowpalWabbit:
    """Vowpal Wabbit in this process: squared loss on labels of 0 to 1, n-grams of words."""

    def __init__(self, n: int) -> None:
        """Nothing is started before `fit`."""
        self.n = n
        self.size = 0
        self._machine: Any = None

    def fit(self, examples: Sequence[str], labels: Sequence[float]) -> Self:
        """Pass over the texts several times, in a new order each time."""
        from vowpalwabbit import Workspace

        self._machine = Workspace(f"--ngram {self.n} -b 18 --loss_function squared --random_seed 1 --quiet")
        order, rng = list(range(len(examples))), random.Random(1)  # noqa: S311
        lines = [f"{label} {_vw_text(text)}" for text, label in zip(examples, labels, strict=True)]
        for _ in range(PASSES):
            rng.shuffle(order)
            for at in order:
                self._machine.learn(lines[at])
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model"
            self._machine.save(str(file))
            self.size = file.stat().st_size
        return self

    def score(self, example: str) -> float:
        """The prediction, clipped to 0 to 1."""
        return min(1.0, max(0.0, float(self._machine.predict(_vw_text(example)))))


class Adapted:
    """The model that ships, adapted to the texts."""

    def __init__(self, base: NgramLinear) -> None:
        """Take the model that ships."""
        self.base = base
        self.model = base

    def fit(self, examples: Sequence[str], labels: Sequence[float]) -> Self:
        """Learn what the base does not know."""
        made = make_learner(self.base.name, **self.base.settings())
        assert isinstance(made, NgramLinear)
        self.model = made.adapt(self.base, examples, labels)
        return self

    def score(self, example: str) -> float:
        """The probability of spam."""
        return self.model.score(example)


class Untrained(Adapted):
    """The model that ships, as it is."""

    def fit(self, examples: Sequence[str], labels: Sequence[float]) -> Self:  # noqa: ARG002
        """Learn nothing."""
        return self


def contenders(base: NgramLinear) -> Iterator[Contender]:
    """Every learner with each n; Vowpal Wabbit only where it is installed."""

    def named(name: str, n: int, **settings: Any) -> Callable[[], TextModel]:
        return lambda: make_learner(name, words=n, **settings)

    if has_vowpal_wabbit():
        yield from (Contender("Vowpal Wabbit", n, partial(VowpalWabbit, n)) for n in NGRAMS)
    for n in NGRAMS:
        yield Contender("words", n, named("linear words", n, limit=base.limit))
    for n in NGRAMS:
        yield Contender("words+chars 2-5", n, named("linear words and characters", n, limit=base.limit))
    for n in NGRAMS:
        yield Contender("like fastText", n, partial(MeanEmbedding, words=n))
    yield Contender("byte 4-grams", 0, ByteFilter)
    yield Contender("shipped model", base.words, partial(Untrained, base))
    yield Contender("shipped, adapted", base.words, partial(Adapted, base))


def has_vowpal_wabbit() -> bool:
    """Whether Vowpal Wabbit is installed."""
    from importlib.util import find_spec

    return find_spec("vowpalwabbit") is not None


class FoldPlan(NamedTuple):
    """How many folds there are, and the random seed by which they are made."""

    folds: int = 10
    seed: int = 1


def compare(
    rows: Sequence[LabelledText],
    *,
    base: NgramLinear,
    most: int,
    record: TrainingRecord,
    folds: FoldPlan | None = None,
    tell: Callable[[str], None] = lambda _: None,
    executor: Executor | None = None,
) -> SpamComparison:
    """The table of all contenders, and the best linear model trained on all texts.

    `base` is the model that ships; `record` says what the texts are.
    """
    parts, how = make_folds(rows, *(folds or FoldPlan()))
    found: list[tuple[SpamTableRow, Contender]] = []
    listed = list(contenders(base))
    tasks = (ContenderTask(base, number, rows, parts, most) for number in range(len(listed)))
    measured = map(table_row, tasks) if executor is None else in_order(executor, table_row, tasks)
    for one in listed:
        tell(f"{one.name} {one.n or ''}".rstrip())
        found.append((next(measured), one))
    best = max((row for row, _ in found), key=lambda row: row.auc)
    servable = [pair for pair in found if pair[1].name.startswith(("words", "shipped, adapted"))]
    chosen, contender = max(servable, key=lambda pair: pair[0].auc)
    tell("training on all texts")
    made = contender.make()
    made.fit([one.text for one in rows], [one.label for one in rows])
    model = made.model if isinstance(made, Adapted) else made
    assert isinstance(model, NgramLinear)
    if isinstance(made, Adapted):
        record = replace(record, data=f"{record.data}, on top of {made.base.training.data}")
    names = ("accuracy", "auc", "pr_auc", "rmse")
    figures = {name: round(getattr(chosen, name), 4) for name in names}
    figures |= {f"auc {source}": round(value, 4) for source, value in chosen.by_source.items()}
    model.training = replace(record, data=f"{record.data}; measured on {how}", figures=figures)
    return SpamComparison(
        folds=how, texts=len(rows), spam=sum(one.label > 0.5 for one in rows),
        rows=[row for row, _ in found], best=best, chosen=chosen, model=model,
    )  # fmt: skip


def make_folds(rows: Sequence[LabelledText], count: int, seed: int) -> tuple[list[list[int]], str]:
    """The places of the test texts of each fold, and how folds were made."""
    if len(rows) < 2 * count:
        raise UsageError(
            f"{len(rows)} texts are too few for {count} folds; give more texts, or fewer --folds"
        )
    groups: dict[str, list[int]] = defaultdict(list)
    sources = {one.source for one in rows}
    by_source = len(sources) > 1
    for at, row in enumerate(rows):
        groups[row.source if by_source else normalise(row.text, READ)].append(at)
    if by_source and len(groups) <= count:
        return list(groups.values()), f"{len(groups)} folds, one for each source"
    order = list(groups.values())
    random.Random(seed).shuffle(order)  # noqa: S311
    parts: list[list[int]] = [[] for _ in range(count)]
    for group in sorted(order, key=len, reverse=True):
        min(parts, key=len).extend(group)
    kind = f"{len(groups)} sources" if by_source else "no sources, equal texts together"
    return parts, f"{count} folds at random, {kind}"


class ContenderTask(NamedTuple):
    """A contender, by its number, to be measured; also by a process of an executor."""

    base: NgramLinear
    number: int
    rows: Sequence[LabelledText]
    parts: list[list[int]]
    most: int


def table_row(task: ContenderTask) -> SpamTableRow:
    """Train and test a contender in each fold."""
    rows, parts, most = task.rows, task.parts, task.most
    one = list(contenders(task.base))[task.number]
    same = [normalise(row.text, READ) for row in rows]
    qualities: list[tuple[int, str, ScoreQuality]] = []
    train_seconds = score_seconds = 0.0
    size = 0
    for tests in parts:
        outside, known = set(tests), {same[at] for at in tests}
        train = [row for at, row in enumerate(rows) if at not in outside and same[at] not in known]
        began = time.perf_counter()
        model = one.make()
        model.fit([row.text for row in train], [row.label for row in train])
        between = time.perf_counter()
        scores = [model.score(rows[at].text) for at in tests]
        score_seconds += time.perf_counter() - between
        train_seconds += between - began
        size = max(size, _size(model))
        sources = {rows[at].source for at in tests}
        source = sources.pop() if len(sources) == 1 else ""
        qualities.append((len(tests), source, measure(scores, [rows[at].label for at in tests])))
    total = sum(count for count, *_ in qualities)
    aucs = [(quality.auc, quality.pr_auc) for *_, quality in qualities if not math.isnan(quality.auc)]
    if not aucs:
        raise UsageError("no fold has both spam and other texts; give sources with both, or fewer --folds")
    squares = sum(count * quality.rmse**2 for count, _, quality in qualities) / total
    return SpamTableRow(
        learner=one.name,
        n=one.n,
        accuracy=sum(count * quality.accuracy for count, _, quality in qualities) / total,
        auc=sum(auc for auc, _ in aucs) / len(aucs),
        pr_auc=sum(pr_auc for _, pr_auc in aucs) / len(aucs),
        rmse=most * math.sqrt(squares),
        model_bytes=size,
        train_seconds=train_seconds / len(parts),
        score_us=score_seconds / total * 1e6,
        by_source={source: quality.auc for _, source, quality in qualities if source},
    )


def _size(model: TextModel) -> int:
    """The bytes of a model's file."""
    if isinstance(model, NgramLinear | Adapted):
        return len((model.model if isinstance(model, Adapted) else model).to_file())
    return model.size if isinstance(model, VowpalWabbit) else len(model.save())  # type: ignore[attr-defined]


def _vw_text(text: str) -> str:
    """A text as features of Vowpal Wabbit, whose own signs are `|` and `:`."""
    return "| " + normalise(text, READ).replace(":", " ").replace("|", " ")
