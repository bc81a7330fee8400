"""The commands that move pages in and out of an archive: `import` and `export`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from fieldmouse.errors import UsageError

from .common import EXISTING_FILE, json_option, open_archive, plain, print_json, read_seeds, size

if TYPE_CHECKING:
    from fieldmouse.library import Archive

WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".warc.gz": "warc", ".warc": "warc", ".cdxj": "cdxj"}


@click.command("import")
@click.argument("files", nargs=-1, required=True, type=EXISTING_FILE)
@json_option
@click.pass_obj
def import_(obj: str, files: tuple[Path, ...], as_json: bool) -> None:
    """Import WARC files, or lists of URLs as seeds.

    WARC files can come from any tool, compressed with gzip or zstandard, or plain.
    """
    results = []
    with open_archive(obj) as archive:
        for file in files:
            text, problems, result = _imported(archive, file)
            results.append({"file": str(file), **result})
            if not as_json:
                click.echo(f"{file}: {text}")
                for problem in problems:
                    click.echo(f"{file}: {problem}", err=True)
    if as_json:
        print_json(results)


def _imported(archive: "Archive", file: Path) -> tuple[str, list[str], dict[str, Any]]:
    """Import one file; return a line about it, its problems, and the same for JSON."""
    if file.name.lower().endswith(WARC_ENDINGS):
        done = archive.import_warc(file)
        text = (
            f"{done.records} records, {done.pages} pages imported, {done.already} already present, "
            f"{done.skipped} other records (requests, metadata) skipped"
        )
        return text, done.problems, plain(done)
    if file.name.endswith(".pack"):
        raise UsageError(f"{file} is a pack, not a WARC file; `export all.warc.gz` on its archive makes one")
    new, bad = archive.import_urls(read_seeds(file))
    problems = [f"not an http or https URL, ignored: {one}" for one in bad]
    return f"{new} new URLs pending for the next crawl", problems, {"new": new, "bad": bad}


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

    formats = [name for ending, name in FORMATS.items() if file.endswith(ending)]
    kind = kind or ("jsonl" if file == "-" else next(iter(formats), None))
    if kind is None:
        raise UsageError(
            f"cannot guess the format from {file!r}; use .jsonl, .warc.gz or .cdxj, or give --format"
        )
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


def _open(file: str) -> BinaryIO:
    """The file to write; - is stdout."""
    try:
        return sys.stdout.buffer if file == "-" else Path(file).open("wb")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None
