"""What a crawl is set up from: its clock, guard, scope, canonical URLs, estimate of hosts and event loop."""

import asyncio
import re
import signal
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from fieldmouse.crawl.guide_setup import focusing
from fieldmouse.crawl.study import Rules
from fieldmouse.errors import ConfigError
from fieldmouse.exits import Exit
from fieldmouse.frontier.pending_estimate import UrlSketch
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.gc_tuning import rare_collection
from fieldmouse.jobs.train import host_ranks, load, static_prediction
from fieldmouse.refresh.planner import Planner
from fieldmouse.refresh.rates import prior_from_text
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Estimate, Store
from fieldmouse.urls import Canon, host_key
from fieldmouse.web.guard import Guard

# A resting daemon reads the clock at least this often, so that a laptop that slept notices.
LOOK_SECONDS = 30.0

# An answer of the server about its clock that took longer says little about now.
LONGEST_LOOK = 1.0

# Ctrl-C, a service manager, and a terminal that is closed.
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Clock:
    """The time of everything that is stored: visits, due times, leases and the budget.

    Delays between requests use the monotonic clock of the machine instead.
    """

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def rest(self, seconds: float, wake: asyncio.Event) -> None:
        """Wait for so long or until woken, but no longer than `LOOK_SECONDS`."""
        with suppress(TimeoutError):
            await asyncio.wait_for(wake.wait(), min(seconds, LOOK_SECONDS))


class SharedClock(Clock):
    """The clock of the server. Between two looks at it time goes on by the machine, whose own may be set."""

    def __init__(self, apart: float) -> None:
        self.apart = apart

    def now(self) -> float:
        """Seconds since the epoch."""
        return _since_boot() + self.apart

    def read(self, store: Store) -> None:
        """Look at the clock of the server again; an answer that took long does not count."""
        began = _since_boot()
        apart = store.clock_offset(began)
        if _since_boot() - began < LONGEST_LOOK:
            self.apart = apart


def _since_boot() -> float:
    """Seconds that nobody sets; those count, too, that the machine slept."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


def shared_clock(store: Store, clock: Clock) -> Clock:
    """The clock that all workers share: a worker whose own is wrong must not store wrong times."""
    apart = store.clock_offset(_since_boot()) if type(clock) is Clock else 0.0
    return SharedClock(apart) if apart else clock


def estimator(settings: Settings) -> Estimate:
    """Estimates the pending pages of a host, from a sketch of their URLs or from its in-links."""
    limits = settings.frontier
    empty = UrlSketch(limits.sketch_urls, limits.sketch_error).to_bytes()

    def estimate(stored: bytes, urls: Sequence[str], in_hosts: int) -> tuple[bytes, float, Sequence[str]]:
        sketch = UrlSketch.from_bytes(stored or empty)
        fresh = sketch.add(urls)
        pending = float(in_hosts) if limits.estimator == "in-degree" else sketch.estimate()
        return sketch.to_bytes(), pending, fresh

    return estimate


def planner(store: Store, settings: Settings) -> Planner:
    """The planner of this archive, with the price and the rates learned so far."""
    price = store.schedule.fetch_price()
    return Planner(
        settings,
        price=price.price if price else None,
        pages=store.schedule.scheduled_count(),
        static_prediction=static_prediction(load(store.folder), lambda: host_ranks(store.host_links())),
        rate_prior=prior_from_text(store.schedule.rate_prior()),
    )


def check_contact(settings: Settings) -> None:
    """Raise ConfigError for a crawl of the public Web without a contact, or with one that is none."""
    crawl = settings.crawl
    if crawl.contact and not re.fullmatch(r"https?://[^\s/]+\S*|(?:mailto:)?[^\s@]+@[^\s@]+", crawl.contact):
        raise ConfigError(
            f"crawl.contact {crawl.contact!r} is neither a web page (https://...) nor an e-mail address"
        )
    if not crawl.contact and not crawl.user_agent and not settings.web.allow_addresses:
        raise ConfigError(
            "say who crawls: set crawl.contact in fieldmouse.toml, or give --contact, with a web page or "
            "e-mail address where site owners reach you"
        )


def guard(settings: Settings) -> Guard:
    """The guard of a crawl: an anonymous one may only visit the networks in `web.allow_addresses`."""
    public = bool(settings.crawl.contact or settings.crawl.user_agent)
    return Guard(settings.web.allow_addresses, public=public)


def canon(settings: Settings) -> Canon:
    """The canonical form of URLs under these settings."""
    return Canon(drop=settings.scope.drop_params, keep=settings.scope.keep_params)


_WITH_SCHEME = re.compile(r"(?i)\s*https?:|.*://").match
# A host without a scheme, and not the first line of a table.
_BARE = re.compile(r"\s*(?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d+)?(?:[/?#].*)?\s*").fullmatch


def sort_seeds(seeds: Iterable[str], form: Canon) -> tuple[dict[str, list[str]], list[str]]:
    """Seeds by host, and those that are not URLs."""
    by_host: dict[str, list[str]] = {}
    bad = []
    for text in seeds:
        whole = text if _WITH_SCHEME(text) else f"http://{text.strip()}" if _BARE(text) else ""
        url = form(whole)
        if url is None:
            bad.append(text)
        else:
            by_host.setdefault(host_key(url), []).append(url)
    return by_host, bad


def rules(
    store: Store, settings: Settings, *, planner: Planner | None = None, focused: bool = False
) -> Rules:
    """The rules of a crawl of this archive; `focused` ones apply the topic in the settings, if any."""
    focus = focusing(store, settings) if focused else None
    sorter = None
    trained = settings.labels.classify_new and (store.folder / "models" / "classes.json").is_file()
    if trained or settings.labels.only or settings.labels.prefer or settings.labels.exclude:
        from fieldmouse.crawl.page_classes import page_sorter  # loads numpy

        sorter = page_sorter(store.folder, settings)
    scope = crawl_scope(store, settings)
    return Rules(settings, canon(settings), scope, focus, planner, sorter=sorter)


def crawl_scope(store: Store, settings: Settings) -> CrawlScope:
    """What belongs to a crawl of this archive."""
    return CrawlScope(settings.scope, store.seed_hosts(), (one.url for one in store.forgotten()))


def run_loop(work: Coroutine[Any, Any, Exit]) -> Exit:
    """Run on uvloop where it exists."""
    factory = None
    with suppress(ImportError):
        import uvloop

        factory = uvloop.new_event_loop
    with rare_collection(), asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)


@contextmanager
def handle_signals(stop: Callable[[], None], *, wanted: bool) -> Iterator[None]:
    """Call `stop` at the signals that end a run, if the caller wants that."""
    loop = asyncio.get_running_loop()
    before = {one: signal.getsignal(one) for one in STOP_SIGNALS} if wanted else {}
    for one in before:
        loop.add_signal_handler(one, stop)
    try:
        yield
    finally:
        for one, handler in before.items():
            loop.remove_signal_handler(one)
            signal.signal(one, handler)
