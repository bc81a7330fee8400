"""A crawl from start to end: seeds, one or several workers, and how it ended."""

import asyncio
import os
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Self

from fieldmouse.crawl.guide_setup import find as find_topic
from fieldmouse.crawl.progress import Progress
from fieldmouse.crawl.worker import Worker
from fieldmouse.errors import ArchiveError, UsageError
from fieldmouse.exits import Exit
from fieldmouse.files.append_only import Repair
from fieldmouse.jobs.review_spam import judge_spam
from fieldmouse.report.archive_snapshot import store_snapshot
from fieldmouse.settings import Settings
from fieldmouse.store import open_store
from fieldmouse.store.records import BeyondLimits, SetAside
from fieldmouse.web.http_client import HttpClient

from . import setup
from .background_cleaning import BackgroundCleaning, finish
from .inbox_intake import START_SECONDS, InboxIntake
from .setup import Clock, SharedClock
from .worker_pool import run_workers

# When this share of at least so many requests fail, something is wrong on our side.
FAILED_SHARE, FAILED_LEAST = 0.95, 20

# Ends after which what was fetched is cleaned, so that it can be searched at once, also on hosts that are not
# complete. Who set a limit of time, or pressed Ctrl-C, does not wait.
CLEANED_AFTER = (Exit.DONE, Exit.SIZE_LIMIT, Exit.RATE_LIMITED, Exit.LINKS_LEFT)


@dataclass(frozen=True, slots=True)
class Order:
    """What to crawl."""

    folder: Path
    settings: Settings
    seeds: tuple[str, ...] = ()
    again: bool = False  # visit every stored page once more


@dataclass(slots=True)
class Result:
    """How a crawl ended."""

    exit: Exit
    progress: Progress
    seconds: float
    bad_seeds: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()
    unreached: tuple[str, ...] = ()  # seeds that never answered, if no page was stored
    set_aside: BeyondLimits | None = None  # after a focused crawl that has no other links left


@dataclass(slots=True)
class Hooks:
    """What a crawl calls, and whether it handles signals."""

    progress: Callable[[Progress], None] = lambda _: None
    started: Callable[["Started"], None] = lambda _: None
    idle: Callable[["Idle"], None] = lambda _: None
    signals: bool = False  # handle Ctrl-C and SIGTERM


@dataclass(frozen=True, slots=True)
class Idle:
    """A daemon that has nothing to do now."""

    now: float
    next_due: float | None
    left: int  # fetches of the last 24 hours
    budget: float


@dataclass(frozen=True, slots=True)
class Started:
    """What is known before the first request."""

    seeds: int
    bad_seeds: tuple[str, ...]
    repairs: tuple[Repair, ...] = ()
    taken_up: int = 0  # links that earlier crawls set aside for a limit that is wider now


def crawl(order: Order, hooks: Hooks, clock: Clock | None = None) -> Result:
    """Crawl until nothing is left, a limit is reached, or it is stopped."""
    with Session(order, hooks, clock) as one:
        if order.settings.crawl.workers == 1:
            return one.result(setup.run_loop(_run_worker(one)))
        exit_ = run_workers(
            one.store, one.settings, one.report, one.clock, signals=hooks.signals, aside=one.aside
        )
        return one.result(exit_)


async def crawl_async(order: Order, hooks: Hooks) -> Result:
    """The same with one worker inside a running event loop."""
    with Session(order, hooks) as one:
        return one.result(await _run_worker(one))


