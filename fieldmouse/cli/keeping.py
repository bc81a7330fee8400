"""Commands that keep an archive fresh: refresh, run."""

from typing import Any

import click

from .common import as_json, opened, overrides, set_options


@click.command()
@click.option(
    "--pages",
    type=click.IntRange(min=0),
    default=0,
    help="At most this many pages now, whatever the day's budget.",
)
@click.option("--budget", type=float, help="Sets refresh.budget: fetches a day.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@set_options
@as_json
@click.pass_obj
def refresh(obj: str, /, pages: int, *, budget: float | None, quiet: bool, **options: Any) -> int:
    """Look again at the pages that are due now, as far as the day's budget goes."""
    from fieldmouse.crawl import keep

    from .crawling import follow

    chosen = overrides(options["sets"])
    if budget is not None:
        chosen["refresh.budget"] = budget
    archive = opened(obj, chosen)
    archive.close()
    return follow(
        archive,
        lambda order, hooks: keep.refresh(order, hooks, pages),
        quiet=quiet,
        machine=options["as_json"],
    )


@click.command()
@click.argument("seeds", nargs=-1, metavar="[URL]...")
@click.option("--budget", type=float, help="Sets refresh.budget: fetches a day.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@set_options
@as_json
@click.pass_obj
def run(obj: str, /, seeds: tuple[str, ...], *, budget: float | None, quiet: bool, **options: Any) -> int:
    """Keep the archive fresh until stopped: refreshing and discovery share one daily budget.

    The first Ctrl-C or SIGTERM finishes the requests under way and commits. A restart goes on where it was:
    what was spent of the day's budget is remembered.
    """
    from fieldmouse.crawl import keep

    from .crawling import follow

    chosen = overrides(options["sets"])
    if budget is not None:
        chosen["refresh.budget"] = budget
    archive = opened(obj, chosen)
    archive.close()
    return follow(archive, keep.keep, seeds=seeds, quiet=quiet, machine=options["as_json"])
