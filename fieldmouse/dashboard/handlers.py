"""The pages that people read. Each handler loads rows, makes a view of them and renders it."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar
from urllib.parse import urlencode

from fieldmouse.errors import ArchiveDamaged, VersionErased
from fieldmouse.report.wording import Words, count
from fieldmouse.store.dashboard_contract import ChangeSummary, PageSummary, SeenChange, VersionSummary
from fieldmouse.store.inbox_contract import Role
from fieldmouse.units import DAY, HOUR

from . import overview
from .actions import notices
from .change_list import KINDS, ChangeView, by_day, change_view, kind_counts
from .host_views import LISTED, SPARK_DAYS, SPARK_VISITS, host_view, load_host, page_row
from .page_views import UNREADABLE, load_page, page_view
from .site import host_url, html_page, page_url

if TYPE_CHECKING:
    from starlette.responses import Response

    from .context import PageRequest

# Changes on a page, and those that are looked through for a filter.
CHANGES, SCANNED = 60, 600
# Characters of a copy's text that are shown.
SHOWN_TEXT = 200_000
TIMES = (
    ("last", "Since I last looked"),
    ("1", "Last 24 hours"),
    ("7", "Last 7 days"),
    ("30", "Last 30 days"),
    ("", "All"),
)


def show_overview(request: "PageRequest") -> "Response":
    """GET /."""
    words = Words(request.now)
    rows = overview.load(request.reader, request.context.settings, words)
    rows = rows._replace(changes=public(request, rows.changes))
    return html_page(request, "overview.html", "overview", title="Overview", o=overview.overview(rows, words))


# --- changes ---------------------------------------------------------------------------------------------


class KindChoice(NamedTuple):
    """A button of the filter."""

    value: str
    name: str
    changes: int


class ChangesPage(NamedTuple):
    """Everything the page of changes shows."""

    title: str
    lead: str
    unseen: int
    newest: float
    feed: str
    kinds: list[KindChoice]
    kind: str
    level: str
    times: tuple[tuple[str, str], ...]
    since: str
    host: str
    text: str
    days: list[object]
    nothing: str
    next: str
    note: str
    here: str


def show_changes(request: "PageRequest") -> "Response":
    """GET /changes."""
    words, query = Words(request.now), request.query
    kind, level, host = query.get("kind", ""), query.get("level", ""), query.get("host", "").strip()
    seen = request.reader.dashboard.seen(request.who)
    text, since = query.get("q", "").strip(), query.get("since", "last" if seen else "7")
    after = {"last": seen}.get(since, request.now - float(since) * DAY if since.isdigit() else 0.0)
    before = _number(query.get("before", ""), request.now + DAY)
    rows = request.reader.dashboard.changes(
        before, after, SCANNED if kind or level or text else CHANGES, host
    )
    start = seen or request.now - DAY
    alone = request.reader.dashboard.seen_changes(request.who, start)
    views = [
        change_view(one, seen=one.time <= start or SeenChange(one.page, one.time) in alone)
        for one in public(request, rows)
    ]
    if since == "last":
        views = [one for one in views if not one.seen]
    found = [one for one in views if _wanted(one, kind, level, text)][:CHANGES]
    counts = kind_counts(views)
    choices = [
        KindChoice("", "All", len(views)),
        *(KindChoice(k, name, counts[k]) for k, name in KINDS.items()),
    ]
    hosts = len({one.host for one in found})
    high = sum(one.level == 3 for one in found)
    more = len(rows) in (CHANGES, SCANNED) and found
    following = (
        {key: value for key, value in query.items() if key != "before"} | {"before": f"{found[-1].time!r}"}
        if more
        else {}
    )
    name = dict(TIMES).get(since, "All").lower()
    title = f"{count(len(found), 'change') if found else 'No change'}{' and more' if more else ''}, {name}"
    page = ChangesPage(
        title=title,
        lead=_changes_lead(words, hosts if found else 0, high, after if since == "last" else 0.0),
        unseen=sum(not one.seen for one in found),
        newest=max((one.time for one in found), default=0.0),
        feed=f"/v1/changes.atom?{urlencode({'host': host})}" if host else "/v1/changes.atom",
        kinds=choices,
        kind=kind,
        level=level,
        times=TIMES if seen else TIMES[1:],
        since=since,
        host=host,
        text=text,
        days=list(by_day(found, words)),
        nothing="No change like this. Take a longer time, or fewer filters."
        if rows or kind or text
        else "No change in this time. A refresh finds them: `fieldmouse refresh`, or `run` to go on.",
        next=f"/changes?{urlencode(following)}" if following else "",
        note=f"{len(found)} shown" if found else "",
        here=f"/changes?{urlencode(dict(query))}" if query else "/changes",
    )
    notice, undo = notices(request)
    return html_page(request, "changes.html", "changes", title="Changes", c=page, notice=notice, undo=undo)


def _changes_lead(words: Words, hosts: int, high: int, since: float) -> str:
    start = f"Since {words.when(since)}. " if since else ""
    return f"{start}On {count(hosts, 'host')}; {high} of high importance." if hosts else start


def _wanted(one: ChangeView, kind: str, level: str, text: str) -> bool:
    if kind and kind not in one.kinds:
        return False
    if level.isdigit() and one.level < int(level):
        return False
    return (
        not text
        or text.lower() in " ".join(line.text.striptags() for line in (*one.lines, *one.folded)).lower()
    )


def _number(text: str, default: float) -> float:
    try:
        return float(text)
    except ValueError:
        return default


# --- hosts -----------------------------------------------------------------------------------------------


def show_hosts(request: "PageRequest") -> "Response":
    """GET /hosts."""
    rows, query, n = request.reader.dashboard, request.query, 50
    order = query.get("order", "stored")
    prefix, following = query.get("q", "").strip().lower(), ""
    if prefix:
        hosts = rows.hosts_named(prefix, query.get("after", ""), n)
        following = f"/hosts?{urlencode({'q': prefix, 'after': hosts[-1].name})}" if len(hosts) == n else ""
    elif order in ("refused", "paused"):
        listed = rows.refused_hosts if order == "refused" else rows.paused_hosts
        hosts = listed(int(_number(query.get("after", ""), 0)), n)
        following = f"/hosts?{urlencode({'order': order, 'after': hosts[-1].id})}" if len(hosts) == n else ""
    elif order == "failing":
        hosts = rows.failing_hosts(request.now - HOUR, 200)
    else:
        order = order if order in ("stored", "changes") else "stored"
        place = re.fullmatch(r"(\d+)-(\d+)", query.get("after", ""))
        hosts = rows.hosts(order, (int(place[1]), int(place[2])) if place else None, n)
        last = (getattr(hosts[-1], order), hosts[-1].id) if hosts else (0, 0)
        following = (
            f"/hosts?{urlencode({'order': order, 'after': f'{last[0]}-{last[1]}'})}"
            if len(hosts) == n
            else ""
        )
    snapshot = rows.snapshot()
    known = snapshot.hosts if snapshot else 0
    return html_page(
        request, "hosts.html", "hosts", title="Hosts", hosts=hosts, order=order, q=prefix,
        next=following, known=known, refused=(snapshot.parked + snapshot.redirect_spam) if snapshot else 0,
    )  # fmt: skip


def show_host(request: "PageRequest") -> "Response":
    """GET /hosts/{name}."""
    name, words = request.path["name"], Words(request.now)
    after = int(_number(request.query.get("after", ""), 0))
    rows = load_host(request.reader, request.context.settings, name, request.now, after)
    if rows is None:
        return not_found(request, f"{name} is not in the archive.", "hosts")
    rows = rows._replace(pages=public(request, rows.pages), changes=public(request, rows.changes))
    view = host_view(rows, words)
    notice, undo = notices(request)
    following = f"{host_url(name)}?after={view.next}#pages" if view.next is not None else ""
    if rows.sorted and view.next is not None:
        following = f"{host_url(name)}?after=1#pages"
    return html_page(
        request, "host.html", "hosts", title=name, h=view, next=following, notice=notice, undo=undo
    )


# --- pages -----------------------------------------------------------------------------------------------


def show_pages(request: "PageRequest") -> "Response":
    """GET /pages."""
    rows, query, words = request.reader.dashboard, request.query, Words(request.now)
    order = query.get("order", "new")
    if order == "due":
        place = re.fullmatch(r"([\d.]+)-(\d+)", query.get("after", ""))
        pages = rows.due_next((float(place[1]), int(place[2])) if place else None, LISTED)
        after = f"{pages[-1].due!r}-{pages[-1].id}" if pages else ""
    else:
        order, start = "new", _number(query.get("after", ""), 0)
        pages = rows.newest_pages(int(start) or None, LISTED)
        after = str(pages[-1].id) if pages else ""
    since = request.now - SPARK_DAYS * DAY
    listed = public(request, pages)
    shown = [page_row(one, rows.visit_marks(one.id, since, SPARK_VISITS), words) for one in listed]
    following = f"/pages?{urlencode({'order': order, 'after': after})}" if len(pages) == LISTED else ""
    stored = rows.tallies().get("stored", 0)
    return html_page(
        request, "pages.html", "pages", title="Pages", pages=shown, order=order, next=following, stored=stored
    )


def show_page(request: "PageRequest") -> "Response":
    """GET /page?url=."""
    query, words = request.query, Words(request.now)
    url = query.get("url", "")
    chosen = int(_number(query.get("a", ""), 0)), int(_number(query.get("b", ""), 0))
    rows = load_page(
        request.reader, request.context.settings, url, request.now,
        chosen=chosen, shown=int(_number(query.get("version", ""), 0)),
        before=_number(query.get("before", ""), 0.0),
    )  # fmt: skip
    if rows is None or not public(request, [rows.page]):
        return not_found(request, f"{url or 'This URL'} was never requested.", "pages")
    rows = rows._replace(versions=public(request, rows.versions))
    view = page_view(rows, words)
    notice, undo = notices(request)
    following = page_url(url, before=repr(view.next)) + "#versions" if view.next else ""
    copy_view = query.get("view", "text")
    text = ""
    if view.shown is not None and copy_view == "text":
        from fieldmouse.report.page_content import Contents

        try:
            response = request.reader.response(view.shown)
            text = Contents(request.reader).of(view.shown, response, request.reader.tags(view.shown)).text
        except VersionErased:
            return show_page(request)  # its row is gone by now
        except ArchiveDamaged:
            text = UNREADABLE
    return html_page(
        request, "page.html", "pages", title=view.title, p=view, next=following, view=copy_view,
        text=text[:SHOWN_TEXT], notice=notice, undo=undo,
    )  # fmt: skip


# --- everything else -------------------------------------------------------------------------------------


Row = TypeVar("Row", PageSummary, ChangeSummary, VersionSummary)


def public(request: "PageRequest", rows: Sequence[Row]) -> list[Row]:
    """Rows that a reader may see: private pages are for administrators."""
    return [one for one in rows if not one.private or Role.ADMINISTER in request.may]


def not_found(request: "PageRequest", message: str, page: str) -> "Response":
    """A page that says what is not here."""
    return html_page(request, "message.html", page, title="Not here", message=message, status=404)
