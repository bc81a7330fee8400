"""The commands that make an archive and visit pages: `init`, `crawl`, `refresh` and `run`."""

import shlex
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError
from fieldmouse.exits import Exit
from fieldmouse.report.wording import count
from fieldmouse.units import duration

from . import common
from .archive_commands import deferred_text, paused_text
from .common import (
    archive_options,
    echo,
    open_archive,
    print_json,
    quiet_option,
    set_option,
    size,
    when,
)

if TYPE_CHECKING:
    from fieldmouse.crawl.progress import Progress
    from fieldmouse.library import Archive
    from fieldmouse.service.crawl_run import Hooks, Idle, Order, Result, Started
    from fieldmouse.store.records import BeyondLimits

# Options that set a setting.
SETTINGS = {
    "contact": "crawl.contact",
    "pages": "crawl.max_pages",
    "seconds": "crawl.max_seconds",
    "depth": "frontier.depth",
    "delay": "manners.delay",
    "workers": "crawl.workers",
    "topic": "focus.topic",
    "learner": "focus.learner",
    "level_limit": "focus.level_limit",
    "strict": "focus.strict",
    "budget": "refresh.budget",
}

NOTHING_PENDING = "no pages were pending; `crawl --again` visits the stored pages once more"

# Seeds without an answer that are listed with the reason.
SEEDS_SHOWN = 10

# The rate shown is that of the last seconds.
RATE_SECONDS = 10.0

# Seconds of a crawl from which on the summary says what held it back.
LONG_CRAWL = 2.0
# What makes a crawl faster, by what held it back most.
HINTS = {
    "politeness": "; more hosts at once or, on your own server, a shorter --delay make it faster",
    "the processor": "; --workers uses more processors",
    "the servers": "",
    "the disk": "",
}


def _no_files(_: click.Context, __: click.Parameter, seeds: tuple[str, ...]) -> tuple[str, ...]:
    for one in seeds:
        if "://" not in one and Path(one).is_file():
            raise UsageError(f"{one} is a file; --seeds {one} reads the seeds in it")
    return seeds


seeds_argument = click.argument("seeds", nargs=-1, metavar="[URL]...", callback=_no_files)
budget_option = click.option("--budget", type=float, help="Sets refresh.budget: fetches a day.")
workers_option = click.option("--workers", type=int, help="Sets crawl.workers: number of worker processes.")


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--contact", help="Web page or e-mail address where site owners can reach you.")
@set_option
@click.pass_obj
def init(obj: str, folder: str | None, contact: str | None, sets: tuple[str, ...]) -> None:
    """Create an archive in FOLDER, with a commented fieldmouse.toml."""
    from fieldmouse import library
    from fieldmouse.service.setup import check_contact
    from fieldmouse.settings import Settings, with_overrides
    from fieldmouse.store import SETTINGS_FILE

    where = Path(folder or obj)
    if contact is not None:
        check_contact(with_overrides(Settings(), {"crawl.contact": contact}))
    library.create(where, **common.overrides(sets, {"crawl.contact": contact})).close()
    echo(f"created an archive in {where}")
    there = f" -C {shlex.quote(str(where))}" if where != Path() else ""
    echo(f"next: edit {where / SETTINGS_FILE}, then fieldmouse{there} crawl https://example.org/")


def visit_options(command: Callable[..., int]) -> Callable[..., int]:
    """Options of every command that visits pages."""
    return quiet_option(set_option(archive_options(command)))


