"""Snapshots of an archive: freshness and counts that need a look at every page, kept by the hour.

The dashboard shows the newest one, and its history. A crawl, a refresh and the daemon take one at the end of
a pass; `serve` takes one when the newest is old.
"""

import time
from pathlib import Path

from fieldmouse.settings import Settings
from fieldmouse.store import open_actions, open_reader
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.dashboard_contract import ArchiveSnapshot
from fieldmouse.units import DAY, HOUR

from .freshness import AUDIT_DAYS, Freshness, forecast_accuracy, freshness

# A snapshot that took long is taken less often: this many times as long passes in between.
PATIENCE = 100.0
# The shortest time between two of them, in seconds.
SHORTEST = 30.0


def current_freshness(reader: StoreReader, now: float) -> Freshness:
    """How fresh the copies are at a time: estimated, and measured on a random sample."""
    since = now - AUDIT_DAYS * DAY
    past = forecast_accuracy(reader.forecasts(since, now))
    return freshness(reader.page_rates(), reader.audits(since), now, past)


def take_snapshot(reader: StoreReader, settings: Settings, now: float) -> ArchiveSnapshot:
    """Look at every page; the topic is that of the settings, or else the first that pages were judged for."""
    began = time.monotonic()
    fresh = current_freshness(reader, now)
    topics = reader.dashboard.topics()
    named = Path(settings.focus.topic).stem
    topic = named if named in topics or not topics else topics[0]
    counts = reader.dashboard.take_counts(topic, now)
    disk = sum(sum(sizes.values()) for sizes in reader.file_sizes().values())
    return ArchiveSnapshot(
        time=now,
        took=time.monotonic() - began,
        pages=fresh.pages,
        estimated=fresh.estimated,
        low=fresh.low,
        high=fresh.high,
        audited=fresh.audited,
        measured=fresh.measured,
        measured_low=fresh.measured_low,
        measured_high=fresh.measured_high,
        age_days=fresh.age_days,
        stored=reader.dashboard.tallies().get("stored", 0),
        topic=topic,
        budget=settings.refresh.budget,
        disk_bytes=disk,
        **counts._asdict(),
    )


def is_old(snapshot: ArchiveSnapshot | None, now: float, longest: float = HOUR) -> bool:
    """Whether it is time for the next snapshot."""
    if snapshot is None or snapshot.time > now:
        return True
    return now - snapshot.time >= min(max(SHORTEST, PATIENCE * snapshot.took), longest)


def store_snapshot(folder: Path, settings: Settings, now: float) -> ArchiveSnapshot:
    """Take a snapshot and store it."""
    with open_reader(folder) as reader:
        taken = take_snapshot(reader, settings, now)
    actions = open_actions(folder)
    try:
        actions.put_snapshot(taken)
    finally:
        actions.close()
    return taken
