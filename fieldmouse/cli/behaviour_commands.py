"""The commands on visits of readers: `train behaviour` and `evaluate behaviour`."""

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldmouse.errors import UsageError

from . import common
from .common import EXISTING_FILE, archive_options, echo, open_archive, print_json, print_pairs
from .refresh_commands import seed_option

if TYPE_CHECKING:
    from fieldmouse.behaviour.prediction_tables import Decisions


@click.command("behaviour")
@click.option("--learner", default="boosting", help="Learner: boosting, bayes, forest or tree.")
@click.option(
    "--without", multiple=True, metavar="NAME",
    help="Leave out a feature, or a group such as readers, url, last_changes, visit_trend.",
)  # fmt: skip
@seed_option
@archive_options
def train_behaviour_(
    obj: str, /, learner: str, without: tuple[str, ...], *, seed: int, as_json: bool
) -> None:
    """Train the model that predicts changes from visits of readers: models/behaviour.json.

    It learns from the archive's own fetches. The setting behaviour.mode says how the schedule uses it.
    """
    from fieldmouse.behaviour.model_file import save_model
    from fieldmouse.behaviour.visit_features import FEATURES, GROUPS
    from fieldmouse.jobs.train_behaviour import train_behaviour

    dropped = {name for one in without for name in GROUPS.get(one, (one,))}
    if wrong := sorted(dropped - set(FEATURES)):
        known = ", ".join(dict.fromkeys((*GROUPS, *FEATURES)))
        raise UsageError(f"unknown feature {wrong[0]!r}; known are {known}")
    features = [name for name in FEATURES if name not in dropped]
    with open_archive(obj) as archive:
        done = train_behaviour(archive.reader.behaviour, learner=learner, features=features, seed=seed)
        file = save_model(done.model, archive.folder)
        mode = archive.settings.behaviour.mode
    if as_json:
        figures = {"decisions": done.decisions, "pages": done.pages, "changed": done.changed}
        figures |= {"explored": done.explored, "useful": done.model.useful, **done.model.readers._asdict()}
        print_json({"file": str(file), "mode": mode, **figures, "card": common.plain(done.model.card())})
        return
    verdict = "better" if done.model.useful else "not clearly better"
    print_pairs(
        [
            ("fetches", f"{done.decisions:,} of {done.pages:,} pages, {done.changed:.1%} found a change"),
            ("learner", f"{learner}, {len(features)} features"),
            ("readers", f"{verdict} than the schedule alone: {done.model.readers}"),
            ("mode", f"{mode} (behaviour.mode)"),
            ("written to", str(file)),
        ]
    )


@click.command("behaviour")
@click.option(
    "--log", "logs", multiple=True, type=EXISTING_FILE,
    help="Access log to measure on, instead of the archive; can be given several times.",
)  # fmt: skip
@click.option("--host", default="localhost", help="Host of logs whose lines do not name one.")
@click.option("--figure", type=common.NEW_FILE, help="Write an HTML page with the tables and curves.")
@seed_option
@archive_options
def evaluate_behaviour(
    obj: str, /, logs: tuple[Path, ...], host: str, figure: Path | None, *, seed: int, as_json: bool
) -> None:
    """Measure how well visits of readers predict changes: Tables 3 and 4 of LEADS D1.3.

    Models learn from the earlier fetches and are measured on the later ones. Without --log, on the archive's
    own fetches. A log shows changes only by the sizes of its answers.
    """
    from fieldmouse.behaviour.prediction_tables import evaluate_decisions, text
    from fieldmouse.behaviour.tables_plot import plot

    if figure and not figure.absolute().parent.is_dir():
        raise UsageError(f"{figure} cannot be written: its folder does not exist")
    decisions, notes = _from_logs(logs, host, seed) if logs else _from_archive(obj)
    silent = (lambda _: None) if as_json else (lambda line: echo(line, err=True))
    report = evaluate_decisions(decisions, seed=seed, notes=notes, tell=silent)
    if figure:
        plot(report, figure, "Changes predicted from readers")
    if as_json:
        print_json(report.to_json())
    else:
        echo(text(report))


def _from_logs(logs: tuple[Path, ...], host: str, seed: int) -> "tuple[Decisions, list[str]]":
    from fieldmouse.behaviour.access_log import LONGEST_LINE, LogFilter
    from fieldmouse.behaviour.log_changes import NOTE, LogPages
    from fieldmouse.files.text_lines import TextLines

    pages, chosen = LogPages(), LogFilter()
    with contextlib.ExitStack() as stack:
        for file in logs:
            lines = TextLines(stack.enter_context(file.open("rb")), LONGEST_LINE)
            pages.read(lines.text(), host, chosen)
            if lines.problem:
                echo(f"{file}: the rest is damaged at {lines.problem}", err=True)
    left = ", ".join(
        f"{n:,} {reason}" for reason, n in sorted(pages.left_out.items(), key=lambda one: -one[1])
    )
    read = f"{len(pages.visits):,} visits of {len(pages.users):,} readers to {len(pages.urls):,} pages"
    return pages.decisions(seed), [f"{read} in {pages.lines:,} lines; left out: {left or 'none'}", NOTE]


def _from_archive(folder: str) -> "tuple[Decisions, list[str]]":
    from fieldmouse.jobs.train_behaviour import archive_decisions

    with open_archive(folder) as archive:
        return archive_decisions(archive.reader.behaviour), [
            "changes are those that the archive's fetches found"
        ]
