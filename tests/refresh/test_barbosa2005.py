from functools import reduce

import numpy as np
import pytest

from fieldmouse.refresh.barbosa2005 import (
    EXPERIMENT_GROUPS,
    HistoricGroup,
    HistoricState,
    after_visit,
    with_intervals,
)
from fieldmouse.refresh.policies import bayes_update

TEXT_GROUPS = tuple(HistoricGroup(*one, 0.3, 0.7) for one in ((1, 10), (7, 8), (30, 6), (100, 2)))  # Table 2


def after(standing, changes, groups):
    return reduce(lambda now, changed: after_visit(now, changed, groups), changes, standing)


def test_both_tables_of_the_paper():
    assert [tuple(group) for group in TEXT_GROUPS] == [
        (1, 10, 0.3, 0.7),
        (7, 8, 0.3, 0.7),
        (30, 6, 0.3, 0.7),
        (100, 2, 0.3, 0.7),
    ]
    assert [tuple(group) for group in EXPERIMENT_GROUPS] == [
        (1, 3, 0.2, 0.8),
        (3, 2, 0.2, 0.8),
        (31, 2, 0.2, 0.8),
        (96, 1, 0.2, 0.8),
    ]


def test_the_example_of_the_paper():
    six_of_eight = [True] * 6 + [False] * 2
    one_of_eight = [True] + [False] * 7
    assert after(HistoricState(1), six_of_eight, TEXT_GROUPS).group == 0
    assert after(HistoricState(1), one_of_eight, TEXT_GROUPS).group == 2


def test_nothing_moves_before_the_window_is_full():
    assert after(HistoricState(1), [True] * 7, TEXT_GROUPS) == HistoricState(1, 7, 7)


def test_counters_start_again_after_each_window():
    assert after(HistoricState(1), [True] * 4 + [False] * 4, TEXT_GROUPS) == HistoricState(1, 0, 0)
    assert after(HistoricState(0), [False] * 3, EXPERIMENT_GROUPS) == HistoricState(1, 0, 0)
    assert after(HistoricState(0), [False] * 5, EXPERIMENT_GROUPS) == HistoricState(2, 0, 0)


def test_thresholds_are_strict():
    groups = (*EXPERIMENT_GROUPS[:1], EXPERIMENT_GROUPS[1]._replace(window=5), *EXPERIMENT_GROUPS[2:])
    assert after(HistoricState(1), [True] * 4 + [False], groups).group == 1
    assert after(HistoricState(1), [True] + [False] * 4, groups).group == 1


def test_the_ends_hold():
    assert after(HistoricState(0), [True] * 3, EXPERIMENT_GROUPS).group == 0
    assert after(HistoricState(3), [False], EXPERIMENT_GROUPS).group == 3


@pytest.mark.parametrize("intervals", [(2.0,), (1.0, 50.0), (1.0, 5.0, 20.0, 50.0, 90.0)])
def test_rules_for_other_intervals(intervals):
    groups = with_intervals(intervals)
    assert tuple(group.interval for group in groups) == intervals
    assert groups[0].window == 3
    if len(groups) > 1:
        assert groups[-1].window == 1


def update(probabilities, intervals, days, changed):
    """Bayes' rule for one visit to one page."""
    rows = np.array([probabilities], float), np.array(intervals, float), np.array([days], float)
    return bayes_update(*rows, np.array([changed]))[0]


def test_bayes_rule_with_the_gap_and_with_unit_gaps_as_published():
    assert update((0.9, 0.1), (7, 30), 7, False) == pytest.approx((0.807, 0.193), abs=5e-4)
    assert update((0.9, 0.1), (7, 30), 1, False) == pytest.approx((0.8897, 0.1103), abs=5e-5)


def test_bayes_rule_over_three_visits():
    found = (0.25,) * 4
    for changed in (True, True, False):
        found = update(found, (1, 3, 31, 96), 3, changed)
    assert found == pytest.approx((0.2241, 0.7328, 0.0385, 0.0046), abs=5e-5)
    assert np.argmax(found) == 1


def test_impossible_evidence_changes_nothing():
    assert update((1.0, 0.0), (1, 30), 1e9, False).tolist() == [1.0, 1e-300]
