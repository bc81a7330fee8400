"""How many of the pages a focused crawl downloads are on its topic: `python -m bench.focus --data DIR`.

DIR holds a labelled web, see `bench.labelled`. Each learner crawls it in memory, from the same seeds and for
as many pages, with the guide that a real crawl uses and no more than a real crawl knows; the judge is the
subject index of the web, which no learner sees. `bench.focus_served` does the same over HTTP.

Topics for the figure are all subjects that nobody looked at while the default was made (`--split`). With
`--keep FILE` each crawl is written as it ends, and crawls that stand there are not run again. Prints one JSON
object on stdout, with the harvest after 250, 500 and 1,000 pages and how well the page judge did, each crawl
on stderr, and, with `--figure FILE.svg`, draws precision against pages downloaded, after Figure 7 of Safran
et al. 2012.
"""

import argparse
import heapq
import json
import math
import random
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from fieldmouse.focus.evaluation import Curve, Interval, curve, draw, interval, means, measures
from fieldmouse.focus.guide import Guide, Lead, Limits
from fieldmouse.focus.link_learner import Parent
from fieldmouse.focus.topic import RECIPES, Examples, build
from fieldmouse.focus.wordnet import WordNet
from fieldmouse.focus.wordnet import load as load_wordnet
from fieldmouse.focus.words import PageText, page_text
from fieldmouse.types import Link

from .labelled import Web, chosen, kept, without_stubs
from .watched_guide import JudgeFigures, Watched

OURS = "online"

# As the paper has it, links predicted relevant go first and the others after them, each in the order they
# were found. Its few posteriors drift while a training set grows, and what was judged last then goes before
# all that is as good but waits longer; so the published learners are run in both ways.
BY_CLASS = " by class"
LEARNERS = (
    *("bfs", "nb2", "nb4", "nb4-updatable", f"nb4-updatable{BY_CLASS}"),
    *("best-first", "svm", "network", "sarsa", OURS, "perfect"),
)
AT = (250, 500, 1000)  # pages after which the harvest is stated
PAGES = 2000  # or a quarter of the web, if that is less


class Start(NamedTuple):
    """What every crawler of a topic begins with."""

    name: str
    targets: frozenset[str]
    relevant: tuple[str, ...]
    irrelevant: tuple[str, ...]
    mentions: dict[str, list[tuple[Link, PageText]]]  # links to the seeds, and the pages they are on


class Plan(NamedTuple):
    """How all crawls are run."""

    pages: int
    seeds: tuple[int, int] = (10, 20)  # relevant, irrelevant
    draw: int = 1
    recipe: str = RECIPES[0]
    backlinks: int = 0  # pages that link to a seed, as if a search engine had named them
    level: int = 0


