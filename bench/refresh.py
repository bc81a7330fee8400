"""How fresh the default policy keeps copies against the others.

    python -m bench.refresh [--data FOLDER] [--budget 0.01 0.03 0.1] [--only NAME] [--check] [--json OUT]
    python -m bench.refresh --data FOLDER --tables
    python -m bench.refresh --calm

FOLDER holds histories in the common format, one folder each; `calm_site` is made up, and needs none. With
--calm eight further calm sites are played by the default and by `proportional`. Noise against content:
`bench/noise.py`; what it costs: `bench/refresh_cost.py`.
"""

import argparse
import hashlib
import json
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from fieldmouse.refresh.barbosa2005_tables import tables
from fieldmouse.refresh.change_history import History, RecordedPage, load
from fieldmouse.refresh.policies import KNOWN_RATES
from fieldmouse.refresh.replay import PolicyScore, ReplaySetup, replay, static_training_for
from fieldmouse.refresh.static_classifier import Training

from . import floors

POLICIES = ("default", "uniform", "proportional", "paper", "bayes", "nutch", "optimum", "hindsight")
BUDGETS = (0.01, 0.03, 0.1)
# The order of equal pages changes a figure by 5 to 10 %, so the default's is a mean over several.
DRAWS = 3
MEANS = ("freshness", "weighted_freshness", "stale", "changing_stale", "age_days")
CALM = "calm_site"
CALM_SITES = range(2, 10)  # seeds of further ones


class CalmSite(NamedTuple):
    """How a calm site is made."""

    pages: int = 158
    busy: int = 14  # pages that change
    days: float = 7.0  # between two changes of a typical one
    spread: float = 0.3  # of the logarithms of their rates

    @classmethod
    def drawn(cls, rng: random.Random) -> "CalmSite":
        """From 60 to 600 pages, of which 4 to 25 % change every 3 to 30 days."""
        pages = round(60 * 10 ** rng.random())
        busy = max(3, round(pages * rng.uniform(0.04, 0.25)))
        return cls(pages, busy, 3 * 10 ** rng.random(), rng.uniform(0.2, 1.0))


def calm_site(seed: int = 1) -> History:
    """A small site of which few pages change, each at random, the others never; recorded for three years.

    Which ones do is not told by their addresses. That of the first seed has 158 pages, of which 14 change
    about once a week; those of other seeds are drawn.
    """
    rng, end = random.Random(seed), 3 * 365.0
    made = CalmSite() if seed == 1 else CalmSite.drawn(rng)
    folders = ("about", "help", "news", "people", "work", "works/old")
    names = [f"{rng.choice(folders)}/{rng.getrandbits(24):06x}.html" for _ in range(made.pages)]
    busy = set(rng.sample(range(len(names)), made.busy))
    changes: list[tuple[float, ...]] = []
    for place in range(len(names)):
        rate, moment, found = rng.lognormvariate(0.0, made.spread) / made.days, 0.0, []
        while place in busy and (moment := moment + rng.expovariate(rate)) < end:
            found.append(moment)
        changes.append(tuple(found))
    pages = tuple(RecordedPage("calm.test", name, "", 0.0, end, end, 0.0) for name in names)
    return History(Path(CALM if seed == 1 else f"{CALM}_{seed}"), pages, tuple(changes), "content")


def histories(data: Path | None, only: Sequence[str]) -> Iterator[History]:
    """The histories of a folder and the made-up one, or those of these names."""
    folders = sorted(path.parent for path in data.glob("*/changes.csv.gz")) if data else []
    yield from (load(folder) for folder in folders if not only or folder.name in only)
    if not only or CALM in only:
        yield calm_site()


def weights_of(history: History) -> dict[tuple[str, str], float]:
    """Heavy-tailed weights that depend on nothing but the page's name."""
    found = {}
    for page in history.pages:
        seed = hashlib.sha256(f"{page.site} {page.page}".encode()).digest()
        found[page.site, page.page] = random.Random(seed).paretovariate(1.5)
    return found


