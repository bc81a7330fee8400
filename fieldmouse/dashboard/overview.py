"""The overview: first a verdict in words, then how fresh, how clean, how on topic, at what cost."""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from fieldmouse.report.wording import FAILURES, MONTHS, NOT_ASKED, Words, count, percent, size, span
from fieldmouse.settings import Settings
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.dashboard_contract import (
    ArchiveSnapshot,
    ChangeSummary,
    HostSummary,
    HourlyCount,
    OpenHost,
)
from fieldmouse.store.records import SLOT_SECONDS, Harvest, Spent
from fieldmouse.units import DAY, HOUR

from . import charts
from .change_list import ChangeView, change_view
from .charts import AuditMark, Axes, Band, Column, Point, Segment, Tick

# The share of current copies that is called healthy.
GOAL = 0.95
# Days of the freshness curve, of the usual number of failures, and of the growth of the disk.
CURVE_DAYS, USUAL_DAYS, GROWTH_DAYS = 90, 14, 30
# Points of the curve.
CURVE_POINTS = 300
# Changes that are listed, hosts that need a look, hosts in flight.
LISTED, LOOKS, IN_FLIGHT = 11, 3, 5
# A host that fails for this long needs a look.
FAILING_SECONDS = HOUR
# A used-up budget is a matter of concern while more than this share of the pages is overdue.
LATE = 0.1
# A running crawler that fetched nothing for this long is not well; disk space for less than this is not, too.
SILENT_SECONDS, DISK_DAYS = HOUR, 7


class OverviewRows(NamedTuple):
    """What the store says for the overview."""

    tallies: dict[str, int]
    snapshot: ArchiveSnapshot | None
    snapshots: list[ArchiveSnapshot]
    hours: list[HourlyCount]  # of the days that are needed
    spent: list[Spent]  # of the last 24 hours
    running: str
    open_hosts: list[OpenHost]
    failing: list[HostSummary]
    paused: list[HostSummary]  # by a person; one more than is listed
    changes: list[ChangeSummary]
    files: dict[str, int]  # bytes by kind
    free: int
    harvests: list[Harvest]
    budget: float
    last_visit: float


class Todo(NamedTuple):
    """What needs a person."""

    chip: str
    style: str
    host: str
    text: str


class Measure(NamedTuple):
    """One figure of the strip."""

    name: str
    big: str
    small: str
    picture: Markup
    note: str


class FailureRow(NamedTuple):
    """Failures of a kind."""

    kind: str
    today: int
    usual: float
    factor: str  # how much more than usual, or empty


class CurveRow(NamedTuple):
    """A line of the table below the curve."""

    time: float
    estimated: float | None
    low: float | None
    high: float | None
    measured: float | None


class DiskPart(NamedTuple):
    """What a kind of file takes."""

    name: str
    style: str
    size: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OverviewPage:
    """Everything the page shows."""

    state: str  # good, warn, bad or empty
    sign: str
    verdict: str
    lead: str
    todo: list[Todo]
    measures: list[Measure]
    curve: Markup
    curve_days: int
    curve_rows: list[CurveRow]
    points: list[list[float | None]]  # of the curve, for a script: time, estimated, low, high, measured
    hours: Markup
    brought: str
    changes: list[ChangeView]
    changed: int
    noise: int
    now: list[OpenHost]
    live: str
    failures: list[FailureRow]
    failed: int
    fetched: int
    usually: float | None  # None on the first day
    not_asked: str
    disk: Markup
    disk_parts: list[DiskPart]
    disk_note: str
    disk_total: str
    harvests: list[Harvest]


