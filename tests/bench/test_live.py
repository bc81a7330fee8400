"""A live run in small: the daemon keeps a web fresh whose truth is known, and spends its budget on it."""

import json
import random
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean

import pytest
import zstandard

from bench.live import Terms, recorded, town, world
from fieldmouse import library

TEXT = "The ferry leaves the quay at dawn and comes back at noon with the market women and their fish."
WORDS = ("amber", "birch", "cobalt", "damson", "ember", "fennel", "ginger", "hazel", "indigo", "juniper")


def stored(folder: Path, rows: list[dict[str, object]]) -> Path:
    """A recording."""
    folder.mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in rows).encode()
    (folder / "replay.jsonl.zst").write_bytes(zstandard.compress(lines))
    return folder


def test_a_town_is_kept_fresh_within_its_budget(tmp_path: Path) -> None:
    run = town(tmp_path / "a", Terms(days=9, share=0.12), pinned=20)
    found = run.figures()
    assert run.most_in_a_day <= run.budget
    assert run.fetches_a_day >= 0.8 * run.budget, "what is not spent is lost"
    assert found["pages"] >= 200
    assert 0.75 < found["true"] < 1.0


def test_the_estimate_is_right(tmp_path: Path) -> None:
    """Pages that change at random: the truth lies within the bounds, and no day exceeds the budget.

    Wrong rates are noticed: rates that are wrong by a factor put the truth outside. A web has 39
    pages, and which of them are audited is drawn at random: single webs differ, so six are taken together.
    """
    random.seed(1)
    kept = []
    for seed in (1, 3, 4, 5, 6, 2):
        run = world(tmp_path / f"{seed}", Terms(days=20, share=0.16), "even", hosts=3, seed=seed)
        assert run.most_in_a_day <= run.budget
        assert run.fetches_a_day >= 0.9 * run.budget
        kept += [one for one in run.looks if one.day >= 7]
    true, estimated = (fmean(getattr(one, name) for one in kept) for name in ("true", "estimated"))
    assert 0.6 < true < 0.95, "or there is nothing to estimate"
    assert estimated == pytest.approx(true, abs=0.08)
    assert fmean(one.low <= one.true <= one.high for one in kept) >= 0.85
    assert fmean(one.high - one.low for one in kept) < 0.45, "bounds that say nothing are always right"
    last = run.looks[-1]
    with library.open(tmp_path / "2") as archive:
        end = archive.query("SELECT max(time) FROM visit")[1].__next__()[0]
        reported = archive.freshness(end)
        with closing(sqlite3.connect(tmp_path / "2" / "fieldmouse.sqlite", isolation_level=None)) as db:
            db.execute("UPDATE page SET rate = rate * 20")
            db.execute("DELETE FROM forecast")
        wrong = archive.freshness(end)
    assert reported.estimated == pytest.approx(last.estimated, abs=0.05)
    assert wrong.high is not None
    assert wrong.high < last.true


@pytest.mark.parametrize("forecast", [True, False])
def test_no_copy_gets_too_old_and_no_page_starves(tmp_path: Path, forecast: bool) -> None:
    """Pages that change all the time are worth no fetch, and still none gets older than it may."""
    longest, days = 5.0, 16.0
    terms = Terms(
        days=days, share=0.3, forecast=forecast, settings={"refresh.longest": longest, "refresh.audit": 0.0}
    )
    run = world(tmp_path / "a", terms, "fast", hosts=2)
    assert run.most_in_a_day <= run.budget
    with library.open(tmp_path / "a") as archive:
        sql = "SELECT page, max(gap), count(*) FROM visit WHERE status IN (200, 304) GROUP BY page"
        rows = list(archive.query(sql)[1])
    assert len(rows) == run.pages == 26
    assert max(gap for _, gap, _ in rows) <= longest * 86400
    assert max(gap for _, gap, _ in rows) > 0.5 * longest * 86400, "or nobody was kept waiting"
    assert min(count for _, _, count in rows) > days / longest


def test_recorded_snapshots_are_served_and_kept_fresh(tmp_path: Path) -> None:
    """Two pages of one host: one changes every second day, one never, though its bytes do."""
    rows: list[dict[str, object]] = []
    for page, every in (("News", 2), ("Terms", 1000)):
        for day in range(20):
            word = "abcdefghijklmnop"[day // every % 16] * 9
            changed, time = int(day % every == 0), f"2024-06-{day + 1:02}T00:00:00Z"
            row = {"site": "quay", "page": page, "url": f"https://quay.example/{page}", "kind": "M"}
            html = f"<h1>{page}</h1><p>{TEXT}</p><p>Edition {word} came out.</p>"
            rows.append({**row, "time": time, "content_changed": changed, "html": html})
    data = stored(tmp_path / "data", rows)
    run = recorded(tmp_path / "a", Terms(days=10, share=1.0), data)
    assert run.pages == 3, "with the list that leads to them"
    assert run.most_in_a_day <= run.budget == 2
    assert 0.5 < float(str(run.figures()["true"])) <= 1.0


def crowds(days: int, seed: int = 2) -> list[dict[str, object]]:
    """Snapshots of ten hosts; all pages of a host change at the same moments, every few weeks."""
    chance = random.Random(seed)
    rows: list[dict[str, object]] = []
    for host in range(10):
        edited = [0.0]
        while edited[-1] < days:
            edited.append(edited[-1] + chance.expovariate(1 / 15))
        for page in range(6):
            for edition, day in enumerate(edited):
                when = datetime(2024, 6, 1, tzinfo=UTC) + timedelta(days=day)
                text = f"<p>{TEXT}</p><p>Edition {WORDS[edition]} of berth {WORDS[page]} is out.</p>"
                rows.append(
                    {
                        "site": f"quay{host}", "page": f"Berth{page}", "kind": "M", "html": text,
                        "url": f"https://quay{host}.example/{page}",
                        "time": when.strftime("%Y-%m-%dT%H:%M:%SZ"), "content_changed": int(edition > 0),
                    }
                )  # fmt: skip
    return rows


@pytest.mark.slow
def test_pages_that_change_together_are_found_together(tmp_path: Path) -> None:
    """One page found changed makes its siblings due; who takes each page by itself comes later.

    Which pages are audited is drawn at random and sways a single run, so this is the mean of several.
    """
    fresh = {True: 0.0, False: 0.0}
    for seed in (1, 2, 3, 4):
        data = stored(tmp_path / f"data{seed}", crowds(30, seed))
        for forecast in fresh:
            run = recorded(tmp_path / f"{seed}{forecast}", Terms(days=30, share=0.1, forecast=forecast), data)
            fresh[forecast] += float(str(run.figures()["true"])) / 4
    assert fresh[True] > fresh[False], fresh
