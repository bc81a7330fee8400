"""How many of the pages a focused crawl downloads are on its topic: `python -m bench.focus --data DIR`.

DIR holds a labelled web: `pages.jsonl.zst` (path, kind, title, html), `links.tsv.zst` (src, dst, anchor),
`categories.tsv.gz` (path, category) and, if there are any, pages without HTML in `image_pages.jsonl.zst`.
Each learner crawls it in memory, from the same seeds, with the guide that a real crawl uses; the judge is
the subject index of the web itself, which no learner sees: index pages and the line that names a page's
subjects are left out.

Topics for the figure are of subjects that nobody looked at while the default was made (`--split`). Prints
one JSON object on stdout, each crawl on stderr, and, with `--figure FILE.svg`, draws precision against
pages downloaded, after Figure 7 of Safran et al. 2012.
"""

import argparse
import gzip
import heapq
import io
import json
import pickle
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from posixpath import dirname, normpath
from posixpath import join as joined
from typing import Any, NamedTuple
from urllib.parse import unquote

import zstandard

from fieldmouse.focus.figure import draw
from fieldmouse.focus.guide import Guide, Limits
from fieldmouse.focus.measure import MARKS, Curve, Interval, curve, interval
from fieldmouse.focus.sheet import PageText, page_text
from fieldmouse.focus.topic import RECIPES, Examples, build
from fieldmouse.focus.wordnet import WordNet
from fieldmouse.focus.wordnet import load as load_wordnet
from fieldmouse.page.links import links
from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.types import Link

LEARNERS = ("bfs", "nb2", "nb4", "nb4-updatable", "best-first", "svm", "online")
LEAST = 40  # pages a topic must have

# Subjects whose crawls were looked at while the default was made, with all that is below them. A figure
# may only be drawn from the others; on another web all are others.
LOOKED_AT = frozenset(
    {"Citizenship", "Design_and_Technology", "Everyday_life", "Geography", "History"}
    | {"IT", "Language_and_literature", "Music", "Religion", "Science"}
)
SITE = "http://web.test/"

# The subject index tells the judge's labels to whoever reads it.
INDEX = ("index", "other")
SUBJECTS = re.compile(r'<h3 id="siteSub">.*?</h3>', re.DOTALL)


class Web(NamedTuple):
    """A web in memory."""

    texts: dict[str, str]
    links: dict[str, list[Link]]
    subjects: dict[str, set[str]]
    stubs: set[str]


class Start(NamedTuple):
    """What every crawler of a topic begins with."""

    name: str
    targets: frozenset[str]
    relevant: tuple[str, ...]
    irrelevant: tuple[str, ...]
    sightings: dict[str, list[tuple[Link, PageText]]]  # links to the seeds, and the pages they are on


def lines(file: Path) -> Iterator[str]:
    """The lines of a packed file."""
    opened = file.open("rb")
    unpack = zstandard.ZstdDecompressor(max_window_size=2**27)
    with opened, unpack.stream_reader(opened, read_across_frames=True) as stream:
        yield from io.TextIOWrapper(stream, "utf-8")


def load(folder: Path) -> Web:
    """Read a labelled web."""
    pages = [json.loads(line) for line in lines(folder / "pages.jsonl.zst")]
    pages = [one for one in pages if one["kind"] not in INDEX and one["html"]]
    stub_file = folder / "image_pages.jsonl.zst"
    stubs = [json.loads(line) for line in lines(stub_file)] if stub_file.exists() else []
    paths = {one["path"] for one in (*pages, *stubs)}
    web = Web({}, {}, subjects(folder), {SITE + one["path"] for one in stubs})
    for one in pages:
        add_page(web, one["path"], one["html"], paths)
    add_stubs(web, folder, {one["path"]: one for one in stubs}, paths)
    return web


def add_page(web: Web, path: str, html: str, paths: set[str]) -> None:
    """A page with its text and its links, as the crawl reads them."""
    content = SUBJECTS.sub("", html).encode()
    facts = read(content, content_type="text/html; charset=utf-8")

    def absolute(href: str) -> str | None:
        place = normpath(joined(dirname(path), href.partition("#")[0]))
        found = next((one for one in (place, unquote(place)) if one in paths and one != path), None)
        return SITE + found if found else None

    web.texts[SITE + path] = visible_text(content, facts.index, facts.charset)
    web.links[SITE + path] = links(content, facts, absolute)


