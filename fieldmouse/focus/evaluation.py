"""Measures a focused crawl by labels that it did not see, and draws the result as SVG.

Precision after n pages is the share of labelled pages among the first n pages fetched; target recall is the
share of all labelled pages that were found. The labels come from a file: URLs with yes or no, or with
subjects. A page may have several subjects. Pages of `Science.Biology` are of `Science` too.
"""

import csv
import io
import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from typing import NamedTuple

from fieldmouse.errors import UsageError

MARKS = (50, 100, 200, 500, 1000, 2000)
DRAWS = 2000

COLOURS = ("#777777", "#b8860b", "#2e8b57", "#1f77b4", "#8e44ad", "#c0392b", "#16a085", "#34495e")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 760, 440, 60, 40, 170, 50

# Figure 7, measured by the authors on their own web: BFS after 500 and 2000 pages, both NB4 at the end.
FIGURE_7 = (
    ("BFS as published", "#777777", 500, 0.76),
    ("BFS as published", "#777777", 2000, 0.40),
    ("NB4 as published", "#2e8b57", 2000, 0.85),
)

YES = frozenset({"1", "yes", "true", "relevant", "y", "+"})
NO = frozenset({"0", "no", "false", "irrelevant", "n", "-"})

# Names of the columns; without a heading, the URL is the cell that looks like one.
ADDRESS = ("url", "uri", "address", "page")
LABEL = ("label", "category", "subject", "topic", "class", "relevant")
NAMED = 8  # labels in an error message


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


def draw_harvest(curves: Mapping[str, Sequence[tuple[int, int]]]) -> str:
    """A line chart with the share of pages on the topic after so many pages, one line for each learner."""
    most = max((pages for curve in curves.values() for pages, _ in curve), default=1)
    left, top, width, height = 50, 40, 520, 240
    head = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 330"'
    parts = [
        f'{head} font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(left, 22, "Share of pages on the topic", 'font-size="15"'),
        _text(left + width / 2, top + height + 38, "pages downloaded", 'text-anchor="middle"'),
    ]
    for step in range(6):
        y = top + height * (1 - step / 5)
        parts.append(f'<path d="M{left},{y} h{width}" stroke="#dddddd"/>')
        parts.append(_text(left - 8, y + 4, f"{step / 5:.1f}", 'text-anchor="end"'))
        x = left + width * step / 5
        parts.append(_text(x, top + height + 18, f"{most * step / 5:.0f}", 'text-anchor="middle"'))
    for place, (name, curve) in enumerate(curves.items()):
        colour = COLOURS[place % len(COLOURS)]
        points = " ".join(
            f"{left + width * pages / most:.1f},{top + height * (1 - found / pages):.1f}"
            for pages, found in curve
            if pages
        )
        parts.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(_text(left + 12, top + 16 + 18 * place, name, f'fill="{colour}"'))
    return "".join((*parts, "</svg>"))


