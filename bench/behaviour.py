"""What visits of readers are worth: predictions and freshness, on semi-synthetic visits.

    python -m bench.behaviour --data FOLDER [--only NAME] [--strength 0 1 3 10] [--seeds 1 2 3] [--json OUT]

FOLDER holds `changes/NAME` (histories) and `access_logs`. The visits are semi-synthetic:
`bench/reader_visits.py` says what is real in them. For each history, strength of the coupling and seed:
Tables 3 and 4 of LEADS D1.3, and a replay of veto and index next to the default at the same budget. At the
end, the means over the seeds.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fieldmouse.behaviour.prediction_tables import BehaviourReport, Decisions, evaluate_decisions, text
from fieldmouse.behaviour.reader_policies import reader_policies
from fieldmouse.behaviour.recorded_visits import RecordedVisits, history_decisions
from fieldmouse.refresh.change_history import History, load
from fieldmouse.refresh.replay import PolicyScore, ReplaySetup, replay

from .reader_visits import made_visits, shape_of

LOG = "apache_semicomplete_2015.log.gz"
# Visits at the moment of a change, beyond the usual ones, as a multiple of those.
STRENGTHS = (0.0, 1.0, 3.0, 10.0)
POLICIES = ("default", "index", "veto", "veto-published")
MOST = 20_000  # decisions for the tables
BLOCKS = 20  # parts of the time, each with as many decisions with a change as without
NOTE = (
    "semi-synthetic: visits were made up for real changes; as in the document, about half of the decisions "
    "were drawn from those with a change, in each part of the time"
)


def balanced(decisions: Decisions, seed: int) -> Decisions:
    """As many decisions with a change as without, also in each part of the time.

    Most pages of a history hardly change, and changes come in bursts: balanced as a whole only, the later
    decisions that models are measured on would have far fewer changes than the earlier ones.
    """
    rng = np.random.default_rng(seed)
    changed = np.flatnonzero(decisions.changed == 1.0)
    if len(changed) > MOST // 2:
        changed = np.sort(rng.choice(changed, MOST // 2, replace=False))
    chosen = []
    for part in np.array_split(changed, min(BLOCKS, len(changed))):
        calm = part[0] + np.flatnonzero(decisions.changed[part[0] : part[-1] + 1] == 0.0)
        count = min(len(calm), len(part))
        chosen += [rng.choice(one, count, replace=False) for one in (part, calm)]
    return decisions.where(np.sort(np.concatenate(chosen)))


class Run(NamedTuple):
    """One history with made-up visits."""

    history: History
    strength: float
    seed: int
    visits: RecordedVisits


def tables(run: Run) -> BehaviourReport:
    """Tables 3 and 4, printed."""
    decisions = balanced(history_decisions(run.history, run.visits, seed=run.seed), run.seed)
    report = evaluate_decisions(decisions, seed=run.seed, notes=[NOTE], tell=lambda _: None)
    print(text(report), flush=True)
    return report


def replayed(run: Run, policies: Sequence[str], options: argparse.Namespace) -> dict[str, PolicyScore]:
    """Replays of policies at the same budget, printed."""
    setup = ReplaySetup(
        budget=options.budget, days=options.days, warmup=options.warmup, seed=run.seed, static=False,
        further=reader_policies(run.visits),
    )  # fmt: skip
    scores = replay(run.history, policies, setup).scores
    for score in scores:
        print(
            f"{score.policy:10} fresh {score.freshness:.4f} ({score.low:.4f} to {score.high:.4f}) "
            f"stale {score.stale:.5f} of changing pages {score.changing_stale:.4f} "
            f"age {score.age_days:.2f} d wasted {score.wasted / score.fetches:.1%} {score.seconds:.0f} s",
            flush=True,
        )
    return {score.policy: score for score in scores}


def print_means(lines: Sequence[dict[str, Any]]) -> None:
    """Means over the seeds, a row for each history and strength."""
    groups: dict[tuple[str, float], list[dict[str, Any]]] = {}
    for one in lines:
        groups.setdefault((one["history"], one["strength"]), []).append(one)
    for (name, strength), some in groups.items():
        seeds = f"{len(some)} seeds"
        if "replay" in some[0]:
            stale = {policy: [one["replay"][policy]["stale"] for one in some] for policy in some[0]["replay"]}
            shown = "  ".join(
                f"{policy} {np.mean(each):.5f} ({min(each):.5f}-{max(each):.5f})"
                for policy, each in stale.items()
            )
            print(f"{name} strength {strength:g}, {seeds}: stale {shown}")
        if "tables" in some[0]:
            useful = sum(one["tables"]["useful"] for one in some)
            print(f"{name} strength {strength:g}, {seeds}: readers useful in {useful}; acc., Brier, ECE")
            for place, score in enumerate(some[0]["tables"]["scores"]):
                means = [
                    float(np.mean([one["tables"]["scores"][place][key] for one in some]))
                    for key in ("accuracy", "brier", "ece")
                ]
                print(f"  {score['table']:9}{score['model']:24} {means[0]:.3f} {means[1]:.3f} {means[2]:.3f}")


def main() -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=())
    parser.add_argument("--strength", type=float, nargs="*", default=STRENGTHS)
    parser.add_argument("--policy", nargs="*", choices=POLICIES, default=POLICIES)
    parser.add_argument("--budget", type=float, default=0.03)
    parser.add_argument("--days", type=float, default=365.0)
    parser.add_argument("--warmup", type=float, default=365.0)
    parser.add_argument("--seeds", type=int, nargs="*", default=(1, 2, 3))
    parser.add_argument("--no-tables", action="store_true")
    parser.add_argument("--no-replay", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    shape = shape_of([options.data / "access_logs" / LOG])
    lines: list[dict[str, Any]] = []
    for folder in sorted(path.parent for path in options.data.glob("changes/*/changes.csv.gz")):
        if options.only and folder.name not in options.only:
            continue
        history = load(folder)
        for seed in options.seeds:
            known: dict[str, PolicyScore] = {}  # the default sees no visits, so it is replayed once
            for strength in options.strength:
                days = options.days + options.warmup + 1
                visits = made_visits(history, shape, strength=strength, days=days, seed=seed)
                run = Run(history, strength, seed, visits)
                found: dict[str, Any] = {"history": folder.name, "strength": strength, "seed": seed}
                print(f"\n{folder.name}, semi-synthetic, strength {strength:g}, seed {seed}:", flush=True)
                print(f"{len(visits.page):,} visits", flush=True)
                if not options.no_tables:
                    found["tables"] = tables(run).to_json()
                if not options.no_replay:
                    known |= replayed(run, [one for one in options.policy if one not in known], options)
                    found["replay"] = {policy: asdict(score) for policy, score in known.items()}
                    known = {policy: score for policy, score in known.items() if policy == "default"}
                lines.append(found)
                if options.json:
                    options.json.write_text(json.dumps(lines, indent=1), "utf-8")
    print()
    print_means(lines)


if __name__ == "__main__":
    main()
