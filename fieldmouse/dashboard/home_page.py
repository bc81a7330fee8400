"""The first page of the dashboard: the archive in numbers."""

from html import escape
from typing import TYPE_CHECKING

from .context import PageRequest

if TYPE_CHECKING:
    from starlette.responses import Response


def home(request: PageRequest) -> "Response":
    """The totals of the archive."""
    from starlette.responses import HTMLResponse

    totals = request.reader.totals()
    rows = {
        "pages": totals.pages,
        "stored": totals.stored,
        "versions": totals.versions,
        "visits": totals.visits,
    }
    lines = "".join(f"<tr><th>{name}<td>{count:,}" for name, count in rows.items())
    return HTMLResponse(
        "<!doctype html><html lang=en><meta charset=utf-8><title>Fieldmouse</title>"
        f"<h1>{escape(request.context.folder.resolve().name)}</h1><table>{lines}</table>"
        f'<form method=post action=/sign-out><input type=hidden name=csrf value="{escape(request.csrf)}">'
        f"<button>Sign out {escape(request.who)}</button></form>"
    )
