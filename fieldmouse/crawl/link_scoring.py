"""Focused crawls: the scores of a guide for the frontier.

The guide judges every page and every link. Here the results become scores and levels of tickets, judgements
for the archive, and the threshold for hosts. What was learned is stored in the transaction of the pages.

Several workers learn together: each writes a lesson of every page that it judged, with the words of the page
and its links, and learns from the lessons of the others as if it had fetched their pages. So all of them have
one guide, but for the order of the pages.
"""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import zstandard

from fieldmouse.focus.link_learner import PARKED, Parent, Place
from fieldmouse.focus.terms import Reading
from fieldmouse.focus.words import PageText, PageWords
from fieldmouse.types import OutLink, SavedGuide, Ticket, TopicJudgement, Verdict
from fieldmouse.urls import host_key

if TYPE_CHECKING:
    from fieldmouse.focus.guide import Guide, Lead  # loads numpy

# The share of a worker's time that saving the guide may take.
SAVING_SHARE = 0.01

MOST_PARKED = 10 * PARKED  # scores of links beyond the level limit are at most PARKED

# Lessons of other workers that are learned after one commit.
LESSONS = 100


class GuidedPage(NamedTuple):
    """The words of a page, and the URLs of its hrefs."""

    words: PageWords
    urls: Mapping[str, str]


class JudgedPage(NamedTuple):
    """A judged page, for judging its links."""

    judgement: TopicJudgement
    parent: Parent
    read: Reading
    given: float | None = None  # its relevance, if it was not judged here


class Lesson(NamedTuple):
    """A page that a worker judged, for the others."""

    url: str
    level: int  # in the frontier
    text: PageText
    links: Sequence[str | None]  # of the marked links of the page those that are judged
    others: Sequence[str]  # links without text that are judged
    given: float | None = None  # relevance by the class of the page, which is not judged then

    def to_bytes(self) -> bytes:
        """The lesson as it is stored."""
        head = (self.url, self.level, self.text.title, list(self.links), list(self.others), self.given)
        packed = json.dumps(head).encode() + b"\n" + self.text.said
        return zstandard.ZstdCompressor(level=3).compress(packed)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Lesson":
        """What `to_bytes` returned."""
        head, _, said = zstandard.ZstdDecompressor().decompress(data).partition(b"\n")
        url, level, title, links, others, given = json.loads(head)
        return cls(url, level, PageText(title, said), links, others, given)


