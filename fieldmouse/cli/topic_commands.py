"""The commands on topics: `topic`, `classify` and `evaluate`."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from . import common
from .common import (
    EXISTING_FILE,
    ListByDefault,
    archive_options,
    echo,
    json_option,
    open_archive,
    print_json,
    read_text,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from fieldmouse.focus.evaluation import Curve, Interval
    from fieldmouse.focus.ridge_judge import TopicShare
    from fieldmouse.focus.topic import Topic
    from fieldmouse.jobs.classify import Classified
    from fieldmouse.library import Archive
    from fieldmouse.store.contract import StoreReader
    from fieldmouse.store.records import TopicPage


@click.group(cls=ListByDefault)
def topic() -> None:
    """Define what a crawl looks for.

    A topic has words, examples and seeds.
    """


@topic.command()
@click.argument("words")
@click.option("--example", "examples", multiple=True, metavar="FILE|URL", help="A page on topic.")
@click.option("--off", multiple=True, metavar="FILE|URL", help="A page off topic.")
@click.option("--searxng", multiple=True, metavar="URL", help="Find seeds with this SearXNG server.")
@click.option(
    "--results", multiple=True, type=EXISTING_FILE,
    help="Find seeds in this CSV file of result lists: query,source,url.",
)  # fmt: skip
@click.option("--stored", is_flag=True, help="Find seeds among the pages already in the archive.")
@click.option("--keywords", default=14, type=click.IntRange(1), show_default=True, help="Number of keywords.")
@click.option(
    "--recipe", type=click.Choice(["corrected", "published", "counts"]), default="corrected",
    show_default=True,
    help="How keywords are weighted, see the reference; published is that of Safran et al. 2012.",
)  # fmt: skip
@archive_options
def build(obj: str, /, words: str, as_json: bool, **options: Any) -> int:
    """Build the topic WORDS and store it in the archive, as a file that can be edited by hand."""
    import asyncio

    from fieldmouse.exits import Exit
    from fieldmouse.jobs.build_topic import TopicRequest, build_topic
    from fieldmouse.service.setup import check_contact, guard
    from fieldmouse.types import Response, Ticket
    from fieldmouse.urls import Canon, host_key
    from fieldmouse.web.http_client import HttpClient

    async def request(url: str) -> bytes:
        async with HttpClient(archive.settings, guard=guard(archive.settings)) as web:
            last = (await web.follow(Ticket(url=url, host=host_key(url))))[-1]
        if isinstance(last, Response) and last.status == 200:
            return last.content
        problem = f"answered {last.status}" if isinstance(last, Response) else last.detail
        raise OSError(f"{url} {problem}")

    def fetch(url: str) -> bytes:
        """The content of a URL, with the guard, the limits and the user agent of a crawl."""
        check_contact(archive.settings)
        return asyncio.run(request(url))

    for url in options["searxng"]:
        if not url.startswith(("http://", "https://")) or not Canon()(url):
            raise UsageError(f"--searxng {url!r} is not an http or https URL")
    options["results"] = tuple(map(read_text, options["results"]))
    with open_archive(obj) as archive:
        built = build_topic(archive.reader, archive.canon, fetch, TopicRequest(name=words, **options))
    if built.former:
        echo(f"the previous topic was saved as {built.former}", err=True)
    for problem in built.problems:
        echo(problem, err=True)
    _print(built.topic, built.file, as_json=as_json)
    unread = tuple(one for one in built.problems if one.startswith("example not read"))
    failed = [any(f" {url} " in one for one in unread) for url in options["examples"]]
    return Exit.ALL_FAILED if failed and all(failed) else Exit.DONE


@topic.command()
@click.argument("name")
@click.option("--pages", default=10, type=click.IntRange(0), show_default=True, help="Number of pages shown.")
@click.option("--figure", type=click.Path(), help="Draw the harvest over the pages of the crawl, as SVG.")
@archive_options
def show(obj: str, name: str, pages: int, figure: str | None, as_json: bool) -> None:
    """Show a topic: keywords and seeds, the harvest, and the best pages with the evidence."""
    from itertools import islice

    from fieldmouse.crawl.guide_setup import find, topic_file

    with open_archive(obj) as archive:
        found, file = find(Path(obj), name), topic_file(Path(obj), name)
        harvests = [one for one in archive.harvests() if one.topic == found.name]
        best = [one for one in islice(archive.reader.topic_pages(found.name), pages) if one.score > 0.5]
        best = [_in_whole_words(archive.reader, one) for one in best]
    if figure:
        from fieldmouse.focus.evaluation import draw_harvest

        Path(figure).write_text(draw_harvest({one.learner: one.curve for one in harvests}), "utf-8")
    _print(found, file, as_json=as_json, harvest=harvests, pages=best)
    if as_json:
        return
    for one in harvests:
        echo(f"harvest by {one.learner}: {one.stated}")
    for page in best:
        echo(f"{page.score:.2f}  {page.url}  {page.title}")
        echo(f"      {page.reasons}")


def _in_whole_words(reader: "StoreReader", page: "TopicPage") -> "TopicPage":
    """A judged page with its evidence in words that people know."""
    from fieldmouse.report.evidence_words import page_evidence

    return page._replace(reasons=page_evidence(reader, reader.page(page.url), page.reasons))


@topic.command()
@click.argument("name")
@click.argument("url")
@click.argument("answer", type=click.Choice(["yes", "no"]))
@archive_options
def label(obj: str, name: str, url: str, answer: str, as_json: bool) -> None:
    """Say that the stored page URL is on the topic NAME (yes) or off it (no).

    The judge of pages learns from it at once.
    """
    with open_archive(obj) as archive:
        share = archive.label_topic(name, {url: answer == "yes"})
    if as_json:
        print_json({"url": url, "answer": answer, "share": share})
        return
    echo(f"{url} is {'on' if answer == 'yes' else 'off'} topic; the judge has learned it")
    _print_share(share)


@topic.command()
@click.argument("name")
@click.option("--count", default=10, type=click.IntRange(1), show_default=True, help="Number of pages.")
@click.option("--seed", type=int, help="Seed of the random choice.")
@archive_options
def review(obj: str, name: str, count: int, seed: int | None, as_json: bool) -> None:
    """Answer which pages are on the topic NAME; asks about those that teach the judge most.

    With --json the pages are listed, to be answered with `topic label`. After ten answers the share of pages
    on the topic is estimated from them.
    """
    import random

    from fieldmouse.crawl.guide_setup import find
    from fieldmouse.jobs.label_topic import harvest_by_answers
    from fieldmouse.jobs.label_topic import review as chosen

    with open_archive(obj) as archive:
        found = find(Path(obj), name)
        labelled = {*found.relevant, *found.irrelevant}
        shown = chosen(list(archive.reader.topic_pages(found.name)), labelled, count, random.Random(seed))  # noqa: S311
        if as_json:
            print_json([{**page._asdict(), "stratum": stratum} for page, stratum in shown.questions])
            return
        if not shown.questions:
            echo(
                f"no page was judged for {found.name!r} yet; crawl with --topic, or run `classify`", err=True
            )
            return
        answers: dict[str, bool] = {}
        for place, (page, _) in enumerate(shown.questions, 1):
            echo(f"{place} of {len(shown.questions)}  {page.title or page.url}")
            echo(f"    {page.url}")
            echo(f"    score {page.score:.2f}: {_in_whole_words(archive.reader, page).reasons}")
            said = click.prompt(
                "    on topic? (y, n, skip, quit)",
                type=click.Choice(["y", "yes", "n", "no", "s", "skip", "q", "quit"], case_sensitive=False),
                default="skip", show_choices=False, err=True,
            )  # fmt: skip
            if said[0] == "q":
                break
            if said[0] in "yn":
                answers[page.url] = said[0] == "y"
        if not answers:
            echo("no answers, nothing learned", err=True)
            return
        share = archive.label_topic(name, answers)
    agreed = sum(
        (page.score > 0.5) is answers[page.url] for page, _ in shown.questions if page.url in answers
    )
    echo(f"learned {len(answers)} answers; the judge agreed with {agreed} of them")
    _print_share(harvest_by_answers(shown, answers) or share)


def _print_share(share: "TopicShare | None") -> None:
    if share is not None:
        echo(f"about {share.share:.0%} of the pages are on topic ({share.low:.0%} to {share.high:.0%})")


def _print(topic: "Topic", file: Path, *, as_json: bool, **more: Any) -> None:
    if as_json:
        rows = [{"word": one.word, "stem": one.stem, "weight": one.weight} for one in topic.keywords]
        seeds = {"relevant": topic.relevant, "irrelevant": topic.irrelevant}
        print_json({"name": topic.name, "file": str(file), "keywords": rows, **seeds, **more})
        return
    echo(f"{topic.name}: {len(topic.relevant)} relevant and {len(topic.irrelevant)} irrelevant seeds")
    for place, one in enumerate(topic.keywords, 1):
        echo(f"{place:>4}  {one.word:<20} {one.weight:.4f}")
    echo(f"stored in {file}")


@topic.command("list")
@archive_options
def list_(obj: str, as_json: bool) -> None:
    """List the topics of the archive."""
    from fieldmouse.crawl.guide_setup import FOLDER
    from fieldmouse.focus.topic import load

    with open_archive(obj) as archive:
        found = [(load(file), file) for file in sorted((archive.folder / FOLDER).glob("*.toml"))]
    if as_json:
        print_json([{"name": one.name, "file": str(file), "seeds": one.relevant} for one, file in found])
        return
    if not found:
        echo('there is no topic yet; create one with `topic build "WORDS"`', err=True)
    for one, file in found:
        echo(f"{one.name}  {len(one.keywords)} keywords, {len(one.relevant)} relevant seeds  {file}")


@click.command()
@click.option("--topic", "name", help="A topic of the archive, or a topic file; by default focus.topic.")
@click.option("--classes", is_flag=True, help="Sort pages by the classifier of `train classes` instead.")
@click.option("--least", default=0.5, show_default=True, help="Print pages with at least this score.")
@common.executor_options
@common.quiet_option
@archive_options
def classify(obj: str, /, *, name: str | None, classes: bool, least: float, **options: Any) -> None:
    """Judge every stored page, crawled or imported, by a topic, or sort it into your classes.

    It uses the page judge of a focused crawl, with what it learned. The scores are stored: see the views
    relevant_table and irrelevant_table. With --classes, see the view page_classes.
    """
    as_json, line = options["as_json"], common.StatusLine(quiet=options["quiet"])
    judged: list[Classified] = []
    with (
        open_archive(obj) as archive,
        common.opened_executor(obj, options["executor"], options["jobs"]) as pool,
    ):
        if classes:
            _classify_by_classes(archive, least, line, pool, as_json=as_json)
            return
        for one in archive.classify(name or "", executor=pool):
            judged.append(one)
            line.show(f"{len(judged):,} pages judged")
    line.end()
    relevant = sorted((one for one in judged if one.score >= least), key=lambda one: (-one.score, one.url))
    if as_json:
        print_json({"pages": len(judged), "relevant": len(relevant), "judged": judged})
        return
    for one in relevant:
        echo(f"{one.score:.4f}  {one.url}")
    echo(f"{len(relevant)} of {len(judged)} pages are on topic", err=True)


def _classify_by_classes(
    archive: "Archive", least: float, line: common.StatusLine, pool: "Executor | None", *, as_json: bool
) -> None:
    import time
    from collections import Counter

    from fieldmouse.jobs.train_classes import classify_pages

    with archive.writing() as store:
        found = list(classify_pages(store, time.time(), lambda n: line.show(f"{n:,} pages sorted"), pool))
    line.end()
    if as_json:
        print_json([{"url": url, "classes": dict(one.found)} for url, one in found])
        return
    counts: Counter[str] = Counter()
    for url, one in found:
        for name, chance in one.found:
            counts[name] += 1
            if chance >= least:
                echo(f"{chance:.4f}  {name}  {url}")
    said = ", ".join(f"{n} {name}" for name, n in counts.most_common())
    echo(f"{len(found)} pages: {said or 'none has a class'}", err=True)


@click.group()
def evaluate() -> None:
    """Measure a crawl against labels that it did not use, or predictions against what happened."""


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
@click.option("--figure", type=common.NEW_FILE, help="Draw precision by pages to this SVG.")
@archive_options
def evaluate_crawl(
    obj: str, /, runs: tuple[str, ...], file: Path, figure: Path | None, **options: Any
) -> None:
    """Measure precision after 50 to 2000 pages in download order, and target recall.

    Several archives are compared under their NAME, or the learner of their crawl. Archives with the same name
    are averaged, with a 95 % confidence interval.
    """
    from fieldmouse.crawl.guide_setup import find, topic_file
    from fieldmouse.focus.evaluation import MARKS, curve, draw, labelled_pages, means

    labels = read_text(file)
    found: dict[str, list[Curve]] = {}
    for run in runs or (obj,):
        name, equals, folder = run.rpartition("=")
        with open_archive(folder) as archive:
            harvests = archive.harvests()
            topic = harvests[-1].topic if harvests else ""
            learner = harvests[-1].learner if harvests else archive.folder.resolve().name
            targets = labelled_pages(labels, archive.canon, options["subject"] or topic, str(file))
            known: set[str] = set()  # before the first request
            if options["without_seeds"]:
                known.update(one.url for one in archive.reader.pages() if one.via == "seed")
                if topic and topic_file(archive.folder, topic).exists():
                    examples = find(archive.folder, topic)
                    known.update(examples.relevant, examples.irrelevant)
            pages = [url for url in archive.downloaded() if url not in known]
        found.setdefault(name if equals else learner, []).append(curve(pages, targets - known))
    if figure is not None:
        common.write_text(figure, draw(found))
    if not runs:
        _print_curve(next(iter(found.values()))[0], as_json=options["as_json"])
        return
    averages = means(found)
    if options["as_json"]:
        print_json({"runs": found, "means": averages})
        return
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
    common.print_table(("", "crawls", "pages", *map(str, MARKS), "mean harvest rate", "target recall"), rows)


@evaluate.command("filtering")
@click.argument("runs", nargs=-1, required=True, metavar="NAME=DIR...")
@click.option(
    "--full", required=True, type=click.Path(exists=True, file_okay=False),
    help="Archive of an unfocused crawl of the same web: filtering after the crawl.",
)  # fmt: skip
@click.option(
    "--labels", "file", type=EXISTING_FILE,
    help="CSV file of url,label rows; by default the classes by the classifier of --full.",
)  # fmt: skip
@click.option("--class", "subject", required=True, help="The class, or the label in the file.")
@json_option
def evaluate_filtering(
    runs: tuple[str, ...], full: str, file: Path | None, subject: str, as_json: bool
) -> None:
    """Compare focused crawls with crawling everything and filtering afterwards.

    Pages fetched, bytes, pages of the class that are stored, and those that only the full crawl has.
    """
    from fieldmouse.focus.evaluation import labelled_pages

    with open_archive(full) as archive:
        fetched = set(archive.downloaded())
        if file is not None:
            targets = labelled_pages(read_text(file), archive.canon, subject, str(file)) & fetched
        else:
            lists = archive.reader.labels
            known = [name for name, _ in lists.lists()]
            targets = frozenset(url for name in known for url in lists.pages_of(name, subject))
        totals = archive.status()
    if not targets:
        raise UsageError(f"the full crawl has no page of {subject!r}; run `classify --classes` there")
    rows = [("filtered after", len(fetched), totals.body_bytes, len(targets))]
    for run in runs:
        name, _, folder = run.rpartition("=")
        with open_archive(folder) as archive:
            fetched = set(archive.downloaded())
            stored = {one.url for one in archive.pages()}
            rows.append((name or folder, len(fetched), archive.status().body_bytes, len(stored & targets)))
    found = [
        {
            "crawl": name, "pages": pages, "bytes": size, "found": got, "lost": len(targets) - got,
            "pages_for_each": round(pages / got, 2) if got else None,
        }
        for name, pages, size, got in rows
    ]  # fmt: skip
    if as_json:
        print_json(found)
        return
    cells = [
        (
            str(one["crawl"]), str(one["pages"]), common.size(float(str(one["bytes"]))), str(one["found"]),
            f"{one['lost']} ({int(str(one['lost'])) / len(targets):.1%})", str(one["pages_for_each"] or "-"),
        )
        for one in found
    ]  # fmt: skip
    common.print_table(("", "pages", "bytes", f"of {subject}", "lost", "pages for each"), cells)


def _print_curve(one: "Curve", *, as_json: bool) -> None:
    if as_json:
        print_json(one)
        return
    common.print_pairs(
        [
            *((f"precision at {mark}", f"{value:.4f}") for mark, value in one.precision.items()),
            ("harvest rate", f"{one.harvest:.4f}  of {one.pages} pages"),
            ("mean harvest rate", f"{one.mean_harvest:.4f}  averaged over all page counts"),
            ("target recall", f"{one.target_recall:.4f}  of {one.targets} targets"),
        ]
    )


def _interval(one: "Interval") -> str:
    return f"{one.mean:.4f}" + (f" ({one.low:.4f}-{one.high:.4f})" if one.low < one.high else "")
