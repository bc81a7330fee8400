import re
from dataclasses import replace
from pathlib import Path

import pytest

from bench import floors
from bench.refresh import CALM, CALM_SITES, DRAWS, calm_site, drawn, figures, histories
from fieldmouse.refresh.change_history import History, RecordedPage
from fieldmouse.refresh.replay import ReplaySetup, replay
from fieldmouse.refresh.static_classifier import Training


def line(policy, *, weighted=False, ratio=1.1):
    return {
        "history": "site",
        "weighted": weighted,
        "policy": policy,
        "budget": 0.03,
        "ratio": ratio,
        "hindsight_ratio": 1.3,
        "weighted_freshness": 0.9,
    }


def test_only_the_default_has_floors():
    found = figures(
        [line("default"), line("default", weighted=True, ratio=1.0), line("optimum"), {"pages": 9}]
    )
    assert found == {
        "refresh.site_3_ratio": 1.1,
        "refresh.site_3_hindsight_ratio": 1.3,
        "refresh.site_3_fresh": 0.9,
        "refresh.site_3_weighted_ratio": 1.0,
        "refresh.site_3_weighted_hindsight_ratio": 1.3,
        "refresh.site_3_weighted_fresh": 0.9,
    }


def test_the_floors_are_of_figures_that_are_measured():
    names = [name for name in floors.load() if name.startswith("refresh.")]
    assert len(names) == 90
    for name in names:
        assert re.fullmatch(r"refresh\.\w+_(1|3|10)(_weighted)?_((hindsight_)?ratio|fresh)", name)


def test_ties_are_drawn_several_times():
    pages = tuple(RecordedPage("s", f"p{n}", "", 0.0, 60.0, 60.0) for n in range(12))
    history = History(Path("made"), pages, tuple((10.0 + n, 30.0 + n) for n in range(12)), "bytes")
    setup = ReplaySetup(budget=0.1, days=40.0, warmup=20.0, static=False)
    plays = [
        replay(history, ["default"], replace(setup, seed=1 + n), Training()).scores[0] for n in range(DRAWS)
    ]
    found = drawn(plays[0], history, setup, Training())
    assert found.stale == pytest.approx(sum(one.stale for one in plays) / DRAWS)
    assert found.fetches == plays[0].fetches


def test_the_calm_site_is_played_without_data():
    (history,) = histories(None, ())
    assert history.folder.name == CALM
    assert history == calm_site()
    busy = [changes for changes in history.changes if changes]
    assert (len(history.pages), len(busy)) == (158, 14)
    assert all(3 * 52 / 3 < len(changes) < 3 * 52 * 3 for changes in busy)
    assert not list(histories(None, ["another"]))


def test_on_a_calm_site_the_default_is_ahead_of_proportional():
    """Only if it soon stops to fetch pages that never changed, whatever it learned from the others."""
    setup = ReplaySetup(budget=0.03, days=180.0, warmup=180.0, static=False)
    default, proportional = replay(calm_site(2), ["default", "proportional"], setup).scores
    assert default.fetches == proportional.fetches
    assert default.stale < proportional.stale


def test_further_calm_sites_are_drawn():
    made = [calm_site(seed) for seed in CALM_SITES]
    assert [calm_site(seed) for seed in CALM_SITES] == made
    assert len({one.folder.name for one in made}) == len(made)
    for one in made:
        busy = sum(map(bool, one.changes))
        assert 60 <= len(one.pages) <= 600
        assert 0.01 * len(one.pages) < busy <= 0.26 * len(one.pages)
