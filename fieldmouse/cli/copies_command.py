"""The command `copies`."""

import click

from .common import json_option, open_archive, print_json


@click.command()
@click.option("--most", type=click.IntRange(0), default=10, help="Number of groups shown, largest first.")
@json_option
@click.pass_obj
def copies(obj: str, most: int, as_json: bool) -> None:
    """List pages that are copies, and hosts that mirror each other."""
    from fieldmouse.report.copies import overview

    with open_archive(obj) as archive:
        found = overview(archive.reader, most)
    if as_json:
        print_json(found)
        return
    click.echo(f"{found.copies:,} of {found.pages:,} pages are copies, in {found.groups:,} groups")
    for group in found.largest:
        click.echo(f"{group.size:,}  {group.best}")
        for url in group.others[:3]:
            click.echo(f"{' ' * len(f'{group.size:,}')}  = {url}")
    for mirror in found.mirrors:
        click.echo(f"mirror: {mirror.host} and {mirror.other}, {mirror.pages:,} pages ({mirror.share:.0%})")
    if found.left:
        click.echo(f"{found.left:,} hosts have new content; run `fieldmouse clean`", err=True)
