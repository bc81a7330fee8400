"""Search: pages by their words, narrowed by topic, class, language and date, and exported as found."""

import csv
import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup, escape

from fieldmouse.errors import UsageError
from fieldmouse.report.wording import Words, count, language_name, percent
from fieldmouse.store.inbox_contract import Role
from fieldmouse.store.page_records import FacetCount, PageFilter, SearchFacets, SearchHit
from fieldmouse.units import DAY

from .page_numbers import current_share
from .site import host_url, html_page, page_url

if TYPE_CHECKING:
    from starlette.responses import Response

    from fieldmouse.store.contract import StoreReader

    from .context import PageRequest

# Results on a page, pages that facets are counted on, rows of an export.
RESULTS, COUNTED, EXPORTED = 20, 2000, 1000
# Parameters that narrow a search.
NARROWED = ("topic", "class", "language", "changed", "host", "copies")
TIMES = (("", "Any time"), ("1", "Last 24 hours"), ("7", "Last 7 days"), ("30", "Last 30 days"))


class FoundPage(NamedTuple):
    """A page that was found."""

    url: str
    title: str
    address: str
    text: Markup
    seen: str  # when it changed last, or was found
    facts: list[str]
    overdue: bool


class FacetChoice(NamedTuple):
    """A value to narrow a search by."""

    value: str
    name: str
    pages: int | None
    chosen: bool


class Facet(NamedTuple):
    """Values of one kind; the first choice is all."""

    name: str
    field: str
    choices: list[FacetChoice]


def show_search(request: "PageRequest") -> "Response":
    """GET /search: an address or a host leads to its page; words are searched in titles and texts."""
    from starlette.responses import RedirectResponse

    query = request.query.get("q", "").strip()
    rows = request.reader.dashboard
    if "://" in query and (page := rows.page(query)) is not None:
        return RedirectResponse(page_url(page.url), 303)
    if query and rows.host(query.lower()) is not None:
        return RedirectResponse(host_url(query.lower()), 303)
    start = int(request.query["start"]) if re.fullmatch(r"\d{1,6}", request.query.get("start", "")) else 0
    newest = request.query.get("order") == "changed"
    hits: list[FoundPage] = []
    note, total, facets = "", 0, None
    if query:
        where = wanted_pages(request)
        try:
            found = request.reader.search(query, where, RESULTS, start, newest=newest, facets=COUNTED)
        except UsageError as error:
            note = str(error)
        else:
            hits = [found_page(one, request.reader, request.now) for one in found.hits]
            total, facets = found.total, found.facets
            note = f"{count(total, 'page')}{' or more' if found.capped else ''}"
            if facets and facets.hosts and facets.pages == total:
                note += f" on {count(facets.hosts, 'host')}"
    kept = {key: request.query[key] for key in ("q", "order", *NARROWED) if request.query.get(key)}
    following = (
        f"/search?{urlencode({**kept, 'start': start + RESULTS})}" if total > start + len(hits) else ""
    )
    hosts = rows.hosts_named(query.lower(), "", 5) if query and " " not in query else []
    return html_page(
        request, "search.html", "search", title="Search", q=query, hits=hits, note=note, next=following,
        hosts=hosts, stored=rows.tallies().get("stored", 0), facets=_facets(request, facets) if query else [],
        few=facets is None or facets.pages < COUNTED, counted=COUNTED, newest=newest,
        narrowed=[request.query[key] for key in NARROWED if request.query.get(key)],
        exported=min(total, EXPORTED), export=f"/search/export?{urlencode(kept)}" if hits else "",
        shown=f"{start + 1:,} to {start + len(hits):,} of {total:,}" if hits else "",
        all=f"/search?{urlencode({'q': query})}",
    )  # fmt: skip


