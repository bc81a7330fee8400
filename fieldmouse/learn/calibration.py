"""Turns scores into probabilities, and measures how reliable probabilities are."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 30  # of Newton's method
RIDGE = 1.0  # evidence, in examples, that a slope is what it was to begin with
SMALLEST = 1e-8  # step that is not worth taking
BINS = 10
EDGE = 1e-6  # no probability is nearer to 0 or 1


def log_odds(probabilities: Floats) -> Floats:
    """The log-odds of probabilities."""
    inside = np.clip(probabilities, EDGE, 1.0 - EDGE)
    return np.asarray(np.log(inside) - np.log1p(-inside))


def from_log_odds(values: Floats) -> Floats:
    """The probabilities of log-odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(values, -30.0, 30.0))))


def fit_logistic(inputs: Floats, labels: Floats, weights: Floats, start: Floats) -> Floats:
    """Weights of a logistic regression: a constant, and one for each column of the inputs.

    A little evidence (`RIDGE`) holds them at `start`.
    """
    columns = np.column_stack([np.ones(len(inputs)), inputs])

    def loss(at: Floats) -> float:
        odds = columns @ at
        found = float(weights @ (np.logaddexp(0.0, odds) - labels * odds))
        return found + RIDGE / 2 * float(((at - start) ** 2).sum())

    found = start.astype(np.float64).copy()
    for _ in range(STEPS):
        expected = from_log_odds(columns @ found)
        slope = columns.T @ (weights * (labels - expected)) - RIDGE * (found - start)
        bend = (columns * (weights * expected * (1.0 - expected))[:, None]).T @ columns
        step = np.linalg.solve(bend + RIDGE * np.eye(len(found)), slope)
        here = loss(found)
        while loss(found + step) > here and float(np.abs(step).max()) > SMALLEST:
            step = step / 2  # Newton's step goes too far
        found += step
        if float(np.abs(step).max()) <= SMALLEST:
            break
    return found


def block_errors(inputs: Floats, labels: Floats, weights: Floats, found: Floats, blocks: int) -> Floats:
    """The standard errors of the weights that `fit_logistic` found.

    Examples of a block of consecutive ones may depend on each other, those of two blocks do not (the sandwich
    estimator, with a block as a cluster).
    """
    columns = np.column_stack([np.ones(len(inputs)), inputs])
    expected = from_log_odds(columns @ found)
    bend = (columns * (weights * expected * (1.0 - expected))[:, None]).T @ columns
    bread = np.linalg.inv(bend + RIDGE * np.eye(len(found)))
    slopes = columns * (weights * (labels - expected))[:, None]
    sums = np.array([part.sum(axis=0) for part in np.array_split(slopes, blocks)])
    spread = bread @ (sums.T @ sums) @ bread * (blocks / (blocks - 1))
    return np.asarray(np.sqrt(np.diag(spread)))


def fit_isotonic(scores: Floats, labels: Floats, weights: Floats) -> tuple[Floats, Floats]:
    """The best probabilities that rise with the score: scores and probabilities, to interpolate between."""
    order = np.argsort(scores, kind="stable")
    blocks: list[list[float]] = []  # weight, mean label, first and last score
    for score, label, weight in zip(scores[order], labels[order], weights[order], strict=True):
        blocks.append([float(weight), float(label), float(score), float(score)])
        while len(blocks) > 1 and blocks[-2][1] >= blocks[-1][1]:
            more, mean, _, last = blocks.pop()
            total = blocks[-1][0] + more
            blocks[-1][1] = (blocks[-1][0] * blocks[-1][1] + more * mean) / total
            blocks[-1][0], blocks[-1][3] = total, last
    table = np.array(blocks)
    ends = np.column_stack([table[:, 2], table[:, 3]]).ravel()
    return ends, np.repeat(table[:, 1], 2)


def brier(probabilities: Floats, labels: Floats, weights: Floats) -> float:
    """The mean squared error of probabilities."""
    return float(np.average((probabilities - labels) ** 2, weights=weights))


def reliability(
    probabilities: Floats, labels: Floats, weights: Floats, bins: int = BINS
) -> list[tuple[float, float, float]]:
    """By bins of equal width that are not empty: mean probability, share of positives, share of all."""
    place = np.minimum((probabilities * bins).astype(np.int64), bins - 1)
    found = []
    for one in range(bins):
        inside = place == one
        total = float(weights[inside].sum())
        if total > 0:
            mean, positive = (
                float(np.average(some[inside], weights=weights[inside])) for some in (probabilities, labels)
            )
            found.append((mean, positive, total / float(weights.sum())))
    return found


def calibration_error(probabilities: Floats, labels: Floats, weights: Floats, bins: int = BINS) -> float:
    """The expected calibration error: the mean gap between probability and share of positives, by bins."""
    return sum(
        share * abs(mean - positive)
        for mean, positive, share in reliability(probabilities, labels, weights, bins)
    )
