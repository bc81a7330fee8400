"""How well a change of content is told from noise: the paper's digest, shingles, and ours.

    python -m bench.noise [FOLDER ...] [--data DIR] [--each 60] [--rounds 1000] [--check] [--json OUT]

A FOLDER holds labelled pairs (`pairs.jsonl.zst`: two fetches one after the other) or a labelled series
(`replay.jsonl.zst`: every visit of each page, so that a host's noise can be learned as it is visited). DIR is
searched two levels deep for such folders. Each visit is judged before it is learned from. The interval is a
bootstrap over sites; halves by site are service-disjoint.
"""

import argparse
import io
import json
import random
import sys
import time
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple

import zstandard

from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.refresh.change import ChangeVerdict, judge_units
from fieldmouse.refresh.noise import HostNoise, PageNoise
from fieldmouse.refresh.page_units import PageUnits, page_units
from fieldmouse.settings import RefreshSettings
from fieldmouse.types import StoredCopy

from . import floors

SHINGLES = (0.0, 0.001, 0.01, 0.05)
# Words in a row of a shingle.
SHINGLE = 4
OURS, ALL, LABELLED = "ours", "ours, the edge too", "ours, no facts at the edge"
WAYS = {OURS: RefreshSettings(count="content"), ALL: RefreshSettings(count="all")}
# The figures that floors are about. That of the series was first measured when nothing at the edge counted.
FIGURES = {
    ("pairs", OURS): "noise.pairs_f1",
    ("series", OURS): "noise.series_with_edge_facts_f1",
    ("series", LABELLED): "noise.series_f1",
}


class Told(NamedTuple):
    """What one way said of one visit."""

    way: str
    site: str
    time: str
    truth: bool
    told: bool


class Seen(NamedTuple):
    """One fetch of a page as each way needs it."""

    text: str  # all that is visible
    read: PageUnits


def rows(file: Path) -> Iterator[dict[str, Any]]:
    """Objects of a compressed file."""
    with file.open("rb") as packed:
        stream = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(
            packed, read_across_frames=True
        )
        for line in io.TextIOWrapper(stream, "utf-8"):
            yield json.loads(line)


class Stopwatch:
    """Processor time spent on our way of telling."""

    def __init__(self) -> None:
        self.reading = self.judging = 0.0
        self.pages = self.visits = 0

    def seen(self, html: str, fetched: float) -> Seen:
        """Read one fetch."""
        body = html.encode("utf-8", "surrogatepass")
        facts = read(body)
        text = visible_text(body, facts.index, facts.charset)
        copy = StoredCopy(content=body, index=facts.index, charset=facts.charset, time=fetched)
        began = time.process_time()
        ours = page_units(copy)
        self.reading += time.process_time() - began
        self.pages += 1
        return Seen(" ".join(text.split()), ours)

    def told(self, state: "Learned", before: Seen, after: Seen, page: str) -> ChangeVerdict:
        """Judge one visit and learn from it."""
        began = time.process_time()
        known = state.pages.get(page, PageNoise())
        verdict = judge_units(before.read, after.read, known, state.host, state.settings, url=page)
        assert verdict.evidence is not None
        state.pages[page] = verdict.page
        state.host.learn(verdict.evidence)
        self.judging += time.process_time() - began
        self.visits += 1
        return verdict

    def figures(self) -> dict[str, float]:
        """Microseconds of processor time for a fetch to read, and for a visit to judge and learn from."""
        return {
            "reading_us": self.reading / max(self.pages, 1) * 1e6,
            "judging_us": self.judging / max(self.visits, 1) * 1e6,
        }


@dataclass
class Learned:
    """What was learned of a host so far."""

    settings: RefreshSettings
    host: HostNoise = field(default_factory=HostNoise)
    pages: dict[str, PageNoise] = field(default_factory=dict)


def counted(way: str, verdict: ChangeVerdict) -> Iterator[tuple[str, bool]]:
    """What one of our ways says; the default also without facts at the edge, which the labels do not know."""
    yield way, verdict.changed
    if way == OURS and verdict.evidence is not None:
        found = {one.at for one in verdict.entries if one.counted}
        inside = (one.addresses in found for one in verdict.evidence.events if not one.unit.edge)
        yield LABELLED, verdict.changed and any(inside)