def draw(curves: Mapping[str, Sequence[Curve]]) -> str:
    """A line chart with the mean precision of each learner after so many pages, with confidence bands."""
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
    parts = [
        f'{head} font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="white"/>',
        _text(LEFT, 22, "Precision, mean over topics with 95 % intervals", 'font-size="15"'),
        _text(WIDTH // 2 - 60, HEIGHT - 10, "pages downloaded", 'text-anchor="middle"'),
        _text(WIDTH - RIGHT + 12, HEIGHT - BOTTOM, "dashed: upper limit", 'font-size="11"'),
    ]
    for step in range(6):
        first, last = _point(MARKS[0], step / 5), _point(MARKS[-1], step / 5)
        parts.append(f'<path d="M{first} L{last}" stroke="#dddddd"/>')
        y = float(first.partition(",")[2]) + 4
        parts.append(_text(LEFT - 8, y, f"{step / 5:.1f}", 'text-anchor="end"'))
    for mark in MARKS:
        x = float(_point(mark, 0).partition(",")[0])
        parts.append(_text(x, HEIGHT - BOTTOM + 18, str(mark), 'text-anchor="middle"'))
    for place, (name, measured) in enumerate(means(curves).items()):
        colour = COLOURS[place % len(COLOURS)]
        points = [(mark, measured[key]) for mark in MARKS if (key := f"precision_at_{mark}") in measured]
        band = [_point(mark, one.high) for mark, one in points]
        band += [_point(mark, one.low) for mark, one in reversed(points)]
        middle = " ".join(_point(mark, one.mean) for mark, one in points)
        parts.append(f'<polygon points="{" ".join(band)}" fill="{colour}" opacity="0.1"/>')
        parts.append(f'<polyline points="{middle}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts.append(_text(WIDTH - RIGHT + 12, TOP + 18 * place + 6, name, f'fill="{colour}"'))
    # The precision of a crawl that fetches all targets first.
    targets = [one.targets for group in curves.values() for one in group]
    best = [_point(mark, sum(min(1.0, n / mark) for n in targets) / len(targets)) for mark in MARKS]
    parts.append(f'<path d="M{" L".join(best)}" fill="none" stroke="#999999" stroke-dasharray="4 4"/>')
    for name, colour, mark, value in FIGURE_7:
        at, _, height = _point(mark, value).partition(",")
        where = f'cx="{at}" cy="{height}" r="4" fill="white" stroke="{colour}"'
        parts.append(f"<circle {where}><title>{name}</title></circle>")
        style = f'text-anchor="end" font-size="11" fill="{colour}"'
        parts.append(_text(float(at) - 8, float(height) + 4, name, style))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _point(pages: int, precision: float) -> str:
    """The coordinates of a precision after so many pages, on a logarithmic scale."""
    low, high = math.log(MARKS[0]), math.log(MARKS[-1])
    x = LEFT + (math.log(pages) - low) / (high - low) * (WIDTH - LEFT - RIGHT)
    return f"{x:.1f},{TOP + (1 - precision) * (HEIGHT - TOP - BOTTOM):.1f}"


def _text(x: float, y: float, words: str, more: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(words)}</text>'


def labelled_pages(
    text: str, canon: Callable[[str], str | None], subject: str = "", where: str = "the labels"
) -> frozenset[str]:
    """Canonical URLs of the pages that a file labels yes, or with a subject."""
    rows = list(_rows(text, where))
    if not rows:
        raise UsageError(f"{where}: there is no label in it")
    plain = rows[0][2].lower() in YES | NO  # or subjects
    asked = _same(subject)
    found: dict[str, bool] = {}
    for number, address, label in rows:
        url = canon(address)
        if url is None:
            raise UsageError(f"{where}, line {number}: {address!r} is not an address")
        if plain and label.lower() not in YES | NO:
            raise UsageError(f"{where}, line {number}: expected yes or no, not {label!r}")
        below = bool(asked) and f".{asked}." in f".{_same(label)}."
        wanted = label.lower() in YES if plain else below
        if plain and found.get(url, wanted) is not wanted:
            raise UsageError(f"{where}, line {number}: {url} is labelled both yes and no")
        found[url] = found.get(url, False) or wanted
    targets = frozenset(url for url, wanted in found.items() if wanted)
    if not (plain or targets):
        names = sorted({label for _, _, label in rows})
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        why = f"no page has the subject {subject!r}" if subject else "it holds subjects, not yes and no"
        raise UsageError(f"{where}: {why}; say which with --subject: {', '.join(names[:NAMED])}{more}")
    return targets


def _rows(text: str, where: str) -> Iterator[tuple[int, str, str]]:
    """Line, URL and label of each row; the heading or the first line determines the columns."""
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    lines = csv.reader(io.StringIO(text), delimiter=next((sign for sign in "\t,;" if sign in first), ","))
    places: tuple[int, int] | None = None
    try:
        for number, row in enumerate(lines, 1):
            if not row or not any(row) or row[0].startswith("#"):
                continue
            if places is None:
                places, heading = _places([cell.strip().lower() for cell in row])
                if heading:
                    continue
            if len(row) <= max(places) or not row[places[1]].strip():
                raise UsageError(f"{where}, line {number}: expected url,label, not {','.join(row)!r}")
            yield number, row[places[0]].strip(), row[places[1]].strip()
    except csv.Error as error:
        raise UsageError(f"{where} cannot be read as CSV: {error}") from None


def _places(cells: list[str]) -> tuple[tuple[int, int], bool]:
    """The columns of URL and label, and whether these cells are a heading."""
    url = next((n for name in ADDRESS for n, cell in enumerate(cells) if cell == name), None)
    if url is not None:
        named = next((n for name in LABEL for n, cell in enumerate(cells) if cell == name), None)
        return (url, named if named is not None else 1 - min(url, 1)), True
    url = next((n for n, cell in enumerate(cells) if "://" in cell), 0)
    return (url, 1 if url == 0 else 0), False


def _same(name: str) -> str:
    """A subject in the form that is compared: `Sports_and games` is `sports and games`."""
    return " ".join(name.replace("_", " ").casefold().split())