@click.command()
@seeds_argument
@click.option(
    "--seeds", "files", multiple=True, type=click.Path(dir_okay=False), metavar="FILE",
    help="File of seeds, one URL a line, # begins a comment; - reads stdin.",
)  # fmt: skip
@click.option("--contact", help="Sets crawl.contact: where site owners can reach you.")
@click.option("--pages", type=int, help="Sets crawl.max_pages: stop after this many page requests.")
@click.option("--seconds", type=float, help="Sets crawl.max_seconds: stop after this many seconds.")
@click.option("--depth", type=int, help="Sets frontier.depth: links followed from a host's entry points.")
@click.option("--delay", type=float, help="Sets manners.delay: seconds between requests to one host.")
@workers_option
@click.option("--topic", help="Sets focus.topic: crawl for this topic; without seeds, start from its own.")
@click.option("--learner", help="Sets focus.learner: the model that ranks links by topic, for example nb4.")
@click.option(
    "--level-limit", type=int,
    help="Sets focus.level_limit: links over this many pages in a row off topic come last.",
)  # fmt: skip
@click.option("--strict", is_flag=True, default=None, help="Sets focus.strict: such links are not followed.")
@click.option("--class", "class_", metavar="NAME", help="Crawl for pages of this class; see `label`.")
@click.option(
    "--class-as", type=click.Choice(["promise", "scope"]), default="promise", show_default=True,
    help="promise: links likely to lead to the class come first; scope: only pages of the class are stored.",
)  # fmt: skip
@click.option("--everywhere", is_flag=True, help="Follow links to any domain, not only those of the seeds.")
@click.option("--again", is_flag=True, help="Visit every page of the archive again, conditionally.")
@visit_options
def crawl(obj: str, /, seeds: tuple[str, ...], files: tuple[str, ...], **options: Any) -> int:
    """Crawl from seeds, and continue with pending pages.

    The first Ctrl-C finishes the active requests and commits; a second one stops at once. In both cases, and
    after a power failure, the same command continues.
    """
    from fieldmouse.service import crawl_run

    every = list(seeds)
    for file in files:
        found = common.read_seeds(file)
        if not found:
            echo(f"{'stdin' if file == '-' else file} has no URL; a seed file has one URL a line", err=True)
        every += found
    return _visit_pages(obj, crawl_run.crawl, options, every)


@click.command()
@click.option(
    "--pages", "limit", type=click.IntRange(min=0), default=0,
    help="Visit at most this many pages, within the daily budget.",
)  # fmt: skip
@budget_option
@workers_option
@visit_options
def refresh(obj: str, /, limit: int, **options: Any) -> int:
    """Visit the pages that are due, within the daily budget."""
    from fieldmouse.service import daemon

    return _visit_pages(obj, partial(daemon.refresh, pages=limit), {**options, "limit": limit})


@click.command()
@seeds_argument
@budget_option
@workers_option
@visit_options
def run(obj: str, /, seeds: tuple[str, ...], **options: Any) -> int:
    """Keep the archive fresh until stopped.

    Refresh and discovery share one daily budget. The first Ctrl-C or SIGTERM finishes the active requests and
    commits. A restart continues, and counts what was already spent of the day's budget.
    """
    from fieldmouse.service import daemon

    return _visit_pages(obj, daemon.keep, options, seeds)


def _visit_pages(
    folder: str, work: "Callable[[Order, Hooks], Result]", options: dict[str, Any], seeds: Iterable[str] = ()
) -> int:
    """Visit pages with progress on stderr, and print the result; return the exit code."""
    chosen = {name: options[option] for option, name in SETTINGS.items() if option in options}
    if options.get("everywhere"):
        chosen["scope.allow"] = ()
    if options.get("class_"):
        chosen |= _class_settings(folder, options)
    with open_archive(folder, common.overrides(options["sets"], chosen)) as archive:
        again = options.get("again", False)
        result = run_with_progress(archive, work, seeds=seeds, again=again, quiet=options["quiet"])
        done = result.progress
        if options["as_json"]:
            how = {"exit": int(result.exit), "how": result.exit.name.lower(), "seconds": result.seconds}
            seen = {"bad_seeds": result.bad_seeds, "repairs": result.repairs}
            print_json({**how, **seen, **common.plain(done), "harvest": done.harvest})
        else:
            known = sum(one.relevant for one in archive.harvests()) if done.judged else 0
            for line in summary(result, archive, known, idle=_idle_text(archive, options)):
                echo(common.wrapped(line, 2))
            if result.exit is Exit.SIZE_LIMIT and "limit" in options:
                reached = f"--pages ({options['limit']:,}) was reached"
                if not options["limit"] or done.visits < options["limit"]:
                    budget = count(archive.settings.refresh.budget, "fetch", "fetches")
                    reached = f"the daily budget (refresh.budget, {budget}) is spent"
                echo(f"{reached}; more pages are due")
    return int(result.exit)


def _class_settings(folder: str, options: dict[str, Any]) -> dict[str, Any]:
    """The settings of a crawl for one class: a topic made of it, or a limit to its pages."""
    from fieldmouse.jobs.label_archive import archive_classes, classes_file
    from fieldmouse.jobs.train_classes import class_topic
    from fieldmouse.labels.classes import load_classes

    with open_archive(folder, common.overrides(options["sets"])) as archive:
        place = archive.settings.labels.classes
        classes = load_classes(place) if place else archive_classes(archive.reader)
        name, place = options["class_"], place or str(classes_file(archive.folder, classes.name))
        if options["class_as"] == "promise":
            topic = class_topic(archive.reader, classes, name)
            return {"focus.topic": topic, "labels.prefer": name, "labels.classes": place}
        return {"labels.only": name, "labels.classes": place}


