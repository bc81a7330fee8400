"""Keeping copies fresh, live: the real daemon on a web that changes, under a clock that leaps over rests.

The truth is known: of every page, what it shows at any time. It is compared with what `status` reports, with
its bounds, and with the random sample of the daemon; and fetches are counted against the budget. Every run is
made twice: with the forecast from related pages, and with each page alone. The web is the
demo's town with notice boards that change at random, or recorded snapshots of pages.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import fmean
from urllib.parse import urlsplit

from bench.boards import notice_boards, town_with_boards
from fieldmouse import library
from fieldmouse.demo.hosts import Town
from fieldmouse.demo.leaping_clock import LeapingClock
from fieldmouse.demo.pages import Addresses, DemoPage, DemoTexts
from fieldmouse.demo.server import FIRST_EDITION, DemoWeb
from fieldmouse.exits import Exit
from fieldmouse.page.read import read
from fieldmouse.refresh.change import judge_change
from fieldmouse.refresh.noise import HostNoise, PageNoise
from fieldmouse.service.crawl_run import Hooks, Order, Session, crawl
from fieldmouse.service.daemon import Daemon
from fieldmouse.service.setup import guard, run_loop
from fieldmouse.types import StoredCopy
from fieldmouse.units import DAY
from fieldmouse.urls import host_key
from fieldmouse.web.http_client import HttpClient

from .recorded import Recording

# How often the truth is looked up, and the share of the run that is spent on getting to know the pages.
EVERY, WARM_UP = 0.25, 1 / 3
# Days after which two copies are judged again, since a host's noise may be known by then.
AGAIN = 7

HASTE = {
    "manners.delay": 0.0, "manners.ip_delay": 0.0, "manners.backoff": 0.05, "manners.max_crawl_delay": 0.0,
    "manners.retries": 0, "crawl.commit_seconds": 0.1, "crawl.contact": "bench@example.org",
    "archive.min_free": 0, "web.timeout": 2.0, "web.connect_timeout": 0.5, "web.ipv6": False,
}  # fmt: skip

# What an address shows on a day: equal if a reader would say it is the same.
State = Callable[[str, float], object]


@dataclass(frozen=True, slots=True)
class Look:
    """One moment of a run."""

    day: float
    true: float  # share of copies that are what the server would send
    found: float  # share of copies of which a visit would find that they are not changed
    estimated: float
    low: float
    high: float
    measured: float | None  # by the sample of the last days


@dataclass(slots=True)
class Run:
    """What a run showed."""

    name: str
    pages: int
    days: float
    budget: float
    looks: list[Look] = field(default_factory=list)
    fetches_a_day: float = 0.0
    most_in_a_day: int = 0
    changes: int = 0  # that visits found after the warm-up
    seconds: float = 0.0
    cpu: float = 0.0
    forecast: bool = True

    def figures(self) -> dict[str, object]:
        """The run in a few numbers, without its warm-up."""
        kept = [one for one in self.looks if one.day >= WARM_UP * self.days]
        sampled = [one.measured for one in kept if one.measured is not None]
        return {
            "web": self.name, "forecast": self.forecast, "pages": self.pages, "days": self.days,
            "budget": self.budget,
            "true": round(fmean(one.true for one in kept), 4),
            "found": round(fmean(one.found for one in kept), 4),
            "estimated": round(fmean(one.estimated for one in kept), 4),
            "low": round(fmean(one.low for one in kept), 4),
            "high": round(fmean(one.high for one in kept), 4),
            "within_bounds": round(fmean(one.low <= one.true <= one.high for one in kept), 3),
            "found_within": round(fmean(one.low <= one.found <= one.high for one in kept), 3),
            "sample": round(fmean(sampled), 4) if sampled else None,
            "fetches_a_day": round(self.fetches_a_day, 2), "most_in_a_day": self.most_in_a_day,
            "changes": self.changes, "seconds": round(self.seconds, 1), "cpu": round(self.cpu, 1),
        }  # fmt: skip


class Watch(LeapingClock):
    """A leaping clock that calls `look` after each rest."""

    def __init__(self, start: float) -> None:
        super().__init__(start)
        self.look: Callable[[float], None] = lambda _: None

    async def rest(self, seconds: float, wake: asyncio.Event) -> None:
        """Rest, then look."""
        await super().rest(seconds, wake)
        self.look(self.now())


def page_at(town: Town, url: str, day: float) -> DemoPage | None:
    """What a URL shows on a day."""
    parts = urlsplit(url)
    host = next((one for one in town.hosts if town.addresses.name(one.name) == parts.hostname), None)
    target = f"{parts.path}?{parts.query}" if parts.query else parts.path
    return host.page(target, day) if host else None


class Judge:
    """Whether a visit would find a change, by the comparison of the daemon and the noise learned so far."""

    def __init__(self, live: "Live") -> None:
        self.web, self.archive, self.start = live.web, live.archive, live.start
        self.settings = live.order.settings.refresh
        self.known: dict[tuple[str, float, float], tuple[int, bool]] = {}

    def differs(self, url: str, last: float, day: float) -> bool:
        """Whether what is shown now differs from what was shown at the last visit."""
        before, after = page_at(self.web.town, url, last), page_at(self.web.town, url, day)
        if before is None or after is None or before.edition == after.edition:
            return False
        key = url, before.edition, after.edition
        judged, answer = self.known.get(key, (-AGAIN, False))
        if not 0 <= int(day) - judged < AGAIN:
            copies = self._copy(before, last), self._copy(after, day)
            answer = judge_change(*copies, self._page(url), self._noise(url), self.settings, url=url).changed
            self.known[key] = int(day), answer
        return answer

    def _noise(self, url: str) -> HostNoise:
        host = host_key(url)
        rows = list(self.archive.query(f"SELECT data FROM host_noise WHERE host = '{host}'")[1])
        return HostNoise.loaded(rows[0][0]) if rows else HostNoise()

    def _page(self, url: str) -> PageNoise:
        sql = f"SELECT n.data FROM page_noise AS n JOIN page AS p ON p.id = n.page WHERE p.url = '{url}'"
        rows = list(self.archive.query(sql)[1])
        return PageNoise.loaded(rows[0][0]) if rows else PageNoise()

    def _copy(self, page: DemoPage, day: float) -> StoredCopy:
        facts = read(page.body, content_type=page.type)
        return StoredCopy(
            content=page.body, index=facts.index, charset=facts.charset, time=self.start + day * DAY
        )


class Live:
    """A daemon at work on a web whose truth is known."""

    def __init__(
        self, folder: Path, web: DemoWeb, state: State, clock: Watch, run: Run, **more: object
    ) -> None:
        self.web, self.state, self.clock, self.run = web, state, clock, run
        self.start = clock.now()
        known = {"refresh.budget": run.budget, "refresh.forecast": run.forecast, "scope.allow": ("test",)}
        self.archive = library.create(folder, **{**HASTE, **web.overrides, **known, **more})
        self.order = Order(folder, self.archive.settings, web.seeds)

    def day(self, at: float) -> float:
        """Days since the run began."""
        return (at - self.start) / DAY

    def play(self) -> Run:
        """Crawl, then keep the copies fresh until the days are over."""
        began, worked = time.monotonic(), time.process_time()
        crawl(self.order, Hooks(), self.clock)
        with Session(Order(self.order.folder, self.order.settings), Hooks(), self.clock) as session:
            run_loop(self._keep(session))
        self.run.seconds, self.run.cpu = time.monotonic() - began, time.process_time() - worked
        self._count()
        self.archive.close()
        return self.run

    async def _keep(self, session: Session) -> Exit:
        gate = guard(session.settings)
        async with HttpClient(session.settings, guard=gate, now=self.clock.now) as web:
            daemon = Daemon(session, web, gate)
            judge = Judge(self)
            self.clock.look = lambda now: self._look(daemon, judge, now)
            return await daemon.run()

    def _look(self, daemon: Daemon, judge: Judge, now: float) -> None:
        looks, day = self.run.looks, self.day(now)
        if not looks or day - looks[-1].day >= EVERY:
            looks.append(self._looked(judge, now))
        if day >= self.run.days and not daemon.stopping:
            daemon.stop()

    def _looked(self, judge: Judge, now: float) -> Look:
        sql = (
            "SELECT url, last_visit FROM page WHERE due IS NOT NULL AND rate IS NOT NULL "
            "AND version IS NOT NULL AND status IN (200, 304)"
        )
        pages = [(url, self.day(last)) for url, last in self.archive.query(sql)[1]]
        self.run.pages, day = len(pages), self.day(now)
        true = fmean(self.state(url, last) == self.state(url, day) for url, last in pages)
        found = fmean(not judge.differs(url, last, day) for url, last in pages)
        reported = self.archive.freshness(now)
        assert reported.estimated is not None
        assert reported.low is not None
        assert reported.high is not None
        return Look(day, true, found, reported.estimated, reported.low, reported.high, reported.measured)

    def _count(self) -> None:
        """Fetches by the times of the visits, without the first crawl: a day on average, and at most."""
        sql = (
            "SELECT time, changed AND gap > 0 FROM visit "
            "WHERE trouble NOT IN ('dns', 'refused', 'robots') ORDER BY time"
        )
        rows = [row for row in self.archive.query(sql)[1] if self.day(row[0]) > 1.0]
        times = [when for when, _ in rows]
        self.run.changes = sum(changed for when, changed in rows if self.day(when) >= WARM_UP * self.run.days)
        self.run.fetches_a_day = len(times) / (self.run.days - 1.0)
        behind = 0
        for place, when in enumerate(times):
            while times[behind] <= when - DAY:
                behind += 1
            self.run.most_in_a_day = max(self.run.most_in_a_day, place - behind + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a run goes."""

    days: float = 90
    share: float = 0.1  # fetches a day, as a share of the pages
    forecast: bool = True  # whether the forecast uses related pages
    settings: Mapping[str, object] = field(default_factory=dict)  # others than usual


