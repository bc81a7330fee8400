"""An archive as one WACZ file: its records, their index, the list of its pages with their text.

A WACZ file is a ZIP file that players open in a browser (WACZ 1.1.1). It is made as a stream: nothing but the
index of what was written is held in memory.
"""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from fieldmouse.files import cdxj
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.page_records import PageFilter
from fieldmouse.version import VERSION

from .export import Exported, moment, warc

WARC_NAME = "data.warc.gz"


class _Sink(io.RawIOBase):
    """Where the ZIP file is written; its bytes are taken away in between."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.parts.append(bytes(data))
        return len(self.parts[-1])

    def taken(self) -> bytes:
        data = b"".join(self.parts)
        self.parts.clear()
        return data


def wacz(
    reader: StoreReader, folder: Path, done: Exported, where: PageFilter, now: Callable[[], float]
) -> Iterator[bytes]:
    """The bytes of a WACZ file; `folder` takes temporary files."""
    sink, seen = _Sink(), list[cdxj.Capture]()
    resources: list[dict[str, Any]] = []
    with zipfile.ZipFile(sink, "w", allowZip64=True) as zip_:

        def member(path: str, chunks: Iterator[bytes], method: int) -> Iterator[bytes]:
            digest, size = hashlib.sha256(), 0
            info = zipfile.ZipInfo(path, datetime.fromtimestamp(now(), UTC).timetuple()[:6])
            info.compress_type = method
            with zip_.open(info, "w", force_zip64=True) as file:
                for chunk in chunks:
                    file.write(chunk)
                    digest.update(chunk)
                    size += len(chunk)
                    yield sink.taken()
            name = path.rpartition("/")[2]
            resources.append(
                {"name": name, "path": path, "hash": f"sha256:{digest.hexdigest()}", "bytes": size}
            )
            yield sink.taken()

        # Players read parts of the records and the index where they are: those are not packed.
        yield from member(
            f"archive/{WARC_NAME}", warc(reader, WARC_NAME, done, where, seen), zipfile.ZIP_STORED
        )
        yield from member("indexes/index.cdxj", cdxj.ordered(seen, folder), zipfile.ZIP_STORED)
        yield from member("pages/pages.jsonl", _pages(reader, where), zipfile.ZIP_DEFLATED)
        package = {
            "profile": "data-package",
            "wacz_version": "1.1.1",
            "software": f"fieldmouse/{VERSION}",
            "created": moment(now()),
            "title": f"archive {reader.get_property('id')}",
            "resources": resources,
        }
        text = json.dumps(package, indent=2).encode()
        yield from member("datapackage.json", iter([text]), zipfile.ZIP_DEFLATED)
        signed = {"path": "datapackage.json", "hash": f"sha256:{hashlib.sha256(text).hexdigest()}"}
        yield from member(
            "datapackage-digest.json", iter([json.dumps(signed).encode()]), zipfile.ZIP_DEFLATED
        )
    yield sink.taken()


def _pages(reader: StoreReader, where: PageFilter) -> Iterator[bytes]:
    """The list of pages, with the text that was stored of them."""
    head = {"format": "json-pages-1.0", "id": "pages", "title": "Pages", "hasText": True}
    rows = (
        {
            "id": str(page.id), "url": page.url, "ts": moment(page.version.time), "title": page.title,
            "text": reader.text(page.id) or "",
        }
        for page in reader.selected(where)
        if page.version is not None
    )  # fmt: skip
    for row in chain([head], rows):
        yield json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
