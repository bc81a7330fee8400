"""The process that runs DuckDB over a mirror. It never opens an archive.

DuckDB and Python's sqlite3 hold a copy of SQLite each. If both opened one file in one process, closing it in
one would drop the locks of the other. So this module imports neither sqlite3 nor the store, and DuckDB can
open no file: it gets the mirror as an Arrow dataset. Arguments: folder, query. Output: an Arrow stream.
"""

import sys
from typing import Any


def main() -> None:
    """Run the query; a mistake goes to stderr, with exit code 4."""
    import duckdb
    import pyarrow as pa
    import pyarrow.dataset as ds

    folder, sql = sys.argv[1:3]
    names = pa.schema([("host", pa.string()), ("month", pa.string())])
    pages = ds.dataset(folder, format="parquet", partitioning=ds.partitioning(names, flavor="hive"))
    db = duckdb.connect(
        ":memory:", config={"autoinstall_known_extensions": False, "autoload_known_extensions": False}
    )
    db.register("pages", pages)
    db.execute("SET enable_external_access = false")
    db.execute("SET lock_configuration = true")
    try:
        batches: Any = db.execute(sql).to_arrow_reader(10_000)
        with pa.ipc.new_stream(sys.stdout.buffer, batches.schema) as out:
            for batch in batches:
                out.write_batch(batch)
    except duckdb.Error as error:
        sys.stderr.write(str(error))
        sys.exit(4)


if __name__ == "__main__":
    main()
