"""The command `export`."""

import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from fieldmouse.errors import UsageError

from .common import open_archive, size

ENDINGS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".warc.gz": "warc", ".warc": "warc", ".cdxj": "cdxj"}


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "warc", "cdxj", "history"]),
    help="Format; by default that of FILE's extension.",
)
@click.option("--host", default="", help="Only the pages of this host.")
@click.option("--text", is_flag=True, help="Add all visible text of each page (jsonl).")
@click.option("--content", is_flag=True, help="Add the text of each page without its template (jsonl).")
@click.option("--html", is_flag=True, help="Add the HTML of each page without its template (jsonl).")
@click.option("--no-copies", is_flag=True, help="Leave out pages that are copies of another (jsonl).")
@click.option("--all", "everything", is_flag=True, help="Also URLs that failed or were not stored (jsonl).")
@click.pass_obj
def export(obj: str, /, file: str, kind: str | None, *, host: str, **options: Any) -> None:
    """Write the archive to FILE as JSON lines, WARC, CDXJ or history.

    JSON lines and WARC can go to stdout with - as FILE. A change history is a folder that `replay` reads.
    """
    from fieldmouse.jobs import export as out

    kind = kind or _kind(file)
    with open_archive(obj) as archive:
        if kind == "history":
            from fieldmouse.jobs.export_history import write_history

            done = f"the change history of {write_history(archive.reader, Path(file)):,} pages"
        elif kind == "cdxj":
            if file == "-":
                raise UsageError("a CDXJ index cannot be written to stdout; give a file")
            done = size(out.write_cdxj(archive.reader, Path(file)))
        else:
            # The archive is read before FILE is opened: on an error, an earlier export in FILE survives.
            if host and archive.reader.host(host) is None:
                raise UsageError(f"there is no host {host} in the archive; hosts are written with their port")
            reader = archive.reader
            with _open(file) as target:
                if kind == "warc":
                    done = f"{out.warc(reader, target, Path(file).name, host=host):,} visits"
                else:
                    choice = out.ExportOptions(host=host, copies=not options.pop("no_copies"), **options)
                    count = 0
                    for line in out.json_lines(reader, choice):
                        target.write(line)
                        count += 1
                    done = f"{count:,} pages"
    click.echo(f"wrote {file}: {done}", err=True)


def _kind(file: str) -> str:
    if file == "-":
        return "jsonl"
    for ending, kind in ENDINGS.items():
        if file.endswith(ending):
            return kind
    raise UsageError(
        f"cannot guess the format from {file!r}; use .jsonl, .warc.gz or .cdxj, or give --format"
    )


def _open(file: str) -> BinaryIO:
    try:
        return sys.stdout.buffer if file == "-" else Path(file).open("wb")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None
