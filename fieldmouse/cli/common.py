"""Shared by the commands: options, opening the archive, output as text and as JSON."""

import codecs
import dataclasses
import difflib
import json
import math
import os
import re
import sys
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from fieldmouse.errors import ArchiveError, DiskFull, UsageError
from fieldmouse.units import duration, moment_of

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from fieldmouse.library import Archive
    from fieldmouse.store.contract import StoreReader
    from fieldmouse.store.page_records import PageFilter

EXISTING_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
NEW_FILE = click.Path(dir_okay=False, path_type=Path)

EMPTY = "the archive has no pages yet; `fieldmouse crawl https://example.org/` or `import` fills it"

# The width of a terminal that does not say it.
COLUMNS = 80

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Do not show progress.")
set_option = click.option(
    "-s",
    "--set",
    "sets",
    multiple=True,
    metavar="SECTION.NAME=VALUE",
    help="Change a setting for this run, for example -s manners.delay=2. Can be given several times.",
)


class Moment(click.ParamType[float]):
    """A time: a date, a date with a time, today, yesterday, or an age such as 7d or 12h."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds since the epoch."""
        try:
            return moment_of(value, time.time())
        except ValueError as error:
            self.fail(str(error), param, ctx)


def filter_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Options for the fields of `PageFilter`."""
    for option in reversed(
        (
            click.option("--host", default="", help="Only the pages of this host."),
            click.option("--domain", default="", help="Only the pages of this registrable domain."),
            click.option("--language", default="", help="Only pages in this language; en also means en-GB."),
            click.option("--topic", default="", help="Only pages on this topic."),
            click.option("--class", "in_class", default="", help="Only pages of this class."),
            click.option("--since", type=Moment(), default=0.0, help="Only pages first seen since then."),
            click.option(
                "--changed-since", type=Moment(), default=0.0, help="Only pages changed since then."
            ),
            click.option("--no-copies", is_flag=True, help="Leave out pages that are copies of another."),
            click.option(
                "--include-spam",
                "spam",
                is_flag=True,
                help="Also pages of parked and redirect-spam hosts, and pages scored as spam.",
            ),
        )
    ):
        command = option(command)
    return command


def chosen_filter(options: dict[str, Any], **more: bool) -> "PageFilter":
    """The filter that these options say; they are removed from the options."""
    from fieldmouse.store.page_records import PageFilter

    names = ("host", "domain", "language", "topic", "in_class", "since", "changed_since", "spam")
    given: dict[str, Any] = {name: options.pop(name) for name in names}
    given |= {"copies": not options.pop("no_copies"), **more}
    return PageFilter(**given)


def refuse_unknown(reader: "StoreReader", where: "PageFilter") -> None:
    """Refuse a host, topic or class that the archive does not know: misspelt, it would choose no page."""
    if where.host and reader.host(where.host) is None:
        raise UsageError(f"there is no host {where.host} in the archive; `hosts list` has the names")
    if where.topic and where.topic not in (topics := reader.dashboard.topics()):
        from fieldmouse.crawl.guide_setup import topic_file

        if not topic_file(reader.folder, where.topic).is_file():
            raise UsageError(f"no page was judged for a topic {where.topic!r}{_others(where.topic, topics)}")
    if where.in_class and where.in_class not in (names := reader.labels.class_names()):
        raise UsageError(f"no page is of a class {where.in_class!r}{_others(where.in_class, names)}")


def _others(name: str, known: Sequence[str]) -> str:
    if near := difflib.get_close_matches(name, known, 1):
        return f"; did you mean {near[0]!r}?"
    return f"; there are {', '.join(known[:20])}" if known else "; there are none in this archive"


class ListByDefault(click.Group):
    """A group whose command `list` runs if none is named."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """See `click.Group`."""
        unnamed = not args or (args[0].startswith("--") and args[0] not in ctx.help_option_names)
        if ctx.resilient_parsing:  # a shell completes the words before the next one, which may be a name
            unnamed = False
        return super().parse_args(ctx, ["list", *args] if unnamed else args)


def archive_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The folder of the archive as the first argument of a command, and --json."""
    return json_option(click.pass_obj(command))


def executor_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """--jobs and --executor, of commands that can read with several processes."""
    for option in (
        click.option("--jobs", type=click.IntRange(0), help="Processes that read; 0: one a processor."),
        click.option(
            "--executor", default="", metavar="NAME",
            help="Where they run: processes (of this machine), dask, or dask=tcp://HOST:PORT.",
        ),
    )[::-1]:  # fmt: skip
        command = option(command)
    return command


def opened_executor(
    folder: str, executor: str, jobs: int | None
) -> "AbstractContextManager[Executor | None]":
    """The executor that these options say; None for this process."""
    if not executor and jobs in (None, 1):
        from contextlib import nullcontext

        return nullcontext()
    from fieldmouse.jobs.executors import opened_executor as opened

    return opened(executor or "processes", jobs or 0, Path(folder))


