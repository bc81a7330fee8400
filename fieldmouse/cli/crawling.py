"""Commands that fill an archive: init, crawl, demo."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .common import as_json, opened, overrides, plain, print_json, set_options

if TYPE_CHECKING:
    from fieldmouse.library import Archive
    from fieldmouse.service.crawl_run import Hooks, Order, Result


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("--contact", help="Web page or e-mail address where site owners reach you.")
@set_options
@click.pass_obj
def init(obj: str, folder: str | None, contact: str | None, sets: tuple[str, ...]) -> None:
    """Make an archive in FOLDER, with a commented fieldmouse.toml."""
    from fieldmouse import library
    from fieldmouse.store.sqlite.crawl_store import SETTINGS_FILE

    chosen: dict[str, Any] = overrides(sets)
    if contact is not None:
        chosen["crawl.contact"] = contact
    where = Path(folder or obj)
    library.create(where, **chosen).close()
    click.echo(f"made an archive in {where}")
    click.echo(f"next: edit {where / SETTINGS_FILE}, then fieldmouse -C {where} crawl https://example.org/")


@click.command()
@click.argument("seeds", nargs=-1, metavar="[URL]...")
@click.option(
    "--seeds", "files", multiple=True, type=click.Path(dir_okay=False), metavar="FILE",
    help="File of seeds, one address a line, # begins a comment; - reads stdin.",
)  # fmt: skip
@click.option("--contact", help="Sets crawl.contact: where site owners reach you.")
@click.option("--pages", type=int, help="Sets crawl.max_pages: stop after this many requests for pages.")
@click.option("--seconds", type=float, help="Sets crawl.max_seconds: stop after this long.")
@click.option("--depth", type=int, help="Sets frontier.depth: links followed from a host's entry points.")
@click.option("--delay", type=float, help="Sets manners.delay: seconds between requests to one host.")
@click.option("--workers", type=int, help="Sets crawl.workers: processes that crawl side by side.")
@click.option("--topic", help="Sets focus.topic: keep to this topic; without seeds, begin with its own.")
@click.option("--learner", help="Sets focus.learner: who judges links by the topic, for example nb4.")
@click.option(
    "--level-limit",
    type=int,
    help="Sets focus.level_limit: give a path up after so many pages off the topic.",
)
@click.option("--everywhere", is_flag=True, help="Follow links to any domain, not only those of the seeds.")
@click.option(
    "--again", is_flag=True, help="Visit every page of the archive again; unchanged ones cost little."
)
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@set_options
@as_json
@click.pass_obj
def crawl(obj: str, /, seeds: tuple[str, ...], files: tuple[str, ...], **options: Any) -> int:
    """Crawl from seeds, and go on with whatever waits from before.

    The first Ctrl-C finishes the requests under way and commits; a second one stops at once. Either way, and
    after a power cut too, the same command continues.
    """
    chosen = overrides(options["sets"])
    for option, name in SHORT.items():
        if options[option] is not None:
            chosen[name] = options[option]
    if options["everywhere"]:
        chosen["scope.allow"] = ()
    addresses = [*seeds, *(line for file in files for line in read_lines(file))]
    from fieldmouse.service import crawl_run

    archive = opened(obj, chosen)
    archive.close()
    return follow(
        archive,
        crawl_run.crawl,
        seeds=addresses,
        again=options["again"],
        quiet=options["quiet"],
        machine=options["as_json"],
    )


SHORT = {
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


def follow(
    archive: "Archive",
    work: "Callable[[Order, Hooks], Result]",
    *,
    seeds: Iterable[str] = (),
    again: bool = False,
    quiet: bool,
    machine: bool,
) -> int:
    """Crawl or refresh with progress on stderr and the result on stdout; the exit code."""
    from fieldmouse.service.crawl_run import Hooks, Order

    from .progress import Display, summary

    display = Display(archive.settings, quiet=quiet)
    hooks = Hooks(progress=display.show, started=display.begin, signals=True)
    try:
        result = work(Order(archive.folder, archive.settings, tuple(seeds), again), hooks)
    finally:
        display.end()
    if machine:
        ended = {"exit": int(result.exit), "how": result.exit.name.lower(), "seconds": result.seconds}
        print_json(
            {
                **ended,
                "bad_seeds": result.bad_seeds,
                "repairs": result.repairs,
                **plain(result.progress),
                "harvest": result.progress.harvest,
            }
        )
    else:
        known = sum(one.relevant for one in archive.harvests()) if result.progress.judged else 0
        for line in summary(result, known):
            click.echo(line)
    return int(result.exit)


def read_lines(file: str) -> list[str]:
    """The addresses of a seed file."""
    from fieldmouse.errors import UsageError

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the seed file {file} cannot be read: {error}") from None
    lines = (line.split(" #")[0].strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("#")]


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@as_json
def demo(folder: str | None, quiet: bool, as_json: bool) -> int:
    """Serve a small web on this machine and run the whole pipeline over it, in about a minute.

    The archive is left in FOLDER (demo-archive if not given) to be explored with the other commands.
    """
    from .demonstration import play

    return play(Path(folder or "demo-archive"), quiet=quiet, machine=as_json)
