"""The command `refresh`."""

import click

from .common import budget_option, json_option, open_archive, overrides, quiet_option, set_option


@click.command()
@click.option(
    "--pages",
    type=click.IntRange(min=0),
    default=0,
    help="Visit at most this many pages, regardless of the daily budget.",
)
@budget_option
@quiet_option
@set_option
@json_option
@click.pass_obj
def refresh(
    obj: str, /, pages: int, budget: float | None, *, quiet: bool, sets: tuple[str, ...], as_json: bool
) -> int:
    """Visit the pages that are due, within the daily budget."""
    from fieldmouse.service import daemon

    from .terminal import print_result, run_with_progress

    with open_archive(obj, overrides(sets, {"refresh.budget": budget})) as archive:
        result = run_with_progress(
            archive, lambda order, hooks: daemon.refresh(order, hooks, pages), quiet=quiet
        )
        return print_result(archive, result, as_json=as_json)
