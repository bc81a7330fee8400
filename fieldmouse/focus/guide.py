"""The one object a crawl asks: what a page was worth, and what each of its links may be.

After each download `saw` judges the page, teaches the judge of links what came of it, and keeps the tables
of relevant and irrelevant pages; then `leads` judges the page's links. What is known of links that wait is
a few hundred packed bytes each, for a bounded number of them: the oldest are forgotten first, and keep the
score they have in the frontier. All of it goes into bytes and back, so a crawl resumes with what it
learned.
"""

import json
import struct
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

import zstandard

from fieldmouse.errors import UsageError
from fieldmouse.types import Link, Verdict

from .corrected import Corrected
from .evidence import Evidence, Parent, Past, Published, Seer, level_of, with_level
from .learners import BestFirst, BreadthFirst, Learner, NaiveBayes
from .margins import LinearSvm, SmallNetwork
from .online import OnlineLogistic
from .pages import PageJudge
from .records import Records
from .sheet import PageText
from .topic import Topic, from_toml_text, to_toml_text
from .wordnet import WordNet
from .words import Stems

LEARNERS: dict[str, Callable[[], Learner]] = {
    "bfs": BreadthFirst,
    "best-first": BestFirst,
    "nb2": lambda: NaiveBayes("nb2", attributes=2),
    "nb4": lambda: NaiveBayes("nb4"),
    "nb4-updatable": lambda: NaiveBayes("nb4-updatable", updatable=True),
    "svm": LinearSvm,
    "network": SmallNetwork,
    "online": OnlineLogistic,
}

FORMAT = 2
READABLE = (1, 2)  # the first kept its records in another way: they begin anew
_LENGTHS = struct.Struct("<QQQ")
TERMS = 100_000  # words whose record is kept
AROUND = 20  # words of a seed's own text on each side of its title, when no page that links to it is known


