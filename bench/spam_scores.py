"""Spam scores on labelled texts: `python -m bench.spam_scores --data DIR [--set NAME] [--folds N] [--json]`.

DIR holds `spam/` (CSV or tab-separated comments with labels, by source) and `homepages2018/`. Each set is
compared as `train comment-spam` and `train content-spam` do it. There are no pages with labels of spam:
gambling, dating and warez stand for it among home pages by kind, and parked pages among all. Both are weak.
"""

import argparse
import json
import math
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse.jobs.spam_data import Columns, LabelledText, read_labelled
from fieldmouse.jobs.train_spam import FoldPlan, SpamTableRow, compare
from fieldmouse.learn.learner import TrainingRecord
from fieldmouse.spam.scores import COMMENT, CONTENT, SpamScale, SpamScores, open_model

UNWANTED = ("ut1:gambling", "cl:GMB", "ut1:dating", "cl:DATE", "ut1:warez")
LEAST_WORDS = 20  # of the main text of a page


class SpamSet(NamedTuple):
    """A set of labelled texts."""

    name: str
    file: Path
    scale: SpamScale
    columns: Columns = Columns()


def sets(folder: Path) -> Iterator[SpamSet]:
    """The sets of a folder of data."""
    for file in sorted((folder / "spam").glob("*.[ct]sv*")):
        yield SpamSet(file.name.partition(".")[0], file, COMMENT)
    homes = folder / "homepages2018"
    if (file := homes / "labelled_homepages.jsonl.zst").is_file():
        yield SpamSet("homepages_unwanted", file, CONTENT, Columns(label="labels", spam=UNWANTED))
    if (file := homes / "pages.jsonl.zst").is_file():
        yield SpamSet("homepages_parked", file, CONTENT, Columns(label="kind", spam=("parked",)))


def rows_of(one: SpamSet) -> list[LabelledText]:
    """The texts of a set; pages with hardly any main text are left out."""
    found = read_labelled(one.file, one.columns, one.scale.most).rows
    return [row for row in found if one.scale is COMMENT or len(row.text.split()) >= LEAST_WORDS]


def speed() -> dict[str, float]:
    """The time of one score, of the fastest of several rounds."""
    scores = SpamScores.open()
    comment = "Hey everyone, please have a look at my channel, I sing and play the guitar every week: " * 2
    page = "The ferry leaves at nine. Bread, cheese and tea are sold on board by the captain's sister. " * 120

    def best(work: Any, times: int) -> float:
        rounds = []
        for _ in range(7):
            began = time.process_time()
            for _ in range(times):
                work()
            rounds.append((time.process_time() - began) / times)
        return min(rounds)

    return {
        "comment_ms": round(1e3 * best(lambda: scores.score_comment(comment), 100), 3),
        "page_ms": round(1e3 * best(lambda: scores.score_content(page), 20), 3),
    }


def main() -> None:
    """Measure, and print the tables, or JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.spam_scores", description="Spam scores.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--set", action="append", help="only this set; may be given again")
    parser.add_argument("--folds", type=int, default=10)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    result: dict[str, Any] = {"tables": {}, "figures": speed()}
    for one in sets(given.data):
        if given.set and one.name not in given.set:
            continue
        print(f"measuring {one.name}", file=sys.stderr)
        done = compare(
            rows_of(one), base=open_model(one.scale), most=one.scale.most,
            record=TrainingRecord(one.file.name), folds=FoldPlan(given.folds),
        )  # fmt: skip
        result["tables"][one.name] = {
            "folds": done.folds,
            "texts": done.texts,
            "spam": done.spam,
            "rows": [row._asdict() for row in done.rows],
        }
        shipped = next(row for row in done.rows if row.learner == "shipped model")
        result["figures"] |= {
            f"{one.name}.auc": round(done.chosen.auc, 4),
            f"{one.name}.shipped_auc": round(shipped.auc, 4),
        }
        worst = [min(row.by_source.values()) for row in (done.chosen, shipped) if row.by_source]
        if worst and not any(map(math.isnan, worst)):
            result["figures"] |= {f"{one.name}.worst_source_auc": round(worst[0], 4)}
        if not given.json:
            print(f"\n{one.name}: {done.texts} texts, {done.spam} spam; {done.folds}")
            for row in done.rows:
                print(markdown(row))
    if given.json:
        print(json.dumps(result))
    else:
        print(json.dumps(result["figures"], indent=1))


def markdown(row: SpamTableRow) -> str:
    """A row of a table of the reference."""
    sources = " ".join(f"{name} {auc:.4f}" for name, auc in row.by_source.items())
    return (
        f"| {row.learner} | {row.n or ''} | {row.accuracy:.4f} | {row.auc:.4f} | {row.pr_auc:.4f} "
        f"| {row.rmse:.1f} | {row.model_bytes / 1024:.0f} | {row.train_seconds:.2f} "
        f"| {row.score_us:.0f} | {sources} |"
    )


if __name__ == "__main__":
    main()
