"""The daemon and its budget: never more than a day allows, whatever restarts, clocks and crashes do to it."""

import contextlib
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.errors import FieldmouseError, UsageError
from fieldmouse.exits import Exit
from fieldmouse.refresh.rates import default_prior
from fieldmouse.service.crawl_run import Hooks, Order, Session
from fieldmouse.service.daemon import Daemon
from fieldmouse.settings import with_overrides
from tests.crawl import webs
from tests.crawl.passing import DAY, Village, article, asked, database, later, spent
from tests.waiting import deliver, until

PAGES = 12
SLOT = 900


@pytest.fixture
def village() -> Village:
    one = Village(home=article("Welcome to the quay.", tuple(f"/p{n}" for n in range(PAGES - 1))))
    one.pages |= {f"/p{n}": article(f"This is page {n} about boats.") for n in range(PAGES - 1)}
    return one


@pytest.fixture
def net(village: Village) -> Iterator[webs.Net]:
    with webs.web({"a.test": village}) as one:
        yield one


@pytest.fixture
def archive(tmp_path: Path, net: webs.Net) -> Iterator[library.Archive]:
    """Crawled long ago: everything is due, and nothing was spent."""
    one = webs.archive(tmp_path / "a", net, audit=0.0)
    assert one.crawl([net.url("a.test")]).exit is Exit.DONE
    later(one, 100)
    net.hits.clear()
    yield one
    one.close()


@contextlib.contextmanager
def daemon(archive: library.Archive, **settings: Any) -> Iterator[Daemon]:
    """A daemon that has not begun; it needs no web to count."""
    archive.close()
    chosen = with_overrides(archive.settings, library.full_names(settings))
    with Session(Order(archive.folder, chosen), Hooks()) as session:
        nothing: Any = None
        yield Daemon(session, nothing, nothing)


def pages(net: webs.Net) -> int:
    return len([hit for hit in net.hits if hit.target != "/robots.txt"])


# --- one pass --------------------------------------------------------------------------------------------


def test_a_day_sees_no_more_than_the_budget(archive: library.Archive, net: webs.Net) -> None:
    result = archive.refresh(budget=5)
    assert (result.exit, result.progress.visits, pages(net)) == (Exit.SIZE_LIMIT, 5, 5)
    later(archive, 0.5)
    assert archive.refresh(budget=5).exit is Exit.SIZE_LIMIT
    assert pages(net) == 5
    later(archive, 0.52)
    assert archive.refresh(budget=5).progress.visits == 5
    later(archive, 1.02)
    assert archive.refresh(budget=5).progress.visits >= 2
    assert spent(archive)[0] == pages(net)


def test_a_budget_of_less_than_one_fetch_a_day(archive: library.Archive, net: webs.Net) -> None:
    days = []
    for _ in range(8):
        days.append(archive.refresh(budget=0.34).progress.visits)
        later(archive, 1.01)
    assert days == [1, 0, 0, 1, 0, 0, 1, 0]


def test_no_budget_no_fetch(archive: library.Archive, net: webs.Net) -> None:
    assert archive.refresh(budget=0).exit is Exit.SIZE_LIMIT
    assert net.hits == []


def test_at_most_so_many_pages(archive: library.Archive, net: webs.Net) -> None:
    assert archive.refresh(3).exit is Exit.SIZE_LIMIT
    assert pages(net) == 3
    assert archive.refresh(500).exit is Exit.DONE
    assert pages(net) == PAGES


def test_a_crawl_counts_too(archive: library.Archive, net: webs.Net, village: Village) -> None:
    """Whoever crawls in the morning refreshes less in the afternoon."""
    village.pages["/extra"] = article("Extra.")
    before = spent(archive)[1]
    archive.crawl([net.url("a.test", "/extra")])
    assert spent(archive)[1] == before + 1
    assert archive.refresh(budget=5).progress.visits == 4


def test_the_command_says_what_is_wrong(archive: library.Archive) -> None:
    archive.close()
    for wrong in (("--budget", "-1"), ("--budget", "nan"), ("--pages", "-1"), ("--budget", "many")):
        done = CliRunner().invoke(cli, ["-C", str(archive.folder), "refresh", *wrong])
        assert done.exit_code != 0, wrong
        assert isinstance(done.exception, SystemExit | FieldmouseError), wrong


