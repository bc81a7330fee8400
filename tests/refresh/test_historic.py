from functools import reduce

import pytest

from fieldmouse.refresh.historic import EXPERIMENT_GROUPS, TEXT_GROUPS, Standing, seen, with_intervals


def after(standing, changes, groups):
    return reduce(lambda now, changed: seen(now, changed, groups), changes, standing)


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
    assert after(Standing(1), six_of_eight, TEXT_GROUPS).group == 0
    assert after(Standing(1), one_of_eight, TEXT_GROUPS).group == 2


def test_nothing_moves_before_the_window_is_full():
    assert after(Standing(1), [True] * 7, TEXT_GROUPS) == Standing(1, 7, 7)


def test_counters_start_again_after_each_window():
    assert after(Standing(1), [True] * 4 + [False] * 4, TEXT_GROUPS) == Standing(1, 0, 0)
    assert after(Standing(0), [False] * 3, EXPERIMENT_GROUPS) == Standing(1, 0, 0)
    assert after(Standing(0), [False] * 5, EXPERIMENT_GROUPS) == Standing(2, 0, 0)


def test_thresholds_are_strict():
    groups = (*EXPERIMENT_GROUPS[:1], EXPERIMENT_GROUPS[1]._replace(window=5), *EXPERIMENT_GROUPS[2:])
    assert after(Standing(1), [True] * 4 + [False], groups).group == 1
    assert after(Standing(1), [True] + [False] * 4, groups).group == 1


def test_the_ends_hold():
    assert after(Standing(0), [True] * 3, EXPERIMENT_GROUPS).group == 0
    assert after(Standing(3), [False], EXPERIMENT_GROUPS).group == 3


@pytest.mark.parametrize("intervals", [(2.0,), (1.0, 50.0), (1.0, 5.0, 20.0, 50.0, 90.0)])
def test_rules_for_other_intervals(intervals):
    groups = with_intervals(EXPERIMENT_GROUPS, intervals)
    assert tuple(group.interval for group in groups) == intervals
    assert groups[0].window == 3
    if len(groups) > 1:
        assert groups[-1].window == 1
