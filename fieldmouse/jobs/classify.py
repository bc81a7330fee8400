"""Judges stored pages by a topic, with the page judge of a focused crawl. It does not learn here."""

from collections.abc import Iterator
from typing import NamedTuple

from fieldmouse.crawl.guide_setup import ready_guide
from fieldmouse.crawl.study import HTML
from fieldmouse.focus.words import page_words
from fieldmouse.page.read import read
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store
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
    batch: list[tuple[PageRecord, TopicJudgement]] = []

    def stored() -> Iterator[Classified]:
        store.classified([(page.id, one, now) for page, one in batch])
        for page, one in batch:
            yield Classified(page.url, one.score, one.reasons)
        batch.clear()

    with store.reader() as reader:
        for page in reader.pages():
            if page.version is not None and page.version.mime in HTML:
                response = reader.response(page.version)
                kind, index = response.header("content-type"), reader.tags(page.version)
                facts = read(response.content, content_type=kind, index=index)
                verdict = guide.judge(page.url, page_words(response.content, facts).text)
                score, level = round(verdict.score, 4), 0 if verdict.score > 0.5 else 1
                judgement = TopicJudgement(guide.topic.name, JUDGE, score, level, verdict.reasons)
                batch.append((page, judgement))
            if len(batch) >= BATCH:
                yield from stored()
        yield from stored()
