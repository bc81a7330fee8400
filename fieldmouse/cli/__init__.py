"""The command line: parse, call, print. Heavy modules are imported by the command that needs them."""

import sys

import click

from fieldmouse.errors import FieldmouseError
from fieldmouse.version import VERSION

from .cleaning import clean, compact, copies, templates
from .crawling import crawl, demo, init
from .evaluating import evaluate
from .keeping import refresh, run, weight
from .looking import check, query, robots, status, version, why
from .moving import export, import_
from .parked import parked, redirects
from .replaying import replay
from .teaching import train
from .topics import classify, topic

# Click's own code for wrong usage is 2; ours is the one documented for every wrong setting and option.
USAGE = 4


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(VERSION, prog_name="fieldmouse")
@click.option(
    "-C",
    "folder",
    type=click.Path(file_okay=False),
    default=".",
    metavar="DIR",
    envvar="FIELDMOUSE_DIR",
    help="The archive's folder; the current one if not given.",
)
@click.option(
    "-v", "--verbose", count=True, help="Say more on stderr about hosts and decisions; -vv says all."
)
@click.pass_context
def cli(context: click.Context, folder: str, verbose: int) -> None:
    """Keep a fresh, clean, on-topic copy of the part of the Web you care about.

    \b
    fieldmouse demo                           the whole story in one minute
    fieldmouse init market                    make an archive
    fieldmouse -C market crawl https://...    crawl; Ctrl-C stops, the same command goes on
    fieldmouse -C market status               what is there
    """  # noqa: D301  the backspace is click's sign for "do not wrap"
    import logging

    context.obj = folder
    levels = (logging.ERROR, logging.INFO, logging.DEBUG)
    logging.basicConfig(level=levels[min(verbose, 2)], format="%(asctime)s %(levelname)s %(message)s")


FILLING = (init, crawl, refresh, run, weight, train)
FOCUSING = (topic, classify, evaluate)
READING = (status, why, query, check, robots, version)
CLEANING = (clean, templates, copies, compact, parked, redirects)
MOVING = (import_, export, replay, demo)
for command in (*FILLING, *FOCUSING, *READING, *CLEANING, *MOVING):
    cli.add_command(command)


def main() -> None:
    """Run a command; what goes wrong on purpose ends with its own exit code and one line on stderr."""
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.Abort:
        click.echo("stopped", err=True)
        sys.exit(13)
    except click.ClickException as error:
        error.show()
        sys.exit(USAGE)
    except FieldmouseError as error:
        click.echo(f"fieldmouse: {error}", err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    sys.exit(int(code or 0))
