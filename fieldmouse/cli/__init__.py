"""The command line; a module holds the commands of one subject, and imports heavy modules when one runs."""

import re
import signal
import sys
import threading

import click

from fieldmouse.errors import FieldmouseError
from fieldmouse.exits import Exit
from fieldmouse.version import VERSION

from .archive_commands import (
    check,
    completion,
    rebuild,
    robots,
    status,
    version,
    why,
)
from .behaviour_commands import evaluate_behaviour, train_behaviour_
from .change_commands import changes, notify
from .clean_commands import clean, compact, copies, parked, redirects, sweep, templates
from .cluster_commands import cluster, move, worker
from .common import echo, visible
from .crawl_commands import crawl, init, refresh, run
from .demo_command import demo
from .export_commands import export
from .forget_command import forget
from .import_commands import import_
from .label_commands import label
from .query_commands import query, search
from .refresh_commands import noise, replay, train, weight
from .report_commands import report
from .serve_commands import serve, submissions, token
from .spam_commands import comment_spam, content_spam
from .topic_commands import classify, evaluate, topic

# Exit code for wrong usage; click's own is 2.
USAGE = 4

_HALF = re.compile("[\ud800-\udfff]")


def _set_folder(context: click.Context, _: click.Parameter, folder: str | None) -> None:
    context.obj = folder or context.obj


def _set_verbosity(_: click.Context, __: click.Parameter, verbose: int) -> None:
    """Write log lines of that level to stderr; nothing in them can control the terminal."""
    import logging

    class VisibleFormatter(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return visible(super().format(record))

    if verbose or not logging.root.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(VisibleFormatter("%(asctime)s %(levelname)s %(message)s"))
        levels = (logging.ERROR, logging.INFO, logging.DEBUG)
        logging.basicConfig(level=levels[min(verbose, 2)], handlers=[handler], force=True)


def _accept_global_options(command: click.Command) -> None:
    """Accept -C and -v after the name of a command too."""
    command.params += [
        click.Option(["-C", "folder_"], hidden=True, expose_value=False, callback=_set_folder),
        click.Option(["-v"], hidden=True, expose_value=False, count=True, callback=_set_verbosity),
    ]
    for one in getattr(command, "commands", {}).values():
        _accept_global_options(one)


class GroupedCommands(click.Group):
    """Lists the commands in groups, by purpose."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """See `click.Group`."""
        for title, commands in GROUPS.items():
            with formatter.section(title):
                formatter.write_dl([(str(one.name), one.get_short_help_str(200)) for one in commands])


@click.group(
    cls=GroupedCommands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110}
)
@click.version_option(VERSION, prog_name="fieldmouse")
@click.option(
    "-C", "folder", type=click.Path(file_okay=False), default=".", metavar="DIR", envvar="FIELDMOUSE_DIR",
    help="Folder of the archive; default: the current folder.",
)  # fmt: skip
@click.option(
    "-v", "--verbose", count=True, expose_value=False, callback=_set_verbosity,
    help="Log hosts and decisions on stderr; -vv logs everything.",
)  # fmt: skip
@click.pass_context
def cli(context: click.Context, folder: str) -> None:
    """Keep a fresh, clean, on-topic copy of the part of the Web you care about.

    \b
    fieldmouse demo                           see the whole pipeline in one minute
    fieldmouse init market                    create an archive
    fieldmouse -C market crawl https://...    crawl; the same command resumes
    fieldmouse -C market status               show what is in it
    """  # noqa: D301  the backspace is click's sign for "do not wrap"
    context.obj = folder


GROUPS: dict[str, tuple[click.Command, ...]] = {
    "Crawl and refresh": (demo, init, crawl, refresh, run, weight, noise),
    "Several machines": (worker, cluster, move, sweep),
    "Serve": (serve, notify, token, submissions),
    "Look": (status, changes, why, report, search, query, check, rebuild, robots),
    "Focus on a topic": (topic, classify, evaluate),
    "Label with your own classes": (label,),
    "Clean": (clean, templates, copies, parked, redirects),
    "Import and export": (import_, export, compact, forget),
    "Measure": (replay, train),
    "This program": (version, completion),
}
train.add_command(comment_spam)
train.add_command(content_spam)
train.add_command(train_behaviour_)
evaluate.add_command(evaluate_behaviour)
for command in (one for commands in GROUPS.values() for one in commands):
    _accept_global_options(command)
    cli.add_command(command)


def main() -> None:
    """Run a command; an expected error ends with its own exit code and one line on stderr."""
    for one in (signal.SIGTERM, signal.SIGHUP):  # they stop like Ctrl-C; commands that drain handle all three
        if signal.getsignal(one) is signal.SIG_DFL and threading.current_thread() is threading.main_thread():
            signal.signal(one, signal.default_int_handler)
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.Abort as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            echo("stopped; what was committed before is safe", err=True)
            sys.exit(int(Exit.STOPPED))
        echo("stopped", err=True)
        sys.exit(int(Exit.FORCED))
    except click.ClickException as error:
        error.show()
        sys.exit(USAGE)
    except FieldmouseError as error:
        echo(f"fieldmouse: {error}", err=True, colour="red")
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)
    except OSError as error:  # a file or folder of the user that cannot be used
        echo(
            f"fieldmouse: {error.filename or 'input/output'}: {error.strerror or error}",
            err=True,
            colour="red",
        )
        sys.exit(FieldmouseError.exit_code)
    except (UnicodeEncodeError, OverflowError) as error:
        # What no table and no request can hold; the halves of a character are bytes that are not UTF-8.
        if isinstance(error, UnicodeEncodeError) and not any(map(_HALF.search, sys.argv)):
            raise
        what = "number is too large" if isinstance(error, OverflowError) else "text is not UTF-8"
        echo(f"fieldmouse: an argument cannot be used: the {what}", err=True, colour="red")
        sys.exit(USAGE)
    sys.exit(int(code or 0))
