"""Asks the mind about changes and plans, and writes down what it says and what it cost."""

import math
from collections import Counter
from pathlib import Path

from fieldmouse.types import Copy, Features, Occasion, Place

from . import tagfile
from .mind import Mind
from .rows import Previous, Written, found_content
from .sqlite import Database
from .warcread import read_at

DAY = 86400.0

# Visits that are looked back on; older ones say little about a page now.
REMEMBERED = 24

SLOT_SECONDS = 900


class Thoughts:
    """What refreshing adds to a commit."""

    def __init__(self, db: Database, folder: Path, mind: Mind) -> None:
        self.db = db
        self.folder = folder
        self.mind = mind

    def changed(self, one: Written) -> tuple[bool, str]:
        """Whether new bytes are a change of content, and why."""
        old, reading, answer = one.previous, one.finding.reading, one.answer
        assert old is not None
        before = self._copy(old)
        if before is None or reading is None or answer is None:
            return True, ""
        host = one.finding.ticket.host
        row = self.db.one("noise", host=host)
        after = Copy(content=answer.content, index=reading.index, charset=reading.charset)
        verdict = self.mind.changed(host, row[0] if row else "", before, after)
        return verdict.score > 0, "; ".join(verdict.reasons)

    def _copy(self, old: Previous) -> Copy | None:
        """The content the page had until now, from the files."""
        if old.file is None or old.tag_file is None:
            return None
        warc = Place(self._name(old.file), old.offset or 0, old.length or 0)
        tags = Place(self._name(old.tag_file), old.tag_offset or 0, old.tag_length or 0)
        return Copy(
            content=read_at(self.folder / "warc", warc).to_response().content,
            index=tagfile.read(self.folder / "tags", tags),
            charset=old.charset or "utf-8",
        )

    def _name(self, file: int) -> str:
        return str(self.db.one("file_name", id=file)[0])

    def plan(self, one: Written, page: int) -> None:
        """Decide when to visit a page next. A first visit has no history yet."""
        old, outcome = one.previous, one.finding.outcome
        gaps = [(gap / DAY, bool(changed)) for gap, changed in self._gaps(page)] if old else []
        found = found_content(one.known_by)
        if old is not None and found and one.known_by != "first":
            gaps.insert(0, ((outcome.began - old.last_visit) / DAY, one.changed))
        one.planned = self.mind.plan(
            Occasion(
                url=one.finding.ticket.url,
                host=one.finding.ticket.host,
                time=outcome.began,
                found=found,
                status=one.answer.status if one.answer else 0,
                misses=one.misses,
                gaps=tuple(gaps),
                features=_features(one),
                weight=old.weight if old else 1.0,
                rate=old.rate if old else None,
            )
        )

    def _gaps(self, page: int) -> list[tuple[float, int]]:
        return self.db.run("recent_gaps", page=page, n=REMEMBERED).fetchall()

    def put(self, written: list[Written], now: float) -> None:
        """Write what was decided. Inside the transaction."""
        rows, audits, spent = [], [], Counter[str]()
        validators: dict[str, list[int]] = {}
        for one in written:
            spent["refresh" if one.finding.refreshed else "discovery"] += 1
            _score(one, validators)
            if (p := one.planned) is not None and one.previous is not None:
                key = (one.previous.id, one.finding.outcome.began)
                rows.append((*key, p.predictor, p.group, p.rate, p.due, p.reasons))
            if one.finding.audited and one.previous is not None and found_content(one.known_by):
                audits.append(_audit(one, one.previous))
            for url, modified in one.finding.announced:
                self.db.run("hasten", url=url, modified=modified, now=now)
        self.db.many("put_prediction", rows)
        self.db.many("put_audit", audits)
        self.db.many("put_noise", self.mind.noises())
        self.db.many("add_validator", [(host, *counts) for host, counts in validators.items()])
        if written:
            self.db.many("add_spend", [(int(now // SLOT_SECONDS), spent["refresh"], spent["discovery"])])


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


def _audit(one: Written, old: Previous) -> tuple[int, float, int, float]:
    """Whether a page drawn at random was fresh, and how likely we thought that was."""
    days = max(0.0, one.finding.outcome.began - old.last_visit) / DAY
    return old.id, one.finding.outcome.began, int(not one.changed), math.exp(-(old.rate or 0.0) * days)


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
