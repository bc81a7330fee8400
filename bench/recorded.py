"""Recorded snapshots of pages as a web on this machine, which shows each page as it was on a day.

A recording is a folder with `replay.jsonl.zst`: one snapshot a line (site, page, url, time, content_changed,
html), sorted by page and time. Between two snapshots a page shows the earlier one.
"""

import json
import zlib
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Self
from urllib.parse import urlsplit

import zstandard

from fieldmouse.demo.hosts import Town
from fieldmouse.demo.pages import Addresses, DemoHost, DemoPage, Design, listing
from fieldmouse.units import DAY

# What the files were packed with.
WINDOW = 2**27


@dataclass(slots=True)
class Series:
    """One page: days of its snapshots, its bytes (packed) and a number that grows with its content."""

    days: list[float] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    states: list[int] = field(default_factory=list)

    def place(self, day: float) -> int:
        """Which snapshot is shown; before the first one, that one."""
        return max(bisect_right(self.days, day) - 1, 0)

    def add(self, day: float, body: bytes, *, changed: bool) -> None:
        """Take the next snapshot; the ones from before the start leave only the last."""
        state = (self.states[-1] if self.states else 0) + changed
        if self.days and day <= 0.0:
            self.days, self.bodies, self.states = [], [], []
        self.days.append(day)
        self.bodies.append(zlib.compress(body, 1))
        self.states.append(state)


@dataclass(frozen=True, slots=True)
class Recording:
    """Series of pages by their names: host and path."""

    start: float  # seconds since the epoch
    series: dict[tuple[str, str], Series]

    @classmethod
    def read(cls, folder: Path, days: float) -> Self:
        """The first days of a recording; pages that begin later are left out."""
        start = min(_seconds(one["time"]) for one in _firsts(folder))
        series: dict[tuple[str, str], Series] = {}
        for row in _rows(folder):
            day = (_seconds(row["time"]) - start) / DAY
            if day <= days:
                changed = row["content_changed"] == 1
                series.setdefault(_name(row), Series()).add(day, row["html"].encode(), changed=changed)
        # A page is there from the first day on, or is no part of the run.
        return cls(start, {name: one for name, one in series.items() if one.days[0] <= 1.0})

    def state(self, url: str, day: float) -> object:
        """The content that an address shows on a day; the lists of pages never change."""
        parts = urlsplit(url)
        found = self.series.get((parts.hostname or "", _target(parts.path, parts.query)))
        return found.states[found.place(day)] if found else 0

    def town(self, port: int) -> Town:
        """The recorded hosts, each with a list of its pages as a way in."""
        addresses = Addresses(port)
        hosts: dict[str, dict[str, Series]] = {}
        for (host, path), one in self.series.items():
            hosts.setdefault(host, {})[path] = one
        sites = tuple(_site(host, pages) for host, pages in hosts.items())
        return Town(addresses, sites, tuple(addresses.at(host, "/all-pages") for host in hosts))


def _site(host: str, pages: dict[str, Series]) -> DemoHost:
    def generate(target: str, day: float) -> DemoPage | None:
        one = pages.get(target)
        if one is None:
            return None
        place = one.place(day)
        return DemoPage(body=zlib.decompress(one.bodies[place]), edition=one.days[place])

    first = {path: page for path in pages if (page := generate(path, 0.0))}
    way_in = Design(host, ()).simple("Pages", [], listing((path, path) for path in pages))
    return DemoHost(name=host, pages={"/all-pages": way_in, **first}, generate=generate)


def _rows(folder: Path) -> Iterator[dict[str, Any]]:
    with (folder / "replay.jsonl.zst").open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=WINDOW).stream_reader(
            file, read_across_frames=True
        )
        rest = b""
        while piece := reader.read(1 << 20):
            *lines, rest = (rest + piece).split(b"\n")
            yield from map(json.loads, lines)
        if rest.strip():
            yield json.loads(rest)


def _firsts(folder: Path) -> Iterator[dict[str, Any]]:
    """The first snapshot of each page."""
    last = None
    for row in _rows(folder):
        if (row["site"], row["page"]) != last:
            last = row["site"], row["page"]
            yield row


def _name(row: dict[str, Any]) -> tuple[str, str]:
    """Where a page lives here: at its own host and path, or at made-up ones."""
    parts = urlsplit(row["url"] or "")
    if parts.hostname:
        return f"{parts.hostname}.test", _target(parts.path or "/", parts.query)
    made = "".join(one if one.isalnum() else "-" for one in f"{row['site']}-{row['page']}".lower())
    return f"{made.strip('-')}.test", "/"


def _target(path: str, query: str) -> str:
    return f"{path}?{query}" if query else path


def _seconds(text: str | float) -> float:
    return text if isinstance(text, float | int) else datetime.fromisoformat(text).timestamp()
