"""Judges pages and links for the topic of a crawl.

After each fetch `saw` judges the page and teaches the link learner with the result; then `leads` judges the
links of the page. A bounded number of pending links keep a few hundred packed bytes each: the oldest are
forgotten first, and keep their score in the frontier. A guide can be saved as bytes, so that a crawl resumes
with what it learned.
"""

import json
import math
import struct
from array import array
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from types import ModuleType
from typing import Any, NamedTuple

import zstandard

from fieldmouse.errors import UsageError
from fieldmouse.learn.learner import make_learner
from fieldmouse.page.word_positions import small_text
from fieldmouse.types import Link, Verdict

from . import han2018  # noqa: F401  registers its learner
from .link_learner import (
    PARKED,
    TASK,
    DefaultEvidence,
    Evidence,
    LinkEvidence,
    LinkLearner,
    LinkMention,
    OnlineLogistic,
    Parent,
    Place,
    level_of,
    with_level,
)
from .page_judge import PageJudge, label_of_link
from .ridge_judge import PageParts, TopicShare, page_parts
from .safran2012 import Published
from .siblings import SiblingRecords
from .terms import ENGINE, MOST_TERMS, Reading, Terms, Vector
from .terms_python import AROUND, OPINION, WIDTH, Past, log_odds, numbers, section_of, sibling_odds, sigmoid
from .topic import Topic, from_toml_text, to_toml_text
from .wordnet import WordNet
from .words import PageText

DEFAULT = "online"  # the learner of a focused crawl

FORMAT = 4
_MAGIC = b"guide 4\n"
_MOST_BYTES = 1 << 32  # only a damaged head states more
_LEVEL = 1  # of compression; a guide is saved often


# After this many pages, this many of the newest pending links are scored again.
RESCORED_EVERY, RESCORED = 50, 5000


class Lead(NamedTuple):
    """A link with its score."""

    url: str
    score: float
    level: int  # pages off the topic in a row, if this one is followed
    refused: str = ""  # why it should not be followed