def share(before: str, after: str) -> float:
    """The share of the shingles of two texts that are in only one of them."""
    first, second = shingles(before.split()), shingles(after.split())
    return len(first ^ second) / max(len(first | second), 1)


def shingles(words: Sequence[str]) -> set[tuple[str, ...]]:
    """Every run of some words; a text with fewer is one run."""
    return {tuple(words[at : at + SHINGLE]) for at in range(max(len(words) - SHINGLE + 1, bool(words)))}


def others(before: Seen, after: Seen) -> Iterator[tuple[str, bool]]:
    """What each way that learns nothing says."""
    differs = before.text != after.text
    yield "paper's digest", differs
    size = share(before.text, after.text) if differs else 0.0
    for threshold in SHINGLES:
        yield f"shingles, more than {threshold:.1%}", size > threshold


def pairs(file: Path, watch: Stopwatch) -> Iterator[Told]:
    """Labelled pairs: nothing can be learned about a host from one pair."""
    for row in rows(file):
        before, after = watch.seen(row["before"], 0.0), watch.seen(row["after"], 0.0)
        key = row["site"], row["time"], bool(row["content_changed"])
        for way, told in others(before, after):
            yield Told(way, *key, told)
        for way, settings in WAYS.items():
            verdict = watch.told(Learned(settings), before, after, row["page"])
            for name, told in counted(way, verdict):
                yield Told(name, *key, told)


def series(file: Path, watch: Stopwatch, each: int) -> Iterator[Told]:
    """A labelled series, site by site: each learns its noise as it is visited."""
    for site, some in groupby(rows(file), key=lambda row: row["site"]):
        states = {way: Learned(settings) for way, settings in WAYS.items()}
        fresh = {way: settings for way, settings in WAYS.items() if way == OURS}
        last: dict[str, Seen] = {}
        for when, page, label, now in sorted(_visits(some, watch, each), key=lambda visit: visit[0]):
            if (before := last.get(page)) is not None:
                ours = [
                    one for way, state in states.items()
                    for one in counted(way, watch.told(state, before, now, page))
                ]  # fmt: skip
                ours += [
                    (f"{way}, nothing learned", watch.told(Learned(one), before, now, page).changed)
                    for way, one in fresh.items()
                ]
                if label is not None:
                    for way, told in (*others(before, now), *ours):
                        yield Told(way, site, when, bool(label), told)
            last[page] = now


def _visits(
    some: Iterable[dict[str, Any]], watch: Stopwatch, each: int
) -> Iterator[tuple[str, str, int | None, Seen]]:
    """The visits of one site, at most `each` a page."""
    number: Counter[str] = Counter()
    for row in some:
        number[row["page"]] += 1
        if not each or number[row["page"]] <= each:
            fetched = datetime.fromisoformat(row["time"])
            fetched = fetched if fetched.tzinfo else fetched.replace(tzinfo=UTC)
            yield (
                row["time"],
                row["page"],
                row["content_changed"],
                watch.seen(row["html"], fetched.timestamp()),
            )


# Figures


def scored(counts: Counter[str]) -> dict[str, float]:
    """Precision, recall and F1 of what was counted."""
    right = counts["tp"]
    precision = right / max(right + counts["fp"], 1)
    recall = right / max(right + counts["fn"], 1)
    f1 = 2 * right / max(2 * right + counts["fp"] + counts["fn"], 1)
    return {"precision": precision, "recall": recall, "f1": f1}


def by_site(told: Sequence[Told]) -> list[Counter[str]]:
    """Right and wrong answers of each site."""
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for one in told:
        kind = ("tp" if one.told else "fn") if one.truth else ("fp" if one.told else "tn")
        found[one.site][kind] += 1
    return list(found.values())


