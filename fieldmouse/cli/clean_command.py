"""The command `clean`."""

from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from fieldmouse.errors import UsageError

from .common import json_option, open_archive, overrides, print_json, set_option

if TYPE_CHECKING:
    from concurrent.futures import Executor


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
