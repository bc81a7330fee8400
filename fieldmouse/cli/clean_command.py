"""The command `clean`."""

import click

from fieldmouse.errors import UsageError

from .common import json_option, open_archive, overrides, print_json, set_option


@click.command()
@click.argument("hosts", nargs=-1, metavar="[HOST]...")
@click.option("--anew", is_flag=True, help="Rebuild the templates of HOST even if nothing has changed.")
@set_option
@json_option
@click.pass_obj
def clean(obj: str, hosts: tuple[str, ...], anew: bool, sets: tuple[str, ...], as_json: bool) -> None:
    """Find templates and copies on hosts with new content.

    A crawl does this when a host is complete. Use the command after an import, with templates.automatic off,
    or after an interrupted crawl. Only new content is read. It can be stopped at any time, and run while a
    crawl is running.
    """
    if anew and not hosts:
        raise UsageError("--anew needs at least one HOST")
    results = []
    with open_archive(obj, overrides(sets)) as archive:
        for name in hosts or ("",):
            for done in archive.clean(name, anew=anew):
                results.append(done)
                if not as_json:
                    made = f", {done.templates} templates ({done.reason})" if done.reason else ""
                    click.echo(f"{done.host}: {done.pages:,} pages read{made} {done.trouble}".rstrip())
    if as_json:
        print_json(results)
    elif not results:
        click.echo("no new content")
