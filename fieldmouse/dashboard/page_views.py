"""One page: is the copy current, when is the next visit, what changed, and why it is here."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.refresh.change import judge_change
from fieldmouse.refresh.diff_entries import DiffEntry, entries_from_json
from fieldmouse.refresh.noise import HostNoise, PageNoise, overrides
from fieldmouse.refresh.rates import RatePosterior
from fieldmouse.report.differences import DiffLine, diff_line, kind_words, share_words
from fieldmouse.report.why import Why, why
from fieldmouse.report.wording import (
    FAILURES,
    MONTHS,
    Words,
    count,
    language_name,
    pace,
    percent,
    signal_words,
    size,
    span,
)
from fieldmouse.settings import Settings
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.dashboard_contract import PageSummary, VersionSummary, VisitMark
from fieldmouse.store.page_records import ContentSpam
from fieldmouse.store.records import Judgement
from fieldmouse.types import PageClasses, StoredCopy, Version
from fieldmouse.units import DAY

from . import charts
from .charts import Segment, Tick, VisitLine
from .host_views import mark_style
from .page_numbers import current_share

# Days of the picture, visits in it, versions listed, bytes of a page that is compared.
HISTORY_DAYS, HISTORY_VISITS, LISTED, COMPARED = 365, 800, 12, 3_000_000
NARROW_VISITS = 40  # that can be told apart in the width of a phone
UNREADABLE = "The record of this copy is damaged, so it cannot be shown. `fieldmouse check` says more."
WEEKDAYS = ("Mo", "Tu", "We", "Th", "Fr", "Sa", "Su")
EVIDENCE = re.compile(r"(.+?) ([+-]\d+(?:\.\d+)?)$")


class Comparison(NamedTuple):
    """What differs between two versions."""

    older: float
    newer: float
    lines: list[DiffLine]
    noise: list[DiffLine]
    summary: str


class PageRows(NamedTuple):
    """What the store says of a page."""

    page: PageSummary
    why: Why
    marks: list[VisitMark]
    versions: list[VersionSummary]
    compared: Comparison | None
    chosen: tuple[int, int]  # ids of the versions that are compared, older first; zeros for none
    shown: Version | None  # the version whose copy is shown
    classes: list[PageClasses]
    spam: ContentSpam | None
    submissions: int  # of readers
    forgotten: bool


class VersionRow(NamedTuple):
    """A version in the table."""

    id: int
    time: float
    what: str
    line: DiffLine | None
    size: str
    older: bool
    newer: bool


class ClassScore(NamedTuple):
    """A class of the page."""

    classes: str  # the list
    name: str
    probability: float


class WordEvidence(NamedTuple):
    """A word and how strongly it spoke."""

    word: str
    value: float
    picture: Markup


class TopicScore(NamedTuple):
    """What was said of the page for a topic."""

    topic: str
    score: float
    evidence: list[WordEvidence]
    judge: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PageView:
    """Everything the page of a page shows."""

    url: str
    host: str
    path: str
    title: str
    chip: str
    chip_style: str
    lead: str
    history: Markup
    history_many: bool  # too many visits for the width of a phone
    history_note: str
    versions: list[VersionRow]
    version_count: int
    next: float | None
    compared: Comparison | None
    every: str
    every_note: str
    weekdays: Markup | None
    facts: list[tuple[str, str]]
    topics: list[TopicScore]
    classes: list[ClassScore]
    details: list[tuple[str, str]]
    submissions: int
    forgotten: bool
    paused: bool  # its host
    weight: float
    shown: Version | None
    stored: bool


def load_page(
    reader: StoreReader,
    settings: Settings,
    url: str,
    now: float,
    *,
    chosen: tuple[int, int] = (0, 0),
    shown: int = 0,
    before: float = 0.0,
) -> PageRows | None:
    """Read what the page needs; None for a URL that was never requested."""
    rows = reader.dashboard
    page = rows.page(url)
    if page is None:
        return None
    versions = rows.versions(page.id, before or now + DAY, LISTED + 1)
    mine = {one.id for one in versions}
    older, newer = chosen
    if not (older and newer) and len(versions) > 1:
        # The newest change that counts; without one the newest two.
        pairs = list(pairwise(versions))
        last = next(((old, new) for new, old in pairs if _counted(new)), (versions[1], versions[0]))
        older, newer = last[0].id, last[1].id
    compared = None
    if older and newer:
        compared = _compare(reader, settings, page.url, older, newer)
        if compared and compared.older > compared.newer:
            older, newer = newer, older
            compared = _compare(reader, settings, page.url, older, newer)
    copy = None
    if wanted := shown or (versions[0].id if versions else 0):
        copy = reader.find_version(wanted)
        copy = copy if copy and (copy.url == page.url or wanted in mine) else None
    return PageRows(
        page=page,
        why=why(reader, settings, reader.seed_hosts(), page.url),
        marks=rows.visit_marks(page.id, now - HISTORY_DAYS * DAY, HISTORY_VISITS),
        versions=versions,
        compared=compared,
        chosen=(older, newer),
        shown=copy,
        classes=reader.labels.classes_of(page.id),
        spam=reader.content_spam(page.id),
        submissions=len(reader.submissions.of_url(page.url)),
        forgotten=any(one.url == page.url for one in reader.forgotten()),
    )


def _counted(version: VersionSummary) -> list[DiffEntry]:
    """The differences of a version that count as a change."""
    return [one for one in entries_from_json(version.diff or "")[0] if not one.rule]


def _compare(reader: StoreReader, settings: Settings, url: str, older: int, newer: int) -> Comparison | None:
    """The differences of two versions of a page, with the noise that is known of its host."""
    found = [one for one in map(reader.find_version, (older, newer)) if one is not None and one.url == url]
    if len(found) < 2:
        return None
    copies = []
    for one in found:
        try:
            index = reader.tags(one)
            content = reader.response(one).content if index is not None and one.size <= COMPARED else b""
        except ArchiveDamaged:
            return Comparison(found[0].time, found[1].time, [], [], UNREADABLE)
        if index is None or one.size > COMPARED:
            text = f"{size(one.size)} of {one.mime or 'unknown type'} cannot be compared as text."
            return Comparison(found[0].time, found[1].time, [], [], text)
        copies.append(StoredCopy(content=content, index=index, charset=one.charset, time=one.time))
    data, decided = reader.host_noise(reader.dashboard.page(url).host)  # type: ignore[union-attr]
    noise = HostNoise.loaded(data, overrides(decided))
    verdict = judge_change(copies[0], copies[1], PageNoise(), noise, settings.refresh, url=url)
    entries = _as_recorded(reader, url, verdict.entries, found[0].time, found[1].time)
    lines = [diff_line(one) for one in entries if not one.rule]
    other = [diff_line(one) for one in entries if one.rule]
    differ = len(lines) + verdict.more
    summary = f"{count(differ, 'place differs', 'places differ')}" if lines else "no difference that counts"
    if lines and verdict.size:
        summary += f", {share_words(verdict.size)}"
    return Comparison(found[0].time, found[1].time, lines, other, summary)


def _as_recorded(
    reader: StoreReader, url: str, entries: Sequence[DiffEntry], older: float, newer: float
) -> list[DiffEntry]:
    """Differences with what visits between the versions decided, who knew the page at that time.

    What is known of its host today may call an earlier change noise.
    """
    page = reader.dashboard.page(url)
    listed = reader.dashboard.versions(page.id, newer + 1, LISTED) if page is not None else []
    counted = {
        (one.spot, text)
        for version in listed
        if older < version.time <= newer
        for one in _counted(version)
        for text in (one.old, one.new)
        if text
    }
    return [
        one._replace(rule="")
        if one.rule not in ("", "muted")
        and not counted.isdisjoint({(one.spot, one.old), (one.spot, one.new)})
        else one
        for one in entries
    ]


def page_view(rows: PageRows, words: Words) -> PageView:
    """The page of a page from its rows."""
    page, reason, now = rows.page, rows.why, words.now
    chip, style = _state(page, now)
    due = "No further visit is planned."
    if page.due is not None:
        due = f"{'Overdue since' if page.due < now else 'Next visit'} {words.when(page.due)}."
    paused = reason.host.paused_at if reason.host is not None else None
    if paused is not None:
        due = f"It is not visited: its host is paused since {words.when(paused)}."
    last = rows.marks[-1] if rows.marks else None
    result = ""
    if last is not None:
        result = (
            ", changed"
            if last.changed
            else f", {FAILURES.get(last.trouble, last.trouble).lower()}"
            if last.trouble
            else ", unchanged"
            if page.visits > 1
            else ""
        )
    if rows.forgotten:
        chip, style, due = "forgotten", "bad", "Its content was erased on request; it is not visited again."
    lead = f"Last visit {words.when(page.last_visit)}{result}. {due} {count(page.versions, 'version')}."
    host, _, path = page.url.split("://", 1)[-1].partition("/")
    rate = page.rate if page.stored else None
    changed = sum(one.changed for one in rows.marks)
    failed = sum(mark_style(one) == "bad" for one in rows.marks)
    same = len(rows.marks) - changed - failed
    return PageView(
        url=page.url,
        host=host,
        path=f"/{path}",
        title=page.title or page.url,
        chip=chip,
        chip_style=style,
        lead=lead,
        history=_history(rows.marks, page, words),
        history_many=len(rows.marks) > NARROW_VISITS,
        history_note=(
            f"{count(len(rows.marks), 'visit')}: {changed} changed, {same} unchanged, {failed} failed"
        ),
        versions=[_version_row(one, rows.chosen) for one in rows.versions[:LISTED]],
        version_count=page.versions,
        next=rows.versions[LISTED - 1].time if len(rows.versions) > LISTED else None,
        compared=rows.compared,
        every=f"every {pace(rate)}" if rate and rate > 1 / 3650 else pace(rate),
        every_note=_every_note(page),
        weekdays=_weekdays(rows.marks, words),
        facts=_facts(reason, words),
        topics=[_topic_score(one) for one in reason.judgements],
        classes=[ClassScore(one.classes, *pair) for one in rows.classes for pair in one.found],
        details=_details(rows),
        submissions=rows.submissions,
        forgotten=rows.forgotten,
        paused=paused is not None,
        weight=page.weight,
        shown=rows.shown,
        stored=bool(page.stored),
    )


def _state(page: PageSummary, now: float) -> tuple[str, str]:
    """How current the copy is, in a word or two, and the style of that."""
    if not page.stored:
        return "not stored", "bad"
    if page.status in (404, 410):
        return "gone", "bad"
    if page.trouble:
        return "failing", "bad"
    share = current_share(page, now)
    if share is None:
        return "stored", "good"
    return f"current, {percent(share, 0)} likely", "good" if share >= 0.9 else "chg"


def _history(marks: Sequence[VisitMark], page: PageSummary, words: Words) -> Markup:
    """Visits and changes since the first one in the picture, and the planned visit."""
    now = words.now
    first = min((one.time for one in marks), default=now)
    length = max(now - first, 2 * DAY) / 0.92  # the rest is the future
    start = now - 0.92 * length

    def x(when: float) -> float:
        return min(max((when - start) / length, 0.0), 1.0)

    lines = []
    for one in marks:
        text = f"{words.when(one.time)}: " + (
            "changed, " + share_words(one.size) if one.changed else one.trouble or str(one.status)
        )
        lines.append(
            VisitLine(
                x(one.time),
                mark_style(one),
                min(one.size * 4, 1.0) if one.changed else 0.0,
                bool(one.audit),
                text,
            )
        )
    if page.due is not None:
        lines.append(VisitLine(max(x(page.due), 0.926), "accent", text=f"planned {words.when(page.due)}"))
    days = length / DAY
    ticks = _ticks(start, days, words)
    changed = sum(one.changed for one in marks)
    label = f"{count(len(marks), 'visit')} in {span(now - first)}, {count(changed, 'change')}"
    return charts.visit_history(lines, charts.Axes(ticks, (), label), 0.92)


def _ticks(start: float, days: float, words: Words) -> list[Tick]:
    step = next((one for one in (1, 2, 4, 7, 14, 30, 61) if days / one <= 12), 61)
    ticks: list[Tick] = []
    when = words.local(start).replace(hour=0, minute=0, second=0, microsecond=0).timestamp() + DAY
    while (at := (when - start) / (days * DAY)) < 0.9:
        there = words.local(when)
        ticks.append(Tick(at, f"{there.day} {MONTHS[there.month - 1]}", minor=len(ticks) % 2 == 1))
        when += step * DAY
    return ticks


def _version_row(one: VersionSummary, chosen: tuple[int, int]) -> VersionRow:
    entries, _ = entries_from_json(one.diff or "")
    counted = _counted(one)
    if one.known_by == "first":
        what = "First version"
    elif counted:
        what = f"{kind_words(entries, one.kinds or '')}:"
    else:
        what = "Only noise" if entries else (one.note or "Changed")
    return VersionRow(
        one.id, one.time, what, diff_line(counted[0]) if counted else None, size(one.size),
        one.id == chosen[0], one.id == chosen[1],
    )  # fmt: skip


def _every_note(page: PageSummary) -> str:
    if page.rate is None or not page.stored:
        return "It takes a few visits to know."
    known = "Still uncertain; more visits will tell."
    if page.shape is not None and page.shape >= 2 and page.rate > 1 / 3650:
        low, high = RatePosterior(page.rate, page.shape).bounds()
        known = f"Almost surely between {span(DAY / high)} and {span(DAY / low)}."
    return f"{known} {count(page.visits, 'visit')} so far."


def _weekdays(marks: Sequence[VisitMark], words: Words) -> Markup | None:
    """Changes by weekday, if there are enough."""
    found = [words.local(one.time).weekday() for one in marks if one.changed]
    if len(found) < 7:
        return None
    counts = [found.count(day) for day in range(7)]
    most = max(counts)
    bars = [
        charts.Column((Segment(number / most, "change"),), f"{name}: {count(number, 'change')}")
        for name, number in zip(WEEKDAYS, counts, strict=True)
    ]
    ticks = [Tick((place + 0.5) / 7, name) for place, name in enumerate(WEEKDAYS)]
    best = ", ".join(f"{name} {number}" for name, number in zip(WEEKDAYS, counts, strict=True))
    return charts.columns(bars, charts.Axes(ticks, (), f"Changes by weekday: {best}"), 44)


def _facts(reason: Why, words: Words) -> list[tuple[str, str]]:
    """Why it was found, fetched and kept, and why it is visited next."""
    facts = [("Summary", reason.summary)]
    if reason.page is not None:
        found, via = words.when(reason.page.first_seen), reason.page.via
        if reason.page.depth:
            found += f", {count(reason.page.depth, 'link')} away from where the crawl entered its host"
        facts.append(("Found", f"{found}, {'as a seed' if via == 'seed' else f'on {via}'}" if via else found))
    if reason.predictions:
        last = reason.predictions[-1]
        facts.append(("Next visit", f"{last.reasons} ({last.predictor})"))
    kept = [one for one in (reason.robots, reason.copy, reason.scope) if one]
    if reason.copies:
        kept.append(f"{count(len(reason.copies), 'page')} are copies of it")
    if kept:
        facts.append(("Kept", "; ".join(kept)))
    facts += [signal_words(one.source, one.agreed, one.misled) for one in reason.signals]
    facts += [("Domain", one) for one in reason.spam[:3]]
    return facts


def _topic_score(one: Judgement) -> TopicScore:
    lines = (EVIDENCE.match(line.strip()) for line in one.reasons.split("; ")[:6])
    evidence = [(found[1], float(found[2])) for found in lines if found]
    most = max((abs(value) for _, value in evidence), default=1.0)
    shown = [WordEvidence(word, value, _evidence_bar(value / most)) for word, value in evidence]
    return TopicScore(one.topic, one.score, shown, one.judge)


def _evidence_bar(share: float) -> Markup:
    """Left of the line against, right of it for."""
    style, x, width = ("good", 0.3, 0.7 * share) if share >= 0 else ("bad", 0.3 + 0.3 * share, -0.3 * share)
    return Markup(
        '<svg height="6" aria-hidden="true"><rect class="s-line" x="30%" width="1" height="6"/>'
        '<rect class="f-{}" x="{}%" width="{}%" height="6" rx="1"/></svg>'
    ).format(style, charts.number(100 * x), charts.number(100 * width))


def _details(rows: PageRows) -> list[tuple[str, str]]:
    record, details = rows.why.page, []
    if record is not None:
        details.append(
            ("Status", f"{record.status} {record.mime}".strip() if record.status else record.trouble)
        )
        if record.language:
            details.append(("Language", language_name(record.language)))
        if record.features is not None:
            read = record.features
            parts = (
                f"{size(read.text_bytes)} of text",
                count(read.links, "link"),
                count(read.images, "image"),
            )
            details.append(("Text", ", ".join(parts)))
    if rows.spam is not None:
        words = f": {rows.spam.words}" if rows.spam.words else ""
        state = "looks like spam" if rows.spam.spam else "no spam"
        details.append(("Spam score", f"{rows.spam.score} of 99, {state}{words}"))
    return details
