"""Commands that learn from the archive's own history: train."""

from typing import TYPE_CHECKING

import click

from fieldmouse.errors import UsageError

from .common import as_json, opened, plain, print_json, table

if TYPE_CHECKING:
    from fieldmouse.jobs.train import Lesson

GROUPS = ("0", "2", "3", "4", "5", "6")
SHOWN = ("groups", "features", "pages", "page_error", "site_error")


@click.group()
def train() -> None:
    """Learn from what the archive has seen."""


@train.command()
@click.option("--learner", default="J48", help="J48 is a pruned tree; an unknown name lists the others.")
@click.option("--features", default="", help="Separated by commas; chosen by trying if not given.")
@click.option("--groups", default="4", help="Groups of pages by how often they change, 2 to 6; 0 to choose.")
@click.option("--seed", type=int, default=1, help="Of everything random.")
@as_json
@click.pass_obj
def static(obj: str, /, learner: str, features: str, *, groups: str, seed: int, as_json: bool) -> None:
    """Learn to tell at first sight how often a page changes; the model goes to models/static.json."""
    from fieldmouse.jobs import train
    from fieldmouse.refresh.static_classifier import FEATURES
    from fieldmouse.refresh.static_learners import LEARNERS

    chosen = [one.strip() for one in features.split(",") if one.strip()]
    if learner not in LEARNERS:
        raise UsageError(f"there is no learner {learner!r}; known are {', '.join(LEARNERS)}")
    if wrong := [one for one in chosen if one not in FEATURES]:
        raise UsageError(f"there is no feature {wrong[0]!r}; known are {', '.join(FEATURES)}")
    if groups not in GROUPS:
        raise UsageError(f"there are 2 to 6 groups, or 0 to choose their number by the data; not {groups}")
    with opened(obj) as archive:
        lesson = train.train_static(
            archive.reader, name=learner, features=chosen, groups=int(groups), seed=seed
        )
        file = train.save(lesson.learner, archive.folder)
    if as_json:
        told = {name: plain(getattr(lesson, name)) for name in SHOWN}
        print_json({"file": str(file), **told, "card": plain(lesson.learner.card_)})
    else:
        _tell(lesson, str(file))


def _tell(lesson: "Lesson", file: str) -> None:
    for line in lesson.groups:
        click.echo(line)
    table(
        [
            ("pages", str(lesson.pages)),
            ("features", ", ".join(lesson.features)),
            (
                "wrong groups",
                f"{lesson.page_error:.1%} of other pages, {lesson.site_error:.1%} of other sites",
            ),
            ("written to", file),
        ]
    )
