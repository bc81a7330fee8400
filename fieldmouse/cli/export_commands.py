"""The command that writes pages of an archive to files of other tools."""

import os
import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError
from fieldmouse.exits import Exit
from fieldmouse.report.wording import count

from . import common
from .common import StatusLine, echo, open_archive, size

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from fieldmouse.library import Archive
    from fieldmouse.store.page_records import PageFilter

FORMATS = {
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet", ".warc.gz": "warc",
    ".warc": "warc", ".wacz": "wacz", ".cdxj": "cdxj",
}  # fmt: skip


@click.command()
@click.argument("file", type=click.Path(dir_okay=True), required=False)
@click.option(
    "--format", "kind", type=click.Choice(["jsonl", "csv", "parquet", "warc", "wacz", "cdxj", "history"]),
    help="Format; by default that of FILE's extension.",
)  # fmt: skip
@click.option(
    "--parquet", "mirror", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Bring a mirror in Parquet up to date, partitioned by host and month.",
)  # fmt: skip
@common.filter_options
@click.option("--private", is_flag=True, help="Also private pages: only for your own eyes.")
@click.option("--all", "everything", is_flag=True, help="Also URLs that failed or were not stored (jsonl).")
@click.option("--text", is_flag=True, help="Add all visible text of each page (jsonl).")
@click.option("--content", is_flag=True, help="Add text and facts of each page without its template (jsonl).")
@click.option("--html", is_flag=True, help="Add the HTML of each page without its template (jsonl).")
@common.executor_options
@common.quiet_option
@click.pass_obj
def export(
    obj: str, /, file: str | None, kind: str | None, mirror: Path | None, *, quiet: bool, **options: Any
) -> int:
    """Write pages to FILE as JSON lines, CSV, Parquet, WARC, WACZ, CDXJ or history.

    CSV and Parquet have the columns of the view `pages`, with the main text: see `query --schema`. WARC, WACZ
    and CDXJ have every visit to the pages that are chosen. JSON lines, CSV and WARC can go to stdout with -
    as FILE. A change history is a folder that `replay` reads. Private pages are left out. A file is there
    only when it is whole. With --jobs or --executor, several processes make JSON lines and the mirror.
    """
    everything, private = options.pop("everything"), options.pop("private")
    where = common.chosen_filter(options, everything=everything, private=private)
    kind = kind or _format_of(file, mirror)
    line = StatusLine(quiet=quiet)
    pool = common.opened_executor(obj, options.pop("executor"), options.pop("jobs"))
    with open_archive(obj) as archive, pool as executor:
        # The archive is read before FILE is opened: on an error, an earlier export in FILE survives.
        common.refuse_unknown(archive.reader, where)
        if mirror is not None:
            return _mirror(archive, mirror, where, line, executor)
        assert file is not None
        return _export(archive, kind, file, where, line, executor=executor, **options)


def _format_of(file: str | None, mirror: Path | None) -> str:
    if mirror is not None:
        if file is not None:
            raise UsageError("give FILE or --parquet DIR, not both")
        return "mirror"
    if file is None:
        raise UsageError("give the FILE to write, for example pages.parquet")
    found = [name for ending, name in FORMATS.items() if file.endswith(ending)]
    if not found and file != "-":
        raise UsageError(f"cannot guess the format from {file!r}; use {', '.join(FORMATS)}, or give --format")
    return found[0] if found else "jsonl"


