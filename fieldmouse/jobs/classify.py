"""Judges stored pages by a topic, with the page judge of a focused crawl. It does not learn here."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldmouse.crawl.guide_setup import ready_guide
from fieldmouse.crawl.study import HTML
from fieldmouse.focus.guide import Guide
from fieldmouse.focus.words import PageText, page_words
from fieldmouse.page.read import read
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store, StoreReader
from fieldmouse.types import PageRecord, TopicJudgement

JUDGE = "classify"
BATCH = 200


class Classified(NamedTuple):
    """A stored page with its verdict."""

    url: str
    score: float
    reasons: tuple[str, ...]


def classify(store: Store, settings: Settings, now: float) -> Iterator[Classified]:
    """Judge every stored page by the topic in the settings; each batch is stored before it is returned."""
    guide = ready_guide(store, settings)
    with store.reader() as reader:
        batch: list[tuple[PageRecord, TopicJudgement]] = []
        for page in reader.pages():
            if page.version is not None and page.version.mime in HTML:
                batch.append((page, _judged(guide, _text(reader, page))))
            if len(batch) >= BATCH:
                yield from _stored(store, batch, now)
                batch = []
        yield from _stored(store, batch, now)


def _text(reader: StoreReader, page: PageRecord) -> PageText:
    assert page.version is not None
    answer = reader.response(page.version)
    kind = answer.header("content-type")
    facts = read(answer.content, content_type=kind, index=reader.tags(page.version))
    return page_words(answer.content, facts).text


def _judged(guide: Guide, page: PageText) -> TopicJudgement:
    verdict = guide.pages.judge(guide.read(page))
    level = 0 if verdict.score > 0.5 else 1
    return TopicJudgement(guide.topic.name, JUDGE, round(verdict.score, 4), level, verdict.reasons)


def _stored(store: Store, batch: list[tuple[PageRecord, TopicJudgement]], now: float) -> Iterator[Classified]:
    store.classified([(page.id, one, now) for page, one in batch])
    for page, one in batch:
        yield Classified(page.url, one.score, one.reasons)