def test_an_empty_archive_says_so(tmp_path: Path, net: webs.Net) -> None:
    webs.archive(tmp_path / "empty", net).close()
    for command in ("refresh", "run"):
        done = CliRunner().invoke(cli, ["-C", str(tmp_path / "empty"), command])
        assert isinstance(done.exception, UsageError)
        assert "give seeds" in str(done.exception)
    told = CliRunner().invoke(cli, ["-C", str(tmp_path / "empty"), "status"])
    assert "no page has a refresh plan" in told.stdout


# --- the books -------------------------------------------------------------------------------------------

STEPS = st.lists(
    st.tuples(st.floats(0, 0.6 * DAY), st.integers(0, 40), st.booleans()), min_size=1, max_size=12
)


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> library.Archive:
    one = library.create(tmp_path_factory.mktemp("books") / "a", contact="me@example.org")
    one.import_urls(["http://a.test/"])
    return one


@settings(max_examples=20, deadline=None, derandomize=True)
@given(steps=STEPS, budget=st.sampled_from([0.0, 0.2, 0.5, 1.0, 2.7, 10.0, 33.0]))
def test_no_window_of_a_day_sees_more_than_the_budget(
    empty: library.Archive, steps: list[tuple[float, int, bool]], budget: float
) -> None:
    """Whenever it is asked, however much is wanted, and though it starts again from its books each time."""
    with database(empty) as db:
        db.execute("DELETE FROM spend")
    fetches, now = _played(empty, steps, budget)
    span, most = (DAY, int(budget)) if budget >= 1 else (DAY / (budget or 1), 1 if budget else 0)
    for end, _ in fetches:
        assert sum(n for when, n in fetches if end - span < when <= end) <= most
    assert now > 0


