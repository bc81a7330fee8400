"""The cost of keeping fresh is measured on archives that the program itself would take for its own."""

from pathlib import Path

import pytest

from bench.refresh_cost import DAY, EVEN, NOW, allocated, archived, leased, replayed
from fieldmouse.refresh.planner import Planner
from fieldmouse.service.scheduler import Scheduler
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store.relational.leases import HostLeases
from fieldmouse.store.relational.page_schedule import BLOCK, SqlSchedule
from fieldmouse.store.sqlite.sqlite_database import SqliteDatabase

PAGES = BLOCK + 200


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return archived(tmp_path_factory.mktemp("grown") / "archive", PAGES)


@pytest.mark.parametrize("forecast", [False, True])
def test_an_allocation_over_more_copies_than_are_read_at_once(file: Path, forecast: bool) -> None:
    """As many pages become due as have a turn, and all the others wait."""
    settings = with_overrides(Settings(), {"refresh.budget": PAGES / EVEN, "refresh.forecast": forecast})
    db = SqliteDatabase(file)
    due = SqlSchedule(db, HostLeases(db, "test", 300.0))
    planner = Planner(settings, pages=PAGES)
    assert due.scheduled_copies_count() == len({id_ for id_, *_ in due.scheduled_copies()}) == PAGES
    later = NOW + (10 if forecast else 0) * DAY
    Scheduler(due, planner).allocate(later, 0.25, 80, 320.0)
    assert due.due_count(later + 0.25 * DAY - 1) == 80
    assert due.due_count(later + 0.25 * DAY - 1, 7) == 7
    db.close()


def test_costs_are_reported(file: Path) -> None:
    found = allocated(file, PAGES)
    assert {"first_s", "next_s", "peak_mib"} <= set(found)
    cost = leased(file, 5)
    assert 0 < cost["find_us"] < cost["whole_us"]
    (line,) = replayed(300, ("uniform",), 10.0)
    assert 0.5 < line["fresh"] < 1.0
