"""Asks the mind about changes and plans, and writes down what it says and what it cost."""

import logging
from collections import Counter
from pathlib import Path

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.files import tag_file as tag_files
from fieldmouse.files.warc_reader import read_at
from fieldmouse.types import Failure, Features, Place, StoredCopy, Trouble, VisitHistory
from fieldmouse.units import DAY

from .announcements import Announcements
from .database import Database
from .mind import Mind, PageRef
from .rows import Previous, Written, found_content

log = logging.getLogger(__name__)


# Visits that are looked back on; older ones say little about a page now.
REMEMBERED = 24

SLOT_SECONDS = 900

GONE = frozenset({404, 410})

# How long forecasts are held against what came.
FORECAST_DAYS = 60

# Ends of a visit before anything was asked of the server: they cost nothing.
NOT_ASKED = frozenset({Trouble.DNS, Trouble.REFUSED, Trouble.ROBOTS})

# The via of sitemaps, which are read when robots.txt is.
SITEMAP = "robots.txt"


class Thoughts:
    """What refreshing adds to a commit."""

    def __init__(self, db: Database, folder: Path, mind: Mind) -> None:
        self.db = db
        self.folder = folder
        self.mind = mind
        self.announcements = Announcements(db)

    def changed(self, one: Written) -> tuple[bool, str]:
        """Whether new bytes are a change of content, and why."""
        assert one.previous is not None
        before, after = self._copy(one.previous), _new_copy(one)
        if before is None or after is None:
            return True, ""
        verdict = self.mind.changed(self._spot(one), before, after)
        return verdict.score > 0, "; ".join(verdict.reasons)

    def _spot(self, one: Written) -> PageRef:
        host = one.finding.ticket.host
        row = self.db.one("noise", host=host)
        return PageRef(one.finding.ticket.url, host, row[0] if row else "")

    def _unchanged(self, one: Written) -> None:
        """What changes seldom is no noise; so where noise is suspected, a visit without change tells too."""
        if one.previous is None or one.changed or one.why:
            return
        spot = self._spot(one)
        copy = (_new_copy(one) or self._copy(one.previous)) if spot.noise else None
        if copy is not None:
            self.mind.same(spot, copy)

    def _copy(self, old: Previous) -> StoredCopy | None:
        """The content the page had until now, from the files; None when it has none or it is damaged."""
        if old.file is None or old.tag_file is None:
            return None
        try:
            return self._read(old, old.file, old.tag_file)
        except ArchiveDamaged as error:
            log.warning("a copy that should be compared with a newer one: %s", error)
            return None

    def _read(self, old: Previous, file: int, tag_file: int) -> StoredCopy:
        warc = Place(self._name(file), old.offset or 0, old.length or 0)
        tags = Place(self._name(tag_file), old.tag_offset or 0, old.tag_length or 0)
        return StoredCopy(
            content=read_at(self.folder / "warc", warc).to_response().content,
            index=tag_files.read(self.folder / "tags", tags),
            charset=old.charset or "utf-8",
            time=old.time or 0.0,
        )

    def _name(self, file: int) -> str:
        return str(self.db.one("file_name", id=file)[0])

    def plan(self, one: Written, page: int) -> None:
        """Decide when to visit a page next. A first visit has no history yet; a sitemap has no plan."""
        if one.finding.ticket.via == SITEMAP:
            return
        old, outcome = one.previous, one.finding.outcome
        gaps = [(gap / DAY, bool(changed)) for gap, changed in self._gaps(page)] if old else []
        found = found_content(one.known_by)
        if old is not None and found and one.known_by != "first":
            gaps.insert(0, (one.gap / DAY, one.changed))
            self._unchanged(one)
        one.planned = self.mind.plan(
            VisitHistory(
                url=one.finding.ticket.url,
                host=one.finding.ticket.host,
                time=outcome.began,
                found=found,
                status=one.answer.status if one.answer else 0,
                misses=one.misses,
                gone=self._gone(one),
                gaps=tuple(gaps),
                features=_features(one),
                weight=old.weight if old else 1.0,
                rate=old.rate if old else None,
            )
        )

    def _gone(self, one: Written) -> int:
        """Visits in a row, with this one, to which the server said that there is no such page."""
        if one.answer is None or one.answer.status not in GONE:
            return 0
        count = 1
        if one.previous is not None and one.previous.misses:
            for (status,) in self.db.run("recent_statuses", page=one.previous.id, n=one.previous.misses):
                if status not in GONE:
                    break
                count += 1
        return count

    def _gaps(self, page: int) -> list[tuple[float, int]]:
        return self.db.run("recent_gaps", page=page, n=REMEMBERED).fetchall()

    def put(self, written: list[Written], now: float) -> None:
        """Write what was decided. Inside the transaction."""
        rows, audits, spent = [], [], Counter[str]()
        hastened = self.announcements.score(written)
        validators: dict[str, list[int]] = {}
        for one in written:
            spent["refresh" if one.finding.refreshed else "discovery"] += _asked(one)
            _score(one, validators)
            if (p := one.planned) is not None:
                key = (one.page, one.finding.outcome.began)
                rows.append((*key, p.predictor, p.group, p.rate, p.due, p.reasons))
            if one.finding.audited and one.previous is not None and _tells(one):
                audits.append(self._audit(one, one.previous))
        self.db.many("put_prediction", rows)
        self.db.many("put_audit", audits)
        self.db.many("put_noise", self.mind.noises())
        # Nobody forecast what sites announce.
        self._put_forecasts([one for one in written if one.page not in hastened], int(now // DAY))
        self._put_announced(written, now)
        self.db.many("add_validator", [(host, *counts) for host, counts in validators.items()])
        if spent.total():
            self.db.many("add_spend", [(int(now // SLOT_SECONDS), spent["refresh"], spent["discovery"])])

    def _put_announced(self, written: list[Written], now: float) -> None:
        """What sites say of their pages, and where they say it."""
        self.db.many("put_feed", [(one.host, url) for one in written for url in one.finding.feeds])
        for one in written:
            if one.finding.announced:
                self.announcements.hear(one.finding, now)

    def _audit(self, one: Written, old: Previous) -> tuple[int, float, int, float]:
        """Whether a page drawn at random was fresh, and how likely we thought that was."""
        fresh = found_content(one.known_by) and not one.changed
        expected = self.mind.fresh(old.rate or 0.0, old.shape, max(0.0, one.gap) / DAY)
        return old.id, one.finding.outcome.began, int(fresh), expected

    def _put_forecasts(self, written: list[Written], day: int) -> None:
        """Hold what visits found against what was expected of them."""
        rows = []
        for one in written:
            old = one.previous
            if old is not None and old.rate is not None and one.gap > 0 and one.known_by in ("digest", "304"):
                chance = 1.0 - self.mind.fresh(old.rate, old.shape, one.gap / DAY)
                host = one.finding.ticket.host
                rows.append((day, host, 1, chance, int(one.changed), chance * (1.0 - chance)))
        if rows:
            self.db.many("add_forecast", rows)
            self.db.run("forget_forecasts", day=day - FORECAST_DAYS)


def _new_copy(one: Written) -> StoredCopy | None:
    """The content that a visit brought."""
    reading, answer = one.finding.reading, one.answer
    if reading is None or answer is None or answer.status == 304:
        return None
    return StoredCopy(
        content=answer.content, index=reading.index, charset=reading.charset, time=one.finding.outcome.began
    )


def _asked(one: Written) -> bool:
    """Whether a visit got as far as a request."""
    outcome = one.finding.outcome
    return not isinstance(outcome, Failure) or outcome.trouble not in NOT_ASKED


def _tells(one: Written) -> bool:
    """Whether a visit tells if the copy was fresh: the page was there, or it was gone for good."""
    return found_content(one.known_by) or (one.answer is not None and one.answer.status in GONE)


def _score(one: Written, validators: dict[str, list[int]]) -> None:
    """Whether the validators of an answer told the truth, as far as the digest knows it.

    A 304 saves the body; equal bytes under a new validator, or new validators over an equal text, misled us.
    """
    old, answer = one.previous, one.answer
    if old is None or answer is None or not (old.etag or old.last_modified):
        return
    counts = validators.setdefault(one.finding.ticket.host, [0, 0, 0])
    if one.known_by == "304":
        counts[0] += 1
        counts[2] += old.text_bytes or 0
    elif one.known_by == "digest":
        counts[0 if one.changed else 1] += 1


def _features(one: Written) -> Features | None:
    if one.finding.reading is not None:
        return one.finding.reading.features
    old = one.previous
    if old is None or old.links is None:
        return None
    return Features(
        links=old.links,
        emails=old.emails or 0,
        images=old.images or 0,
        text_bytes=old.text_bytes or 0,
        has_last_modified=bool(old.has_last_modified),
        depth=one.finding.ticket.depth,
        directory_level=old.directory_level or 0,
    )
