from bench import floors
from bench.refresh import figures


def line(policy, *, weighted=False, ratio=1.1):
    return {
        "history": "site",
        "weighted": weighted,
        "policy": policy,
        "budget": 0.03,
        "ratio": ratio,
        "weighted_freshness": 0.9,
    }


def test_only_the_default_has_floors():
    found = figures(
        [line("default"), line("default", weighted=True, ratio=1.0), line("optimum"), {"pages": 9}]
    )
    assert found == {
        "refresh.site_3_ratio": 1.1,
        "refresh.site_3_fresh": 0.9,
        "refresh.site_3_weighted_ratio": 1.0,
        "refresh.site_3_weighted_fresh": 0.9,
    }


def test_the_floors_are_of_figures_that_are_measured():
    names = [name for name in floors.load() if name.startswith("refresh.")]
    assert len(names) == 48
    for name in names:
        history, budget, *_ = name.removeprefix("refresh.").rsplit("_", 3 if "weighted" in name else 2)
        assert history
        assert budget in ("1", "3", "10")
