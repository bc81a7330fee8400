"""The commands that make an archive and visit pages: `init`, `crawl`, `refresh` and `run`."""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import json_option, open_archive, overrides, quiet_option, read_seeds, set_option

if TYPE_CHECKING:
    from fieldmouse.service.crawl_run import Hooks, Order, Result

budget_option = click.option("--budget", type=float, help="Sets refresh.budget: fetches a day.")

# Options of `crawl` that set a setting.
SETTINGS = {
    "contact": "crawl.contact",
    "pages": "crawl.max_pages",
    "seconds": "crawl.max_seconds",
    "depth": "frontier.depth",
    "delay": "manners.delay",
    "workers": "crawl.workers",
    "topic": "focus.topic",
    "learner": "focus.learner",
    "level_limit": "focus.level_limit",
}


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


def visit_options(command: Callable[..., int]) -> Callable[..., int]:
    """Options of every command that visits pages."""
    return quiet_option(set_option(json_option(click.pass_obj(command))))


@click.command()
@click.argument("seeds", nargs=-1, metavar="[URL]...")
@click.option(
    "--seeds", "files", multiple=True, type=click.Path(dir_okay=False), metavar="FILE",
    help="File of seeds, one URL a line, # begins a comment; - reads stdin.",
)  # fmt: skip
@click.option("--contact", help="Sets crawl.contact: where site owners can reach you.")
@click.option("--pages", type=int, help="Sets crawl.max_pages: stop after this many page requests.")
@click.option("--seconds", type=float, help="Sets crawl.max_seconds: stop after this many seconds.")
@click.option("--depth", type=int, help="Sets frontier.depth: links followed from a host's entry points.")
@click.option("--delay", type=float, help="Sets manners.delay: seconds between requests to one host.")
@click.option("--workers", type=int, help="Sets crawl.workers: number of worker processes.")
@click.option("--topic", help="Sets focus.topic: crawl for this topic; without seeds, start from its own.")
@click.option("--learner", help="Sets focus.learner: the model that ranks links by topic, for example nb4.")
@click.option(
    "--level-limit", type=int,
    help="Sets focus.level_limit: abandon a path after this many pages in a row off topic.",
)  # fmt: skip
@click.option("--everywhere", is_flag=True, help="Follow links to any domain, not only those of the seeds.")
@click.option("--again", is_flag=True, help="Visit every page of the archive again, conditionally.")
@visit_options
def crawl(obj: str, /, seeds: tuple[str, ...], files: tuple[str, ...], **options: Any) -> int:
    """Crawl from seeds, and continue with pending pages.

    The first Ctrl-C finishes the active requests and commits; a second one stops at once. In both cases, and
    after a power failure, the same command continues.
    """
    from fieldmouse.service import crawl_run

    chosen = {name: options[option] for option, name in SETTINGS.items()}
    if options["everywhere"]:
        chosen["scope.allow"] = ()
    every = [*seeds, *(url for file in files for url in read_seeds(file))]
    return _visit_pages(obj, crawl_run.crawl, chosen, options, every, again=options["again"])


@click.command()
@click.option(
    "--pages", type=click.IntRange(min=0), default=0,
    help="Visit at most this many pages, regardless of the daily budget.",
)  # fmt: skip
@budget_option
@visit_options
def refresh(obj: str, /, pages: int, budget: float | None, **options: Any) -> int:
    """Visit the pages that are due, within the daily budget."""
    from fieldmouse.service import daemon

    def due_pages(order: "Order", hooks: "Hooks") -> "Result":
        return daemon.refresh(order, hooks, pages)

    return _visit_pages(obj, due_pages, {"refresh.budget": budget}, options)


@click.command()
@click.argument("seeds", nargs=-1, metavar="[URL]...")
@budget_option
@visit_options
def run(obj: str, /, seeds: tuple[str, ...], budget: float | None, **options: Any) -> int:
    """Keep the archive fresh until stopped.

    Refresh and discovery share one daily budget. The first Ctrl-C or SIGTERM finishes the active requests and
    commits. A restart continues, and counts what was already spent of the day's budget.
    """
    from fieldmouse.service import daemon

    return _visit_pages(obj, daemon.keep, {"refresh.budget": budget}, options, seeds)


def _visit_pages(
    folder: str,
    work: "Callable[[Order, Hooks], Result]",
    chosen: dict[str, Any],
    options: dict[str, Any],
    seeds: Iterable[str] = (),
    *,
    again: bool = False,
) -> int:
    """Visit pages with progress on stderr, and print the result; return the exit code."""
    from .terminal import print_result, run_with_progress

    with open_archive(folder, overrides(options["sets"], chosen)) as archive:
        result = run_with_progress(archive, work, seeds=seeds, again=again, quiet=options["quiet"])
        return print_result(archive, result, as_json=options["as_json"])
