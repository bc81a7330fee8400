"""Commands about topics: build one, look at it, judge stored pages by it, measure a crawl by labels."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from .common import as_json, opened, print_json

if TYPE_CHECKING:
    from fieldmouse.focus.pages import PageJudge
    from fieldmouse.focus.seeds import Provider, Seeds, StoredPage
    from fieldmouse.focus.topic import Topic
    from fieldmouse.library import Archive

FOLDER = "topics"  # of an archive


def topic_file(folder: str, name: str) -> Path:
    """Where a topic is kept: a file that was named, or one of the archive's by the topic's words."""
    if name.endswith(".toml") or "/" in name:
        return Path(name)
    return Path(folder) / FOLDER / f"{re.sub(r'[^a-z0-9]+', '-', name.lower()).strip('-') or 'topic'}.toml"


@click.group()
def topic() -> None:
    """Say what a crawl looks for: words, examples and seeds."""


@topic.command()
@click.argument("words")
@click.option("--example", "examples", multiple=True, metavar="FILE|URL", help="A page on the topic.")
@click.option("--off", multiple=True, metavar="FILE|URL", help="A page that is not on the topic.")
@click.option("--searxng", multiple=True, metavar="URL", help="Find seeds with this SearXNG server.")
@click.option(
    "--results",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Find seeds in this CSV file of result lists: query,source,url.",
)
@click.option("--stored", is_flag=True, help="Find seeds among the pages already in the archive.")
@click.option("--keywords", default=14, type=click.IntRange(1), show_default=True, help="Words in the table.")
@as_json
@click.pass_obj
def build(obj: str, /, words: str, **asked: Any) -> None:
    """Make the topic WORDS and keep it in the archive, as a file that may be edited by hand."""
    from fieldmouse.focus import topic as topics
    from fieldmouse.focus.wordnet import load

    with opened(obj) as archive:
        found = _found(words, archive, asked)
        good, bad = (*asked["examples"], *found.relevant), (*asked["off"], *found.irrelevant)
        texts = topics.Examples([*_texts(archive, good)], [*_texts(archive, bad)])
        made = topics.build(
            words,
            texts,
            background=load().background,
            size=asked["keywords"],
            seeds=([*_addresses(archive, good)], [*_addresses(archive, bad)]),
        )
    file = topic_file(obj, words)
    file.parent.mkdir(exist_ok=True)
    topics.save(made, file)
    for problem in found.problems:
        click.echo(problem, err=True)
    _print(made, file, json=asked["as_json"])


@topic.command()
@click.argument("name")
@as_json
@click.pass_obj
def show(obj: str, name: str, as_json: bool) -> None:
    """Show a topic's table of keywords, and how many seeds it has."""
    from fieldmouse.focus.topic import load

    file = topic_file(obj, name)
    _print(load(file), file, json=as_json)


def _print(topic: "Topic", file: Path, *, json: bool) -> None:
    if json:
        rows = [{"word": one.word, "stem": one.stem, "weight": one.weight} for one in topic.keywords]
        seeds = {"relevant": topic.relevant, "irrelevant": topic.irrelevant}
        print_json({"name": topic.name, "file": str(file), "keywords": rows, **seeds})
        return
    click.echo(f"{topic.name}: {len(topic.relevant)} relevant and {len(topic.irrelevant)} irrelevant seeds")
    for place, one in enumerate(topic.keywords, 1):
        click.echo(f"{place:>4}  {one.word:<20} {one.weight:.4f}")
    click.echo(f"kept in {file}")


def _found(words: str, archive: "Archive", asked: dict[str, Any]) -> "Seeds":
    """Seeds from the providers that were named; none were named, none are found."""
    from fieldmouse.focus.seeds import ResultFile, SearxNG, Seeds, StoredPages, generate

    providers: list[Provider] = [SearxNG(url, _fetcher(archive)) for url in asked["searxng"]]
    providers += [ResultFile(file.read_text("utf-8")) for file in asked["results"]]
    if asked["stored"]:
        providers.append(StoredPages(lambda: _stored(archive)))
    return generate(words, providers) if providers else Seeds((), (), ())


def _stored(archive: "Archive") -> "Iterator[StoredPage]":
    from fieldmouse.focus.seeds import StoredPage

    for page in archive.pages():
        yield StoredPage(page.url, page.title, page.text)


