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

UNSPACED = (
    "this script has no spaces between words, and words are not segmented: few pages will match the topic"
)


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


class TopicBuilder:
    """Builds topics for one archive; `fetch` returns the content of a URL or raises an OSError."""

    def __init__(
        self, folder: Path, reader: StoreReader, canon: Canon, fetch: Callable[[str], bytes]
    ) -> None:
        self.folder, self.reader, self.canon, self.fetch = folder, reader, canon, fetch

    def build(self, request: TopicRequest) -> BuiltTopic:
        """Build a topic and store it with its examples."""
        problems: list[str] = []
        seeds = self._seeds(request)
        good, bad = (*request.examples, *seeds.relevant), (*request.off, *seeds.irrelevant)
        examples = [*self._examples(good, True, problems), *self._examples(bad, False, problems)]
        if clash := topics.contradiction(examples):
            raise UsageError(
                f"the same text is an example on topic and off topic: {' and '.join(clash)}; leave one out"
            )
        texts = ([one.text for one in examples if one.relevant is side] for side in (True, False))
        urls = ([url for one in places if (url := self._url(one))] for places in (good, bad))
        topic = topics.build(
            request.name,
            topics.Examples(*texts),
            background=load().background,
            size=request.keywords,
            recipe=request.recipe,
            seeds=tuple(urls),  # type: ignore[arg-type]
        )
        file = topic_file(self.folder, request.name)
        file.parent.mkdir(exist_ok=True)
        topics.save_examples(examples, file)
        former = topics.former_file(file) if topics.save(topic, file) else None
        problems += seeds.problems
        if unspaced(request.name):
            problems.append(UNSPACED)
        return BuiltTopic(topic=topic, file=file, former=former, problems=tuple(problems))

    def _seeds(self, request: TopicRequest) -> Seeds:
        """Seeds from the requested sources; none without a source."""
        providers: list[Provider] = [SearxNG(url, self.fetch) for url in request.searxng]
        providers += [ResultFile(text) for text in request.results]
        if request.stored:
            providers.append(ArchiveSearch(self._stored_pages))
        return generate(request.name, providers) if providers else Seeds((), (), ())

    def _stored_pages(self) -> Iterator[StoredPage]:
        for page in self.reader.pages():
            if page.version is not None:
                title, _, text = stored_text(self.reader, page.version).partition("\n")
                yield StoredPage(page.url, title, text)

    def _url(self, place: str) -> str | None:
        return self.canon(place) if "://" in place else None

    def _examples(
        self, places: tuple[str, ...], relevant: bool, problems: list[str]
    ) -> Iterator[TopicExample]:
        """The text of each example: a file, a stored page, or a page fetched now."""
        for place in places:
            url = self._url(place)
            page = self.reader.page(url) if url else None
            if page is not None and page.version is not None:
                yield TopicExample(
                    page.url, relevant, stored_text(self.reader, page.version)[:LONGEST_EXAMPLE]
                )
                continue
            try:
                content = self.fetch(place) if "://" in place else Path(place).read_bytes()
            except OSError as error:
                if "://" not in place:
                    raise UsageError(f"{place} cannot be read: {error.strerror}") from None
                problems.append(f"example ignored: {error}")
                continue
            facts = read(content)
            text = visible_text(content, facts.index, facts.charset)
            yield TopicExample(url or place, relevant, f"{facts.title}\n{text}"[:LONGEST_EXAMPLE])