def begin(web: Web, name: str, plan: Plan) -> Start:
    """Draw the seeds of a topic, and find pages that link to them if a search engine is asked."""
    targets = web.subjects.get(name, set()) & web.texts.keys()
    others = sorted(web.texts.keys() - targets - web.stubs)
    if len(targets) < 2 or not others:
        raise SystemExit(f"the subject {name!r} has {len(targets)} pages on it and {len(others)} off it")
    rng = random.Random(f"{name} {plan.draw}")
    good = rng.sample(sorted(targets), min(plan.seeds[0], len(targets) // 2))
    bad = rng.sample(others, min(plan.seeds[1], len(others) // 2))
    mentions: dict[str, list[tuple[Link, PageText]]] = {url: [] for url in (*good, *bad)}
    for page, found in web.links.items() if plan.backlinks else ():
        for link in found:
            if link.url in mentions and len(mentions[link.url]) < plan.backlinks and page not in web.stubs:
                mentions[link.url].append((link, page_text(web.texts[page])))
    return Start(name, frozenset(targets), tuple(good), tuple(bad), mentions)


def guide_for(start: Start, web: Web, learner: str, wordnet: WordNet, plan: Plan) -> Guide:
    """A guide for the topic."""
    texts = Examples([web.texts[url] for url in start.relevant], [web.texts[url] for url in start.irrelevant])
    name = start.name.rpartition(".")[2].replace("_", " ")
    topic = build(name, texts, background=wordnet.background, recipe=plan.recipe)
    kind = ByClass if learner.endswith(BY_CLASS) else Guide
    return kind(topic, wordnet, learner=learner.removesuffix(BY_CLASS), limits=Limits(level=plan.level))


class ByClass(Guide):
    """A guide that gives links predicted relevant one score and all others another."""

    def leads(self, parent: Parent, links: Sequence[Link]) -> list[Lead]:
        """See `Guide`."""
        return [one._replace(score=float(one.score > 0.5)) for one in super().leads(parent, links)]

    def again(self, url: str) -> float | None:
        """See `Guide`."""
        now = super().again(url)
        return None if now is None else float(now > 0.5)


def breadth_first(start: Start, web: Web, pages: int) -> list[str]:
    """What a crawl with equal scores and no level limit downloads; it needs no guide."""
    seen = {*start.relevant, *start.irrelevant}
    done: list[str] = []
    queue: deque[str] = deque()
    fresh = list(start.relevant)
    while len(done) < pages:
        for page in fresh:
            for link in web.links[page]:
                if link.url not in seen:
                    seen.add(link.url)
                    queue.append(link.url)
        if not queue:
            break
        done.append(queue.popleft())
        fresh = done[-1:]
    return done


def perfect(start: Start, web: Web, pages: int) -> list[str]:
    """All pages of the topic first: no crawler can do better, and none can know where they are."""
    wanted = sorted(start.targets.difference(start.relevant))
    others = sorted(web.texts.keys() - start.targets)
    return (wanted + others)[:pages]


def harvest_at(done: Sequence[str], targets: frozenset[str], budget: int) -> dict[int, float]:
    """The share of pages on the topic after so many pages; a crawl that ended early found nothing more."""
    return {
        mark: round(sum(url in targets for url in done[:mark]) / mark, 4) for mark in AT if mark <= budget
    }


UNGUIDED = {"bfs": breadth_first, "perfect": perfect}


def taught(start: Start, web: Web, guide: Guide) -> list[tuple[Parent, Sequence[Link]]]:
    """Teach the examples; the seeds with their links."""
    parents = {}
    for label, urls in ((False, start.irrelevant), (True, start.relevant)):
        for url in urls:
            parents[url] = guide.teach(url, page_text(web.texts[url]), label, start.mentions[url])
    return [(parents[url], web.links[url]) for url in start.relevant]


def crawl(start: Start, web: Web, guide: Guide, pages: int) -> list[str]:
    """Download the best link that waits until there are enough pages; their addresses in order."""
    queue: list[tuple[float, int, str]] = []
    waiting: dict[str, float] = {}
    done: list[str] = []
    seen = {*start.relevant, *start.irrelevant}
    order = 0
    fresh = taught(start, web, guide)
    while len(done) < pages:
        for parent, found in fresh:
            for lead in guide.leads(parent, [link for link in found if link.url not in seen]):
                if not lead.refused and lead.score > waiting.get(lead.url, -1.0):
                    order += lead.url not in waiting
                    waiting[lead.url] = lead.score
                    heapq.heappush(queue, (-lead.score, order, lead.url))
        best = take(queue, waiting, guide)
        if best is None:
            break
        seen.add(best)
        done.append(best)
        _, parent = guide.saw(best, page_text(web.texts[best]))
        fresh = [(parent, web.links[best])]
        for url, score in guide.risen():
            if score > waiting.get(url, math.inf):
                waiting[url] = score
                order += 1
                heapq.heappush(queue, (-score, order, url))
    return done


def take(queue: list[tuple[float, int, str]], waiting: dict[str, float], guide: Guide) -> str | None:
    """The best link by what is known now: one that has become worse waits on."""
    while queue:
        place, order, url = heapq.heappop(queue)
        if waiting.get(url) != -place:
            continue
        now = guide.again(url)
        if now is not None and now < -place and queue and now < -queue[0][0]:
            waiting[url] = now
            heapq.heappush(queue, (-now, order, url))
            continue
        del waiting[url]
        return url
    return None


class Run(NamedTuple):
    """One crawl, measured."""

    topic: str
    draw: int
    learner: str
    curve: Curve
    harvest: dict[int, float]  # after so many pages
    judge: JudgeFigures | None  # if there is a guide
    seconds: float

    def line(self, plan: Plan) -> str:
        """A line of JSON."""
        rounded = self._replace(seconds=round(self.seconds, 1))._asdict()
        parts = {"curve": self.curve._asdict(), "judge": self.judge and self.judge._asdict()}
        return json.dumps({**rounded, **parts, "plan": plan._asdict()}, ensure_ascii=False)


def remembered(file: Path | None, plan: Plan) -> dict[tuple[str, str], Run]:
    """Crawls of the same plan that were run before."""
    found = {}
    if file and file.exists():
        for line in file.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row.pop("plan") == json.loads(json.dumps(plan._asdict())):
                precision = {int(n): value for n, value in row["curve"].pop("precision").items()}
                row["curve"] = Curve(precision, **row["curve"])
                row["harvest"] = {int(n): value for n, value in row["harvest"].items()}
                row["judge"] = row["judge"] and JudgeFigures.from_json(row["judge"])
                found[row["topic"], row["learner"]] = Run(**row)
    return found


COMPARED = ("mean_harvest", "target_recall")


def at_marks(group: Sequence[Run]) -> dict[str, Any]:
    """Means of the crawls of a learner: harvest after so many pages, and how well the page judge did."""
    found: dict[str, Any] = {
        "crawls": len(group),
        "ended_early": sum(one.curve.pages < max(one.harvest, default=0) for one in group),
        "harvest": {mark: round(fmean(one.harvest[mark] for one in group), 4) for mark in group[0].harvest},
    }
    judges = [one.judge for one in group if one.judge]
    if judges:
        shares = [share for one in judges for share in one.shares]
        found |= {
            "f1": round(fmean(one.f1 for one in judges), 3),
            "auc": round(fmean(one.auc for one in judges), 3),
            "bounds": f"hold {sum(share.holds for share in shares)} of {len(shares)}",
        }
        if shares:
            found["width"] = round(fmean(share.high - share.low for share in shares), 3)
    return found


def told(curves: dict[str, list[Curve]]) -> dict[str, Any]:
    """All figures of each learner; then how many times those of the others ours are, and how much more."""
    rows = means(curves)
    found: dict[str, Any] = {
        who: {key: one._asdict() for key, one in row.items()} for who, row in rows.items()
    }
    if OURS in rows:
        others = [who for who in rows if who != OURS]
        found["ours_over"] = {
            who: {key: ratio(rows[OURS][key].mean, rows[who][key].mean) for key in COMPARED} for who in others
        }
        found["ours_minus"] = {
            who: {key: gain(curves[OURS], curves[who], key)._asdict() for key in COMPARED} for who in others
        }
    return found


def gain(ours: Sequence[Curve], theirs: Sequence[Curve], key: str) -> Interval:
    """What we have more, topic by topic; when the interval leaves out 0 it is not by chance."""
    pairs = zip(map(measures, ours), map(measures, theirs), strict=True)
    return interval([one[key] - other[key] for one, other in pairs])


def ratio(ours: float, theirs: float) -> float:
    """Times theirs."""
    return round(ours / theirs, 3) if theirs else 0.0


def speed(web: Web, start: Start, learner: str, plan: Plan) -> dict[str, float]:
    """Microseconds of processor time for a link and for a page, the best of several rounds."""
    guide = guide_for(start, web, learner, load_wordnet(), plan)
    done = crawl(start, web, guide, 100)
    pages = [(url, page_text(web.texts[url])) for url in done if url not in web.stubs]
    parents = [guide.saw(*one)[1] for one in pages]
    count = sum(len(web.links[url]) for url, _ in pages)
    link = page = float("inf")
    for _ in range(5):
        guide.pending.clear()
        began = time.process_time()
        for parent in parents:
            guide.leads(parent, web.links[parent.url])
        link = min(link, (time.process_time() - began) / count)
        began = time.process_time()
        for one in pages:
            guide.saw(*one)
        page = min(page, (time.process_time() - began) / len(pages))
    return {"link_us": round(link * 1e6, 1), "page_us": round(page * 1e6, 1), "links": count}


def runs(
    web: Web, topics: Sequence[str], learners: Sequence[str], plan: Plan, keep: Path | None
) -> Iterator[Run]:
    """Every learner on every topic, those that were run before as they were."""
    wordnet, before = load_wordnet(), remembered(keep, plan)
    for name in topics:
        start = begin(web, name, plan)
        for learner in learners:
            if (known := before.get((name, learner))) is not None:
                yield known
                continue
            began, judge = time.process_time(), None
            if learner in UNGUIDED:
                done = UNGUIDED[learner](start, web, plan.pages)
            else:
                watched = Watched(guide_for(start, web, learner, wordnet, plan))
                done = crawl(start, web, watched.guide, plan.pages)
                judge = watched.figures(done, start.targets)
            found = curve(done, start.targets, len(start.relevant), plan.pages)
            harvest = harvest_at(done, start.targets, plan.pages)
            one = Run(name, plan.draw, learner, found, harvest, judge, time.process_time() - began)
            if keep:
                with keep.open("a", encoding="utf-8") as file:
                    file.write(one.line(plan) + "\n")
            yield one


def main() -> None:
    """Run the crawls and print the figures."""
    asked = options()
    web = kept(asked.data, asked.cache)
    if asked.without_stubs:
        web = without_stubs(web)
    pages = asked.pages or min(PAGES, len(web.texts) // 4)
    plan = Plan(pages, tuple(asked.seeds), 1, asked.recipe, asked.backlinks, asked.level)
    topics = asked.topic or chosen(web, asked.split)[: asked.topics]
    if not topics:
        raise SystemExit(
            "no subject of this web has from 40 pages to an eighth of them; name some with --topic"
        )
    if asked.speed:
        start = begin(web, topics[0], plan)
        learners = asked.learner or [who for who in LEARNERS if who != "perfect"]
        print(json.dumps({who: speed(web, start, who, plan) for who in learners}))
        return
    found: dict[str, list[Run]] = {}
    for draw_number in asked.draw or [1]:
        plan = plan._replace(draw=draw_number)
        for one in runs(web, topics, asked.learner or LEARNERS, plan, asked.keep):
            found.setdefault(one.learner, []).append(one)
            print(one.line(plan), file=sys.stderr, flush=True)
    curves = {learner: [one.curve for one in group] for learner, group in found.items()}
    cost = speed(web, begin(web, topics[0], plan), OURS, plan)
    marks = {learner: at_marks(group) for learner, group in found.items()}
    print(json.dumps({"at": marks, **told(curves), "cost": cost}, indent=1))
    if asked.figure:
        asked.figure.write_text(draw(curves), "utf-8")


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="keep the web as read in this file")
    parser.add_argument("--keep", type=Path, help="keep each crawl's figures in this file, and go on from it")
    parser.add_argument("--split", choices=("development", "final", "all"), default="final")
    parser.add_argument("--topics", type=int, help="the first so many only")
    parser.add_argument("--topic", action="append", help="a topic by name, instead of those of the split")
    parser.add_argument("--learner", action="append", help="instead of all")
    parser.add_argument("--pages", type=int, help=f"instead of {PAGES} or a quarter of the web")
    parser.add_argument("--seeds", type=int, nargs=2, default=(10, 20), help="relevant and irrelevant ones")
    parser.add_argument("--draw", type=int, action="append", help="draws other seeds; 1 unless given")
    parser.add_argument("--recipe", choices=RECIPES, default=RECIPES[0], help="of the keyword table")
    parser.add_argument("--backlinks", type=int, default=0, help="known pages that link to each seed")
    parser.add_argument("--level", type=int, default=0, help="level limit; 0 for none; BFS has none")
    parser.add_argument("--without-stubs", action="store_true", help="leave pages without HTML out")
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--speed", action="store_true", help="measure what a judgement costs, and end")
    return parser.parse_args()


if __name__ == "__main__":
    main()
