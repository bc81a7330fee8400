"""How far a crawl is: one line that renews itself on a terminal, a line now and then in a log."""

import sys
import time
from collections.abc import Iterator

import click

from fieldmouse.crawl.progress import Progress
from fieldmouse.exits import Exit
from fieldmouse.service.crawl_run import Result, Started
from fieldmouse.settings import Settings

from .common import duration, size

TERMINAL_SECONDS, LOG_SECONDS = 0.25, 10.0

# Pages per second are those of the last so many seconds.
RATE_SECONDS = 10.0


class Display:
    """Shows progress on stderr."""

    def __init__(self, settings: Settings, *, quiet: bool) -> None:
        self.settings = settings
        self.quiet = quiet
        self.terminal = sys.stderr.isatty()
        self.began = time.monotonic()
        self.shown = 0.0
        self.width = 0
        self.samples: list[tuple[float, int]] = [(self.began, 0)]

    def begin(self, started: Started) -> None:
        """What is known before the first request."""
        if self.quiet:
            return
        for repair in started.repairs:
            click.echo(f"mended after a crash: {repair.file} {repair.action} ({repair.size} bytes)", err=True)
        for seed in started.bad_seeds:
            click.echo(f"not an http or https address, left out: {seed}", err=True)

    def show(self, progress: Progress) -> None:
        """Renew the line when it is time."""
        now = time.monotonic()
        self.samples = [one for one in self.samples if now - one[0] <= RATE_SECONDS][-100:] or self.samples[
            -1:
        ]
        self.samples.append((now, progress.visits))
        if self.quiet or now - self.shown < (TERMINAL_SECONDS if self.terminal else LOG_SECONDS):
            return
        self.shown = now
        line = self.line(progress, now)
        if self.terminal:
            click.echo("\r" + line.ljust(self.width), nl=False, err=True)
            self.width = len(line)
        else:
            click.echo(line, err=True)

    def rate(self) -> float:
        """Pages a second, lately."""
        (first, before), (last, after) = self.samples[0], self.samples[-1]
        return (after - before) / (last - first) if last > first else 0.0

    def line(self, progress: Progress, now: float) -> str:
        """The line: pages, speed, hosts, queue, errors, time left."""
        parts = [
            f"{progress.visits:,} pages",
            f"{self.rate():.1f}/s",
            f"{progress.under_way} under way",
            f"{progress.hosts_open} hosts open",
            f"{progress.pages_waiting:,} pages and {progress.hosts_waiting:,} hosts waiting",
            f"{progress.failures} errors",
            size(progress.bytes),
        ]
        if progress.harvest is not None:
            parts.insert(1, f"{progress.harvest:.0%} on the topic")
        if (left := self.left(progress, now)) is not None:
            parts.append(f"about {duration(left)} left")
        return " · ".join(parts)

    def left(self, progress: Progress, now: float) -> float | None:
        """Seconds until the first limit of this run is reached, if it has one."""
        crawl, found = self.settings.crawl, []
        if crawl.max_seconds:
            found.append(crawl.max_seconds - (now - self.began))
        if crawl.max_pages and self.rate() > 0:
            found.append((crawl.max_pages - progress.visits) / self.rate())
        return max(0.0, min(found)) if found else None

    def end(self) -> None:
        """Leave the terminal's line."""
        if self.terminal and self.width and not self.quiet:
            click.echo(err=True)


def summary(result: Result, known: int = 0) -> Iterator[str]:
    """How a crawl ended, in a few lines; by now, `known` pages of the archive are on a topic."""
    done = result.progress
    speed = done.visits / result.seconds if result.seconds else 0.0
    yield (
        f"{done.visits:,} pages asked for, {done.stored:,} stored, {done.failures:,} failed, "
        f"{size(done.bytes)} in {duration(result.seconds)} ({speed:.1f} pages/s)"
    )
    if not done.visits and result.exit is Exit.DONE:
        yield "nothing was waiting to be asked for"
    if done.harvest is not None:
        yield f"{done.relevant:,} of {done.judged:,} pages judged are on the topic ({done.harvest:.1%})"
    if done.harvest == 0.0 and known:
        yield f"nothing more was found beside the {known:,} pages on a topic that are there already"
    elif done.harvest == 0.0:
        yield "none is on the topic: look at its keywords with `topic show`, and at the seeds with `why`"
    if result.exit is not Exit.DONE:
        yield result.exit.__doc__ or result.exit.name
    if result.exit is Exit.ALL_FAILED and not done.stored:
        yield "nothing answered with a page: look at a seed with `why`"
