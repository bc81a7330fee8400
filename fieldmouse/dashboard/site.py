"""What every page of the dashboard has around its content: menu, live line, notices, forms."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

from fieldmouse.report.wording import Words
from fieldmouse.store.inbox_contract import Role
from fieldmouse.units import DAY
from fieldmouse.version import VERSION

from .live import live_figures
from .rendering import render

if TYPE_CHECKING:
    from starlette.responses import Response

    from .context import PageRequest


class MenuItem(NamedTuple):
    """A page of the menu."""

    page: str
    name: str
    href: str
    unseen: int = 0


# Unseen changes are counted up to this.
MOST_UNSEEN = 1000
MENU = (
    MenuItem("overview", "Overview", "/"),
    MenuItem("changes", "Changes", "/changes"),
    MenuItem("hosts", "Hosts", "/hosts"),
    MenuItem("pages", "Pages", "/pages"),
    MenuItem("search", "Search", "/search"),
)


class Undo(NamedTuple):
    """A form that takes the last action back."""

    action: str
    fields: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """The frame of a page."""

    archive: str
    page: str
    clock: str
    live: str
    dot: str  # on, off, or empty
    menu: tuple[MenuItem, ...] = MENU
    csrf: str = ""
    who: str = ""
    may_administer: bool = False
    notice: str = ""
    undo: Undo | None = None
    version: str = field(default=VERSION)


def page_url(url: str, **more: object) -> str:
    """The address of the page of a page."""
    return f"/page?{urlencode({'url': url, **more})}"


def host_url(name: str) -> str:
    """The address of the page of a host."""
    return f"/hosts/{quote(name, safe=':')}"


def html_page(
    request: "PageRequest",
    template: str,
    page: str,
    *,
    title: str,
    notice: str = "",
    undo: Undo | None = None,
    status: int = 200,
    **values: Any,
) -> "Response":
    """A rendered page with everything around it."""
    from starlette.responses import HTMLResponse

    words = Words(request.now)
    rows = request.reader.dashboard
    figures = live_figures(request.reader, request.now)
    unseen = rows.changes_since(request.who, rows.seen(request.who) or request.now - DAY, MOST_UNSEEN)
    site = Site(
        archive=request.context.folder.resolve().name,
        page=page,
        clock=words.footer(),
        live=figures.live,
        dot=figures.dot,
        menu=tuple(one._replace(unseen=unseen) if one.page == "changes" else one for one in MENU),
        csrf=request.csrf,
        who=request.who,
        may_administer=Role.ADMINISTER in request.may,
        notice=notice,
        undo=undo,
    )
    html = render(
        template,
        site=site,
        title=title,
        w=words,
        page_url=page_url,
        host_url=host_url,
        live_page=True,
        **values,
    )
    return HTMLResponse(html, status)
