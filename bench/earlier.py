"""Crawling and cleaning by this program and by an earlier one, in turns.

    python -m bench.earlier --data DIR --other CHECKOUT [--web docs] [--rounds 3]

DIR is a bench folder (docs/how-to/bench.md), CHECKOUT a clone of this project at an earlier commit with the
program installed in its `.venv`. Each round crawls the web with one program and cleans its archive, then the
same with the other; the next round begins with the other one. Prints one JSON object: the processor time of
each round, the cheapest of each program, and ours over that of the other.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from fieldmouse.exits import Exit

from .peers import SECONDS, our_command
from .webs import Webs, cost

OUT = Path(__file__).with_name("out")
NOW, EARLIER = "now", "earlier"
STEPS = ("crawl", "clean")


def one_round(webs: Webs, web: str, program: Path, scratch: Path, *, limit: int) -> dict[str, float]:
    """Crawl a web and clean the archive with one program; processor seconds and pages."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    crawl = webs.inside(our_command(webs, web, limit, scratch, program=program))
    since, took = webs.mark(), {}
    for step, command in zip(
        STEPS, (crawl, [str(program), "-C", str(scratch / "archive"), "clean"]), strict=True
    ):
        done = cost(command, {}, scratch, limit=SECONDS)
        if done.code not in (Exit.DONE, Exit.SIZE_LIMIT):
            raise SystemExit(f"{' '.join(command)} ended with {done.code}; see {scratch}/output.log")
        took[step] = round(done.cpu, 2)
    pages = webs.truth[web] & webs.asked(since, "fieldmouse-bench").pages.keys()
    shutil.rmtree(scratch)
    return {"pages": len(pages), **took}


def measured(given: argparse.Namespace) -> dict[str, object]:
    """All rounds of both programs."""
    webs = Webs(given.data)
    programs = {
        NOW: Path(sys.executable).with_name("fieldmouse"),
        EARLIER: given.other.resolve() / ".venv/bin/fieldmouse",
    }
    rounds: dict[str, list[dict[str, float]]] = {NOW: [], EARLIER: []}
    for number in range(given.rounds):
        for name in (NOW, EARLIER) if number % 2 else (EARLIER, NOW):
            scratch = OUT / "scratch" / name
            rounds[name].append(one_round(webs, given.web, programs[name], scratch, limit=given.pages))
            print(name, rounds[name][-1], file=sys.stderr, flush=True)
    best = {name: {step: min(one[step] for one in some) for step in STEPS} for name, some in rounds.items()}
    ratio = {step: round(best[NOW][step] / best[EARLIER][step], 3) for step in STEPS}
    return {"web": given.web, "rounds": rounds, "best": best, "now over earlier": ratio}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.earlier", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="a bench folder")
    parser.add_argument("--other", type=Path, required=True, help="a checkout with the earlier program")
    parser.add_argument("--web", choices=("docs", "wide"), default="docs")
    parser.add_argument("--pages", type=int, default=0, help="stop each crawl after so many; 0 for all")
    parser.add_argument("--rounds", type=int, default=3)
    print(json.dumps(measured(parser.parse_args(arguments)), indent=2))


if __name__ == "__main__":
    main()
