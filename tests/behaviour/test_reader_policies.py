"""Replays with readers: fresher where readers notice changes, the same as without where they do not."""

import gzip
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from fieldmouse.behaviour.reader_policies import reader_policies
from fieldmouse.behaviour.recorded_visits import RecordedVisits, history_decisions, read_visits
from fieldmouse.cli import cli
from fieldmouse.errors import ImportFailed
from fieldmouse.refresh.change_history import History, RecordedPage
from fieldmouse.refresh.replay import ReplaySetup, replay

START, DAYS, PAGES = 20_000.0, 150.0, 50


def history() -> History:
    """Pages that change at random, every 5 to 100 days."""
    rng = np.random.default_rng(2)
    pages, changes = [], []
    for number in range(PAGES):
        pages.append(RecordedPage("a.test", f"p{number}", "", START - 1, START + DAYS, START + DAYS))
        gaps = rng.exponential(1.0 / rng.uniform(0.01, 0.2), 400)
        times = START + np.cumsum(gaps)
        changes.append(tuple(times[times < START + DAYS].tolist()))
    return History(Path("made"), tuple(pages), tuple(changes), "content")


def visits(found: History, strength: float) -> RecordedVisits:
    """Three visits a day to each page, and more on the day after a change."""
    rng = np.random.default_rng(3)
    rows = []
    for number, changes in enumerate(found.changes):
        calm = rng.uniform(START, START + DAYS, rng.poisson(3 * DAYS))
        rise = [at + gap for at in changes for gap in rng.random(rng.poisson(3 * strength))]
        rows += [(number, time, rng.integers(50)) for time in (*calm, *rise)]
    table = np.array(rows)
    names = {(page.site, page.page): number for number, page in enumerate(found.pages)}
    return RecordedVisits(names, table[:, 0].astype(np.int64), table[:, 1], table[:, 2].astype(np.int64))


def freshness(strength: float) -> dict[str, float]:
    found = history()
    setup = ReplaySetup(
        budget=0.05, days=60.0, warmup=90.0, static=False, further=reader_policies(visits(found, strength))
    )
    report = replay(found, ["default", "index", "veto"], setup)
    assert len({score.fetches for score in report.scores}) == 1, "all spend the same budget"
    return {score.policy: score.freshness for score in report.scores}


def test_readers_who_notice_changes_keep_copies_fresher() -> None:
    found = freshness(8.0)
    assert found["index"] > found["default"] + 0.05
    assert found["veto"] > found["default"]


def test_readers_who_notice_nothing_change_nothing() -> None:
    found = freshness(0.0)
    assert found["index"] == pytest.approx(found["default"], abs=0.01)
    assert found["veto"] == pytest.approx(found["default"], abs=0.01)


def test_decisions_of_a_history_have_true_results_and_see_no_later_visit() -> None:
    made = history()
    read = visits(made, 8.0)
    some, start = history_decisions(made, read, gaps=(1.0, 10.0)), float(read.time.min())
    assert 0.05 < some.changed.mean() < 0.9
    for place in range(0, len(some.changed), 97):
        page = int(some.windows.page[place])
        last, now = (float(one[place]) + start for one in some.windows[1:])
        assert some.changed[place] == any(last < at <= now for at in made.changes[page])


def test_a_file_of_visits(tmp_path: Path) -> None:
    file = tmp_path / "visits.csv.gz"
    text = "site,page,time,user\na.test,p1,1728000000,u\na.test,p2,2024-10-04T00:00:00Z,v\n"
    file.write_bytes(gzip.compress(text.encode()))
    found = read_visits(file)
    assert (found.page.tolist(), found.time.tolist()) == ([0, 1], [20_000.0, 20_000.0])
    for bad, reason in (
        ("site,page\n", "line 1: the first line must be site,page,time,user"),
        ("site,page,time,user\na,b,yesterday,u\n", "line 2"),
        ("site,page,time,user\na,b,2024-10-04T00:00:00,u\n", "needs a time zone"),
        ("site,page,time,user\na,b\n", "line 2"),
        ("site,page,time,user\n", "has no visits"),
    ):
        file.write_text(bad, "utf-8")
        with pytest.raises(ImportFailed, match=reason):
            read_visits(file)


def test_policies_that_need_visits_say_so(tmp_path: Path) -> None:
    made = history()
    rows = ["site,page,change_time"]
    meta = ["site,page,first_seen,last_seen"]
    for page, changes in zip(made.pages, made.changes, strict=True):
        meta.append(f"a.test,{page.page},2024-10-03T00:00:00Z,2025-03-03T00:00:00Z")
        rows += [f"a.test,{page.page},{np.datetime64(int(at * 86400), 's')}Z" for at in changes]
    for name, lines in (("changes", rows), ("pages_meta", meta)):
        (tmp_path / f"{name}.csv.gz").write_bytes(gzip.compress("\n".join([*lines, ""]).encode()))
    run = CliRunner().invoke
    call = ["replay", str(tmp_path), "--days", "20", "--warmup", "20"]
    assert "needs visits of readers: give --visits FILE" in str(
        run(cli, [*call, "--policy", "veto"]).exception
    )
    some = visits(made, 3.0)
    file = tmp_path / "visits.csv"
    listed = zip(some.page.tolist(), some.time.tolist(), some.user.tolist(), strict=True)
    lines = [f"a.test,p{page},{time * 86400:.0f},{user}" for page, time, user in listed]
    file.write_text("\n".join(["site,page,time,user", *lines, ""]), "utf-8")
    done = run(cli, [*call, "--visits", str(file)], catch_exceptions=False)
    assert [line.split()[0] for line in done.stdout.splitlines()[:4]] == [
        "policy",
        "default",
        "veto",
        "index",
    ]