def town(folder: Path, terms: Terms, *, pinned: int = 80, seed: int = 1) -> Run:
    """The demo's town with notice boards; the budget is a share of the pages a day."""
    clock = Watch(float(FIRST_EDITION))
    start = clock.now()

    def passed() -> float:
        return (clock.now() - start) / DAY

    with DemoWeb(lambda port: town_with_boards(port, seed, pinned), days=passed) as web:

        def state(url: str, day: float) -> object:
            page = page_at(web.town, url, day)
            return page.edition if page else None

        budget = float(round(terms.share * len(web.pages)))
        run = Run("town", len(web.pages), terms.days, budget, forecast=terms.forecast)
        return Live(folder, web, state, clock, run).play()


# Other webs than the town, that no setting was chosen on: hosts of boards with rates about each host's own.
# Changes a day of the calmest and of the busiest host, and the share of boards that never change.
WORLDS = {"still": (1 / 3000, 1 / 200, 0.6), "even": (1 / 25, 1 / 15, 0.0), "fast": (0.4, 5.0, 0.1)}
HOSTS, BOARDS = 10, 12


def world(folder: Path, terms: Terms, name: str, *, hosts: int = HOSTS, seed: int = 1) -> Run:
    """A made-up web of boards only."""
    clock = Watch(float(FIRST_EDITION))
    start = clock.now()

    def built(port: int) -> Town:
        addresses, texts = Addresses(port), DemoTexts(seed)
        sites = tuple(
            notice_boards(addresses, texts, rates, f"boards{n}")
            for n, rates in enumerate(_rates(name, hosts, seed))
        )
        return Town(addresses, sites, tuple(addresses.at(site.name) for site in sites))

    with DemoWeb(built, days=lambda: (clock.now() - start) / DAY) as web:

        def state(url: str, day: float) -> object:
            page = page_at(web.town, url, day)
            return page.edition if page else None

        run = Run(
            name, len(web.pages), terms.days, round(terms.share * len(web.pages)), forecast=terms.forecast
        )
        return Live(folder, web, state, clock, run, **terms.settings).play()


