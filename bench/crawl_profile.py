"""Where the processor time of a crawl goes: `python -m bench.crawl_profile --data DIR [--web docs]`.

Runs the command `crawl` in this process, and looks every few milliseconds at where each thread is and how
much processor time it has used since the last look. That time belongs to the innermost function of a part
that is under way. Prints one JSON object: milliseconds for each page, by part.
"""

import argparse
import json
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Self

from .peers import our_command
from .webs import ROOTS, Webs

OUT = Path(__file__).with_name("out")
LOOK_SECONDS = 0.002

# Parts by where their code is; the first that fits the path of a file counts.
PARTS = {
    "fieldmouse/web/": "fetch",
    "fieldmouse/decoding": "decompression",
    "fieldmouse/page/": "read",
    "fieldmouse/spam/": "read",
    "fieldmouse/urls": "URLs",
    "fieldmouse/frontier/": "frontier",
    "fieldmouse/crawl/host_session": "frontier",
    "fieldmouse/files/": "WARC, tags, log",
    "fieldmouse/store/": "SQLite",
    "fieldmouse/refresh/": "planning",
    "fieldmouse/focus/": "topic",
    "fieldmouse/crawl/": "worker",
    "fieldmouse/service/": "service",
    "fieldmouse/cli/": "start",
    "asyncio/": "event loop",
    "/fieldmouse/": "other",
}


class Sampler:
    """Adds up processor time by part.

    A signal comes after each few milliseconds of processor time, whichever thread used it. It is handled
    between two steps of the main thread, so a call into C counts for the function that made it.
    """

    def __init__(self) -> None:
        self.parts: defaultdict[str, float] = defaultdict(float)
        self.places: defaultdict[str, float] = defaultdict(float)
        self.used: dict[int, float] = {}

    def __enter__(self) -> Self:
        signal.signal(signal.SIGPROF, self._look)
        signal.setitimer(signal.ITIMER_PROF, LOOK_SECONDS, LOOK_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    def _look(self, _: int, interrupted: FrameType | None) -> None:
        frames: dict[int, FrameType | None] = {**sys._current_frames()}
        frames[threading.get_ident()] = interrupted
        for thread, frame in frames.items():
            try:
                now = time.clock_gettime(time.pthread_getcpuclockid(thread))
            except OSError:  # it has just ended
                continue
            used = now - self.used.get(thread, now)
            self.used[thread] = now
            if used > 0:
                self._add(frame, used)

    def _add(self, frame: FrameType | None, used: float) -> None:
        while frame is not None:
            path = frame.f_code.co_filename
            for where, part in PARTS.items():
                if where in path:
                    self.parts[part] += used
                    name = f"{path.partition('fieldmouse/')[2] or path}:{frame.f_code.co_qualname}"
                    self.places[name] += used
                    return
            frame = frame.f_back
        self.parts["event loop"] += used


def profile(arguments: Sequence[str], lines: int) -> dict[str, object]:
    """Run a command of ours in this process; milliseconds of processor time by part."""
    from fieldmouse.cli import cli

    began = time.process_time()
    with Sampler() as sampler, suppress(SystemExit):
        cli.main(list(arguments), standalone_mode=False)
    whole = time.process_time() - began
    return {
        "cpu": round(whole, 2),
        "sampled": round(sum(sampler.parts.values()), 2),
        "parts": _largest(sampler.parts, len(PARTS)),
        "places": _largest(sampler.places, lines),
    }


def _largest(used: Mapping[str, float], most: int) -> dict[str, float]:
    """Processor seconds, the most first."""
    return {name: round(used[name], 2) for name in sorted(used, key=lambda one: -used[one])[:most]}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.crawl_profile", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, help="a bench folder")
    parser.add_argument("--web", choices=tuple(ROOTS), default="docs")
    parser.add_argument("--lines", type=int, default=25, help="functions to name")
    parser.add_argument("--pages", type=int, default=0, help="stop after so many pages")
    parser.add_argument("--keep", action="store_true", help="keep the archive in bench/out/scratch")
    parser.add_argument("--run", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    given = parser.parse_args(arguments)
    if given.run:
        print(json.dumps(profile(given.run, given.lines)))
        return
    webs, scratch = Webs(given.data), OUT / "scratch" / "profile"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    command = our_command(webs, given.web, given.pages, scratch)
    since = webs.mark()
    inner = [sys.executable, "-m", "bench.crawl_profile", "--lines", str(given.lines), "--run", *command[1:]]
    done = subprocess.run(webs.inside(inner), check=True, stdout=subprocess.PIPE, text=True)
    found = json.loads(done.stdout.splitlines()[-1])
    asked = webs.asked(since, "fieldmouse-bench")
    pages = len(asked.pages)
    found["milliseconds a page"] = {k: round(1000 * v / pages, 3) for k, v in found["parts"].items()}
    found |= {
        "pages": pages,
        "requests": asked.requests,
        "cpu_per_1000": round(1000 * found["cpu"] / pages, 3),
    }
    print(json.dumps(found, indent=2))
    if not given.keep:
        shutil.rmtree(OUT / "scratch")


if __name__ == "__main__":
    main()