def wanted_pages(request: "PageRequest") -> PageFilter:
    """The filter of a request."""
    query = request.query
    days = query.get("changed", "")
    return PageFilter(
        topic=query.get("topic", ""),
        in_class=query.get("class", ""),
        language=query.get("language", ""),
        host=query.get("host", ""),
        changed_since=request.now - int(days) * DAY if re.fullmatch(r"\d{1,4}", days) else 0.0,
        copies=not query.get("copies"),
        private=Role.ADMINISTER in request.may,
    )


def _facets(request: "PageRequest", found: SearchFacets | None) -> list[Facet]:
    """What a search can be narrowed by; nothing that would not narrow it."""
    kinds: list[tuple[str, str, Sequence[FacetCount]]] = [
        ("Topic", "topic", found.topics if found else ()),
        ("Class", "class", found.classes if found else ()),
        ("Language", "language", found.languages if found else ()),
    ]
    facets = []
    for name, field, values in kinds:
        chosen = request.query.get(field, "")
        known = {one.name: one.pages for one in values}
        if not known and not chosen:
            continue
        names = [*known, *([chosen] if chosen and chosen not in known else [])]
        choices = [FacetChoice("", "All", None, not chosen)]
        named = language_name if field == "language" else str
        choices += [FacetChoice(one, named(one), known.get(one), one == chosen) for one in names]
        facets.append(Facet(name, field, choices))
    since = request.query.get("changed", "")
    facets.append(
        Facet("Changed", "changed", [FacetChoice(days, name, None, days == since) for days, name in TIMES])
    )
    left_out = bool(request.query.get("copies"))
    copies = [("", "Show them", not left_out), ("no", "Leave them out", left_out)]
    facets.append(Facet("Copies", "copies", [FacetChoice(one, name, None, on) for one, name, on in copies]))
    return facets


def found_page(hit: SearchHit, reader: "StoreReader", now: float) -> FoundPage:
    """A page that was found: the words marked, how current its copy is, and what it is about."""
    page = reader.dashboard.page(hit.url)
    text, end = Markup(), 0
    for first, last in hit.marks:
        text += escape(hit.snippet[end:first]) + Markup("<mark>{}</mark>").format(hit.snippet[first:last])
        end = last
    text += escape(hit.snippet[end:])
    facts = [language_name(hit.language)] if hit.language else []
    share = current_share(page, now) if page else None
    if share is not None:
        facts.append(f"current, {percent(share, 0)} likely")
    if page is not None:
        facts.append(count(page.versions, "version"))
    facts += [one.found[0][0] for one in reader.labels.classes_of(hit.page) if one.found]
    facts += [f"{one.score:.2f} for “{one.topic}”" for one in reader.judgements(hit.page)]
    overdue = page is not None and page.due is not None and page.due < now
    address = hit.url.split("://", 1)[-1]
    when = Words(now).when(hit.last_change)
    seen = f"changed {when}" if hit.last_change > hit.first_seen else f"found {when}"
    return FoundPage(hit.url, hit.title or address, address, text, seen, facts, overdue)


def export_search(request: "PageRequest") -> "Response":
    """GET /search/export: what a search shows, as CSV."""
    from datetime import UTC, datetime

    from starlette.responses import PlainTextResponse, Response

    query, newest = request.query.get("q", "").strip(), request.query.get("order") == "changed"
    try:
        found = request.reader.search(query, wanted_pages(request), EXPORTED, newest=newest)
    except UsageError as error:
        return PlainTextResponse(f"{error}\n", 400)
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(("url", "host", "title", "language", "first_seen", "last_changed", "score", "snippet"))
    for one in found.hits:
        times = [
            datetime.fromtimestamp(when, UTC).isoformat(timespec="seconds")
            for when in (one.first_seen, one.last_change)
        ]
        cells = (one.url, one.host, one.title, one.language, *times, f"{one.score:g}", one.snippet)
        # A spreadsheet would take a cell that begins so for a formula.
        table.writerow(
            f"'{cell}" if cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell for cell in cells
        )
    headers = {"content-disposition": 'attachment; filename="search.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
