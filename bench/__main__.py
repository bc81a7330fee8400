"""All measurements in one go: `python -m bench --data DIR`; see docs/how-to/bench.md.

Each part runs in a process of its own, so that one does not warm or fill the memory of the next.
"""

import argparse
import compileall
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import fieldmouse

from . import floors
from .figures import figures, named
from .parts import EACH, PARTS, Data, called, chosen, measured, search
from .peers import LIMITS, OURS, SETTINGS, UNLIMITED, Row, run
from .pipeline import SHORT
from .webs import ROOTS, Webs

OUT = Path(__file__).with_name("out")


def options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").partition("\n")[0])
    _data_options(parser)
    _size_options(parser)
    parser.add_argument("--out", type=Path, help="where the figures go as JSON; else a new file in bench/out")
    parser.add_argument("--check", action="store_true", help="fail when a figure is worse than its floor")
    parser.add_argument("--pin", action="store_true", help="write figures that beat their floors as floors")
    return parser.parse_args(arguments)


def _data_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--data",
        type=Path,
        action="append",
        help="a bench folder, or a folder of data sets; may be given again",
    )
    add(
        "--gold",
        type=Path,
        help="a folder of pages with gold text, for templates; else main_content in --data",
    )
    add("--labelled", type=Path, help="a labelled web, for focus; else the one in --data")
    add("--snapshots", type=Path, help="what live serves, in place of the demo's town")
    add("--only", choices=PARTS, action="append", help="run this part; may be given again")


def _size_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--peers", default="scrapy,wget,wget-warc,loop", help="peers to crawl with, or none: ''")
    add("--webs", default=",".join(ROOTS), help="webs to crawl")
    add("--pages", type=int, help="stop each crawl after so many pages; 0 for whole webs")
    add("--rounds", type=int, default=1, help="crawls of each program, taking turns")
    add("--hosts", type=int, help="hosts of scale")
    add("--links", type=int, help="links of scale")
    add("--days", type=float, help="days of live")
    add("--history", action="append", help="a history that refresh replays, by its folder's name; else all")
    add("--each", type=int, default=EACH, help=f"visits of each page for noise, 0 for all; else {EACH}")
    add("--topics", type=int, help="topics of focus; else all that are held out")
    add("--websites", type=int, help="websites of the registry of parked")


def crawls(given: argparse.Namespace, folder: Path) -> list[Row]:
    """Every program on every web, one after the other."""
    webs = Webs(folder)
    peers = [name for name in given.peers.split(",") if name]
    rows = []
    for web in given.webs.split(","):
        for number in range(given.rounds):
            for peer, limit in calls(peers, given.pages):
                print(f"{web}: {peer}, {limit or 'all'} pages, round {number + 1}", file=sys.stderr)
                rows.append(run(webs, peer, web, limit, OUT / "scratch" / peer))
                shutil.rmtree(OUT / "scratch")
    return rows


def calls(peers: Sequence[str], pages: int | None) -> list[tuple[str, int]]:
    """Who crawls how many pages. For each limit of a peer we crawl as many, to compare like with like."""
    theirs = [(peer, _limit(peer, pages)) for peer in peers]
    ours = dict.fromkeys((OURS, limit) for limit in [0 if pages is None else pages, *(n for _, n in theirs)])
    return [*ours, *theirs]


def _limit(peer: str, pages: int | None) -> int:
    if peer in UNLIMITED:
        return 0
    return LIMITS.get(peer, 0) if pages is None else pages


def best(rows: Sequence[Row]) -> list[Row]:
    """The cheapest round of each program on each web."""
    found: dict[tuple[str, str, int], Row] = {}
    for row in rows:
        key = (row.web, row.peer, row.limit)
        if key not in found or row.cpu_per_1000 < found[key].cpu_per_1000:
            found[key] = row
    return list(found.values())


