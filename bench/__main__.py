"""All measurements in one go: `python -m bench --data DIR`; see docs/how-to/bench.md.

Each part runs in a process of its own, so that one does not warm or fill the memory of the next.
"""

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from . import floors
from .peers import LIMITS, OURS, SETTINGS, UNLIMITED, Row, run
from .scale import Plan
from .webs import ROOTS, Webs

OUT = Path(__file__).with_name("out")
PARTS = ("crawl", "scale", "page", "clients", "live", "focus", "parked", "templates")
# Parts that need no bench folder.
ALONE = ("scale", "clients", "live", "focus", "parked", "templates")


def options(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="a bench folder; without one only what needs none is run")
    parser.add_argument("--gold", type=Path, help="a folder of pages with gold text, for templates")
    parser.add_argument("--only", choices=PARTS, action="append", help="run this part; may be given again")
    parser.add_argument("--peers", default="scrapy,crawlee,wget", help="peers to crawl with, or none: ''")
    parser.add_argument("--webs", default=",".join(ROOTS), help="webs to crawl")
    parser.add_argument("--pages", type=int, help="stop each crawl after so many pages; 0 for whole webs")
    parser.add_argument("--rounds", type=int, default=1, help="crawls of each program, taking turns")
    parser.add_argument("--hosts", type=int, help="hosts of the scale part")
    parser.add_argument("--links", type=int, help="links of the scale part")
    parser.add_argument("--days", type=float, help="days of the live part")
    parser.add_argument(
        "--snapshots", type=Path, help="what the live part serves, in place of the demo's town"
    )
    parser.add_argument("--labelled", type=Path, help="a labelled web, for the focus part")
    parser.add_argument("--out", type=Path, help="where the figures go as JSON; else a new file in bench/out")
    parser.add_argument("--check", action="store_true", help="fail when a figure is worse than its floor")
    parser.add_argument("--pin", action="store_true", help="write figures that beat their floors as floors")
    return parser.parse_args(arguments)


def crawls(given: argparse.Namespace) -> list[Row]:
    """Every program on every web, one after the other."""
    webs = Webs(given.data)
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


def other(part: str, given: argparse.Namespace) -> Any:
    """The figures of a part that prints them as JSON."""
    more: list[str] = []
    if part == "page":
        more = ["--data", str(given.data / "web/docs")]
    if part == "scale":
        more = [f"--{name}={n}" for name in ("hosts", "links") if (n := getattr(given, name))]
    if part == "templates":
        more = ["--data", str(given.gold)] if given.gold else []
        more += ["--manuals", str(given.data / "web/docs")] if given.data else []
    if part == "live":
        more = [f"--{name}={n}" for name in ("days", "snapshots") if (n := getattr(given, name))]
    if part == "focus":
        more = ["--data", str(given.labelled)]
    if part == "parked":
        more = ["--json"]
    done = subprocess.run(
        [sys.executable, "-m", f"bench.{part}", *more], check=True, stdout=subprocess.PIPE, text=True
    )
    return json.loads(done.stdout)


def figures(results: dict[str, Any], rows: Sequence[Row]) -> dict[str, float]:
    """What the floors are about, by name."""
    found: dict[str, float] = {}
    for row in rows:
        if row.peer == OURS and not row.limit:
            found[f"{row.web}.cpu_per_1000"] = round(row.cpu_per_1000, 3)
            found[f"{row.web}.complete"] = row.complete
            found[f"{row.web}.peak_mb"] = row.peak_mb
    ours = {(row.web, row.limit): row.cpu_per_1000 for row in rows if row.peer == OURS}
    for row in rows:
        if row.peer != OURS and (row.web, row.limit) in ours:
            ratio = row.cpu_per_1000 / ours[row.web, row.limit]
            part = f"_first_{row.limit}" if row.limit else ""
            found[f"{row.web}.{row.peer}_over_ours{part}"] = round(ratio, 3)
    if scale := results.get("scale"):
        # A small web is cheap: its figures must not become the floors of the large one.
        part = "scale" if scale["hosts"] >= Plan().hosts else f"scale_{scale['hosts']}"
        found[f"{part}.cpu_us_per_link"] = scale["ingest"]["cpu_us_per_link"]
        found[f"{part}.resident_mib"] = scale["resident_mib"]["peak"]
        found[f"{part}.lease_p99_ms"] = scale["lease_1"]["p99_ms"]
        found[f"{part}.lease_p99_cpu_ms"] = scale["lease_1"]["p99_cpu_ms"]
    if live := results.get("live"):
        for name in ("true", "believed", "within_bounds"):
            found[f"live.{live['web']}.{name}"] = live[name]
    if focus := results.get("focus"):
        found["focus.link_us"] = focus["cost"]["link_us"]
        for who, times in focus["ours_over"].items():
            found |= {f"focus.{key}_over_{who.replace(' ', '_')}": value for key, value in times.items()}
    found |= {f"parked.{name}": value for name, value in results.get("parked", {}).items()}
    if page := results.get("page"):
        engines = page["engines"]
        found["page.parse_again_over_stored"] = engines.get("c", engines["python"])["parse_again_over_stored"]
    return found | template_figures(results.get("templates") or {})


