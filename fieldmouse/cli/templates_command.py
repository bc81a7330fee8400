"""The command `templates`."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldmouse.errors import UsageError

from .common import json_option, open_archive, plain, print_json, print_table, size, write_text

if TYPE_CHECKING:
    from fieldmouse.library import Archive


@click.command()
@click.argument("host", default="")
@click.option("--view", "url", default="", metavar="URL", help="Show this page with its template in grey.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the view to this HTML file."
)
@json_option
@click.pass_obj
def templates(obj: str, host: str, url: str, out: Path | None, as_json: bool) -> None:
    """List the templates of each host.

    The table shows the size, the share of a page, and the bytes saved. With HOST, list every version of its
    templates; with --view, show one page next to its content.
    """
    with open_archive(obj) as archive:
        if url:
            _view(archive, url, out)
            return
        rows, troubles = archive.reader.templates.figures(host), archive.reader.templates.troubles()
        left = archive.reader.templates.left()
    if as_json:
        print_json([{**plain(row), "template_share": row.template_share, "saved": row.saved} for row in rows])
        return
    if not rows:
        where = f"{host} has no templates" if host else "there are no templates yet"
        raise UsageError(f"{where}; `fieldmouse clean` builds them from two pages or more")
    print_table(
        ("host", "version", "pages", "templates", "size", "of a page", "saved"),
        [
            (
                row.host,
                str(row.version),
                f"{row.pages:,}",
                str(row.templates),
                size(row.template_bytes),
                f"{row.template_share:.0%}",
                f"{row.saved:.0%}",
            )
            for row in rows
        ],
    )
    for name, trouble in troubles:
        click.echo(f"{name} could not be cleaned: {trouble}", err=True)
    if left:
        click.echo(f"{left:,} hosts have new content; run `fieldmouse clean`", err=True)


def _view(archive: "Archive", url: str, out: Path | None) -> None:
    from fieldmouse.templates.view import side_by_side

    page = archive.page(url)
    if page is None:
        raise UsageError(f"there is no stored page at {url}")
    found = page.content.stripped
    if found is None:
        raise UsageError(f"{page.url} is not HTML, so it has no template")
    text = side_by_side(found, page.url)
    if out is None:
        click.echo(text)
    else:
        write_text(out, text)
        click.echo(f"wrote {out}", err=True)
