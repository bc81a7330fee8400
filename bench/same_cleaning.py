"""Whether two archives of the same pages were cleaned alike: `python -m bench.same_cleaning ONE OTHER`.

Compares templates, dictionaries, fingerprints, groups of copies, titles, stated metadata, main texts and
facts, byte for byte, by the URLs of pages: ids may differ. Prints how many of each differ, with the first
few, and exits with 1 if any does.
"""

import sqlite3
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import zstandard

from fieldmouse.store.engines import DATABASE_FILE

SHOWN = 5  # differences of each kind

# Rows of each kind; the first column is what a row is known by.
QUERIES = {
    "templates": """SELECT h.name || ' ' || t.version, t.reason, t.pages, t.templates, t.page_bytes,
        t.shared_bytes, t.packed_bytes, t.data, d.data FROM template AS t JOIN host AS h ON h.id = t.host
        LEFT JOIN dictionary AS d ON d.digest = t.dictionary""",
    "hosts": "SELECT h.name, c.fits, c.trouble FROM cleaned_host AS c JOIN host AS h ON h.id = c.host",
    "fingerprints": """SELECT p.url, k.said, k.sketch, k.canonical, (SELECT b.url FROM copy_group AS g
        JOIN page AS b ON b.id = g.best WHERE g.id = k.copy_group)
        FROM fingerprint AS k JOIN page AS p ON p.id = k.page""",
    "documents": """SELECT p.url, d.title, d.length, d.published, d.modified, d.author, d.type, d.data,
        d.spam_score FROM document AS d JOIN page AS p ON p.id = d.page""",
    "texts": "SELECT p.url, t.data, t.facts FROM page_text AS t JOIN page AS p ON p.id = t.page",
    "words": "SELECT term, doc, cnt FROM temp.words",
}


def rows(archive: Path, kind: str) -> dict[str, tuple[Any, ...]]:
    """The rows of one kind by what they are known by, unpacked."""
    db = sqlite3.connect(f"{(archive / DATABASE_FILE).resolve().as_uri()}?mode=ro", uri=True)
    if kind == "words":
        db.execute("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'search', 'row')")
    try:
        return {key: tuple(map(_plain, rest)) for key, *rest in db.execute(QUERIES[kind])}
    finally:
        db.close()


def _plain(value: Any) -> Any:
    """A value, unpacked: the same text may be packed differently."""
    if isinstance(value, bytes) and value.startswith(b"\x28\xb5\x2f\xfd"):
        return zstandard.ZstdDecompressor().decompress(value, max_output_size=1 << 30)
    return value


def differences(one: Path, other: Path, kind: str) -> Iterator[str]:
    """What differs between two archives."""
    first, second = rows(one, kind), rows(other, kind)
    print(f"{kind}: {len(first):,} and {len(second):,}")
    for key in sorted(first.keys() | second.keys(), key=repr):
        if key not in first or key not in second:
            yield f"{key} is only in {one if key in first else other}"
        elif first[key] != second[key]:
            place = next(n for n, (a, b) in enumerate(zip(first[key], second[key], strict=True)) if a != b)
            yield f"{key}, column {place + 1}: {first[key][place]!r:.80} and {second[key][place]!r:.80}"


def main(arguments: Sequence[str]) -> int:
    """Compare and print."""
    if len(arguments) != 2:
        raise SystemExit((__doc__ or "").partition("\n")[0])
    failed = 0
    for kind in QUERIES:
        found = list(differences(Path(arguments[0]), Path(arguments[1]), kind))
        failed += len(found)
        print(*(f"  {one}" for one in found[:SHOWN]), f"{kind}: {len(found):,} differ", sep="\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
