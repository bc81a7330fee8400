"""Export the visits of an archive as a change history in the common format, for `replay` and for studies."""

import csv
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import zstandard

from fieldmouse.files.append_only import replace
from fieldmouse.page.charset import decode
from fieldmouse.store.contract import StoreReader
from fieldmouse.types import PageRecord
from fieldmouse.urls import host_key

from .export import moment

CHANGES = (
    *("site", "page", "change_time", "kind", "content_changed", "bytes"),
    *("pages_in_commit", "lines_added", "lines_deleted"),
)
META = (
    *("site", "page", "url", "first_seen", "last_seen", "last_change", "deleted"),
    *("window_start", "window_end", "n_changes", "n_content_changes", "fetcher"),
)

GONE = frozenset({404, 410})
LARGEST = 300_000  # bytes of HTML; longer pages are cut


def write_history(reader: StoreReader, folder: Path) -> int:
    """Write changes.csv.gz, pages_meta.csv.gz and pages.jsonl.zst; returns how many pages."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = [page for page in reader.pages() if page.version is not None]
    end = max((page.last_visit for page in pages), default=0.0)
    changes = sorted(row for page in pages for row in _changes(reader, page))
    replace(folder / "changes.csv.gz", _packed_csv(CHANGES, changes))
    replace(folder / "pages_meta.csv.gz", _packed_csv(META, (_meta(reader, page, end) for page in pages)))
    replace(folder / "pages.jsonl.zst", _packed_pages(reader, pages))
    return len(pages)


def _key(page: PageRecord) -> tuple[str, str]:
    host = host_key(page.url)
    return host, page.url.partition(host)[2] or "/"


def _changes(reader: StoreReader, page: PageRecord) -> Iterator[tuple[Any, ...]]:
    """The first visit, then every visit that found other bytes, and whether the content differed."""
    versions = {one.time for one in reader.versions(page)}
    for one in reader.visits(page):
        if one.known_by == "first":
            yield (*_key(page), moment(one.time), "A", "", one.size, "", "", "")
        elif one.known_by == "digest" and one.time in versions:
            yield (*_key(page), moment(one.time), "M", str(int(one.changed)), one.size, "", "", "")


def _meta(reader: StoreReader, page: PageRecord, end: float) -> tuple[Any, ...]:
    visits = reader.visits(page)
    found = [one.time for one in visits if one.known_by in ("first", "digest", "304")]
    gone = page.status in GONE
    changed = sum(one.changed for one in visits)
    return (
        *_key(page), page.url, moment(found[0]), moment(page.last_visit if gone else end),
        moment(page.last_change), int(gone), moment(found[0]), moment(end),
        page.versions - 1, changed, "fieldmouse",
    )  # fmt: skip


def _packed_csv(names: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[bytes]:
    packed = io.BytesIO()
    with gzip.open(packed, "wt", encoding="utf-8", newline="") as text:
        writer = csv.writer(text)
        writer.writerow(names)
        writer.writerows(rows)
    yield packed.getvalue()


def _packed_pages(reader: StoreReader, pages: list[PageRecord]) -> Iterator[bytes]:
    """The HTML of each page as it was first seen."""
    packer = zstandard.ZstdCompressor(level=6).compressobj()
    for page in pages:
        first = reader.versions(page)[0]
        content = reader.response(first).content
        site, name = _key(page)
        row = {
            "site": site, "page": name, "url": page.url, "first_seen": moment(first.time),
            "html_time": moment(first.time), "bytes": len(content), "truncated": len(content) > LARGEST,
            "encoding": first.charset, "html": decode(content[:LARGEST], first.charset or "utf-8"),
        }  # fmt: skip
        yield packer.compress(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    yield packer.flush()
