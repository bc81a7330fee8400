"""Commands about what pages have in common: clean, templates, copies."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldmouse.errors import UsageError

from .common import as_json, opened, overrides, plain, print_json, set_options, size, write_text

if TYPE_CHECKING:
    from fieldmouse.library import Archive
    from fieldmouse.store.sqlite.template_reader import HostTemplates


@click.command()
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--anew", is_flag=True, help="Make the templates of HOST again, though nothing has changed.")
@set_options
@as_json
@click.pass_obj
def clean(obj: str, hosts: tuple[str, ...], anew: bool, sets: tuple[str, ...], as_json: bool) -> None:
    """Find templates and copies on hosts with new content: what a crawl does when a host's download ends.

    For archives that were imported, crawled with templates.automatic off, or stopped in between. Only what is
    new is looked at; it can be stopped at any time, and run beside a crawl.
    """
    if anew and not hosts:
        raise UsageError("--anew needs the hosts whose templates are to be made again")
    results = []
    with opened(obj, overrides(sets)) as archive:
        for name in hosts or ("",):
            for done in archive.clean(name, anew=anew):
                results.append(plain(done))
                if not as_json:
                    made = f", {done.templates} templates ({done.reason})" if done.reason else ""
                    click.echo(f"{done.host}: {done.pages:,} pages looked at{made} {done.trouble}".rstrip())
    if as_json:
        print_json(results)
    elif not results:
        click.echo("nothing is new since the last time")


@click.command()
@click.argument("host", default="")
@click.option("--view", "url", default="", metavar="URL", help="Show this page with its template in grey.")
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the view to this HTML file."
)
@as_json
@click.pass_obj
def templates(obj: str, host: str, url: str, out: Path | None, as_json: bool) -> None:
    """Show what the pages of each host have in common: size of the template, share of bytes saved.

    With HOST every version of its templates; with --view one page beside its content.
    """
    with opened(obj) as archive:
        if url:
            _view(archive, url, out)
            return
        rows, troubles = archive.reader.clean.figures(host), archive.reader.clean.troubles()
        left = archive.reader.clean.left()
    if as_json:
        print_json([_told(row) for row in rows])
        return
    if not rows:
        where = f"{host} has no templates" if host else "there are no templates yet"
        raise UsageError(f"{where}; `fieldmouse clean` makes them of two pages or more")
    _show(rows)
    for name, trouble in troubles:
        click.echo(f"{name} could not be cleaned: {trouble}", err=True)
    if left:
        click.echo(f"{left:,} hosts have new content; `fieldmouse clean` looks at it", err=True)


def _told(row: "HostTemplates") -> dict[str, object]:
    return {**plain(row), "template_share": row.template_share, "saved": row.saved}


def _show(rows: "list[HostTemplates]") -> None:
    width = max(len("host"), *(len(row.host) for row in rows))
    head = ("version", "pages", "templates", "size", "of a page", "saved")
    click.echo(f"{'host'.ljust(width)}  " + "  ".join(f"{name:>10}" for name in head))
    for row in rows:
        cells = (
            str(row.version),
            f"{row.pages:,}",
            str(row.templates),
            size(row.template_bytes),
            f"{row.template_share:.0%}",
            f"{row.saved:.0%}",
        )
        click.echo(f"{row.host.ljust(width)}  " + "  ".join(f"{cell:>10}" for cell in cells))


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
        return
    write_text(out, text)
    click.echo(f"wrote {out}", err=True)


@click.command()
@set_options
@as_json
@click.pass_obj
def compact(obj: str, sets: tuple[str, ...], as_json: bool) -> None:
    """Keep the archive small: WARC files become packs, from which every record is restored byte for byte.

    Other tools read packs no more: `export all.warc.gz` gives them a WARC file as before. It can be stopped
    and run again at any time; new pages go to a new WARC file.
    """
    results = []
    with opened(obj, overrides(sets)) as archive:
        for done in archive.compact():
            results.append(done._asdict())
            if not as_json:
                saved = 1 - done.after / done.before
                click.echo(f"{done.name}: {size(done.before)} to {size(done.after)}, {saved:.0%} saved")
    if as_json:
        print_json(results)
    elif not results:
        click.echo("there is no WARC file to pack")


@click.command()
@click.option("--most", type=click.IntRange(0), default=10, help="Groups that are shown, the largest first.")
@as_json
@click.pass_obj
def copies(obj: str, most: int, as_json: bool) -> None:
    """Show pages that are copies of each other, and hosts that mirror each other."""
    from fieldmouse.report.copies import overview

    with opened(obj) as archive:
        found = overview(archive.reader, max(0, most))
    if as_json:
        print_json(found)
        return
    click.echo(f"{found.copies:,} of {found.pages:,} pages are copies of another, in {found.groups:,} groups")
    for group in found.largest:
        click.echo(f"{group.size:,}  {group.best}")
        for url in group.others[:3]:
            click.echo(f"{' ' * len(f'{group.size:,}')}  = {url}")
    for mirror in found.mirrors:
        click.echo(f"mirror: {mirror.host} and {mirror.other}, {mirror.pages:,} pages ({mirror.share:.0%})")
    if found.left:
        click.echo(f"{found.left:,} hosts have new content; `fieldmouse clean` looks at it", err=True)
