"""The commands that train spam models: `train content-spam` and `train comment-spam`."""

import math
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from . import common
from .common import EXISTING_FILE, echo, print_json
from .refresh_commands import seed_option

if TYPE_CHECKING:
    from fieldmouse.jobs.train_spam import SpamComparison
    from fieldmouse.spam.scores import SpamScale


def training_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """What both commands take: a file of labelled texts, its columns, and where the model goes."""
    for option in (
        click.argument("data", type=EXISTING_FILE),
        click.option("--text", default="", help="Column with the text; html is reduced to its main text."),
        click.option("--label", default="", help="Column with the label."),
        click.option("--source", default="", help="Column with the host, video or other source."),
        click.option(
            "--spam", multiple=True, metavar="LABEL", help="Label that means spam; all others do not."
        ),
        click.option(
            "--folds",
            type=click.IntRange(2, 50),
            default=10,
            show_default=True,
            help="Parts of the data for cross-validation.",
        ),
        seed_option,
        click.option("--output", type=common.NEW_FILE, help="Write the model here, not into the archive."),
        common.executor_options,
        common.quiet_option,
        common.json_option,
        click.pass_obj,
    )[::-1]:
        command = option(command)
    return command


@click.command("content-spam")
@training_options
def content_spam(obj: str, /, data: Path, **options: Any) -> None:
    """Compare learners of spam pages on DATA, and train the best: models/content_spam.dat.

    DATA is CSV or JSON lines with a text or html, a label and a source. See the reference on spam scores.
    """
    from fieldmouse.spam.scores import CONTENT

    _train(obj, data, options, CONTENT)


@click.command("comment-spam")
@training_options
def comment_spam(obj: str, /, data: Path, **options: Any) -> None:
    """Compare learners of spam comments on DATA, and train the best: models/comment_spam.dat.

    DATA is CSV or JSON lines with a text, a label and a source. See the reference on spam scores.
    """
    from fieldmouse.spam.scores import COMMENT

    _train(obj, data, options, COMMENT)


def _train(obj: str, data: Path, options: dict[str, Any], scale: "SpamScale") -> None:
    from fieldmouse.files.append_only import replace
    from fieldmouse.files.shared_content import publish
    from fieldmouse.jobs.spam_data import Columns, read_labelled
    from fieldmouse.jobs.train_spam import FoldPlan, compare, has_vowpal_wabbit
    from fieldmouse.learn.learner import TrainingRecord
    from fieldmouse.spam.scores import open_model
    from fieldmouse.store import is_archive

    asked = Columns(**{key: options[key] for key in ("text", "label", "source", "spam")})
    found = read_labelled(data, asked, scale.most)
    quiet = options["quiet"] or options["as_json"]
    if not quiet:
        for reason, n in found.left_out.items():
            echo(f"{n:,} rows left out: {reason}", err=True)
        if not has_vowpal_wabbit():
            echo("Vowpal Wabbit is not in the table: pip install vowpalwabbit", err=True)
    record = TrainingRecord(f"{data.name}, {len(found.rows)} texts", datetime.now(UTC).date().isoformat())
    with common.opened_executor(obj, options["executor"], options["jobs"]) as pool:
        done = compare(
            found.rows, base=open_model(scale), most=scale.most, record=record,
            folds=FoldPlan(options["folds"], options["seed"]),
            tell=(lambda _: None) if quiet else lambda name: echo(f"comparing: {name}", err=True),
            executor=pool,
        )  # fmt: skip
    target = options["output"] or (Path(obj) / "models" / scale.model if is_archive(Path(obj)) else None)
    if target is not None:
        target.absolute().parent.mkdir(parents=True, exist_ok=True)
        replace(target, [done.model.to_file()])
        publish(target.absolute())
    if options["as_json"]:
        table = {"folds": done.folds, "texts": done.texts, "spam": done.spam, "left_out": found.left_out}
        chosen = {"best": done.best, "chosen": done.chosen, "card": done.model.card()}
        print_json({"file": str(target or ""), **table, "rows": done.rows, **chosen})
        return
    _print_table(done, scale.most)
    echo(f"written to {target}" if target else "not written: there is no archive here, and no --output")


def _print_table(done: "SpamComparison", most: int) -> None:
    echo(f"{done.texts:,} texts, {done.spam:,} spam ({done.spam / done.texts:.1%}); {done.folds}")
    rows = [
        (
            one.learner,
            str(one.n or ""),
            f"{one.accuracy:.4f}",
            f"{one.auc:.4f}",
            f"{one.pr_auc:.4f}",
            f"{one.rmse:.2f}",
            common.size(one.model_bytes),
            f"{one.train_seconds:.2f}",
            f"{one.score_us:.0f}",
        )
        for one in done.rows
    ]
    head = ("learner", "n", "accuracy", "AUC", "PR-AUC", f"RMSE/{most}", "model", "train s", "score us")
    common.print_table(head, rows)
    majority = max(done.spam, done.texts - done.spam) / done.texts
    echo(f"always the larger class: accuracy {majority:.4f}, AUC 0.5")
    echo(f"best by AUC: {done.best.learner} {done.best.n or ''}".rstrip())
    echo(f"trained: {done.chosen.learner} {done.chosen.n}, which is scored without a library")
    for source, auc in done.chosen.by_source.items():
        echo(f"  {source}: AUC " + ("unknown, one class only" if math.isnan(auc) else f"{auc:.4f}"))
