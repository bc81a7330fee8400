"""Commands about what is not worth a visit: parked names and redirect spam."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from .common import as_json, opened, print_json, read_text, write_text

if TYPE_CHECKING:
    from fieldmouse.jobs.edit_parking_list import Line
    from fieldmouse.jobs.review_spam import Evaluated

KINDS = ("ns", "alias", "address")
STATES = ("parking", "shared", "regular")

kind_option = click.option(
    "--kind", type=click.Choice(KINDS), default="ns", show_default=True, help="What VALUE is."
)


@click.group()
def parked() -> None:
    """Show and change which name servers, aliases and addresses are those of parking services."""


@parked.command("list")
@click.option("--own", is_flag=True, help="Only what was found here or set by hand.")
@click.option("--used", is_flag=True, help="Only what turned hosts away here.")
@as_json
@click.pass_obj
def list_(obj: str, own: bool, used: bool, as_json: bool) -> None:
    """Show the list: verdict, evidence, who says so, and how many hosts it turned away."""
    with opened(obj) as archive:
        lines = [
            one
            for one in archive.parked()
            if (not own or one.source != "bundled") and (not used or one.hosts)
        ]
    if as_json:
        print_json({"entries": lines, "hosts": sum(one.hosts for one in lines)})
        return
    for one in lines:
        click.echo(_told(one))
    turned = sum(one.hosts for one in lines)
    click.echo(f"{len(lines):,} entries; {turned:,} hosts are not visited because of them", err=True)


def _told(one: "Line") -> str:
    who = one.source if one.origin in ("hand", "survey") else f"{one.source} ({one.origin})"
    hosts = f"  {one.hosts:,} hosts" if one.hosts else ""
    why = f"  {one.why}" if one.why else ""
    return f"{one.state:8} {one.kind:8} {one.value:32} {who}{hosts}{why}"


@parked.command()
@click.argument("value", required=False)
@kind_option
@click.option(
    "--state",
    type=click.Choice(STATES),
    default="parking",
    show_default=True,
    help="parking: not visited; shared: only with a second sign; regular: always visited.",
)
@click.option("--why", default="", help="A note for whoever reads the list later.")
@click.option(
    "--file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Take a whole list that `parked export` wrote, instead of one VALUE.",
)
@as_json
@click.pass_obj
def add(obj: str, /, value: str | None, **given: Any) -> None:
    """Put VALUE on the list by hand: a name server, an alias, or an address or network."""
    if (value is None) == (given["file"] is None):
        raise UsageError("give one VALUE, for example `parked add parkingcrew.net`, or --file LIST")
    with opened(obj) as archive:
        if value is None:
            taken, free = archive.park_list(read_text(given["file"])), 0
        else:
            free = archive.park(given["kind"], value, state=given["state"], why=given["why"])
            taken = 1
    _print_change(taken, free, json=given["as_json"])


@parked.command()
@click.argument("value")
@kind_option
@as_json
@click.pass_obj
def remove(obj: str, value: str, kind: str, as_json: bool) -> None:
    """Take VALUE off the list by hand: names that lead there are visited, whatever is found later."""
    with opened(obj) as archive:
        free = archive.unpark(kind, value)
    _print_change(1, free, json=as_json)


def _print_change(taken: int, free: int, *, json: bool) -> None:
    if json:
        print_json({"entries": taken, "let_in": free})
    else:
        click.echo(f"{taken:,} entries changed; the next crawl visits {free:,} hosts that were turned away")


@parked.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.pass_obj
def export(obj: str, file: str) -> None:
    """Write the whole list to FILE (- for stdout) as JSON, an entry a line."""
    with opened(obj) as archive:
        text = archive.parking_list()
    if file == "-":
        click.echo(text, nl=False)
    else:
        write_text(Path(file), text)


@parked.command("re-evaluate")
@click.option(
    "--sample",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    help="Hosts that the next crawl looks at all the same, of those each entry turned away.",
)
@click.option("--offline", is_flag=True, help="Ask no name server.")
@as_json
@click.pass_obj
def re_evaluate(obj: str, sample: int, offline: bool, as_json: bool) -> None:
    """Judge name servers and redirects by all pages stored, imported ones too, so that errors heal."""
    with opened(obj) as archive:
        found = archive.re_evaluate(sample=sample, offline=offline)
    if as_json:
        print_json(found)
    else:
        _print_evaluated(found)


def _print_evaluated(found: "Evaluated") -> None:
    parking, moving = found.parking, found.redirects
    click.echo(
        f"{found.asked:,} domains asked for, {parking.read:,} home pages read, {parking.roots:,} servers, "
        f"aliases and addresses judged"
    )
    for one in parking.listed:
        click.echo(f"{one.state:8} {one.kind:8} {one.value:32} {one.why}")
    for farm in moving.farms:
        click.echo(f"{'spam':8} {'redirect':8} {farm.domain:32} {'; '.join(farm.reasons)}")
    click.echo(
        f"{parking.let_in:,} hosts are let in again; "
        f"the next crawl looks at {len(found.sample):,} others as a sample"
    )


@click.group()
def redirects() -> None:
    """Show who sends readers on, and which sites live on it."""


@redirects.command("list")
@as_json
@click.pass_obj
def list_farms(obj: str, as_json: bool) -> None:
    """Show the sites that live on redirects, with the evidence; they are not visited any more."""
    with opened(obj) as archive:
        farms = archive.redirect_farms()
    if as_json:
        print_json([one._asdict() for one in farms])
        return
    for one in farms:
        click.echo(f"{one.domain}: {'; '.join(one.reasons)}")
    click.echo(f"{len(farms):,} sites live on redirects", err=True)
