"""The command `run`."""

import click

from .common import budget_option, json_option, open_archive, overrides, quiet_option, set_option


@click.command()
@click.argument("seeds", nargs=-1, metavar="[URL]...")
@budget_option
@quiet_option
@set_option
@json_option
@click.pass_obj
def run(
    obj: str,
    /,
    seeds: tuple[str, ...],
    budget: float | None,
    *,
    quiet: bool,
    sets: tuple[str, ...],
    as_json: bool,
) -> int:
    """Keep the archive fresh until stopped.

    Refresh and discovery share one daily budget. The first Ctrl-C or SIGTERM finishes the active requests and
    commits. A restart continues, and counts what was already spent of the day's budget.
    """
    from fieldmouse.service import daemon

    from .terminal import print_result, run_with_progress

    with open_archive(obj, overrides(sets, {"refresh.budget": budget})) as archive:
        result = run_with_progress(archive, daemon.keep, seeds=seeds, quiet=quiet)
        return print_result(archive, result, as_json=as_json)
