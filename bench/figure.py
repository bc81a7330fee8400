"""A line chart as SVG, written by hand: precision against pages downloaded, with confidence bands."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

COLOURS = ("#777777", "#b8860b", "#2e8b57", "#1f77b4", "#8e44ad", "#c0392b", "#16a085", "#34495e")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 440, 60, 40, 170, 50

# What Safran et al. 2012 report of their own web: BFS after 500 and 2000 pages, both NB4 at the end.
REPORTED = (
    ("BFS, published", "#777777", ((500, 0.76), (2000, 0.40))),
    ("NB4, published", "#2e8b57", ((2000, 0.85),)),
)


def draw(told: Mapping[str, Any], marks: Sequence[int], key: str = "precision_at_") -> str:
    """The chart of a summary: for each learner `key` + mark with its mean, low and high."""
    lowest, highest = math.log(marks[0]), math.log(marks[-1])

    def x(mark: int) -> float:
        return LEFT + (math.log(mark) - lowest) / (highest - lowest) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return TOP + (1 - value) * (HEIGHT - TOP - BOTTOM)

    parts = [*_frame(marks, x, y)]
    for place, (name, row) in enumerate(told.items()):
        points = [(mark, row[f"{key}{mark}"]) for mark in marks if f"{key}{mark}" in row]
        colour = COLOURS[place % len(COLOURS)]
        band = [f"{x(m):.1f},{y(v['high']):.1f}" for m, v in points]
        band += [f"{x(m):.1f},{y(v['low']):.1f}" for m, v in reversed(points)]
        line = " ".join(f"{x(m):.1f},{y(v['mean']):.1f}" for m, v in points)
        parts.append(f'<polygon points="{" ".join(band)}" fill="{colour}" opacity="0.10"/>')
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(
            f'<text x="{WIDTH - RIGHT + 12}" y="{TOP + 18 * place + 6}" fill="{colour}">{name}</text>'
        )
    for name, colour, reported in REPORTED:
        for mark, value in reported:
            if mark <= marks[-1]:
                where = f'cx="{x(mark):.1f}" cy="{y(value):.1f}"'
                parts.append(
                    f'<circle {where} r="4" fill="white" stroke="{colour}"><title>{name}</title></circle>'
                )
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    head += ' font-family="sans-serif" font-size="13">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"


def _frame(marks: Sequence[int], x: Any, y: Any) -> list[str]:
    """Axes, grid and words."""
    parts = [
        f'<text x="{LEFT}" y="22" font-size="15">Precision, mean over topics with 95 % intervals</text>',
        f'<text x="{WIDTH // 2 - 60}" y="{HEIGHT - 10}" text-anchor="middle">pages downloaded</text>',
        f'<text x="{WIDTH - RIGHT + 12}" y="{HEIGHT - BOTTOM}" font-size="11">circles: as published</text>',
    ]
    for step in range(6):
        value = step / 5
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y(value):.1f}" y2="{y(value):.1f}" stroke="#ddd"/>'
        )
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" text-anchor="end">{value:.1f}</text>')
    for mark in marks:
        parts.append(f'<text x="{x(mark):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{mark}</text>')
    return parts