# --- progress and result of a crawl or refresh -----------------------------------------------------------


class ProgressLine:
    """Shows progress on stderr: one line that is rewritten on a terminal, a line now and then in a log."""

    def __init__(self, archive: "Archive", *, quiet: bool) -> None:
        self.archive = archive
        self.limits = archive.settings.crawl
        self.quiet = quiet
        self.idle_shown = ""
        self.line = common.StatusLine(quiet=quiet)
        self.began = time.monotonic()
        self.samples: list[tuple[float, int]] = [(self.began, 0)]

    def begin(self, started: "Started") -> None:
        """Report repairs and bad seeds before the first request."""
        if self.quiet:
            return
        for repair in started.repairs:
            what = f"{repair.file} {repair.action} ({repair.size} bytes)"
            echo(f"repaired after a crash: {what}", err=True)
        for seed in started.bad_seeds:
            echo(f"not an http or https URL, ignored: {seed}", err=True)
        if started.taken_up:
            echo(f"{started.taken_up:,} links are taken up that were beyond an earlier limit", err=True)

    def show(self, progress: "Progress") -> None:
        """Write the line if it is time, the most important first: what does not fit is left out."""
        now = time.monotonic()
        recent = [one for one in self.samples if now - one[0] <= RATE_SECONDS][-100:]
        self.samples = [*(recent or self.samples[-1:]), (now, progress.visits)]
        if not self.line.ready():
            return
        first, before = self.samples[0]
        rate = (progress.visits - before) / (now - first) if now > first else 0.0
        parts = [
            count(progress.visits, "page"),
            f"{rate:.1f}/s",
            count(progress.failures, "error"),
            f"{count(progress.pages_waiting, 'page')} and {count(progress.hosts_waiting, 'host')} pending",
            f"{count(progress.hosts_open, 'host')} open",
            size(progress.bytes),
        ]
        if progress.harvest is not None:
            parts.insert(1, f"{progress.harvest:.0%} on topic")
        left = []
        if self.limits.max_seconds:
            left.append(self.limits.max_seconds - (now - self.began))
        if self.limits.max_pages and rate > 0:
            left.append((self.limits.max_pages - progress.visits) / rate)
        if left:
            parts.insert(2, f"about {duration(max(0.0, min(left)))} left")
        self.line.show_parts(parts)

    def idle(self, state: "Idle") -> None:
        """Nothing is due: show when the next page is, what is left of the budget, and the freshness."""
        if self.quiet:
            return
        fresh = self.archive.freshness().estimated
        parts = [
            f"next page due in {duration(state.next_due - state.now)}"
            if state.next_due
            else "no page has a plan",
            f"{state.left:,} of {state.budget:,.0f} fetches a day left",
            f"{fresh:.1%} of the copies fresh" if fresh is not None else "freshness not known yet",
        ]
        if self.line.terminal:
            self.line.show_parts(parts)
        elif parts[1] != self.idle_shown:  # once in a log, not at each look
            self.idle_shown = parts[1]
            echo(" · ".join(parts), err=True)


def run_with_progress(
    archive: "Archive",
    work: "Callable[[Order, Hooks], Result]",
    *,
    seeds: Iterable[str] = (),
    again: bool = False,
    quiet: bool,
) -> "Result":
    """Crawl or refresh, with progress on stderr."""
    from fieldmouse.service.crawl_run import Hooks, Order

    progress = ProgressLine(archive, quiet=quiet)
    hooks = Hooks(progress=progress.show, started=progress.begin, idle=progress.idle, signals=True)
    try:
        return work(Order(archive.folder, archive.settings, tuple(seeds), again), hooks)
    finally:
        progress.line.end()


def _idle_text(archive: "Archive", options: dict[str, Any]) -> str:
    """Why no page was requested, and what would be."""
    if "limit" in options:  # of a refresh
        first = archive.reader.dashboard.due_next(None, 1)
        planned = f"; the next is planned {when(first[0].due, time.time())}" if first and first[0].due else ""
        return f"no page is due{planned}"
    return "there is no stored page to visit again" if options.get("again") else NOTHING_PENDING


