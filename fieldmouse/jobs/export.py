"""What leaves the archive: pages as JSON lines, records as a WARC file, an index as CDXJ."""

import json
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from fieldmouse.files import cdxj, packs
from fieldmouse.files.warc_record import WarcInfo, gzip_member, warcinfo
from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.store.contract import StoreReader
from fieldmouse.types import PageRecord
from fieldmouse.version import VERSION

if TYPE_CHECKING:
    from fieldmouse.report.page_content import Contents


def moment(seconds: float) -> str:
    """Seconds since the epoch as people and databases read them."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def as_json(page: PageRecord) -> dict[str, Any]:
    """A page's record as plain JSON."""
    version = page.version
    return {
        "url": page.url,
        "host": page.host,
        "status": page.status,
        "trouble": page.trouble,
        "mime": page.mime,
        "title": page.title,
        "language": page.language,
        "first_seen": moment(page.first_seen),
        "last_visit": moment(page.last_visit),
        "last_change": moment(page.last_change),
        "visits": page.visits,
        "versions": page.versions,
        "depth": page.depth,
        "via": page.via,
        "trail": page.trail,
        "features": asdict(page.features) if page.features else None,
        "digest": version.digest if version else "",
        "size": version.size if version else 0,
        "warc": asdict(version.place) if version else None,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportOptions:
    """Which pages leave as JSON lines, and with what."""

    host: str = ""
    text: bool = False  # with all that a reader sees
    content: bool = False  # with the text without template
    html: bool = False  # with the content as HTML
    everything: bool = False  # also what failed
    copies: bool = True  # also pages that are a copy of another


def json_lines(reader: StoreReader, options: ExportOptions) -> Iterator[bytes]:
    """Stored pages as lines of JSON."""
    contents = _contents(reader) if options.content or options.html else None
    for page in reader.pages(options.host):
        if page.version is None and not options.everything:
            continue
        copy = reader.templates.copy_of(page.id)
        if copy is not None and not options.copies:
            continue
        row = as_json(page) | {"copy_of": copy.url if copy else ""}
        if options.text and page.version is not None:
            row["text"] = _text(reader, page)
        if contents is not None and page.version is not None:
            found = contents.of(page.version, reader.response(page.version), reader.tags(page.version))
            row |= {"content": found.text} if options.content else {}
            row |= {"content_html": found.html} if options.html else {}
        yield json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _contents(reader: StoreReader) -> "Contents":
    """Late, because it takes a moment to load what most exports do not need."""
    from fieldmouse.report.page_content import Contents

    return Contents(reader)


def _text(reader: StoreReader, page: PageRecord) -> str:
    assert page.version is not None
    index = reader.tags(page.version)
    answer = reader.response(page.version)
    if index is None:
        return answer.content.decode(page.version.charset or "utf-8", "replace")
    facts = read(answer.content, content_type=answer.header("content-type"), index=index)
    return visible_text(answer.content, index, facts.charset)


def warc(reader: StoreReader, out: BinaryIO, name: str, *, host: str = "") -> int:
    """Copy the records of every visit, of one host or of all, into one WARC file; how many visits."""
    info = WarcInfo(software=f"fieldmouse/{VERSION}", description=f"export of archive {reader.fact('id')}")
    out.write(warcinfo(info, name, f"urn:uuid:{uuid.uuid4()}", time.time()))
    count, opened = 0, _OpenFiles(reader.folder / "warc")
    try:
        for place in reader.records(host):
            out.write(opened.read(place.file, place.offset, place.length))
            count += 1
    finally:
        opened.close()
    return count


class _OpenFiles:
    """The file read last stays open: records come in the order of the files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.name = ""
        self.file: BinaryIO | None = None

    def read(self, name: str, offset: int, length: int) -> bytes:
        if packs.is_packed(name):
            return b"".join(gzip_member(one) for one in packs.visit_at(self.folder, name, offset))
        if name != self.name or self.file is None:
            self.close()
            self.name, self.file = name, (self.folder / name).open("rb")
        self.file.seek(offset)
        return self.file.read(length)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None


def write_cdxj(reader: StoreReader, path: Path) -> int:
    """Write the index that pywb and other players read; its size in bytes."""
    return cdxj.write(path, cdxj.ordered(reader.captures(), path.parent))
