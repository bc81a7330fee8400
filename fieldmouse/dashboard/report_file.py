"""The overview and the last changes as one file that needs nothing else: no server, no script, no request."""

from markupsafe import Markup

from fieldmouse.report.archive_snapshot import take_snapshot
from fieldmouse.report.wording import Words
from fieldmouse.settings import Settings
from fieldmouse.store.contract import StoreReader
from fieldmouse.units import DAY

from . import overview
from .change_list import by_day, change_view
from .rendering import render, static_file
from .site import Site

# Changes that are shown in full, and days they may be old.
CHANGES, DAYS = 40, 30


def report_html(reader: StoreReader, settings: Settings, now: float) -> str:
    """The report of an archive at a time."""
    words = Words(now)
    rows = overview.load(reader, settings, words, n=0)
    rows = rows._replace(snapshot=take_snapshot(reader, settings, now))
    found = reader.dashboard.changes(now + DAY, now - DAYS * DAY, CHANGES)
    changes = [change_view(one) for one in found if not one.private]
    shown = overview.overview(rows, words)
    site = Site(
        archive=reader.folder.resolve().name,
        page="report",
        clock=words.footer(),
        live=shown.live,
        dot="on" if rows.running else "",
        menu=(),
    )
    return render(
        "report.html",
        site=site,
        title="Report",
        w=words,
        o=shown,
        days=by_day(changes, words),
        live_page=False,
        page_url=lambda url: url if url.startswith(("http://", "https://")) else "#",
        host_url=lambda name: f"http://{name}/",
        style=Markup(static_file("style.css").decode()),  # noqa: S704  a file of ours
    )
