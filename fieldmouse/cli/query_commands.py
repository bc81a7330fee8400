"""The commands that ask an archive: in SQL, and by words."""

import sys
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

import click

from fieldmouse.errors import UsageError

from . import common
from .common import archive_options, cells_width, echo, open_archive, print_json, visible

# Rows by which the widths of a table on a terminal are chosen, and what a column keeps if others need room.
MEASURED, NARROWEST = 100, 12


@click.command()
@click.argument("sql", required=False)
@click.option(
    "--format", "kind", type=click.Choice(["table", "csv", "json", "jsonl", "parquet"]),
    help="Format of the rows; by default that of the extension of --output, else table.",
)  # fmt: skip
@click.option("-o", "--output", type=common.NEW_FILE, help="Write to this file instead of stdout.")
@click.option(
    "--columnar", type=click.Path(file_okay=False, path_type=Path), metavar="DIR",
    help="Query a mirror made by `export --parquet DIR` with DuckDB instead; its table is pages.",
)  # fmt: skip
@click.option("--schema", is_flag=True, help="Print the views and their columns, with their meaning.")
@click.option(
    "--timeout", type=click.FloatRange(0, min_open=True), default=60.0, show_default=True, metavar="SECONDS",
    help="Stop a query that takes longer.",
)  # fmt: skip
@archive_options
def query(
    obj: str, /, sql: str | None, kind: str | None, output: Path | None, *, schema: bool, **options: Any
) -> None:
    """Query the archive in SQL, read-only.

    With - the query is read from stdin. --schema lists the views: pages, versions, visits, changes, hosts and
    others. A table is aligned on a terminal. Elsewhere its lines are separated by tabs; tabs, line feeds and
    backslashes in a value are escaped with a backslash. With --output, the file is there when it is whole.
    """
    from fieldmouse.jobs import table_files

    if schema:
        _print_schema(as_json=options["as_json"])
        return
    if sql == "-":
        sql = common.read_text(sql)
    if not sql:
        raise UsageError("give a query, for example: fieldmouse query 'SELECT url, title FROM pages'")
    kind = kind or ("json" if options["as_json"] else output and table_files.format_of(output)) or "table"
    if output is not None and kind == "table":
        raise UsageError(f"cannot guess the format from {output}; give --format")
    if kind == "parquet" and output is None:
        raise UsageError("Parquet cannot be printed; give --output")
    if options["columnar"] is not None:
        from fieldmouse.jobs.columnar import columnar_query

        _print_rows(kind, output, *columnar_query(options["columnar"], sql, options["timeout"]))
        return
    with open_archive(obj) as archive:
        _print_rows(kind, output, *archive.query(sql, options["timeout"]))


def _print_rows(
    kind: str, output: Path | None, names: Sequence[str], rows: Iterator[tuple[Any, ...]]
) -> None:
    """Print rows, or write them to a file."""
    from fieldmouse.jobs import table_files

    if output is not None:
        common.write_chunks(output, kind, table_files.table_bytes(kind, names, rows))
    elif kind == "json":
        keys = table_files.distinct_names(names)
        print_json([dict(zip(keys, row, strict=True)) for row in rows])
    elif kind == "table" and sys.stdout.isatty():
        _print_aligned(names, rows)
    elif kind == "table":
        for row in chain([names], rows):
            echo("\t".join(map(_cell, row)))
    else:
        common.print_chunks(kind, table_files.table_bytes(kind, names, rows))


