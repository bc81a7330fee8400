"""A line chart as SVG, written by hand: precision against pages downloaded, with confidence bands."""

import math
from collections.abc import Iterator, Mapping, Sequence
from html import escape

from .harvest import MARKS, Curve, Interval, means
from .safran2012 import FIGURE_7

COLOURS = ("#777777", "#b8860b", "#2e8b57", "#1f77b4", "#8e44ad", "#c0392b", "#16a085", "#34495e")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 440, 60, 40, 170, 50


class _Plane:
    """Where a number of pages and a precision stand on the sheet; pages on a logarithmic scale."""

    def __init__(self, marks: Sequence[int]) -> None:
        self.marks = marks
        self.low, self.span = math.log(marks[0]), math.log(marks[-1]) - math.log(marks[0])

    def at(self, mark: int, value: float) -> str:
        x = LEFT + (math.log(mark) - self.low) / (self.span or 1.0) * (WIDTH - LEFT - RIGHT)
        return f"{x:.1f},{TOP + (1 - value) * (HEIGHT - TOP - BOTTOM):.1f}"


def draw(curves: Mapping[str, Sequence[Curve]]) -> str:
    """The chart: for each learner its precision after so many pages, the mean over its crawls."""
    plane = _Plane(MARKS)
    parts = [*_frame(plane)]
    for place, (name, told) in enumerate(means(curves).items()):
        row = {mark: told[key] for mark in MARKS if (key := f"precision_at_{mark}") in told}
        parts += _line(plane, place, name, row)
    parts += _possible(plane, [one.targets for group in curves.values() for one in group])
    parts += _reported(plane)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    head += ' font-family="sans-serif" font-size="13">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="white"/>', *parts, "</svg>"]) + "\n"


def _line(plane: _Plane, place: int, name: str, row: Mapping[int, Interval]) -> Iterator[str]:
    colour = COLOURS[place % len(COLOURS)]
    points = [(mark, row[mark]) for mark in plane.marks if mark in row]
    upper = [plane.at(mark, one.high) for mark, one in points]
    lower = [plane.at(mark, one.low) for mark, one in reversed(points)]
    middle = " ".join(plane.at(mark, one.mean) for mark, one in points)
    yield f'<polygon points="{" ".join(upper + lower)}" fill="{colour}" opacity="0.1"/>'
    yield f'<polyline points="{middle}" fill="none" stroke="{colour}" stroke-width="2"/>'
    yield _text(WIDTH - RIGHT + 12, TOP + 18 * place + 6, name, f'fill="{colour}"')


def _frame(plane: _Plane) -> Iterator[str]:
    """Axes, grid and words."""
    yield _text(LEFT, 22, "Precision, mean over topics with 95 % intervals", 'font-size="15"')
    yield _text(WIDTH // 2 - 60, HEIGHT - 10, "pages downloaded", 'text-anchor="middle"')
    yield _text(WIDTH - RIGHT + 12, HEIGHT - BOTTOM, "dashed: all that is there", 'font-size="11"')
    for step in range(6):
        first, last = plane.at(plane.marks[0], step / 5), plane.at(plane.marks[-1], step / 5)
        yield f'<path d="M{first} L{last}" stroke="#dddddd"/>'
        yield _text(LEFT - 8, float(first.partition(",")[2]) + 4, f"{step / 5:.1f}", 'text-anchor="end"')
    for mark in plane.marks:
        x = float(plane.at(mark, 0).partition(",")[0])
        yield _text(x, HEIGHT - BOTTOM + 18, str(mark), 'text-anchor="middle"')


def _possible(plane: _Plane, targets: Sequence[int]) -> Iterator[str]:
    """What a crawl would have that downloads nothing but targets until there are none left."""
    points = [(mark, sum(min(1.0, n / mark) for n in targets) / len(targets)) for mark in plane.marks]
    line = " ".join(plane.at(mark, value) for mark, value in points)
    yield f'<path d="M{line.replace(" ", " L")}" fill="none" stroke="#999999" stroke-dasharray="4 4"/>'


def _reported(plane: _Plane) -> Iterator[str]:
    for name, colour, mark, value in FIGURE_7:
        if plane.marks[0] <= mark <= plane.marks[-1]:
            x, _, y = plane.at(mark, value).partition(",")
            where = f'cx="{x}" cy="{y}" r="4" fill="white" stroke="{colour}"'
            yield f"<circle {where}><title>{name}</title></circle>"
            yield _text(float(x) - 8, float(y) + 4, name, f'text-anchor="end" font-size="11" fill="{colour}"')


def _text(x: float, y: float, words: str, more: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>'
