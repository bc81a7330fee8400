"""The seven measures, their mean ranks and the membership."""

import pytest

from fieldmouse.labels.measures import ClassRanker, cosine

CLASSES = ({"car": 4, "engine": 3, "sale": 1}, {"recipe": 4, "kitchen": 2, "sale": 1}, {"court": 3, "law": 5})
QUERY = {"car": 1, "sale": 1}


def test_the_measures_of_a_worked_example() -> None:
    found = ClassRanker(CLASSES, smoothing=2000).rank(QUERY)
    expected = (
        (0.77397, 0.25, 0.4, 1, 1.50408, 2.10926, -4.18236),
        (0.02848, 0.125, 0.22222, 0.5, 0.40547, 0.48734, -4.19280),
        (0, 0, 0, 0, 0, 0, -4.19953),
    )
    for one, values in zip(found, expected, strict=True):
        assert one.values == pytest.approx(values, abs=5e-6)
    assert [one.mean_rank for one in found] == [1, 2, 3]


def test_membership_is_within_0_and_1_and_does_not_compare_classes() -> None:
    found = ClassRanker(CLASSES).rank(QUERY)
    assert [one.membership for one in found] == sorted((one.membership for one in found), reverse=True)
    assert all(0 <= one.membership <= 1 for one in found)
    assert found[2].membership == 0
    weak = ClassRanker(CLASSES).rank({"sale": 1, "of": 1, "many": 1, "things": 1})
    assert max(one.membership for one in weak) < 0.5  # the best of a weak query is not 1


def test_smoothing_by_the_mean_length_tells_classes_apart() -> None:
    values = [one.values[6] for one in ClassRanker(CLASSES).rank(QUERY)]
    assert values[0] - values[1] > 0.5


@pytest.mark.parametrize("query", [{}, {"unknown": 1}])
def test_a_query_without_a_keyword_belongs_to_no_class(query: dict[str, float]) -> None:
    found = ClassRanker(CLASSES).rank(query)
    assert [one.membership for one in found] == [0, 0, 0]
    assert [one.mean_rank for one in found] == [2, 2, 2]


def test_one_class_and_equal_classes_do_not_fail() -> None:
    assert len(ClassRanker([{"car": 1}]).rank(QUERY)) == 1
    assert [one.mean_rank for one in ClassRanker([{"car": 1}, {"car": 1}]).rank(QUERY)] == [1.5, 1.5]


def test_cosine() -> None:
    assert cosine({"a": 1}, {"a": 2}) == 1
    assert cosine({"a": 1}, {"b": 2}) == 0
    assert cosine({}, {"b": 2}) == 0
