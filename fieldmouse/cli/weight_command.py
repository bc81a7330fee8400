"""The command `weight`."""

import csv
import math
import re
from pathlib import Path

import click

from fieldmouse.errors import UsageError

from .common import EXISTING_FILE, json_option, open_archive, print_json, read_text


class WeightCommand(click.Command):
    """Reports a negative number as a wrong weight; click would take it for an option."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        for one in args:
            if re.fullmatch(r"-(\d*\.?\d+(e[+-]?\d+)?|inf)", one, re.IGNORECASE):
                raise UsageError(f"a weight must be 0 or more, not {one}")
        return super().parse_args(ctx, args)


@click.command(cls=WeightCommand)
@click.argument("url", required=False)
@click.argument("value", required=False, type=float)
@click.option(
    "--file", "table", type=EXISTING_FILE,
    help="CSV file with lines of URL,WEIGHT; a header line url,weight is skipped.",
)  # fmt: skip
@json_option
@click.pass_obj
def weight(obj: str, url: str | None, value: float | None, table: Path | None, as_json: bool) -> None:
    """Set how much the freshness of URL counts.

    The default is 1; 10 counts as ten pages; with 0 a page is not fetched again.
    """
    if table is not None and url is None:
        weights = _read_weights(table)
    elif table is None and url is not None and value is not None:
        weights = {url: value}
    else:
        raise UsageError("give URL and VALUE, or --file with lines of URL,WEIGHT")
    with open_archive(obj) as archive:
        archive.weigh(weights)
    if as_json:
        print_json({"weights": weights})
    elif not weights:
        click.echo(f"{table} has no pages; no weight was changed")
    else:
        pages = "1 page" if len(weights) == 1 else f"{len(weights)} pages"
        click.echo(f"weight of {pages} set; used from the next plan on")


def _read_weights(file: Path) -> dict[str, float]:
    """Weights by URL; an error names the line."""
    found: dict[str, float] = {}
    for number, row in enumerate(csv.reader(read_text(file).splitlines()), 1):
        if not row or (number == 1 and row[:2] == ["url", "weight"]):
            continue
        try:
            url, text = row
            weight = found[url.strip()] = float(text)
        except ValueError:
            raise UsageError(f"{file}, line {number}: not URL,WEIGHT: {','.join(row)[:80]!r}") from None
        if not 0.0 <= weight < math.inf:
            raise UsageError(f"{file}, line {number}: a weight must be 0 or more, not {weight}")
    return found
