"""Builds a topic from words, example pages and search results, and stores it in the archive."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from fieldmouse.crawl.guide_setup import stored_text, topic_file
from fieldmouse.errors import UsageError
from fieldmouse.focus import topic as topics
from fieldmouse.focus.seeds import ArchiveSearch, Provider, ResultFile, SearxNG, Seeds, StoredPage, generate
from fieldmouse.focus.topic import LONGEST_EXAMPLE, Topic, TopicExample
from fieldmouse.focus.wordnet import load
from fieldmouse.focus.words import unspaced
from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.store.contract import StoreReader
from fieldmouse.urls import Canon


@dataclass(frozen=True, slots=True, kw_only=True)
class TopicRequest:
    """What a topic is built from."""

    name: str
    examples: tuple[str, ...] = ()  # files and URLs of pages on topic
    off: tuple[str, ...] = ()  # of pages off topic
    searxng: tuple[str, ...] = ()  # URLs of SearXNG servers that find seeds
    results: tuple[str, ...] = ()  # texts of CSV files of result lists
    stored: bool = False  # find seeds among the pages of the archive
    keywords: int = topics.KEYWORDS
    recipe: str = topics.RECIPES[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltTopic:
    """A stored topic."""

    topic: Topic
    file: Path
    former: Path | None  # where the previous topic of this name was saved, if it was different
    problems: tuple[str, ...]  # sources and examples that failed, and other warnings


def build_topic(
    reader: StoreReader, canon: Canon, fetch: Callable[[str], bytes], request: TopicRequest
) -> BuiltTopic:
    """Build a topic and store it with its examples; `fetch` returns the content of a URL or an OSError."""
    problems: list[str] = []

    def example(place: str, relevant: bool) -> Iterator[TopicExample]:
        """The text of an example: a stored page, a page fetched now, or a file; nothing if it failed."""
        url = canon(place) if "://" in place else None
        page = reader.page(url) if url else None
        if page is not None and page.version is not None:
            text = stored_text(reader, page.version)
            yield TopicExample(page.url, relevant, text[:LONGEST_EXAMPLE])
            return
        try:
            content = fetch(place) if "://" in place else Path(place).read_bytes()
        except OSError as error:
            if "://" not in place:
                raise UsageError(f"{place} cannot be read: {error.strerror}") from None
            problems.append(f"example not read, kept as a seed: {error}")
            return
        facts = read(content)
        text = f"{facts.title}\n{visible_text(content, facts.index, facts.charset)}"
        yield TopicExample(url or place, relevant, text[:LONGEST_EXAMPLE])

    providers: list[Provider] = [SearxNG(url, fetch) for url in request.searxng]
    providers += [ResultFile(text) for text in request.results]
    if request.stored:
        providers.append(ArchiveSearch(lambda: _stored_pages(reader)))
    seeds = generate(request.name, providers) if providers else Seeds((), (), ())
    places = [(one, True) for one in (*request.examples, *seeds.relevant)]
    places += [(one, False) for one in (*request.off, *seeds.irrelevant)]
    examples = [one for place, relevant in places for one in example(place, relevant)]
    if clash := topics.contradiction(examples):
        raise UsageError(
            f"the same text is an example on topic and off topic: {' and '.join(clash)}; leave one out"
        )
    urls: dict[bool, list[str]] = {True: [], False: []}
    for place, relevant in places:
        if "://" in place and (url := canon(place)):
            urls[relevant].append(url)
    topic = topics.build(
        request.name,
        topics.Examples(*([one.text for one in examples if one.relevant is side] for side in (True, False))),
        background=load().background,
        size=request.keywords,
        recipe=request.recipe,
        seeds=(urls[True], urls[False]),
    )
    file = topic_file(reader.folder, request.name)
    file.parent.mkdir(exist_ok=True)
    topics.save_examples(examples, file)
    former = topics.former_file(file) if topics.save(topic, file) else None
    problems += seeds.problems
    if unspaced(request.name):
        problems.append(
            "this script has no spaces between words, and words are not segmented: "
            "few pages will match the topic"
        )
    return BuiltTopic(topic=topic, file=file, former=former, problems=tuple(problems))


def _stored_pages(reader: StoreReader) -> Iterator[StoredPage]:
    for page in reader.pages():
        if page.version is not None:
            title, _, text = stored_text(reader, page.version).partition("\n")
            yield StoredPage(page.url, title, text)
