"""The commands on labels: `label` with its subcommands."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

import click

from fieldmouse.errors import UsageError

from . import common
from .common import EXISTING_FILE, NEW_FILE, archive_options, echo, json_option, open_archive, print_json

if TYPE_CHECKING:
    from fieldmouse.jobs.label_archive import LabelReport, ReviewItem
    from fieldmouse.labels.classes import ClassList
    from fieldmouse.labels.split import DictionarySplitter, NameSplitter
    from fieldmouse.store.label_contract import LabelRow

classes_option = click.option(
    "--classes", "place", metavar="FILE|NAME", help="TOML or CSV file of classes; business and adult ship."
)
list_option = click.option("--classes", "name", default="", help="List of classes; by default the last used.")
out_option = click.option(
    "--out", type=NEW_FILE, help="Write the labels with their evidence to this CSV or JSON lines file."
)
dictionary_option = click.option(
    "--dictionary", type=EXISTING_FILE,
    help="Words of another language for splitting names, one a line, with their number of uses if known.",
)  # fmt: skip
published_option = click.option(
    "--published", is_flag=True, help="Use the pipeline of Genovese and Geraci 2018 instead of the default."
)


LONGEST_NAME = 4096  # bytes of a line of names
# Options that are passed on as they are.
ORDERED = ("published", "every_page", "least", "accuracy")


@click.group(invoke_without_command=True)
@classes_option
@published_option
@click.option("--every-page", is_flag=True, help="Label every page, not only the home page of each site.")
@click.option(
    "--accuracy", type=click.FloatRange(0.0, 1.0), default=0.9, show_default=True,
    help="Label as many pages as this expected accuracy allows.",
)  # fmt: skip
@click.option("--least", type=click.FloatRange(0.0, 1.0), help="Least probability of a label, instead.")
@dictionary_option
@out_option
@click.option("--figure", type=NEW_FILE, help="Draw accuracy by coverage to this SVG.")
@click.option("--gold", type=EXISTING_FILE, help="CSV file of url,class rows to measure the labels with.")
@common.executor_options
@archive_options
@click.pass_context
def label(context: click.Context, obj: str, /, **options: Any) -> None:
    """Label the sites of the archive with your own classes, by their names and pages.

    A class is a short list of weighted keywords. The labels, with evidence and probability, are in the view
    `labels`; `label review` asks you about the least certain, and `train classes` learns from them.
    """
    given = [
        name
        for name in options
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
    ]
    if context.invoked_subcommand is not None:
        if given:
            raise UsageError(
                f"--{given[0].replace('_', '-').replace('place', 'classes')} stands before "
                f"{context.invoked_subcommand}; give options after it"
            )
        return
    if options["published"] and {"accuracy", "least"} & set(given):
        raise UsageError("--published has thresholds of its own; leave out --accuracy and --least")
    import time

    from fieldmouse.jobs.label_archive import LabelOrder, label_archive

    with open_archive(obj) as archive:
        classes = _classes(options["place"] or archive.settings.labels.classes)
        order = LabelOrder(
            classes=classes, dictionary=_dictionary(options["dictionary"]),
            **{name: options[name] for name in ORDERED},
        )  # fmt: skip
        pool = common.opened_executor(obj, options["executor"], options["jobs"])
        line = common.StatusLine(quiet=options["as_json"])
        with archive.writing() as store, pool as executor:
            report = label_archive(
                store, order, time.time(), lambda count: line.show(f"pages read: {count:,}"), executor
            )
        line.end()
        rows = list(archive.reader.labels.all(classes.name))
        if options["out"]:
            heads = ("url", "class", "probability", "chosen", "evidence")
            _write(options["out"], heads, ((one.url, *one[2:6]) for one in rows))
        measured = None
        if options["gold"] or options["figure"]:
            gold = _gold(options["gold"], archive.canon) if options["gold"] else None
            measured = _measure(rows, gold, report.pages)
            if options["figure"]:
                _draw(options["figure"], classes.name, measured)
    if options["as_json"]:
        accuracy = measured[1] if measured and options["gold"] else None
        print_json({**common.plain(report), "accuracy": accuracy})
        return
    _print_report(report, "pages" if options["every_page"] else "sites")
    if measured and options["gold"]:
        echo(f"right by {options['gold'].name}: {measured[1]:.1%} of the {measured[2]} labels that it knows")


def _print_report(report: "LabelReport", what: str) -> None:
    for one in report.warnings:
        echo(f"warning: {one}", err=True)
    share = report.labelled / report.pages
    pairs = [
        (what, str(report.pages)),
        ("names split", f"{report.split}  {report.split / report.pages:.1%}"),
        ("labelled", f"{report.labelled}  {share:.1%}"),
    ]
    if report.expected_accuracy is not None:
        pairs.append(("expected accuracy", f"{report.expected_accuracy:.1%}"))
    if report.agreement is not None:
        pairs.append(("agreement with you", f"{report.agreement:.1%} of {report.answers} answers"))
    common.print_pairs(pairs)
    common.print_pairs([(name, str(n)) for name, n in report.by_class.items()], "  ")
    if report.without:
        echo("without a label: " + "; ".join(f"{n} {reason}" for reason, n in report.without.items()))
    if not report.labelled:
        echo("other keywords, a lower --accuracy or 30 of your answers may give labels", err=True)
    echo("next: `label review` answers the least certain; `train classes` learns from the labels", err=True)


def _classes(place: str) -> "ClassList":
    from fieldmouse.labels.classes import load_classes

    if not place:
        raise UsageError("say which classes: --classes FILE, or --classes business for the shipped list")
    return load_classes(place)


def _dictionary(file: Path | None) -> dict[str, int] | None:
    from fieldmouse.labels.split import read_dictionary

    return read_dictionary(common.read_text(file), str(file)) if file else None


def _write(file: Path, names: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> None:
    from fieldmouse.jobs.table_files import format_of, table_bytes

    kind = format_of(file)
    if kind is None:
        raise UsageError(f"{file}: the name must end with .csv, .jsonl, .json or .parquet")
    common.write_chunks(file, kind, table_bytes(kind, list(names), rows))


def _gold(file: Path, canon: Callable[[str], str | None]) -> dict[str, set[str]]:
    """The true classes by URL; a file may name hosts instead of URLs."""
    import csv
    import io

    found: dict[str, set[str]] = {}
    for number, row in enumerate(csv.reader(io.StringIO(common.read_text(file))), 1):
        if not row or row[:2] == ["url", "class"]:
            continue
        if len(row) != 2:
            raise UsageError(f"{file}, line {number}: expected url,class, not {','.join(row)!r}")
        url = canon(row[0] if "://" in row[0] else f"http://{row[0]}/")
        if url is None:
            raise UsageError(f"{file}, line {number}: {row[0]!r} is not an address")
        found.setdefault(url, set()).add(row[1].strip())
    return found


Measured = tuple[list[Any], float, int]


def _measure(rows: "list[LabelRow]", gold: dict[str, set[str]] | None, pages: int) -> Measured:
    """The curve over all best classes; of the labels that could be checked, the share that is right."""
    from fieldmouse.labels.accuracy_curve import accuracy_curve

    best: dict[str, LabelRow] = {}
    for row in rows:
        best.setdefault(row.url, row)
    if gold is None:
        chances = [row.probability for row in best.values()]
        return accuracy_curve(chances, chances, pages), sum(chances) / max(1, len(chances)), len(chances)
    known = [(row, float(row.name in gold[url])) for url, row in best.items() if url in gold]
    curve = accuracy_curve([row.probability for row, _ in known], [right for _, right in known], len(gold))
    sure = [right for row, right in known if row.chosen]
    return curve, sum(sure) / max(1, len(sure)), len(sure)


def _draw(file: Path, name: str, measured: Measured) -> None:
    from fieldmouse.labels.accuracy_curve import draw_curves

    common.write_text(file, draw_curves({name: measured[0]}, {}))


class NameRow(NamedTuple):
    """A name that was split and labelled."""

    name: str
    words: str
    probability: float
    best: str = ""
    membership: float = 0.0
    reason: str = ""


@label.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@classes_option
@published_option
@dictionary_option
@click.option("--out", type=NEW_FILE, help="Write to this CSV or JSON lines file; by default to stdout.")
@click.option("--split-only", is_flag=True, help="Split the names, without labels.")
@json_option
def names(file: str, place: str | None, as_json: bool, **options: Any) -> None:
    """Split and label a list of domain names, one a line, without an archive.

    The file may be packed with gzip or zstd; - is stdin. Rows are name, words, probability of this reading,
    class, membership and reason.
    """
    from fieldmouse.jobs.table_files import table_bytes
    from fieldmouse.labels.split import Splitters

    if options["split_only"] and place:
        raise UsageError("--split-only gives no labels; leave out --classes, or --split-only")
    classes = None if options["split_only"] else _classes(place or "")
    for warning in classes.warnings if classes else ():
        echo(f"warning: {warning}", err=True)
    splitters = Splitters(_dictionary(options["dictionary"]))
    splitter: NameSplitter | DictionarySplitter = splitters.learned
    if options["published"]:
        splitter = splitters.published
    heads = ["name", "words", "probability", "class", "membership", "reason"]
    counts = NameCounts()
    found = counts.each(_name_rows(_lines(file), classes, splitter))
    if options["out"]:
        _write(options["out"], heads, found)
    else:
        kind = "json" if as_json else "csv"
        common.print_chunks(kind, table_bytes(kind, heads, found))
    if options["out"] and as_json:
        print_json(counts)
        return
    said = f"{counts.names:,} names, {counts.split:,} of them split"
    echo(said + (f", {counts.labelled:,} labelled" if classes else ""), err=True)


@dataclass(slots=True)
class NameCounts:
    """What came of a list of names."""

    names: int = 0
    split: int = 0
    labelled: int = 0

    def each(self, rows: Iterable[NameRow]) -> Iterator[NameRow]:
        """The same rows, counted."""
        for row in rows:
            self.names += 1
            self.split += row.probability > 0
            self.labelled += bool(row.best)
            yield row


def _lines(file: str) -> Iterator[str]:
    from fieldmouse.files.text_lines import TextLines

    with click.open_file(file, "rb") as opened:
        lines = TextLines(cast("BinaryIO", opened), LONGEST_NAME)
        for line in lines.text():
            if (name := line.strip()) and not name.startswith("#"):
                yield name
        if lines.too_long:
            echo(f"{file}: {lines.too_long} lines that are too long for a name were skipped", err=True)
        if lines.problem:
            raise UsageError(f"{file} is damaged at {lines.problem}")


def _name_rows(
    lines: Iterable[str], classes: "ClassList | None", splitter: "NameSplitter | DictionarySplitter"
) -> Iterator[NameRow]:
    from fieldmouse.labels.evidence import EvidenceReader
    from fieldmouse.labels.labeller import label_published
    from fieldmouse.labels.measures import ClassRanker

    if classes is None:
        for name in lines:
            said = splitter.split(name)
            yield NameRow(name, " ".join(said.words), round(said.probability, 4))
        return
    using, ranker = EvidenceReader(classes, splitter), ClassRanker([one.terms for one in classes.classes])
    for name in lines:
        page = using.name(name)
        found = label_published(ranker, classes, page)
        best = found.labels[0] if found.labels else None
        yield NameRow(
            name, " ".join(page.words), round(page.probability, 4), best.name if best else "",
            round(best.probability, 4) if best else 0.0, found.reason,
        )  # fmt: skip


@label.command()
@list_option
@click.option("--most", default=20, show_default=True, type=click.IntRange(1), help="Pages to show.")
@click.option("--check", is_flag=True, help="Show random labels instead, to see how many are right.")
@archive_options
def review(obj: str, name: str, most: int, check: bool, as_json: bool) -> None:
    """Answer for the pages that the labeller is least certain of.

    Your answer wins over the label and teaches the next `label` and `train classes`; from 30 answers on the
    probabilities follow them. With --json the pages are listed and nothing is asked; `label answer` takes
    answers from scripts.
    """
    import time

    from fieldmouse.jobs.label_archive import agreement, answer_review, archive_classes, review_list

    with open_archive(obj) as archive:
        classes = archive_classes(archive.reader, name)
        items = review_list(archive.reader, classes.name, most, check=check)
        if as_json:
            print_json({"classes": classes.names, "pages": items, "agreement": _agreed(archive.reader, name)})
            return
        if not items:
            echo("there is nothing to review: every labelled page has your answer")
        for place, item in enumerate(items, 1):
            names = _ask(item, classes.names, f"{place} of {len(items)}")
            if names is None:
                continue
            if names == ("quit",):
                break
            with archive.writing() as store:
                answer_review(store, item.url, names, time.time(), classes.name)
        said = agreement(archive.reader, classes.name)
    if said.answers:
        echo(f"you and the labeller agree on {said.agreed} of {said.answers} pages")
    if said.labelled:
        echo(f"of its labels, {said.labels_agreed} of {said.labelled} that you checked are right")
    if said.answers:
        echo("next: `label` again learns from your answers; `train classes` uses them already", err=True)


def _agreed(reader: Any, name: str) -> Any:
    from fieldmouse.jobs.label_archive import agreement

    return agreement(reader, name)


def _ask(item: "ReviewItem", names: tuple[str, ...], place: str) -> tuple[str, ...] | None:
    """The answer of a person; None to skip."""
    echo(f"\n{place}  {item.url}\n  {item.title}")
    for one in item.evidence:
        echo(f"  {one}")
    state = "label" if item.labelled else "best guess"
    echo(f"  {state}: {item.best} ({item.probability:.0%})")
    echo("  " + "  ".join(f"{number} {name}" for number, name in enumerate(names, 1)))
    while True:
        text = click.prompt(
            "  Enter: right; numbers: its classes; 0: none of them; s: skip; q: quit", default="",
            show_default=False,
        ).strip()  # fmt: skip
        if text in ("s", "q"):
            return None if text == "s" else ("quit",)
        if not text:
            return (item.best,)
        if text == "0":
            return ()
        picked = text.replace(",", " ").split()
        if all(one.isdigit() and 0 < int(one) <= len(names) for one in picked):
            return tuple(names[int(one) - 1] for one in picked)
        echo(f"  answer with numbers from 0 to {len(names)}, s or q")


@label.command()
@click.argument("url")
@click.argument("answers", nargs=-1, metavar="[CLASS]...")
@list_option
@archive_options
def answer(obj: str, url: str, answers: tuple[str, ...], name: str, as_json: bool) -> None:
    """Answer for one page: its classes, or none of them if no CLASS is given."""
    import time

    from fieldmouse.jobs.label_archive import answer_review

    with open_archive(obj) as archive, archive.writing() as store:
        found = answer_review(store, archive.canon(url) or url, answers, time.time(), name)
    if as_json:
        print_json({"url": url, "classes": found.names})
    else:
        echo(f"stored: {', '.join(found.names) or 'none of the classes'}")


@label.group()
def classes() -> None:
    """Look at lists of classes, and find keywords for a class."""


@classes.command()
@click.argument("place", metavar="FILE|NAME")
@json_option
def show(place: str, as_json: bool) -> None:
    """Print a list of classes as TOML, to copy and change; warnings go to stderr."""
    from fieldmouse.labels.classes import to_toml_text

    found = _classes(place)
    for one in found.warnings:
        echo(f"warning: {one}", err=True)
    if as_json:
        print_json({one.name: dict(one.keywords) for one in found.classes})
    else:
        echo(to_toml_text(found), nl=False)


@classes.command()
@click.argument("word", metavar="NAME")
@click.option("--most", default=30, show_default=True, type=click.IntRange(1), help="Number of keywords.")
@click.option("--no-archive", is_flag=True, help="Use WordNet only, not the pages of the archive.")
@archive_options
def suggest(obj: str, word: str, most: int, no_archive: bool, as_json: bool) -> None:
    """Suggest keywords for a class from its NAME: by WordNet, and by the archive's own pages."""
    from fieldmouse.jobs.label_archive import suggest_keywords
    from fieldmouse.setting_values import to_toml
    from fieldmouse.store import is_archive

    if no_archive or not is_archive(Path(obj)):
        found = suggest_keywords(word, None, most)
    else:
        with open_archive(obj) as archive:
            found = suggest_keywords(word, archive.reader, most)
    if as_json:
        print_json(found)
        return
    echo(f"[classes.{to_toml(word)}.keywords]")
    for one in found:
        echo(f"{to_toml(one.word)} = {one.weight:g}  # {one.source}")
