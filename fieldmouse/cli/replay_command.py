"""The command `replay`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from .common import json_option, open_archive, print_json

if TYPE_CHECKING:
    from fieldmouse.refresh.change_history import History
    from fieldmouse.refresh.replay import ReplayReport

POLICIES = (
    *("default", "live", "uniform", "proportional", "paper", "bayes", "bayes-unit"),
    *("random-historic", "random-bayes", "nutch", "optimum", "hindsight"),
)


@click.command()
@click.argument("history", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--policy",
    "policies",
    multiple=True,
    type=click.Choice(POLICIES),
    help="Policy to replay; can be given several times.",
)
@click.option(
    "--budget",
    "budgets",
    multiple=True,
    type=float,
    help="Share of the pages fetched a day; can be given several times.",
)
@click.option("--days", type=float, default=365.0, help="Days measured, up to the end of the history.")
@click.option("--warmup", type=float, default=365.0, help="Days replayed before those, not measured.")
@click.option(
    "--holdout", type=float, default=0.0, help="Share of the sites replayed; the others train the models."
)
@click.option("--seed", type=int, default=1, help="Random seed.")
@click.option("--changes", type=click.Choice(["content", "bytes"]), help="What counts as a change.")
@click.option("--weights", type=click.Path(exists=True, dir_okay=False), help="CSV of site, page, weight.")
@click.option("--tables", is_flag=True, help="Print the paper's Tables 1, 3 and 5 for this history.")
@click.option("--plot", type=click.Path(dir_okay=False), help="Write an HTML page with the curves.")
@json_option
def replay(history: Path, **options: Any) -> None:
    """Replay refresh policies over a recorded history.

    HISTORY is a history folder or an archive. A policy sees only what its own visits would have seen.
    Intervals are bootstrapped over sites.
    """
    import tempfile

    with tempfile.TemporaryDirectory() as scratch:
        found = _history(history, Path(scratch), options["changes"])
        if options["tables"]:
            _tables(found, options["seed"], machine=options["as_json"])
        else:
            _replay(found, options)


def _history(folder: Path, scratch: Path, meaning: str | None) -> "History":
    """The history in a folder; an archive's own visits are written out first."""
    from fieldmouse.jobs.export_history import write_history
    from fieldmouse.refresh.change_history import load
    from fieldmouse.store import is_archive

    if not is_archive(folder):
        return load(folder, meaning or "")
    with open_archive(str(folder)) as archive:
        if not write_history(archive.reader, scratch):
            raise UsageError(f"{folder} has no pages yet; crawl, and refresh for some days first")
    found = load(scratch, meaning or "")
    if found.end - found.start < 1.0:
        raise UsageError(f"{folder} covers less than a day; refresh for some days first")
    return found


def _replay(history: "History", options: dict[str, Any]) -> None:
    from fieldmouse.refresh.change_history import read_weights
    from fieldmouse.refresh.replay import ReplaySetup, replay_budgets
    from fieldmouse.refresh.replay_plot import plot

    weights = read_weights(Path(options["weights"])) if options["weights"] else {}
    if options["weights"]:
        _check_weights(weights, history, options["weights"])
    if options["plot"] and not Path(options["plot"]).absolute().parent.is_dir():
        raise UsageError(f"{options['plot']} cannot be written: its folder does not exist")
    setup = ReplaySetup(
        days=options["days"],
        warmup=options["warmup"],
        holdout=options["holdout"],
        seed=options["seed"],
        weights=weights,
    )
    policies = options["policies"] or ("default", "uniform", "paper", "nutch", "optimum")
    report = replay_budgets(history, policies, options["budgets"] or (0.03,), setup)
    if options["plot"]:
        plot(report, Path(options["plot"]))
    if options["as_json"]:
        print_json(report.to_json())
    else:
        _show(report)


def _check_weights(weights: "dict[tuple[str, str], float]", history: "History", file: str) -> None:
    """Report weights of pages that are not in the history; it is an error if none is."""
    known = {(page.site, page.page) for page in history.pages}
    unknown = [key for key in weights if key not in known]
    if not weights:
        click.echo(f"{file} has no pages: every page has weight 1", err=True)
    elif len(unknown) == len(weights):
        site, page = unknown[0]
        raise UsageError(f"{file}: none of its pages is in the history, as {site} {page}")
    elif unknown:
        site, page = unknown[0]
        click.echo(f"{file}: {len(unknown)} pages are not in the history, as {site} {page}", err=True)


def _show(report: "ReplayReport") -> None:
    click.echo(
        f"{'policy':16}{'budget':>7}{'fresh':>8}{'low':>8}{'high':>8}{'weighted':>10}"
        f"{'stale':>8}{'ratio':>7}{'changing':>10}{'age':>8}{'wasted':>8}"
    )
    for one, ratio in zip(report.scores, report.ratios(), strict=True):
        wasted = one.wasted / one.fetches if one.fetches else 0.0
        over = "" if ratio is None else f"{ratio:.2f}"
        click.echo(
            f"{one.policy:16}{one.budget:>7.3g}{one.freshness:>8.4f}{one.low:>8.4f}{one.high:>8.4f}"
            f"{one.weighted_freshness:>10.4f}{one.stale:>8.4f}{over:>7}{one.changing_stale:>10.4f}"
            f"{one.age_days:>7.2f}d{wasted:>8.1%}"
        )
    for note in report.notes:
        click.echo(note, err=True)


def _tables(history: "History", seed: int, *, machine: bool) -> None:
    from fieldmouse.refresh.barbosa2005_tables import tables

    found = tables(history, seed)
    if machine:
        print_json(found.to_json())
    else:
        click.echo(found.text())
