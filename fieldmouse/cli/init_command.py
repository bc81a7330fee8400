"""The command `init`."""

from pathlib import Path

import click

from .common import overrides, set_option


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--contact", help="Web page or e-mail address where site owners can reach you.")
@set_option
@click.pass_obj
def init(obj: str, folder: str | None, contact: str | None, sets: tuple[str, ...]) -> None:
    """Create an archive in FOLDER, with a commented fieldmouse.toml."""
    from fieldmouse import library
    from fieldmouse.store import SETTINGS_FILE

    where = Path(folder or obj)
    library.create(where, **overrides(sets, {"crawl.contact": contact})).close()
    click.echo(f"created an archive in {where}")
    click.echo(f"next: edit {where / SETTINGS_FILE}, then fieldmouse -C {where} crawl https://example.org/")