def add_stubs(web: Web, folder: Path, stubs: dict[str, Any], paths: set[str]) -> None:
    """Pages without HTML are made from their title, text and links."""
    for one in stubs.values():
        web.texts[SITE + one["path"]] = f"{one['title']}\n{one['text']}"
        web.links[SITE + one["path"]] = []
    rows = lines(folder / "links.tsv.zst")
    next(rows)
    for row in rows:
        src, dst, anchor = (*row.rstrip("\n").split("\t"), "")[:3]
        if src in stubs and dst in paths:
            web.links[SITE + src].append(Link(SITE + dst, "a", False, anchor, (), ()))


def subjects(folder: Path) -> dict[str, set[str]]:
    """Each subject, wide and narrow, with its pages."""
    found: dict[str, set[str]] = defaultdict(set)
    with gzip.open(folder / "categories.tsv.gz", "rt", encoding="utf-8") as rows:
        next(rows)
        for row in rows:
            path, subject = row.rstrip("\n").split("\t")
            parts = subject.split(".")
            for n in range(1, len(parts) + 1):
                found[".".join(parts[:n])].add(SITE + path)
    return dict(found)


def chosen(web: Web, split: str, n: int) -> list[str]:
    """The largest topics of a split, none of them within another of the list."""
    sizes = {name: len(pages & web.texts.keys()) for name, pages in web.subjects.items()}
    picked: list[str] = []
    for name, size in sorted(sizes.items(), key=lambda one: (-one[1], one[0])):
        seen = name.partition(".")[0] in LOOKED_AT
        fits = LEAST <= size <= len(web.texts) // 8 and seen == (split == "development")
        if fits and not any(name.startswith(one + ".") for one in picked):
            picked.append(name)
    return picked[:n]


def begin(web: Web, name: str, counts: tuple[int, int], seed: int) -> Start:
    """Draw the seeds of a topic, and find the pages that link to them."""
    targets = web.subjects[name] & web.texts.keys()
    rng = random.Random(f"{name} {seed}")
    good = rng.sample(sorted(targets), counts[0])
    bad = rng.sample(sorted(web.texts.keys() - targets - web.stubs), counts[1])
    sightings: dict[str, list[tuple[Link, PageText]]] = {url: [] for url in (*good, *bad)}
    for page, found in web.links.items():
        for link in found:
            if link.url in sightings and len(sightings[link.url]) < 5 and page not in web.stubs:
                sightings[link.url].append((link, page_text(web.texts[page])))
    return Start(name, frozenset(targets), tuple(good), tuple(bad), sightings)


def guide_for(start: Start, web: Web, learner: str, wordnet: WordNet, recipe: str = "corrected") -> Guide:
    """A guide that knows the seeds."""
    texts = Examples([web.texts[url] for url in start.relevant], [web.texts[url] for url in start.irrelevant])
    name = start.name.rpartition(".")[2].replace("_", " ")
    topic = build(name, texts, background=wordnet.background, recipe=recipe)
    return Guide(topic, wordnet, learner=learner, limits=Limits(level=0 if learner == "bfs" else 3))


def crawl(start: Start, web: Web, guide: Guide, pages: int) -> list[str]:
    """Download the best link that waits until there are enough pages; their addresses in order."""
    queue: list[tuple[float, int, str]] = []
    waiting: dict[str, float] = {}
    done: list[str] = []
    seen = {*start.relevant, *start.irrelevant}
    order = 0
    parents = {}
    for label, urls in ((False, start.irrelevant), (True, start.relevant)):
        for url in urls:
            parents[url] = guide.teach(url, page_text(web.texts[url]), label, start.sightings[url])
    fresh = [(parents[url], web.links[url]) for url in start.relevant]
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


