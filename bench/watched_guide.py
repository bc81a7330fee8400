"""A guide whose verdicts are noted while it crawls: how well its page judge tells the topic.

Each verdict counts as it was given, before the judge learned from the page. After 250, 500 and 1,000 pages
the share that the judge states is compared with the truth.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from fieldmouse.focus.guide import Guide
from fieldmouse.focus.link_learner import Parent
from fieldmouse.focus.ridge_judge import TopicShare
from fieldmouse.focus.words import PageText
from fieldmouse.learn.ranking_metrics import measure
from fieldmouse.types import Verdict

MARKS = (250, 500, 1000)


class StatedShare(NamedTuple):
    """The true share of pages on the topic after so many pages, and what the judge states."""

    pages: int
    true: float
    stated: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Whether the truth lies within the bounds."""
        return self.low <= self.true <= self.high


class JudgeFigures(NamedTuple):
    """How well a page judge did."""

    f1: float
    auc: float
    shares: tuple[StatedShare, ...]

    @classmethod
    def from_json(cls, row: dict[str, Any]) -> "JudgeFigures":
        """What `_asdict` gave."""
        return cls(row["f1"], row["auc"], tuple(StatedShare(*one) for one in row["shares"]))


class Watched:
    """Notes the verdicts and the stated shares of a guide."""

    def __init__(self, guide: Guide) -> None:
        self.guide = guide
        self.scores: list[float] = []
        self.shares: dict[int, TopicShare] = {}
        self._saw = guide.saw
        guide.saw = self.saw  # type: ignore[method-assign]

    def saw(self, url: str, page: PageText, level: int = 0) -> tuple[Verdict, Parent]:
        """See `Guide`."""
        verdict, parent = self._saw(url, page, level)
        self.scores.append(verdict.score)
        if len(self.scores) in MARKS and (share := self.guide.share()):
            self.shares[len(self.scores)] = share
        return verdict, parent

    def figures(self, done: Sequence[str], targets: frozenset[str]) -> JudgeFigures:
        """The figures of a crawl that downloaded these pages."""
        truth = [float(url in targets) for url in done]
        shares = (
            StatedShare(mark, round(sum(truth[:mark]) / mark, 3), *(round(x, 3) for x in share))
            for mark, share in self.shares.items()
        )
        return JudgeFigures(f1(self.scores, truth), round(measure(self.scores, truth).auc, 3), tuple(shares))


def f1(scores: Sequence[float], truth: Sequence[float]) -> float:
    """F1 of verdicts above one half."""
    said = [score > 0.5 for score in scores]
    right = sum(yes and fact > 0 for yes, fact in zip(said, truth, strict=True))
    return round(2 * right / max(sum(said) + sum(truth), 1), 3)
