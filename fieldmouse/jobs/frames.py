"""Pages as a table in memory, for Arrow, pandas and polars."""

import difflib
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from fieldmouse.errors import UsageError
from fieldmouse.store import schema
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.page_records import PageFilter

from .table_files import BATCH, arrow_batch, arrow_schema, load_pyarrow

KINDS = ("arrow", "pandas", "polars")


def page_frame(reader: StoreReader, kind: str, columns: Sequence[str], where: PageFilter) -> Any:
    """Columns of the view `pages`, or all of them, as a table of a kind."""
    if kind not in KINDS:
        raise UsageError(f"there is no kind of table {kind!r}; the kinds are {', '.join(KINDS)}")
    arrow, _ = load_pyarrow()
    types = {one.name: one.type for one in next(view for view in schema() if view.name == "pages").columns}
    for name in columns:
        if name not in types:
            near = difflib.get_close_matches(name, types, 1)
            hint = f"did you mean {near[0]}?" if near else f"the columns are {', '.join(types)}"
            raise UsageError(f"there is no column {name!r}; {hint}")
    names = list(columns or types)
    form = arrow_schema(names, [types[name] for name in names])
    rows = reader.page_table(where, names)

    def batches() -> Iterator[Any]:
        while batch := list(islice(rows, BATCH)):
            yield arrow_batch(form, batch)

    table = arrow.Table.from_batches(batches(), schema=form)
    if kind == "arrow":
        return table
    try:
        if kind == "pandas":
            return table.to_pandas()
        import polars as pl
    except ImportError:
        raise UsageError(f"this needs {kind}: pip install {kind}") from None
    return pl.from_arrow(table)
