"""The command `topic`."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import json_option, open_archive, print_json, read_text

if TYPE_CHECKING:
    from fieldmouse.focus.topic import Topic
    from fieldmouse.library import Archive


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
    from fieldmouse.jobs.build_topic import TopicBuilder, TopicRequest

    as_json = asked.pop("as_json")
    asked["results"] = tuple(map(read_text, asked["results"]))
    with open_archive(obj) as archive:
        builder = TopicBuilder(Path(obj), archive.reader, archive.canon, _fetcher(archive))
        built = builder.build(TopicRequest(name=words, **asked))
    if built.former:
        click.echo(f"the previous topic was saved as {built.former}", err=True)
    for problem in built.problems:
        click.echo(problem, err=True)
    _print(built.topic, built.file, json=as_json)


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


def _fetcher(archive: "Archive") -> Callable[[str], bytes]:
    """Fetches one URL with the guard, the limits and the user agent of a crawl."""
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

    def fetch(url: str) -> bytes:
        check_contact(archive.settings)
        return asyncio.run(ask(url))

    return fetch
