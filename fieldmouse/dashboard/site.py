"""What every page of the dashboard has around its content: menu, live line, notices, forms."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote, urlencode

from fieldmouse.store.inbox_contract import Role
from fieldmouse.version import VERSION

from .overview import IN_FLIGHT, SILENT_SECONDS, live_line
from .rendering import render
from .wording import Words

if TYPE_CHECKING:
    from starlette.responses import Response

    from .context import PageRequest


class MenuItem(NamedTuple):
    """A page of the menu."""

    page: str
    name: str
    href: str
    unseen: int = 0


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
    running, in_flight = rows.running(), len(rows.open_hosts(IN_FLIGHT))
    recent = any(one.refresh or one.discovery for one in rows.spent(request.now - SILENT_SECONDS))
    site = Site(
        archive=request.context.folder.resolve().name,
        page=page,
        clock=words.footer(),
        live=live_line(running, in_flight, recent=recent),
        dot="on" if running or in_flight else "" if recent else "off",
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
