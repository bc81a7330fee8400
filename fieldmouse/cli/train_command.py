"""The command `train`."""

import click

from fieldmouse.errors import UsageError

from .common import json_option, open_archive, plain, print_json, print_pairs

GROUPS = ("0", "2", "3", "4", "5", "6")
FIGURES = ("groups", "features", "pages", "page_error", "site_error")


@click.group()
def train() -> None:
    """Train models on the archive's own history."""


@train.command()
@click.option("--learner", default="J48", help="J48 is a pruned tree; an unknown name lists the others.")
@click.option("--features", default="", help="Comma-separated; selected by cross-validation if not given.")
@click.option(
    "--groups", default="4", help="Groups of pages by change frequency, 2 to 6; 0 to choose from the data."
)
@click.option("--seed", type=int, default=1, help="Random seed.")
@json_option
@click.pass_obj
def static(obj: str, /, learner: str, features: str, *, groups: str, seed: int, as_json: bool) -> None:
    """Train the model that predicts how often a page changes from its first visit: models/static.json."""
    from fieldmouse.jobs import train
    from fieldmouse.refresh.static_classifier import FEATURES, LEARNERS

    chosen = [one.strip() for one in features.split(",") if one.strip()]
    if learner not in LEARNERS:
        raise UsageError(f"unknown learner {learner!r}; known are {', '.join(LEARNERS)}")
    if wrong := [one for one in chosen if one not in FEATURES]:
        raise UsageError(f"unknown feature {wrong[0]!r}; known are {', '.join(FEATURES)}")
    if groups not in GROUPS:
        raise UsageError(f"--groups must be 2 to 6, or 0 to choose from the data, not {groups}")
    with open_archive(obj) as archive:
        lesson = train.train_static(
            archive.reader, name=learner, features=chosen, groups=int(groups), seed=seed
        )
        file = train.save(lesson.learner, archive.folder)
    if as_json:
        figures = {name: plain(getattr(lesson, name)) for name in FIGURES}
        print_json({"file": str(file), **figures, "card": plain(lesson.learner.card())})
        return
    for line in lesson.groups:
        click.echo(line)
    print_pairs(
        [
            ("pages", str(lesson.pages)),
            ("features", ", ".join(lesson.features)),
            ("error", f"{lesson.page_error:.1%} on other pages, {lesson.site_error:.1%} on other sites"),
            ("written to", str(file)),
        ]
    )
