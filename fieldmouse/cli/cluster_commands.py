"""The commands of archives on a server: `worker`, `cluster` and `move`."""

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


@click.command()
@click.option("--name", help="Name of the worker; default: one made of the machine's.")
@click.option(
    "--until-done", is_flag=True, help="End when nothing is left, instead of waiting for new hosts."
)
@quiet_option
@set_option
@archive_options
def worker(obj: str, /, name: str | None, until_done: bool, **options: Any) -> int:
    """Join the crawl of an archive on a server, from this machine.

    It leases hosts from the database and writes its own files to the folder. SIGTERM, Ctrl-C and `cluster
    drain` let it finish its requests, commit and give its hosts back.
    """
    from fieldmouse.service.joined_worker import work
    from fieldmouse.store import check_folder, load_settings

    folder = Path(obj)
    check_folder(folder)
    settings = load_settings(folder, common.overrides(options["sets"], {}))
    line = common.StatusLine(quiet=options["quiet"])

    def show(progress: "Progress") -> None:
        if line.ready():
            line.show(
                f"{progress.visits:,} pages, {progress.hosts_open} hosts open, {progress.failures} errors"
            )

    exit_, progress = work(folder, settings, show, name=name or "", until_done=until_done)
    line.end()
    if options["as_json"]:
        print_json({"exit": int(exit_), "how": exit_.name.lower(), **common.plain(progress)})
    else:
        echo(f"{progress.visits:,} pages visited, {progress.stored:,} stored, {progress.failures:,} errors")
    return int(exit_)


@click.group()
def cluster() -> None:
    """Show and end the workers that joined an archive."""


@cluster.command("status")
@archive_options
def cluster_status(obj: str, /, **options: Any) -> int:
    """List the workers that joined, with their last sign of life."""
    import time

    from fieldmouse.store import open_workers

    registry = open_workers(Path(obj))
    try:
        workers = registry.all(time.time())
    finally:
        registry.close()
    if options["as_json"]:
        print_json([one._asdict() for one in workers])
    elif not workers:
        echo("no worker has joined; start one with `fieldmouse worker`")
    else:
        names = "worker machine pid state seen hosts pages stored errors"
        rows = [tuple(names.split())]
        for one in workers:
            seen = "now" if one.silent < 5 else f"{duration(one.silent)} ago"
            counts = (one.hosts, one.visits, one.stored, one.failures)
            rows.append((one.name, one.machine, str(one.pid), one.state, seen, *(f"{n:,}" for n in counts)))
        widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
        for row in rows:
            echo("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())
    return int(Exit.DONE)


@cluster.command("drain")
@click.argument("name", required=False)
@click.option("--all", "every", is_flag=True, help="Drain all workers.")
@archive_options
def cluster_drain(obj: str, /, name: str | None, every: bool, **options: Any) -> int:
    """Let the worker NAME, or --all, finish its requests and end."""
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

    from fieldmouse.store import move as move_state

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
