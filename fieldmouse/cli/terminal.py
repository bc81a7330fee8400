"""Progress and result of a crawl or refresh on the terminal: one line that is rewritten, then a summary."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import click

from fieldmouse.crawl.progress import Progress
from fieldmouse.exits import Exit
from fieldmouse.service.crawl_run import Hooks, Order, Result, Started
from fieldmouse.settings import Settings
from fieldmouse.units import duration

from .common import plain, print_json, size

if TYPE_CHECKING:
    from fieldmouse.library import Archive

# Seconds between two lines on a terminal and in a log.
TERMINAL_SECONDS, LOG_SECONDS = 0.25, 10.0

# The rate shown is that of the last seconds.
RATE_SECONDS = 10.0


class ProgressLine:
    """Shows progress on stderr: one line that is rewritten on a terminal, a line now and then in a log."""

    def __init__(self, settings: Settings, *, quiet: bool) -> None:
        self.settings = settings
        self.quiet = quiet
        self.terminal = sys.stderr.isatty()
        self.began = time.monotonic()
        self.shown = 0.0
        self.width = 0
        self.samples: list[tuple[float, int]] = [(self.began, 0)]

    def begin(self, started: Started) -> None:
        """Report repairs and bad seeds before the first request."""
        if self.quiet:
            return
        for repair in started.repairs:
            click.echo(
                f"repaired after a crash: {repair.file} {repair.action} ({repair.size} bytes)", err=True
            )
        for seed in started.bad_seeds:
            click.echo(f"not an http or https URL, ignored: {seed}", err=True)

    def show(self, progress: Progress) -> None:
        """Write the line if it is time."""
        now = time.monotonic()
        recent = [one for one in self.samples if now - one[0] <= RATE_SECONDS][-100:]
        self.samples = [*(recent or self.samples[-1:]), (now, progress.visits)]
        if self.quiet or now - self.shown < (TERMINAL_SECONDS if self.terminal else LOG_SECONDS):
            return
        self.shown = now
        line = self.line(progress, now)
        if self.terminal:
            click.echo("\r" + line.ljust(self.width), nl=False, err=True)
            self.width = len(line)
        else:
            click.echo(line, err=True)

    def line(self, progress: Progress, now: float) -> str:
        """The line: pages, rate, hosts, queue, errors, and the time left until the first limit."""
        (first, before), (last, after) = self.samples[0], self.samples[-1]
        rate = (after - before) / (last - first) if last > first else 0.0
        parts = [
            f"{progress.visits:,} pages",
            f"{rate:.1f}/s",
            f"{progress.under_way} active",
            f"{progress.hosts_open} hosts open",
            f"{progress.pages_waiting:,} pages and {progress.hosts_waiting:,} hosts pending",
            f"{progress.failures} errors",
            size(progress.bytes),
        ]
        if progress.harvest is not None:
            parts.insert(1, f"{progress.harvest:.0%} on topic")
        crawl, left = self.settings.crawl, []
        if crawl.max_seconds:
            left.append(crawl.max_seconds - (now - self.began))
        if crawl.max_pages and rate > 0:
            left.append((crawl.max_pages - progress.visits) / rate)
        if left:
            parts.append(f"about {duration(max(0.0, min(left)))} left")
        return " · ".join(parts)

    def end(self) -> None:
        """Leave the line."""
        if self.terminal and self.width and not self.quiet:
            click.echo(err=True)


def run_with_progress(
    archive: "Archive",
    work: Callable[[Order, Hooks], Result],
    *,
    seeds: Iterable[str] = (),
    again: bool = False,
    quiet: bool,
) -> Result:
    """Crawl or refresh, with progress on stderr."""
    progress = ProgressLine(archive.settings, quiet=quiet)
    hooks = Hooks(progress=progress.show, started=progress.begin, signals=True)
    try:
        return work(Order(archive.folder, archive.settings, tuple(seeds), again), hooks)
    finally:
        progress.end()


def print_result(archive: "Archive", result: Result, *, as_json: bool) -> int:
    """Print how a crawl or refresh ended; return the exit code."""
    done = result.progress
    if as_json:
        print_json(
            {
                "exit": int(result.exit),
                "how": result.exit.name.lower(),
                "seconds": result.seconds,
                "bad_seeds": result.bad_seeds,
                "repairs": result.repairs,
                **plain(done),
                "harvest": done.harvest,
            }
        )
    else:
        known = sum(one.relevant for one in archive.harvests()) if done.judged else 0
        for line in summary(result, known):
            click.echo(line)
    return int(result.exit)


def summary(result: Result, known: int = 0) -> Iterator[str]:
    """How a crawl ended, in a few lines; `known` pages of the archive are on a topic."""
    done = result.progress
    rate = done.visits / result.seconds if result.seconds else 0.0
    yield (
        f"{done.visits:,} pages requested, {done.stored:,} stored, {done.failures:,} failed, "
        f"{size(done.bytes)} in {duration(result.seconds)} ({rate:.1f} pages/s)"
    )
    if not done.visits and result.exit is Exit.DONE:
        yield "no pages were pending"
    if done.harvest is not None:
        yield f"{done.relevant:,} of {done.judged:,} judged pages are on topic ({done.harvest:.1%})"
    if done.harvest == 0.0 and known:
        yield f"no new pages on topic; the archive already has {known:,}"
    elif done.harvest == 0.0:
        yield "no page is on topic: check its keywords with `topic show`, and the seeds with `why`"
    if result.exit is not Exit.DONE:
        yield result.exit.__doc__ or result.exit.name
    if result.exit is Exit.ALL_FAILED and not done.stored:
        yield "no request returned a page: check a seed with `why`"
