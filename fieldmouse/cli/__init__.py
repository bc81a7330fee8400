"""The command line; a module holds the commands of one subject, and imports heavy modules when one runs."""

import os
import re
import signal
import sys
import threading
from importlib import import_module
from types import FrameType
from typing import NoReturn

import click

from fieldmouse.errors import FieldmouseError
from fieldmouse.exits import Exit
from fieldmouse.version import VERSION

from .command_list import COMMANDS, INNER, CommandEntry
from .common import echo, visible

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
    """Accept -C and -v after the name of a command too, and list its commands with whole sentences."""
    command.params += [
        click.Option(["-C", "folder_"], hidden=True, expose_value=False, callback=_set_folder),
        click.Option(["-v"], hidden=True, expose_value=False, count=True, callback=_set_verbosity),
    ]
    for one in getattr(command, "commands", {}).values():
        one.short_help = one.get_short_help_str(200)  # lists cut none
        _accept_global_options(one)


class GroupedCommands(click.Group):
    """Lists the commands in groups, by purpose, and imports the module of the one that runs."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """See `click.Group`."""
        return [one.name for entries in COMMANDS.values() for one in entries]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """See `click.Group`."""
        entries = [one for entries in COMMANDS.values() for one in entries if one.name not in self.commands]
        found = [one for one in entries if one.name == cmd_name]
        # For a name that is none all are loaded: click looks for one that is like it.
        for one in found if found or cmd_name in self.commands else entries:
            self.add_command(_loaded(one))
        return super().get_command(ctx, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """See `click.Group`."""
        for title, entries in COMMANDS.items():
            with formatter.section(title):
                formatter.write_dl([(one.name, one.help) for one in entries])


def _loaded(entry: CommandEntry) -> click.Command:
    """Import a command, with those of other modules inside it."""

    def imported(module: str, variable: str) -> click.Command:
        command: click.Command = getattr(import_module(f"{__package__}.{module}"), variable)
        return command

    command = imported(entry.module, entry.variable or entry.name)
    if isinstance(command, click.Group):
        for module, variable in INNER.get(entry.name, ()):
            command.add_command(imported(module, variable))
    _accept_global_options(command)
    return command


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


def _prepare_process() -> threading.Event:
    """Signals that end a program stop it like Ctrl-C; streams that were closed (`>&-`) lead nowhere.

    A file of the archive that is opened later must not become the standard output. The event says that a
    signal came: a function that SQLite calls cannot say so itself.
    """
    stopped = threading.Event()

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.set()
        signal.default_int_handler(number, frame)

    # Matrices are small here: a second thread of numpy spends more time waiting than it saves.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # commands that drain handle them themselves
        usual = signal.getsignal(one) in (signal.SIG_DFL, signal.default_int_handler)
        if usual and threading.current_thread() is threading.main_thread():
            signal.signal(one, stop)
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115  until the program ends
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    return stopped


def _end_stopped() -> NoReturn:
    echo("stopped; what was committed before is safe", err=True)
    sys.exit(int(Exit.STOPPED))


def main() -> None:
    """Run a command; an expected error ends with its own exit code and one line on stderr."""
    stopped, stdout = _prepare_process(), sys.stdout
    try:
        code = cli.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.Abort as error:
        if isinstance(error.__cause__, KeyboardInterrupt):
            _end_stopped()
        echo("stopped", err=True)
        sys.exit(int(Exit.FORCED))
    except click.ClickException as error:
        error.show()
        sys.exit(USAGE)
    except FieldmouseError as error:
        if stopped.is_set():
            _end_stopped()
        echo(f"fieldmouse: {error}", err=True, colour="red")
        sys.exit(error.exit_code)
    except SystemExit:  # click replaces the stream that nobody reads to its end: the reader has enough
        if sys.stdout is stdout:
            raise
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
