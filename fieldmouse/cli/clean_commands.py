"""The commands on templates, copies, disk space and spam."""

import time
from pathlib import Path
from typing import Any

import click

from fieldmouse.errors import UsageError
from fieldmouse.units import HOUR

from . import common
from .common import (
    NEW_FILE,
    ListByDefault,
    archive_options,
    echo,
    open_archive,
    overrides,
    print_json,
    set_option,
    size,
)

kind_option = click.option(
    "--kind", type=click.Choice(["ns", "alias", "address"]), default="ns", show_default=True,
    help="What VALUE is.",
)  # fmt: skip


SWEPT = {
    "replaced": "replaced by a pack", "orphans": "no row points to it",
    "unfinished": "its upload was not finished",
}  # fmt: skip


@click.command()
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--rebuild", is_flag=True, help="Rebuild the templates of HOST even if nothing has changed.")
@common.executor_options
@set_option
@archive_options
def clean(
    obj: str,
    /,
    *,
    hosts: tuple[str, ...],
    rebuild: bool,
    jobs: int | None,
    executor: str,
    sets: tuple[str, ...],
    as_json: bool,
) -> None:
    """Find templates and copies on hosts with new content.

    A crawl does this when a host is complete, and at its end. Use the command after an import, with
    templates.automatic off, or after a crawl that was stopped. Only new content is read. It can be stopped at
    any time, and run while a crawl is running.
    """
    if rebuild and not hosts:
        raise UsageError("--rebuild needs at least one HOST")
    results = []
    one_process = (obj, "", None)
    chosen = one_process if hosts else (obj, executor, jobs)  # a host is read by one process
    with open_archive(obj, overrides(sets)) as archive, common.opened_executor(*chosen) as pool:
        for name in hosts or ("",):
            for done in archive.clean(name, rebuild=rebuild, executor=pool):
                results.append(done)
                if not as_json:
                    made = f", {done.templates} templates ({done.reason})" if done.reason else ""
                    echo(f"{done.host}: {done.pages:,} pages read{made} {done.trouble}".rstrip())
    if as_json:
        print_json(results)
    elif not results:
        echo("no new content")


