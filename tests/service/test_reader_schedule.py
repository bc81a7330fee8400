"""Readers in the schedule: what they say moves fetches, nothing starves, and everything is on record."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldmouse import library
from fieldmouse.behaviour.change_model import ReaderWeight
from fieldmouse.behaviour.model_file import load_model
from fieldmouse.cli import cli
from fieldmouse.jobs.train_behaviour import archive_decisions
from fieldmouse.service.crawl_run import Hooks, Order, Session
from fieldmouse.service.reader_schedule import ReaderSchedule
from fieldmouse.service.scheduler import Scheduler
from fieldmouse.settings import with_overrides
from fieldmouse.store.submission_contract import ReaderVisit
from fieldmouse.store.visit_contract import BehaviourDecision
from tests.crawl.passing import DAY
from tests.service.readers import PAGES, VISIT, read_archive


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[library.Archive]:
    with read_archive(tmp_path / "a") as one:
        yield one


def settings_of(archive: library.Archive, **behaviour: object):
    budget = behaviour.pop("budget", 12.0)
    changed = {f"behaviour.{name}": value for name, value in behaviour.items()}
    return with_overrides(archive.settings, {"refresh.budget": budget, **changed})


def allocated(
    archive: library.Archive, now: float, fetches: int, draw: float = 0.99, **behaviour: object
) -> set[str]:
    """The pages chosen for a period, by their paths."""
    settings = settings_of(archive, **behaviour)
    with Session(Order(archive.folder, settings), Hooks()) as session:
        readers = ReaderSchedule(session.store.behaviour, settings.behaviour, archive.folder, lambda: draw)
        Scheduler(session.store.schedule, session.planner, readers).allocate(now, 0.25, fetches)
        db = session.store.schedule.db.db  # type: ignore[attr-defined]
        rows = db.execute("SELECT url FROM page WHERE due < ?", (now + 0.25 * DAY,)).fetchall()
        return {url.rpartition("/")[2] for (url,) in rows}


def later_visits(archive: library.Archive, since: float, busy: set[str]) -> None:
    """Readers after the last fetch: many to some pages, a few to the others."""
    urls = [url for (url,) in archive.query("SELECT url FROM pages")[1]]
    visits = [
        ReaderVisit(f"reader {n}", url, since + DAY * (n + 1) / 15)
        for url in urls
        for n in range(12 if url.rpartition("/")[2] in busy else 2)
    ]
    with archive.writing() as store:
        store.behaviour.add([*visits, ReaderVisit("reader 99", "http://elsewhere.test/", since + DAY)])


def decisions(archive: library.Archive) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for url, action in archive.query("SELECT url, action FROM behaviour_decisions ORDER BY time")[1]:
        found.setdefault(url.rpartition("/")[2], []).append(action)
    return found


def test_readers_from_training_to_status(archive: library.Archive) -> None:
    run = CliRunner().invoke
    folder = ["-C", str(archive.folder)]
    plain = run(cli, [*folder, "status"], env={"FIELDMOUSE_BEHAVIOUR_MODE": "off"}, catch_exceptions=False)
    assert "not used for the schedule (behaviour.mode is off)" in plain.output
    veto = {"FIELDMOUSE_BEHAVIOUR_MODE": "veto"}
    assert "there is no model; `train behaviour` makes one" in run(cli, [*folder, "status"], env=veto).output
    trained = run(cli, [*folder, "train", "behaviour"], catch_exceptions=False)
    assert "better than the schedule alone" in trained.output
    model = load_model(archive.folder)
    assert model is not None
    assert model.useful
    assert "in 30 days fetches skipped: 0" in run(cli, [*folder, "status"], env=veto).output
    url = next(url for (url,) in archive.query("SELECT url FROM pages WHERE url LIKE '%p4'")[1])
    assert "nothing was decided by them about this page" in run(cli, [*folder, "why", url], env=veto).output

    now = time.time() + DAY
    busy = {"p1", "p4", "p6"}
    later_visits(archive, now - DAY, busy)
    assert allocated(archive, now, 3, mode="off") != busy  # without readers all pages look alike
    assert allocated(archive, now, 3, mode="index") == busy
    moves = decisions(archive)
    assert {name for name, found in moves.items() if found[-1] in ("forward", "passed")} == busy

    # The veto skips calm pages, at most three times in a row, and the fetches that they do not use are saved.
    for _ in range(6):
        now += 0.25 * DAY
        chosen = allocated(archive, now, PAGES, mode="veto")
        calm = {name: found for name, found in decisions(archive).items() if name not in busy}
        assert busy <= chosen
    assert all(found.count("skipped") >= 1 for found in calm.values())
    for found in calm.values():
        assert (
            max(map(len, "".join("s" if one == "skipped" else " " for one in found).split()), default=0) <= 3
        )

    shown = run(cli, [*folder, "status"], env=veto).output
    assert "veto: in 30 days fetches skipped: " in shown
    status = json.loads(run(cli, [*folder, "status", "--json"], env=veto).output)["readers"]
    assert status["active"] == "veto"
    explained = run(cli, [*folder, "why", url], catch_exceptions=False).output
    assert " since the last fetch" in explained
    assert "changed with probability" in explained
    assert "with confidence" in explained
    rows = list(archive.query("SELECT confidence, action, until FROM behaviour_decisions")[1])
    assert all(0.5 <= one <= 1.0 for one, _, _ in rows)
    assert {until is not None for _, action, until in rows if action == "skipped"} == {True}
    assert {until for _, action, until in rows if action == "forward"} == {None}
    off = run(cli, [*folder, "why", url], env={"FIELDMOUSE_BEHAVIOUR_MODE": "off"}).output
    assert "not used for the schedule: behaviour.mode is off" in off


def trained(archive: library.Archive) -> None:
    done = CliRunner().invoke(cli, ["-C", str(archive.folder), "train", "behaviour"], catch_exceptions=False)
    assert done.exit_code == 0


def test_chance_fetches_pages_that_the_veto_would_skip(archive: library.Archive) -> None:
    trained(archive)
    now = time.time() + 3 * DAY
    later_visits(archive, now - DAY, set())
    allocated(archive, now, PAGES, draw=0.001, mode="veto")
    rows = archive.query("SELECT DISTINCT action FROM behaviour_decisions WHERE chance < 0.5")[1]
    assert {action for (action,) in rows} == {"explored"}
    assert 0.02 in [chance for *_, chance in archive.reader.behaviour.chances()]


def test_a_budget_for_more_than_all_pages_is_not_spent_on_calm_ones(archive: library.Archive) -> None:
    """The veto saves fetches also where the budget would visit every page several times a day."""
    trained(archive)
    now = time.time() + DAY
    later_visits(archive, now - DAY, {"p1"})
    chosen = allocated(archive, now, 10 * PAGES, mode="veto", budget=40.0 * PAGES)
    found = decisions(archive)
    assert found["p1"] == ["passed"]
    assert "p1" in chosen
    assert sum(one == ["skipped"] for one in found.values()) >= PAGES - 2
    # No copy gets too old, whatever readers say.
    allocated(archive, now + 400 * DAY, 10 * PAGES, mode="veto", budget=40.0 * PAGES)
    assert {one[-1] for one in decisions(archive).values()} <= {"forced", "passed"}


def test_a_fetch_by_chance_counts_for_all_pages_like_it(archive: library.Archive) -> None:
    """A decision that gave a fetch a chance of 2 % makes the result of that fetch count 50 times."""
    before = archive_decisions(archive.reader.behaviour)
    page, fetched = next(
        iter(archive.query("SELECT page, time FROM visit WHERE gap > 0 ORDER BY time LIMIT 1 OFFSET 100")[1])
    )
    one = BehaviourDecision(page, fetched - 60.0, "veto", "explored", 0.1, 0.1, 0.02, 0.0, 0, 0.0)
    with archive.writing() as store:
        store.behaviour.put_decisions([one])
    after = archive_decisions(archive.reader.behaviour)
    assert after.weights.max() == 50.0
    assert before.weights.max() == 1.0
    assert after.weights.sum() == before.weights.sum() + 49.0


def test_a_model_that_is_no_better_leaves_the_schedule_alone(
    archive: library.Archive, tmp_path: Path
) -> None:
    trained(archive)
    settings = settings_of(archive, mode="veto").behaviour
    with archive.writing() as store:
        readers = ReaderSchedule(store.behaviour, settings, archive.folder, lambda: 0.5)
        assert readers.mode == "veto"
        assert readers.model is not None
        readers.model.readers = ReaderWeight()
        assert readers.mode == "off"
        assert ReaderSchedule(store.behaviour, settings, tmp_path, lambda: 0.5).mode == "off"


def test_decisions_show_what_the_next_fetch_found(archive: library.Archive) -> None:
    """What a skip saved, and what it missed, is in `status` and SQL."""
    trained(archive)
    now = time.time()
    ids = [id_ for (id_,) in archive.query("SELECT id FROM pages ORDER BY id LIMIT 3")[1]]
    with archive.writing() as store:
        store.behaviour.put_decisions(
            BehaviourDecision(id_, now, "veto", "skipped", 0.1, 0.1, 0.98, DAY, 1, now + DAY) for id_ in ids
        )
        db = store.schedule.db.db  # type: ignore[attr-defined]
        for id_, changed in zip(ids, (0, 1), strict=False):  # the third was not fetched since
            db.execute(VISIT, (id_, now + DAY, changed, DAY))
        db.commit()
    rows = archive.query("SELECT id, changed FROM behaviour_decisions ORDER BY id")[1]
    assert list(rows) == [(ids[0], 0), (ids[1], 1), (ids[2], None)]
    shown = CliRunner().invoke(
        cli, ["-C", str(archive.folder), "status"], env={"FIELDMOUSE_BEHAVIOUR_MODE": "veto"}
    )
    assert "fetches skipped: 3 (at the next fetch 1 unchanged, 1 changed)" in shown.output


def test_a_model_trained_beside_the_daemon_is_used_at_the_next_allocation(archive: library.Archive) -> None:
    settings = settings_of(archive, mode="index")
    with Session(Order(archive.folder, settings), Hooks()) as session:
        readers = ReaderSchedule(session.store.behaviour, settings.behaviour, archive.folder, lambda: 0.5)
        scheduler = Scheduler(session.store.schedule, session.planner, readers)
        assert readers.mode == "off"
        trained(archive)
        scheduler.allocate(time.time(), 0.25, 3)
        assert readers.mode == "index"
