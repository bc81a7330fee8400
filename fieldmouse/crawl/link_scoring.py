"""A crawl that keeps to a topic: the guide of `focus` at work in the frontier.

The guide judges every page and every link; here its word becomes scores and levels of tickets, judgements
for the archive, and the bar below which a host is not asked. What it learned goes into the same transaction
as the pages it learned from.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from fieldmouse.focus.evidence import Parent
from fieldmouse.focus.guide import Guide, Lead
from fieldmouse.focus.online_learner import Place
from fieldmouse.focus.terms import Reading
from fieldmouse.focus.words import PageWords
from fieldmouse.types import OutLink, SavedGuide, Ticket, TopicJudgement

# Storing all that was learned may take this share of a worker's time.
SAVING_SHARE = 0.01


class GuidedPage(NamedTuple):
    """A page as a guide reads it, and where its hrefs lead."""

    words: PageWords
    urls: Mapping[str, str]


class JudgedPage(NamedTuple):
    """A page that was judged, for the judgement of its links."""

    judged: TopicJudgement
    parent: Parent
    read: Reading


class TopicFocus:
    """A guide at work."""

    def __init__(self, guide: Guide, *, spread: float = 0.5) -> None:
        self.guide = guide
        self.topic, self.learner = guide.topic.name, guide.learner.name
        self.bar = ScoreThreshold(spread)
        self.unsaved = False
        self._next_save = 0.0

    def saw(self, ticket: Ticket, page: GuidedPage) -> JudgedPage:
        """Judge a page that was downloaded, and learn from it."""
        text = page.words.text
        read = self.guide.read(text)
        verdict, parent, promise = self.guide.turned_out(ticket.url, text, read, ticket.level)
        self.unsaved = True
        judged = TopicJudgement(
            self.topic,
            self.learner,
            round(verdict.score, 4),
            parent.level,
            verdict.reasons,
            round(promise.score, 4) if promise else None,
            promise.reasons if promise else (),
        )
        return JudgedPage(judged, parent, read)

    def leads(self, heard: JudgedPage, urls: Sequence[str], page: GuidedPage) -> Mapping[str, Lead]:
        """Judge links of a page; one that stands in no text, such as a frame, has only its address."""
        wanted, read = set(urls), heard.read
        if not wanted:
            return {}
        resolve, spans = page.urls.get, read.spans
        found = [resolve(one.value.partition("#")[0]) for one in page.words.hrefs]
        places: list[Place] = []
        for number, url in enumerate(found):
            if url is not None and url in wanted:
                first, last, start, end = spans[4 * number : 4 * number + 4]
                places.append((url, first, last, start, end))
        leads = self.guide.follow(heard.parent, read.ids, read.size, places)
        if others := wanted.difference(found):
            leads += self.guide.follow(
                heard.parent, b"", 0, [(url, 0, 0, 0, 0) for url in urls if url in others]
            )
        return {lead.url: lead for lead in leads}

    def scored(self, ticket: Ticket) -> Ticket:
        """A ticket that no link brought, with its score: seeds first, others by what is known of them."""
        if ticket.score:
            return ticket
        if ticket.via == "seed":
            return replace(ticket, score=1.0)
        parent = Parent(relevance=self.guide.tally.harvest)
        (lead,) = self.guide.follow(parent, b"", 0, [(ticket.url, 0, 0, 0, 0)])
        return replace(ticket, score=lead.score, level=lead.level)

    def seen(self, sighting: OutLink, lead: Lead | None) -> OutLink:
        """A page of another host, as the guide judges it."""
        if lead is None:
            return sighting
        return sighting._replace(wanted=not lead.refused, score=lead.score, level=lead.level)

    def again(self, ticket: Ticket) -> float | None:
        """What a waiting page is worth by what is known now."""
        return None if ticket.via == "seed" else self.guide.again(ticket.url)

    def moved(self, old: str, new: str) -> None:
        """A link redirects."""
        self.guide.moved(old, new)

    def learned(self, *, last: bool = False) -> SavedGuide | None:
        """What was learned, when it is time to store it: at once while that is quick, else now and then."""
        began = time.monotonic()
        if not self.unsaved or (began < self._next_save and not last):
            return None
        data = self.guide.to_bytes()
        took = time.monotonic() - began
        self._next_save, self.unsaved = began + took / SAVING_SHARE, False
        return SavedGuide(self.topic, self.learner, data)


class ScoreThreshold:
    """How likely the best page of a host must be for the host to be asked.

    Pages are what a focused crawl spends. A host whose best page is far less likely than another's waits,
    though it could be asked at once; how far is `spread`.
    """

    def __init__(self, spread: float) -> None:
        self.spread = spread
        self._best: dict[str, float] = {}
        self._top: float | None = 0.0  # of them; None when it has to be looked for

    @property
    def height(self) -> float:
        """The bar now."""
        if self._top is None:
            self._top = max(self._best.values(), default=0.0)
        return self.spread * self._top

    def passes(self, host: str, best: float) -> bool:
        """Whether a host may be asked, given the score of its best page."""
        before, self._best[host] = self._best.get(host), best
        if self._top is not None and best >= self._top:
            self._top = best
        elif before == self._top:
            self._top = None
        return best >= self.height

    def closed(self, host: str) -> None:
        """A host is no longer open."""
        if self._best.pop(host, None) == self._top:
            self._top = None
