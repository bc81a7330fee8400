"""Learns the weights by which passages are judged: `python -m bench.templates_fit --manuals DIR --out FILE`.

The teachers are pages that may go into a model that is shipped: made-up sites (`bench/templates_made.py`) and
free manuals (`bench/templates_manuals.py`; half of them, by a hash of their name). The public sets of pages
with gold text may be used for measuring only, so none of them teaches. The penalty and the score from
which a passage stays are chosen among the teachers alone: each site is judged by weights that other
sites taught. The file says what taught, what was tried and how it fared. Needs numpy.
"""

import argparse
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

# The matrices are small: threads would only wait for each other. It must be said before numpy is there.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rapidfuzz.distance import LCSseq

from bench.templates_content import gold_text, page_of, words
from bench.templates_made import made
from bench.templates_manuals import digest, manuals, teaches
from fieldmouse.page.main_content import NAMES, TextBlock, evidence, text_blocks
from fieldmouse.page.tokens import Keys, tokenise

SHARES: Mapping[str, float] = {"made": 1.0, "manuals": 0.5}  # how much each set counts
SITES, SEED = 700, 1  # made-up ones
FOLDS = 4
PENALTIES = (1.0, 5.0, 25.0)
CUTS = tuple(step / 5 for step in range(-8, 6))
WHOLE = 5000.0  # weight of a set

Array = np.ndarray[Any, np.dtype[np.float64]]
Row = dict[str, Any]


class Lesson(NamedTuple):
    """What one page teaches: a row, an answer and a weight for each passage; and what it is called."""

    rows: Array
    answers: Array
    weights: Array
    sizes: Array  # words
    hits: Array  # of these, words of the gold text
    wanted: int  # words of the gold text
    fold: int
    share: float


class Choice(NamedTuple):
    """What was tried, and how it fared on sites that did not teach it."""

    penalty: float
    least: float
    f1: float


def counted(found: Sequence[TextBlock], gold: Sequence[str]) -> tuple[Array, Array]:
    """The words of each passage, and how many of them stand in the gold text, in its order."""
    numbers: dict[str, int] = {}
    page, owner = [], []
    for place, one in enumerate(found):
        for word in words(one.text):
            page.append(numbers.setdefault(word, len(numbers)))
            owner.append(place)
    wanted = [numbers.setdefault(word, len(numbers)) for word in gold]
    matched = [
        place
        for run in LCSseq.editops(page, wanted).as_matching_blocks()
        for place in owner[run.a : run.a + run.size]
    ]
    sizes, hits = (np.bincount(np.array(one, int), minlength=len(found)) for one in (owner, matched))
    return sizes.astype(float), hits.astype(float)


def lessons(rows: Iterable[Row], share: float) -> list[Lesson]:
    """What some pages teach; together they weigh `share`."""
    found = []
    for row in rows:
        seen = text_blocks(tokenise(page_of(row), Keys()))
        gold = words(gold_text(row))
        sizes, hits = counted(seen, gold)
        heavy = np.minimum(200, sizes) ** 0.5
        if heavy.sum():
            right = (hits > 0.5 * sizes).astype(float)
            fold = digest("fold " + row["host"]) % FOLDS
            weights = heavy / heavy.sum() ** 0.5
            found.append(
                Lesson(np.array(evidence(seen)), right, weights, sizes, hits, len(gold), fold, share)
            )
    scale = share * WHOLE / sum(one.weights.sum() for one in found) if found else 0.0
    return [one._replace(weights=one.weights * scale, share=share / len(found)) for one in found]


def fit(taught: Sequence[Lesson], penalty: float, steps: int = 12) -> tuple[Array, float]:
    """Logistic regression by Newton's method, over evidence brought to the same scale."""
    plain = np.concatenate([one.rows for one in taught])
    answers = np.concatenate([one.answers for one in taught])
    counts = np.concatenate([one.weights for one in taught])
    mean, scale = plain.mean(0), plain.std(0) + 1e-6
    rows = np.c_[np.ones(len(plain)), (plain - mean) / scale]
    ridge = penalty * np.diag([0.0] + [1.0] * len(mean)) + 1e-9 * np.eye(len(mean) + 1)
    found = np.zeros(len(mean) + 1)
    for _ in range(steps):
        guess = 1 / (1 + np.exp(-np.clip(rows @ found, -40, 40)))
        slope = rows.T @ (counts * (answers - guess)) - ridge @ found
        bend = (rows * (counts * guess * (1 - guess))[:, None]).T @ rows + ridge
        found = found + np.linalg.solve(bend, slope)
    weights = found[1:] / scale
    return weights, float(found[0] - weights @ mean)


def chosen(taught: Sequence[Lesson]) -> list[Choice]:
    """Every penalty and cut-off on sites that did not teach, the best first."""
    tried = []
    for penalty in PENALTIES:
        totals = np.zeros(len(CUTS))
        for fold in range(FOLDS):
            weights, bias = fit([one for one in taught if one.fold != fold], penalty)
            for one in (one for one in taught if one.fold == fold):
                scores = one.rows @ weights + bias
                totals += [one.share * _f1(one, scores > cut) for cut in CUTS]
        whole = sum(one.share for one in taught)
        tried += [Choice(penalty, cut, float(total / whole)) for cut, total in zip(CUTS, totals, strict=True)]
    return sorted(tried, key=lambda one: -one.f1)


def _f1(page: Lesson, kept: Any) -> float:
    """F1 over words of the passages kept; when none is, all are, as when pages are stripped."""
    kept = kept if kept.any() else ~kept
    return float(2 * page.hits[kept].sum() / (page.sizes[kept].sum() + page.wanted))


def learned(folder: Path, sites: int = SITES) -> dict[str, Any]:
    """The model: what taught it, what was chosen, the weights."""
    sets = {"made": made(sites, SEED), "manuals": (row for row in manuals(folder) if teaches(row))}
    rows = {name: list(found) for name, found in sets.items()}
    taught = [one for name, found in rows.items() for one in lessons(found, SHARES[name])]
    best = chosen(taught)[0]
    weights, bias = fit(taught, best.penalty)
    return {
        "taught by": {
            "made": f"{sites} made-up sites, seed {SEED} (bench/templates_made.py)",
            "manuals": f"{len(rows['manuals'])} pages of free manuals (bench/templates_manuals.py): "
            + ", ".join(sorted({row["host"] for row in rows["manuals"]})),
        },
        "chosen": {"penalty": best.penalty, "f1 on sites that did not teach": round(best.f1, 4)},
        "least": best.least,
        "bias": round(bias, 4),
        "weights": {name: round(float(one), 4) for name, one in zip(NAMES, weights, strict=True)},
    }


def main() -> None:
    """Write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--manuals", type=Path, required=True, help="the docs web of a bench folder")
    parser.add_argument("--sites", type=int, default=SITES, help="made-up sites")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    options = parser.parse_args()
    model = learned(options.manuals, options.sites)
    options.out.write_text(json.dumps(model, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