def table(rows: Sequence[Row]) -> str:
    """The rows as a table in Markdown; times ours, for the same number of pages."""
    head = ("web", "program", "pages", "pages/s", "CPU-s per 1000", "× ours", "peak MB", "complete %", "WARC")
    ours = {(row.web, row.limit): row.cpu_per_1000 for row in rows if row.peer == OURS}
    lines = [head, tuple("---" for _ in head)]
    for row in rows:
        times = row.cpu_per_1000 / ours[row.web, row.limit] if (row.web, row.limit) in ours else 0.0
        lines.append(
            (
                row.web, row.peer, f"{row.pages:,}", f"{row.pages_per_second:.0f}", f"{row.cpu_per_1000:.2f}",
                f"{times:.1f}", f"{row.peak_mb:.0f}", f"{row.complete:.2f}" if not row.limit else "–",
                "yes" if row.warc else "no",
            )
        )  # fmt: skip
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def pipeline_table(measured: dict[str, Any]) -> str:
    """What comes after a crawl, as a table in Markdown."""
    lines: list[tuple[str, ...]] = [("step", "CPU-s", "seconds", "pages/s", "CPU-s per 1000", "peak MB")]
    lines.append(tuple("---" for _ in lines[0]))
    for name, took in measured["steps"].items():
        short = name in SHORT
        rate = "" if short else f"{measured['pages'] / took['seconds']:,.0f}"
        cost = "" if short else f"{1000 * took['cpu'] / measured['pages']:.2f}"
        seconds = f"{took['cpu']:.2f}", f"{took['seconds']:.2f}"
        lines.append((f"`{name}`", *seconds, rate, cost, f"{took['peak_mb']:.0f}"))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def workers_table(measured: dict[str, Any]) -> str:
    """One worker and several, as a table in Markdown."""
    head = ("web", "workers", "seconds", "CPU-s", "CPU-s of the busiest", "complete %")
    lines: list[tuple[str, ...]] = [head, tuple("---" for _ in head)]
    for web, found in measured["webs"].items():
        for row in found["rows"]:
            times = (f"{row[name]:.1f}" for name in ("seconds", "cpu", "busiest"))
            lines.append((web, str(row["workers"]), *times, f"{row['complete']:.2f}"))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def others(parts: Sequence[str], given: argparse.Namespace, data: Data) -> tuple[dict[str, Any], list[str]]:
    """The figures of all parts but crawls, and which failed: one does not take the others with it."""
    results: dict[str, Any] = {}
    failed = []
    for part in (one for one in parts if one != "crawl"):
        try:
            results[part] = measured(part, called(part, given, data))
        except subprocess.CalledProcessError as error:
            failed.append(f"{part} failed: {shlex.join(error.cmd[1:])} ended with {error.returncode}")
    return results, failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write, compare."""
    given = options(arguments)
    data = search(given)
    parts = chosen(given.only, data)
    now = datetime.now(UTC)
    compileall.compile_dir(Path(fieldmouse.__file__).parent, quiet=1)  # as an installation does
    rows = crawls(given, data.bench) if "crawl" in parts and data.bench else []
    results, worse = others(parts, given, data)
    found = named(figures(results, best(rows)), given)
    if rows:
        print(table(best(rows)))
    if "pipeline" in results:
        print("", pipeline_table(results["pipeline"]), sep="\n")
    if "workers" in results:
        print("", workers_table(results["workers"]), sep="\n")
    results |= {"date": now.isoformat(), "figures": found, "settings": SETTINGS}
    results["crawl"] = [
        {**asdict(row), "cpu_per_1000": row.cpu_per_1000, "pages_per_second": row.pages_per_second}
        for row in rows
    ]
    file = given.out or OUT / f"{now:%Y%m%d-%H%M%S}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    print(json.dumps(found, indent=2))
    worse += [problem for row in rows for problem in row.problems]
    worse += judged(given, found, parts, f"{now:%Y-%m-%d}")
    print(*worse, sep="\n", end="\n" if worse else "", file=sys.stderr)
    return 1 if worse else 0


def judged(given: argparse.Namespace, found: dict[str, float], parts: Sequence[str], date: str) -> list[str]:
    """Hold the figures against the floors; what is worse."""
    pinned = floors.load()
    if given.pin:
        floors.save(floors.raised(found, pinned, date))
    if not given.check:
        return []
    names = {one for part in parts for one in (ROOTS if part == "crawl" else (part,))}
    mine = [name for name in pinned if name.partition(".")[0] in names]
    print(f"{len(found.keys() & set(mine))} of {len(mine)} floors of these parts judged", file=sys.stderr)
    if left := [name for name in mine if name not in found]:
        print(f"not measured in this run: {', '.join(left)}", file=sys.stderr)
    return floors.compare(found, pinned)


if __name__ == "__main__":
    sys.exit(main())
