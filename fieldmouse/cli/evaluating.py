"""Measuring crawls by labels that they never saw."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from .common import as_json, opened, print_json, read_text, write_text

if TYPE_CHECKING:
    from fieldmouse.focus.harvest import Curve, Interval
    from fieldmouse.library import Archive


@click.group()
def evaluate() -> None:
    """Measure what was done by labels that were not used for it."""


@evaluate.command("crawl")
@click.argument("runs", nargs=-1, metavar="[[NAME=]DIR]...")
@click.option(
    "--labels",
    "file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The judge: a CSV file of url,label rows with yes or no, or with subjects.",
)
@click.option("--subject", default="", help="Labels that count as yes; an archive's own topic if not given.")
@click.option("--without-seeds", is_flag=True, help="Leave out seeds and the topic's examples.")
@click.option(
    "--figure", type=click.Path(dir_okay=False, path_type=Path), help="Draw precision by pages as SVG here."
)
@as_json
@click.pass_obj
def evaluate_crawl(obj: str, /, runs: tuple[str, ...], file: Path, figure: Path | None, **asked: Any) -> None:
    """Precision after 50 to 2000 pages, in the order they were downloaded, and target recall.

    Several archives are compared: each is called by NAME, or by the learner that led its crawl. Those of
    one name are averaged, with the interval in which 95 of 100 draws of them have their mean.
    """
    from fieldmouse.focus.harvest import curve
    from fieldmouse.focus.label_file import Labels

    labels = Labels(read_text(file), str(file))
    found: dict[str, list[Curve]] = {}
    for run in runs or (obj,):
        name, equals, folder = run.rpartition("=")
        with opened(folder) as archive:
            called = _called(archive)
            wanted = labels.targets(archive.canon, asked["subject"] or called.topic)
            given = _given(archive, called.topic) if asked["without_seeds"] else set()
            pages = [url for url in archive.downloaded() if url not in given]
            found.setdefault(name if equals else called.learner, []).append(curve(pages, wanted - given))
    if figure is not None:
        from fieldmouse.focus.svg_chart import draw

        write_text(figure, draw(found))
    if runs:
        _print_several(found, json=asked["as_json"])
    else:
        _print_one(next(iter(found.values()))[0], json=asked["as_json"])


class _Called(NamedTuple):
    topic: str
    learner: str


def _called(archive: "Archive") -> _Called:
    """The topic and the learner of an archive's last focused crawl; without any, its folder."""
    harvests = archive.harvests()
    if not harvests:
        return _Called("", archive.folder.resolve().name)
    return _Called(harvests[-1].topic, harvests[-1].learner)


def _given(archive: "Archive", topic: str) -> set[str]:
    """What a crawl knew before its first request: its seeds, and the examples of its topic."""
    from fieldmouse.crawl.guide_setup import find, topic_file

    seeds = {one.url for one in archive.reader.pages() if one.via == "seed"}
    if not topic or not topic_file(archive.folder, topic).exists():
        return seeds
    known = find(archive.folder, topic)
    return seeds.union(known.relevant, known.irrelevant)


def _print_one(one: "Curve", *, json: bool) -> None:
    if json:
        print_json(one)
        return
    for mark, value in one.precision.items():
        click.echo(f"precision at {mark:<5} {value:.4f}")
    click.echo(f"harvest rate       {one.harvest:.4f}  of {one.pages} pages")
    click.echo(f"mean harvest rate  {one.mean_harvest:.4f}  over the way there")
    click.echo(f"target recall      {one.target_recall:.4f}  of {one.targets} targets")


def _print_several(found: "dict[str, list[Curve]]", *, json: bool) -> None:
    from fieldmouse.focus.harvest import MARKS, means

    told = means(found)
    if json:
        print_json({"runs": found, "means": told})
        return
    width = max(7, *map(len, found))
    marks = "".join(f"{mark:>8}" for mark in MARKS)
    click.echo(f"{'':{width}}  crawls   pages{marks}  {'mean harvest rate':22}  target recall")
    for name, row in told.items():
        at = "".join(_precision(row, mark) for mark in MARKS)
        harvest, recall = _spoken(row["mean_harvest"]), _spoken(row["target_recall"])
        pages = round(sum(one.pages for one in found[name]) / len(found[name]))
        click.echo(f"{name:{width}}  {len(found[name]):>6}{pages:>8}{at}  {harvest:22}  {recall}")


def _precision(row: "dict[str, Interval]", mark: int) -> str:
    one = row.get(f"precision_at_{mark}")
    return f"{one.mean:>8.4f}" if one else f"{'-':>8}"


def _spoken(one: "Interval") -> str:
    """A mean, with its interval if it has any."""
    return f"{one.mean:.4f}" + (f" ({one.low:.4f}-{one.high:.4f})" if one.low < one.high else "")
