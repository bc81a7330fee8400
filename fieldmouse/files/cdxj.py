"""CDXJ: the index by which pywb and similar tools find a page in WARC files.

A line is the SURT of the URL, a 14-digit time, and JSON whose values are all strings. Lines stand in the
order of their bytes, because readers search by halving.
"""

import heapq
import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path

from fieldmouse.types import Place
from fieldmouse.urls import surt


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """One record of a WARC file, as an index sees it."""

    url: str
    time: float  # seconds since the epoch
    mime: str
    status: int
    digest: str  # with or without "sha1:"
    place: Place
    revisit: bool = False


def line(capture: Capture) -> bytes:
    """A line of the index, with its line end."""
    fields = {
        "url": capture.url,
        "mime": "warc/revisit" if capture.revisit else capture.mime or "unk",
        "status": str(capture.status),
        "digest": capture.digest.removeprefix("sha1:"),
        "length": str(capture.place.length),
        "offset": str(capture.place.offset),
        "filename": capture.place.file,
    }
    return f"{surt(capture.url)} {_stamp(int(capture.time))} {json.dumps(fields)}\n".encode(
        "utf-8", "replace"
    )


@lru_cache(1024)
def _stamp(second: int) -> str:
    """A time as indexes write it; many pages are fetched in one second."""
    return datetime.fromtimestamp(second, UTC).strftime("%Y%m%d%H%M%S")


def ordered(captures: Iterable[Capture], folder: Path, chunk: int = 100_000) -> Iterator[bytes]:
    """The lines of captures in any order, sorted and without repeats.

    Sorted runs of `chunk` lines wait in nameless files in `folder`, so memory does not grow with the archive.
    """
    lines = map(line, captures)
    with ExitStack() as files:
        runs: list[Iterable[bytes]] = []
        while run := sorted(islice(lines, chunk)):
            if len(run) < chunk:
                runs.append(run)
                break
            file = files.enter_context(tempfile.TemporaryFile(dir=folder))
            file.writelines(run)
            file.seek(0)
            runs.append(file)
        last = b""
        for one in heapq.merge(*runs):
            if one != last:
                yield one
            last = one
