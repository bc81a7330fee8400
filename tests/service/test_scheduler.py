"""Turns dealt out by what pages tell about each other: the same after a restart, and with reasons."""

import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldmouse import library
from fieldmouse.exits import Exit
from fieldmouse.refresh.allocation import AllocationPeriod
from fieldmouse.refresh.rates import default_prior
from fieldmouse.service.crawl_run import Hooks, Order, Session
from fieldmouse.service.scheduler import ArchiveForecasts, Scheduler
from fieldmouse.settings import with_overrides
from tests.crawl import webs
from tests.crawl.passing import DAY, Village, article, asked

PAGES = 12
VISIT = (
    "INSERT INTO visit (page, time, status, trouble, changed, known_by, gap, took, size, note, digest) "
    "SELECT id, ?1, 200, '', ?2, 'digest', ?1 - last_visit, 0, 1, '', '' FROM page WHERE id = ?3"
)


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[library.Archive]:
    village = Village(home=article("Welcome to the quay.", tuple(f"/p{n}" for n in range(PAGES - 1))))
    village.pages |= {f"/p{n}": article(f"This is page {n} about boats.") for n in range(PAGES - 1)}
    with webs.web({"a.test": village}) as net:
        one = webs.archive(tmp_path / "a", net, audit=0.0)
        assert one.crawl([net.url("a.test")]).exit is Exit.DONE
        yield one
        one.close()


def visit_due(session: Session, now: float) -> None:
    """Visit what is due, as a pass would; pages of even ids change every second day."""
    db = session.store.schedule.db.db
    for (id_,) in db.execute("SELECT id FROM page WHERE due <= ?", (now,)).fetchall():
        changed = int(id_ % 2 == 0 and int(now / DAY) % 2 == 0)
        db.execute(VISIT, (now, changed, id_))
        db.execute("UPDATE page SET last_visit = ?1, due = ?1 + 864000 WHERE id = ?2", (now, id_))


def played(folder: Path, start: float, *, restart: bool = False, forecast: bool = True) -> list[Any]:
    """What is planned after ten days of rounds in a copy of an archive, perhaps with many restarts."""
    copied = folder.with_name(f"restart-{restart}-forecast-{forecast}")
    shutil.copytree(folder, copied)
    archive = library.open(copied)
    with Session(
        Order(copied, with_overrides(archive.settings, {"refresh.forecast": forecast})), Hooks()
    ) as session:
        scheduler = Scheduler(session.store.schedule, session.planner)
        assert (scheduler.forecasts is not None) == forecast
        for step in range(80):
            now = start + step * DAY / 8
            if scheduler.is_over(now):
                scheduler.allocate(now, 0.25, 2)
            visit_due(session, now)
            if restart:
                scheduler = Scheduler(session.store.schedule, session.planner)
    found = asked(archive, "SELECT id, due, rate, shape, last_visit FROM page ORDER BY id")
    return [found, asked(archive, "SELECT * FROM prediction ORDER BY page, time")]


def test_a_restart_changes_nothing(archive: library.Archive) -> None:
    archive.close()
    start = time.time()
    assert played(archive.folder, start) == played(archive.folder, start, restart=True)


def test_without_related_pages_each_page_has_its_own_rate(archive: library.Archive) -> None:
    archive.close()
    start = time.time()
    alone, predictions = played(archive.folder, start, forecast=False)
    assert {row[2] for row in predictions} <= {"visits", "prior", "static"}
    assert len({row[4] for row in alone}) > 4, "and pages have their turns all the same"


def test_the_setting_switches_it_off(archive: library.Archive) -> None:
    archive.close()
    chosen = with_overrides(archive.settings, {"refresh.forecast": False})
    with Session(Order(archive.folder, chosen), Hooks()) as session:
        assert Scheduler(session.store.schedule, session.planner).forecasts is None


def test_why_names_the_predictor_and_the_reason(archive: library.Archive) -> None:
    archive.close()
    now = time.time() + DAY
    with Session(Order(archive.folder, archive.settings), Hooks()) as session:
        Scheduler(session.store.schedule, session.planner).allocate(now, 0.25, 3)
    turns = asked(archive, "SELECT url, r.due, r.reasons FROM prediction r JOIN page p ON p.id = r.page "
                           "WHERE predictor = 'forecast' AND r.due = p.due")  # fmt: skip
    assert len(turns) == 3
    url, due, reasons = turns[0]
    assert now <= due <= now + DAY / 4
    assert "changes expected since its last visit" in reasons
    found = archive.why(url).predictions[-1]
    assert (found.predictor, found.reasons) == ("forecast", reasons)


def test_with_too_many_pages_each_has_its_own_rate(archive: library.Archive) -> None:
    archive.close()
    with Session(Order(archive.folder, archive.settings), Hooks()) as session:
        due = session.store.schedule
        turns = AllocationPeriod(now=time.time(), days=0.25, fetches=3, ceiling=90.0, shortest=0.04)
        assert ArchiveForecasts(due, most=PAGES - 1).for_period(turns, default_prior()) is None
        assert ArchiveForecasts(due, most=PAGES).for_period(turns, default_prior()) is not None
