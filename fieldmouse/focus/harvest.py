"""Measures a focused crawl by labels that it did not see, and draws the result as SVG.

Precision after n pages is the share of labelled pages among the first n pages fetched; target recall is the
share of all labelled pages that were found. The labels come from a file (see `label_file`).
"""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from fieldmouse.errors import UsageError

from .safran2012 import FIGURE_7

MARKS = (50, 100, 200, 500, 1000, 2000)
DRAWS = 2000

COLOURS = ("#777777", "#b8860b", "#2e8b57", "#1f77b4", "#8e44ad", "#c0392b", "#16a085", "#34495e")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 440, 60, 40, 170, 50


class Curve(NamedTuple):
    """One crawl, measured."""

    precision: Mapping[int, float]  # after so many pages
    harvest: float  # over all pages downloaded
    mean_harvest: float  # the mean of the precision after each page: rewards early finds
    target_recall: float
    pages: int
    targets: int


class Interval(NamedTuple):
    """A mean with its 95 % confidence interval over topics."""

    mean: float
    low: float
    high: float


def curve(downloaded: Sequence[str], targets: frozenset[str], given: int = 0, budget: int = 0) -> Curve:
    """Measure a crawl: its pages in the order of download; `given` targets were its seeds.

    A crawl that ended before its budget of pages counts as having found nothing with the rest of it.
    """
    hits, total, pages = 0, 0.0, len(downloaded)
    precision: dict[int, float] = {}
    for n in range(1, max(pages, budget) + 1):
        hits += n <= pages and downloaded[n - 1] in targets
        total += hits / n
        if n in MARKS:
            precision[n] = round(hits / n, 4)
    left, spent = len(targets) - given, max(pages, budget)
    return Curve(
        precision,
        round(hits / pages, 4) if pages else 0.0,
        round(total / spent, 4) if spent else 0.0,
        round(hits / left, 4) if left > 0 else 0.0,
        pages,
        len(targets),
    )


def interval(values: Sequence[float], seed: int = 1) -> Interval:
    """The mean with its interval, by bootstrap."""
    if not values:
        raise UsageError("there are no values to take the mean of")
    rng = random.Random(seed)  # noqa: S311
    means = sorted(sum(rng.choices(values, k=len(values))) / len(values) for _ in range(DRAWS))
    low, high = means[DRAWS // 40], means[-DRAWS // 40 - 1]
    return Interval(round(sum(values) / len(values), 4), round(low, 4), round(high, 4))


def measures(one: Curve) -> dict[str, float]:
    """All figures of a crawl under flat names."""
    flat = {f"precision_at_{n}": value for n, value in one.precision.items()}
    more = {"harvest": one.harvest, "mean_harvest": one.mean_harvest, "target_recall": one.target_recall}
    return flat | more


def means(curves: Mapping[str, Sequence[Curve]]) -> dict[str, dict[str, Interval]]:
    """Means over the crawls of each name with 95 % intervals; marks that not all reached are left out."""
    found = {}
    for name, group in curves.items():
        rows = [measures(one) for one in group]
        common = [key for key in rows[0] if all(key in row for row in rows)]
        found[name] = {key: interval([row[key] for row in rows]) for key in common}
    return found


class _Plane:
    """Coordinates of a number of pages, on a logarithmic scale, and a precision."""

    def __init__(self, marks: Sequence[int]) -> None:
        self.marks = marks
        self.low, self.span = math.log(marks[0]), math.log(marks[-1]) - math.log(marks[0])

    def at(self, mark: int, value: float) -> str:
        x = LEFT + (math.log(mark) - self.low) / (self.span or 1.0) * (WIDTH - LEFT - RIGHT)
        return f"{x:.1f},{TOP + (1 - value) * (HEIGHT - TOP - BOTTOM):.1f}"


def draw(curves: Mapping[str, Sequence[Curve]]) -> str:
    """A line chart with the mean precision of each learner after so many pages, with confidence bands."""
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
    """Axes, grid and captions."""
    yield _text(LEFT, 22, "Precision, mean over topics with 95 % intervals", 'font-size="15"')
    yield _text(WIDTH // 2 - 60, HEIGHT - 10, "pages downloaded", 'text-anchor="middle"')
    yield _text(WIDTH - RIGHT + 12, HEIGHT - BOTTOM, "dashed: upper limit", 'font-size="11"')
    for step in range(6):
        first, last = plane.at(plane.marks[0], step / 5), plane.at(plane.marks[-1], step / 5)
        yield f'<path d="M{first} L{last}" stroke="#dddddd"/>'
        yield _text(LEFT - 8, float(first.partition(",")[2]) + 4, f"{step / 5:.1f}", 'text-anchor="end"')
    for mark in plane.marks:
        x = float(plane.at(mark, 0).partition(",")[0])
        yield _text(x, HEIGHT - BOTTOM + 18, str(mark), 'text-anchor="middle"')


def _possible(plane: _Plane, targets: Sequence[int]) -> Iterator[str]:
    """The precision of a crawl that fetches all targets first."""
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