def _rates(name: str, hosts: int, seed: int) -> list[list[float]]:
    """Changes a day of each board of each host: evenly spread by logarithm, and boards stray from that."""
    slowest, fastest, never = WORLDS[name]
    draw = random.Random(f"{name}{seed}")
    middles = [slowest * (fastest / slowest) ** (n / (hosts - 1)) for n in range(hosts)]
    return [
        [0.0 if draw.random() < never else middle * draw.lognormvariate(0, 0.7) for _ in range(BOARDS)]
        for middle in middles
    ]


def recorded(folder: Path, terms: Terms, data: Path) -> Run:
    """Recorded snapshots of real pages, from their first day on."""
    recording = Recording.read(data, terms.days)
    clock = Watch(recording.start)
    start = clock.now()
    with DemoWeb(recording.town, days=lambda: (clock.now() - start) / DAY) as web:
        count = len(recording.series)
        run = Run(data.name, count, terms.days, max(1.0, terms.share * count), forecast=terms.forecast)
        # What the pages link to was not recorded.
        return Live(folder, web, recording.state, clock, run, depth=1).play()


def _run(given: argparse.Namespace, *, forecast: bool) -> Run:
    """One run, in an archive of its own."""
    terms = Terms(days=given.days, share=given.share, forecast=forecast)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "archive"
        if given.world:
            return world(folder, terms, given.world, seed=given.seed)
        if given.snapshots:
            return recorded(folder, terms, given.snapshots)
        return town(folder, terms, pinned=given.boards, seed=given.seed)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run with the forecast from related pages, and with each page alone; print the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.live", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--days", type=float, default=90, help="days by the clock of the run")
    parser.add_argument("--boards", type=int, default=80, help="notice boards of the town")
    parser.add_argument("--share", type=float, default=0.1, help="fetches a day, as a share of the pages")
    parser.add_argument("--seed", type=int, default=1, help="of the changes of the boards")
    parser.add_argument("--snapshots", type=Path, help="replay recorded snapshots (replay.jsonl.zst) instead")
    parser.add_argument("--world", choices=sorted(WORLDS), help="a web of boards with other rates instead")
    parser.add_argument("--looks", action="store_true", help="print every look too")
    given = parser.parse_args(arguments)
    runs = [_run(given, forecast=forecast) for forecast in (True, False)]
    shown = [
        {**run.figures(), **({"looks": [asdict(one) for one in run.looks]} if given.looks else {})}
        for run in runs
    ]
    print(json.dumps({**shown[0], "alone": shown[1]}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
