"""Three page judges on the same pages: `python -m bench.judge_scores --data DIR`.

The pages are those that the default downloads, and those of a breadth-first crawl, each in its order; so that
anchors are known, links are judged too. `both` is the judge of a focused crawl; `logistic` is the first of
its two judges alone, `ridge` the second. Prints a line of JSON for each topic, draw, order and judge, then
the means.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from fieldmouse.focus.guide import Guide
from fieldmouse.focus.page_judge import PageJudge
from fieldmouse.focus.ridge_judge import PageParts
from fieldmouse.focus.wordnet import load as load_wordnet
from fieldmouse.focus.words import page_text
from fieldmouse.types import Verdict

from .focus import OURS, Plan, Start, begin, breadth_first, crawl, guide_for, taught
from .labelled import Web, chosen, kept
from .watched_guide import JudgeFigures, Watched


class LogisticAlone(PageJudge):
    """Without the ridge judge."""

    def _verdict(self, page: PageParts, other: float) -> Verdict:  # noqa: ARG002
        return super()._verdict(page, 0.0)


class RidgeAlone(PageJudge):
    """Without the logistic judge."""

    def _odds(self, page: PageParts) -> float:  # noqa: ARG002
        return 0.0


JUDGES = {"both": PageJudge, "logistic": LogisticAlone, "ridge": RidgeAlone}


class Judged(NamedTuple):
    """A judge on the pages of one crawl."""

    topic: str
    draw: int
    order: str
    judge: str
    figures: JudgeFigures


def seen(start: Start, web: Web, guide: Guide, pages: Sequence[str]) -> JudgeFigures:
    """Judge pages in the order given."""
    watched = Watched(guide)
    for parent, links in taught(start, web, guide):
        guide.leads(parent, links)
    for url in pages:
        _, parent = guide.saw(url, page_text(web.texts[url]))
        guide.leads(parent, web.links[url])
    return watched.figures(pages, start.targets)


def judged(web: Web, topics: Sequence[str], plan: Plan) -> Iterator[Judged]:
    """The figures of each topic."""
    wordnet = load_wordnet()
    for name in topics:
        start = begin(web, name, plan)
        orders = {
            "focused": crawl(start, web, guide_for(start, web, OURS, wordnet, plan), plan.pages),
            "breadth first": breadth_first(start, web, plan.pages),
        }
        for order, pages in orders.items():
            for judge, kind in JUDGES.items():
                guide = guide_for(start, web, OURS, wordnet, plan)
                guide.pages = kind(guide.topic, guide.terms)
                yield Judged(name, plan.draw, order, judge, seen(start, web, guide, pages))


def main() -> None:
    """Print a line of JSON for each topic."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="keep the web as read in this file")
    parser.add_argument("--topic", action="append", help="a topic by name, instead of those held out")
    parser.add_argument("--topics", type=int, help="the first so many only")
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--draw", type=int, action="append", help="draws other seeds; 1 unless given")
    asked = parser.parse_args()
    web = kept(asked.data, asked.cache)
    found: dict[tuple[str, str], list[JudgeFigures]] = {}
    for draw in asked.draw or [1]:
        topics = asked.topic or chosen(web, "final")[: asked.topics]
        for one in judged(web, topics, Plan(asked.pages, draw=draw)):
            found.setdefault((one.order, one.judge), []).append(one.figures)
            print(
                json.dumps({**one._asdict(), "figures": one.figures._asdict()}, ensure_ascii=False),
                flush=True,
            )
    for (order, judge), some in found.items():
        looks = [share for one in some for share in one.shares]
        f1, auc = fmean(one.f1 for one in some), fmean(one.auc for one in some)
        held = f"the truth within the bounds {sum(one.holds for one in looks)} of {len(looks)} times"
        print(f"{order}, {judge}: F1 {f1:.3f}, AUC {auc:.3f}, {held}")


if __name__ == "__main__":
    main()