def measures(one: Curve) -> dict[str, float]:
    """All figures of a run under flat names."""
    flat = {f"precision_at_{n}": value for n, value in one.precision.items()}
    return flat | {
        "harvest": one.harvest,
        "mean_harvest": one.mean_harvest,
        "target_recall": one.target_recall,
    }


def summary(runs: dict[str, list[Curve]]) -> dict[str, dict[str, Interval]]:
    """Means over topics with 95 % intervals, by drawing topics again."""
    found = {}
    for learner, curves in runs.items():
        rows = [measures(one) for one in curves]
        names = [name for name in rows[0] if all(name in row for row in rows)]
        found[learner] = {name: interval([row[name] for row in rows]) for name in names}
    return found


def drawn(curves: dict[str, list[Curve]]) -> str:
    """The figure."""
    rows = {
        learner: {
            m: interval([one.precision[m] for one in all_])
            for m in MARKS
            if all(m in one.precision for one in all_)
        }
        for learner, all_ in curves.items()
    }
    return draw(rows, MARKS)


def speed(web: Web, start: Start, learner: str, wordnet: WordNet) -> dict[str, float]:
    """Microseconds of processor time for a link and for a page, the best of several rounds."""
    guide = guide_for(start, web, learner, wordnet)
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


def without_stubs(web: Web) -> Web:
    """The same web without the pages that have no HTML, to see how much of a lead is knowing junk."""
    texts = {url: text for url, text in web.texts.items() if url not in web.stubs}
    found = {url: [one for one in web.links[url] if one.url in texts] for url in texts}
    return Web(texts, found, web.subjects, set())


def kept(folder: Path, cache: Path | None) -> Web:
    """The web, from the cache when there is one: reading takes a minute."""
    if cache and cache.exists():
        return Web(*pickle.loads(cache.read_bytes()))
    web = load(folder)
    if cache:
        cache.write_bytes(pickle.dumps(tuple(web)))
    return web


def main() -> None:
    """Run the crawls and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="keep the web as read in this file")
    parser.add_argument("--split", choices=("development", "final"), default="final")
    parser.add_argument("--topics", type=int, default=6)
    parser.add_argument("--topic", action="append", help="a topic by name, instead of drawn ones")
    parser.add_argument("--learner", action="append", help="instead of all")
    parser.add_argument("--pages", type=int, default=2000)
    parser.add_argument("--seeds", type=int, nargs=2, default=(10, 20), help="relevant and irrelevant ones")
    parser.add_argument("--draw", type=int, default=1, help="draws other seeds")
    parser.add_argument("--recipe", choices=RECIPES, default=RECIPES[0], help="of the keyword table")
    parser.add_argument("--without-stubs", action="store_true", help="leave pages without HTML out")
    parser.add_argument("--figure", type=Path)
    parser.add_argument("--speed", action="store_true", help="measure what a judgement costs, and end")
    asked = parser.parse_args()
    web, wordnet = kept(asked.data, asked.cache), load_wordnet()
    if asked.without_stubs:
        web = without_stubs(web)
    if asked.speed:
        start = begin(web, chosen(web, asked.split, 1)[0], tuple(asked.seeds), asked.draw)
        print(json.dumps({who: speed(web, start, who, wordnet) for who in asked.learner or LEARNERS}))
        return
    runs: dict[str, list[Curve]] = {}
    for name in asked.topic or chosen(web, asked.split, asked.topics):
        start = begin(web, name, tuple(asked.seeds), asked.draw)
        for learner in asked.learner or LEARNERS:
            began = time.process_time()
            done = crawl(start, web, guide_for(start, web, learner, wordnet, asked.recipe), asked.pages)
            found = curve(done, start.targets, len(start.relevant))
            runs.setdefault(learner, []).append(found)
            about = {"topic": name, "learner": learner, "seconds": round(time.process_time() - began, 1)}
            print(json.dumps({**about, **found._asdict()}), file=sys.stderr, flush=True)
    told = {
        learner: {key: one._asdict() for key, one in row.items()} for learner, row in summary(runs).items()
    }
    print(json.dumps(told, indent=1))
    if asked.figure:
        asked.figure.write_text(drawn(runs), "utf-8")


if __name__ == "__main__":
    main()
