"""Pictures are well-formed, say in words what they show, and carry no inline style."""

import xml.etree.ElementTree as ET

import pytest
from markupsafe import Markup

from fieldmouse.dashboard import charts
from fieldmouse.dashboard.charts import AuditMark, Axes, Band, Column, Point, Segment, Tick, VisitLine

TICKS = (Tick(0.0, "1 May"), Tick(1.0, "today"))
PICTURES = {
    "bar": charts.bar([Segment(0.9, "good", "clean"), Segment(0.1, "quiet", "<waiting>")]),
    "empty bar": charts.bar(()),
    "range": charts.value_range(0.5, 0.2, 0.8, 0.6, 'estimated "half"'),
    "curve": charts.curve(
        [Point(0.0, 0.2), Point(1.0, 0.8)], [Band(0.0, 0.1, 0.3), Band(1.0, 0.7, 0.9)],
        [AuditMark(0.5, 0.5, 0.4, 0.6, "audited")], goal=0.7, axes=Axes(TICKS, TICKS, "a < b"),
    ),
    "empty curve": charts.curve([], [], [], goal=None, axes=Axes((), (), "none")),
    "columns": charts.columns(
        [Column((Segment(0.5, "ink"),), "5 & more")], Axes(TICKS, TICKS, "x")
    ),
    "visits": charts.visit_history(
        [VisitLine(0.1, "quiet"), VisitLine(0.2, "change", 0.5, True, "x"), VisitLine(0.3, "bad")],
        Axes(TICKS, (), "visits"), 0.92,
    ),
    "spark": charts.spark([VisitLine(0.1, "change", 0.4), VisitLine(0.4, "bad")], "small"),
    "sheet": charts.page_sheet(0.71),
}  # fmt: skip


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_sound(name: str) -> None:
    picture = PICTURES[name]
    assert isinstance(picture, Markup)
    tree = ET.fromstring(str(picture))
    images = [one for one in tree.iter() if one.get("role") == "img"]
    assert len(images) == 1
    assert images[0].get("aria-label")
    assert not [one for one in tree.iter() if "style" in one.attrib]


def test_parts_never_exceed_the_whole() -> None:
    tree = ET.fromstring(str(charts.bar([Segment(0.8, "good"), Segment(0.9, "quiet")])))
    widths = [float(one.attrib["width"].rstrip("%")) for one in tree]
    assert sum(widths) == pytest.approx(100)
