"""The command `check`."""

import click

from fieldmouse.errors import ArchiveDamaged

from .common import json_option, open_archive, print_json


@click.command()
@json_option
@click.pass_obj
def check(obj: str, as_json: bool) -> int:
    """Read every record of the archive and report damage."""
    with open_archive(obj) as archive:
        done = archive.check()
    if as_json:
        print_json(done)
    else:
        click.echo(f"{done.pages:,} pages, {done.versions:,} versions, {done.records:,} WARC records read")
        for leftover in done.leftovers:
            click.echo(f"left by a crash, removed by the next crawl: {leftover}", err=True)
        for problem in done.problems:
            click.echo(problem, err=True)
        click.echo(f"{len(done.problems)} problems" if done.problems else "no problems found")
    return ArchiveDamaged.exit_code if done.problems else 0
