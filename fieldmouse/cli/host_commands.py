"""The commands on hosts: `hosts list`, `hosts pause` and `hosts resume`."""

import time
from typing import TYPE_CHECKING

import click

from .common import ListByDefault, archive_options, echo, open_archive, print_json, when

if TYPE_CHECKING:
    from fieldmouse.store.dashboard_contract import HostSummary


@click.group(cls=ListByDefault)
def hosts() -> None:
    """List hosts, pause them and resume them."""


@hosts.command("list")
@click.option(
    "--order", type=click.Choice(["pages", "changes"]), default="pages", help="What they have most of."
)
@click.option("--paused", is_flag=True, help="Only those that are paused.")
@click.option("--failing", is_flag=True, help="Only those with stored pages that do not answer any more.")
@click.option("--limit", type=click.IntRange(1), default=50, help="How many at most.")
@archive_options
def list_(obj: str, *, order: str, paused: bool, failing: bool, limit: int, as_json: bool) -> None:
    """List the hosts that were visited, with their pages, changes and state."""
    now = time.time()
    with open_archive(obj) as archive:
        rows = archive.reader.dashboard
        if paused:
            found = rows.paused_hosts(0, limit)
        elif failing:
            found = rows.failing_hosts(now, limit)
        else:
            found = rows.hosts("stored" if order == "pages" else order, None, limit)
    if as_json:
        print_json([one._asdict() for one in found])
        return
    if not found:
        echo("no host is paused" if paused else "no host fails" if failing else "no host was visited yet")
        return
    echo("   pages  changes   failed  host")
    for one in found:
        echo(f"{one.stored:8,} {one.changes:8,} {one.failures:8,}  {one.name}: {_state(one, now)}")


def _state(host: "HostSummary", now: float) -> str:
    if host.paused_at is not None:
        return f"paused since {when(host.paused_at, now)}"
    if host.failing is not None:
        return f"failing since {when(host.failing, now)} ({host.trouble})"
    return host.state.replace("_", " ")


@hosts.command(short_help="Do not visit HOST until it is resumed.")
@click.argument("names", metavar="HOST...", nargs=-1, required=True)
@archive_options
def pause(obj: str, names: tuple[str, ...], as_json: bool) -> None:
    """Do not visit HOST until it is resumed.

    A crawl that runs gives it back with its next commit, within seconds. What is stored stays, links to it
    are still noted, and its pages are due when it is resumed.
    """
    with open_archive(obj) as archive:
        done = [archive.pause(one) for one in names]
    if as_json:
        print_json({"paused": done})
    else:
        echo(f"paused: {', '.join(done)}; `fieldmouse hosts resume` lets them be visited again")


@hosts.command(short_help="Let HOST be visited again.")
@click.argument("names", metavar="HOST...", nargs=-1, required=True)
@archive_options
def resume(obj: str, names: tuple[str, ...], as_json: bool) -> None:
    """Let HOST be visited again."""
    with open_archive(obj) as archive:
        done = [archive.pause(one, resume=True) for one in names]
    if as_json:
        print_json({"resumed": done})
    else:
        echo(f"resumed: {', '.join(done)}")
