"""The floors: the file is well formed, a worse figure fails, and a floor never gets worse."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench.__main__ import best, calls, judged, options, table
from bench.figures import figures, named, template_figures
from bench.floors import FILE, Floor, compare, load, raised, save
from bench.parts import PARTS
from bench.peers import OURS, Row
from bench.scale import Plan, measure, share
from bench.webs import ROOTS

LOWER = Floor(value=2.0, unit="s", better="lower", tolerance=0.25, date="2026-01-01", what="a time")
HIGHER = Floor(value=10.0, unit="×", better="higher", tolerance=0.1, date="2026-01-01", what="a ratio")
FLOORS = {"time": LOWER, "ratio": HIGHER}


def row(peer: str, cpu: float, limit: int = 0, pages: int = 1000) -> Row:
    return Row(
        peer=peer, web="docs", limit=limit, pages=pages, requests=pages, repeats=0, seconds=10.0, cpu=cpu,
        peak_mb=50, complete=100.0, warc=peer == OURS, code=0, load=0.5,
    )  # fmt: skip


def test_the_file_is_well_formed() -> None:
    floors = load()
    assert {"docs.cpu_per_1000", "docs.complete", "wide.cpu_per_1000", "wide.complete"} <= floors.keys()
    assert {"scale.resident_mib", "scale.lease_p99_ms", "page.parse_again_over_stored"} <= floors.keys()
    assert all(one.unit and one.what and len(one.date) == 10 for one in floors.values())
    assert list(json.loads(FILE.read_text("utf-8"))) == sorted(floors)


def test_the_file_keeps_what_was_promised() -> None:
    """The targets of the project, as limits on what may be pinned."""
    floors = load()
    assert floors["docs.cpu_per_1000"].value <= 1.2
    assert floors["docs.complete"].value == floors["wide.complete"].value == 100.0
    assert floors["scale.resident_mib"].value < 400
    assert floors["scale.lease_p99_cpu_ms"].value < 5


@pytest.mark.parametrize(
    "broken", [{"better": "more"}, {"tolerance": 1.0}, {"tolerance": -0.1}, {"value": -1.0}]
)
def test_a_floor_that_means_nothing_is_refused(broken: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="no floor"):
        replace(LOWER, **broken)


def test_figures_within_the_tolerance_pass() -> None:
    assert compare({"time": 2.5, "ratio": 9.0}, FLOORS) == []
    assert compare({"time": 0.1, "ratio": 99.0}, FLOORS) == []
    assert compare({"something else": 1.0}, FLOORS) == []


def test_a_worse_figure_fails_and_says_so() -> None:
    [time] = compare({"time": 2.51, "ratio": 10.0}, FLOORS)
    assert time.startswith("time: 2.51 s, the floor is 2 (lower is better")
    [ratio] = compare({"time": 2.0, "ratio": 8.9}, FLOORS)
    assert ratio.startswith("ratio: 8.9 ×")


def test_floors_only_get_better(tmp_path: Path) -> None:
    better = raised({"time": 1.0, "ratio": 12.0}, FLOORS, "2026-02-02")
    assert (better["time"].value, better["ratio"].value) == (1.0, 12.0)
    assert {one.date for one in better.values()} == {"2026-02-02"}
    assert raised({"time": 2.1, "ratio": 9.9}, FLOORS, "2026-02-02") == FLOORS
    save(better, tmp_path / "floors.json")
    assert load(tmp_path / "floors.json") == better


def test_like_is_compared_with_like() -> None:
    """A peer that crawls 3000 pages is held against our crawl of 3000 pages, not of the whole web."""
    assert calls(["scrapy", "wget"], None) == [(OURS, 0), (OURS, 3000), ("scrapy", 3000), ("wget", 0)]
    assert calls(["scrapy", "wget"], 50) == [(OURS, 50), (OURS, 0), ("scrapy", 50), ("wget", 0)]
    rows = [row(OURS, 1.0), row(OURS, 2.0, limit=3000), row("scrapy", 30.0, limit=3000), row("wget", 1.5)]
    found = figures({}, rows)
    assert found["docs.cpu_per_1000"] == 1.0
    assert found["docs.scrapy_over_ours_first_3000"] == 15.0
    assert found["docs.wget_over_ours"] == 1.5
    assert "| docs | scrapy | 1,000 | 100 | 30.00 | 15.0 | 50 | – | no |" in table(rows)


def test_the_cheapest_round_counts() -> None:
    assert best([row(OURS, 2.0), row("wget", 3.0), row(OURS, 1.0)]) == [row(OURS, 1.0), row("wget", 3.0)]


def test_every_part_can_be_asked_for() -> None:
    assert options(["--only", "scale", "--only", "page"]).only == ["scale", "page"]
    for part in PARTS:
        options(["--only", part])


def test_share() -> None:
    values = [float(n) for n in range(100, 0, -1)]
    assert (share(values, 0.5), share(values, 0.99), share(values, 1.0)) == (51.0, 100.0, 100.0)
    assert share([], 0.5) == 0.0


@pytest.mark.parametrize("estimator", ["bloom", "in-degree"])
def test_a_small_web_is_seen_whole(tmp_path: Path, estimator: str) -> None:
    """The scale part works on a web so small that it belongs to the gate."""
    plan = Plan(hosts=1000, links=10_000, leases=20, estimator=estimator)
    found = measure(tmp_path / "archive", plan)
    assert found["hosts"] == 1000
    assert found["ingest"]["links"] >= 10_000
    assert found["lease_1"]["calls"] == 20
    assert found["lease_16"]["calls"] == 5
    assert 0 < found["resident_mib"]["peak"] < 1000
    assert figures({"scale": found}, [])["scale_1000.cpu_us_per_link"] > 0


def test_figures_of_templates_are_those_that_were_measured() -> None:
    token = {"f1": 0.9}
    measured = {
        "align 5000 tokens ms": 2.0, "demo tokens": {"all hosts": token}, "large host": {"distil s": 1.0},
    }  # fmt: skip
    assert set(template_figures(measured)) == {
        "templates.align_5000_ms", "templates.demo_token_f1", "templates.distil_1000_pages_s",
    }  # fmt: skip
    sites = {"template and form": {"f1": 0.96}, "trafilatura": {"f1": 0.8}}
    content = {"big9_2005_2013": {"sites": sites}, "dragnet": {"form alone": {"f1": 0.7}}}
    storage = {"big9_2005_2013": {"saved": 90.0}}
    found = template_figures({**measured, "content": content, "storage": storage})
    assert found["templates.big9_f1_over_trafilatura"] == 1.2
    assert found["templates.dragnet_f1"] == 0.7
    assert template_figures({}) == {}
    assert {name for name in load() if name.startswith("templates.")} >= set(found)


def test_every_floor_belongs_to_a_part() -> None:
    assert {name.partition(".")[0] for name in load()} <= {*PARTS, *ROOTS} - {"crawl"}


def test_parts_run_smaller_are_not_held_against_floors() -> None:
    found = {"parked.found": 1.0, "noise.series_f1": 0.5, "noise.pairs_f1": 0.9, "focus.link_us": 1.0}
    assert named(found, options([])) == found
    smaller = named(found, options(["--websites", "900", "--each", "3", "--topics", "2"]))
    assert smaller.keys() == {
        "parked_900.found", "noise_3.series_f1", "noise.pairs_f1", "focus_2.link_us",
    }  # fmt: skip


def test_floors_not_measured_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    given = options(["--check"])
    assert judged(given, {"noise.pairs_f1": 1.0}, ["noise"], "2026-01-01") == []
    told = capsys.readouterr().err
    assert "1 of 5 floors" in told
    assert "noise.series_f1" in told
    assert judged(given, {"noise.pairs_f1": 0.1}, ["noise"], "2026-01-01")[0].startswith(
        "noise.pairs_f1: 0.1"
    )


def test_figures_of_refresh_have_the_names_of_their_floors() -> None:
    line = {"history": "w3c_wcag", "policy": "default", "weighted": True, "budget": 0.03}
    seen = {"ratio": 0.7, "hindsight_ratio": 0.8, "weighted_freshness": 0.98}
    found = figures({"refresh": [{**line, **seen}]}, [])
    assert found == {
        "refresh.w3c_wcag_3_weighted_ratio": 0.7,
        "refresh.w3c_wcag_3_weighted_hindsight_ratio": 0.8,
        "refresh.w3c_wcag_3_weighted_fresh": 0.98,
    }
    assert found.keys() <= load().keys()