def summary(
    result: "Result", archive: "Archive", known: int = 0, *, idle: str = NOTHING_PENDING
) -> Iterator[str]:
    """How a crawl ended, in a few lines; `known` pages of the archive are on a topic.

    `idle` says why, if no page was requested.
    """
    done = result.progress
    rate = done.visits / result.seconds if result.seconds else 0.0
    yield (
        f"{count(done.visits, 'page')} requested, {done.stored:,} stored, {done.failures:,} failed, "
        f"{size(done.bytes)} in {duration(result.seconds)} ({rate:.1f} pages/s)"
    )
    causes = [f"{cause} {share:.0%}" for cause, share in done.held_back]
    if causes and result.seconds >= LONG_CRAWL:
        yield f"held back by {', '.join(causes)} of the time{HINTS[done.held_back[0][0]]}"
    if not done.visits and result.exit is Exit.DONE:
        hosts = archive.status().hosts
        yield idle
        if given_up := hosts.get("given_up"):
            yield (
                f"{count(given_up, 'host was', 'hosts were')} given up; they are tried again after a day, "
                "or at once if they are seeds"
            )
    if paused := [one.name for one in archive.reader.dashboard.paused_hosts(0, SEEDS_SHOWN + 1)]:
        yield f"paused: {paused_text(paused)}"
    if done.harvest is not None:
        yield from _harvest(done, archive)
    if done.harvest == 0.0 and known:
        yield f"no new pages on topic; the archive already has {known:,}"
    elif done.harvest == 0.0:
        yield "no page is on topic: check its keywords with `topic show`, and the seeds with `why`"
    yield from _why_ended(result, archive)
    if result.exit is Exit.DONE and (deferred := archive.status().deferred):
        yield f"deferred: {deferred_text(deferred, archive.settings)}"
    if result.exit is Exit.ALL_FAILED and not done.stored and not result.unreached:
        yield "no request returned a page: check a seed with `why`"
    for url in result.unreached[:SEEDS_SHOWN]:
        yield f"{url}: {archive.why(url).summary}"
    if more := result.unreached[SEEDS_SHOWN:]:
        yield f"... and {len(more):,} more seeds without an answer"


def _harvest(done: "Progress", archive: "Archive") -> Iterator[str]:
    """How much of a run, and of all pages of its topic, is on the topic."""
    harvests = archive.harvests()
    whole = harvests[0] if len(harvests) == 1 else None
    if whole and whole.pages == done.judged:  # this run is all there is
        yield whole.stated
        return
    yield f"{done.relevant:,} of {done.judged:,} pages judged on topic ({done.harvest:.1%})"
    if whole and whole.share is not None:
        yield f"of all its pages, {whole.stated}"


def _links_left(left: "BeyondLimits", archive: "Archive") -> str:
    """How many links are left beyond which limits."""
    depth, pages, level = left
    frontier, focus = archive.settings.frontier, archive.settings.focus
    beyond = {
        f"frontier.depth ({frontier.depth})": depth,
        f"frontier.pages_per_host ({frontier.pages_per_host:,})": pages,
        f"a strict focus.level_limit ({focus.level_limit})": level,
    }
    links = sum(left)
    parts = (f"{count:,} beyond {limit}" for limit, count in beyond.items() if count)
    return f"{links:,} {'link is' if links == 1 else 'links are'} left: {', '.join(parts)}"


def _why_ended(result: "Result", archive: "Archive") -> Iterator[str]:
    """Which limit ended a crawl, or that nothing was left."""
    done = result.progress
    limits = archive.settings.crawl
    if result.exit is Exit.SIZE_LIMIT and limits.max_pages and done.visits >= limits.max_pages:
        yield f"crawl.max_pages ({limits.max_pages:,}) was reached; run again to continue"
    elif result.exit is Exit.SIZE_LIMIT and limits.max_bytes and done.bytes >= limits.max_bytes:
        yield f"crawl.max_bytes ({size(limits.max_bytes)}) was reached; run again to continue"
    elif result.exit is Exit.LINKS_LEFT and result.set_aside:
        yield f"{_links_left(result.set_aside, archive)}; run again with a wider limit to take them up"
    elif result.exit not in (Exit.DONE, Exit.SIZE_LIMIT):
        yield result.exit.__doc__ or result.exit.name
    elif done.harvest is not None and done.visits:
        yield "no links are left; give more seeds, or a wider scope and --again"
