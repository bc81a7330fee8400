"""One host: are we polite here, is it worth its cost, is it a real site, and what is noise."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import urlsplit

from markupsafe import Markup

from fieldmouse.refresh.diff_entries import DiffEntry, entries_from_json
from fieldmouse.report.differences import RULE_WORDS, element_name
from fieldmouse.report.host_noise import NoiseReport, NoisyPlace, noise_report
from fieldmouse.report.wording import FAILURES, Words, count, milliseconds, pace, percent, signal_words, size
from fieldmouse.settings import Settings
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.dashboard_contract import (
    ChangeSummary,
    HostSummary,
    PageSummary,
    SkippedLink,
    VisitMark,
)
from fieldmouse.store.records import DomainRecord, HomePageRow, HostTemplates, RedirectFarm, SignalCount
from fieldmouse.types import RobotsRecord
from fieldmouse.units import DAY
from fieldmouse.urls import domain_of
from fieldmouse.web.robots import Robots

from . import charts
from .change_list import ChangeView, change_view
from .charts import VisitLine
from .page_numbers import current_share

# Days of the small pictures, visits in each, pages listed, pages of a host that are sorted.
SPARK_DAYS, SPARK_VISITS, LISTED, SORTED = 90, 120, 25, 5000
# Numbers above this are only counted up to it.
COUNTED = 1000
# Visits of a page, and values of a place, that show what differed lately; letters of such a value.
LATELY, VALUES, VALUE_LENGTH = 4, 3, 40
STATES = {
    "waiting": "waits for its next visit",
    "open": "is visited now",
    "resting": "rests until its next turn",
    "complete": "is complete",
    "given_up": "was given up for a day, because it keeps failing",
    "outside": "is outside of the scope",
    "parked": "is not visited: its name is parked",
    "redirect_spam": "is not visited: it belongs to redirect spam",
}


class HostRows(NamedTuple):
    """What the store says of a host."""

    host: HostSummary
    tallies: dict[str, int]  # of all hosts
    due: int
    pending: int
    skips: list[SkippedLink]
    pages: list[PageSummary]
    sorted: bool  # the most eventful first; else by id
    marks: dict[int, list[VisitMark]]
    diffs: list[DiffEntry]  # of the newest visits to these pages, newest first
    changes: list[ChangeSummary]
    noise: NoiseReport
    templates: list[HostTemplates]
    domain: DomainRecord | None
    home: HomePageRow | None
    farm: RedirectFarm | None
    signals: list[SignalCount]
    robots: RobotsRecord | None
    robots_origin: str
    delay: float
    agent: str


class PageRow(NamedTuple):
    """A page in a table."""

    url: str
    title: str
    path: str
    spark: Markup
    every: str
    current: str
    weight: str
    last_visit: float
    due: float | None
    overdue: bool
    failed: str


class Fact(NamedTuple):
    """A line of evidence."""

    name: str
    state: str  # good, bad or empty
    word: str
    text: str


class NoiseRow(NamedTuple):
    """A place that differed."""

    id: str
    name: str
    path: str
    values: list[str]  # the last ones, oldest first
    evidence: str
    state: str  # muted, counted or learned
    noise: bool  # its last difference did not count


@dataclass(frozen=True, slots=True, kw_only=True)
class HostView:
    """Everything the page of a host shows."""

    name: str
    chip: str
    chip_style: str
    lead: str
    measures: list[tuple[str, str, str, str]]
    noise: list[NoiseRow]  # places that do not count, and what was decided by a person
    counted: list[NoiseRow]  # places that differed and count
    template: HostTemplates | None
    sheet: Markup
    example: str  # the URL of a page with this template
    real: str  # in a word or two whether it is a real site
    evidence: list[Fact]
    pages: list[PageRow]
    pages_note: str
    next: int | None  # the id to go on after
    changes: list[ChangeView]
    skips: list[SkippedLink]
    stored: int
    refused: bool
    paused: bool


def load_host(
    reader: StoreReader, settings: Settings, name: str, now: float, after: int = 0
) -> HostRows | None:
    """Read what the page of a host needs; None for an unknown host."""
    rows = reader.dashboard
    host = rows.host(name)
    if host is None:
        return None
    few = host.pages <= SORTED and not after
    pages = rows.eventful_pages(host.id, LISTED) if few else rows.host_pages(host.id, after, LISTED)
    since = now - SPARK_DAYS * DAY
    origins = [f"{scheme}://{name}" for scheme in ("https", "http")]
    robots = next((found for one in origins if (found := reader.robots(one))), None)
    domain = domain_of(f"http://{name}/")
    return HostRows(
        host=host,
        tallies=rows.tallies(),
        due=rows.due_pages(host.id, now, COUNTED),
        pending=rows.pending_pages(host.id, COUNTED),
        skips=rows.skips(host.id, 8),
        pages=pages,
        sorted=few,
        marks={page.id: rows.visit_marks(page.id, since, SPARK_VISITS) for page in pages},
        diffs=[
            entry
            for page in pages
            for diff in rows.newest_diffs(page.id, LATELY)
            for entry in entries_from_json(diff)[0]
        ],
        changes=rows.changes(now + DAY, 0.0, 5, name),
        noise=noise_report(reader, name),
        templates=reader.templates.figures(name),
        domain=reader.domains.get(domain),
        home=reader.domains.home(domain),
        farm=reader.redirects.farm(domain),
        signals=reader.signals(name),
        robots=robots,
        robots_origin=robots.origin if robots else "",
        delay=settings.manners.delay,
        agent=settings.crawl.product_token,
    )


def host_view(rows: HostRows, words: Words) -> HostView:
    """The page of a host from its rows."""
    host = rows.host
    refused = host.state in ("parked", "redirect_spam")
    current = [share for page in rows.pages if (share := current_share(page, words.now)) is not None]
    mean = sum(current) / len(current) if current else None
    chip, style = ("not visited", "bad") if refused else ("", "")
    if not refused and host.paused_at is not None:
        chip, style = "paused", "chg"
    elif not refused and host.failing is not None:
        chip, style = f"failing since {words.when(host.failing)}", "bad"
    elif host.state == "given_up":
        chip, style = "given up", "bad"
    elif not refused and mean is not None:
        chip, style = f"{percent(mean)} current", "good" if mean >= 0.9 else "chg"
    if host.paused_at is not None:
        state = f"was paused {words.when(host.paused_at)}; it is not visited until it is resumed"
    else:
        explained = host.reason and host.state in ("parked", "redirect_spam", "given_up")
        state = STATES.get(host.state, host.state) + (f" ({host.reason})" if explained else "")
    lead = f"{count(host.stored, 'page')} stored. It {state}."
    if host.failing is not None:
        lead += f" Last trouble: {FAILURES.get(host.trouble, host.trouble).lower()}."
    template = rows.templates[-1] if rows.templates else None
    listed = [page_row(one, rows.marks.get(one.id, []), words) for one in rows.pages]
    note = (
        f"{host.pages:,}, the most eventful first"
        if rows.sorted
        else f"{host.pages:,}, in the order they were found"
    )
    more = len(rows.pages) == LISTED and host.pages > LISTED
    last = (0 if rows.sorted else rows.pages[-1].id) if more else None
    places = [_noise_row(one, rows.diffs) for one in rows.noise.places]
    evidence = _evidence(rows, words)
    return HostView(
        name=host.name,
        chip=chip,
        chip_style=style,
        lead=lead,
        measures=_measures(rows, words),
        noise=[one for one in places if one.noise or one.state != "learned"],
        counted=[one for one in places if not one.noise and one.state == "learned"],
        template=template,
        sheet=charts.page_sheet(template.template_share) if template else Markup(),
        example=next((one.url for one in rows.pages if one.stored), ""),
        real="no" if any(one.state == "bad" for one in evidence) else "as far as we know",
        evidence=evidence,
        pages=listed,
        pages_note=note,
        next=last,
        changes=[change_view(one) for one in rows.changes],
        skips=rows.skips,
        stored=host.stored,
        refused=refused,
        paused=host.paused_at is not None,
    )


def _noise_row(place: NoisyPlace, diffs: Sequence[DiffEntry]) -> NoiseRow:
    path, _, label = place.place.partition(" [")
    mine = [one for one in diffs if f"{one.spot:08x}" == place.id]
    rule = mine[0].rule if mine else ""
    parts = [
        RULE_WORDS.get(rule, rule),
        f"differed at {percent(place.share, 0)} of {count(place.visits, 'visit')}",
        f"on {count(place.pages, 'page')}",
        f"within minutes on {place.noisy_pages}" if place.noisy_pages else "",
        f"calm within minutes on {place.calm_pages}" if place.calm_pages else "",
    ]
    text = ", ".join(filter(None, parts))
    name = element_name(path, label.rstrip("]")) if place.place else "A place that did not differ yet"
    return NoiseRow(
        place.id, name, path, _values(mine), text[:1].upper() + text[1:], place.state, noise=bool(rule)
    )


def _values(diffs: Sequence[DiffEntry]) -> list[str]:
    """What stood at a place lately: the newest differences of one page, oldest first."""
    found: list[str] = []
    for one in diffs[: VALUES - 1]:
        if found and one.new != found[0]:
            break  # of another page
        found = [one.old, *(found or [one.new])]
    return [f"{one[:VALUE_LENGTH]}…" if len(one) > VALUE_LENGTH else one or "nothing" for one in found]


def page_row(page: PageSummary, marks: Sequence[VisitMark], words: Words) -> PageRow:
    """A page of a list."""
    parts = urlsplit(page.url)
    path = f"{parts.path}?{parts.query}" if parts.query else parts.path
    share = current_share(page, words.now)
    failed = FAILURES.get(page.trouble, page.trouble).lower() if page.trouble else ""
    if not failed and page.status >= 400:
        failed = f"answered {page.status}"
    return PageRow(
        url=page.url,
        title=page.title or path,
        path=path,
        spark=visits_spark(marks, words),
        every=pace(page.rate) if page.stored else "not stored",
        current=percent(share, 0) if share is not None else "–",
        weight=f"{page.weight:g}",
        last_visit=page.last_visit,
        due=page.due,
        overdue=page.due is not None and page.due < words.now,
        failed=failed,
    )


def visits_spark(marks: Sequence[VisitMark], words: Words) -> Markup:
    """Visits and changes of 90 days, small."""
    start, length = words.now - SPARK_DAYS * DAY, SPARK_DAYS * DAY
    lines = [
        VisitLine(min(max((one.time - start) / length, 0.0), 1.0), mark_style(one), one.size) for one in marks
    ]
    changed = sum(one.changed for one in marks)
    return charts.spark(lines, f"{count(len(marks), 'visit')} in 90 days, {count(changed, 'change')}")


def mark_style(mark: VisitMark) -> str:
    """How a visit is drawn."""
    if mark.changed:
        return "change"
    return "bad" if mark.trouble or mark.status >= 400 else "quiet"


def _measures(rows: HostRows, words: Words) -> list[tuple[str, str, str, str]]:
    host = rows.host
    rules = Robots.from_record(rows.robots, rows.agent) if rows.robots else None
    crawl_delay = rules.crawl_delay if rules else None
    delay = max(rows.delay, crawl_delay or 0.0)
    said = "robots.txt sets no delay. " if rules else ""
    if crawl_delay:
        said = f"robots.txt sets {crawl_delay:g} s. "
    times = sorted(one.took for marks in rows.marks.values() for one in marks if one.status)
    if times:
        middle, late = times[len(times) // 2], times[int(len(times) * 0.95)]
        said += f"Answers take {milliseconds(middle)}, 95% of them at most {milliseconds(late)}. "
    ready = "The next request may go now."
    if host.paused_at is not None:
        ready = "It is paused."
    elif host.ready_at > words.now:
        ready = f"Next request {words.when(host.ready_at)}."
    verdict = {"rules": "Rules", "allow": "Allowed", "deny": "Not readable"}
    robots = verdict.get(rows.robots.verdict, rows.robots.verdict) if rows.robots else "Not read"
    binding = count(len(rules.rules), "rule") if rules and rules.verdict is None else ""
    read = f"Read {words.when(rows.robots.fetched_at)}. " if rows.robots else ""
    skipped = (
        f"{count(len(rows.skips), 'link')} not followed lately." if rows.skips else "Every link was followed."
    )
    if rules is not None and rules.verdict is False:
        skipped = f"{rules.reason[:1].upper()}{rules.reason[1:]}."
    due = f"{rows.due}" if rows.due < COUNTED else f"{COUNTED}+"
    queue = f"{count(rows.pending, 'page')} found and not fetched; about {host.pending:.0f} more estimated."
    visits, changes = rows.tallies.get("visits", 0), rows.tallies.get("changes", 0)
    usual = f"; of all hosts one in {visits / changes:.1f}" if changes and visits > host.visits else ""
    per_change = (
        f"One in {host.visits / host.changes:.1f} finds a change{usual}."
        if host.changes
        else f"No change was seen yet{usual}."
    )
    share = f"fetches, {percent(host.visits / visits)} of all" if visits else "fetches"
    modified = f" {percent(host.not_modified / host.visits, 0)} are 304s." if host.visits else ""
    return [
        ("Delay", f"{delay:g} s", "between requests", said + ready),
        ("Queue", due, "due", queue),
        ("Robots", robots, binding, read + skipped),
        ("Cost", f"{host.visits:,}", share, f"{per_change}{modified} {size(host.bytes)} transferred."),
    ]  # fmt: skip


def _evidence(rows: HostRows, words: Words) -> list[Fact]:
    host, found = rows.host, []
    if host.state == "parked":
        found.append(Fact("Parked", "bad", "Yes.", host.reason))
    elif rows.home is not None and rows.home.packed is not None:
        cues = (
            f" Cues: {', '.join(rows.home.cues)}."
            if rows.home.cues
            else " Its home page shows no sign of it."
        )
        bad = rows.home.score >= 0.5
        found.append(
            Fact(
                "Parked",
                "bad" if bad else "good",
                "Probably." if bad else "No.",
                f"Score {rows.home.score:.2f}.{cues}",
            )
        )
    else:
        found.append(Fact("Parked", "", "", "Its home page was not judged yet."))
    if rows.domain is not None:
        servers = ", ".join(rows.domain.name_servers) or "unknown"
        found.append(Fact("Name servers", "", "", f"{servers}; looked up {words.when(rows.domain.time)}."))
    if rows.farm is not None:
        found.append(Fact("Redirects", "bad", "Redirect spam.", "; ".join(rows.farm.reasons)))
    else:
        found.append(Fact("Redirects", "good", "Ordinary.", "No sign of redirect spam."))
    for one in rows.signals:
        name, record = signal_words(one.source, one.agreed, one.misled)
        found.append(Fact(name, "", "", record))
    return found
