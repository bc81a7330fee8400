"""Measures of a score against labels of 0 and 1."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np


class ScoreQuality(NamedTuple):
    """How well probabilities tell two classes apart."""

    accuracy: float  # at 0.5
    auc: float  # probability that a positive has the higher score; ties count half
    pr_auc: float  # average precision
    rmse: float  # of the probability against the label


def measure(scores: Sequence[float], labels: Sequence[float]) -> ScoreQuality:
    """The measures of scores from 0 to 1; AUC and PR-AUC are NaN where one class is missing."""
    found, truth = np.asarray(scores, np.float64), np.asarray(labels, np.float64)
    positive = truth > 0.5
    return ScoreQuality(
        accuracy=float(((found > 0.5) == positive).mean()),
        auc=_auc(found, positive),
        pr_auc=_average_precision(found, positive),
        rmse=math.sqrt(float(((found - truth) ** 2).mean())),
    )


def _auc(
    found: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    positive: "np.ndarray[tuple[int], np.dtype[np.bool]]",
) -> float:
    hits = int(positive.sum())
    if not 0 < hits < len(positive):
        return math.nan
    _, place, counts = np.unique(found, return_inverse=True, return_counts=True)
    ranks = np.cumsum(counts) - (counts - 1) / 2  # the mean rank of equal scores
    return float((ranks[place][positive].sum() - hits * (hits + 1) / 2) / (hits * (len(positive) - hits)))


def _average_precision(
    found: "np.ndarray[tuple[int], np.dtype[np.float64]]",
    positive: "np.ndarray[tuple[int], np.dtype[np.bool]]",
) -> float:
    hits = int(positive.sum())
    if not 0 < hits < len(positive):
        return math.nan
    values, place = np.unique(-found, return_inverse=True)
    taken = np.cumsum(np.bincount(place, minlength=len(values)))
    right = np.cumsum(np.bincount(place, weights=positive, minlength=len(values)))
    return float((np.diff(right, prepend=0.0) * (right / taken)).sum() / hits)
