"""Accuracy by coverage."""

from xml.etree import ElementTree as ET

from fieldmouse.labels.accuracy_curve import CoveragePoint, accuracy_curve, best_coverage, draw_curves


def test_a_curve_has_a_point_for_each_certainty() -> None:
    points = accuracy_curve([0.9, 0.5, 0.9, 0.1], [1, 0, 1, 1], pages=8)
    assert points == [
        CoveragePoint(0.9, 0.25, 1.0),
        CoveragePoint(0.5, 0.375, 2 / 3),
        CoveragePoint(0.1, 0.5, 0.75),
    ]
    assert best_coverage(points, 0.9) == points[0]
    assert best_coverage(points, 0.75) == points[2]
    assert best_coverage(points, 1.1) is None
    assert accuracy_curve([], []) == []


def test_a_curve_is_drawn_and_names_are_escaped() -> None:
    points = accuracy_curve([0.9, 0.5], [1, 0])
    tree = ET.fromstring(draw_curves({"<default>": points}, {"published": points[0]}))
    texts = [one.text for one in tree.iter() if one.tag.endswith("text")]
    assert "<default>" in texts
    assert "published" in texts