@click.command()
@click.argument("host", default="")
@click.option("--view", "url", default="", metavar="URL", help="Show this page with its template in grey.")
@click.option("--out", type=NEW_FILE, help="Write the view to this HTML file.")
@archive_options
def templates(obj: str, host: str, url: str, out: Path | None, as_json: bool) -> None:
    """List the templates of each host.

    The table shows the size, the share of a page, and the bytes saved. With HOST, list every version of its
    templates; with --view, show one page next to its content.
    """
    with open_archive(obj) as archive:
        if url:
            from fieldmouse.templates.view import side_by_side

            page = archive.page(url)
            if page is None:
                raise UsageError(f"there is no stored page at {url}")
            if page.content.stripped is None:
                raise UsageError(f"{page.url} is not HTML, so it has no template")
            text = side_by_side(page.content.stripped, page.url)
            if out is None:
                echo(text)
            else:
                common.write_text(out, text)
                echo(f"wrote {out}", err=True)
            return
        rows, troubles = archive.reader.templates.figures(host), archive.reader.templates.troubles()
        left = archive.reader.templates.left()
    if as_json:
        print_json(
            [{**common.plain(row), "template_share": row.template_share, "saved": row.saved} for row in rows]
        )
        return
    if not rows:
        where = f"{host} has no templates" if host else "there are no templates yet"
        raise UsageError(f"{where}; `fieldmouse clean` builds them from two pages or more")
    common.print_table(
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
        echo(f"{name} could not be cleaned: {trouble}", err=True)
    if left:
        echo(f"{left:,} hosts have new content; run `fieldmouse clean`", err=True)


@click.command()
@click.option("--most", type=click.IntRange(0), default=10, help="Number of groups shown, largest first.")
@archive_options
def copies(obj: str, most: int, as_json: bool) -> None:
    """List pages that are copies, and hosts that mirror each other."""
    from fieldmouse.report.copies import overview

    with open_archive(obj) as archive:
        found = overview(archive.reader, most)
    if as_json:
        print_json(found)
        return
    echo(f"{found.copies:,} of {found.pages:,} pages are copies, in {found.groups:,} groups")
    for group in found.largest:
        echo(f"{group.size:,}  {group.best}")
        for url in group.others[:3]:
            echo(f"{' ' * len(f'{group.size:,}')}  = {url}")
    for mirror in found.mirrors:
        echo(f"mirror: {mirror.host} and {mirror.other}, {mirror.pages:,} pages ({mirror.share:.0%})")
    if found.left:
        echo(f"{found.left:,} hosts have new content; run `fieldmouse clean`", err=True)


@click.command()
@set_option
@archive_options
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
                echo(f"{done.name}: {size(done.before)} to {size(done.after)}, {saved:.0%} saved")
    if as_json:
        print_json(results)
    elif not results:
        echo("there is no WARC file to pack")


@click.command()
@click.option(
    "--grace", type=click.FloatRange(0), default=24.0, show_default=True, metavar="HOURS",
    help="Leave what is younger: a worker may be about to commit it.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Only list what would be deleted.")
@set_option
@archive_options
def sweep(obj: str, grace: float, dry_run: bool, sets: tuple[str, ...], as_json: bool) -> None:
    """Delete objects that nobody needs from the place of archive.content.

    These are files that were replaced by packs, files of workers that died before their commit, and uploads
    that were not finished.
    """
    from fieldmouse.jobs.sweep import sweep as delete_unneeded

    with open_archive(obj, overrides(sets)) as archive, archive.writing() as target:
        done = delete_unneeded(target, time.time(), grace * HOUR, dry_run=dry_run)
    if as_json:
        print_json(done)
        return
    for kind in ("replaced", "orphans", "unfinished"):
        for key in getattr(done, kind):
            echo(f"{key}: {SWEPT[kind]}")
    verb = "would be deleted" if dry_run else "deleted"
    gone = len(done.replaced) + len(done.orphans) + len(done.unfinished)
    echo(f"{gone:,} objects {verb} ({size(done.bytes)}), {done.kept:,} kept")


@click.group(cls=ListByDefault)
def parked() -> None:
    """List and edit the known domain-parking services.

    An entry is a name server, an alias or an address.
    """


@parked.command("list")
@click.option("--own", is_flag=True, help="Only entries found here or set by hand.")
@click.option("--used", is_flag=True, help="Only entries that rejected hosts here.")
@archive_options
def list_(obj: str, own: bool, used: bool, as_json: bool) -> None:
    """List the entries: verdict, source, evidence, and how many hosts each rejected."""
    with open_archive(obj) as archive:
        entries = [
            one
            for one in archive.parked()
            if (not own or one.source != "bundled") and (not used or one.hosts)
        ]
    rejected = sum(one.hosts for one in entries)
    if as_json:
        print_json({"entries": entries, "hosts": rejected})
        return
    for one in entries:
        source = one.source if one.origin in ("hand", "survey") else f"{one.source} ({one.origin})"
        hosts = f"  {one.hosts:,} hosts" if one.hosts else ""
        why = f"  {one.why}" if one.why else ""
        echo(f"{one.state:8} {one.kind:8} {one.value:32} {source}{hosts}{why}")
    echo(f"{len(entries):,} entries; they reject {rejected:,} hosts", err=True)


@parked.command()
@click.argument("value", required=False)
@kind_option
@click.option(
    "--state", type=click.Choice(["parking", "shared", "regular"]), default="parking", show_default=True,
    help="parking: not visited; shared: not visited if a second sign agrees; regular: always visited.",
)  # fmt: skip
@click.option("--why", default="", help="A note, shown in the list.")
@click.option(
    "--file", type=common.EXISTING_FILE,
    help="Add a whole list written by `parked export`, instead of one VALUE.",
)  # fmt: skip
@archive_options
def add(obj: str, /, value: str | None, **given: Any) -> None:
    """Add VALUE to the list by hand: a name server, an alias, or an address or network."""
    from fieldmouse.jobs import edit_parking_list

    if (value is None) == (given["file"] is None):
        raise UsageError("give one VALUE, for example `parked add parkingcrew.net`, or --file LIST")
    with open_archive(obj) as archive, archive.writing() as store:
        if value is None:
            changed, admitted = edit_parking_list.add_all(store.domains, common.read_text(given["file"])), 0
        else:
            changed, kind, verdict = 1, given["kind"], {"state": given["state"], "why": given["why"]}
            admitted = edit_parking_list.add(store.domains, kind, value, **verdict, now=time.time())
    _print_change(changed, admitted, as_json=given["as_json"])


@parked.command()
@click.argument("value")
@kind_option
@archive_options
def remove(obj: str, value: str, kind: str, as_json: bool) -> None:
    """Remove VALUE from the list by hand: its hosts are visited, whatever is found later."""
    from fieldmouse.jobs import edit_parking_list

    with open_archive(obj) as archive, archive.writing() as store:
        admitted = edit_parking_list.remove(store.domains, kind, value)
    _print_change(1, admitted, as_json=as_json)


def _print_change(changed: int, admitted: int, *, as_json: bool) -> None:
    if as_json:
        print_json({"entries": changed, "let_in": admitted})
    else:
        echo(f"{changed:,} entries changed; the next crawl visits {admitted:,} hosts rejected before")


@parked.command()
@click.argument("file", type=NEW_FILE)
@click.pass_obj
def export(obj: str, file: Path) -> None:
    """Write the whole list to FILE (- for stdout) as JSON, one entry a line."""
    from fieldmouse.crawl.admission import parking_list

    with open_archive(obj) as archive:
        text = parking_list(archive.reader.domains).dump()
    common.write_text(file, text)


@parked.command("re-evaluate")
@click.option(
    "--sample", type=click.IntRange(0), default=10, show_default=True,
    help="Rejected hosts of each entry that the next crawl visits as a sample.",
)  # fmt: skip
@click.option("--offline", is_flag=True, help="Send no DNS queries.")
@common.executor_options
@archive_options
def re_evaluate(
    obj: str, /, *, sample: int, offline: bool, jobs: int | None, executor: str, as_json: bool
) -> None:
    """Judge name servers and redirects again from all stored pages, crawled and imported."""
    with open_archive(obj) as archive, common.opened_executor(obj, executor, jobs) as pool:
        found = archive.re_evaluate(sample=sample, offline=offline, executor=pool)
    if as_json:
        print_json(found)
        return
    echo(
        f"{found.asked:,} domains looked up, {found.parking.read:,} home pages read, "
        f"{found.parking.roots:,} name servers, aliases and addresses judged"
    )
    for one in found.parking.listed:
        echo(f"{one.state:8} {one.kind:8} {one.value:32} {one.why}")
    for farm in found.redirects.farms:
        echo(f"{'spam':8} {'redirect':8} {farm.domain:32} {'; '.join(farm.reasons)}")
    echo(
        f"{found.parking.let_in:,} hosts admitted again; "
        f"the next crawl visits {len(found.sample):,} others as a sample"
    )


@click.group(cls=ListByDefault)
def redirects() -> None:
    """List redirect-spam sites."""


@redirects.command("list")
@archive_options
def list_farms(obj: str, as_json: bool) -> None:
    """List redirect-spam sites with the evidence; they are not visited."""
    with open_archive(obj) as archive:
        farms = archive.redirect_farms()
    if as_json:
        print_json(farms)
        return
    for one in farms:
        echo(f"{one.domain}: {'; '.join(one.reasons)}")
    echo(f"{len(farms):,} redirect-spam sites", err=True)