def interval(sites: Sequence[Counter[str]], rounds: int, seed: int) -> tuple[float, float]:
    """Where F1 lies in 95 of 100 draws of as many sites."""
    draw = random.Random(seed)
    found = sorted(
        scored(sum(draw.choices(sites, k=len(sites)), Counter()))["f1"] for _ in range(max(rounds, 1))
    )
    return found[int(0.025 * len(found))], found[int(0.975 * (len(found) - 1))]


def parts(told: Sequence[Told]) -> Iterator[tuple[str, list[Told]]]:
    """All, and halves by site and by time."""
    yield "all", list(told)
    middle = sorted(one.time for one in told)[len(told) // 2] if told else ""
    for name, chosen in (("sites A", 0), ("sites B", 1)):
        yield name, [one for one in told if zlib.crc32(one.site.encode()) % 2 == chosen]
    yield "earlier", [one for one in told if one.time < middle]
    yield "later", [one for one in told if one.time >= middle]


def figures(told: Sequence[Told], rounds: int, seed: int) -> Iterator[dict[str, Any]]:
    """Every way on every part."""
    for way in dict.fromkeys(one.way for one in told):
        for part, some in parts([one for one in told if one.way == way]):
            sites = by_site(some)
            counts = sum(sites, Counter())
            low, high = interval(sites, rounds if part == "all" else 1, seed) if sites else (0.0, 0.0)
            yield {"way": way, "part": part, **scored(counts), "low": low, "high": high, **counts}


def worst(told: Sequence[Told], sites: int = 5) -> str:
    """Where our false alarms are: one site whose labels are wrong can outweigh all others."""
    alarms = Counter(one.site for one in told if one.way == OURS and one.told and not one.truth)
    return ", ".join(f"{site} {count}" for site, count in alarms.most_common(sites))


def shown(name: str, line: dict[str, Any]) -> str:
    """A figure as a line of a table."""
    counted = " ".join(f"{kind} {line.get(kind, 0)}" for kind in ("tp", "fp", "fn", "tn"))
    between = f" ({line['low']:.3f} to {line['high']:.3f})" if line["part"] == "all" else ""
    return (
        f"{name:7} {line['way']:24} {line['part']:8} precision {line['precision']:.3f}"
        f" recall {line['recall']:.3f} F1 {line['f1']:.3f}{between} {counted}"
    )


def main() -> int:
    """Print a line for each figure; with --check fail when one is worse than its floor."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path, nargs="*")
    parser.add_argument("--data", type=Path, help="search this folder, two levels deep, for folders of data")
    parser.add_argument("--each", type=int, default=0, help="visits of each page of a series; 0 for all")
    parser.add_argument("--rounds", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true", help="fail when a figure is worse than its floor")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()
    folders = list(asked.folder)
    if asked.data:
        for name in ("pairs.jsonl.zst", "replay.jsonl.zst"):
            folders += sorted(
                one.parent for depth in ("*", "*/*") for one in asked.data.glob(f"{depth}/{name}")
            )
    if not folders:
        parser.error("name a folder, or --data with folders that have pairs.jsonl.zst or replay.jsonl.zst")
    out: dict[str, float] = {}
    lines: list[dict[str, Any]] = []
    for folder in folders:
        watch, file = Stopwatch(), folder / "pairs.jsonl.zst"
        name = "pairs" if file.exists() else "series"
        told = list(
            pairs(file, watch) if file.exists() else series(folder / "replay.jsonl.zst", watch, asked.each)
        )
        for line in figures(told, asked.rounds, asked.seed):
            lines.append({"data": name, **line})
            print(shown(name, line), flush=True)
            if (figure := FIGURES.get((name, line["way"]))) and line["part"] == "all":
                out[figure] = line["f1"]
        print(name, json.dumps(watch.figures()), "false alarms:", worst(told))
        out |= {f"noise.{name}_{kind}": value for kind, value in watch.figures().items()}
    if asked.json:
        asked.json.write_text(json.dumps({"figures": out, "lines": lines}, indent=1), encoding="utf-8")
    worse = floors.compare(out, floors.load()) if asked.check else []
    print(*worse, sep="\n", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
