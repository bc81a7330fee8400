"""The commands on spam: `parked` and `redirects`."""

import time
from pathlib import Path
from typing import Any

import click

from fieldmouse.errors import UsageError

from .common import EXISTING_FILE, NEW_FILE, json_option, open_archive, print_json, read_text, write_text

kind_option = click.option(
    "--kind",
    type=click.Choice(["ns", "alias", "address"]),
    default="ns",
    show_default=True,
    help="What VALUE is.",
)


@click.group()
def parked() -> None:
    """List and edit the known domain-parking services.

    An entry is a name server, an alias or an address.
    """


@parked.command("list")
@click.option("--own", is_flag=True, help="Only entries found here or set by hand.")
@click.option("--used", is_flag=True, help="Only entries that rejected hosts here.")
@json_option
@click.pass_obj
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
        click.echo(f"{one.state:8} {one.kind:8} {one.value:32} {source}{hosts}{why}")
    click.echo(f"{len(entries):,} entries; they reject {rejected:,} hosts", err=True)


@parked.command()
@click.argument("value", required=False)
@kind_option
@click.option(
    "--state",
    type=click.Choice(["parking", "shared", "regular"]),
    default="parking",
    show_default=True,
    help="parking: not visited; shared: not visited if a second sign agrees; regular: always visited.",
)
@click.option("--why", default="", help="A note, shown in the list.")
@click.option(
    "--file",
    type=EXISTING_FILE,
    help="Add a whole list written by `parked export`, instead of one VALUE.",
)
@json_option
@click.pass_obj
def add(obj: str, /, value: str | None, **given: Any) -> None:
    """Add VALUE to the list by hand: a name server, an alias, or an address or network."""
    from fieldmouse.jobs import edit_parking_list

    if (value is None) == (given["file"] is None):
        raise UsageError("give one VALUE, for example `parked add parkingcrew.net`, or --file LIST")
    with open_archive(obj) as archive, archive.writing() as store:
        if value is None:
            changed, admitted = edit_parking_list.add_all(store.domains, read_text(given["file"])), 0
        else:
            changed, kind, verdict = 1, given["kind"], {"state": given["state"], "why": given["why"]}
            admitted = edit_parking_list.add(store.domains, kind, value, **verdict, now=time.time())
    _print_change(changed, admitted, as_json=given["as_json"])


@parked.command()
@click.argument("value")
@kind_option
@json_option
@click.pass_obj
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
        click.echo(f"{changed:,} entries changed; the next crawl visits {admitted:,} hosts rejected before")


@parked.command()
@click.argument("file", type=NEW_FILE)
@click.pass_obj
def export(obj: str, file: Path) -> None:
    """Write the whole list to FILE (- for stdout) as JSON, one entry a line."""
    from fieldmouse.crawl.admission import parking_list

    with open_archive(obj) as archive:
        text = parking_list(archive.reader.domains).dump()
    write_text(file, text)


@parked.command("re-evaluate")
@click.option(
    "--sample",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Rejected hosts of each entry that the next crawl visits as a sample.",
)
@click.option("--offline", is_flag=True, help="Send no DNS queries.")
@json_option
@click.pass_obj
def re_evaluate(obj: str, sample: int, offline: bool, as_json: bool) -> None:
    """Judge name servers and redirects again from all stored pages, crawled and imported."""
    with open_archive(obj) as archive:
        found = archive.re_evaluate(sample=sample, offline=offline)
    if as_json:
        print_json(found)
        return
    click.echo(
        f"{found.asked:,} domains looked up, {found.parking.read:,} home pages read, "
        f"{found.parking.roots:,} name servers, aliases and addresses judged"
    )
    for one in found.parking.listed:
        click.echo(f"{one.state:8} {one.kind:8} {one.value:32} {one.why}")
    for farm in found.redirects.farms:
        click.echo(f"{'spam':8} {'redirect':8} {farm.domain:32} {'; '.join(farm.reasons)}")
    click.echo(
        f"{found.parking.let_in:,} hosts admitted again; "
        f"the next crawl visits {len(found.sample):,} others as a sample"
    )


@click.group()
def redirects() -> None:
    """List redirect-spam sites."""


@redirects.command("list")
@json_option
@click.pass_obj
def list_farms(obj: str, as_json: bool) -> None:
    """List redirect-spam sites with the evidence; they are not visited."""
    with open_archive(obj) as archive:
        farms = archive.redirect_farms()
    if as_json:
        print_json(farms)
        return
    for one in farms:
        click.echo(f"{one.domain}: {'; '.join(one.reasons)}")
    click.echo(f"{len(farms):,} redirect-spam sites", err=True)
