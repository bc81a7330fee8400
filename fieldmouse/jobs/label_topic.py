"""A person's yes or no to pages of a topic: which to ask about, teaching the judge, the estimated harvest."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from fieldmouse.crawl.guide_setup import find, ready_guide, stored_text, topic_file
from fieldmouse.crawl.link_scoring import TopicFocus
from fieldmouse.errors import UsageError
from fieldmouse.focus import topic as topics
from fieldmouse.focus.ridge_judge import NINE_IN_TEN, TopicShare
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Store
from fieldmouse.store.records import TopicPage

# Of ten questions: about pages that are probably on the topic, about the next ones, and about the rest.
QUESTIONS = (4, 4, 2)
NEXT = 2.0  # the next ones are so many times those probably on the topic
GUESSES = (0.6, 0.15, 0.02)  # relative shares of pages on the topic before any answer
LEAST_ANSWERS = 10  # for a harvest that is estimated from answers
WIDER = 1.2  # factor of its bounds


class Question(NamedTuple):
    """A page to ask a person about."""

    page: TopicPage
    stratum: int  # 0: probably on the topic, 1: the next, 2: the rest


class Review(NamedTuple):
    """Pages to ask about, and what is needed to estimate the harvest from the answers."""

    questions: tuple[Question, ...]
    shares: tuple[float, ...]  # of each stratum among all pages
    estimated: float  # share of pages on the topic


def review(pages: Sequence[TopicPage], labelled: set[str], count: int, rng: random.Random) -> Review:
    """Choose pages to ask about, from three strata by rank; `pages` are all judged pages, the best first."""
    if not pages:
        return Review((), (0.0, 0.0, 0.0), 0.0)
    estimated = max(sum(page.score > 0.5 for page in pages), 1)
    edges = (0, estimated, min(int(estimated * (1 + NEXT)), len(pages)), len(pages))
    strata = [list(pages[first:last]) for first, last in pairwise(edges)]
    questions: list[Question] = []
    others: list[Question] = []  # in the place of those that a small stratum lacks
    for place, (stratum, parts) in enumerate(zip(strata, QUESTIONS, strict=True)):
        fresh = [Question(page, place) for page in stratum if page.url not in labelled]
        rng.shuffle(fresh)
        wanted = round(count * parts / sum(QUESTIONS))
        questions += fresh[:wanted]
        others += fresh[wanted:]
    questions += rng.sample(others, min(max(count - len(questions), 0), len(others)))
    rng.shuffle(questions)
    shares = tuple(len(stratum) / len(pages) for stratum in strata)
    return Review(tuple(questions), shares, estimated / len(pages))


def harvest_by_answers(shown: Review, answers: Mapping[str, bool]) -> TopicShare | None:
    """The share of pages on the topic by the answers to a review; None with too few of them."""
    asked, yes = [0, 0, 0], [0, 0, 0]
    for page, stratum in shown.questions:
        if page.url in answers:
            asked[stratum] += 1
            yes[stratum] += answers[page.url]
    if sum(asked) < LEAST_ANSWERS:
        return None
    scale = shown.estimated / (sum(share * m for share, m in zip(shown.shares, GUESSES, strict=True)) or 1.0)
    total = variance = 0.0
    for share, n, good, guess in zip(shown.shares, asked, yes, GUESSES, strict=True):
        rate = (good + 2 * min(guess * scale, 1.0)) / (n + 2)
        total += share * rate
        variance += share * share * rate * (1 - rate) / (n + 3)
    margin = WIDER * NINE_IN_TEN * math.sqrt(variance)
    return TopicShare(total, max(total - margin, 0.0), min(total + margin, 1.0))


def label(store: Store, settings: Settings, answers: Mapping[str, bool], now: float) -> TopicShare | None:
    """Keep a person's answers with the topic and teach the judge; returns the estimated share after it."""
    name = settings.focus.topic
    found, file = find(store.folder, name), topic_file(store.folder, name)
    examples = {one.url: one for one in topics.load_examples(file, found)}
    with store.reader() as reader:
        for url, relevant in answers.items():
            page = reader.page(url)
            if page is None or page.version is None:
                raise UsageError(f"{url} is not stored, so there is no text to learn from; crawl it first")
            examples[url] = topics.TopicExample(
                url, relevant, stored_text(reader, page.version)[: topics.LONGEST_EXAMPLE]
            )
    if both := topics.contradiction(examples.values()):
        raise UsageError(f"{both[0]} and {both[1]} have the same words, but different answers")
    on = [url for url in found.relevant if answers.get(url, True)]
    off = [url for url in found.irrelevant if not answers.get(url, False)]
    on += [url for url, relevant in answers.items() if relevant and url not in on]
    off += [url for url, relevant in answers.items() if not relevant and url not in off]
    # The examples first: a topic without the text of a label would not learn it.
    topics.save_examples(examples.values(), file)
    topics.save(replace(found, relevant=tuple(on), irrelevant=tuple(off)), file)
    guide = ready_guide(store, settings)
    focus = TopicFocus(guide)
    focus.unsaved = True
    store.commit([], now, learned=focus.to_save(last=True))
    return guide.share()