class Session:
    """An archive that is opened for a crawl or a refresh, seeded and ready to start."""

    def __init__(self, order: Order, hooks: Hooks, clock: Clock | None = None, kind: str = "crawl") -> None:
        setup.check_contact(order.settings)
        self.order = order
        self.settings = settings = order.settings
        self.hooks = hooks
        self.clock = clock or Clock()
        self.progress = Progress()
        self.began = time.monotonic()
        by_host, bad = self._by_host(order.seeds)
        if settings.focus.topic:  # a misspelt one must not leave the seeds behind
            find_topic(order.folder, settings.focus.topic)
        now = self.clock.now()
        self.store = open_store(order.folder, settings, setup.estimator(settings), now=now)
        try:
            self.clock = setup.shared_clock(self.store, self.clock)
            self.planner = setup.planner(self.store, settings)
            self.intake = InboxIntake(self.store, settings, self.planner, self.clock.now)
            self.store.seed(by_host, now)
            self.intake.poll(START_SECONDS)
            if order.again:
                self.store.revisit_all()
            self.taken_up = self._take_up(now)
            if kind == "crawl":
                self.take_up_deferred(now)
            if settings.focus.topic and not by_host:
                self._seed_from_topic(now)
            if not self.store.seed_hosts() and not self._knows_hosts():
                raise UsageError("there is nothing to crawl yet; give seeds: `crawl https://example.org/`")
            self.store.begin_run(kind, now)
        except BaseException:
            self.store.close()
            raise
        self.seeds = [url for urls in by_host.values() for url in urls]
        self.cleaning = BackgroundCleaning(order.folder, settings)
        self.started = Started(
            sum(map(len, by_host.values())), tuple(bad), tuple(self.store.repairs), self.taken_up
        )
        hooks.started(self.started)

    def _knows_hosts(self) -> bool:
        """Whether there are hosts to visit without a seed: what posts name and readers send."""
        with self.store.reader() as reader:
            return not reader.totals().hosts.keys() <= {"outside"}

    def _take_up(self, now: float) -> int:
        """Make links pending that earlier crawls set aside for limits, a scope or a topic that changed."""
        settings, scope = self.settings, setup.crawl_scope(self.store, self.settings)
        frontier, focus = settings.frontier, settings.focus

        def wanted(link: SetAside) -> bool:
            kind = link.reason.partition(":")[0]
            if scope.reject(link.url) or link.fetched >= frontier.pages_per_host:
                return False
            if kind == "focus":
                level = int(link.reason.split()[1])
                beyond = focus.strict and 0 < focus.level_limit <= level
                return link.other_topic or not focus.topic or not beyond
            return kind != "depth" or link.depth <= frontier.depth

        judged = ""
        if focus.topic:
            topic = find_topic(self.order.folder, focus.topic)
            said = (topic.name, topic.keywords, topic.relevant, topic.irrelevant)
            judged = blake2b(repr(said).encode(), digest_size=8).hexdigest()
            self.store.score_for(repr((topic.name, topic.keywords)))
        limits = (frontier.depth, frontier.pages_per_host, focus.level_limit, focus.strict, settings.scope)
        return self.store.take_up(repr(limits), judged, wanted, frontier.pages_per_host, now)

    def take_up_deferred(self, now: float) -> int:
        """Make some pages pending that were deferred because their URL patterns look like a trap."""
        most, limit = self.settings.scope.trap_pages_per_day, self.settings.frontier.pages_per_host
        return self.store.take_up_deferred(now, most, limit) if most else 0

    def _by_host(self, seeds: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
        """Seeds by host, and those that are not URLs."""
        by_host, bad = setup.sort_seeds(seeds, setup.canon(self.settings))
        if seeds and not by_host:
            if len(bad) == 1:
                raise UsageError(f"the seed {bad[0]!r} is not an http or https URL")
            raise UsageError(f"none of the {len(bad)} seeds is an http or https URL, for example {bad[0]!r}")
        return by_host, bad

    def _seed_from_topic(self, now: float) -> None:
        """Without seeds, begin with the relevant URLs of the topic, unless they were seeds before."""
        topic = find_topic(self.order.folder, self.settings.focus.topic)
        if topic.relevant:
            by_host, _ = self._by_host(topic.relevant)
            fresh = {
                host: [url for url in urls if not self.store.was_requested(url)]
                for host, urls in by_host.items()
            }
            self.store.seed({host: urls for host, urls in fresh.items() if urls}, now)
        elif not self.store.seed_hosts():
            raise UsageError(
                f"the topic {topic.name!r} names no relevant seeds; give seeds, or find some with "
                "`topic build` and --example, --searxng, --results or --stored"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.cleaning.close()
        with suppress(ArchiveError):  # for instance the full disk that ended it
            self.store.end_run("failed", self.clock.now())  # unless it has ended well
        self.intake.close()
        self.store.close()

    def aside(self) -> None:
        """What is done now and then: take in what readers sent, and look at the clock of the server."""
        self.intake.poll()
        if isinstance(self.clock, SharedClock):
            self.clock.read(self.store)

    def report(self, progress: Progress) -> None:
        """Store the progress, and pass it to the caller."""
        self.progress = progress
        self.hooks.progress(progress)

    def take_snapshot(self) -> None:
        """Store freshness and counts for the dashboard."""
        store_snapshot(self.order.folder, self.settings, self.clock.now())

    def _finish(self, exit_: Exit) -> Exit:
        """Bring indexes, spam verdicts, templates and copies up to date; how the crawl ended."""
        try:
            self.store.write_indexes()
            self.cleaning.close()
            if exit_ is Exit.STOPPED:  # after Ctrl-C it ends soon
                return exit_
            judge_spam(self.store, self.settings, self.clock.now())
            if exit_ in CLEANED_AFTER and self.settings.templates.automatic:
                unfinished = exit_ is not Exit.DONE
                finish(self.order.folder, self.settings, self.clock.now, unfinished=unfinished)
            self.take_snapshot()
        except KeyboardInterrupt:  # or another signal; all pages are committed, the rest is done next time
            return Exit.STOPPED
        return exit_

    def result(self, exit_: Exit) -> Result:
        """How the crawl ended, after what is done when all pages are committed."""
        exit_ = self._finish(exit_)
        seconds = time.monotonic() - self.began
        progress, topic = self.progress, self.settings.focus.topic
        if topic and progress.visits and not progress.stored:
            failed = progress.failures > 0
            if not failed:  # the seeds answer, but the topic may never have been applied to a page
                failed = not self.store.judged(find_topic(self.order.folder, topic).name)[0]
            exit_ = Exit.ALL_FAILED if failed else exit_
        if exit_ is Exit.DONE and progress.visits >= FAILED_LEAST:
            if progress.failures >= FAILED_SHARE * progress.visits:
                exit_ = Exit.ALL_FAILED
            elif progress.refused >= FAILED_SHARE * progress.visits:
                exit_ = Exit.RATE_LIMITED
        set_aside = self.store.count_set_aside() if topic and exit_ is Exit.DONE else None
        if set_aside and any(set_aside):
            exit_ = Exit.LINKS_LEFT
        unreached: tuple[str, ...] = ()
        if self.seeds and not progress.stored:
            with self.store.reader() as reader:
                pages = ((url, reader.page(url)) for url in self.seeds)
                unreached = tuple(
                    url for url, page in pages if page is None or not (page.status or page.version)
                )
            if exit_ is Exit.DONE and len(unreached) == len(self.seeds):
                exit_ = Exit.ALL_FAILED
        self.store.end_run(exit_.name.lower().replace("_", " "), self.clock.now())
        started = self.started
        return Result(exit_, progress, seconds, started.bad_seeds, started.repairs, unreached, set_aside)


async def _run_worker(session: Session) -> Exit:
    gate = setup.guard(session.settings)
    async with HttpClient(session.settings, guard=gate, now=session.clock.now) as web:
        rules = setup.rules(session.store, session.settings, planner=session.planner, focused=True)
        others = bool(session.settings.archive.store)  # workers of other machines may join
        worker = Worker(session.store, web, gate, rules, report=session.report, others=others)
        loop = asyncio.get_running_loop()

        def aside() -> None:
            session.aside()
            if others:
                idle = session.store.workers.idle(session.clock.now())
                loop.call_soon_threadsafe(worker.share_with, idle)

        worker.aside = aside

        def stop() -> None:
            """The first signal lets requests finish; the second ends the process at once."""
            if worker.stopping is Exit.STOPPED:
                os._exit(Exit.FORCED)
            worker.stop(Exit.STOPPED)

        with setup.handle_signals(stop, wanted=session.hooks.signals):
            return await worker.run()
