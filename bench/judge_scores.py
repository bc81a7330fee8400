"""How well the page judge of a focused crawl tells its topic: `python -m bench.judge_scores --data DIR`.

The crawl is that of `bench.focus` with the default learner; each verdict counts as it was given, before the
judge learned from the page. Prints F1 and AUC for each topic, and after 250, 500 and 1,000 pages the true
share of pages on the topic and that which the judge tells, with bounds; then how often the truth lay within.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fieldmouse.focus.guide import Guide
from fieldmouse.focus.link_learner import Parent
from fieldmouse.focus.ridge_judge import TopicShare
from fieldmouse.focus.wordnet import load as load_wordnet
from fieldmouse.focus.words import PageText
from fieldmouse.learn.ranking_metrics import measure
from fieldmouse.types import Verdict

from .focus import OURS, Plan, begin, crawl, guide_for
from .labelled import Web, chosen, kept

MARKS = (250, 500, 1000)


class Watched:
    """A guide whose verdicts and told shares are noted."""

    def __init__(self, guide: Guide) -> None:
        self.guide = guide
        self.scores: list[float] = []
        self.shares: dict[int, TopicShare | None] = {}
        self._saw = guide.saw
        guide.saw = self.saw  # type: ignore[method-assign]

    def saw(self, url: str, page: PageText, level: int = 0) -> tuple[Verdict, Parent]:
        """See `Guide`."""
        verdict, parent = self._saw(url, page, level)
        self.scores.append(verdict.score)
        if len(self.scores) in MARKS:
            self.shares[len(self.scores)] = self.guide.pages.share()
        return verdict, parent


def judged(web: Web, topics: list[str], plan: Plan) -> Iterator[dict[str, Any]]:
    """The figures of each topic."""
    wordnet = load_wordnet()
    for name in topics:
        start = begin(web, name, plan)
        watched = Watched(guide_for(start, web, OURS, wordnet, plan))
        done = crawl(start, web, watched.guide, plan.pages)
        truth = [float(url in start.targets) for url in done]
        yield {
            "topic": name,
            "pages": len(done),
            "f1": f1(watched.scores, truth),
            "auc": round(measure(watched.scores, truth).auc, 3),
            "shares": {
                mark: {"true": round(sum(truth[:mark]) / mark, 3), "told": told and told._asdict()}
                for mark, told in watched.shares.items()
            },
        }


def f1(scores: Sequence[float], truth: Sequence[float]) -> float:
    """F1 of verdicts above one half."""
    said = [score > 0.5 for score in scores]
    right = sum(yes and fact > 0 for yes, fact in zip(said, truth, strict=True))
    return round(2 * right / max(sum(said) + sum(truth), 1), 3)


def main() -> None:
    """Print a line of JSON for each topic."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="keep the web as read in this file")
    parser.add_argument("--topic", action="append", help="a topic by name, instead of those held out")
    parser.add_argument("--topics", type=int, help="the first so many only")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--draw", type=int, default=1, help="draws other seeds")
    asked = parser.parse_args()
    web = kept(asked.data, asked.cache)
    plan = Plan(asked.pages, draw=asked.draw)
    inside: list[bool] = []
    for line in judged(web, asked.topic or chosen(web, "final")[: asked.topics], plan):
        print(json.dumps(line, ensure_ascii=False), flush=True)
        inside += [
            one["told"]["low"] <= one["true"] <= one["told"]["high"]
            for one in line["shares"].values()
            if one["told"]
        ]
    print(f"the truth lay within the bounds {sum(inside)} of {len(inside)} times")


if __name__ == "__main__":
    main()
