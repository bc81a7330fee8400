"""The files of an archive's topics, and the guide of a topic."""

import logging
import re
import unicodedata
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING

from fieldmouse.errors import UsageError
from fieldmouse.focus import topic, wordnet
from fieldmouse.focus.topic import Topic
from fieldmouse.focus.words import page_text
from fieldmouse.page.read import Facts, read
from fieldmouse.page.text import visible_text
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store, StoreReader
from fieldmouse.types import Version

from .link_scoring import TopicFocus

if TYPE_CHECKING:
    from fieldmouse.focus.guide import Guide, Limits  # loads numpy

log = logging.getLogger(__name__)

FOLDER = "topics"  # of an archive
LONGEST_NAME = 200  # bytes; file systems take 255, and the examples' file has a longer ending


def topic_file(folder: Path, name: str) -> Path:
    """Where a topic is kept: a file that was named, or one of the archive's by the topic's words.

    Of two topics whose words are the same, such as C and C++, the second one's file ends with a digest.
    """
    if name.endswith(".toml") or ("/" in name and Path(name).is_file()):
        return Path(name)
    usual, other = (folder / FOLDER / f"{slug}.toml" for slug in (_slug(name), _slug(name, sure=True)))
    return other if other.exists() or _is_of_another(usual, name) else usual


def _is_of_another(file: Path, name: str) -> bool:
    """Whether a file holds a topic of another name that has the same words; one renamed by hand does not."""
    if not file.exists():
        return False
    try:
        there = topic.load(file).name
    except UsageError:
        return False  # loading it reports the error
    return there.casefold() != name.casefold() and _slug(there) == _slug(name)


def _slug(name: str, *, sure: bool = False) -> str:
    """The words of a name in any script; one without any, or too long for a file, ends with its digest."""
    words = re.sub(r"[\W_]+", "-", unicodedata.normalize("NFC", name).casefold()).strip("-")
    if not sure and 0 < len(words.encode()) <= LONGEST_NAME:
        return words
    digest = blake2b(name.encode(), digest_size=4).hexdigest()
    return f"{words[: LONGEST_NAME // 4]}-{digest}".lstrip("-")  # a character has up to four bytes


def find(folder: Path, name: str) -> Topic:
    """A topic by its name or file."""
    file = topic_file(folder, name)
    if not file.exists():
        raise UsageError(
            f'there is no topic {name!r} ({file} is missing); build it with `topic build "{name}"`'
        )
    return topic.load(file)


def focusing(store: Store, settings: Settings) -> TopicFocus | None:
    """The focus of a crawl with all that was learned before; None without a topic."""
    if not settings.focus.topic:
        return None
    return TopicFocus(ready_guide(store, settings), spread=settings.focus.spread)


def ready_guide(store: Store, settings: Settings) -> "Guide":
    """A guide with what it learned in earlier crawls, or from the topic's examples."""
    from fieldmouse.focus.guide import Tally

    found = find(store.folder, settings.focus.topic)
    guide = _resumed(store, found, settings) or _new(store, found, settings)
    pages, relevant = store.judged(found.name)
    guide.tally = Tally(relevant, pages - relevant)
    return guide


def _limits(settings: Settings) -> "Limits":
    from fieldmouse.focus.guide import Limits

    focus = settings.focus
    return Limits(level=focus.level_limit, strict=focus.strict, remember=focus.remember)


def _resumed(store: Store, found: Topic, settings: Settings) -> "Guide | None":
    """The guide as it was at the last commit, unless the topic was edited since."""
    from fieldmouse.focus.guide import Guide

    data = store.learned(found.name, settings.focus.learner)
    if data is None:
        return None
    guide = Guide.from_bytes(data, wordnet.load(), limits=_limits(settings))
    if guide.topic == found or _with_labels(guide, store, found, settings):
        return guide
    log.warning("the topic %r was edited: what was learned so far is not used", found.name)
    return None


def _with_labels(guide: "Guide", store: Store, found: Topic, settings: Settings) -> bool:
    """Teach a guide the pages that were labelled since; False if more was edited than that."""
    before, now = guide.topic, found
    old = dict.fromkeys(before.relevant, True) | dict.fromkeys(before.irrelevant, False)
    labels = dict.fromkeys(now.relevant, True) | dict.fromkeys(now.irrelevant, False)
    if (before.name, before.keywords) != (now.name, now.keywords) or any(
        labels.get(url) is not relevant for url, relevant in old.items()
    ):
        return False
    guide.topic = found
    guide.labels.update((url, relevant) for url, relevant in labels.items() if url not in old)
    for one in topic.load_examples(topic_file(store.folder, settings.focus.topic), found):
        if one.url not in old and one.url in guide.labels:
            guide.teach(one.url, page_text(one.text), one.relevant)
            del guide.labels[one.url]
    return True


def _new(store: Store, found: Topic, settings: Settings) -> "Guide":
    """A guide that learned the topic's examples only."""
    from fieldmouse.focus.guide import Guide

    guide = Guide(found, wordnet.load(), learner=settings.focus.learner, limits=_limits(settings))
    examples = topic.load_examples(topic_file(store.folder, settings.focus.topic), found)
    with store.reader() as reader:  # for seeds whose text is not kept with the topic, but in the archive
        for url in sorted(guide.labels.keys() - {one.url for one in examples}):
            page = reader.page(url)
            if page is not None and page.version is not None:
                text = stored_text(reader, page.version)
                examples.append(topic.TopicExample(url, url in found.relevant, text))
    for one in examples:
        guide.teach(one.url, page_text(one.text), one.relevant)
        guide.labels.pop(one.url, None)
    return guide


def stored_text(reader: StoreReader, version: Version) -> str:
    """The title of a stored page, and its visible text from the second line on."""
    content, facts = read_stored(reader, version)
    return f"{facts.title}\n{visible_text(content, facts.index, facts.charset)}"


def read_stored(reader: StoreReader, version: Version) -> tuple[bytes, Facts]:
    """The content of a stored version, and what it says."""
    response = reader.response(version)
    kind, index = response.header("content-type"), reader.tags(version)
    return response.content, read(response.content, content_type=kind, index=index)
