"""A crawl from start to end: seeds in, one or several workers, how it ended.

Several workers are processes that share nothing but the archive's leases; the parent holds the archive's
lock, passes on signals, and adds up what they report.
"""

import asyncio
import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, fields
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Self

from fieldmouse.archive.files import Repair
from fieldmouse.archive.sightings import Estimate
from fieldmouse.archive.store import Store
from fieldmouse.errors import ConfigError, FieldmouseError, UsageError
from fieldmouse.exits import Exit
from fieldmouse.frontier.scope import Scope
from fieldmouse.frontier.sketch import Sketch, pending
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.urls import Canon, host_key
from fieldmouse.web.guard import Guard
from fieldmouse.web.http import Web

from .loop import Progress, Worker
from .study import Rules

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


def estimator(settings: Settings) -> Estimate:
    """How a host's pending pages are estimated: from a sketch of its addresses, or from who links to it."""
    limits = settings.frontier

    def estimate(stored: bytes, urls: Sequence[str], in_hosts: int) -> tuple[bytes, float, Sequence[str]]:
        sketch = Sketch.from_bytes(stored) if stored else Sketch.sized(limits)
        fresh = [url for url in urls if sketch.add(url)]
        return sketch.to_bytes(), pending(limits, in_hosts, sketch), fresh

    return estimate


def check_contact(settings: Settings) -> None:
    """Nobody visits the public Web without saying who they are."""
    crawl = settings.crawl
    if not crawl.contact and not crawl.user_agent and not settings.web.allow_addresses:
        raise ConfigError(
            "set crawl.contact to a web page or e-mail address where site owners reach you "
            "(in fieldmouse.toml, with FIELDMOUSE_CRAWL_CONTACT, or with --contact); the public Web is not crawled anonymously"
        )


def guard(settings: Settings) -> Guard:
    """The guard of a crawl: an anonymous one may only visit the networks it was explicitly allowed."""
    anonymous = not settings.crawl.contact and not settings.crawl.user_agent
    return Guard(settings.web.allow_addresses)


def canon(settings: Settings) -> Canon:
    """The canonical form of addresses under these settings."""
    return Canon(drop=settings.scope.drop_params, keep=settings.scope.keep_params)


def sort_seeds(seeds: Iterable[str], form: Canon) -> tuple[dict[str, list[str]], list[str]]:
    """Seeds by host, and those that are no addresses."""
    by_host: dict[str, list[str]] = {}
    bad = []
    for text in seeds:
        url = form(text if "://" in text else f"http://{text}")
        if url is None:
            bad.append(text)
        else:
            by_host.setdefault(host_key(url), []).append(url)
    return by_host, bad


def crawl(order: Order, hooks: Hooks) -> Result:
    """Crawl until nothing is left, a limit is reached, or somebody stops it."""
    with _Crawl(order, hooks) as one:
        if order.settings.crawl.workers == 1:
            return one.result(_run(_alone(one)))
        return one.result(_together(one))


async def crawl_async(order: Order, hooks: Hooks) -> Result:
    """The same with one worker inside a running event loop."""
    with _Crawl(order, hooks) as one:
        return one.result(await _alone(one))


class _Crawl:
    """A crawl of an archive that is opened, seeded and ready to start."""

    def __init__(self, order: Order, hooks: Hooks) -> None:
        check_contact(order.settings)
        self.order = order
        self.settings = order.settings
        self.hooks = hooks
        self.progress = Progress()
        self.began = time.monotonic()
        by_host, bad = sort_seeds(order.seeds, canon(order.settings))
        if order.seeds and not by_host:
            raise UsageError(
                f"none of the {len(bad)} seeds is an http or https address, for example {bad[0]!r}"
            )
        self.store = Store(order.folder, order.settings, estimator(order.settings), now=time.time())
        try:
            self._seed(by_host)
        except BaseException:
            self.store.close()
            raise
        self.started = Started(sum(map(len, by_host.values())), tuple(bad), tuple(self.store.mended))
        hooks.started(self.started)

    def _seed(self, by_host: dict[str, list[str]]) -> None:
        self.store.seed(by_host, time.time())
        if self.order.again:
            self.store.revisit_all()
        if not self.store.seed_hosts():
            raise UsageError("there is nothing to crawl yet; give seeds: `crawl https://example.org/`")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.store.close()

    def report(self, progress: Progress) -> None:
        """Pass on how far we are."""
        self.progress = progress
        self.hooks.progress(progress)

    def result(self, exit_: Exit) -> Result:
        """How it ended."""
        seconds = time.monotonic() - self.began
        bad, repairs = self.started.bad_seeds, self.started.repairs
        return Result(_judged(exit_, self.progress), self.progress, seconds, bad, repairs)


def _judged(exit_: Exit, progress: Progress) -> Exit:
    """A crawl that ran out of work because nothing worked is not done."""
    if exit_ is not Exit.DONE or progress.visits < FAILED_LEAST:
        return exit_
    if progress.failures >= FAILED_SHARE * progress.visits:
        return Exit.ALL_FAILED
    if progress.refused >= FAILED_SHARE * progress.visits:
        return Exit.RATE_LIMITED
    return exit_