def load(reader: StoreReader, settings: Settings, words: Words, n: int = LISTED) -> OverviewRows:
    """Read what the overview needs; nothing of it grows with the archive."""
    rows, now = reader.dashboard, words.now
    files = {kind: sum(sizes.values()) for kind, sizes in reader.file_sizes().items()}
    files["database"] = sum(
        path.stat().st_size for path in reader.folder.glob("fieldmouse.sqlite*") if path.is_file()
    )
    newest = rows.newest_pages(None, 1)
    spent = rows.spent(now - DAY)
    last = max((one.time for one in spent if one.refresh or one.discovery), default=0.0)
    return OverviewRows(
        tallies=rows.tallies(),
        snapshot=rows.snapshot(),
        snapshots=_thinned(rows.snapshots(now - CURVE_DAYS * DAY)),
        hours=rows.hourly(now - (USUAL_DAYS + 1) * DAY, now),
        spent=spent,
        running=rows.running(),
        open_hosts=rows.open_hosts(IN_FLIGHT),
        failing=rows.failing_hosts(now - FAILING_SECONDS, LOOKS),
        paused=rows.paused_hosts(0, LOOKS + 1),
        changes=rows.changes(now + DAY, words.midnight() - DAY, n),
        files=files,
        free=shutil.disk_usage(reader.folder).free,
        harvests=reader.harvests(),
        budget=settings.refresh.budget,
        last_visit=max(last, newest[0].last_visit if newest else 0.0),
    )


