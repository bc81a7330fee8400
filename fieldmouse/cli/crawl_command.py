"""The command `crawl`."""

from typing import Any

import click

from .common import json_option, open_archive, overrides, quiet_option, read_seeds, set_option

# Options that set a setting.
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
    "--level-limit",
    type=int,
    help="Sets focus.level_limit: abandon a path after this many pages in a row off topic.",
)
@click.option("--everywhere", is_flag=True, help="Follow links to any domain, not only those of the seeds.")
@click.option("--again", is_flag=True, help="Visit every page of the archive again, conditionally.")
@quiet_option
@set_option
@json_option
@click.pass_obj
def crawl(obj: str, /, seeds: tuple[str, ...], files: tuple[str, ...], **options: Any) -> int:
    """Crawl from seeds, and continue with pending pages.

    The first Ctrl-C finishes the active requests and commits; a second one stops at once. In both cases, and
    after a power failure, the same command continues.
    """
    from fieldmouse.service import crawl_run

    from .terminal import print_result, run_with_progress

    chosen = overrides(options["sets"], {name: options[option] for option, name in SETTINGS.items()})
    if options["everywhere"]:
        chosen["scope.allow"] = ()
    with open_archive(obj, chosen) as archive:
        result = run_with_progress(
            archive,
            crawl_run.crawl,
            seeds=[*seeds, *(url for file in files for url in read_seeds(file))],
            again=options["again"],
            quiet=options["quiet"],
        )
        return print_result(archive, result, as_json=options["as_json"])