class Outcome(NamedTuple):
    """The result of judging a fetched page."""

    verdict: Verdict
    parent: Parent  # for judging its links
    promise: Verdict | None  # the score of its link before the fetch, if known


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Limits of a guide."""

    level: int = 0  # links reached over this many pages off the topic in a row come last; 0 for no limit
    strict: bool = False  # such links are refused
    remember: int = 200_000  # links whose evidence is kept
    places: int = 50_000  # hosts and folders whose record is kept


USUAL = Limits()


@dataclass(slots=True)
class Tally:
    """The number of pages on the topic and off it."""

    relevant: int = 0
    irrelevant: int = 0

    @property
    def harvest(self) -> float:
        """The share of pages on the topic."""
        total = self.relevant + self.irrelevant
        return self.relevant / total if total else 0.0


@dataclass(slots=True)
class Records:
    """The number of pages of each host or folder, and their total relevance.

    A rate needs several pages before it counts in full. It is compared with the usual rate on the scale of
    log-odds, where a folder of nothing but pictures counts as much against a link as a good anchor counts for
    it. `terms.TermRecords` has the same for terms.
    """

    limit: int  # keys kept; beyond, half are forgotten, the rarest and oldest first
    prior: float = 4.0  # pages of the usual relevance, added to those of each key
    pages: int = 0
    relevance: float = 0.0
    sums: dict[str, tuple[int, float]] = field(default_factory=dict)

    def add(self, keys: Iterable[str], relevance: float) -> None:
        """Count one more page under its keys."""
        self.pages += 1
        self.relevance += relevance
        for key in keys:
            n, total = self.sums.get(key, (0, 0.0))
            self.sums[key] = n + 1, total + relevance
        if len(self.sums) > self.limit:
            self.sums = dict(sorted(self.sums.items(), key=lambda one: one[1][0])[-(self.limit // 2) :])

    def of(self, key: str) -> float:
        """From -1 to 1: whether its pages are on the topic more often than usual; 0 if there are none."""
        if key not in self.sums:
            return 0.0
        usual = (self.relevance + 0.5) / (self.pages + 1)
        return math.tanh(log_odds(*self.sums[key], usual, self.prior) / 2)

    def state(self) -> list[Any]:
        """Everything, as JSON values."""
        sums = {key: (n, round(total, 3)) for key, (n, total) in self.sums.items()}
        return [self.pages, self.relevance, sums]

    def restore(self, state: Sequence[Any]) -> None:
        """Replace everything by what `state` returned."""
        self.pages, self.relevance, sums = state
        self.sums = {key: (n, total) for key, (n, total) in sums.items()}


class FolderPasts(dict[str, Past]):
    """For each `section_of`, how relevant the pages of its host and its own were, worked out when asked."""

    def __init__(self, hosts: Records, sections: Records) -> None:
        super().__init__()
        self.hosts, self.sections = hosts, sections

    def __missing__(self, section: str) -> Past:
        found = self[section] = self.hosts.of(_host(section)), self.sections.of(section)
        return found


class Guide:
    """Judges pages and links for one topic."""

    def __init__(
        self,
        topic: Topic,
        wordnet: WordNet,
        *,
        learner: str = DEFAULT,
        limits: Limits = USUAL,
        engine: ModuleType = ENGINE,
    ) -> None:
        self.topic, self.limits = topic, limits
        self.terms = Terms(wordnet.background, engine)
        self.pages = PageJudge(topic, self.terms)
        parts = (self.terms,) if learner == DEFAULT else ()
        self.learner: LinkLearner = make_learner(learner, *parts, task=TASK)  # type: ignore[assignment]
        form = DefaultEvidence if self.learner.corrected else Published
        self.form: LinkEvidence = form(topic, self.terms, wordnet)
        self.tally = Tally()
        self.hosts = Records(limits.places)
        self.sections = Records(limits.places)
        self.pending: dict[str, bytes] = {}
        self._pasts = FolderPasts(self.hosts, self.sections)  # until the next page
        self.siblings = SiblingRecords(limits.places)
        self._raised: list[str] = []  # pending links to score again
        self.labels = dict.fromkeys(topic.relevant, True) | dict.fromkeys(topic.irrelevant, False)

    def teach(
        self,
        url: str,
        page: PageText,
        relevant: bool,
        mentions: Iterable[tuple[Link, PageText]] = (),
        read: Reading | None = None,
    ) -> Parent:
        """Learn from a labelled page, with known links to it and the pages they stand on.

        `read` is given if the page was read before: reading it again might forget terms and renumber the
        others.
        """
        read = read or self.read(page)
        self.pages.teach(self._parts(url, page, read), relevant=relevant)
        if self.learner.corrected:
            self.terms.named.add(read.once, float(relevant))
        parent = self.form.parent(read, Parent(url, float(relevant), 0))
        known = b""
        for link, source in mentions:
            other = self.read(source)
            judged = self.pages.judge(self._parts(link.url, source, other)).score
            above = self.form.parent(other, Parent(link.url, judged))
            around = self.terms.ids(_joined((*link.before, *link.after)))
            known = self.form.add_mention(
                known, LinkMention(link.url, self.terms.ids(small_text(link.anchor)), around), above
            )
        if not known:  # the title stands for an anchor, the first words for the surroundings
            own = LinkMention(url, self.terms.ids(small_text(page.title)), read.ids[: 4 * 2 * AROUND])
            known = self.form.add_mention(known, own, parent)
        self.learner.learn(self._evidence(url, known), float(relevant))
        return parent

    def read(self, page: PageText) -> Reading:
        """A page as terms; if there are too many terms, the rarest are forgotten first."""
        if len(self.terms.lexicon) > MOST_TERMS:
            self.pages.moved(self.terms.forget())
        return self.terms.read(page)

    def _parts(self, url: str, page: PageText, read: Reading, linked: Evidence | None = None) -> PageParts:
        anchors = self.terms.numbers(linked.words) if linked and self.learner.corrected else b""
        return page_parts(self.terms, read, page, url, anchors)

    def judge(self, url: str, page: PageText) -> Verdict:
        """Judge a page without learning from it."""
        return self.pages.judge(self._parts(url, page, self.read(page)))

    def saw(self, url: str, page: PageText, level: int = 0) -> tuple[Verdict, Parent]:
        """Judge a fetched page and learn from it; the parent is for `leads`."""
        verdict, parent, _ = self.turned_out(url, page, self.read(page), level)
        return verdict, parent

    def turned_out(
        self, url: str, page: PageText, read: Reading, level: int = 0, given: Verdict | None = None
    ) -> Outcome:
        """Judge a page that was read, unless its verdict is `given`, and learn from it.

        `level` is its level in the frontier, for a link whose evidence was forgotten.
        """
        label = self.labels.pop(url, None)
        known = self.pending.pop(url, b"")
        evidence = self._evidence(url, known) if known else None
        promise = self.learner.judge(evidence) if evidence else None
        if label is not None:
            try:
                parent = self.teach(url, page, label, read=read)
            except UsageError:  # the same text has the other label too: judge it like any page
                pass
            else:
                self._count(url, float(label))
                parent = parent._replace(level=0 if label else 1)
                return Outcome(Verdict(float(label), ("labelled by hand",)), parent, promise)
        verdict = given or self.pages.saw(self._parts(url, page, read, evidence))
        if evidence and promise and self.learner.updatable:
            taught = label_of_link(verdict.score) if self.learner.siblings else verdict.score
            self.learner.learn_scored(evidence, taught, promise.score)
            self.terms.followed.add(self.terms.numbers(evidence.words), verdict.score)
        self._count(url, verdict.score)
        if self.learner.corrected:
            self.terms.named.add(read.once, verdict.score)
        if self.learner.siblings:
            self._raised += self.siblings.turned_out(url, verdict.score)
            if self.siblings.pages % RESCORED_EVERY == 0:
                self._raised += islice(reversed(self.pending), RESCORED)
        level = 0 if verdict.score > 0.5 else max(level_of(known) if known else level, 1)
        return Outcome(verdict, self.form.parent(read, Parent(url, verdict.score, level)), promise)

    def share(self) -> TopicShare | None:
        """The estimated share of all pages that are on the topic; None before there are enough."""
        return self.pages.ridge.share(self.tally.harvest)

    def _count(self, url: str, relevance: float) -> None:
        if relevance > 0.5:
            self.tally.relevant += 1
        else:
            self.tally.irrelevant += 1
        section = section_of(url)
        self.hosts.add((_host(section),), relevance)
        self.sections.add((section,), relevance)
        self._pasts.clear()

    def _records(self) -> tuple[Any, ...]:
        return self.hosts, self.sections, self.terms.named, self.terms.followed

    def leads(self, parent: Parent, links: Sequence[Link]) -> list[Lead]:
        """Judge the links of a page, each address once; of several scores of an address, the last counts."""
        page, own, found = bytearray(), bytearray(), []
        gap = array("i", [-1] * AROUND).tobytes()  # keeps the surroundings of two links apart
        for link in links:
            page += gap + self.terms.ids(_joined(link.before))
            first, start = len(page) // 4, len(own) // 4
            page += self.terms.ids(_joined(link.after)) + gap
            own += self.terms.ids(small_text(link.anchor))
            found.append((link.url, first, start, len(own) // 4))
        size = len(page) // 4
        places = [(url, first, first, size + start, size + end) for url, first, start, end in found]
        return self.follow(parent, bytes(page + own), size, places)

    def follow(self, parent: Parent, ids: bytes, size: int, places: Sequence[Place]) -> list[Lead]:
        """Judge links that stand in the terms of a page, of which there are `size`."""
        if isinstance(self.learner, OnlineLogistic) and isinstance(self.form, DefaultEvidence):
            seen = self.form.add_mentions(self.pending, places, ids, size, parent, self._past, self.learner)
        else:
            seen = []
            for url, first, last, start, end in places:
                before = ids[4 * max(0, first - AROUND) : 4 * first]
                after = ids[4 * last : 4 * min(last + AROUND, size)]
                old = self.pending.get(url, b"")
                known = self.form.add_mention(
                    old, LinkMention(url, ids[4 * start : 4 * end], before + after), parent
                )
                score = self.learner.score(self._evidence(url, known))
                level = 0 if score > 0.5 else parent.level + 1
                level = min(level, level_of(old)) if old else level
                self.pending[url] = with_level(known, level)
                seen.append((url, score, level))
        if self.learner.siblings and parent.url:
            self.siblings.stands_on(parent.url, [one[0] for one in seen])
        limit = self.limits.remember
        if len(self.pending) > limit:  # forget a tenth at once, as finding the first key of a dict is slow
            keys = [*islice(self.pending, len(self.pending) - limit + limit // 10)]
            for key in keys:
                del self.pending[key]
            self.siblings.forget(keys)
        limit, strict, siblings = self.limits.level, self.limits.strict, self.siblings.evidence
        leads = []
        for url, alone, level in {one[0]: one for one in seen}.values():
            beyond = 0 < limit <= level
            odds = sibling_odds(siblings, url)
            score = sigmoid(math.log(alone / (1 - alone)) + odds) if odds and 0 < alone < 1 else alone
            reason = f"focus: {level} pages off the topic in a row" if beyond and strict else ""
            leads.append(Lead(url, score * PARKED if beyond else score, level, reason))
        return leads

    def _past(self, url: str) -> Past:
        return self._pasts[section_of(url)]

    def _evidence(self, url: str, known: bytes) -> Evidence:
        return self.form.evidence(known, self._past(url))

    def moved(self, old: str, new: str) -> None:
        """A link redirects: its evidence counts for the target."""
        known = self.pending.pop(old, b"")
        if known:
            self.pending.setdefault(new, known)
        if parents := self.siblings.parents.pop(old, None):
            self.siblings.parents.setdefault(new, parents)

    def risen(self) -> list[tuple[str, float]]:
        """Pending links whose score may have risen since the last call, with their scores.

        Those that share a parent with a page that was judged, and now and then the newest of all.
        """
        urls, self._raised = list(dict.fromkeys(self._raised)), []
        return self._rescored(urls)

    def again(self, url: str) -> float | None:
        """The current score of a pending link; None if its evidence was forgotten."""
        found = self._rescored([url])
        return found[0][1] if found else None

    def _rescored(self, urls: list[str]) -> list[tuple[str, float]]:
        """Those of some links that are pending, with their current scores."""
        pending, limit = self.pending, self.limits.level
        if isinstance(self.learner, OnlineLogistic) and isinstance(self.form, DefaultEvidence):
            siblings = self.siblings.evidence
            found = self.form.rescore(pending, urls, self._pasts, siblings, self.learner)
        else:
            known = [url for url in urls if url in pending]
            found = [(url, self.learner.score(self._evidence(url, pending[url]))) for url in known]
        if limit:
            return [(url, x * PARKED if level_of(pending[url]) >= limit else x) for url, x in found]
        return found

    def explain(self, url: str) -> Verdict:
        """The score of a pending link with its reasons."""
        known = self.pending.get(url, b"")
        if not known:
            return Verdict(0.0, ("nothing is remembered of this link",))
        return self.learner.judge(self._evidence(url, known))

    def to_bytes(self) -> bytes:
        """Everything that was learned.

        The parts are: the small things as JSON; of each term with a value its number, its name and its
        columns as floats; sizes and contents of the vectors of pages; addresses, lengths and packed bytes of
        pending links.
        """
        learner, pages, pending = self.learner, self.pages.vectors(), self.pending
        head: dict[str, Any] = {
            "topic": to_toml_text(self.topic),
            "learner": learner.name,
            "learned": learner.numbers() if isinstance(learner, OnlineLogistic) else learner.state(),
            "pages": self.pages.state(),
            "tally": [self.tally.relevant, self.tally.irrelevant],
            "records": [one.state() for one in self._records()],
            "labels": self.labels,
            "siblings": self.siblings.state(),
            "format": FORMAT,
        }
        parts = (
            json.dumps(head).encode(),
            *self.terms.lexicon.pack(self.terms.rows, b"".join(one.ids for one in pages)),
            array("i", [len(one.ids) // 4 for one in pages]).tobytes(),
            b"".join([part for one in pages for part in one]),
            "\n".join(pending).encode("utf-8", "surrogatepass"),
            struct.pack(f"<{len(pending)}H", *map(len, pending.values())),
            b"".join(pending.values()),
        )
        sizes = struct.pack("<9Q", *map(len, parts))
        compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True)
        return compressor.compress(b"".join((_MAGIC, sizes, *parts)))

    @classmethod
    def from_bytes(cls, data: bytes, wordnet: WordNet, *, limits: Limits = USUAL) -> "Guide":
        """What `to_bytes` returned; a UsageError if it is damaged."""
        head, pending, parts = unpacked(data)
        with _damage_is_reported():
            guide = cls(from_toml_text(head["topic"]), wordnet, learner=head["learner"], limits=limits)
            guide.learner.restore(head["learned"])
            guide.tally = Tally(*head["tally"])
            for one, state in zip(guide._records(), head["records"], strict=True):
                one.restore(state)
            guide.labels = dict(head["labels"])
            guide.siblings.restore(head["siblings"])
            ids, names, values, sizes, body = parts
            rows, fresh = guide.terms.rows, numbers(guide.terms.numbers(names.decode().split("\n")[:-1]))
            floats = array("f", values)
            for turn, column in enumerate(range(OPINION, WIDTH)):
                for one, value in zip(fresh, floats[turn * len(fresh) :], strict=False):
                    rows[WIDTH * one + column] = value
            places = dict(zip(numbers(ids), fresh, strict=True))
            vectors, start = [], 0
            for size in numbers(sizes):
                middle, end = start + 4 * size, start + 12 * size
                moved = array("i", [places[one] for one in numbers(body[start:middle])])
                vectors.append(Vector(moved.tobytes(), body[middle:end]))
                start = end
            if start != len(body):
                raise ValueError("the vectors do not have the stated lengths")
            guide.pages.restore(head["pages"], vectors)
        guide.pending = pending
        return guide


class SavedParts(NamedTuple):
    """The contents of a saved guide."""

    head: dict[str, Any]
    pending: dict[str, bytes]
    terms: tuple[bytes, ...]  # numbers of terms, names, columns, sizes of vectors, vectors


@contextmanager
def _damage_is_reported() -> Iterator[None]:
    try:
        yield
    except (zstandard.ZstdError, struct.error, ValueError, LookupError, TypeError, AttributeError):
        raise UsageError("the stored state of the focused crawl cannot be read") from None


def unpacked(data: bytes) -> SavedParts:
    """The parts of a saved guide; a UsageError if it is damaged."""
    with _damage_is_reported():
        if zstandard.frame_content_size(data) > _MOST_BYTES:
            raise ValueError("no saved guide is that long")
        body = zstandard.ZstdDecompressor().decompress(data)
        if not body.startswith(_MAGIC):
            raise ValueError("this is not a saved guide")
        place = len(_MAGIC) + 72
        parts = []
        for size in struct.unpack_from("<9Q", body, len(_MAGIC)):
            parts.append(body[place : place + size])
            place += size
        if place != len(body):
            raise ValueError("the parts do not have the stated lengths")
        head, *terms, urls, lengths, known = parts
        names = urls.decode("utf-8", "surrogatepass").split("\n") if lengths else []
        pending, start = {}, 0
        for name, size in zip(names, struct.unpack(f"<{len(lengths) // 2}H", lengths), strict=True):
            pending[name] = known[start : start + size]
            start += size
        if start != len(known):
            raise ValueError("the packed bytes of links do not have the stated lengths")
        saved = SavedParts(json.loads(head), pending, tuple(terms))
        found = saved.head["format"]
    if found != FORMAT:
        raise UsageError(f"the stored focus is of format {found}, this release reads {FORMAT}")
    return saved


def _host(section: str) -> str:
    """The host of a `section_of`."""
    first = section.find("/", 8 if section.startswith("http") else section.find("//") + 2)
    return section[:first] if first >= 0 else section


def _joined(words: Sequence[str]) -> bytes:
    return " ".join(words).replace("\u2019", "'").encode("utf-8", "ignore")
