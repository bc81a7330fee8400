"""Whose time a run lives in: what is written down is told by the clock it was given."""

import asyncio
import time
from pathlib import Path

from fieldmouse import library
from fieldmouse.demo.leaping_clock import LeapingClock
from fieldmouse.exits import Exit
from fieldmouse.service.crawl_run import Hooks, Order, crawl
from fieldmouse.service.daemon import refresh
from fieldmouse.service.setup import Clock
from fieldmouse.settings import with_overrides
from tests.crawl import webs
from tests.crawl.passing import DAY, Village, article, asked

START = 1_700_000_000.0


async def rested(clock: Clock, seconds: float, *, woken: bool = False) -> tuple[float, float]:
    """How far the clock went, and how long it took."""
    wake, began, real = asyncio.Event(), clock.now(), time.monotonic()
    if woken:
        wake.set()
    await clock.rest(seconds, wake)
    return clock.now() - began, time.monotonic() - real


def test_a_real_rest_takes_its_time() -> None:
    passed, took = asyncio.run(rested(Clock(), 0.05))
    assert 0.04 < passed < 30
    assert 0.04 < took < 30
    assert asyncio.run(rested(Clock(), 60, woken=True))[1] < 30


def test_a_leaping_clock_rests_for_a_month_in_a_moment() -> None:
    clock = LeapingClock(START)
    assert START <= clock.now() < START + 30
    passed, took = asyncio.run(rested(clock, 30 * DAY))
    assert 30 * DAY <= passed < 30 * DAY + 30
    assert took < 30
    assert asyncio.run(rested(clock, 30 * DAY, woken=True))[0] < 30


def test_a_run_writes_the_time_of_its_clock(tmp_path: Path) -> None:
    """Visits, robots.txt and the budget; months later by the clock there is another day to spend."""
    village = Village(home=article("Welcome to the quay.", ("/boats",)))
    village.pages["/boats"] = article("About boats.")
    clock = LeapingClock(START)
    for workers in (1, 2):
        with webs.web({"a.test": village}) as net:
            archive = webs.archive(tmp_path / f"a{workers}", net, audit=0.0, budget=2)
            order = Order(archive.folder, archive.settings, (net.url("a.test"),))
            several = with_overrides(archive.settings, {"crawl.workers": workers})
            assert crawl(Order(order.folder, several, order.seeds), Hooks(), clock).exit is Exit.DONE
            assert times(archive) == {"visit": (START, 2), "robots": (START, 1), "spend": (START, 1)}
            later = LeapingClock(START + 100 * DAY)
            assert refresh(order, Hooks(), clock=later).progress.visits == 2
            assert archive.freshness(START + 100 * DAY + 60).age_days is not None
            assert asked(archive, "SELECT count(*) FROM page WHERE last_visit > ?", START + 99 * DAY) == [
                (2,)
            ]
            archive.close()


def times(archive: library.Archive) -> dict[str, tuple[float, int]]:
    """Times of each kind, which all have to lie at the start; with how many there are."""
    found = {}
    for table, column in (("visit", "time"), ("robots", "fetched_at"), ("spend", "slot * 900 + 450")):
        rows = [when for (when,) in asked(archive, f"SELECT {column} FROM {table}")]
        assert all(abs(when - START) < 900 for when in rows), (table, rows)
        found[table] = (START, len(rows))
    return found
