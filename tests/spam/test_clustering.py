"""The pruned clustering gives what the plain algorithm gives, with fewer distances."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.spam.clustering import Clustering, cluster
from fieldmouse.spam.tag_distance import distance


def plain(shapes: list[str], radius: float, most: int | None, first: int) -> Clustering:
    """Furthest point first as Gonzalez wrote it: every distance is computed."""
    centres, radii = [first], []
    near = [distance(shapes[first], one) for one in shapes]
    group, calls = [0] * len(shapes), len(shapes)
    radii.append(max(near))
    while len(centres) < (most or len(shapes)) and radii[-1] > radius:
        centre = near.index(max(near))
        for page, one in enumerate(shapes):
            calls += 1
            if (d := distance(shapes[centre], one)) < near[page]:
                near[page], group[page] = d, len(centres)
        centres.append(centre)
        radii.append(max(near))
    return Clustering(tuple(centres), tuple(group), tuple(near), tuple(radii), calls, calls)


def test_the_vector() -> None:
    shapes = ["aabb", "aab", "ccdd", "ccd", "aabbc", "aabb"]
    found = cluster(shapes, radius=0, most=3)
    assert found.centres == (0, 2, 1)
    assert found.radii == (1, 0.25, 0.25)
    assert found.asked == 12
    assert plain(shapes, 0, 3, 0).asked == 18
    assert found.computed < 12  # to itself, between equal pages and to the own centre they are known
    assert found.members() == [[0, 4, 5], [2, 3], [1]]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.text("abc", max_size=8), min_size=1, max_size=25), st.data())
def test_the_output_is_that_of_the_plain_algorithm(shapes: list[str], data: st.DataObject) -> None:
    radius = data.draw(st.sampled_from([0, 0.1, 0.2, 0.5]))
    most = data.draw(st.none() | st.integers(1, 6))
    first = data.draw(st.integers(0, len(shapes) - 1))
    ours, theirs = cluster(shapes, radius=radius, most=most, first=first), plain(shapes, radius, most, first)
    assert ours.group == theirs.group
    assert ours.distance == theirs.distance
    assert ours.radii == theirs.radii
    # A page and its copies are one point: any of them may stand for the centre.
    assert [shapes[one] for one in ours.centres] == [shapes[one] for one in theirs.centres]
    assert ours.computed <= theirs.computed


def test_pages_of_few_frames_need_few_distances() -> None:
    dice = random.Random(5)
    frames = ["".join(dice.choices("abcdefghij", k=80)) for _ in range(10)]
    shapes = ["".join(c for c in dice.choice(frames) if dice.random() > 0.03) for _ in range(400)]
    ours, theirs = cluster(shapes, radius=0.2), plain(shapes, 0.2, None, 0)
    assert ours.group == theirs.group
    assert len(ours.centres) == 10
    assert ours.computed < 0.6 * theirs.computed


@pytest.mark.parametrize("shapes", [[], [""], ["", ""], ["a"] * 50])
def test_nothing_and_one_thing_can_be_clustered(shapes: list[str]) -> None:
    found = cluster(shapes)
    assert len(found.centres) == min(1, len(shapes))
    assert set(found.distance) <= {0.0}
    assert found.computed == 0
