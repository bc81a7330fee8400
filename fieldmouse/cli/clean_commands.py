"""The commands on templates, copies and disk space: `clean`, `templates`, `copies` and `compact`."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from fieldmouse.errors import UsageError

from .common import (
    NEW_FILE,
    json_option,
    open_archive,
    overrides,
    plain,
    print_json,
    print_table,
    set_option,
    size,
    write_text,
)

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from fieldmouse.library import Archive


@click.command()
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--anew", is_flag=True, help="Rebuild the templates of HOST even if nothing has changed.")
@click.option(
    "--jobs",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes that read several hosts at once.",
)
@set_option
@json_option
@click.pass_obj
def clean(
    obj: str, /, *, hosts: tuple[str, ...], anew: bool, jobs: int, sets: tuple[str, ...], as_json: bool
) -> None:
    """Find templates and copies on hosts with new content.

    A crawl does this when a host is complete. Use the command after an import, with templates.automatic off,
    or after an interrupted crawl. Only new content is read. It can be stopped at any time, and run while a
    crawl is running.
    """
    if anew and not hosts:
        raise UsageError("--anew needs at least one HOST")
    results = []
    with open_archive(obj, overrides(sets)) as archive, ExitStack() as stack:
        executor = stack.enter_context(_processes(jobs)) if jobs > 1 and not hosts else None
        for name in hosts or ("",):
            for done in archive.clean(name, anew=anew, executor=executor):
                results.append(done)
                if not as_json:
                    made = f", {done.templates} templates ({done.reason})" if done.reason else ""
                    click.echo(f"{done.host}: {done.pages:,} pages read{made} {done.trouble}".rstrip())
    if as_json:
        print_json(results)
    elif not results:
        click.echo("no new content")


def _processes(count: int) -> "Executor":
    """Processes that leave Ctrl-C to this one."""
    import multiprocessing
    import signal
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(
        count,
        mp_context=multiprocessing.get_context("spawn"),
        initializer=signal.signal,
        initargs=(signal.SIGINT, signal.SIG_IGN),
    )


@click.command()
@click.argument("host", default="")
@click.option("--view", "url", default="", metavar="URL", help="Show this page with its template in grey.")
@click.option("--out", type=NEW_FILE, help="Write the view to this HTML file.")
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


@click.command()
@click.option("--most", type=click.IntRange(0), default=10, help="Number of groups shown, largest first.")
@json_option
@click.pass_obj
def copies(obj: str, most: int, as_json: bool) -> None:
    """List pages that are copies, and hosts that mirror each other."""
    from fieldmouse.report.copies import overview

    with open_archive(obj) as archive:
        found = overview(archive.reader, most)
    if as_json:
        print_json(found)
        return
    click.echo(f"{found.copies:,} of {found.pages:,} pages are copies, in {found.groups:,} groups")
    for group in found.largest:
        click.echo(f"{group.size:,}  {group.best}")
        for url in group.others[:3]:
            click.echo(f"{' ' * len(f'{group.size:,}')}  = {url}")
    for mirror in found.mirrors:
        click.echo(f"mirror: {mirror.host} and {mirror.other}, {mirror.pages:,} pages ({mirror.share:.0%})")
    if found.left:
        click.echo(f"{found.left:,} hosts have new content; run `fieldmouse clean`", err=True)


@click.command()
@set_option
@json_option
@click.pass_obj
def compact(obj: str, sets: tuple[str, ...], as_json: bool) -> None:
    """Replace WARC files by smaller packs.

    Every record can be restored from a pack byte for byte. Other tools cannot read packs; for them,
    `export all.warc.gz` writes a WARC file. It can be stopped and run again at any time; new pages go to a
    new WARC file.
    """
    results = []
    with open_archive(obj, overrides(sets)) as archive:
        for done in archive.compact():
            results.append(done)
            if not as_json:
                saved = 1 - done.after / done.before
                click.echo(f"{done.name}: {size(done.before)} to {size(done.after)}, {saved:.0%} saved")
    if as_json:
        print_json(results)
    elif not results:
        click.echo("there is no WARC file to pack")
