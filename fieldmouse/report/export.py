"""What leaves the archive: pages as JSON lines, records as a WARC file, an index as CDXJ."""

import json
import time
import uuid
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO

from fieldmouse.archive import cdxj
from fieldmouse.archive.reading import Reader
from fieldmouse.archive.warcrecord import WarcInfo, warcinfo
from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.types import PageRecord
from fieldmouse.version import VERSION


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


def json_lines(
    reader: Reader, *, host: str = "", text: bool = False, everything: bool = False
) -> Iterator[bytes]:
    """Every stored page as a line of JSON, with its visible text if asked; `everything` adds what failed."""
    for page in reader.pages(host):
        if page.version is None and not everything:
            continue
        row = as_json(page)
        if text and page.version is not None:
            row["text"] = _text(reader, page)
        yield json.dumps(row, ensure_ascii=False).encode() + b"\n"


def _text(reader: Reader, page: PageRecord) -> str:
    assert page.version is not None
    index = reader.tags(page.version)
    answer = reader.response(page.version)
    if index is None:
        return answer.content.decode(page.version.charset or "utf-8", "replace")
    facts = read(answer.content, content_type=answer.header("content-type"), index=index)
    return visible_text(answer.content, index, facts.charset)


def warc(reader: Reader, out: BinaryIO, name: str, *, host: str = "") -> int:
    """Copy the records of every visit, of one host or of all, into one WARC file; how many visits."""
    info = WarcInfo(software=f"fieldmouse/{VERSION}", description=f"export of archive {reader.fact('id')}")
    out.write(warcinfo(info, name, f"urn:uuid:{uuid.uuid4()}", time.time()))
    count, opened = 0, _OpenFiles(reader.folder / "warc")
    try:
        for file, offset, length in reader.records(host):
            out.write(opened.read(file, offset, length))
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
        if name != self.name or self.file is None:
            self.close()
            self.name, self.file = name, (self.folder / name).open("rb")
        self.file.seek(offset)
        return self.file.read(length)

    def close(self) -> None:
        if self.file is not None:
            self.file.close()
            self.file = None


def write_cdxj(reader: Reader, path: Path) -> int:
    """Write the index that pywb and other players read; its size in bytes."""
    return cdxj.write(path, cdxj.ordered(reader.captures(), path.parent))
