"""The command `compact`."""

import click

from .common import json_option, open_archive, overrides, print_json, set_option, size


@click.command()
@set_option
@json_option
@click.pass_obj
def compact(obj: str, sets: tuple[str, ...], as_json: bool) -> None:
    """Replace WARC files by smaller packs.

    Every record can be restored from a pack byte for byte. Other tools cannot read packs; for them,
    `export all.warc.gz` writes a WARC file. It can be stopped and run again at any time; new pages go to a
    new WARC file.
    """
    results = []
    with open_archive(obj, overrides(sets)) as archive:
        for done in archive.compact():
            results.append(done)
            if not as_json:
                saved = 1 - done.after / done.before
                click.echo(f"{done.name}: {size(done.before)} to {size(done.after)}, {saved:.0%} saved")
    if as_json:
        print_json(results)
    elif not results:
        click.echo("there is no WARC file to pack")
