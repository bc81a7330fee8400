"""Commands that move pages in and out: import, export."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from fieldmouse.errors import UsageError

from .common import as_json, opened, print_json, size

if TYPE_CHECKING:
    from fieldmouse.library import Archive
    from fieldmouse.store.sqlite.reader import Reader

WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")


@click.command("import")
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@as_json
@click.pass_obj
def import_(obj: str, files: tuple[Path, ...], as_json: bool) -> None:
    """Take in FILES: WARC files made by anybody (gz, zst, plain), or lists of addresses as seeds."""
    results = []
    with opened(obj) as archive:
        for file in files:
            if file.name.lower().endswith(WARC_ENDINGS):
                results.append(_import_warc(archive, file, quiet=as_json))
            elif file.name.endswith(".pack"):
                raise UsageError(
                    f"{file} is a pack and not a WARC file; `export all.warc.gz` on its archive makes one"
                )
            else:
                results.append(_import_list(archive, file, quiet=as_json))
    if as_json:
        print_json(results)


def _import_warc(archive: "Archive", file: Path, *, quiet: bool) -> dict[str, object]:
    brought = archive.import_warc(file)
    if not quiet:
        click.echo(
            f"{file}: {brought.records} records, {brought.pages} pages taken, "
            f"{brought.already} were here already, {brought.skipped} are no answers to http requests"
        )
        for problem in brought.problems:
            click.echo(f"{file}: {problem}", err=True)
    return {"file": str(file), "records": brought.records, "pages": brought.pages, "already": brought.already,
            "skipped": brought.skipped, "problems": brought.problems}  # fmt: skip


def _import_list(archive: "Archive", file: Path, *, quiet: bool) -> dict[str, object]:
    from .crawling import read_lines

    new, bad = archive.import_urls(read_lines(str(file)))
    if not quiet:
        click.echo(f"{file}: {new} new addresses wait for the next crawl")
        for one in bad:
            click.echo(f"{file}: not an http or https address, left out: {one}", err=True)
    return {"file": str(file), "new": new, "bad": bad}


@click.command()
@click.argument("file", type=click.Path(dir_okay=False))
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "warc", "cdxj", "history"]),
    help="What to write; else told by FILE's ending.",
)
@click.option("--host", default="", help="Only the pages of this host.")
@click.option("--text", is_flag=True, help="Add all visible text of each page (jsonl).")
@click.option("--content", is_flag=True, help="Add the text of each page without its template (jsonl).")
@click.option("--html", is_flag=True, help="Add the same as HTML (jsonl).")
@click.option("--no-copies", is_flag=True, help="Leave out pages that are a copy of another (jsonl).")
@click.option(
    "--all", "everything", is_flag=True, help="Also addresses that failed or were not kept (jsonl)."
)
@click.pass_obj
def export(obj: str, /, file: str, kind: str | None, *, host: str, **options: Any) -> None:
    """Write the archive to FILE: JSON lines (- for stdout), one WARC file, or a CDXJ index."""
    from fieldmouse.jobs import export as out

    kind = kind or _kind(file)
    if kind == "history":
        _export_history(obj, Path(file))
        return
    with opened(obj) as archive:
        if kind == "cdxj":
            if file == "-":
                raise UsageError("a CDXJ index cannot go to stdout; give a file")
            written = out.write_cdxj(archive.reader, Path(file))
            click.echo(f"wrote {file}: {size(written)}", err=True)
            return
        reader = _reader(archive, host)  # an archive that cannot be read costs nobody the last export
        with _target(file) as target:
            if kind == "warc":
                count = out.warc(reader, target, Path(file).name, host=host)
            else:
                count = 0
                choice = out.Choice(host=host, copies=not options.pop("no_copies"), **options)
                for line in out.json_lines(reader, choice):
                    target.write(line)
                    count += 1
    click.echo(f"wrote {file}: {count:,} {'visits' if kind == 'warc' else 'pages'}", err=True)


def _reader(archive: "Archive", host: str) -> "Reader":
    """The archive's reader, if it knows the host that is asked for."""
    if host and archive.reader.host(host) is None:
        raise UsageError(f"there is no host {host} in the archive; hosts are written with their port")
    return archive.reader


def _export_history(folder: str, target: Path) -> None:
    from fieldmouse.jobs.export_history import write_history

    with opened(folder) as archive:
        count = write_history(archive.reader, target)
    click.echo(f"wrote {target}: the change history of {count:,} pages", err=True)


def _kind(file: str) -> str:
    if file == "-" or file.endswith((".jsonl", ".ndjson")):
        return "jsonl"
    if file.endswith((".warc.gz", ".warc")):
        return "warc"
    if file.endswith(".cdxj"):
        return "cdxj"
    raise UsageError(f"cannot tell the format from {file!r}; use .jsonl, .warc.gz or .cdxj, or give --format")


def _target(file: str) -> BinaryIO:
    try:
        return sys.stdout.buffer if file == "-" else Path(file).open("wb")
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None
