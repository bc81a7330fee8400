"""What visits of readers are worth: predictions and freshness, on semi-synthetic visits.

    python -m bench.behaviour --data FOLDER [--only NAME] [--strength 0 1 3 10] [--days 365] [--json OUT]

FOLDER holds `changes/NAME` (histories) and `access_logs`. The visits are semi-synthetic:
`bench/reader_visits.py` says what is real in them. For each strength of the coupling: Tables 3 and 4 of
LEADS D1.3, and a replay of veto and index next to the default at the same budget.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from fieldmouse.behaviour.prediction_tables import Decisions, evaluate_decisions, text
from fieldmouse.behaviour.reader_policies import reader_policies
from fieldmouse.behaviour.recorded_visits import history_decisions
from fieldmouse.refresh.change_history import load
from fieldmouse.refresh.replay import ReplaySetup, replay

from .reader_visits import made_visits, shape_of

LOG = "apache_semicomplete_2015.log.gz"
# Visits at the moment of a change, beyond the usual ones, as a multiple of those.
STRENGTHS = (0.0, 1.0, 3.0, 10.0)
POLICIES = ("default", "index", "veto")
MOST = 20_000  # decisions for the tables
NOTE = (
    "semi-synthetic: visits were made up for real changes; as in the document, about half of the decisions "
    "were drawn from those with a change"
)


def balanced(decisions: Decisions, seed: int) -> Decisions:
    """As many decisions with a change as without, at random: most pages of a history hardly change."""
    rng = np.random.default_rng(seed)
    groups = [np.flatnonzero(decisions.changed == one) for one in (0.0, 1.0)]
    count = min(*map(len, groups), MOST // 2)
    chosen = np.sort(np.concatenate([rng.choice(group, count, replace=False) for group in groups]))
    return decisions.where(chosen)


def measured(folder: Path, log: Path, strength: float, options: argparse.Namespace) -> dict[str, Any]:
    """Tables and replay of one history at one strength."""
    history = load(folder)
    days = options.days + options.warmup
    visits = made_visits(history, shape_of([log]), strength=strength, days=days + 1, seed=options.seed)
    found: dict[str, Any] = {"history": folder.name, "strength": strength, "visits": len(visits.page)}
    print(f"\n{folder.name}, semi-synthetic, strength {strength:g}: {len(visits.page):,} visits", flush=True)
    if not options.no_tables:
        decisions = balanced(history_decisions(history, visits, seed=options.seed), options.seed)
        report = evaluate_decisions(decisions, seed=options.seed, notes=[NOTE], tell=lambda _: None)
        print(text(report), flush=True)
        found["tables"] = report.to_json()
    if not options.no_replay:
        setup = ReplaySetup(
            budget=options.budget, days=options.days, warmup=options.warmup, seed=options.seed, static=False,
            further=reader_policies(visits),
        )  # fmt: skip
        for score in replay(history, POLICIES, setup).scores:
            print(
                f"{score.policy:10} fresh {score.freshness:.4f} ({score.low:.4f} to {score.high:.4f}) "
                f"stale {score.stale:.5f} of changing pages {score.changing_stale:.4f} "
                f"age {score.age_days:.2f} d wasted {score.wasted / score.fetches:.1%} {score.seconds:.0f} s",
                flush=True,
            )
            found.setdefault("replay", []).append(asdict(score))
    return found


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--strength", type=float, nargs="*", default=STRENGTHS)
    parser.add_argument("--budget", type=float, default=0.03)
    parser.add_argument("--days", type=float, default=365.0)
    parser.add_argument("--warmup", type=float, default=365.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--no-tables", action="store_true")
    parser.add_argument("--no-replay", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    lines = []
    for folder in sorted(path.parent for path in options.data.glob("changes/*/changes.csv.gz")):
        if not options.only or folder.name in options.only:
            for strength in options.strength:
                log = options.data / "access_logs" / LOG
                lines.append(measured(folder, log, strength, options))
                if options.json:
                    options.json.write_text(json.dumps(lines, indent=1), "utf-8")


if __name__ == "__main__":
    main()