def _thinned(snapshots: list[ArchiveSnapshot]) -> list[ArchiveSnapshot]:
    """As many points as the curve can show, evenly spread, with the newest."""
    step = max(1, len(snapshots) // CURVE_POINTS)
    return list(reversed(snapshots[::-1][::step]))


def overview(rows: OverviewRows, words: Words) -> OverviewPage:
    """The page from its rows."""
    now, snapshot = words.now, rows.snapshot
    today = Counter[str]()
    before = Counter[str]()
    for hour, what, number in rows.hours:
        (today if hour * HOUR > now - DAY else before)[what] += number
    days = max(len({hour // 24 for hour, _, _ in rows.hours if hour * HOUR <= now - DAY}), 1)
    refresh = sum(one.refresh for one in rows.spent)
    discovery = sum(one.discovery for one in rows.spent)
    midnight = words.midnight()
    changed = sum(
        n for hour, what, n in rows.hours if what == "changed" and hour * HOUR >= midnight - HOUR + 1
    )
    noise = sum(n for hour, what, n in rows.hours if what == "noise" and hour * HOUR >= midnight - HOUR + 1)
    views = [change_view(one) for one in rows.changes]
    failures = _failures(today, before, days)
    state, sign, verdict = _verdict(rows, words, refresh + discovery)
    fetched = refresh + discovery
    recent = not rows.last_visit or now - rows.last_visit <= SILENT_SECONDS
    disk, parts, note, total = _disk(rows)
    points = [
        [one.time, one.estimated, one.low, one.high, one.measured]
        for one in rows.snapshots
        if one.estimated is not None
    ]
    return OverviewPage(
        state=state,
        sign=sign,
        verdict=verdict,
        lead=_lead(rows, words, fetched, changed),
        todo=[*(_todo(one, words) for one in rows.failing), *_paused(rows.paused, words)],
        measures=_measures(rows, refresh, discovery, today) if snapshot else [],
        curve=_curve(rows.snapshots, words),
        curve_days=_curve_span(rows.snapshots, now),
        curve_rows=_curve_rows(rows.snapshots),
        points=points,
        hours=_hours(rows.spent, words),
        brought=_brought(today),
        changes=views,
        changed=changed,
        noise=noise,
        now=rows.open_hosts,
        live=live_line(rows.running, len(rows.open_hosts), recent=recent),
        failures=failures,
        failed=sum(one.today for one in failures),
        fetched=fetched,
        usually=sum(before[kind] for kind in FAILURES if kind not in NOT_ASKED) / days if before else None,
        not_asked=_not_asked(today),
        disk=disk,
        disk_parts=parts,
        disk_note=note,
        disk_total=total,
        harvests=rows.harvests,
    )


def live_line(running: str, hosts: int, *, recent: bool = False) -> str:
    """What runs, in a few words; `recent` if something was fetched within the hour, or never."""
    if not running and not hosts:
        return "Idle" if recent else "Stopped"
    return f"Running, {count(hosts, 'host')} in flight" if hosts else "Running, nothing in flight"


# --- the verdict -----------------------------------------------------------------------------------------


def _verdict(rows: OverviewRows, words: Words, fetched: int) -> tuple[str, str, str]:
    snapshot, now = rows.snapshot, words.now
    if not rows.tallies.get("visits"):
        return "empty", "", "Nothing is here yet"
    if not rows.tallies.get("stored"):
        return "bad", "✕", "Not well: no page could be stored"
    if snapshot is None or snapshot.estimated is None:
        return "warn", "~", f"{count(rows.tallies.get('stored', 0), 'page')} stored, freshness not known yet"
    share = f"{percent(snapshot.estimated)} of {snapshot.pages:,} copies are current"
    if rows.running and now - rows.last_visit > SILENT_SECONDS and snapshot.overdue and fetched < rows.budget:
        return "bad", "✕", f"Not well: nothing was fetched for {span(now - rows.last_visit)}"
    growth = _growth(rows.snapshots)
    if growth > 0 and rows.free / growth < DISK_DAYS:
        return "bad", "✕", f"Not well: the disk is full in {span(rows.free / growth * DAY)}"
    if not rows.running and now - rows.last_visit > SILENT_SECONDS:
        return "warn", "!", f"Stopped: {share}"
    if (
        (fetched >= rows.budget > 0 and snapshot.overdue > LATE * snapshot.pages)
        or (snapshot.high or 0.0) < GOAL
        or (snapshot.measured_high is not None and snapshot.measured_high < (snapshot.low or 0.0))
        or (snapshot.measured_low is not None and snapshot.measured_low > (snapshot.high or 1.0))
    ):
        return "warn", "!", f"Not quite: {share}"
    return "good", "✓", f"Healthy: {share}"


def _lead(rows: OverviewRows, words: Words, fetched: int, changed: int) -> str:
    snapshot, now, parts = rows.snapshot, words.now, []
    if not rows.tallies.get("visits"):
        return "Begin with one of these commands. This page fills as it runs."
    if not rows.tallies.get("stored"):
        visits = count(rows.tallies["visits"], "visit")
        return f"{visits} brought nothing. `fieldmouse why URL` explains an address."
    if not rows.running and now - rows.last_visit > SILENT_SECONDS:
        parts.append(f"No visit since {words.when(rows.last_visit)}; `fieldmouse run` keeps it fresh.")
        if snapshot and snapshot.overdue:
            parts.append(f"{count(snapshot.overdue, 'page')} overdue.")
    elif rows.running and now - rows.last_visit > SILENT_SECONDS and snapshot and snapshot.overdue:
        parts.append(
            f"It is running, but the last visit was {words.when(rows.last_visit)} and "
            f"{count(snapshot.overdue, 'page is', 'pages are')} overdue. Is the network up?"
        )
    elif rows.budget > 0 and fetched >= rows.budget:
        used = (one.time for one in rows.spent if one.refresh + one.discovery)
        free = max(min(used, default=now) + SLOT_SECONDS + DAY, now)
        parts.append(
            f"The {rows.budget:,.0f} fetches of a day are used up; the next are free {words.when(free)}."
        )
        if snapshot and snapshot.overdue:
            parts.append(f"{count(snapshot.overdue, 'page')} overdue.")
    elif rows.budget > 0:
        parts.append(f"{fetched:,} of {rows.budget:,.0f} fetches a day are used.")
    if snapshot and snapshot.estimated is not None and (snapshot.high or 0.0) < GOAL:
        parts.append(f"The goal is {percent(GOAL, 0)}; a larger refresh.budget brings it nearer.")
    if snapshot and snapshot.measured_high is not None and snapshot.measured_high < (snapshot.low or 0.0):
        parts.append("Audits find fewer current copies than estimated.")
    parts.append(f"{count(changed, 'change')} today." if changed else "No change today.")
    if looks := len(rows.failing):
        parts.append("One host needs a look." if looks == 1 else f"{looks} hosts need a look.")
    return " ".join(parts)


def _todo(host: HostSummary, words: Words) -> Todo:
    kind = FAILURES.get(host.trouble, host.trouble).lower()
    again = f" Next try {words.when(host.ready_at)}." if host.ready_at > words.now else ""
    since = words.when(host.failing)
    text = f"{kind} since {since}; {count(host.stored, 'page')} stored.{again}"
    return Todo("failing", "bad", host.name, text)


def _paused(hosts: Sequence[HostSummary], words: Words) -> list[Todo]:
    """Hosts that stay unvisited until somebody resumes them."""
    more = "; so are others" if len(hosts) > LOOKS else ""
    return [
        Todo("paused", "chg", one.name, f"not visited since {words.when(one.paused_at)}{more}.")
        for one in (hosts[:1] if more else hosts)
    ]


# --- the strip of measures -------------------------------------------------------------------------------


def _measures(rows: OverviewRows, refresh: int, discovery: int, today: Counter[str]) -> list[Measure]:
    one = rows.snapshot
    assert one is not None
    found = [_current(one), _clean(one)]
    if one.topic:
        relevant = one.relevant / max(one.judged, 1)
        off = one.judged - one.relevant
        parts = (Segment(relevant, "good", "on topic"), Segment(1 - relevant, "change", "off topic"))
        note = (
            f"“{one.topic}”. {count(off, 'page')} off topic, {one.undecided:,} of all are close to the line."
        )
        found.append(
            Measure("On topic", percent(relevant), count(one.relevant, "page"), charts.bar(parts), note)
        )
    else:
        new = today["new"]
        seen = new + today["changed"] + today["unchanged"] + today["304"] + today["noise"]
        parts = (
            Segment(new / max(seen, 1), "ink", "new"),
            Segment(today["changed"] / max(seen, 1), "change", "changed"),
        )
        note = "Pages first seen in the last 24 hours. No topic is set; `topic build` makes one."
        found.append(Measure("New, 24 hours", f"{new:,}", f"of {seen:,} visits", charts.bar(parts), note))
    spent, budget = refresh + discovery, rows.budget
    used = (
        Segment(refresh / max(budget, 1.0), "ink", "refreshed"),
        Segment(discovery / max(budget, 1.0), "quiet2", "discovered"),
    )
    cost = (
        f" One changed page cost {round(spent / today['changed'], 1):,g} fetches."
        if today["changed"] and spent
        else ""
    )
    note = f"{refresh:,} refreshed, {discovery:,} discovered in 24 hours.{cost}"
    small = f"of {budget:,.0f} fetches a day" if budget else "fetches, no budget set"
    found.append(Measure("Budget", f"{spent:,}", small, charts.bar(used), note))
    return found


def _current(one: ArchiveSnapshot) -> Measure:
    if one.estimated is None or one.low is None or one.high is None:
        return Measure("Current", "unknown", "", charts.bar(()), "No page has a plan yet.")
    lowest = min(value for value in (one.estimated, one.low, one.measured, 0.95) if value is not None)
    base = max(0.0, (int(lowest * 20) - 1) / 20)

    def at(value: float) -> float:
        return (value - base) / (1 - base)

    audited = f"audited {percent(one.measured)}" if one.measured is not None else "not audited yet"
    text = (
        f"On a scale from {percent(base, 0)} to 100%: estimated {percent(one.estimated)}, "
        f"bounds {percent(one.low)} to {percent(one.high)}, {audited}"
    )
    picture = charts.value_range(
        at(one.estimated),
        at(one.low),
        at(one.high),
        at(one.measured) if one.measured is not None else None,
        text,
    )
    visits = f"{audited} on {count(one.audited, 'random visit')}" if one.measured is not None else audited
    age = f" Copies are {span((one.age_days or 0) * DAY)} old on average."
    note = f"{percent(one.low)} to {percent(one.high)}; {visits}.{age}"
    return Measure("Current", percent(one.estimated), "estimated", picture, note)


def _clean(one: ArchiveSnapshot) -> Measure:
    share = min(one.cleaned / one.stored, 1.0) if one.stored else 0.0
    waiting = max(one.stored - one.cleaned, 0)
    parts = (Segment(share, "good", "cleaned"), Segment(1 - share, "quiet2", "pending"))
    kept_out = one.parked + one.redirect_spam
    note = (
        f"Menus and boxes removed; {waiting:,} pending. {count(one.copies, 'copy', 'copies')} found, "
        f"{count(kept_out, 'spam host')} kept out."
    )
    return Measure(
        "Clean", percent(share), count(min(one.cleaned, one.stored), "page"), charts.bar(parts), note
    )


# --- pictures --------------------------------------------------------------------------------------------


def _curve_span(snapshots: Sequence[ArchiveSnapshot], now: float) -> int:
    first = min((one.time for one in snapshots), default=now)
    days = (now - first) / DAY
    return next(limit for limit in (1, 7, 14, 30, CURVE_DAYS, 10**9) if days <= limit * 1.05)


def _curve(snapshots: Sequence[ArchiveSnapshot], words: Words) -> Markup:
    shown = [
        one for one in snapshots if one.estimated is not None and one.low is not None and one.high is not None
    ]
    days = _curve_span(snapshots, words.now)
    start = words.now - days * DAY
    lowest = min(
        (value for one in shown for value in (one.low, one.measured, 0.9) if value is not None),
        default=0.85,
    )
    base = max(0.0, int(lowest * 20) / 20)

    def x(when: float) -> float:
        return min(max((when - start) / (days * DAY), 0.0), 1.0)

    def y(value: float) -> float:
        return (value - base) / (1 - base)

    step = next(one for one in (0.05, 0.1, 0.25, 0.5) if (1 - base) / one <= 4.01)
    y_ticks = [
        Tick(y(base + k * step), percent(base + k * step, 0)) for k in range(round((1 - base) / step) + 1)
    ]
    marks, last = [], -1.0
    for one in shown:
        if (
            one.measured is None
            or one.measured_low is None
            or one.measured_high is None
            or x(one.time) - last < 0.07
        ):
            continue
        last = x(one.time)
        text = f"{words.when(one.time)}: audited {percent(one.measured)} on {one.audited} visits"
        marks.append(
            AuditMark(last, y(one.measured), y(max(one.measured_low, base)), y(one.measured_high), text)
        )
    newest = shown[-1] if shown else None
    label = (
        f"Share of current copies over {days} days, now {percent(newest.estimated)}"
        if newest
        else "No figures yet"
    )
    return charts.curve(
        [Point(x(one.time), y(one.estimated or 0.0)) for one in shown],
        [Band(x(one.time), y(one.low or 0.0), y(one.high or 0.0)) for one in shown],
        marks,
        goal=y(GOAL) if base < GOAL else None,
        axes=Axes(_time_ticks(start, days, words), y_ticks, label),
        name="freshness",
    )


def _time_ticks(start: float, days: int, words: Words) -> list[Tick]:
    """About six labels: hours of a day, or days of a month."""
    if days <= 1:
        first = words.local(start).replace(minute=0, second=0, microsecond=0).timestamp()
        times = [
            first + step * HOUR for step in range(1, 25) if words.local(first + step * HOUR).hour % 6 == 0
        ]
        return [Tick((when - start) / DAY, words.clock(when)) for when in times] + [Tick(1.0, "now")]
    step = max(1, round(days / 6))
    ticks = []
    for back in range(step * 6, 0, -step):
        there = words.local(words.now - back * DAY)
        at = 1 - back / days
        if 0.0 <= at < 0.95:
            ticks.append(Tick(at, f"{there.day} {MONTHS[there.month - 1]}", minor=(back // step) % 2 == 1))
    return [*ticks, Tick(1.0, "today")]


def _curve_rows(snapshots: Sequence[ArchiveSnapshot]) -> list[CurveRow]:
    """At most ten lines, evenly spread, the newest last."""
    step = max(1, len(snapshots) // 10)
    chosen = list(reversed(snapshots))[::step][:10]
    return [CurveRow(one.time, one.estimated, one.low, one.high, one.measured) for one in reversed(chosen)]


def _hours(spent: Sequence[Spent], words: Words) -> Markup:
    """Fetches of the last 24 hours, by the hour."""
    last = int(words.now // HOUR)
    refresh, discovery = Counter[int](), Counter[int]()
    for one in spent:
        refresh[int(one.time // HOUR)] += one.refresh
        discovery[int(one.time // HOUR)] += one.discovery
    hours = range(last - 23, last + 1)
    most = max((refresh[hour] + discovery[hour] for hour in hours), default=0)
    top = _round_up(most)
    bars = [
        Column(
            (Segment(refresh[hour] / top, "ink"), Segment(discovery[hour] / top, "quiet2")),
            f"{words.clock(hour * HOUR)} to {words.clock((hour + 1) * HOUR)}: "
            f"{refresh[hour]:,} refreshed, {discovery[hour]:,} discovered",
        )
        for hour in hours
    ]
    ticks = [
        Tick((hour - hours[0]) / 24, words.clock(hour * HOUR), minor=False)
        for hour in hours
        if words.local(hour * HOUR).hour % 6 == 0 and (hour - hours[0]) / 24 < 0.85
    ]
    total = sum(refresh.values()) + sum(discovery.values())
    label = f"Fetches by the hour over 24 hours: {total:,} together, at most {most:,} in an hour"
    y_ticks = [Tick(0.0, "0"), Tick(0.5, f"{top / 2:,g}"), Tick(1.0, f"{top:,g}")]
    return charts.columns(bars, Axes([*ticks, Tick(1.0, "now")], y_ticks, label))


def _round_up(number: float) -> float:
    """The next number with an even first digit or a five and zeros."""
    if number <= 2:
        return 2
    power = 10.0 ** (len(str(int(number))) - 1)
    return next(step * power for step in (1, 2, 4, 6, 8, 10) if step * power >= number)


# --- failures and disk -----------------------------------------------------------------------------------


def _brought(today: Counter[str]) -> str:
    same = today["unchanged"] + today["304"] + today["noise"]
    failed = sum(today[kind] for kind in FAILURES if kind not in NOT_ASKED)
    size_text = f", {size(today['bytes'])}" if today["bytes"] else ""
    return (
        f"Result: {today['new']:,} new pages, {today['changed']:,} changed, {same:,} unchanged "
        f"({today['304']:,} by a 304), {failed:,} failed{size_text}."
    )


def _failures(today: Counter[str], before: Counter[str], days: int) -> list[FailureRow]:
    found = []
    for kind, name in FAILURES.items():
        usual = before[kind] / days
        if kind in NOT_ASKED or (not today[kind] and usual < 0.5):
            continue
        factor = today[kind] / usual if usual else 0.0
        many = today[kind] >= 10 and factor >= 2
        found.append(FailureRow(name, today[kind], usual, f"{factor:.1f} × usual" if many else ""))
    return sorted(found, key=lambda one: -one.today)


def _not_asked(today: Counter[str]) -> str:
    parts = [
        f"{today['robots']:,} forbidden by robots.txt" if today["robots"] else "",
        count(today["dns"], "name not found", "names not found") if today["dns"] else "",
        f"{today['refused']:,} at a private address" if today["refused"] else "",
    ]
    said = ", ".join(one for one in parts if one)
    return f"Not counted, because no page was requested: {said}." if said else ""


def _growth(snapshots: Sequence[ArchiveSnapshot]) -> float:
    """Bytes a day that the files grew by lately."""
    if len(snapshots) < 2:
        return 0.0
    last = snapshots[-1]
    first = next(one for one in snapshots if one.time >= last.time - GROWTH_DAYS * DAY)
    days = (last.time - first.time) / DAY
    return (last.disk_bytes - first.disk_bytes) / days if days >= 0.5 else 0.0


def _disk(rows: OverviewRows) -> tuple[Markup, list[DiskPart], str, str]:
    names = {
        "warc": ("WARC", "ink"),
        "packs": ("packs", "ink"),
        "database": ("database", "quiet2"),
        "tags": ("tag index", "quiet"),
        "logs": ("logs", "band"),
    }
    total = sum(rows.files.values())
    kinds = [
        (kind, *names.get(kind, (kind, "quiet"))) for kind in (*names, *rows.files) if rows.files.get(kind)
    ]
    kinds = list(dict.fromkeys(kinds))
    bar = charts.bar([Segment(rows.files[kind] / max(total, 1), style, name) for kind, name, style in kinds])
    parts = [DiskPart(name, style, size(rows.files[kind])) for kind, name, style in kinds]
    growth = _growth(rows.snapshots)
    note = "It does not grow."
    if growth > 0:
        years = rows.free / growth / 365
        room = "many years" if years > 20 else span(rows.free / growth * DAY)
        note = f"Grows by {size(growth)} a day: room for {room}."
    elif len(rows.snapshots) < 2:
        note = "How fast it grows is known after a day."
    return bar, parts, note, f"{size(total)}, {size(rows.free)} free"
