"""Export an archive: pages as JSON lines, records as a WARC file, an index as CDXJ, visits as a history."""

import csv
import dataclasses
import gzip
import io
import json
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import zstandard

from fieldmouse.errors import ArchiveDamaged, VersionErased
from fieldmouse.files import cdxj, packs
from fieldmouse.files.append_only import replace
from fieldmouse.files.warc_reader import whole_members
from fieldmouse.files.warc_record import WarcInfo, gzip_member, warcinfo
from fieldmouse.gc_tuning import rare_collection
from fieldmouse.page import tags
from fieldmouse.page.charset import decode, sniff
from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.refresh.diff_entries import public_diff
from fieldmouse.store import open_reader, schema
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.page_records import ExportedPage, PageFilter
from fieldmouse.types import Features, PageRecord, Place, Version
from fieldmouse.urls import host_key
from fieldmouse.version import VERSION

from .executors import in_order, in_parts
from .table_files import table_bytes

if TYPE_CHECKING:
    from fieldmouse.report.page_content import Contents

# Fields of a page's record as they are written to JSON lines.
PAGE_FIELDS = (
    *("url", "host", "status", "trouble", "mime", "title", "language"),
    *("first_seen", "last_visit", "last_change", "visits", "versions", "depth", "via", "trail"),
)

_page_values = attrgetter(*PAGE_FIELDS)

# Columns of a change history.
CHANGES = (
    *("site", "page", "change_time", "kind", "content_changed", "bytes"),
    *("pages_in_commit", "lines_added", "lines_deleted", "change_kinds", "diff"),
)
META = (
    *("site", "page", "url", "first_seen", "last_seen", "last_change", "deleted"),
    *("window_start", "window_end", "n_changes", "n_content_changes", "fetcher"),
)

LARGEST = 300_000  # bytes of HTML in a change history; longer pages are cut
BATCH = 200


PUBLIC = PageFilter()  # every page with content that may leave the archive


