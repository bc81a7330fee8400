"""Commands that keep an archive fresh: refresh, run, weight."""

import csv
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from fieldmouse.errors import UsageError

from .common import as_json, opened, overrides, print_json, read_text, set_options


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
    from fieldmouse.service import daemon

    from .crawling import follow

    chosen = overrides(options["sets"])
    if budget is not None:
        chosen["refresh.budget"] = budget
    archive = opened(obj, chosen)
    archive.close()
    return follow(
        archive,
        lambda order, hooks: daemon.refresh(order, hooks, pages),
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
    from fieldmouse.service import daemon

    from .crawling import follow

    chosen = overrides(options["sets"])
    if budget is not None:
        chosen["refresh.budget"] = budget
    archive = opened(obj, chosen)
    archive.close()
    return follow(archive, daemon.keep, seeds=seeds, quiet=quiet, machine=options["as_json"])


class Weight(click.Command):
    """Knows a number below 0 when it sees one: without that it would be taken for an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for one in args:
            if re.fullmatch(r"-(\d*\.?\d+(e[+-]?\d+)?|inf)", one, re.IGNORECASE):
                raise UsageError(f"a weight is a number from 0 upwards, not {one}")
        return super().parse_args(ctx, args)


@click.command(cls=Weight)
@click.argument("url", required=False)
@click.argument("value", required=False, type=float)
@click.option(
    "--file", "table", type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="A CSV file with lines of URL,WEIGHT; a first line url,weight is skipped.",
)  # fmt: skip
@as_json
@click.pass_obj
def weight(obj: str, url: str | None, value: float | None, table: Path | None, as_json: bool) -> None:
    """Say how much the freshness of URL is worth: 1 is usual, 10 is worth ten pages, 0 is worth no fetch."""
    if (table is None) == (url is None or value is None):
        raise UsageError("give URL and VALUE, or --file with lines of URL,WEIGHT")
    if table is None:
        assert url is not None
        assert value is not None
        weights = {url: value}
    else:
        weights = _weights(read_text(table).splitlines(), str(table))
    with opened(obj) as archive:
        archive.weigh(weights)
    if as_json:
        print_json({"weights": weights})
    elif not weights:
        click.echo(f"{table} names no page; no weight was changed")
    else:
        pages = "1 page" if len(weights) == 1 else f"{len(weights)} pages"
        click.echo(f"{pages} weighed; it counts from the next plan on")


def _weights(lines: Iterable[str], name: str) -> dict[str, float]:
    """Weights by address; a line that is none is named."""
    found: dict[str, float] = {}
    for number, row in enumerate(csv.reader(lines), 1):
        if not row or (number == 1 and row[:2] == ["url", "weight"]):
            continue
        try:
            url, text = row
            weight = found[url.strip()] = float(text)
        except ValueError:
            raise UsageError(f"{name}, line {number}: not URL,WEIGHT: {','.join(row)[:80]!r}") from None
        if not 0.0 <= weight < math.inf:
            raise UsageError(f"{name}, line {number}: a weight is a number from 0 upwards, not {weight}")
    return found
