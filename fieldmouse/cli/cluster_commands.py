"""The commands of archives on a server: `worker`, `cluster` and `move`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.exits import Exit
from fieldmouse.units import duration

from . import common
from .common import archive_options, echo, print_json, quiet_option, set_option

if TYPE_CHECKING:
    from fieldmouse.crawl.progress import Progress
    from fieldmouse.store.records import MovedTable


NO_SERVER = "the workers of a cluster need an archive on PostgreSQL; `move postgresql://...` takes it there"


@click.command()
@click.option("--name", help="Name of the worker, after its region; default: one made of the machine's.")
@click.option("--region", default="", help="Region of the worker: it visits the hosts at home there.")
@click.option("--refresh", is_flag=True, help="Also visit pages that are due, within the daily budget.")
@click.option(
    "--until-done", is_flag=True, help="End when nothing is left, instead of waiting for new hosts."
)
@click.option("--slot", default="", hidden=True)
@click.option("--lifeline", is_flag=True, hidden=True)
@quiet_option
@set_option
@archive_options
def worker(obj: str, /, name: str | None, **options: Any) -> int:
    """Join the crawl of an archive on a server, from this machine.

    It leases hosts from the database and writes its own files to the folder. SIGTERM, Ctrl-C and `cluster
    drain` let it finish its requests, commit and give its hosts back.
    """
    from fieldmouse.service.joined_worker import WorkerOptions, work
    from fieldmouse.store import check_folder, load_settings

    folder = Path(obj)
    check_folder(folder)
    settings = load_settings(folder, common.overrides(options["sets"], {}))
    line = common.StatusLine(quiet=options["quiet"])

    def show(progress: "Progress") -> None:
        if line.ready():
            hosts = f"{progress.hosts_open} host{'' if progress.hosts_open == 1 else 's'}"
            line.show(f"{progress.visits:,} pages, {hosts} open, {progress.failures} errors")

    names = ("region", "slot", "refresh", "until_done", "lifeline")
    chosen = WorkerOptions(name or "", **{one: options[one] for one in names})
    exit_, progress = work(folder, settings, show, chosen)
    line.end()
    if options["as_json"]:
        print_json({"exit": int(exit_), "how": exit_.name.lower(), **common.plain(progress)})
    else:
        echo(f"{progress.visits:,} pages visited, {progress.stored:,} stored, {progress.failures:,} errors")
    return int(exit_)


@click.group()
def cluster() -> None:
    """Start, show and end the workers of an archive on a server."""


@cluster.command("start", short_help="Keep workers running; replace those of a dead machine.")
@click.option(
    "--dask", default="", metavar="ADDRESS",
    help="Place workers on this Dask cluster, tcp://HOST:PORT; by default on this machine.",
)  # fmt: skip
@click.option("--workers", type=click.IntRange(0), help="Number of workers; by default as before.")
@click.option(
    "--region", "regions", multiple=True, metavar="NAME=N",
    help="Number of workers in a region; on Dask, of workers with a resource of that name. Can be repeated.",
)  # fmt: skip
@click.option("--refresh", is_flag=True, help="The workers also visit pages that are due.")
@quiet_option
@click.pass_obj
def cluster_start(
    obj: str, /, *, dask: str, workers: int | None, regions: tuple[str, ...], refresh: bool, quiet: bool
) -> int:
    """Keep workers running until stopped, and place them again when a machine dies.

    `cluster scale` changes their number meanwhile. Ctrl-C or SIGTERM drains them.
    """
    import signal
    import threading

    from fieldmouse.errors import UsageError
    from fieldmouse.service.placement import Placer
    from fieldmouse.service.setup import STOP_SIGNALS
    from fieldmouse.service.worker_hosts import dask_hosts, local_hosts
    from fieldmouse.store import check_folder, open_regions, open_workers
    from fieldmouse.store.engines import server

    folder = Path(obj)
    check_folder(folder)
    if not server(folder):
        raise UsageError(NO_SERVER)
    registry, places, stop = open_workers(folder), open_regions(folder), threading.Event()
    for one in STOP_SIGNALS:
        signal.signal(one, lambda *_: stop.set())
    try:
        if workers is not None:
            places.place("", workers)
        for text in regions:
            name, _, count = text.partition("=")
            if not count.isdigit():
                raise UsageError(f"--region {text!r} must look like NAME=N, for example eu=2")
            places.place(name, int(count))
        hosts = dask_hosts(dask, folder) if dask else local_hosts()
        say = (lambda _: None) if quiet else lambda text: echo(text, err=True)
        with hosts as connect:
            options = ("--refresh",) if refresh else ()
            Placer(folder, (registry, places), connect, options, say).run(stop)
    finally:
        registry.close()
        places.close()
    return int(Exit.STOPPED)


@cluster.command("scale")
@click.argument("workers", type=click.IntRange(0))
@click.option("--region", default="", help="The workers of this region.")
@archive_options
def cluster_scale(obj: str, /, workers: int, region: str, as_json: bool) -> int:
    """Set how many WORKERS `cluster start` keeps running."""
    import time

    from fieldmouse.errors import UsageError
    from fieldmouse.report.wording import count
    from fieldmouse.store import check_folder, open_regions
    from fieldmouse.store.engines import server

    check_folder(Path(obj))
    if not server(Path(obj)):
        raise UsageError(NO_SERVER)
    places = open_regions(Path(obj))
    try:
        places.place(region, workers)
        found = next(one for one in places.placements(time.time()) if one.region == region)
    finally:
        places.close()
    if as_json:
        print_json({"region": region, "workers": workers, "placer": found.placer if found.active else ""})
    else:
        echo(f"{count(workers, 'worker')}{f' in {region}' if region else ''} from now on")
        if not found.active:
            echo("no `cluster start` is running that would place them", err=True)
    return int(Exit.DONE)


@cluster.command("status", short_help="List workers and regions.")
@archive_options
def cluster_status(obj: str, /, **options: Any) -> int:
    """List workers with their last sign of life, regions, and links that cross regions."""
    import time

    from fieldmouse.report.wording import count
    from fieldmouse.store import open_regions, open_workers
    from fieldmouse.store.engines import server

    folder, now = Path(obj), time.time()
    registry, places = open_workers(folder, read_only=True), open_regions(folder, read_only=True)
    try:
        workers = registry.all(now)
        regions, placed = places.all(60.0, now), places.placements(now)
        decisions = places.decisions(5) if regions else []
        division = places.division() if len(regions) > 1 else None
    finally:
        registry.close()
        places.close()
    if options["as_json"]:
        print_json({
            "workers": workers, "regions": regions, "placements": placed, "decisions": decisions,
            "division": division,
        })  # fmt: skip
        return int(Exit.DONE)
    if not workers and not server(folder):
        echo("this archive is in its folder, so no worker can join; `fieldmouse move` moves it to a server")
    elif not workers:
        echo("no worker has joined; start one with `fieldmouse worker`")
    else:
        rows = []
        for one in workers:
            seen = "now" if one.silent < 5 else f"{duration(one.silent)} ago"
            counts = (one.hosts, one.visits, one.stored, one.failures)
            state = "idle" if one.idle and one.state == "running" else one.state
            texts = (one.name, state, seen, duration(one.worked))
            rows.append((*texts, *(f"{n:,}" for n in counts), f"{one.pid} on {one.machine}"))
        heads = "worker state seen worked hosts pages stored errors process"
        _print_columns(tuple(heads.split()), rows, least=8)
    if regions:
        echo()
        rows = [
            (one.name, one.state, duration(one.seconds), str(one.epoch), f"{one.hosts:,}", str(one.workers))
            for one in regions
        ]
        _print_columns(("region", "state", "since", "epoch", "hosts", "workers"), rows)
    for place in placed:
        who = f"placed by {place.placer}" if place.active else "nobody places them"
        where = f" in {place.region}" if place.region else ""
        echo(f"\nwanted{where}: {count(place.workers, 'worker')}; {who}")
    if division is not None and division.links:
        share, plain = division.crossing / division.links, division.hashed / division.links
        size = common.size(division.crossing * division.bytes_per_link)
        echo(
            f"\nlinks between hosts that cross regions: {share:.1%} of {division.links:,}, about {size}; "
            f"{plain:.1%} if hosts were divided by a hash"
        )
    for done in decisions:
        move = f"{done.host}: {done.before} to {done.region}" if done.host else done.before
        echo(f"{common.when(done.time, now)}  {move}  {done.reason}")
    return int(Exit.DONE)


def _print_columns(head: tuple[str, ...], rows: list[tuple[str, ...]], least: int = 0) -> None:
    """Print a table, columns of numbers to the right.

    Columns after the first `least` are left out if the terminal is too narrow for them.
    """
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    room = common.screen_width(sys.stdout)
    while room and 0 < least < len(columns) and sum(widths) + 2 * (len(widths) - 1) > room:
        del columns[-1], widths[-1]
    for n, (column, width) in enumerate(zip(columns, widths, strict=True)):
        number = all(text.replace(",", "").isdigit() for text in column[1:])
        columns[n] = tuple(text.rjust(width) if number else text.ljust(width) for text in column)
    for row in zip(*columns, strict=True):
        echo("  ".join(row).rstrip(), table=True)


@cluster.command("drain")
@click.argument("name", required=False)
@click.option("--all", "every", is_flag=True, help="Drain all workers.")
@archive_options
def cluster_drain(obj: str, /, name: str | None, every: bool, **options: Any) -> int:
    """Let the worker NAME, or --all, finish its requests and end.

    A worker of `cluster start` is not placed again.
    """
    from fieldmouse.errors import UsageError
    from fieldmouse.store import open_workers

    if bool(name) == every:
        raise UsageError("give the name of a worker (`cluster status` lists them), or --all")
    registry = open_workers(Path(obj))
    try:
        count = registry.drain(name or "")
    finally:
        registry.close()
    if name and not count:
        raise UsageError(f"no running worker is called {name}; `cluster status` lists them")
    if options["as_json"]:
        print_json({"draining": count})
    elif not count:
        echo("no worker is running")
    else:
        echo(f"{count} {'worker ends' if count == 1 else 'workers end'} when requests under way are done")
    return int(Exit.DONE)


@click.command()
@click.argument("target")
@quiet_option
@archive_options
def move(obj: str, /, target: str, **options: Any) -> int:
    """Move the state of the archive to TARGET: postgresql://user@server/database, or `sqlite` for a file.

    Every row is copied and compared. The files of the archive stay where they are. Interrupted, the same
    command goes on. Nothing else may write to the archive meanwhile.
    """
    import time

    from fieldmouse.errors import UsageError
    from fieldmouse.store import move as move_state

    if target != "sqlite" and not target.startswith(("postgresql://", "postgres://")):
        raise UsageError(
            f"an archive moves to sqlite or to postgresql://user@server/database, not to {target!r}"
        )
    line = common.StatusLine(quiet=options["quiet"])

    def show(done: "MovedTable") -> None:
        line.show(f"{'comparing' if done.verified else 'copying'} {done.table}: {done.rows:,} rows")

    rows = move_state(Path(obj), "" if target == "sqlite" else target, now=time.time(), report=show)
    line.end()
    if options["as_json"]:
        print_json({"rows": rows, "target": target})
    else:
        echo(f"moved: {rows:,} rows, each compared; the state of the archive is on {target} now")
    return int(Exit.DONE)