async def _alone(crawl: _Crawl) -> Exit:
    gate = guard(crawl.settings)
    async with Web(crawl.settings, guard=gate) as web:
        worker = Worker(crawl.store, web, gate, rules(crawl.store, crawl.settings), report=crawl.report)
        with _draining(worker, signals=crawl.hooks.signals):
            return await worker.run()


def rules(store: Store, settings: Settings) -> Rules:
    """What holds for a whole crawl of this archive."""
    return Rules(settings, canon(settings), Scope(settings.scope, store.seed_hosts()))


def _run(work: Any) -> Exit:
    """Run on uvloop where it exists."""
    factory = None
    with suppress(ImportError):
        import uvloop

        factory = uvloop.new_event_loop
    with asyncio.Runner(loop_factory=factory) as runner:
        result: Exit = runner.run(work)
        return result


@contextmanager
def _draining(worker: Worker, *, signals: bool) -> Any:
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


# Several workers


def _together(crawl: _Crawl) -> Exit:
    """Start the workers and wait for them all."""
    context = multiprocessing.get_context("spawn")
    team = _Team(crawl)
    for number in range(crawl.settings.crawl.workers):
        here, there = context.Pipe(duplex=False)
        share = _share(crawl.settings, number)
        process = context.Process(
            target=_member, args=(crawl.order.folder, share, f"w{number}", there), daemon=True
        )
        process.start()
        there.close()
        team.members[here] = _Member(f"w{number}", process)
    with team.taking_signals():
        team.listen()
    if team.error is not None:
        raise team.error
    return team.exit


def _share(settings: Settings, number: int) -> Settings:
    """A worker's part of the limits that are counted."""
    workers = settings.crawl.workers
    parts = {}
    for name in ("max_pages", "max_bytes"):
        whole = getattr(settings.crawl, name)
        if whole:
            parts[f"crawl.{name}"] = max(1, whole // workers + (number < whole % workers))
    return with_overrides(settings, parts)


def _member(folder: Path, settings: Settings, name: str, pipe: Connection) -> None:
    """A worker process: everything it says goes through the pipe."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent tells us when to stop
    try:
        with Store(folder, settings, estimator(settings), now=time.time(), worker=name, join=True) as store:

            async def main() -> Exit:
                gate = guard(settings)
                async with Web(settings, guard=gate) as web:
                    worker = Worker(store, web, gate, rules(store, settings), report=pipe.send, others=True)
                    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, worker.stop, Exit.STOPPED)
                    return await worker.run()

            pipe.send(_run(main()))
    except FieldmouseError as error:
        pipe.send(error)


@dataclass(slots=True)
class _Member:
    name: str
    process: Any
    progress: Progress = field(default_factory=Progress)


class _Team:
    """The workers of one crawl, as their parent sees them."""

    def __init__(self, crawl: _Crawl) -> None:
        self.crawl = crawl
        self.members: dict[Connection, _Member] = {}
        self.ended: list[_Member] = []
        self.exit = Exit.DONE
        self.error: FieldmouseError | None = None
        self.stopping = False

    def listen(self) -> None:
        """Until every worker has ended."""
        while self.members:
            for pipe in wait(list(self.members), timeout=1.0):
                assert isinstance(pipe, Connection)
                try:
                    self._heard(self.members[pipe], pipe.recv())
                except EOFError:
                    self._ended(pipe)
            self.crawl.report(self.total())

    def _heard(self, member: _Member, said: Any) -> None:
        if isinstance(said, Progress):
            member.progress = said
        elif isinstance(said, Exit):
            self.exit = max(self.exit, said)
        elif isinstance(said, FieldmouseError):
            self.error = said
            self.stop()

    def _ended(self, pipe: Connection) -> None:
        member = self.members.pop(pipe)
        self.ended.append(member)
        member.process.join()
        if member.process.exitcode:
            self.error = self.error or FieldmouseError(
                f"worker {member.name} died (exit code {member.process.exitcode}); "
                "its hosts wait for the next run"
            )
        self.crawl.store.release_worker(member.name)

    def total(self) -> Progress:
        """What all workers did, added up."""
        everyone = [*self.members.values(), *self.ended]
        return Progress(
            **{f.name: sum(getattr(m.progress, f.name) for m in everyone) for f in fields(Progress)}
        )

    def stop(self) -> None:
        """Ask every worker to drain."""
        self.stopping = True
        for member in self.members.values():
            member.process.terminate()

    @contextmanager
    def taking_signals(self) -> Any:
        """Ctrl-C and SIGTERM, if we were asked to take them."""
        if not self.crawl.hooks.signals:
            yield
            return

        def told(*_: object) -> None:
            if self.stopping:
                for member in self.members.values():
                    member.process.kill()
                os._exit(Exit.FORCED)
            self.stop()

        before = {one: signal.signal(one, told) for one in (signal.SIGINT, signal.SIGTERM)}
        try:
            yield
        finally:
            for one, handler in before.items():
                signal.signal(one, handler)
