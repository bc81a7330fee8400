"""Spam scores of texts: 0 to 99 for the main text of a page, 0 to 256 for a comment or tags.

**The higher the score, the more likely the text is spam.** Waterloo's Fusion scores of pages are the other
way round: a percentile of pages that are spammier; 0 is the worst, below 70 is spam (`from_percentile`).

With p the model's probability, the scores are 99·√p and 256·p². So even odds are at 70 and at 64, the
thresholds of LEADS D1.3: a text is spam if its score is above them.
"""

import math
from importlib import resources
from pathlib import Path
from typing import NamedTuple, Self

from fieldmouse.learn.ngram_linear import NgramLinear
from fieldmouse.types import Verdict

FUSION_SPAM = 70  # a Waterloo percentile below this is spam


class SpamScale(NamedTuple):
    """A kind of texts: the file of its model, and the scale of its scores."""

    model: str
    most: int  # certainly spam; 0 is certainly not
    threshold: int  # scores above it are spam; the default of the setting
    read: int  # characters of a text that the model reads


CONTENT = SpamScale("content_spam.dat", 99, 70, 8000)
COMMENT = SpamScale("comment_spam.dat", 256, 64, 4000)


class SpamScores:
    """Both models, mapped into memory; open it once and use it from any thread."""

    def __init__(self, content: NgramLinear, comment: NgramLinear) -> None:
        """Take the two models."""
        self.content, self.comment = content, comment

    @classmethod
    def open(cls, folder: Path | None = None) -> Self:
        """The models of an archive, or those that ship with the program where it has none."""
        return cls(open_model(CONTENT, folder), open_model(COMMENT, folder))

    def score_content(self, text: str) -> int:
        """How likely the main text of a page is spam: 0 (not) to 99. A text without words has 0."""
        return content_score(self.content.score(text))

    def score_comment(self, text: str) -> int:
        """How likely a comment, or tags, are spam: 0 (not) to 256. A text without words has 0."""
        return comment_score(self.comment.score(text))

    def judge_content(self, text: str) -> Verdict:
        """The score of `score_content`, and why."""
        verdict = self.content.judge(text)
        return Verdict(content_score(verdict.score), verdict.reasons)

    def judge_comment(self, text: str) -> Verdict:
        """The score of `score_comment`, and why."""
        verdict = self.comment.judge(text)
        return Verdict(comment_score(verdict.score), verdict.reasons)


def open_model(scale: SpamScale, folder: Path | None = None) -> NgramLinear:
    """Map a model: the archive's own, or the one that ships with the program."""
    own = folder / "models" / scale.model if folder is not None else None
    if own is not None and own.is_file():
        return NgramLinear.from_file(own)
    with resources.as_file(resources.files("fieldmouse.spam").joinpath(scale.model)) as file:
        return NgramLinear.from_file(file)


def content_score(probability: float) -> int:
    """A probability on the scale of pages."""
    return round(CONTENT.most * math.sqrt(probability))


def comment_score(probability: float) -> int:
    """A probability on the scale of comments."""
    return round(COMMENT.most * probability**2)


def from_percentile(percentile: float) -> bool:
    """Whether a page with this Waterloo Fusion percentile is spam: 0 is the spammiest page of all."""
    return percentile < FUSION_SPAM
