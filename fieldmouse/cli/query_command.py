"""The command `query`."""

import click

from .common import json_option, open_archive, print_json


@click.command()
@click.argument("sql")
@json_option
@click.pass_obj
def query(obj: str, sql: str, as_json: bool) -> None:
    """Query the database in SQL, read-only. Rows are printed as tab-separated lines."""
    with open_archive(obj) as archive:
        names, rows = archive.query(sql)
        if as_json:
            print_json([dict(zip(names, row, strict=True)) for row in rows])
            return
        click.echo("\t".join(names))
        for row in rows:
            click.echo("\t".join("" if value is None else str(value) for value in row))