@lru_cache(1000)  # most pages have one time three times
def moment(seconds: float) -> str:
    """A time in seconds since the epoch as ISO 8601."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class ExportOptions:
    """Which pages are exported as JSON lines, and with what."""

    where: PageFilter = PUBLIC
    text: bool = False  # with all visible text
    content: bool = False  # with the text outside the template, and the facts
    html: bool = False  # with the content as HTML
    batch: int = BATCH  # pages that are read together, by an executor in one task

    @property
    def texts(self) -> bool:
        """Whether the record of each page has to be read."""
        return self.text or self.content or self.html


@dataclass(slots=True)
class Exported:
    """What an export wrote, and what it had to leave out."""

    count: int = 0  # pages, or visits in a WARC file
    damaged: list[str] = field(default_factory=list)  # records that cannot be read


class LinesTask(NamedTuple):
    """Pages that a process of an executor writes as JSON lines."""

    folder: Path
    options: ExportOptions
    pages: Sequence[ExportedPage]


def json_lines(
    reader: StoreReader, options: ExportOptions, done: Exported, executor: Executor | None = None
) -> Iterator[bytes]:
    """Stored pages as lines of JSON; a page whose record is damaged is left out."""
    pages = reader.exported_pages(options.where, texts=options.content)
    found: Iterable[tuple[list[bytes], list[str]]]
    if executor is None:
        texts = PageTexts(reader, options)
        found = (texts.lines(part) for part in in_parts(pages, options.batch))
    else:
        tasks = (LinesTask(reader.folder, options, part) for part in in_parts(pages, options.batch))
        found = in_order(executor, run_lines_task, tasks)
    for lines, damaged in found:
        done.damaged += damaged
        for line in lines:
            done.count += 1
            yield line


def run_lines_task(task: LinesTask) -> tuple[list[bytes], list[str]]:
    """The lines of some pages, and what is damaged; in a process of an executor."""
    with open_reader(task.folder) as reader:
        return PageTexts(reader, task.options).lines(task.pages)


class PageTexts:
    """Makes lines of JSON, with texts that are read from the records of pages."""

    def __init__(self, reader: StoreReader, options: ExportOptions) -> None:
        self.reader, self.options = reader, options
        self.contents: Contents | None = None
        if options.content or options.html:
            from fieldmouse.report import page_content  # slow to load, and most exports do not need it

            self.contents = page_content.Contents(reader)

    def lines(self, pages: Iterable[ExportedPage]) -> tuple[list[bytes], list[str]]:
        """The lines of pages, and what is damaged."""
        with rare_collection():
            return self._lines(pages)

    def _lines(self, pages: Iterable[ExportedPage]) -> tuple[list[bytes], list[str]]:
        lines, damaged = [], []
        for one in pages:
            page, version = one.record, one.record.version
            row: dict[str, Any] = dict(zip(PAGE_FIELDS, _page_values(page), strict=True))
            for name in ("first_seen", "last_visit", "last_change"):
                row[name] = moment(row[name])
            # As in the view `pages`: the last visit may have been answered with a 304.
            row["last_status"], row["status"] = page.status, version.status if version else page.status
            row["features"] = _fields(page.features)
            row["digest"], row["size"] = (version.digest, version.size) if version else ("", 0)
            row["warc"] = _fields(version.place) if version else None
            row["copy_of"] = one.copy_of
            if one.spam_score is not None:
                row["spam_score"] = one.spam_score
            said = one.metadata
            row |= said._asdict() | {"data": json.loads(said.data) if said.data else None}
            texts: dict[str, Any] = {}
            if version is not None and self.options.texts:
                try:
                    texts = self._stored(one) or self._read(version, one.text)
                except VersionErased:
                    continue
                except ArchiveDamaged as error:
                    damaged.append(f"{page.url}: {error}")
                    continue
            lines.append(_line(row, texts))
        return lines, damaged

    def _stored(self, page: ExportedPage) -> dict[str, Any] | None:
        """Main text and facts as cleaning stored them, if no more is needed."""
        options = self.options
        if page.text is None or page.facts is None or not options.content or options.text or options.html:
            return None
        facts = [{"label": label, "value": value} for label, value in json.loads(page.facts)]
        return {"content": page.text, "facts": facts}

    def _read(self, version: Version, stored: str | None) -> dict[str, Any]:
        """The parts of a row that are read from the record of a page, and its main text if not `stored`."""
        row: dict[str, Any] = {}
        options, response = self.options, self.reader.response(version)
        try:
            index = self.reader.tags(version)
        except ArchiveDamaged:
            index = read(response.content, content_type=response.header("content-type")).index
        if options.text and index is None:
            row["text"] = response.content.decode(version.charset or "utf-8", "replace")
        elif options.text and index is not None:
            charset = version.charset or sniff(response.content, response.header("content-type"))
            row["text"] = visible_text(response.content, index, charset)
        if self.contents is not None:
            found = self.contents.of(version, response, index)
            if options.content:
                text = found.text if stored is None else stored
                row |= {"content": text, "facts": [fact._asdict() for fact in found.facts]}
            row |= {"content_html": found.html} if options.html else {}
        return row


def _line(row: dict[str, Any], texts: dict[str, Any]) -> bytes:
    """A line of JSON. Texts are most of it, and the encoder of Python takes several times as long."""
    parts = [_json(row)[:-1]]
    for name, value in texts.items():
        found = tags.engine.quoted(value) if isinstance(value, str) else None
        parts += (b', "', name.encode(), b'": ', found or _json(value))
    return b"".join((*parts, b"}\n"))


def _json(value: Any) -> bytes:
    return _written(value).encode("utf-8", "replace")


# `json.dumps` makes an encoder for each value, which takes as long as to write a page.
_written = json.JSONEncoder(ensure_ascii=False).encode


def _fields(value: Features | Place | None) -> dict[str, Any] | None:
    """The fields of a value; `asdict` copies each and takes ten times as long."""
    return {name: getattr(value, name) for name in value.__slots__} if value else None


def table(reader: StoreReader, kind: str, done: Exported, where: PageFilter) -> Iterator[bytes]:
    """Pages as CSV or Parquet, with the columns of the view `pages`."""
    columns = next(view for view in schema() if view.name == "pages").columns

    def rows() -> Iterator[tuple[Any, ...]]:
        for row in reader.page_table(where):
            done.count += 1
            yield row

    return table_bytes(kind, [one.name for one in columns], rows(), [one.type for one in columns])


def warc(
    reader: StoreReader,
    name: str,
    done: Exported,
    where: PageFilter = PUBLIC,
    seen: list[cdxj.Capture] | None = None,
) -> Iterator[bytes]:
    """The records of visits as one WARC file, with redirects and errors; damaged ones are left out.

    `seen` gets their new places.
    """
    info = WarcInfo(
        software=f"fieldmouse/{VERSION}", description=f"export of archive {reader.get_property('id')}"
    )
    head = warcinfo(info, name, f"urn:uuid:{uuid.uuid4()}", time.time())
    offset, folder = len(head), reader.folder / "warc"
    yield head
    for capture, place in reader.exported(dataclasses.replace(where, everything=True)):
        length = capture.place.length
        try:
            if packs.is_packed(place.file):
                parts = [gzip_member(one) for one in packs.visit_at(folder, place.file, place.offset)]
                members, length = b"".join(parts), len(parts[0])
            else:
                members = whole_members(folder, place)
        except ArchiveDamaged as error:
            done.damaged.append(str(error))
            continue
        done.count += 1
        if seen is not None:
            seen.append(dataclasses.replace(capture, place=Place(name, offset, length)))
        offset += len(members)
        yield members


def cdxj_lines(reader: StoreReader, folder: Path, where: PageFilter) -> Iterator[bytes]:
    """The index that pywb and other players read; `folder` takes temporary files."""
    visits = reader.exported(dataclasses.replace(where, everything=True))
    return cdxj.ordered((one.capture for one in visits), folder)


def write_history(reader: StoreReader, folder: Path, where: PageFilter = PUBLIC) -> Exported:
    """Write a change history: changes.csv.gz, pages_meta.csv.gz, pages.jsonl.zst.

    A page whose first version is damaged keeps its changes, but has no HTML.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pages = list(reader.selected(where))
    end = max((page.last_visit for page in pages), default=0.0)
    changes: list[tuple[Any, ...]] = []
    meta: list[tuple[Any, ...]] = []
    for page in pages:
        key, visits = _history_key(page), reader.visits(page)
        versions = {one.time for one in reader.versions(page) if not one.private}
        for one in visits:
            if one.known_by == "first":
                changes.append((*key, moment(one.time), "A", "", one.size, "", "", "", "", ""))
            elif one.known_by == "digest" and one.time in versions:
                changed = str(int(one.changed))
                told = ", ".join(one.kinds), public_diff(one.diff)
                changes.append((*key, moment(one.time), "M", changed, one.size, "", "", "", *told))
        # A page that only readers sent was never fetched: it is known since its first version.
        fetched = (one.time for one in visits if one.known_by in ("first", "digest", "304"))
        first = next(fetched, min(versions))
        gone = page.status in (404, 410)
        meta.append((
            *key, page.url, moment(first), moment(page.last_visit if gone else end),
            moment(page.last_change), int(gone), moment(first), moment(end),
            page.versions - 1, sum(one.changed for one in visits), "fieldmouse",
        ))  # fmt: skip
    for name, head, rows in (("changes", CHANGES, sorted(changes)), ("pages_meta", META, meta)):
        packed = io.BytesIO()
        with gzip.open(packed, "wt", encoding="utf-8", newline="") as text:
            csv.writer(text).writerows((head, *rows))
        replace(folder / f"{name}.csv.gz", [packed.getvalue()])
    done = Exported(len(pages))
    replace(folder / "pages.jsonl.zst", _packed_pages(reader, pages, done))
    return done


def _history_key(page: PageRecord) -> tuple[str, str]:
    host = host_key(page.url)
    return host, page.url.partition(host)[2] or "/"


def _packed_pages(reader: StoreReader, pages: Iterable[PageRecord], done: Exported) -> Iterator[bytes]:
    """The HTML of each page as it was first seen."""
    packer = zstandard.ZstdCompressor(level=6).compressobj()
    for page in pages:
        first = next(one for one in reader.versions(page) if not one.private)
        try:
            content = reader.response(first).content
        except VersionErased:
            continue
        except ArchiveDamaged as error:
            done.damaged.append(f"{page.url}: {error}")
            continue
        site, name = _history_key(page)
        row = {
            "site": site, "page": name, "url": page.url, "first_seen": moment(first.time),
            "html_time": moment(first.time), "bytes": len(content), "truncated": len(content) > LARGEST,
            "encoding": first.charset, "html": decode(content[:LARGEST], first.charset or "utf-8"),
        }  # fmt: skip
        yield packer.compress(json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n")
    yield packer.flush()
