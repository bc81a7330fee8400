"""How well a crawl kept to its topic, by labels that it never saw.

Precision after n pages is the share of the first n pages downloaded that carry the label; target recall is
the share of all labelled pages that were found. The judge is a file of `url,label` rows, and must not be
the guide.
"""

import csv
import io
import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from fieldmouse.errors import UsageError
from fieldmouse.urls import Canon

MARKS = (50, 100, 200, 500, 1000, 2000)
DRAWS = 2000

_YES = frozenset({"1", "yes", "true", "relevant", "y", "+"})
_NO = frozenset({"0", "no", "false", "irrelevant", "n", "-"})


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


def curve(downloaded: Sequence[str], targets: frozenset[str], given: int = 0) -> Curve:
    """Measure a crawl: its pages in the order of download; `given` targets were its seeds."""
    hits, total = 0, 0.0
    precision: dict[int, float] = {}
    for n, url in enumerate(downloaded, 1):
        hits += url in targets
        total += hits / n
        if n in MARKS:
            precision[n] = round(hits / n, 4)
    pages, left = len(downloaded), len(targets) - given
    return Curve(
        precision,
        round(hits / pages, 4) if pages else 0.0,
        round(total / pages, 4) if pages else 0.0,
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


def labels(text: str, where: str = "the labels") -> dict[str, bool]:
    """Read `url,label` rows: yes/no, 1/0, true/false, relevant/irrelevant; a heading is passed over."""
    canon, found = Canon(), dict[str, bool]()
    for number, row in enumerate(csv.reader(io.StringIO(text)), 1):
        if not row or row[0].startswith("#") or (number == 1 and row[0].strip().lower() == "url"):
            continue
        url = canon(row[0].strip())
        word = row[1].strip().lower() if len(row) > 1 else ""
        if url is None or word not in _YES | _NO:
            raise UsageError(
                f"{where}, line {number}: expected url,label with yes or no, not {','.join(row)!r}"
            )
        if found.setdefault(url, word in _YES) is not (word in _YES):
            raise UsageError(f"{where}, line {number}: {url} is labelled both yes and no")
    if not found:
        raise UsageError(f"{where}: there is no label in it")
    return found
