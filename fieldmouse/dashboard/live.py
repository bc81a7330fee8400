"""What the server sends to open pages while something happens."""

from dataclasses import dataclass

from fieldmouse.store.contract import StoreReader

from .overview import IN_FLIGHT, SILENT_SECONDS, live_line


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """A few numbers; a page that sees one of them change loads its parts again."""

    live: str
    dot: str
    visits: int
    changes: int
    snapshot: float


def live_figures(reader: StoreReader, now: float) -> LiveFigures:
    """What is true now; a few reads of single rows."""
    rows = reader.dashboard
    running, in_flight = rows.running(), len(rows.open_hosts(IN_FLIGHT))
    tallies, snapshot = rows.tallies(), rows.snapshot()
    spent = rows.spent(now - SILENT_SECONDS)
    recent = not tallies.get("visits") or any(one.refresh or one.discovery for one in spent)
    return LiveFigures(
        live=live_line(running, in_flight, recent=recent),
        dot="on" if running or in_flight else "" if recent else "off",
        visits=tallies.get("visits", 0),
        changes=tallies.get("changes", 0),
        snapshot=snapshot.time if snapshot else 0.0,
    )