def _export(
    archive: "Archive", kind: str, file: str, where: "PageFilter", line: StatusLine, **options: Any
) -> int:
    """Write one file, with progress."""
    from fieldmouse.jobs import export as out

    done, path, reader, executor = out.Exported(), Path(file), archive.reader, options.pop("executor")
    if file == "-" and kind in ("cdxj", "parquet", "wacz", "history"):
        raise UsageError(f"{kind} cannot be written to stdout; give a file")
    if kind != "jsonl" and (given := [name for name in ("text", "content", "html") if options[name]]):
        also = f"; the column content of {kind} has the main text" if kind in ("csv", "parquet") else ""
        raise UsageError(f"--{given[0]} is for JSON lines, not for {kind}{also}")
    chunks: Iterable[bytes]
    if kind == "history":
        done = out.write_history(reader, path, where)
        return _ended(f"{file}: the change history of {done.count:,} pages", done)
    if kind == "cdxj":
        chunks = out.cdxj_lines(reader, path.parent, where)
    elif kind == "warc":
        chunks = out.warc(reader, path.name, done, where)
    elif kind == "wacz":
        from fieldmouse.jobs.export_wacz import wacz

        chunks = wacz(reader, path.parent, done, where, time.time)
    elif kind == "jsonl":
        if options["content"] or options["html"]:
            clean_first(archive, where.host, line, executor)
        chunks = out.json_lines(reader, out.ExportOptions(where, **options), done, executor)
    else:
        clean_first(archive, where.host, line, executor)
        chunks = out.table(reader, kind, done, where)
    counted = kind in ("jsonl", "csv", "parquet")
    total = reader.count(where) if counted else 0
    unit = "pages" if counted else "visits"
    written = _Watched(chunks, done, line, f" of {total:,}" if total else "", unit)
    common.write_chunks(path, kind, written)
    line.end()
    if kind == "cdxj":
        return _ended(f"{file}: {size(written.bytes)}", done)
    if not done.count:
        some = reader.dashboard.tallies().get("stored")
        hint = f"no {unit} fit this choice; `query` shows which hosts, topics and classes there are"
        echo(hint if some else common.EMPTY, err=True)
    if counted and not where.spam and (spam := reader.count(replace(where, spam=True)) - total) > 0:
        echo(f"{count(spam, 'page')} left out as spam; --include-spam adds them", err=True)
    return _ended(f"{file}: {done.count:,} {unit}, {size(written.bytes)}", done)


class _Watched:
    """The bytes of an export, with progress."""

    def __init__(self, chunks: Iterable[bytes], done: Any, line: StatusLine, total: str, unit: str) -> None:
        self.chunks, self.done, self.line, self.total, self.unit = chunks, done, line, total, unit
        self.bytes = 0

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self.chunks:
            self.bytes += len(chunk)
            if not self.line.quiet:
                self.line.show(f"{self.done.count:,}{self.total} {self.unit}, {size(self.bytes)}")
            yield chunk


def _mirror(
    archive: "Archive", folder: Path, where: "PageFilter", line: StatusLine, executor: "Executor | None"
) -> int:
    """Bring a mirror up to date, with progress."""
    from fieldmouse.jobs.mirror import mirror

    clean_first(archive, where.host, line, executor)
    done = mirror(
        archive.reader, folder, where,
        lambda now: line.show(f"{count(now.files, 'file')}, {now.written:,} written"),
        executor,
    )  # fmt: skip
    line.end()
    echo(
        f"{folder}: {count(done.files, 'file')}, {done.written:,} written with {count(done.pages, 'page')}, "
        f"{done.removed:,} removed",
        err=True,
    )
    return Exit.DONE


def _ended(text: str, done: Any) -> int:
    for one in done.damaged:
        echo(f"left out, damaged: {one}", err=True)
    echo(f"wrote {text}", err=True)
    if done.damaged:
        echo(
            f"{count(len(done.damaged), 'damaged record')} left out; `check --repair` sets damage aside",
            err=True,
        )
    return Exit.LEFT_OUT if done.damaged else Exit.DONE


def clean_first(
    archive: "Archive",
    host: str,
    line: StatusLine,
    executor: "Executor | None",
    said: str = "cleaned {} with new content first",
) -> None:
    """Find the templates that are not known yet: content without them would be other text."""
    if not (left := archive.reader.templates.left()):
        return
    if not os.access(archive.folder, os.W_OK):
        what = "content of hosts that were not cleaned is found by form alone"
        echo(f"{archive.folder} cannot be written: {what} ({left:,} hosts)", err=True)
        return
    hosts = troubled = 0
    for done in archive.clean(host, executor=executor):
        hosts, troubled = hosts + 1, troubled + bool(done.trouble)
        line.show(f"cleaning: {hosts:,} of {count(left, 'host')} with new content")
    line.end()
    click.echo(said.format(count(hosts, "host")), err=True)
    if troubled:
        click.echo(
            f"{troubled:,} of them could not be cleaned: content there is found by form alone", err=True
        )
