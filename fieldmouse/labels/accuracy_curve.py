"""Accuracy against coverage: how right the labels are if only the surest share of the pages is labelled."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 760, 420, 60, 190, 40, 50
LOWEST = 0.5  # accuracy at the foot of the chart
COLOURS = ("#1b6ca8", "#c44536", "#3a7d44", "#8e5572", "#b8860b", "#555555")


class CoveragePoint(NamedTuple):
    """What happens if labels of at least this certainty are kept."""

    least: float  # certainty
    coverage: float  # share of all pages that are labelled
    accuracy: float  # share of these that are right


def accuracy_curve(
    certainties: Sequence[float], right: Sequence[float], pages: int = 0
) -> list[CoveragePoint]:
    """A point for each certainty that occurs; `right` may be probabilities, `pages` all pages there are."""
    total = pages or len(certainties)
    order = sorted(range(len(certainties)), key=lambda one: -certainties[one])
    points, good = [], 0.0
    for place, one in enumerate(order):
        good += right[one]
        last = place + 1 == len(order)
        if last or certainties[order[place + 1]] < certainties[one]:
            points.append(CoveragePoint(certainties[one], (place + 1) / total, good / (place + 1)))
    return points


def best_coverage(points: Sequence[CoveragePoint], accuracy: float) -> CoveragePoint | None:
    """The point with the largest coverage at which the labels are right so often."""
    good = [one for one in points if one.accuracy >= accuracy]
    return max(good, key=lambda one: one.coverage) if good else None


def draw_curves(curves: Mapping[str, Sequence[CoveragePoint]], marks: Mapping[str, CoveragePoint]) -> str:
    """A chart as SVG: a line for each curve, and single points such as published figures."""
    middle = (WIDTH - RIGHT + LEFT) / 2
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="13"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box}>',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="15">Accuracy of labels by the share of pages labelled</text>',
        f'<text x="{middle}" y="{HEIGHT - 10}" text-anchor="middle">share labelled</text>',
    ]
    for step in range(6):
        share, accuracy = step / 5, LOWEST + step * (1 - LOWEST) / 5
        x, y = _place(share, accuracy)
        parts += [
            f'<path d="M{LEFT},{y:.1f} H{WIDTH - RIGHT}" stroke="#dddddd"/>',
            f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{accuracy:.0%}</text>',
            f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{share:.0%}</text>',
        ]
    for number, (name, points) in enumerate(curves.items()):
        colour = COLOURS[number % len(COLOURS)]
        line = " ".join("{:.1f},{:.1f}".format(*_place(one.coverage, one.accuracy)) for one in points)
        parts += [
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>',
            (
                f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 18 * number + 6}" fill="{colour}">'
                f"{escape(name)}</text>"
            ),
        ]
    for name, one in marks.items():
        x, y = _place(one.coverage, one.accuracy)
        parts += [
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="white" stroke="#333333"/>',
            f'<text x="{x + 8:.1f}" y="{y + 4:.1f}" font-size="11">{escape(name)}</text>',
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _place(coverage: float, accuracy: float) -> tuple[float, float]:
    height = max(0.0, (accuracy - LOWEST) / (1 - LOWEST))
    return LEFT + coverage * (WIDTH - LEFT - RIGHT), TOP + (1 - height) * (HEIGHT - TOP - BOTTOM)
