"""Search, topics, labels, submissions and settings."""

import tomllib
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup, escape

from fieldmouse.errors import UsageError
from fieldmouse.settings import FIELDS, Settings
from fieldmouse.store import SETTINGS_FILE
from fieldmouse.store.inbox_contract import Role
from fieldmouse.store.page_records import PageFilter, SearchHit
from fieldmouse.units import DAY

from .page_numbers import current_share
from .site import host_url, html_page, page_url
from .wording import count, percent

if TYPE_CHECKING:
    from starlette.responses import Response

    from fieldmouse.store.dashboard_contract import PageSummary

    from .context import PageRequest

# Results on a page, and submissions.
RESULTS, SUBMISSIONS = 20, 50
SECRET = ("token", "password", "secret")


class FoundPage(NamedTuple):
    """A page that was found."""

    url: str
    title: str
    address: str
    text: Markup
    changed: float
    facts: list[str]
    overdue: bool


def show_search(request: "PageRequest") -> "Response":
    """GET /search: an address or a host leads to its page; words are searched in titles and texts."""
    from starlette.responses import RedirectResponse

    query = request.query.get("q", "").strip()
    rows = request.reader.dashboard
    if "://" in query and (page := rows.page(query)) is not None:
        return RedirectResponse(page_url(page.url), 303)
    if query and rows.host(query.lower()) is not None:
        return RedirectResponse(host_url(query.lower()), 303)
    start = max(0, int(request.query.get("start", "0"))) if request.query.get("start", "0").isdigit() else 0
    hits, note, more = _search(request, query, start)
    following = f"/search?{urlencode({'q': query, 'start': start + RESULTS})}" if more else ""
    hosts = rows.hosts_named(query.lower(), "", 5) if query and " " not in query else []
    return html_page(
        request, "search.html", "search", title="Search", q=query, hits=hits, note=note, next=following,
        hosts=hosts, stored=rows.tallies().get("stored", 0),
    )  # fmt: skip


def _search(request: "PageRequest", query: str, start: int) -> tuple[list[FoundPage], str, bool]:
    """Pages, what to say about them, and whether there are more."""
    if not query:
        return [], "", False
    wanted = PageFilter(private=Role.ADMINISTER in request.may)
    try:
        found = request.reader.search(query, wanted, RESULTS, start)
    except UsageError as error:
        return [], str(error), False
    pages = [found_page(one, request.reader.dashboard.page(one.url), request.now) for one in found.hits]
    more = " or more" if found.capped else ""
    return pages, f"{count(found.total, 'page')}{more}", found.total > start + len(pages)


def found_page(hit: SearchHit, page: "PageSummary | None", now: float) -> FoundPage:
    """A page that was found: the words marked, and how current its copy is."""
    text, end = Markup(), 0
    for first, last in hit.marks:
        text += escape(hit.snippet[end:first]) + Markup("<mark>{}</mark>").format(hit.snippet[first:last])
        end = last
    text += escape(hit.snippet[end:])
    facts = [hit.language] if hit.language else []
    share = current_share(page, now) if page else None
    if share is not None:
        facts.append(f"current, {percent(share, 0)} likely")
    if page is not None:
        facts.append(count(page.versions, "version"))
    overdue = page is not None and page.due is not None and page.due < now
    address = hit.url.split("://", 1)[-1]
    return FoundPage(hit.url, hit.title or address, address, text, hit.last_change, facts, overdue)


def show_topics(request: "PageRequest") -> "Response":
    """GET /topics: what pages were judged for, and how the harvest went."""
    reader = request.reader
    return html_page(
        request, "topics.html", "topics", title="Topics", topics=reader.dashboard.topics(),
        snapshot=reader.dashboard.snapshot(), harvests=reader.harvests(),
        chosen=request.context.settings.focus.topic,
    )  # fmt: skip


def show_labels(request: "PageRequest") -> "Response":
    """GET /labels: pages whose label a person should decide."""
    return html_page(
        request, "message.html", "labels", title="Labels", message="No labels to review",
        more="Labels appear here when pages were classified and some of them are close to the line.",
    )  # fmt: skip


def show_submissions(request: "PageRequest") -> "Response":
    """GET /submissions: what readers sent, newest first."""
    before = request.query.get("before", "")
    try:
        start = float(before) if before else request.now + DAY
    except ValueError:
        start = request.now + DAY
    found = request.reader.dashboard.submissions(start, SUBMISSIONS)
    following = (
        f"/submissions?{urlencode({'before': repr(found[-1].received)})}" if len(found) == SUBMISSIONS else ""
    )
    shown = [one for one in found if not one.private or Role.ADMINISTER in request.may]
    return html_page(
        request, "submissions.html", "submissions", title="Submissions", submissions=shown, next=following
    )


class SettingRow(NamedTuple):
    """A setting as it is."""

    name: str
    value: str
    default: str
    help: str
    changed: bool


def show_settings(request: "PageRequest") -> "Response":
    """GET /settings: every setting as this server uses it; what differs from the default is marked."""
    settings, plain = request.context.settings, Settings()
    rows: dict[str, list[SettingRow]] = {}
    for name, field in FIELDS.items():
        section, _, key = name.partition(".")
        value, default = getattr(getattr(settings, section), key), getattr(getattr(plain, section), key)
        shown = "(set)" if any(word in key for word in SECRET) and value else _said(value)
        row = SettingRow(name, shown, _said(default), field.metadata["help"], value != default)
        rows.setdefault(section, []).append(row)
    try:
        written = tomllib.loads((request.context.folder / SETTINGS_FILE).read_text("utf-8"))
    except (OSError, tomllib.TOMLDecodeError):
        written = {}
    return html_page(
        request, "settings.html", "settings", title="Settings", sections=rows, file=SETTINGS_FILE,
        own=sum(len(one) for one in written.values() if isinstance(one, dict)),
    )  # fmt: skip


def _said(value: object) -> str:
    if isinstance(value, tuple):
        text = ", ".join(map(str, value))
        return f"{text[:80]}…" if len(text) > 80 else text or "none"
    return str(value) if value != "" else "empty"