@click.command()
@click.argument("words", nargs=-1)
@click.option("-n", "--limit", type=click.IntRange(1), default=10, show_default=True, help="Pages to show.")
@click.option("--offset", type=click.IntRange(0), default=0, help="Pages to leave out before.")
@click.option("--rebuild", is_flag=True, help="Rebuild the index from the stored texts.")
@common.filter_options
@archive_options
def search(
    obj: str,
    /,
    words: tuple[str, ...],
    limit: int,
    offset: int,
    *,
    rebuild: bool,
    as_json: bool,
    **options: Any,
) -> None:
    """Search the titles and main texts of pages.

    All words must be there, in any order; case and accents do not matter. In quotes they are a phrase. A word
    that ends in * finds all words that begin so. -word leaves pages out, with quotes around the whole:
    fieldmouse search "coil -scrap". OR stands between two words.
    """
    where = common.chosen_filter(options)
    with open_archive(obj) as archive:
        if rebuild:
            archive.rebuild_index()
            echo("the index was rebuilt", err=True)
            if not words:
                return
        common.refuse_unknown(archive.reader, where)
        text = " ".join(f'"{one}"' if " " in one and len(words) > 1 else one for one in words)
        found, left = archive.reader.search(text, where, limit, offset), archive.reader.templates.left()
        some = found.total or archive.reader.dashboard.tallies().get("stored")
    if as_json:
        print_json(found)
        return
    from fieldmouse.jobs.export import moment

    for hit in found.hits:
        click.echo(
            common.styled(common.wrapped(visible(" ".join(hit.title.split()) or "(no title)"), 0), bold=True)
        )
        seen = "changed" if hit.last_change > hit.first_seen else "found"
        echo(common.wrapped(f"  {hit.url}  {hit.language}  {seen} {moment(hit.last_change)[:10]}", 2))
        if hit.snippet:
            _print_snippet(hit.snippet, hit.marks)
    more = " or more" if found.capped else ""
    pages = "page" if found.total == 1 else "pages"
    part = found.hits and (found.capped or len(found.hits) < found.total)
    shown = f", {offset + 1:,} to {offset + len(found.hits):,} shown" if part else ""
    nothing = "no page found" if some else common.EMPTY
    echo(f"{found.total:,}{more} {pages} found{shown}" if found.total else nothing, err=True)
    if left:
        hosts = "1 host has" if left == 1 else f"{left:,} hosts have"
        echo(f"{hosts} pages that are not indexed yet; `fieldmouse clean` does that", err=True)


def _print_snippet(text: str, marks: Sequence[tuple[int, int]]) -> None:
    """Print a snippet, indented, with the words that were found in bold."""
    width, stop = common.screen_width(sys.stdout), 0
    for line in common.cell_lines(text, max(20, width - 2)) if width else (text,):
        place = text.index(line, stop)
        stop, parts = place + len(line), ["  "]
        for begin, end in marks:
            if (first := max(begin, place)) < (last := min(end, stop)):
                found = common.styled(visible(text[first:last]), bold=True, fg="yellow")
                parts += [visible(text[place:first]), found]
                place = last
        click.echo("".join([*parts, visible(text[place:stop])]))


def _print_schema(*, as_json: bool) -> None:
    """Every view with its columns."""
    from fieldmouse.store import schema

    if as_json:
        print_json(schema())
        return
    for view in schema():
        echo(f"{view.name}: {view.meaning}")
        for column in view.columns:
            echo(f"  {column.name:<14} {column.type:<8} {common.wrapped(column.meaning, 26)}")
        echo()
    echo("All other tables are internal: they may change with any release.")


def _print_aligned(names: Sequence[str], rows: Iterator[tuple[Any, ...]]) -> None:
    """Columns as wide as the first rows need, cut to the width of the terminal."""
    first = [[_cell(value) for value in row] for row in islice(rows, MEASURED)]
    needed = [max(map(cells_width, column)) for column in zip(names, *first, strict=True)]
    widths = _narrowed(needed, common.screen_width(sys.stdout) - 2 * (len(needed) - 1))
    numbers = [all(_is_number(row[place]) for row in first) for place in range(len(names))]
    for row in chain([names], first, ([_cell(value) for value in row] for row in rows)):
        cells = [
            common.fitted(cell, width, right=right)
            for cell, width, right in zip(row, widths, numbers, strict=True)
        ]
        echo("  ".join(cells).rstrip(), table=True)
    if widths != needed:
        echo("cells that end in … are cut; --format csv prints them whole", err=True)


def _narrowed(needed: Sequence[int], room: int) -> list[int]:
    """Widths of columns that fit: the widest give way."""
    widths = [max(1, min(room, one)) for one in needed]
    while sum(widths) > room and max(widths) > NARROWEST:
        widths[widths.index(max(widths))] -= 1
    return widths


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).removeprefix("-").isdigit() or not text


def _cell(value: object) -> str:
    """A value as one cell of a line."""
    if value is None:
        return ""
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")
