"""The command `redirects`."""

import click

from .common import json_option, open_archive, print_json


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
