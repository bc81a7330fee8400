"""A query in SQL over a mirror in Parquet, run by DuckDB in a process of its own."""

import re
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fieldmouse.errors import UsageError

from . import columnar_child
from .mirror import LEFT_OUT
from .table_files import load_pyarrow


def columnar_query(folder: Path, sql: str, seconds: float) -> tuple[list[str], Iterator[tuple[Any, ...]]]:
    """The names of the columns, and the rows. The table is `pages`."""
    arrow, _ = load_pyarrow()
    if not any(folder.glob("host=*/month=*/*.parquet")):
        raise UsageError(
            f"there is no mirror in {folder}; make one with `fieldmouse export --parquet {folder}`"
        )
    child = _Child(folder, sql, seconds)
    try:
        reader = arrow.ipc.open_stream(child.process.stdout)
    except (arrow.ArrowInvalid, OSError):
        problem = child.problem()
        child.close()
        raise problem from None

    def rows() -> Iterator[tuple[Any, ...]]:
        try:
            for batch in reader:
                yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
            if child.process.wait():
                raise child.problem()
        except (arrow.ArrowInvalid, OSError):
            raise child.problem() from None
        finally:
            child.close()

    return list(reader.schema.names), rows()


class _Child:
    """The process with DuckDB, which has so many seconds."""

    def __init__(self, folder: Path, sql: str, seconds: float) -> None:
        self.seconds = seconds
        self.late = False
        self.errors = tempfile.TemporaryFile()  # noqa: SIM115  closed with the process
        program = Path(columnar_child.__file__).read_text("utf-8")
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", program, str(folder.resolve()), sql],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.errors,
        )
        self.timer = threading.Timer(seconds, self._stop)
        self.timer.start()

    def _stop(self) -> None:
        self.late = True
        self.process.kill()

    def problem(self) -> UsageError:
        """Why there is no result, or no whole one."""
        self.process.wait()
        if self.late:
            return UsageError(f"the query was stopped after {self.seconds:g} s; --timeout gives it more")
        self.errors.seek(0)
        text = self.errors.read().decode("utf-8", "replace").strip()
        if "No module named 'duckdb'" in text:
            return UsageError("--columnar needs DuckDB: pip install 'fieldmouse[columnar]'")
        named = re.search(r'column "(\w+)" not found', text)
        if named and named[1].lower() in LEFT_OUT:
            text += (
                f"\n{named[1]} changes without the page, so a mirror leaves it out; query the archive itself"
            )
        return UsageError(f"the query has an error: {text or 'DuckDB ended without a result'}")

    def close(self) -> None:
        """End the process."""
        self.timer.cancel()
        self.process.kill()
        self.process.wait()
        self.errors.close()
        assert self.process.stdout is not None
        self.process.stdout.close()
