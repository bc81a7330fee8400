import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fieldmouse.errors import UsageError
from fieldmouse.refresh.barbosa2005_tables import tables
from fieldmouse.refresh.change_history import History, RecordedPage, load
from fieldmouse.refresh.policies import KNOWN_RATES, POLICIES, Uniform
from fieldmouse.refresh.replay import (
    ReplayRun,
    ReplaySetup,
    held_out_pages,
    policy_input,
    replay,
    replay_budgets,
    replay_world,
)
from fieldmouse.refresh.replay_plot import plot
from fieldmouse.refresh.static_classifier import Training

from .made import history

QUICK = ReplaySetup(budget=0.05, days=120, warmup=120)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    return load(history(tmp_path_factory.mktemp("history")))


@pytest.fixture(scope="module")
def report(recorded):
    return replay(recorded, list(POLICIES), QUICK)


def test_every_policy_spends_the_same_budget(report):
    assert [score.policy for score in report.scores] == list(POLICIES)
    assert {score.fetches for score in report.scores} == {round(0.05 * 96 * 120)}
    for score in report.scores:
        assert 0 < score.freshness < 1
        assert score.low <= score.freshness <= score.high
        assert score.stale == pytest.approx(1 - score.freshness)
        assert 0 <= score.wasted <= score.fetches
        assert score.age_days > 0
        assert score.weighted_freshness == pytest.approx(score.freshness)


def test_the_default_is_ahead_of_every_published_policy(report):
    """`live` is ours too, and may be ahead here: these few pages change mostly each by itself."""
    fresh = {score.policy: score.freshness for score in report.scores}
    others = [value for name, value in fresh.items() if name not in ("default", "live", *KNOWN_RATES)]
    assert min(fresh["default"], fresh["live"]) > max(others)


def test_the_report_is_plain(report):
    found = json.loads(json.dumps(report.to_json()))
    assert {
        "policy", "budget", "freshness", "weighted_freshness", "age_days", "fetches", "wasted", "low", "high",
    } <= set(found["policies"][0])  # fmt: skip


def test_stale_shares_are_compared_with_the_optimum(recorded, report):
    best = next(score.stale for score in report.scores if score.policy == "optimum")
    told = {one["policy"]: one["ratio"] for one in report.to_json()["policies"]}
    assert told["optimum"] == 1.0
    assert told["uniform"] == pytest.approx(
        next(s.stale for s in report.scores if s.policy == "uniform") / best
    )
    assert replay(recorded, ["uniform"], QUICK).ratios() == [None], "there was no optimum"


def test_notes_say_what_policies_know(recorded):
    assert set(KNOWN_RATES.values()) < set(replay(recorded, tuple(KNOWN_RATES), QUICK).notes)
    assert not set(KNOWN_RATES.values()) & set(replay(recorded, ["uniform"], QUICK).notes)


def test_pages_that_were_too_fast_are_visited_again(tmp_path):
    """Half of the pages differ at every fetch for a year and then rest; who gave them up has them stale."""
    rng, year = np.random.default_rng(1), 365.0
    wild = [tuple(np.arange(0.1 + place / 100, year, 0.2).tolist()) for place in range(20)]
    calm = [tuple(np.sort(rng.uniform(0, 2 * year, rng.poisson(15))).tolist()) for _ in range(20)]
    pages = [RecordedPage(f"s{place % 8}", f"p{place}", "", 0.0, 2 * year, 2 * year) for place in range(40)]
    found = History(tmp_path, tuple(pages), (*wild, *calm), "bytes")
    fresh = [
        score.freshness for score in replay(found, ["default", "uniform"], ReplaySetup(static=False)).scores
    ]
    assert fresh[0] > fresh[1] > 0.7


def test_a_replay_repeats(recorded, report):
    again = replay(recorded, ["default"], QUICK)
    assert again.scores[0].freshness == report.scores[0].freshness


def test_held_out_sites_are_whole(recorded):
    setup = ReplaySetup(holdout=0.33, seed=2)
    played, note = held_out_pages(recorded, setup)
    sites = {recorded.pages[place].site for place in played}
    assert all(page.site not in sites or place in set(played) for place, page in enumerate(recorded.pages))
    assert 0.3 <= len(played) / 96 <= 0.5
    assert "sites" in note
    found = replay(
        recorded, ["paper", "default"], ReplaySetup(budget=0.1, days=100, warmup=100, holdout=0.33)
    )
    assert any("static classifier trained" in note for note in found.notes)


def test_weights_count(recorded):
    weights = {(page.site, page.page): 10.0 for page in recorded.pages[:10]}
    found = replay(
        recorded, ["default", "nutch"], ReplaySetup(budget=0.02, days=100, warmup=60, weights=weights)
    )
    assert found.scores[0].weighted_freshness > found.scores[0].freshness


@pytest.mark.parametrize(
    ("policies", "setup", "told"),
    [
        (["best"], ReplaySetup(), "no policy 'best'"),
        ([], ReplaySetup(), "at least one"),
        (["uniform"], ReplaySetup(budget=0), "share of the pages"),
        (["uniform"], ReplaySetup(days=0), "days must be"),
    ],
)
def test_nonsense_is_refused(recorded, policies, setup, told):
    with pytest.raises(UsageError, match=told):
        replay(recorded, policies, setup)