def _played(
    archive: library.Archive, steps: list[tuple[float, int, bool]], budget: float
) -> tuple[list[tuple[float, int]], float]:
    fetches, now = [], 1_800_000_000.0
    with contextlib.ExitStack() as stack:
        one = stack.enter_context(daemon(archive, budget=budget))
        for pause, wanted, restart in steps:
            now += pause
            if restart:
                stack.close()
                one = stack.enter_context(daemon(archive, budget=budget))
            taken = min(wanted, one.left(now))
            fetches.append((now, taken))
            one.due.db.many("add_spend", [(int(now // SLOT), taken, 0)])
    return fetches, now


def test_a_clock_set_back_gives_no_second_budget_and_blocks_none_for_ever(empty: library.Archive) -> None:
    now = 1_800_000_000.0
    with daemon(empty, budget=10) as one:
        one.due.db.db.execute("DELETE FROM spend")
        one.due.db.many("add_spend", [(int((now + 400 * DAY) // SLOT), 7, 1)])
        assert one.left(now) == 2
        assert one.left(now + 0.9 * DAY) == 2
        assert one.left(now + 1.1 * DAY) == 10
        one.due.db.db.execute("DELETE FROM spend")


def test_what_a_killed_worker_may_have_fetched_is_counted(archive: library.Archive) -> None:
    with daemon(archive, budget=100) as one:
        assert one.left(time.time()) == 100
        one.due.lease(time.time(), 200)
    with daemon(archive, budget=100) as one:
        assert one.left(time.time()) == 100 - PAGES
    with daemon(archive, budget=100) as one:
        assert one.left(time.time()) == 100 - PAGES, "once"
    with daemon(archive, budget=3) as one:
        assert one.left(time.time()) == 0


def test_discovery_has_a_share_and_refresh_gets_what_is_left(archive: library.Archive, net: webs.Net) -> None:
    now = time.time()
    with daemon(archive, budget=20, discovery=0.3) as one:
        assert one.left_to_refresh(now) == 20, "nothing is to be discovered"
        one.session.store.seed({"b.test": ["http://b.test/"]}, now)
        assert (one.left_to_refresh(now), one.left_to_discover(now)) == (14, 6)
        one.due.db.many("add_spend", [(int(now // SLOT), 10, 5)])
        assert (one.left_to_refresh(now), one.left_to_discover(now)) == (4, 1)
        one.due.db.many("add_spend", [(int(now // SLOT), 4, 0)])
        assert (one.left_to_refresh(now), one.left_to_discover(now)) == (0, 1)
        one.due.db.db.execute("UPDATE page SET due = ?, last_visit = ?", (now + DAY, now))
        one.due.db.db.execute("UPDATE spend SET refresh = refresh - 4")
        assert one.left_to_discover(now) == one.left(now) == 5, "nothing is due: all of the rest"
    with daemon(archive, budget=20, discovery=1.0) as one:
        assert one.left_to_refresh(now) == 0
    with daemon(archive, budget=20, discovery=0.0) as one:
        assert one.left_to_refresh(now) == 5


# --- the price -------------------------------------------------------------------------------------------


def test_the_price_rises_with_pages_and_falls_with_the_budget(archive: library.Archive) -> None:
    """Every copy is a day old; the fewer turns there are, the more the last of them is worth."""
    prices, now = [], time.time()
    for budget in (4, 12, 40):
        with daemon(archive, budget=budget, discovery=0.0, forecast=False) as one:
            one.due.db.db.execute("UPDATE page SET last_visit = ?, rate = id * 0.1", (now - DAY,))
            one.scheduler.allocate(now, 0.25, budget // 4)
            prices.append(one.session.planner.price)
    assert prices[0] > prices[1] > prices[2] > 0.0


def test_a_restart_changes_nothing(archive: library.Archive) -> None:
    """The same turns at the same price, in one run or in many."""
    start, found = time.time(), []
    plain = "SELECT id, due, last_visit FROM page ORDER BY id"
    kept = asked(archive, plain)
    for restarts in (False, True):
        with contextlib.ExitStack() as stack:
            one = stack.enter_context(daemon(archive, budget=8, discovery=0.0))
            one.due.db.db.execute("DELETE FROM property WHERE name IN ('price', 'price_time')")
            one.due.db.db.executemany("UPDATE page SET due = ?2, last_visit = ?3 WHERE id = ?1", kept)
            stack.close()
            one = stack.enter_context(daemon(archive, budget=8, discovery=0.0))
            for hour in range(0, 30, 2):
                now = start + hour * 3600
                one._allocate(now, 0.25)
                visited = "UPDATE page SET last_visit = ?1, due = ?1 + 86400 * id WHERE due <= ?1"
                one.due.db.db.execute(visited, (now,))
                if restarts:
                    stack.close()
                    one = stack.enter_context(daemon(archive, budget=8, discovery=0.0))
            pages = one.due.db.db.execute(plain).fetchall()
            found.append((one.session.planner.price, one.scheduler.last, pages))
    assert found[0] == found[1]
    assert found[0][2] != kept


def test_what_was_learned_of_rates_survives_a_restart(archive: library.Archive) -> None:
    assert archive.refresh().exit is Exit.DONE
    with daemon(archive) as one:
        one.scheduler.allocate(time.time(), 0.25, 1)
        learned = one.session.planner.rate_prior
        assert learned != default_prior(), "visits told something"
    with daemon(archive) as again:
        assert again.session.planner.rate_prior == learned


def test_after_a_pause_fetches_are_spread(archive: library.Archive) -> None:
    """Everything is due after a month's sleep: a day's worth has its turn soon, the rest later."""
    later(archive, -90)
    with daemon(archive, budget=5, discovery=0.0) as one:
        now = time.time()
        one.due.db.db.execute("UPDATE page SET due = ?", (now - DAY,))
        one._allocate(now, 0.25)
        assert one.due.due_count(now) < 5
        assert one.due.due_count(now + 0.249 * DAY) == 5
        assert one.due.due_count(now + DAY) == PAGES


def test_the_floor_gives_every_page_a_visit(archive: library.Archive) -> None:
    """An even division would visit each page every second day; a tenth of that is a visit in 20 days."""
    later(archive, -90)
    with daemon(archive, budget=6, discovery=0.0, floor=0.1, longest=90) as one:
        now = time.time()
        one.due.db.db.execute("UPDATE page SET weight = id > 1, rate = 0.1, due = ?1 + 9e6", (now,))
        one.due.db.db.execute("UPDATE page SET last_visit = ?1 - 86400 * (2 + 17 * (id = 1))", (now,))
        one.scheduler.allocate(now, 0.25, 1)
        turn = asked(archive, "SELECT id FROM page WHERE due < unixepoch() + 86400 / 4")
        assert [id_ for (id_,) in turn] == [1], (
            "it weighs nothing, and its copy is older than the floor lets it"
        )


def test_a_clock_set_back_begins_a_new_period(archive: library.Archive) -> None:
    with daemon(archive, budget=4) as one:
        now = time.time()
        one.scheduler.allocate(now + 30 * DAY, 0.25, 1)
        assert one.scheduler.is_over(now)
        one._allocate(now, 0.25)
        assert one.scheduler.last is not None
        assert one.scheduler.last.time == now
        assert not one.scheduler.is_over(now + 60)


def test_the_first_price_follows_the_number_of_pages(tmp_path: Path, net: webs.Net) -> None:
    """After a crawl of many pages on a small budget the pages are not due within the hour."""
    archive = webs.archive(tmp_path / "b", net, budget=0.5, audit=0.0)
    archive.crawl([net.url("a.test")])
    days = [(when - time.time()) / DAY for (when,) in asked(archive, "SELECT due FROM page ORDER BY id")]
    assert days == sorted(days)
    assert days[-1] > PAGES
    archive.close()


def test_a_sample_is_visited_though_the_day_has_one_fetch_left(archive: library.Archive) -> None:
    """All pages are long overdue, and the budget pays for one: the one that was drawn."""
    for visits in (1, 2, 3):
        assert archive.refresh(pages=1, audit=1.0, budget=100).exit is Exit.SIZE_LIMIT
        assert asked(archive, "SELECT count(*) FROM audit") == [(visits,)]
        assert spent(archive)[0] == visits


# --- the daemon ------------------------------------------------------------------------------------------


@contextlib.contextmanager
def running(archive: library.Archive, *args: str) -> Iterator[subprocess.Popen[str]]:
    archive.close()
    process = subprocess.Popen(
        webs.command("-C", archive.folder, "run", "-q", *args),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        assert process.stdout is not None
        process.stdout.close()


def wait_for(process: subprocess.Popen[str], net: webs.Net, count: int) -> None:
    until(lambda: pages(net) >= count or process.poll() is not None, f"{count} pages are requested")
    assert process.poll() is None


def awake(process: subprocess.Popen[str]) -> None:
    """Wait until it takes SIGTERM, and a moment more in which it could do something."""
    status = Path(f"/proc/{process.pid}/status")

    def handles() -> bool:
        caught = re.search(r"SigCgt:\s*(\w+)", status.read_text())
        return caught is not None and bool(int(caught[1], 16) >> (signal.SIGTERM - 1) & 1)

    until(handles, "a handler of SIGTERM")
    time.sleep(0.7)


def ended(process: subprocess.Popen[str]) -> int:
    process.send_signal(signal.SIGTERM)
    code = process.wait(120)
    assert process.stdout is not None
    assert "Traceback" not in process.stdout.read()
    return code


def test_the_daemon_spends_its_day_drains_and_goes_on(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    """Refresh and discovery by their shares, over a stop, a kill and two starts; then another day."""
    village.pages |= {f"/new{n}": article(f"New page {n}.") for n in range(20)}
    archive.import_urls(net.url("a.test", f"/new{n}") for n in range(20))
    budget = ("--budget", "10", "--set", "refresh.discovery=0.4")
    before = spent(archive)[1]
    with running(archive, *budget) as process:
        wait_for(process, net, 10)
        time.sleep(0.4)
        assert ended(process) == Exit.STOPPED
    assert pages(net) == 10
    assert spent(archive) == (6, before + 4)
    with running(archive, *budget) as process:
        awake(process)
        assert ended(process) == Exit.STOPPED
    assert pages(net) == 10, "the day is over"
    later(archive, 1.05)
    with running(archive, *budget) as process:
        wait_for(process, net, 20)
        process.kill()
        process.wait()
    assert pages(net) == 20
    assert archive.check().problems == []


def test_a_stop_in_the_middle_of_a_pass_commits_what_is_under_way(
    archive: library.Archive, net: webs.Net, village: Village
) -> None:
    village.answers |= {
        path: (1.0, webs.site({path: body})(_asking(path))) for path, body in village.pages.items()
    }
    with running(archive) as process:
        wait_for(process, net, 3)
        assert ended(process) == Exit.STOPPED
    requested = pages(net)
    assert 3 <= requested < PAGES
    assert spent(archive)[0] == requested, "whatever was answered is committed"
    assert archive.check().problems == []
    village.answers.clear()
    with running(archive) as process:
        wait_for(process, net, PAGES)
        assert ended(process) == Exit.STOPPED
    assert pages(net) == PAGES


def _asking(path: str) -> Any:
    from tests.servers import Request

    return Request(f"GET {path} HTTP/1.1\r\n\r\n".encode())


def test_the_daemon_is_idle_while_all_hosts_rest(archive: library.Archive, net: webs.Net) -> None:
    """Pages that are due on a host that rests are no reason to wake up, or to draw others."""
    with database(archive) as db:
        db.execute("UPDATE host SET ready_at = ?", (time.time() + 3600,))
    with running(archive, "--set", "refresh.audit=1.0") as process:
        awake(process)
        assert ended(process) == Exit.STOPPED
    assert net.hits == []


def test_the_daemon_wakes_up_when_a_page_comes_due(archive: library.Archive, net: webs.Net) -> None:
    with database(archive) as db:
        db.execute("UPDATE page SET due = ?, last_visit = ?", (time.time() + DAY, time.time()))
        db.execute("UPDATE page SET due = ? WHERE id = 2", (time.time() + 2.5,))
        db.execute("INSERT INTO property VALUES ('price', '1.0'), ('price_time', ?)", (str(time.time()),))
    with running(archive) as process:
        wait_for(process, net, 1)
        assert ended(process) == Exit.STOPPED
    assert pages(net) == 1


def test_the_daemon_ends_when_the_disk_is_nearly_full(archive: library.Archive, net: webs.Net) -> None:
    with running(archive, "--set", f"archive.min_free={2**60}") as process:
        assert process.wait(120) == Exit.DISK_LIMIT
    assert archive.check().problems == []


def test_a_second_signal_ends_at_once(archive: library.Archive, net: webs.Net, village: Village) -> None:
    village.answers |= dict.fromkeys(village.pages, (300.0, b""))
    with running(archive) as process:
        until(lambda: net.under_way, "a request is under way")
        deliver(process.pid, signal.SIGTERM)
        os.kill(process.pid, signal.SIGTERM)
        assert process.wait(120) == Exit.FORCED
    assert archive.check().problems == []


# --- what other settings, releases and clocks left -------------------------------------------------------


def test_pages_of_an_archive_from_before_there_were_plans(archive: library.Archive, net: webs.Net) -> None:
    with database(archive) as db:
        db.execute("UPDATE page SET due = NULL, rate = NULL")
        db.execute("DELETE FROM property WHERE name IN ('adopted', 'longest')")
    assert archive.refresh().progress.stored == PAGES


def test_a_shorter_longest_age_holds_for_pages_planned_before(archive: library.Archive) -> None:
    now = time.time()
    with database(archive) as db:
        db.execute("UPDATE page SET due = ?, last_visit = ?", (now + 80 * DAY, now - 5 * DAY))
    for longest, expected in ((90.0, 80), (30.0, 25), (90.0, 25)):
        with daemon(archive, longest=longest):
            pass
        rows = asked(archive, "SELECT DISTINCT round((due - ?) / 86400) FROM page", now)
        assert rows == [(expected,)]


def test_due_times_of_a_wrong_clock_are_repaired(archive: library.Archive) -> None:
    later(archive, -4000)
    with database(archive) as db:
        db.execute("UPDATE host SET ready_at = ?", (time.time() + 4000 * DAY,))
    with daemon(archive) as one:
        now = time.time()
        assert one.due.due_count(now + 91 * DAY) == PAGES
        assert one.due.next_due(now) is not None
