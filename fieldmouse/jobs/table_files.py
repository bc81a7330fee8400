"""Rows as a file: CSV, JSON, JSON lines or Parquet, as a stream of bytes.

The bytes go to stdout, or through `files.append_only.replace` to a file that is never there by half.
"""

import csv
import io
import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any

from fieldmouse.errors import UsageError

FORMATS = ("csv", "json", "jsonl", "parquet")

# Formats by the ending of a file name.
ENDINGS = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}

# Rows that are written at once; in Parquet, a row group.
BATCH = 10_000

# Types of Arrow by the types of a view.
ARROW_TYPES = {"TEXT": "string", "JSON": "string", "INTEGER": "int64", "REAL": "float64", "BOOLEAN": "bool"}


def format_of(path: Path | str) -> str | None:
    """The format that the name of a file says."""
    return next((kind for ending, kind in ENDINGS.items() if str(path).lower().endswith(ending)), None)


def table_bytes(
    kind: str,
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    types: Sequence[str] = (),
    metadata: Mapping[bytes, bytes] | None = None,
) -> Iterator[bytes]:
    """The rows as a file of a kind. `types` are those of a view; without, Parquet's come from the values."""
    if kind == "csv":
        return _csv(names, rows)
    if kind == "parquet":
        return _parquet(names, rows, types, metadata)
    return _json(names, rows, lines=kind == "jsonl")


def distinct_names(names: Sequence[str]) -> list[str]:
    """Names of columns where each may be there once: the second `url` is `url_2`."""
    taken, found = set(names), []
    for name in names:
        new, number = name, 2
        while new in found or (new != name and new in taken):
            new, number = f"{name}_{number}", number + 1
        found.append(new)
    return found


def _csv(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[bytes]:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\r\n")
    for batch in chain([[names]], _batches(rows)):
        writer.writerows(
            [value.hex() if isinstance(value, bytes) else value for value in row] for row in batch
        )
        yield text.getvalue().encode("utf-8", "replace")
        text.seek(0)
        text.truncate()


def _json(names: Sequence[str], rows: Iterable[Sequence[Any]], *, lines: bool) -> Iterator[bytes]:
    end = b"\n" if lines else b""
    if not lines:
        yield b"["
    first, keys = True, distinct_names(names)
    for row in rows:
        values = [_json_value(value) for value in row]
        text = json.dumps(dict(zip(keys, values, strict=True)), ensure_ascii=False)
        before = b"" if lines else b"\n" if first else b",\n"
        yield before + text.encode("utf-8", "replace") + end
        first = False
    if not lines:
        yield b"\n]\n"


def _json_value(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.hex()
    # JSON has no word for numbers without end.
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _parquet(
    names: Sequence[str],
    rows: Iterable[Sequence[Any]],
    types: Sequence[str],
    metadata: Mapping[bytes, bytes] | None,
) -> Iterator[bytes]:
    arrow, parquet = load_pyarrow()
    batches = _batches(rows)
    first = next(batches, [])
    if types:
        schema = arrow_schema(names, types)
    else:
        schema = arrow.schema(
            [
                (name, _guessed(values))
                for name, values in zip(distinct_names(names), _columns(names, first), strict=True)
            ]
        )
    schema = schema.with_metadata(metadata) if metadata else schema
    written: list[bytes] = []

    class Sink(io.RawIOBase):
        def writable(self) -> bool:
            return True

        def write(self, data: Any) -> int:
            written.append(bytes(data))
            return len(written[-1])

    with parquet.ParquetWriter(Sink(), schema, compression="zstd") as writer:
        for batch in chain([first], batches):
            if batch:
                writer.write_batch(arrow_batch(schema, batch))
            yield b"".join(written)
            written.clear()
    yield b"".join(written)


def arrow_schema(names: Sequence[str], types: Sequence[str]) -> Any:
    """The Arrow schema of columns of a view."""
    arrow, _ = load_pyarrow()
    time = arrow.timestamp("us", tz="UTC")
    kinds = [time if one == "TIME" else arrow.type_for_alias(ARROW_TYPES[one]) for one in types]
    return arrow.schema(list(zip(names, kinds, strict=True)))


def arrow_batch(schema: Any, rows: Sequence[Sequence[Any]]) -> Any:
    """Rows as a record batch of a schema."""
    arrow, _ = load_pyarrow()
    arrays = []
    for field, values in zip(schema, _columns(schema.names, rows), strict=True):
        try:
            arrays.append(_array(arrow, field.type, values))
        except (arrow.ArrowInvalid, arrow.ArrowTypeError, ValueError, TypeError):
            raise UsageError(
                f"the column {field.name} has values that are not {field.type}; "
                f"write CAST({field.name} AS TEXT) to have one type"
            ) from None
    return arrow.record_batch(arrays, schema=schema)


def _array(arrow: Any, kind: Any, values: Sequence[Any]) -> Any:
    if arrow.types.is_timestamp(kind):
        return arrow.array(values, arrow.string()).cast(kind)
    if arrow.types.is_boolean(kind):
        values = [None if value is None else bool(value) for value in values]
    elif arrow.types.is_string(kind):
        values = [_text(value) for value in values]
    return arrow.array(values, kind)


def _text(value: Any) -> str | None:
    if value is None:
        return None
    text = value.hex() if isinstance(value, bytes) else str(value)
    return text.encode("utf-8", "replace").decode("utf-8")


def _guessed(values: Sequence[Any]) -> Any:
    """The type of a column by its first values."""
    arrow, _ = load_pyarrow()
    kinds = {type(value) for value in values if value is not None}
    if kinds and kinds <= {int, float}:
        return arrow.int64() if kinds == {int} else arrow.float64()
    return arrow.binary() if kinds == {bytes} else arrow.string()


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    return list(zip(*rows, strict=True)) if rows else [() for _ in names]


def _batches(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    source = iter(rows)
    while batch := list(islice(source, BATCH)):
        yield batch


def load_pyarrow() -> tuple[Any, Any]:
    """The modules of pyarrow, or what to install."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise UsageError("Parquet needs pyarrow: pip install 'fieldmouse[columnar]'") from None
    return pa, pq
