"""How well a crawl kept to its topic, by labels that it never saw.

Precision after n pages is the share of the first n pages downloaded that carry the label; target recall is
the share of all labelled pages that were found. The judge is a file of labels (see `labels`), and must not
be the guide.
"""

import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldmouse.errors import UsageError

MARKS = (50, 100, 200, 500, 1000, 2000)
DRAWS = 2000


class Curve(NamedTuple):
    """One crawl, measured."""

    precision: Mapping[int, float]  # after so many pages
    harvest: float  # over all pages downloaded
    mean_harvest: float  # the mean of the precision after each page: rewards finding early
    target_recall: float
    pages: int
    targets: int


class Interval(NamedTuple):
    """A mean, and where it falls in 95 of 100 draws of other topics."""

    mean: float
    low: float
    high: float


def curve(downloaded: Sequence[str], targets: frozenset[str], given: int = 0, budget: int = 0) -> Curve:
    """Measure a crawl: its pages in the order of download; `given` targets were its seeds.

    A crawl that ended before its budget of pages found nothing with the rest: only so can it be compared
    with one that spent all.
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
    """The mean with its interval, by drawing the values again with replacement."""
    if not values:
        raise UsageError("there is nothing to take the mean of")
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
    """Means over the crawls of each name with 95 % intervals; a mark that not all reached is left out."""
    found = {}
    for name, group in curves.items():
        rows = [measures(one) for one in group]
        common = [key for key in rows[0] if all(key in row for row in rows)]
        found[name] = {key: interval([row[key] for row in rows]) for key in common}
    return found
