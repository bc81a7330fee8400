"""A crawl from start to end: seeds in, one or several workers, how it ended."""

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from fieldmouse.crawl.guide_setup import find as find_topic
from fieldmouse.crawl.progress import Progress
from fieldmouse.crawl.worker import Worker
from fieldmouse.errors import UsageError
from fieldmouse.exits import Exit
from fieldmouse.files.append_only import Repair
from fieldmouse.jobs.review_spam import judge_spam
from fieldmouse.settings import Settings
from fieldmouse.store import open_store
from fieldmouse.web.http_client import HttpClient

from .background_cleaning import BackgroundCleaning, finish
from .clock import Clock
from .setup import canon, check_contact, estimator, guard, planner, rules, run_loop, sort_seeds
from .worker_pool import together

# When this share of at least so many requests fail, something is wrong on our side.
FAILED_SHARE, FAILED_LEAST = 0.95, 20


@dataclass(frozen=True, slots=True)
class Order:
    """What to crawl."""

    folder: Path
    settings: Settings
    seeds: tuple[str, ...] = ()
    again: bool = False  # visit every page we have once more


@dataclass(slots=True)
class Result:
    """How a crawl ended."""

    exit: Exit
    progress: Progress
    seconds: float
    bad_seeds: tuple[str, ...] = ()
    repairs: tuple[Repair, ...] = ()


@dataclass(slots=True)
class Hooks:
    """How a crawl talks to whoever started it."""

    progress: Callable[[Progress], None] = lambda _: None
    started: Callable[["Started"], None] = lambda _: None
    signals: bool = False  # take Ctrl-C and SIGTERM


@dataclass(frozen=True, slots=True)
class Started:
    """What was known before the first request."""

    seeds: int
    bad_seeds: tuple[str, ...]
    repairs: tuple[Repair, ...] = field(default=())


def crawl(order: Order, hooks: Hooks, clock: Clock | None = None) -> Result:
    """Crawl until nothing is left, a limit is reached, or somebody stops it."""
    with Session(order, hooks, clock) as one:
        if order.settings.crawl.workers == 1:
            return one.result(run_loop(_alone(one)))
        return one.result(together(one.store, one.settings, one.report, one.clock, signals=hooks.signals))


async def crawl_async(order: Order, hooks: Hooks) -> Result:
    """The same with one worker inside a running event loop."""
    with Session(order, hooks) as one:
        return one.result(await _alone(one))


class Session:
    """An archive that is opened for a crawl or a refresh, seeded and ready to start."""

    def __init__(self, order: Order, hooks: Hooks, clock: Clock | None = None) -> None:
        check_contact(order.settings)
        self.order = order
        self.settings = order.settings
        self.hooks = hooks
        self.clock = clock or Clock()
        self.progress = Progress()
        self.began = time.monotonic()
        by_host, bad = self._sorted(order.seeds)
        self.store = open_store(order.folder, order.settings, estimator(order.settings), now=self.clock.now())
        try:
            self.planner = planner(self.store, order.settings)
            self._seed(by_host)
        except BaseException:
            self.store.close()
            raise
        self.beside = BackgroundCleaning(order.folder, order.settings)
        self.started = Started(sum(map(len, by_host.values())), tuple(bad), tuple(self.store.repairs))
        hooks.started(self.started)

    def _sorted(self, seeds: Sequence[str]) -> tuple[dict[str, list[str]], list[str]]:
        """Seeds by host, and those that are no addresses."""
        by_host, bad = sort_seeds(seeds, canon(self.settings))
        if seeds and not by_host:
            raise UsageError(
                f"none of the {len(bad)} seeds is an http or https address, for example {bad[0]!r}"
            )
        return by_host, bad

    def _from_topic(self) -> None:
        """Who gives no seeds begins with what the topic names as relevant, unless asked for before."""
        topic = find_topic(self.order.folder, self.settings.focus.topic)
        if topic.relevant:
            by_host, _ = self._sorted(topic.relevant)
            fresh = {
                host: [url for url in urls if not self.store.asked_for(url)] for host, urls in by_host.items()
            }
            self.store.seed({host: urls for host, urls in fresh.items() if urls}, self.clock.now())
        elif not self.store.seed_hosts():
            raise UsageError(
                f"the topic {topic.name!r} names no relevant seeds; give seeds, or find some with "
                "`topic build` and --example, --searxng, --results or --stored"
            )

    def _seed(self, by_host: dict[str, list[str]]) -> None:
        self.store.seed(by_host, self.clock.now())
        if self.order.again:
            self.store.revisit_all()
        if self.settings.focus.topic and not by_host:
            self._from_topic()
        if not self.store.seed_hosts():
            raise UsageError("there is nothing to crawl yet; give seeds: `crawl https://example.org/`")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.beside.close()
        self.store.close()

    def report(self, progress: Progress) -> None:
        """Pass on how far we are."""
        self.progress = progress
        self.hooks.progress(progress)

    def result(self, exit_: Exit) -> Result:
        """How it ended, with indexes, verdicts on spam, templates and copies brought up to date."""
        self.store.write_indexes()
        self.beside.close()
        if exit_ is not Exit.STOPPED:  # who presses Ctrl-C does not want to wait
            judge_spam(self.store, self.settings, self.clock.now())
        if exit_ is Exit.DONE and self.settings.templates.automatic:
            finish(self.order.folder, self.settings, self.clock.now)
        seconds = time.monotonic() - self.began
        bad, repairs = self.started.bad_seeds, self.started.repairs
        if self.settings.focus.topic and self.progress.visits and not self.progress.stored:
            exit_ = Exit.ALL_FAILED if self.progress.failures or self._all_dead() else exit_
        return Result(_judged(exit_, self.progress), self.progress, seconds, bad, repairs)

    def _all_dead(self) -> bool:
        """Whether no page was ever judged by the topic: its seeds answer, but with nothing."""
        return not self.store.judged(find_topic(self.order.folder, self.settings.focus.topic).name)[0]


def _judged(exit_: Exit, progress: Progress) -> Exit:
    """A crawl that ran out of work because nothing worked is not done."""
    if exit_ is not Exit.DONE or progress.visits < FAILED_LEAST:
        return exit_
    if progress.failures >= FAILED_SHARE * progress.visits:
        return Exit.ALL_FAILED
    if progress.refused >= FAILED_SHARE * progress.visits:
        return Exit.RATE_LIMITED
    return exit_


async def _alone(crawl: Session) -> Exit:
    gate = guard(crawl.settings)
    async with HttpClient(crawl.settings, guard=gate, now=crawl.clock.now) as web:
        chosen = rules(crawl.store, crawl.settings, planner=crawl.planner, focused=True)
        worker = Worker(crawl.store, web, gate, chosen, report=crawl.report)
        with _draining(worker, signals=crawl.hooks.signals):
            return await worker.run()


@contextmanager
def _draining(worker: Worker, *, signals: bool) -> Iterator[None]:
    """The first Ctrl-C or SIGTERM drains; the second ends the process at once."""
    if not signals:
        yield
        return
    loop = asyncio.get_running_loop()

    def told() -> None:
        if worker.stopping is Exit.STOPPED:
            os._exit(Exit.FORCED)
        worker.stop(Exit.STOPPED)

    for one in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(one, told)
    try:
        yield
    finally:
        for one in (signal.SIGINT, signal.SIGTERM):
            loop.remove_signal_handler(one)