def template_figures(measured: dict[str, Any]) -> dict[str, float]:
    """What the floors say about templates; sets that were not given are not judged."""
    if not measured:
        return {}
    found = {
        "templates.align_5000_ms": measured["align 5000 tokens ms"],
        "templates.demo_token_f1": measured["demo tokens"]["all hosts"]["f1"],
        "templates.distil_1000_pages_s": measured["large host"]["distil s"],
    }
    content = measured.get("content", {})
    if news := content.get("big9_2005_2013", {}).get("sites"):
        found["templates.big9_f1"] = news["template and form"]["f1"]
        found["templates.big9_saved"] = measured["storage"]["big9_2005_2013"]["saved"]
        if "trafilatura" in news:
            ratio = news["template and form"]["f1"] / news["trafilatura"]["f1"]
            found["templates.big9_f1_over_trafilatura"] = round(ratio, 3)
    for name in ("dragnet", "readability", "cleaneval_dev", "trafilatura_eval"):
        if name in content:
            found[f"templates.{name}_f1"] = content[name]["form alone"]["f1"]
    if manuals := content.get("manuals", {}).get("sites"):
        found["templates.manuals_f1"] = manuals["template and form"]["f1"]
    return found


def chosen(given: argparse.Namespace) -> Sequence[str]:
    """The parts to run."""
    parts = given.only or [one for one in PARTS if given.data or one in ALONE]
    if given.labelled is None:
        if given.only and "focus" in parts:
            raise SystemExit("focus needs --labelled DIR; see docs/how-to/bench.md")
        parts = [one for one in parts if one != "focus"]
    if missing := [one for one in parts if one not in ALONE and given.data is None]:
        raise SystemExit(f"{missing[0]} needs --data DIR; see docs/how-to/bench.md")
    return parts


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write, compare."""
    given = options(arguments)
    parts = chosen(given)
    now = datetime.now(UTC)
    rows = crawls(given) if "crawl" in parts else []
    results: dict[str, Any] = {part: other(part, given) for part in parts if part != "crawl"}
    found = figures(results, best(rows))
    if rows:
        print(table(best(rows)))
    results |= {"date": now.isoformat(), "figures": found, "settings": SETTINGS}
    results["crawl"] = [
        {**asdict(row), "cpu_per_1000": row.cpu_per_1000, "pages_per_second": row.pages_per_second}
        for row in rows
    ]
    file = given.out or OUT / f"{now:%Y%m%d-%H%M%S}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(results, indent=2) + "\n", "utf-8")
    print(json.dumps(found, indent=2))
    return judged(given, found, rows, f"{now:%Y-%m-%d}")


def judged(given: argparse.Namespace, found: dict[str, float], rows: Sequence[Row], date: str) -> int:
    """Hold the figures against the floors; the exit code."""
    pinned = floors.load()
    worse = [problem for row in rows for problem in row.problems]
    if given.check:
        worse += floors.compare(found, pinned)
    if given.pin:
        floors.save(floors.raised(found, pinned, date))
    for line in worse:
        print(line, file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
