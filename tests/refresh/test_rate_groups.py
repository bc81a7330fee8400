import itertools
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.rate_groups import (
    LONGEST,
    SHORTEST,
    choose,
    cluster,
    interval,
)

CENTRES = (1, 3, 31, 96)


def test_intervals_are_within_limits():
    assert interval(0) == LONGEST
    assert interval(1e-9) == LONGEST
    assert interval(50) == SHORTEST
    assert interval(0.1) == pytest.approx(10)


def least_error(values, k):
    """The smallest squared error over all ways to cut, tried one by one."""

    def error(part):
        mean = sum(part) / len(part)
        return sum((v - mean) ** 2 for v in part)

    values = sorted(values)
    ways = itertools.combinations(range(1, len(values)), k - 1)
    return min(sum(error(values[a:b]) for a, b in itertools.pairwise((0, *way, len(values)))) for way in ways)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(st.lists(st.floats(1, 100), min_size=4, max_size=9, unique=True), st.integers(1, 4))
def test_clusters_are_the_best_there_are(values, k):
    found = cluster(values, k)
    assert found.error == pytest.approx(least_error(values, k), abs=1e-6)
    assert sum(found.sizes) == len(values)
    assert list(found.centres) == sorted(found.centres)


def test_equal_values_stay_together():
    found = cluster([1.0] * 5 + [9.0] * 3, 2)
    assert found == ((1.0, 9.0), (5, 3), 0.0)
    assert cluster([4.0, 4.0], 4).centres == (4.0,)


def test_nothing_to_group():
    with pytest.raises(ValueError, match="nothing"):
        cluster([], 2)


def test_nearest_group():
    found = cluster([1, 3, 31, 96], 4)
    assert [found.nearest(days) for days in (0.1, 1.9, 2, 17, 60, 70, 1e9)] == [0, 0, 1, 2, 2, 3, 3]


def test_the_choice_explains_itself():
    rng = random.Random(1)
    values = [rng.gauss(centre, 0.1) for centre in CENTRES for _ in range(50)]
    choice = choose(values)
    assert len(choice.grouping.centres) == 4
    assert "2 groups" in choice.reasons[0]
    assert choice.reasons[-1] == "chosen: 4 groups"


def test_a_choice_among_too_few_values():
    assert choose([5.0, 5.0]).grouping.centres == (5.0,)


def test_large_sets_are_quick():
    rng = random.Random(2)
    found = cluster([rng.uniform(1, 100) for _ in range(20_000)], 4)
    assert found.centres == pytest.approx((13.4, 38.1, 62.9, 87.6), abs=1.5)
