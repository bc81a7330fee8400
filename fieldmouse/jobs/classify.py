"""Judges stored pages by a topic, with the page judge of a focused crawl. It does not learn here."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from fieldmouse.crawl.guide_setup import read_stored, ready_guide
from fieldmouse.crawl.study import HTML
from fieldmouse.focus import wordnet
from fieldmouse.focus.guide import Guide
from fieldmouse.focus.words import page_words
from fieldmouse.settings import Settings
from fieldmouse.store import open_reader
from fieldmouse.store.contract import Store, StoreReader
from fieldmouse.types import PageRecord, TopicJudgement

from .executors import in_order, in_parts

JUDGE = "classify"
BATCH = 200


class Classified(NamedTuple):
    """A stored page with its verdict."""

    url: str
    score: float
    reasons: tuple[str, ...]


class JudgeTask(NamedTuple):
    """Pages to judge, for the processes of an executor."""

    folder: Path
    guide: bytes
    pages: Sequence[PageRecord]


Judged = tuple[PageRecord, TopicJudgement]


def classify(
    store: Store, settings: Settings, now: float, executor: Executor | None = None
) -> Iterator[Classified]:
    """Judge every stored page by the topic in the settings; each batch is stored before it is returned."""
    guide = ready_guide(store, settings)
    with store.reader() as reader:
        parts = in_parts(html_pages(reader), BATCH)
        if executor is None:
            batches: Iterator[list[Judged]] = (judge_pages(reader, guide, part) for part in parts)
        else:
            saved = guide.to_bytes()
            tasks = (JudgeTask(store.folder, saved, part) for part in parts)
            batches = in_order(executor, run_judge_task, tasks)
        for batch in batches:
            store.classified([(page.id, one, now) for page, one in batch])
            for page, one in batch:
                yield Classified(page.url, one.score, one.reasons)


def html_pages(reader: StoreReader) -> Iterator[PageRecord]:
    """The stored pages with HTML."""
    return (page for page in reader.pages() if page.version is not None and page.version.mime in HTML)


def judge_pages(reader: StoreReader, guide: Guide, pages: Sequence[PageRecord]) -> list[Judged]:
    """The judgements of a guide on pages."""
    found = []
    for page in pages:
        assert page.version is not None
        verdict = guide.judge(page.url, page_words(*read_stored(reader, page.version)).text)
        score, level = round(verdict.score, 4), 0 if verdict.score > 0.5 else 1
        found.append((page, TopicJudgement(guide.topic.name, JUDGE, score, level, verdict.reasons)))
    return found


def run_judge_task(task: JudgeTask) -> list[Judged]:
    """The same in a process of an executor."""
    with open_reader(task.folder) as reader:
        return judge_pages(reader, _loaded_guide(task.guide), task.pages)


@lru_cache(1)
def _loaded_guide(data: bytes) -> Guide:
    """A guide that several tasks in one process use; judging does not change it."""
    return Guide.from_bytes(data, wordnet.load())