class TopicFocus:
    """The guide of a running crawl."""

    def __init__(self, guide: "Guide", *, spread: float = 0.5) -> None:
        self.lessons: list[bytes] | None = None  # for other workers, if there are any
        self.last_lesson = 0  # number of the last lesson that was learned
        self.guide = guide
        self.topic, self.learner = guide.topic.name, guide.learner.name
        self.bar = ScoreThreshold(spread)
        self.unsaved = False
        self._next_save = 0.0

    def judge_page(self, ticket: Ticket, page: GuidedPage, given: Verdict | None = None) -> JudgedPage:
        """Judge a fetched page, unless its verdict is given, and learn from it."""
        text = page.words.text
        read = self.guide.read(text)
        verdict, parent, promise = self.guide.turned_out(ticket.url, text, read, ticket.level, given)
        self.unsaved = True
        judgement = TopicJudgement(
            self.topic,
            self.learner,
            round(verdict.score, 4),
            parent.level,
            verdict.reasons,
            round(promise.score, 4) if promise else None,
            promise.reasons if promise else (),
        )
        return JudgedPage(judgement, parent, read, given.score if given else None)

    def score_links(self, judged: JudgedPage, urls: Sequence[str], page: GuidedPage) -> "Mapping[str, Lead]":
        """Judge links of a page; one without text, such as a frame, by its address."""
        wanted, resolve = set(urls), page.urls.get
        found = [resolve(one.value.partition("#")[0]) for one in page.words.hrefs] if wanted else []
        links = [url if url in wanted else None for url in found]
        rest = wanted.difference(found)
        others = [url for url in urls if url in rest]
        if self.lessons is not None:
            level = judged.judgement.level
            lesson = Lesson(judged.parent.url, level, page.words.text, links, others, judged.given)
            self.lessons.append(lesson.to_bytes())
        return {lead.url: lead for lead in self._score_links(judged, links, others)}

    def _score_links(
        self, judged: JudgedPage, links: Sequence[str | None], others: Sequence[str]
    ) -> "list[Lead]":
        read, places = judged.read, list[Place]()
        for number, url in enumerate(links):
            if url is not None:
                first, last, start, end = read.spans[4 * number : 4 * number + 4]
                places.append((url, first, last, start, end))
        leads = self.guide.follow(judged.parent, read.ids, read.size, places) if places else []
        if others:
            leads += self.guide.follow(judged.parent, b"", 0, [(url, 0, 0, 0, 0) for url in others])
        return leads

    def take_lessons(self) -> list[bytes]:
        """The lessons for other workers since the last call."""
        taken, self.lessons = self.lessons or [], [] if self.lessons is not None else None
        return taken

    def learn_lesson(self, number: int, data: bytes) -> None:
        """Learn from a page that another worker judged."""
        self.last_lesson = number
        lesson = Lesson.from_bytes(data)
        ticket = Ticket(url=lesson.url, host=host_key(lesson.url), level=lesson.level)
        given = None if lesson.given is None else Verdict(lesson.given, ())
        judged = self.judge_page(ticket, GuidedPage(PageWords(lesson.text, []), {}), given)
        self._score_links(judged, lesson.links, lesson.others)

    def score_ticket(self, ticket: Ticket) -> Ticket:
        """A ticket without a link, with its score: 1 for seeds, others by their address."""
        if ticket.score > MOST_PARKED:
            return ticket
        if ticket.via == "seed":
            return replace(ticket, score=1.0)
        if ticket.score:  # parked by the limit of an earlier run, perhaps
            limit = self.guide.limits.level
            beyond = 0 < limit <= ticket.level
            return ticket if beyond else replace(ticket, score=ticket.score / PARKED)
        if (score := self.guide.again(ticket.url)) is not None:
            return replace(ticket, score=score)
        parent = Parent(relevance=self.guide.tally.harvest)
        (lead,) = self.guide.follow(parent, b"", 0, [(ticket.url, 0, 0, 0, 0)])
        return replace(ticket, score=lead.score, level=lead.level)

    def score_outside(self, link: OutLink, lead: "Lead | None") -> OutLink:
        """A link to another host with its score."""
        if lead is None:
            return link
        return link._replace(wanted=not lead.refused, score=lead.score, level=lead.level)

    def rescore(self, ticket: Ticket) -> float | None:
        """The current score of a pending page."""
        return None if ticket.via == "seed" else self.guide.again(ticket.url)

    def redirected(self, old: str, new: str) -> None:
        """A link redirects."""
        self.guide.moved(old, new)

    def to_save(self, *, last: bool = False) -> SavedGuide | None:
        """The saved guide if it is time to store it; a slow save happens less often."""
        began = time.monotonic()
        if not self.unsaved or (began < self._next_save and not last):
            return None
        data = self.guide.to_bytes()
        took = time.monotonic() - began
        self._next_save, self.unsaved = began + took / SAVING_SHARE, False
        return SavedGuide(self.topic, self.learner, data, *(self.guide.share() or ()))


class ScoreThreshold:
    """The score that the best page of a host needs for the host to be fetched from.

    A host is delayed while its best page has less than `spread` times the best score of all hosts, also of
    those that other workers have open.
    """

    def __init__(self, spread: float) -> None:
        self.spread = spread
        self.others = 0.0  # the best score of other workers
        self._best: dict[str, float] = {}
        self._top: float | None = 0.0  # None if it has to be computed

    @property
    def top(self) -> float:
        """The best score of the hosts that are open here."""
        if self._top is None:
            self._top = max(self._best.values(), default=0.0)
        return self._top

    @property
    def least(self) -> float:
        """The current threshold."""
        return self.spread * max(self.top, self.others)

    def passes(self, host: str, best: float) -> bool:
        """Whether a host may be fetched from, given the score of its best page."""
        before, self._best[host] = self._best.get(host), best
        if self._top is not None and best >= self._top:
            self._top = best
        elif before == self._top:
            self._top = None
        return best >= self.least

    def closed(self, host: str) -> None:
        """A host is no longer open."""
        if self._best.pop(host, None) == self._top:
            self._top = None
