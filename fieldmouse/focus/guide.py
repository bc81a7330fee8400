"""The one object a crawl asks: what a page was worth, and what each of its links may be.

After each download `saw` judges the page, teaches the judge of links what came of it, and keeps the tables
of relevant and irrelevant pages; then `leads` judges the page's links. What is known of links that wait is
a few hundred packed bytes each, for a bounded number of them: the oldest are forgotten first, and keep the
score they have in the frontier. All of it goes into bytes and back, so a crawl resumes with what it
learned.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from fieldmouse.errors import UsageError
from fieldmouse.learn.learner import make_learner
from fieldmouse.page.word_positions import small_text
from fieldmouse.types import Link, Verdict

from .default_evidence import Corrected
from .evidence import TASK, Evidence, LinkLearner, Parent, Past, Seer, Sighting, level_of, with_level
from .fast_path import Bench, LinkEstimate
from .guide_format import packed, restored, telling_damage, unpacked
from .online_logistic import OnlineLogistic
from .page_judge import PageJudge
from .safran2012 import Published
from .term_table import FOLLOWED, FOLLOWED_TOTAL, MATCH, NAMED, NAMED_TOTAL, OPINION, WIDTH
from .terms import MOST_TERMS, Reading, Terms
from .topic import Topic, from_toml_text, to_toml_text
from .track_records import Records, TermRecords
from .wordnet import WordNet
from .words import PageText

DEFAULT = "online"  # the learner of a focused crawl
AROUND = 20  # terms on each side of a link
MANY = 1e9  # pages; a term of the topic is worth more than any other


# Where a link stands on a page: its address, where it begins and ends, and where its own terms do.
Place = tuple[str, int, int, int, int]


class Lead(NamedTuple):
    """A link, judged."""

    url: str
    score: float
    level: int  # pages off the topic in a row, if this one is followed
    refused: str = ""  # why it should not be followed


class Thought(NamedTuple):
    """What was thought of a link, and what it is to be learned from."""

    score: float
    reasons: tuple[str, ...]
    evidence: Evidence


class Outcome(NamedTuple):
    """What a page was worth."""

    verdict: Verdict
    parent: Parent  # for the judgement of its links
    promise: Verdict | None  # what was thought of it before, if anything was


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
        self, topic: Topic, wordnet: WordNet, *, learner: str = DEFAULT, limits: Limits = USUAL
    ) -> None:
        self.topic, self.limits = topic, limits
        self.terms = Terms(wordnet.background)
        self.pages = PageJudge(topic, self.terms)
        parts = (self.terms,) if learner == DEFAULT else ()
        self.learner: LinkLearner = make_learner(learner, *parts, task=TASK)  # type: ignore[assignment]
        self._online = online = self.learner if isinstance(self.learner, OnlineLogistic) else None
        seer = Corrected(topic, self.terms, wordnet) if self.learner.corrected else None
        self.seer: Seer = seer or Published(topic, self.terms, wordnet)
        self.tally = Tally()
        self.hosts = Records(limits.places)
        self.sections = Records(limits.places)
        self.named = TermRecords(
            self.terms, NAMED, NAMED_TOTAL, prior=2.0
        )  # a link stands on the page that names it
        self.followed = TermRecords(self.terms, FOLLOWED, FOLLOWED_TOTAL, prior=2.0)
        self._bench = Bench(seer, online, self.named, self.followed) if seer else None
        self.pending: dict[str, bytes] = {}
        self._pasts: dict[str, tuple[float, float]] = {}  # by folder, until the next page
        self.labels = dict.fromkeys(topic.relevant, True) | dict.fromkeys(topic.irrelevant, False)

    def teach(
        self,
        url: str,
        page: PageText,
        relevant: bool,
        sightings: Iterable[tuple[Link, PageText]] = (),
        read: Reading | None = None,
    ) -> Parent:
        """A page labelled by a person, with the links to it that are known and the pages they are on.

        Who has read the page gives what was read: to read it again might forget terms, and number them anew.
        """
        read = read or self.read(page)
        self.pages.teach(read, relevant=relevant)
        self._hear(read, float(relevant))
        parent = self.seer.parent(read, Parent(url, float(relevant), 0))
        known = b""
        for link, there in sightings:
            other = self.read(there)
            judged = self.pages.judge(other).score
            above = self.seer.parent(other, Parent(link.url, judged))
            known = self.seer.sight(known, self._sighting(link), above)
        known = known or self.seer.sight(known, self._own(url, page, read), parent)
        self.learner.learn(self._evidence(url, known), float(relevant))
        return parent

    def read(self, page: PageText) -> Reading:
        """Read a page; now and then the terms that were met least are forgotten."""
        if len(self.terms.lexicon) > MOST_TERMS:
            self._forget_terms()
        return self.terms.read(page)

    def saw(self, url: str, page: PageText, level: int = 0) -> tuple[Verdict, Parent]:
        """A page was downloaded: judge it, learn from it; the parent is for `leads`."""
        verdict, parent, _ = self.turned_out(url, page, self.read(page), level)
        return verdict, parent

    def turned_out(self, url: str, page: PageText, read: Reading, level: int = 0) -> Outcome:
        """The same for a page that was read, with what was thought of it before.

        `level` is its counter as the frontier has it, for a link whose evidence was forgotten.
        """
        label = self.labels.pop(url, None)
        known = self.pending.pop(url, b"")
        thought = self._thought(url, known) if known else None
        promise = Verdict(thought.score, thought.reasons) if thought else None
        if label is not None and (parent := self._taught(url, page, label, read)) is not None:
            self._count(url, float(label))
            parent = parent._replace(level=0 if label else 1)
            return Outcome(Verdict(float(label), ("labelled by hand",)), parent, promise)
        verdict = self.pages.saw(read)
        if thought and self.learner.updatable:
            self._learn(thought, verdict.score)
        self._count(url, verdict.score)
        self._hear(read, verdict.score)
        level = 0 if verdict.score > 0.5 else max(level_of(known) if known else level, 1)
        return Outcome(verdict, self.seer.parent(read, Parent(url, verdict.score, level)), promise)

    def _thought(self, url: str, known: bytes) -> LinkEstimate | Thought:
        """What is thought of a link, before its page is judged."""
        if self._bench is not None and self._bench.ready:
            return self._bench.promise(known, *self._past(url))
        evidence = self._evidence(url, known)
        said = self.learner.judge(evidence)
        return Thought(said.score, said.reasons, evidence)

    def _learn(self, thought: LinkEstimate | Thought, relevance: float) -> None:
        if isinstance(thought, LinkEstimate) and self._bench is not None:
            self._bench.learn(thought, relevance)
            self.followed.add(thought.words, relevance)
        elif isinstance(thought, Thought):
            self.learner.learn(thought.evidence, relevance)
            self.followed.add(self.terms.numbers(thought.evidence.words), relevance)

    def _taught(self, url: str, page: PageText, label: bool, read: Reading) -> Parent | None:
        """A seed is seen; None when its text was given with the other label, so that neither can be right."""
        try:
            return self.teach(url, page, label, read=read)
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
        self._pasts.clear()

    def _records(self) -> tuple[Records | TermRecords, ...]:
        return self.hosts, self.sections, self.named, self.followed

    def _hear(self, read: Reading, relevance: float) -> None:
        if self.learner.corrected:
            self.named.add(read.once, relevance)

    def _forget_terms(self) -> None:
        """Forget at least half of the terms: the topic's own and what links taught stay, then common ones."""
        rows = self.terms.rows
        met = zip(*(rows[column::WIDTH] for column in (NAMED, FOLLOWED, MATCH, OPINION)), strict=True)
        worth = [named + MANY * bool(followed or match) + bool(said) for named, followed, match, said in met]
        order = sorted(range(self.terms.common, len(self.terms.lexicon)), key=worth.__getitem__)
        first = max(len(order) // 2, len(order) - MOST_TERMS // 2)
        self.pages.moved(self.terms.forget(sorted(order[first:])))

    def leads(self, parent: Parent, links: Sequence[Link]) -> list[Lead]:
        """Judge the links of a page, each address once, with the last word on each."""
        return self.follow(parent, *self._placed(links))

    def follow(self, parent: Parent, ids: bytes, size: int, places: Sequence[Place]) -> list[Lead]:
        """The same for links that stand in the terms of a page, of which there are `size`."""
        if self._bench is not None and self._bench.ready:
            told = self._bench.sight(self.pending, places, (ids, size), parent, self._past)
        else:
            told = [self._lead(parent, _seen(place, ids, size)) for place in places]
        _forget_oldest(self.pending, self.limits.remember)
        limit = self.limits.level
        return [
            Lead(url, score, level, f"focus: {level} pages off the topic in a row")
            if limit and level >= limit
            else Lead(url, score, level)
            for url, score, level in {one[0]: one for one in told}.values()
        ]

    def _lead(self, parent: Parent, link: Sighting) -> tuple[str, float, int]:
        url = link.url
        old = self.pending.get(url, b"")
        known = self.seer.sight(old, link, parent)
        score = self.learner.score(self._evidence(url, known))
        level = 0 if score > 0.5 else parent.level + 1
        if old:
            level = min(level, level_of(old))
        self.pending[url] = with_level(known, level)
        return url, score, level

    def _placed(self, links: Sequence[Link]) -> tuple[bytes, int, list[Place]]:
        """Links that stand on no page, as if they stood far apart on one."""
        page, own, places = bytearray(), bytearray(), []
        gap = array("i", [-1] * AROUND).tobytes()
        for link in links:
            page += gap + self.terms.ids(_joined(link.before))
            first, start = len(page) // 4, len(own) // 4
            page += self.terms.ids(_joined(link.after)) + gap
            own += self.terms.ids(small_text(link.anchor))
            places.append((link.url, first, start, len(own) // 4))
        size = len(page) // 4
        return bytes(page + own), size, [(url, at, at, size + a, size + b) for url, at, a, b in places]

    def _sighting(self, link: Link) -> Sighting:
        around = self.terms.ids(_joined((*link.before, *link.after)))
        return Sighting(link.url, self.terms.ids(small_text(link.anchor)), around)

    def _own(self, url: str, page: PageText, read: Reading) -> Sighting:
        """A seed nobody is known to link to speaks for itself: its title as anchor, its first words."""
        return Sighting(url, self.terms.ids(small_text(page.title)), read.ids[: 4 * 2 * AROUND])

    def _past(self, url: str) -> tuple[float, float]:
        """How the pages of its host and of its folder turned out."""
        host, section = _places(url)
        found = self._pasts.get(section)
        if found is None:
            found = self._pasts[section] = self.hosts.of_one(host), self.sections.of_one(section)
        return found

    def _evidence(self, url: str, known: bytes) -> Evidence:
        if not self.learner.corrected:
            return self.seer.evidence(known)
        if self._bench is not None and self._bench.reads and known:
            return self._bench.evidence(known, *self._past(url))
        numbers = self.terms.numbers
        past = Past(
            *self._past(url), lambda found: self.named.of(numbers(found)),
            lambda found: self.followed.of(numbers(found)),
        )  # fmt: skip
        return self.seer.evidence(known, past)

    def moved(self, old: str, new: str) -> None:
        """A link redirects: what is known of it holds for where it leads."""
        known = self.pending.pop(old, b"")
        if known:
            self.pending.setdefault(new, known)

    def again(self, url: str) -> float | None:
        """The score of a link that waits, by what is known now; None when its evidence was forgotten."""
        known = self.pending.get(url)
        if not known:
            return None
        if self._bench is not None and self._bench.ready:
            return self._bench.score(known, *self._past(url))
        return self.learner.score(self._evidence(url, known))

    def explain(self, url: str) -> Verdict:
        """Why a link that waits has its score."""
        known = self.pending.get(url, b"")
        if not known:
            return Verdict(0.0, ("nothing is remembered of this link",))
        return self.learner.judge(self._evidence(url, known))

    def to_bytes(self) -> bytes:
        """All that was learned."""
        told: dict[str, Any] = {
            "topic": to_toml_text(self.topic),
            "learner": self.learner.name,
            "learned": self._online.numbers() if self._online else self.learner.state(),
            "pages": self.pages.state(),
            "tally": [self.tally.relevant, self.tally.irrelevant],
            "records": [one.state() for one in self._records()],
            "labels": self.labels,
        }
        return packed(told, self.terms, self.pages.vectors(), self.pending)

    @classmethod
    def from_bytes(cls, data: bytes, wordnet: WordNet, *, limits: Limits = USUAL) -> "Guide":
        """A guide as it was; a UsageError when the bytes are damaged."""
        told, pending, parts = unpacked(data)
        with telling_damage():
            guide = cls(from_toml_text(told["topic"]), wordnet, learner=told["learner"], limits=limits)
            guide.learner.restore(told["learned"])
            guide.tally = Tally(*told["tally"])
            for one, state in zip(guide._records(), told["records"], strict=True):
                one.restore(state)
            guide.labels = dict(told["labels"])
            guide.pages.restore(told["pages"], restored(parts, guide.terms))
        guide.pending = pending
        return guide


def _forget_oldest(table: dict[str, Any], limit: int) -> None:
    """A tenth at a time: looking for the first key of a dict passes over all that were deleted before it."""
    if len(table) > limit:
        for key in [*islice(table, len(table) - limit + limit // 10)]:
            del table[key]


def _places(url: str) -> tuple[str, str]:
    """The host of an address, and the host with the first folder."""
    first = url.find("/", 8 if url.startswith("http") else url.find("//") + 2)
    if first < 0:
        return url, url
    second = url.find("/", first + 1)
    return url[:first], url[:second] if second > 0 else url[: first + 1]


def _joined(words: Sequence[str]) -> bytes:
    return " ".join(words).replace("\u2019", "'").encode("utf-8", "ignore")


def _seen(place: Place, ids: bytes, size: int) -> Sighting:
    """A link with what stands around it."""
    url, first, last, start, end = place
    before, after = ids[4 * max(0, first - AROUND) : 4 * first], ids[4 * last : 4 * min(last + AROUND, size)]
    return Sighting(url, ids[4 * start : 4 * end], before + after)