def freshness(history: History, budgets: tuple[float, ...], holdout: float) -> Iterator[dict[str, Any]]:
    """Every policy at every budget, with and without weights."""
    made = history.folder.name == CALM  # it has no HTML to train on
    training = static_training_for(history, ReplaySetup(holdout=holdout, static=not made))
    for weighted in (False, True):
        for budget in budgets:
            weights = weights_of(history) if weighted else {}
            setup = ReplaySetup(budget=budget, holdout=holdout, weights=weights)
            report = replay(history, POLICIES, setup, training)
            optimum, hindsight = (score for score in report.scores if score.policy in KNOWN_RATES)
            for one in report.scores:
                ties = one.policy == "default" and not holdout
                score = drawn(one, history, setup, training) if ties else one
                stale = 1 - score.weighted_freshness
                ratio = stale / max(1 - optimum.weighted_freshness, 1e-12)
                yield {
                    "history": history.folder.name,
                    "weighted": weighted,
                    **asdict(score),
                    "ratio": ratio,
                    "hindsight_ratio": stale / max(1 - hindsight.weighted_freshness, 1e-12),
                    "changing_ratio": score.changing_stale / max(optimum.changing_stale, 1e-12),
                }


def drawn(score: PolicyScore, history: History, setup: ReplaySetup, training: Training) -> PolicyScore:
    """A score, as the mean over several random orders of equal pages."""
    seeds = range(setup.seed + 1, setup.seed + DRAWS)
    plays = [replay(history, [score.policy], replace(setup, seed=seed), training) for seed in seeds]
    scores = [score, *(play.scores[0] for play in plays)]
    means = {name: sum(getattr(one, name) for one in scores) / len(scores) for name in MEANS}
    return replace(score, **means)


def calm_sites(budgets: Sequence[float]) -> Iterator[dict[str, Any]]:
    """The default and `proportional` on further calm sites, both as means over the same random orders."""
    for seed in CALM_SITES:
        history, training = calm_site(seed), Training()
        for budget in budgets:
            setup = ReplaySetup(budget=budget, static=False)
            names = ("default", "proportional", "optimum")
            scores = replay(history, names, setup, training).scores
            stale = {one.policy: drawn(one, history, setup, training).stale for one in scores}
            busy = sum(map(bool, history.changes))
            yield {"site": seed, "pages": len(history.pages), "busy": busy, "budget": budget, **stale}


def _text(line: dict[str, Any]) -> str:
    fresh, way = line["weighted_freshness"], "weighted" if line["weighted"] else "plain"
    return (
        f"{line['history']:18} {way:8} {line['budget']:<5} {line['policy']:12} fresh {fresh:.4f}"
        f" stale {1 - fresh:.4f} ratio {line['ratio']:.3f} changing {line['changing_ratio']:.3f}"
        f" hindsight {line['hindsight_ratio']:.3f}"
        f" {line['seconds']:.1f} s"
    )


def figures(lines: list[dict[str, Any]]) -> dict[str, float]:
    """Figures with floors: freshness of the default, and its stale share over those that know the rates."""
    found: dict[str, float] = {}
    for line in lines:
        if line.get("policy") == "default":
            way = "_weighted" if line["weighted"] else ""
            name = f"refresh.{line['history']}_{round(100 * line['budget'])}{way}"
            found |= {
                f"{name}_ratio": line["ratio"],
                f"{name}_hindsight_ratio": line["hindsight_ratio"],
                f"{name}_fresh": line["weighted_freshness"],
            }
    return found


def main() -> int:
    """Run the benchmark and print a line for each figure; with --check fail when one is below its floor."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, help="without it the made-up history alone is played")
    parser.add_argument("--budget", type=float, nargs="*", default=BUDGETS)
    parser.add_argument("--holdout", type=float, default=0.0, help="share of sites played; floors are of 0")
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--tables", action="store_true")
    parser.add_argument("--calm", action="store_true", help="play further calm sites only")
    parser.add_argument("--check", action="store_true", help="fail when a figure is worse than its floor")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    out: list[dict[str, Any]] = []
    if options.calm:
        for line in calm_sites(options.budget):
            out.append(line)
            print(json.dumps(line), flush=True)
        for budget in options.budget:
            plays = [line for line in out if line["budget"] == budget]
            ratios = [line["default"] / line["proportional"] for line in plays]
            ahead, mean = sum(ratio < 1 for ratio in ratios), fmean(ratios)
            print(f"{budget:g} a day: {mean:.3f} times the stale share of proportional, ahead on {ahead}")
        return 0
    for history in histories(options.data, options.only):
        if options.tables:
            print(history.folder.name, tables(history).text(), sep="\n", flush=True)
            continue
        for line in freshness(history, tuple(options.budget), options.holdout):
            out.append(line)
            print(_text(line), flush=True)
    if options.json:
        options.json.write_text(json.dumps(out, indent=1), encoding="utf-8")
    worse = floors.compare(figures(out), floors.load()) if options.check and options.holdout == 0 else []
    print(*worse, sep="\n", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
