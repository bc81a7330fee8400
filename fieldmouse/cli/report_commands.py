"""The command that writes a report for people: `report`."""

import os
import time
from pathlib import Path

import click

from fieldmouse.errors import UsageError

from .common import NEW_FILE, archive_options, echo, open_archive, print_json, size, write_chunks


@click.command()
@click.argument("file", type=NEW_FILE, metavar="FILE.html")
@click.option("--open", "open_it", is_flag=True, help="Open it in the browser, where there is a display.")
@archive_options
def report(obj: str, /, file: Path, open_it: bool, as_json: bool) -> None:
    """Write the overview and the last changes to one HTML file.

    The file needs nothing else: it can be mailed, printed and kept. It holds no script and sends no request.
    """
    from fieldmouse.dashboard.report_file import report_html

    if file.suffix not in ("", ".html", ".htm"):
        raise UsageError(f"a report is HTML; give a name that ends in .html, not {file.name}")
    with open_archive(obj) as archive:
        text = report_html(archive.reader, archive.settings, time.time())
    write_chunks(file, "html", [text.encode()])
    if as_json:
        print_json({"file": str(file), "bytes": len(text.encode())})
    elif str(file) != "-":
        echo(f"wrote {file} ({size(len(text.encode()))})")
    if open_it:
        open_in_browser(file)


def open_in_browser(file: Path) -> bool:
    """Show a file in the browser if there is a display; whether it was tried."""
    import sys
    import webbrowser

    display = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if not display and sys.platform not in ("darwin", "win32"):
        return False
    return webbrowser.open(file.resolve().as_uri())