def alone(tmp_path, changes, budget, days=10.0):
    """One page from day 0 to `days`, visited by turns."""
    page = RecordedPage("s", "p", "", 0.0, days, days)
    found = History(tmp_path, (page,), (tuple(changes),), "bytes")
    setup = ReplaySetup(budget=budget, days=days, warmup=0, static=False)
    world = replay_world(found, [0], setup)
    return ReplayRun(world, Uniform(policy_input(world, Training(), setup)), setup).run()


def test_freshness_by_hand(tmp_path):
    """Fetched at the end of each day: stale from 2.25 to 3 and from 6.5 to 7, two changes missed as one."""
    course = alone(tmp_path, [2.25, 6.5, 6.75], 1.0)
    assert course.stale[0] == pytest.approx(0.75 + 0.5)
    assert course.aged[0] == pytest.approx(0.75**2 / 2 + 0.5**2 / 2)
    assert (course.fetches, course.wasted) == (10, 8)


def test_never_fetched_stays_stale(tmp_path):
    course = alone(tmp_path, [4.0], 0.01)
    assert course.stale[0] == pytest.approx(6)
    assert course.fetches == 0


def test_a_policy_sees_only_its_own_visits(recorded):
    """What policies are told: at most one visit a page at a time, each since its own last one."""
    told = []

    class Spy(Uniform):
        def learn(self, visits):
            assert len(set(visits.page.tolist())) == len(visits.page)
            assert np.array_equal(visits.before, self.last[visits.page])
            told.append(visits)

    world = replay_world(recorded, range(96), QUICK)
    ReplayRun(world, Spy(policy_input(world, Training(), QUICK)), QUICK).run()
    truth = dict.fromkeys(range(96), 0)
    for page in world.changed_page.tolist():
        truth[page] += 1
    seen = dict.fromkeys(range(96), 0)
    for visits in told:
        for page, changed in zip(visits.page.tolist(), visits.changed.tolist(), strict=True):
            seen[page] += changed
    assert all(seen[page] <= truth[page] for page in truth)
    assert 0 < sum(seen.values()) < sum(truth.values())


def test_tables(recorded):
    found = tables(recorded)
    assert {row.table for row in found.rows} == {"1", "3", "5"}
    assert {row.split for row in found.rows} == {"pages", "sites"}
    assert all(0 <= row.error <= 100 for row in found.rows)
    guess = {row.what: row for row in found.rows if row.table == "3" and row.split == "pages"}
    assert guess["J48"].published == 25.64
    assert guess["J48"].error < guess["random"].error
    assert "J48 + historic" in found.text()
    json.dumps(found.to_json())


def test_tables_need_pages(tmp_path):
    with pytest.raises(UsageError, match="only"):
        tables(load(history(tmp_path, sites=1, pages=3)))


def test_a_plot_is_drawn(recorded, tmp_path):
    found = replay_budgets(
        recorded, ["uniform", "default"], (0.02, 0.05), ReplaySetup(days=60, warmup=30, static=False)
    )
    plot(found, tmp_path / "out.html")
    text = (tmp_path / "out.html").read_text("utf-8")
    assert text.count("<svg") == 3
    assert text.count("<polyline") == 6
    assert "<script" not in text


def test_names_in_the_legend_have_room_and_a_colour_each(report, tmp_path):
    plot(report, tmp_path / "out.html")
    text = (tmp_path / "out.html").read_text("utf-8")
    names = re.findall(r'<text x="(\d+)" y="(\d+)" fill="(#\w+)">([\w-]+)</text>', text)
    assert [name for *_, name in names] == list(POLICIES)
    assert len({colour for *_, colour, _ in names}) == len(POLICIES)
    places = [(int(y), int(x), 7 * len(name)) for x, y, _, name in names]
    assert all(y < 56 for y, *_ in places), "above the picture"
    for (y, x, wide), (below, beside, _) in pairwise(places):
        assert below > y or x + wide < beside


def test_what_the_optimum_knows_does_not_depend_on_the_length_of_the_record() -> None:
    """Changes before its window of three years, or before changes were recorded, do not count."""
    year = 365.0
    changes = (tuple(n * year / 10 for n in range(1, 71)), (7.5 * year,), (9.5 * year,))
    pages = (
        RecordedPage("s", "a", "", 0.0, 10 * year, 10 * year),
        RecordedPage("s", "b", "", 0.0, 10 * year, 10 * year),
        RecordedPage("s", "c", "", 0.0, 10 * year, 10 * year, 9 * year),
    )
    history = History(Path("h"), pages, changes, "content")
    world = replay_world(history, [0, 1, 2], ReplaySetup(days=year, warmup=year))
    assert world.rates.tolist() == pytest.approx([0.0, 1 / (3 * year), 1 / year])


def test_a_history_shorter_than_the_replay_says_so() -> None:
    page = RecordedPage("s", "p", "", 0.0, 100.0, 100.0)
    history = History(Path("h"), (page,), ((50.0,),), "content")
    notes = " ".join(replay(history, ["uniform"], ReplaySetup(days=365, warmup=0)).notes)
    assert "100 days measured" in notes
    assert "the history is shorter than the 365 days of the replay" in notes
