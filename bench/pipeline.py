"""What comes after a crawl, on the documentation web: `python -m bench.pipeline --data DIR [--archive DIR]`.

Crawls the web, then cleans the archive, exports it, imports the exported WARC file into a new one, and asks
both what a user asks most. Each step is a command of ours in a process of its own. Prints one JSON object:
processor seconds, seconds by the clock and pages of each step.

`--archive` takes a crawled archive that was not cleaned instead of a crawl; it is copied. `--profile` samples
where cleaning spends its time.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fieldmouse.store import open_reader

from .crawl_profile import profile
from .peers import SECONDS, our_command, verify
from .webs import Webs, cost

OUT = Path(__file__).with_name("out")
PROGRAM = str(Path(sys.executable).with_name("fieldmouse"))
START = 3  # runs of a short command; the cheapest counts
SHORT = ("status", "why", "open", "help")

# Opening an archive in Python, and reading a page of it.
OPEN = "import sys, fieldmouse; print(len(fieldmouse.open(sys.argv[1]).page(sys.argv[2]).text))"


def step(command: Sequence[str], scratch: Path) -> dict[str, float]:
    """Run a command to its end; what it took."""
    took = cost(command, {}, scratch, limit=SECONDS)
    if took.code:
        raise SystemExit(f"{' '.join(command)} ended with {took.code}; see {scratch}/output.log")
    return {"cpu": round(took.cpu, 3), "seconds": round(took.seconds, 3), "peak_mb": round(took.peak_mb)}


def crawled(data: Path, archive: Path) -> dict[str, float]:
    """Crawl the documentation web into a new archive."""
    webs = Webs(data)
    command = our_command(webs, "docs", 0, archive.parent)
    took = step(webs.inside(command), archive.parent)
    found = verify(archive, webs.truth["docs"])
    if found.problems or found.pages < len(webs.truth["docs"]):
        raise SystemExit(f"{archive} is not whole: {found.pages} pages, {found.problems[:3]}")
    return took


def measured(archive: Path, scratch: Path) -> dict[str, dict[str, float]]:
    """All steps after the crawl."""
    steps: dict[str, dict[str, float]] = {}
    ours = [PROGRAM, "-C", str(archive)]
    steps["clean"] = step([*ours, "clean"], scratch)
    with open_reader(archive) as reader:
        url = next(page.url for page in reader.pages() if page.version is not None)
    for given in ("", "--text", "--text --jobs 0", "--content"):
        options = given.split()
        steps[f"export {given}".strip()] = step(
            [*ours, "export", str(scratch / "pages.jsonl"), "--quiet", *options], scratch
        )
    steps["export warc"] = step([*ours, "export", str(scratch / "pages.warc.gz"), "--quiet"], scratch)
    for name in ("import", "import --jobs 0"):
        copy = scratch / name.replace(" ", "_")
        step([PROGRAM, "init", str(copy), "-s", "templates.automatic=false"], scratch)
        options = ["--quiet", *name.split()[1:]]
        command = [PROGRAM, "-C", str(copy), "import", str(scratch / "pages.warc.gz"), *options]
        steps[name] = step(command, scratch)
    short = {
        "status": [*ours, "status"],
        "why": [*ours, "why", url],
        "open": [sys.executable, "-c", OPEN, str(archive), url],
        "help": [PROGRAM, "--help"],
    }
    for name, command in short.items():
        steps[name] = min((step(command, scratch) for _ in range(START)), key=lambda one: one["cpu"])
    return steps


def figures(steps: dict[str, dict[str, float]], pages: int) -> dict[str, float]:
    """The figures by name."""
    found: dict[str, float] = {
        f"{name.replace(' ', '_').replace('--', '')}_per_s": round(pages / took["seconds"])
        for name, took in steps.items()
        if name.startswith(("export", "import"))
    }
    found["clean_cpu_per_1000"] = round(1000 * steps["clean"]["cpu"] / pages, 3)
    if "crawl" in steps:
        found["crawl_and_clean_cpu_per_1000"] = round(
            1000 * (steps["crawl"]["cpu"] + steps["clean"]["cpu"]) / pages, 3
        )
    return found | {f"{name}_cpu": steps[name]["cpu"] for name in SHORT}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.pipeline", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, help="a bench folder")
    parser.add_argument("--archive", type=Path, help="a crawled archive, instead of a crawl")
    parser.add_argument("--profile", action="store_true", help="only sample the cleaning")
    parser.add_argument("--keep", type=Path, help="keep the cleaned archive in this new folder")
    given = parser.parse_args(arguments)
    if not given.data and not given.archive:
        parser.error("give --data DIR or --archive DIR")
    scratch = OUT / "scratch" / "pipeline"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    archive, steps = scratch / "archive", {}
    if given.archive:
        shutil.copytree(given.archive, archive)
    else:
        steps["crawl"] = crawled(given.data, archive)
    with open_reader(archive) as reader:
        pages = reader.totals().stored
    found: dict[str, Any]
    if given.profile:
        found = profile(["-C", str(archive), "clean"], 60)
    else:
        steps |= measured(archive, scratch)
        found = {"pages": pages, "steps": steps, "figures": figures(steps, pages)}
    print(json.dumps(found, indent=2))
    if given.keep:
        archive.rename(given.keep)
    shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