class Lead(NamedTuple):
    """A link, judged."""

    url: str
    score: float
    level: int  # pages off the topic in a row, if this one is followed
    refused: str = ""  # why it should not be followed


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How far a guide goes."""

    level: int = 3  # a path is given up after this many pages off the topic in a row; 0 for never
    remember: int = 200_000  # links whose evidence is kept
    places: int = 50_000  # hosts and folders whose record is kept


USUAL = Limits()


@dataclass(slots=True)
class Tally:
    """How many pages turned out on the topic, and off it."""

    relevant: int = 0
    irrelevant: int = 0

    @property
    def harvest(self) -> float:
        """The share of pages that are on the topic."""
        total = self.relevant + self.irrelevant
        return self.relevant / total if total else 0.0


class Guide:
    """Judges pages and links for one topic."""

    def __init__(
        self, topic: Topic, wordnet: WordNet, *, learner: str = "online", limits: Limits = USUAL
    ) -> None:
        if learner not in LEARNERS:
            raise UsageError(f"there is no learner {learner!r}; there are {', '.join(LEARNERS)}")
        self.topic, self.limits = topic, limits
        self._stems = Stems()
        self.pages = PageJudge(topic, wordnet.background)
        self.learner = LEARNERS[learner]()
        self.seer: Seer = (
            Corrected(topic, wordnet, self.pages, self._stems, self.pages.idfs)
            if self.learner.corrected
            else Published(topic, wordnet)
        )
        self.tally = Tally()
        self.hosts = Records(limits.places)
        self.sections = Records(limits.places)
        self.named = Records(TERMS, prior=2.0)  # a link stands on the page that names it
        self.followed = Records(TERMS, prior=2.0)
        self.pending: dict[str, bytes] = {}
        self.labels = dict.fromkeys(topic.relevant, True) | dict.fromkeys(topic.irrelevant, False)

    def teach(
        self, url: str, page: PageText, relevant: bool, sightings: Iterable[tuple[Link, PageText]] = ()
    ) -> Parent:
        """A page labelled by a person, with the links to it that are known and the pages they are on."""
        counted = page.counts(self._stems)
        self.pages.teach(counted, relevant=relevant)
        self._hear(counted, float(relevant))
        parent = self.seer.parent(counted, Parent(url, float(relevant), 0))
        known = b""
        for link, there in sightings:
            other = there.counts(self._stems)
            judged = self.pages.judge(other).score
            known = self.seer.sight(known, link, self.seer.parent(other, Parent(link.url, judged)))
        known = known or self.seer.sight(known, _own_link(url, page), parent)
        self.learner.learn(self._evidence(url, known), float(relevant))
        return parent

    def saw(self, url: str, page: PageText, level: int = 0) -> tuple[Verdict, Parent]:
        """A page was downloaded: judge it, learn from it; the parent is for `leads`.

        `level` is its counter as the frontier has it, for a link whose evidence was forgotten.
        """
        label = self.labels.pop(url, None)
        known = self.pending.pop(url, b"")
        if label is not None and (parent := self._taught(url, page, label)) is not None:
            self._count(url, float(label))
            return Verdict(float(label), ("labelled by hand",)), parent._replace(level=0 if label else 1)
        counted = page.counts(self._stems)
        verdict = self.pages.saw(counted)
        if known and self.learner.updatable:
            evidence = self._evidence(url, known)
            self.learner.learn(evidence, verdict.score)
            self.followed.add(evidence.words, verdict.score)
        self._count(url, verdict.score)
        self._hear(counted, verdict.score)
        level = 0 if verdict.score > 0.5 else max(level_of(known) if known else level, 1)
        return verdict, self.seer.parent(counted, Parent(url, verdict.score, level))

    def _taught(self, url: str, page: PageText, label: bool) -> Parent | None:
        """A seed is seen; None when its text was given with the other label, so that neither can be right."""
        try:
            return self.teach(url, page, label)
        except UsageError:
            return None

    def _count(self, url: str, relevance: float) -> None:
        if relevance > 0.5:
            self.tally.relevant += 1
        else:
            self.tally.irrelevant += 1
        host, section = _places(url)
        self.hosts.add((host,), relevance)
        self.sections.add((section,), relevance)

    def _records(self) -> tuple[Records, ...]:
        return self.hosts, self.sections, self.named, self.followed

    def _hear(self, counted: Mapping[str, int], relevance: float) -> None:
        if self.learner.corrected:
            self.named.add(counted, relevance)

    def leads(self, parent: Parent, links: Sequence[Link]) -> list[Lead]:
        """Judge the links of a page, each address once, with the last word on each."""
        found: dict[str, Lead] = {}
        for link in links:
            found[link.url] = self._lead(parent, link)
        _forget_oldest(self.pending, self.limits.remember)
        return list(found.values())

    def _lead(self, parent: Parent, link: Link) -> Lead:
        url = link.url
        old = self.pending.get(url, b"")
        known = self.seer.sight(old, link, parent)
        score = self.learner.judge(self._evidence(url, known))
        level = 0 if score > 0.5 else parent.level + 1
        if old:
            level = min(level, level_of(old))
        self.pending[url] = with_level(known, level)
        if self.limits.level and level >= self.limits.level:
            return Lead(url, score, level, f"focus: {level} pages off the topic in a row")
        return Lead(url, score, level)

    def _evidence(self, url: str, known: bytes) -> Evidence:
        if not self.learner.corrected:
            return self.seer.evidence(known)
        host, section = _places(url)
        past = Past(self.hosts.of((host,)), self.sections.of((section,)), self.named.of, self.followed.of)
        return self.seer.evidence(known, past)

    def moved(self, old: str, new: str) -> None:
        """A link redirects: what is known of it holds for where it leads."""
        known = self.pending.pop(old, b"")
        if known:
            self.pending.setdefault(new, known)

    def again(self, url: str) -> float | None:
        """The score of a link that waits, by what is known now; None when its evidence was forgotten."""
        known = self.pending.get(url)
        return self.learner.judge(self._evidence(url, known)) if known else None

    def explain(self, url: str) -> Verdict:
        """Why a link that waits has its score."""
        known = self.pending.get(url, b"")
        if not known:
            return Verdict(0.0, ("nothing is remembered of this link",))
        return self.learner.explain(self._evidence(url, known))

    def to_bytes(self) -> bytes:
        """All that was learned."""
        state: dict[str, Any] = {
            "format": FORMAT,
            "topic": to_toml_text(self.topic),
            "learner": self.learner.kind,
            "learned": self.learner.state(),
            "pages": self.pages.state(),
            "tally": [self.tally.relevant, self.tally.irrelevant],
            "records": [one.state() for one in self._records()],
            "labels": self.labels,
        }
        return _packed(json.dumps(state).encode(), self.pending)

    @classmethod
    def from_bytes(cls, data: bytes, wordnet: WordNet, *, limits: Limits = USUAL) -> "Guide":
        """A guide as it was."""
        try:
            told, pending = _unpacked(data)
            state = json.loads(told)
        except (zstandard.ZstdError, struct.error, ValueError):
            raise UsageError("the stored state of the focused crawl cannot be read") from None
        if state.get("format") not in READABLE:
            raise UsageError(
                f"the stored focus is of format {state.get('format')}, this release reads {FORMAT}"
            )
        guide = cls(from_toml_text(state["topic"]), wordnet, learner=state["learner"], limits=limits)
        guide._restore(state)
        guide.pending = pending
        return guide

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.learner.restore(state["learned"])
        self.pages.restore(state["pages"])
        self.tally = Tally(*state["tally"])
        for one, told in zip(self._records(), state.get("records", ()), strict=False):
            one.restore(told)
        self.labels = dict(state["labels"])


def _packed(told: bytes, pending: Mapping[str, bytes]) -> bytes:
    """Lengths, then what was learned, the addresses, and what is known of them."""
    urls = "\n".join(pending).encode("utf-8", "surrogatepass")
    sizes = struct.pack(f"<{len(pending)}H", *map(len, pending.values()))
    head = _LENGTHS.pack(len(told), len(urls), len(pending))
    return zstandard.ZstdCompressor(level=3).compress(b"".join((head, told, urls, sizes, *pending.values())))


def _unpacked(data: bytes) -> tuple[bytes, dict[str, bytes]]:
    """The same back."""
    body = zstandard.ZstdDecompressor().decompress(data)
    told, urls, count = _LENGTHS.unpack_from(body)
    place = _LENGTHS.size + told + urls
    names = body[_LENGTHS.size + told : place].decode("utf-8", "surrogatepass").split("\n") if count else []
    pending = {}
    start = place + 2 * count
    for name, size in zip(names, struct.unpack_from(f"<{count}H", body, place), strict=True):
        pending[name] = body[start : start + size]
        start += size
    return body[_LENGTHS.size : _LENGTHS.size + told], pending


def _forget_oldest(table: dict[str, Any], limit: int) -> None:
    """A tenth at a time: looking for the first key of a dict passes over all that were deleted before it."""
    if len(table) > limit:
        for key in [*islice(table, len(table) - limit + limit // 10)]:
            del table[key]


def _places(url: str) -> tuple[str, str]:
    """The host of an address, and the host with the first folder."""
    start = url.find("//") + 2
    first = url.find("/", start)
    if first < 0:
        return url, url
    second = url.find("/", first + 1)
    return url[:first], url[:second] if second > 0 else url[: first + 1]


def _own_link(url: str, page: PageText) -> Link:
    """A seed nobody is known to link to speaks for itself: its title as anchor, its first words around it."""
    near = tuple(page.words[: 2 * AROUND])
    return Link(url, "a", False, page.title, near[:AROUND], near[AROUND:])