def overrides(sets: tuple[str, ...], options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Settings from --set, and from options (by the name of their setting) that were given."""
    from fieldmouse.settings import parsed

    chosen = {}
    for one in sets:
        name, equals, text = one.partition("=")
        if not equals or "." not in name:
            raise UsageError(f"--set {one!r} must look like section.name=value, for example manners.delay=2")
        chosen[name] = parsed(name, text)
    return chosen | {name: value for name, value in (options or {}).items() if value is not None}


def open_archive(folder: str, chosen: Mapping[str, Any] | None = None) -> "Archive":
    """Open the archive of this command, with settings changed for this run."""
    from fieldmouse import library

    return library.open(Path(folder), **(chosen or {}))


def read_text(file: str | Path) -> str:
    """The text of a UTF-8 file; - reads stdin."""
    try:
        return sys.stdin.read() if str(file) == "-" else Path(file).read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{file} is not UTF-8 text (byte {error.start}); save it as UTF-8") from None


def read_seeds(file: str | Path) -> list[str]:
    """The URLs of a seed file: one a line, # begins a comment."""
    lines = (line.split(" #")[0].strip() for line in read_text(file).splitlines())
    return [line for line in lines if line and not line.startswith("#")]


def write_text(file: Path, text: str) -> None:
    """Write a text file, which is there only when it is whole.

    - writes to stdout, without characters that a terminal obeys.
    """
    if str(file) == "-":
        if text.startswith("<"):  # of XML, which has escapes of its own
            text = _CONTROL.sub(lambda found: f"&#{ord(found[0])};", text)
        echo(_json_visible(text) if text.startswith("{") else text, nl=False)
        return
    write_chunks(file, "text", [text.encode()])


def plain(value: Any) -> Any:
    """A value in the types of JSON."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, float) and not math.isfinite(value):
        return None  # JSON has no word for it
    return value


# Characters that a terminal obeys instead of showing them: controls, and what changes the line or the writing
# direction; and halves of a character, which cannot be written.
_CONTROL = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    """A text with visible escapes for characters that a terminal obeys, except line feeds and tabs."""
    return _CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def echo(
    text: object = "", *, err: bool = False, nl: bool = True, colour: str = "", table: bool = False
) -> None:
    """Print text, which may come from a page, so that it cannot control the terminal.

    On a terminal lines are wrapped between words, but for those of a table and those with an address, which
    is to be copied whole. It is coloured on a terminal only, and never if NO_COLOR is set.
    """
    shown = visible(str(text))
    if not table and nl and (width := screen_width(sys.stderr if err else sys.stdout)):
        shown = "\n".join(line if "://" in line else _broken(line, width) for line in shown.split("\n"))
    click.echo(styled(shown, err=err, fg=colour) if colour else shown, err=err, nl=nl)


def _broken(line: str, width: int) -> str:
    """A line in several, if it is too wide; all of them are indented like the first."""
    if cells_width(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())][: width // 2]
    return indent + f"\n{indent}".join(cell_lines(line.lstrip(), width - len(indent)))


def styled(shown: str, *, err: bool = False, **style: Any) -> str:
    """A text in this style of `click.style` if it goes to a terminal that wants colours."""
    stream = sys.stderr if err else sys.stdout
    plainly = os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb" or not stream.isatty()
    return shown if plainly else click.style(shown, **style)


def screen_width(stream: IO[str]) -> int:
    """The columns of the terminal that a stream is; 0 for a pipe or a file, whose lines stay whole."""
    return _columns(stream) if stream.isatty() else 0


def _columns(stream: IO[str]) -> int:
    """The columns of a terminal."""
    chosen = os.environ.get("COLUMNS", "")
    if chosen.isdecimal() and int(chosen):
        return int(chosen)
    try:
        return os.get_terminal_size(stream.fileno()).columns or COLUMNS
    except OSError:
        return COLUMNS


def wrapped(text: str, indent: int) -> str:
    """A text whose further lines are indented so that it fits the terminal; addresses are not broken."""
    width = screen_width(sys.stdout)
    if not width or cells_width(text) + indent <= width:
        return text
    return ("\n" + " " * indent).join(cell_lines(text, max(20, width - indent - 1)))


def cell_lines(text: str, width: int) -> Iterator[str]:
    """The lines of a text, each of at most so many cells, but for an address that is longer."""
    line = ""
    for part in re.split(r"(\s+)", text):
        if cells_width(line) + cells_width(part) <= width:
            line += part
            continue
        if line.strip() or part.isspace():
            yield line.rstrip()
            line = ""
        rest = "" if part.isspace() else line + part
        while cells_width(rest) > width and "://" not in rest:  # a long word, or a script without spaces
            most = max(n for n in range(1, width + 1) if cells_width(rest[:n]) <= width)
            yield rest[:most]
            rest = rest[most:]
        line = rest
    if line:
        yield line.rstrip()


def when(then: float, now: float) -> str:
    """A moment in local time, with how long ago it was or how far ahead it is."""
    local = datetime.fromtimestamp(then).astimezone().strftime("%Y-%m-%d %H:%M")
    return f"{local} ({duration(now - then)} ago)" if then <= now else f"{local} (in {duration(then - now)})"


def print_json(value: Any) -> None:
    """Print one JSON document; a character that a terminal obeys is written as an escape of JSON."""
    click.echo(_json_visible(json.dumps(plain(value), ensure_ascii=False, indent=2)))


def _json_visible(text: str) -> str:
    """The same JSON, with escapes for characters that a terminal obeys."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def print_pairs(rows: Sequence[tuple[str, str]], indent: str = "") -> None:
    """Print names and values in two columns."""
    width = max((len(name) for name, _ in rows), default=0)
    for name, value in rows:
        echo(f"{indent}{name.ljust(width)}  {wrapped(value, len(indent) + width + 2)}")


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table: the first column to the left, the others to the right."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for first, *others in (head, *rows):
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        echo("  ".join([first.ljust(widths[0]), *cells]), table=True)


def cells_width(text: str) -> int:
    """How many cells of a terminal a text takes: two for each wide character, none for combining ones."""
    shown = visible(text)
    if shown.isascii():
        return len(shown)
    wide = sum(unicodedata.east_asian_width(one) in "WF" for one in shown)
    return len(shown) + wide - sum(unicodedata.combining(one) > 0 for one in shown)


def fitted(text: str, width: int, *, right: bool = False) -> str:
    """A text in so many cells: cut, or filled up on one side."""
    shown = visible(text)
    if cells_width(shown) > width:
        while cells_width(shown) > width - 1:
            shown = shown[: min(len(shown) - 1, width - 1)]
        shown += "…"
    room = " " * (width - cells_width(shown))
    return room + shown if right else shown + room


def print_chunks(kind: str, chunks: Iterable[bytes]) -> None:
    """Print the bytes of a file.

    No text can control a terminal, also behind a pipe: JSON stays exact, CSV has visible escapes.
    """
    if kind not in ("csv", "json", "jsonl"):
        if sys.stdout.isatty():
            raise UsageError(f"{kind} cannot be shown on a terminal; give a file, or a command after a pipe")
        sys.stdout.buffer.writelines(chunks)
        return
    decode = codecs.getincrementaldecoder("utf-8")("replace").decode
    for chunk in chunks:
        text = decode(chunk)
        text = "\r\n".join(map(visible, text.split("\r\n"))) if kind == "csv" else _json_visible(text)
        click.echo(text.encode(), nl=False)


def write_chunks(file: Path, kind: str, chunks: Iterable[bytes]) -> None:
    """Write a file that is there only when it is whole; - is stdout, and a pipe is written at once."""
    from fieldmouse.files.append_only import replace

    if str(file) == "-":
        print_chunks(kind, chunks)
        return
    if not file.parent.is_dir():
        raise UsageError(f"{file} cannot be written: there is no folder {file.parent}")
    if file.is_dir():
        raise UsageError(f"{file} is a folder; give the name of a file")
    try:
        # A link is followed to its file; a pipe such as /dev/stdout has no other name.
        replace(file.resolve() if file.is_file() or not os.path.exists(file) else file, chunks)  # noqa: PTH110
    except ArchiveError as error:
        if isinstance(error.__cause__, OSError) and not isinstance(error, DiskFull):
            raise UsageError(f"{file} cannot be written: {error.__cause__.strerror}") from None
        raise


class StatusLine:
    """One line of progress on stderr: rewritten on a terminal, written now and then into a log."""

    def __init__(self, *, quiet: bool, pause: tuple[float, float] = (0.25, 10.0)) -> None:
        """`pause` is the least time between two lines on a terminal, and in a log."""
        self.quiet = quiet
        self.terminal = sys.stderr.isatty()
        self.pause = pause[0] if self.terminal else pause[1]
        self.shown = 0.0
        self.width = 0
        if (context := click.get_current_context(silent=True)) is not None:
            context.call_on_close(self.end)  # the message of an error begins a line of its own

    def ready(self) -> bool:
        """Whether it is time for a line."""
        return not self.quiet and time.monotonic() - self.shown >= self.pause

    def show(self, line: str) -> None:
        """Write a line if it is time."""
        if not self.ready():
            return
        self.shown = time.monotonic()
        line = visible(line)
        if self.terminal:
            most = max(1, _columns(sys.stderr) - 1)  # a longer line would wrap
            line = fitted(line, most).rstrip() if cells_width(line) > most else line
            click.echo("\r" + line + " " * max(0, self.width - cells_width(line)), nl=False, err=True)
            self.width = cells_width(line)
        else:
            click.echo(line, err=True)

    def show_parts(self, parts: Sequence[str]) -> None:
        """Write as many parts as fit on a terminal, all of them in a log."""
        if self.terminal:
            most = _columns(sys.stderr) - 1
            while len(parts) > 1 and cells_width(" · ".join(parts)) > most:
                parts = parts[:-1]
        self.show(" · ".join(parts))

    def end(self) -> None:
        """Leave the line."""
        if self.width:
            click.echo(err=True)
            self.width = 0


def size(n: float) -> str:
    """A number of bytes in a readable unit."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if n < 1024:
            return f"{n:.0f} {unit}" if unit == "B" else f"{n:.1f} {unit}"
        n /= 1024
    return f"{n:.1f} TiB"
