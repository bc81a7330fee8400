"""Learns the weights by which passages are judged: `python -m bench.templates_fit --manuals DIR --out FILE`.

The teachers are pages that may go into a model that is shipped: made-up sites (`bench/templates_made.py`) and
free manuals (`bench/templates_manuals.py`; half of them, by a hash of their name). The public sets of pages
with gold text may be used for measuring only, so none of them teaches. The penalty and the score from
which a passage stays are chosen among the teachers alone: each site is judged by weights that other
sites taught. The file says what taught, what was tried and how it fared.

Two judges are learned, and their mean counts: a weighted sum, taught by made-up sites alone, and boosted
trees, taught by both. A sum cannot learn both that the short passages of a manual are content and that those
around an article are not: with manuals among its teachers it loses four per cent on news. Needs scikit-learn.
"""

import argparse
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

# The matrices are small: threads would only wait for each other. It must be said before numpy is there.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from rapidfuzz.distance import LCSseq
from sklearn.ensemble import HistGradientBoostingClassifier

from bench.templates_content import gold_text, page_of, words
from bench.templates_made import made
from bench.templates_manuals import digest, manuals, teaches
from fieldmouse.page.blocks import TextBlock
from fieldmouse.page.main_content import NAMES, Trees, evidence, judged_blocks, probability

SHARES: Mapping[str, float] = {"made": 1.0, "manuals": 0.5}  # how much each set counts
SITES, SEED = 400, 1  # made-up ones
FOLDS = 4
PENALTIES = (1.0, 5.0, 25.0)
CUTS = tuple(step / 20 for step in range(4, 13))
TREES, DEPTH, RATE = 100, 3, 0.1
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
        page = page_of(row)
        seen = judged_blocks(page.content, page.index, page.charset)
        gold = words(gold_text(row))
        sizes, hits = counted(seen.blocks, gold)
        heavy = np.minimum(200, sizes) ** 0.5
        if heavy.sum():
            right = (hits > 0.5 * sizes).astype(float)
            fold = digest("fold " + row["host"]) % FOLDS
            weights = heavy / heavy.sum() ** 0.5
            found.append(Lesson(evidence(seen), right, weights, sizes, hits, len(gold), fold, share))
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


def grown(taught: Sequence[Lesson]) -> Trees:
    """Boosted trees of equal depth."""
    rows = np.concatenate([one.rows for one in taught])
    answers = np.concatenate([one.answers for one in taught])
    counts = np.concatenate([one.weights for one in taught])
    learner = HistGradientBoostingClassifier(
        max_iter=TREES, max_depth=DEPTH, max_leaf_nodes=None, learning_rate=RATE, l2_regularization=1.0,
        early_stopping=False, random_state=1,
    )  # fmt: skip
    learner.fit(rows, answers, sample_weight=counts / counts.mean())
    inner = 2**DEPTH - 1
    features, cuts = np.zeros((TREES, inner), np.int64), np.zeros((TREES, inner))
    leaves = np.zeros((TREES, inner + 1))
    for number, (tree,) in enumerate(learner._predictors):
        todo = [(0, 0)]
        while todo:
            place, node = todo.pop()
            found = tree.nodes[node]
            if place >= inner:
                leaves[number, place - inner] = round(float(found["value"]), 4)
            elif found["is_leaf"]:  # both branches end in the same leaf
                todo += [(2 * place + 1, node), (2 * place + 2, node)]
            else:
                features[number, place] = found["feature_idx"]
                cuts[number, place] = round(float(found["num_threshold"]), 6)
                todo += [(2 * place + 1, found["left"]), (2 * place + 2, found["right"])]
    return Trees(features, cuts, leaves, round(float(learner._baseline_prediction.ravel()[0]), 4))


def chosen(taught: Mapping[str, Sequence[Lesson]]) -> list[Choice]:
    """Every penalty and cut-off on sites that did not teach, the best first."""
    totals = np.zeros((len(PENALTIES), len(CUTS)))
    everything = [one for some in taught.values() for one in some]
    for fold in range(FOLDS):
        trees = grown([one for one in everything if one.fold != fold])
        plain = [fit([one for one in taught["made"] if one.fold != fold], penalty) for penalty in PENALTIES]
        for one in (one for one in everything if one.fold == fold):
            second = probability(trees(one.rows))
            for row, (weights, bias) in enumerate(plain):
                judged = (probability(one.rows @ weights + bias) + second) / 2
                totals[row] += [one.share * _f1(one, judged > cut) for cut in CUTS]
    totals /= sum(one.share for one in everything)
    tried = [
        Choice(penalty, cut, float(totals[row, column]))
        for row, penalty in enumerate(PENALTIES)
        for column, cut in enumerate(CUTS)
    ]
    return sorted(tried, key=lambda one: -one.f1)


def _f1(page: Lesson, kept: Any) -> float:
    """F1 over words of the passages kept; when none is, all are, as when pages are stripped."""
    kept = kept if kept.any() else ~kept
    return float(2 * page.hits[kept].sum() / (page.sizes[kept].sum() + page.wanted))


def learned(folder: Path, sites: int = SITES) -> dict[str, Any]:
    """The model: what taught it, what was chosen, the weights."""
    sets = {"made": made(sites, SEED), "manuals": (row for row in manuals(folder) if teaches(row))}
    rows = {name: list(found) for name, found in sets.items()}
    taught = {name: lessons(found, SHARES[name]) for name, found in rows.items()}
    best = chosen(taught)[0]
    weights, bias = fit(taught["made"], best.penalty)
    trees = grown([one for some in taught.values() for one in some])
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
        "trees": {
            "base": trees.base,
            "all": [
                {"features": [NAMES[one] for one in nodes], "cuts": cuts.tolist(), "leaves": leaves.tolist()}
                for nodes, cuts, leaves in zip(trees.features, trees.cuts, trees.leaves, strict=True)
            ],
        },
    }


def main() -> None:
    """Write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--manuals", type=Path, required=True, help="the docs web of a bench folder")
    parser.add_argument("--sites", type=int, default=SITES, help="made-up sites")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    options = parser.parse_args()
    model = learned(options.manuals, options.sites)
    text = json.dumps(model, indent=1)
    # A line for each list of a tree, not for each number.
    text = re.sub(r"\[\s+([^\[\]{}]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text)
    options.out.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
