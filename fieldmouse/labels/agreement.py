"""How many labels of each class are right, from how far four kinds of evidence agree, without any answer.

The keywords of the name, of the head and of the content each vote for a class, and so does a classifier of
all other words. Where pages are of the classes and the keywords tell them, votes agree; where pages are of
none, or keywords mislead, they contradict each other. A page has one class or none; a vote is for it with a
share that depends on how strong the vote is. These shares and the classes are estimated together from the
votes of all pages by expectation maximisation (Dawid and Skene 1979).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, np.dtype[np.float64]]
Places = np.ndarray[Any, np.dtype[np.int64]]

BINS = 4  # of the strength of votes, with as many votes each
ROUNDS = 60
# Where the estimate begins: right and wrong votes for pages of a class, by strength, and votes for pages of
# none. They count as much as so many pages.
RIGHT, WRONG, NONE = (0.12, 0.16, 0.2, 0.24), (0.05, 0.03, 0.02, 0.01), (0.3, 0.2, 0.12, 0.08)
FIRST_NONE, FIRST_PAGES = 0.3, 50.0
# As many pages with the mean of all classes are counted with those of each class: few pages say little.
# By `bench/labels_fit.py`; 100 and 200 fit alike.
SHRUNK = 200.0
# What a vote counts: those on one page are not independent, as its author chose all the words.
COUNTED = 0.4


class Votes(NamedTuple):
    """The votes of one kind of evidence."""

    classes: Places  # -1: no vote
    bins: Places  # how strong a vote is; BINS without one

    @classmethod
    def of(cls, scores: Array, little: float) -> "Votes":
        """By the scores of each page for the classes; a best score of `little` gives half the strength."""
        ordered = np.sort(scores, axis=1)
        top, lead = ordered[:, -1], ordered[:, -1] - ordered[:, -2]
        strength = lead / (top + little) if little else lead
        voted = (lead > 0) & ((top > 0) if little else True)
        classes = np.where(voted, scores.argmax(axis=1), -1)
        bins = np.full(len(scores), BINS)
        if voted.any():
            cuts = np.quantile(strength[voted], np.arange(1, BINS) / BINS)
            bins[voted] = np.searchsorted(cuts, strength[voted])
        return cls(classes, bins)


class _Reliability:
    """How one kind of evidence votes: shares of right and wrong votes by strength, and of pages of none."""

    def __init__(self, votes: Votes, count: int) -> None:
        self.votes = votes
        self.voted = np.flatnonzero(votes.classes >= 0)
        self.silent = np.flatnonzero(votes.classes < 0)
        self.vote, self.bin = votes.classes[self.voted], votes.bins[self.voted]
        often = np.bincount(self.vote, minlength=count) + 1.0
        self.often = often / often.sum()  # how often each class is voted for
        silence = len(self.silent) / len(votes.classes)
        known = np.array([*RIGHT, *WRONG])
        self.first_known = np.append(known / known.sum() * (1 - silence), silence)
        self.first_none = np.append(np.array(NONE) / sum(NONE) * (1 - silence), silence)
        self.known, self.none = self.first_known, self.first_none

    def log_likelihood(self, count: int) -> Array:
        """Of each page's vote, if it is of each class, or of none (the last column)."""
        found = np.empty((len(self.votes.classes), count + 1))
        found[self.silent, :count], found[self.silent, count] = self.known[-1], self.none[-1]
        wrong = self.known[BINS + self.bin] * self.often[self.vote]
        found[self.voted, :count] = wrong[:, None] / (1 - self.often)
        found[self.voted, self.vote] = self.known[self.bin]
        found[self.voted, count] = self.none[self.bin] * self.often[self.vote]
        return np.log(found + 1e-12)

    def learn(self, chances: Array) -> None:
        """Estimate the shares anew from the chance of each class on each page."""
        none = chances[:, -1]
        right = chances[self.voted, self.vote]
        wrong = 1 - none[self.voted] - right
        silent = none[self.silent].sum()
        self.known = self.first_known * FIRST_PAGES + np.concatenate(
            [np.bincount(self.bin, one, BINS) for one in (right, wrong)] + [[len(self.silent) - silent]]
        )
        self.none = self.first_none * FIRST_PAGES + np.append(
            np.bincount(self.bin, none[self.voted], BINS), silent
        )
        self.known, self.none = self.known / self.known.sum(), self.none / self.none.sum()


def agreement(kinds: Sequence[Votes], best: Places, count: int) -> Array:
    """How far the votes are for the class `best` of each page: their mean chance for each of so many classes.

    The keywords of one class may be telling, those of another in most pages. A mean is multiplied by the
    share of votes for other classes: where nearly all votes are for one class, they agree on it whatever the
    pages are. As votes count less than they would if they were independent, the result is below the share
    that is right.
    """
    votes = np.bincount(np.concatenate([one.classes[one.classes >= 0] for one in kinds]), minlength=count)
    others = 1.0 - votes / max(votes.sum(), 1)
    reliabilities = [_Reliability(one, count) for one in kinds]
    shares = np.append(np.full(count, (1 - FIRST_NONE) / count), FIRST_NONE)
    chances = np.empty((len(best), count + 1))
    for _ in range(ROUNDS):
        odds = np.log(shares) + COUNTED * sum(one.log_likelihood(count) for one in reliabilities)
        chances = np.exp(odds - odds.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        shares = (chances.sum(axis=0) + 1) / (len(best) + count + 1)
        for one in reliabilities:
            one.learn(chances)
    found = chances[np.arange(len(best)), best]
    sums = np.bincount(best, found, count) + SHRUNK * found.mean()
    shares_right: Array = others * sums / (np.bincount(best, minlength=count) + SHRUNK)
    return shares_right