def _fetcher(archive: "Archive") -> Callable[[str], bytes]:
    """One request through the web room: the guard, the limits and our name apply."""
    import asyncio

    from fieldmouse.crawl.setup import check_contact, guard
    from fieldmouse.types import Response, Ticket
    from fieldmouse.urls import host_key
    from fieldmouse.web.http import Web

    async def ask(url: str) -> bytes:
        async with Web(archive.settings, guard=guard(archive.settings)) as web:
            last = (await web.follow(Ticket(url=url, host=host_key(url))))[-1]
        if isinstance(last, Response) and last.status == 200:
            return last.content
        told = f"answered {last.status}" if isinstance(last, Response) else last.detail
        raise OSError(f"{url} {told}")

    check_contact(archive.settings)
    return lambda url: asyncio.run(ask(url))


def _texts(archive: "Archive", places: tuple[str, ...]) -> Iterator[str]:
    """The text of each example: a file, a stored page, or one fetched now."""
    from fieldmouse.page.read import read
    from fieldmouse.page.text import visible_text

    for place in places:
        if "://" in place and (page := archive.page(place)) is not None:
            yield page.text
            continue
        content = _fetched(archive, place) if "://" in place else _from_file(place)
        if content is not None:
            facts = read(content)
            yield visible_text(content, facts.index, facts.charset)


def _fetched(archive: "Archive", url: str) -> bytes | None:
    """A seed that is dead is told about and left out."""
    try:
        return _fetcher(archive)(url)
    except OSError as error:
        click.echo(f"left out as an example: {error}", err=True)
        return None


def _from_file(place: str) -> bytes:
    try:
        return Path(place).read_bytes()
    except OSError as error:
        raise UsageError(f"{place} cannot be read: {error.strerror}") from None


def _addresses(archive: "Archive", places: tuple[str, ...]) -> Iterator[str]:
    return (url for place in places if "://" in place and (url := archive.canon(place)))


@click.command()
@click.option("--topic", "name", required=True, help="A topic of the archive, or a topic's file.")
@click.option("--least", default=0.5, show_default=True, help="Print pages with at least this score.")
@as_json
@click.pass_obj
def classify(obj: str, name: str, least: float, as_json: bool) -> None:
    """Judge every stored page, crawled or imported: is it on the topic?"""
    from fieldmouse.focus.topic import load
    from fieldmouse.focus.words import Stems, counts

    stems, judged = Stems(), []
    with opened(obj) as archive:
        judge = _taught(archive, load(topic_file(obj, name)))
        for page in archive.pages():
            verdict = judge.judge(counts(page.text, stems))
            judged.append({"url": page.url, "score": round(verdict.score, 4), "reasons": verdict.reasons})
    on = [one for one in judged if float(str(one["score"])) >= least]
    if as_json:
        print_json({"pages": len(judged), "relevant": len(on), "judged": judged})
        return
    for one in sorted(on, key=lambda one: -float(str(one["score"]))):
        click.echo(f"{one['score']:.4f}  {one['url']}")
    click.echo(f"{len(on)} of {len(judged)} pages are on the topic", err=True)


def _taught(archive: "Archive", topic: "Topic") -> "PageJudge":
    """A judge of pages that has seen the topic's seeds, as far as they are stored."""
    from fieldmouse.focus.pages import PageJudge
    from fieldmouse.focus.wordnet import load
    from fieldmouse.focus.words import Stems, counts

    judge, stems = PageJudge(topic, load().background), Stems()
    for relevant, urls in ((True, topic.relevant), (False, topic.irrelevant)):
        for url in urls:
            if (page := archive.page(url)) is not None:
                judge.teach(counts(page.text, stems), relevant=relevant)
    return judge


@click.group()
def evaluate() -> None:
    """Measure what was done by labels that were not used for it."""


@evaluate.command("crawl")
@click.option(
    "--labels",
    "file",
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The judge: a CSV file of url,label rows with yes or no.",
)
@as_json
@click.pass_obj
def evaluate_crawl(obj: str, file: Path, as_json: bool) -> None:
    """Precision after 50 to 2000 pages, in the order they were downloaded, and target recall."""
    from fieldmouse.focus.measure import curve, labels

    wanted = frozenset(url for url, yes in labels(file.read_text("utf-8-sig"), str(file)).items() if yes)
    with opened(obj) as archive:
        found = curve([page.url for page in archive.pages()], wanted)
    if as_json:
        print_json(found._asdict())
        return
    for mark, value in found.precision.items():
        click.echo(f"precision at {mark:<5} {value:.4f}")
    click.echo(f"harvest rate       {found.harvest:.4f}  of {found.pages} pages")
    click.echo(f"target recall      {found.target_recall:.4f}  of {found.targets} targets")
