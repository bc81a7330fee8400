"""Probabilities that can be believed."""

import numpy as np
import pytest

from fieldmouse.learn.calibration import (
    Floats,
    brier,
    calibration_error,
    fit_isotonic,
    fit_logistic,
    from_log_odds,
    log_odds,
    reliability,
)


def test_the_measures_on_figures_worked_by_hand() -> None:
    probabilities, labels = np.array([0.1, 0.1, 0.9, 0.9]), np.array([0.0, 1.0, 1.0, 1.0])
    ones = np.ones(4)
    assert brier(probabilities, labels, ones) == pytest.approx((0.01 + 0.81 + 0.01 + 0.01) / 4)
    assert reliability(probabilities, labels, ones) == [
        (pytest.approx(0.1), 0.5, 0.5),
        (pytest.approx(0.9), 1.0, 0.5),
    ]
    assert calibration_error(probabilities, labels, ones) == pytest.approx(0.25)
    assert brier(probabilities, labels, np.array([1.0, 0.0, 0.0, 0.0])) == pytest.approx(0.01)


def test_log_odds_and_back() -> None:
    some = np.array([0.01, 0.5, 0.99])
    assert from_log_odds(log_odds(some)) == pytest.approx(some)
    assert np.isfinite(log_odds(np.array([0.0, 1.0]))).all()


def test_a_logistic_fit_finds_what_made_the_labels() -> None:
    rng = np.random.default_rng(1)
    inputs = rng.normal(size=(20_000, 2))
    labels = (rng.random(20_000) < from_log_odds(-1.0 + inputs @ np.array([2.0, -0.5]))).astype(float)
    found = fit_logistic(inputs, labels, np.ones(20_000), np.zeros(3))
    assert found == pytest.approx([-1.0, 2.0, -0.5], abs=0.1)
    half = np.where(labels > 0, 0.5, 1.0)  # as if half of the positives were not there
    assert fit_logistic(inputs, labels, half, np.zeros(3))[0] < found[0] - 0.5


@pytest.mark.parametrize("count", [4, 60])
def test_a_fit_of_classes_that_are_apart_ends_and_is_no_worse_than_its_start(count: int) -> None:
    inputs = np.concatenate([np.full((count, 1), -13.8), np.full((count, 1), 13.8), [[13.8]]])
    labels = np.concatenate([np.zeros(count), np.ones(count), [0.0]])
    start = np.array([0.0, 1.0])
    found = fit_logistic(inputs, labels, np.ones(len(labels)), start)

    def loss(weights: Floats) -> float:
        found = from_log_odds(weights[0] + inputs[:, 0] * weights[1])
        return -float(np.log(np.where(labels > 0.5, found, 1 - found)).mean())

    assert np.isfinite(found).all()
    assert loss(found) <= loss(start)


def test_isotonic_probabilities_rise_and_keep_the_mean() -> None:
    scores, labels = np.array([0.1, 0.2, 0.3, 0.4, 0.5]), np.array([0.0, 1.0, 0.0, 1.0, 1.0])
    ends, values = fit_isotonic(scores, labels, np.ones(5))
    fitted = np.interp(scores, ends, values)
    assert fitted.tolist() == pytest.approx([0.0, 0.5, 0.5, 1.0, 1.0])
    assert (np.diff(values) >= 0).all()
