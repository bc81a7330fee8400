"""Learns the weights by which passages are judged: `python -m bench.templates_fit --data DIR`.

DIR holds files of pages with gold text (`*.jsonl.zst`: url, host, id, html, and gold, or snippets in `with`
and `without`). Sites are halved by a hash of their name: one half teaches, and figures are reported of the
other half; a file that is not named in SHARES teaches nothing at all. The weights that come with Fieldmouse
were made so. Needs numpy.
"""

import argparse
import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rapidfuzz.distance import LCSseq

from bench.templates import gold_text, page_of, read_rows, words
from fieldmouse.templates.judge import NAMES, evidence
from fieldmouse.templates.passages import Passage, passages
from fieldmouse.templates.tokens import Keys, tokenise

# How much each set counts. They differ in what they call main text, and none should rule alone. The last are
# pages of free manuals whose content stands in an element of its own; without them lists and code get lost.
SHARES: Mapping[str, float] = {
    "dragnet": 1.0,
    "readability": 0.5,
    "cleaneval_dev": 0.5,
    "trafilatura_eval": 0.5,
    "documentation": 0.5,
}
LEAST = 0.0  # of the score: as likely content as not
WHOLE = 5000.0  # weight of a set

Array = np.ndarray[Any, np.dtype[np.float64]]


class Taught(NamedTuple):
    """What one page teaches: a row, an answer and a weight for each passage."""

    rows: Array
    answers: Array
    weights: Array


def teaches(row: dict[str, Any]) -> bool:
    """Whether a page is in the half that teaches; all pages of a site are in the same half."""
    return bool(hashlib.sha1((row["host"] or row["id"]).encode()).digest()[0] % 2)


def shares(found: list[Passage], gold: str) -> list[float]:
    """The share of each passage's words that stand in the gold text, in its order."""
    numbers: dict[str, int] = {}
    page, owner = [], []
    for place, one in enumerate(found):
        for word in words(one.text):
            page.append(numbers.setdefault(word, len(numbers)))
            owner.append(place)
    wanted = [numbers.setdefault(word, len(numbers)) for word in words(gold)]
    hits, counts = [0] * len(found), [0] * len(found)
    for place in owner:
        counts[place] += 1
    for run in LCSseq.editops(page, wanted).as_matching_blocks():
        for place in owner[run.a : run.a + run.size]:
            hits[place] += 1
    return [hit / max(1, count) for hit, count in zip(hits, counts, strict=True)]


def answered(row: dict[str, Any], found: list[Passage]) -> tuple[list[float], list[float]]:
    """Right answers and their weights; of pages with snippets only those passages that hold one."""
    if row["gold"] is not None:
        right = [float(share > 0.5) for share in shares(found, gold_text(row))]
        heavy = [min(200, len(words(one.text))) ** 0.5 for one in found]
        return right, [one / max(1e-9, sum(heavy)) ** 0.5 for one in heavy]
    wanted, unwanted = ([" ".join(one.split()) for one in row[name] or ()] for name in ("with", "without"))
    good = [any(one in passage.text for one in wanted) for passage in found]
    bad = [any(one in passage.text for one in unwanted) for passage in found]
    return list(map(float, good)), [4.0 * (a != b) for a, b in zip(good, bad, strict=True)]


def lessons(folder: Path, name: str) -> Iterator[Taught]:
    """What the teaching half of a set teaches."""
    for row in read_rows(folder / f"{name}.jsonl.zst"):
        found = passages(tokenise(page_of(row), Keys())) if teaches(row) else []
        if found:
            right, weights = answered(row, found)
            if sum(weights):
                yield Taught(np.array(evidence(found)), np.array(right), np.array(weights))


def gathered(folder: Path) -> Taught:
    """All sets together, each with its share."""
    parts = []
    for name, share in SHARES.items():
        found = list(lessons(folder, name))
        total = sum(one.weights.sum() for one in found) or 1.0
        parts += [one._replace(weights=one.weights * share * WHOLE / total) for one in found]
    return Taught(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def fit(taught: Taught, penalty: float = 1.0, steps: int = 12) -> tuple[Array, float]:
    """Logistic regression by Newton's method, over evidence brought to the same scale."""
    mean, scale = taught.rows.mean(0), taught.rows.std(0) + 1e-6
    rows = np.c_[np.ones(len(taught.rows)), (taught.rows - mean) / scale]
    ridge = penalty * np.diag([0.0] + [1.0] * len(mean)) + 1e-9 * np.eye(len(mean) + 1)
    found = np.zeros(len(mean) + 1)
    for _ in range(steps):
        guess = 1 / (1 + np.exp(-rows @ found))
        slope = rows.T @ (taught.weights * (taught.answers - guess)) - ridge @ found
        bend = (rows * (taught.weights * guess * (1 - guess))[:, None]).T @ rows + ridge
        found = found + np.linalg.solve(bend, slope)
    weights = found[1:] / scale
    return weights, float(found[0] - weights @ mean)


def main() -> None:
    """Write the weights."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of pages with gold text")
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    options = parser.parse_args()
    weights, bias = fit(gathered(options.data))
    table = {name: round(float(one), 4) for name, one in zip(NAMES, weights, strict=True)}
    model = {"taught by": SHARES, "least": LEAST, "bias": round(bias, 4), "weights": table}
    options.out.write_text(json.dumps(model, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
