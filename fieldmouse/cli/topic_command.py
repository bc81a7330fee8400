"""The command `topic`."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from .common import json_option, open_archive, print_json, read_text

if TYPE_CHECKING:
    from fieldmouse.focus.seeds import Provider, Seeds, StoredPage
    from fieldmouse.focus.topic import Topic
    from fieldmouse.focus.topic_examples import TopicExample
    from fieldmouse.library import Archive

UNSPACED = (
    "this script has no spaces between words, and words are not segmented: few pages will match the topic"
)


@click.group()
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
    "--results",
    multiple=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Find seeds in this CSV file of result lists: query,source,url.",
)
@click.option("--stored", is_flag=True, help="Find seeds among the pages already in the archive.")
@click.option("--keywords", default=14, type=click.IntRange(1), show_default=True, help="Number of keywords.")
@click.option(
    "--recipe",
    default="corrected",
    type=click.Choice(["corrected", "published", "counts"]),
    show_default=True,
    help="How keywords are weighted, see the reference; published is that of Safran et al. 2012.",
)
@json_option
@click.pass_obj
def build(obj: str, /, words: str, **asked: Any) -> None:
    """Build the topic WORDS and store it in the archive, as a file that can be edited by hand."""
    from fieldmouse.crawl.guide_setup import topic_file
    from fieldmouse.focus import topic as topics
    from fieldmouse.focus import topic_examples
    from fieldmouse.focus.wordnet import load
    from fieldmouse.focus.words import unspaced

    with open_archive(obj) as archive:
        found = _found(words, archive, asked)
        good, bad = (*asked["examples"], *found.relevant), (*asked["off"], *found.irrelevant)
        known = [*_examples(archive, good, True), *_examples(archive, bad, False)]
        if clash := topic_examples.contradiction(known):
            raise UsageError(
                f"the same text is an example on topic and off topic: {' and '.join(clash)}; leave one out"
            )
        made = topics.build(
            words,
            topics.Examples(*([one.text for one in known if one.relevant is side] for side in (True, False))),
            background=load().background,
            size=asked["keywords"],
            recipe=asked["recipe"],
            seeds=([*_addresses(archive, good)], [*_addresses(archive, bad)]),
        )
    file = topic_file(Path(obj), words)
    file.parent.mkdir(exist_ok=True)
    topic_examples.save(known, file)
    if topics.save(made, file):
        click.echo(f"the previous topic was saved as {topics.former_file(file)}", err=True)
    for problem in (*found.problems, *([UNSPACED] if unspaced(words) else [])):
        click.echo(problem, err=True)
    _print(made, file, json=asked["as_json"])


@topic.command()
@click.argument("name")
@json_option
@click.pass_obj
def show(obj: str, name: str, as_json: bool) -> None:
    """Show a topic's keywords with weights, and its number of seeds."""
    from fieldmouse.crawl.guide_setup import find, topic_file

    _print(find(Path(obj), name), topic_file(Path(obj), name), json=as_json)


@topic.command("list")
@json_option
@click.pass_obj
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
        click.echo('there is no topic yet; create one with `topic build "WORDS"`', err=True)
    for one, file in found:
        click.echo(f"{one.name}  {len(one.keywords)} keywords, {len(one.relevant)} relevant seeds  {file}")


def _print(topic: "Topic", file: Path, *, json: bool) -> None:
    if json:
        rows = [{"word": one.word, "stem": one.stem, "weight": one.weight} for one in topic.keywords]
        seeds = {"relevant": topic.relevant, "irrelevant": topic.irrelevant}
        print_json({"name": topic.name, "file": str(file), "keywords": rows, **seeds})
        return
    click.echo(f"{topic.name}: {len(topic.relevant)} relevant and {len(topic.irrelevant)} irrelevant seeds")
    for place, one in enumerate(topic.keywords, 1):
        click.echo(f"{place:>4}  {one.word:<20} {one.weight:.4f}")
    click.echo(f"stored in {file}")


def _found(words: str, archive: "Archive", asked: dict[str, Any]) -> "Seeds":
    """Seeds from the providers that were named; none were named, none are found."""
    from fieldmouse.focus.seeds import ArchiveSearch, ResultFile, SearxNG, Seeds, generate

    providers: list[Provider] = [SearxNG(url, _fetcher(archive)) for url in asked["searxng"]]
    providers += [ResultFile(read_text(file)) for file in asked["results"]]
    if asked["stored"]:
        providers.append(ArchiveSearch(lambda: _stored(archive)))
    return generate(words, providers) if providers else Seeds((), (), ())


def _stored(archive: "Archive") -> "Iterator[StoredPage]":
    from fieldmouse.focus.seeds import StoredPage

    for page in archive.pages():
        yield StoredPage(page.url, page.title, page.text)


def _fetcher(archive: "Archive") -> Callable[[str], bytes]:
    """One request through the web room: the guard, the limits and our name apply."""
    import asyncio

    from fieldmouse.service.setup import check_contact, guard
    from fieldmouse.types import Response, Ticket
    from fieldmouse.urls import host_key
    from fieldmouse.web.http_client import HttpClient

    async def ask(url: str) -> bytes:
        async with HttpClient(archive.settings, guard=guard(archive.settings)) as web:
            last = (await web.follow(Ticket(url=url, host=host_key(url))))[-1]
        if isinstance(last, Response) and last.status == 200:
            return last.content
        told = f"answered {last.status}" if isinstance(last, Response) else last.detail
        raise OSError(f"{url} {told}")

    check_contact(archive.settings)
    return lambda url: asyncio.run(ask(url))


def _examples(archive: "Archive", places: tuple[str, ...], relevant: bool) -> "Iterator[TopicExample]":
    """The text of each example: a file, a stored page, or one fetched now."""
    from fieldmouse.focus.topic_examples import LONGEST, TopicExample
    from fieldmouse.page.read import read
    from fieldmouse.page.text import visible_text

    for place in places:
        name = (archive.canon(place) or place) if "://" in place else place
        if "://" in place and (page := archive.page(place)) is not None:
            yield TopicExample(name, relevant, f"{page.title}\n{page.text}"[:LONGEST])
            continue
        content = _fetched(archive, place) if "://" in place else _from_file(place)
        if content is not None:
            facts = read(content)
            text = visible_text(content, facts.index, facts.charset)
            yield TopicExample(name, relevant, f"{facts.title}\n{text}"[:LONGEST])


def _fetched(archive: "Archive", url: str) -> bytes | None:
    """A seed that is dead is told about and left out."""
    try:
        return _fetcher(archive)(url)
    except OSError as error:
        click.echo(f"example ignored: {error}", err=True)
        return None


def _from_file(place: str) -> bytes:
    try:
        return Path(place).read_bytes()
    except OSError as error:
        raise UsageError(f"{place} cannot be read: {error.strerror}") from None


def _addresses(archive: "Archive", places: tuple[str, ...]) -> Iterator[str]:
    return (url for place in places if "://" in place and (url := archive.canon(place)))
