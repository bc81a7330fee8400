"""The commands that judge pages by a topic: `classify` and `evaluate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import (
    EXISTING_FILE,
    NEW_FILE,
    json_option,
    open_archive,
    print_json,
    print_pairs,
    print_table,
    read_text,
    write_text,
)

if TYPE_CHECKING:
    from fieldmouse.focus.harvest import Curve, Interval
    from fieldmouse.library import Archive


@click.command()
@click.option("--topic", "name", help="A topic of the archive, or a topic file; by default focus.topic.")
@click.option("--least", default=0.5, show_default=True, help="Print pages with at least this score.")
@json_option
@click.pass_obj
def classify(obj: str, name: str | None, least: float, as_json: bool) -> None:
    """Judge every stored page, crawled or imported, by a topic.

    It uses the page judge of a focused crawl, with what it learned. The scores are stored: see the views
    relevant_table and irrelevant_table.
    """
    with open_archive(obj) as archive:
        judged = list(archive.classify(name or ""))
    relevant = sorted((one for one in judged if one.score >= least), key=lambda one: (-one.score, one.url))
    if as_json:
        print_json({"pages": len(judged), "relevant": len(relevant), "judged": judged})
        return
    for one in relevant:
        click.echo(f"{one.score:.4f}  {one.url}")
    click.echo(f"{len(relevant)} of {len(judged)} pages are on topic", err=True)


@click.group()
def evaluate() -> None:
    """Measure a crawl against labels that it did not use."""


@evaluate.command("crawl")
@click.argument("runs", nargs=-1, metavar="[[NAME=]DIR]...")
@click.option(
    "--labels", "file", required=True, type=EXISTING_FILE,
    help="CSV file of url,label rows; a label is yes, no or a subject.",
)  # fmt: skip
@click.option(
    "--subject", default="", help="Label that counts as yes; by default the topic of the archive's crawl."
)
@click.option("--without-seeds", is_flag=True, help="Leave out seeds and the topic's examples.")
@click.option("--figure", type=NEW_FILE, help="Draw precision by pages to this SVG.")
@json_option
@click.pass_obj
def evaluate_crawl(
    obj: str, /, runs: tuple[str, ...], file: Path, figure: Path | None, **options: Any
) -> None:
    """Precision after 50 to 2000 pages in download order, and target recall.

    Several archives are compared under their NAME, or the learner of their crawl. Archives with the same name
    are averaged, with a 95 % confidence interval.
    """
    from fieldmouse.focus.harvest import curve
    from fieldmouse.focus.label_file import Labels

    labels = Labels(read_text(file), str(file))
    found: dict[str, list[Curve]] = {}
    for run in runs or (obj,):
        name, equals, folder = run.rpartition("=")
        with open_archive(folder) as archive:
            harvests = archive.harvests()
            topic = harvests[-1].topic if harvests else ""
            learner = harvests[-1].learner if harvests else archive.folder.resolve().name
            targets = labels.targets(archive.canon, options["subject"] or topic)
            known = _known(archive, topic) if options["without_seeds"] else set()
            pages = [url for url in archive.downloaded() if url not in known]
        found.setdefault(name if equals else learner, []).append(curve(pages, targets - known))
    if figure is not None:
        from fieldmouse.focus.harvest import draw

        write_text(figure, draw(found))
    if runs:
        _print_several(found, as_json=options["as_json"])
    else:
        _print_one(next(iter(found.values()))[0], as_json=options["as_json"])


def _known(archive: "Archive", topic: str) -> set[str]:
    """What the crawl knew before its first request: its seeds, and the examples of its topic."""
    from fieldmouse.crawl.guide_setup import find, topic_file

    seeds = {one.url for one in archive.reader.pages() if one.via == "seed"}
    if not topic or not topic_file(archive.folder, topic).exists():
        return seeds
    known = find(archive.folder, topic)
    return seeds.union(known.relevant, known.irrelevant)


def _print_one(one: "Curve", *, as_json: bool) -> None:
    if as_json:
        print_json(one)
        return
    print_pairs(
        [
            *((f"precision at {mark}", f"{value:.4f}") for mark, value in one.precision.items()),
            ("harvest rate", f"{one.harvest:.4f}  of {one.pages} pages"),
            ("mean harvest rate", f"{one.mean_harvest:.4f}  averaged over all page counts"),
            ("target recall", f"{one.target_recall:.4f}  of {one.targets} targets"),
        ]
    )


def _print_several(found: "dict[str, list[Curve]]", *, as_json: bool) -> None:
    from fieldmouse.focus.harvest import MARKS, means

    averages = means(found)
    if as_json:
        print_json({"runs": found, "means": averages})
        return
    head = ("", "crawls", "pages", *map(str, MARKS), "mean harvest rate", "target recall")
    rows = []
    for name, row in averages.items():
        curves = found[name]
        precision = [row.get(f"precision_at_{mark}") for mark in MARKS]
        rows.append(
            (
                name,
                str(len(curves)),
                str(round(sum(one.pages for one in curves) / len(curves))),
                *(f"{one.mean:.4f}" if one else "-" for one in precision),
                _interval(row["mean_harvest"]),
                _interval(row["target_recall"]),
            )
        )
    print_table(head, rows)


def _interval(one: "Interval") -> str:
    return f"{one.mean:.4f}" + (f" ({one.low:.4f}-{one.high:.4f})" if one.low < one.high else "")
