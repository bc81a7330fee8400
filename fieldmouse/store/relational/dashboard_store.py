"""The queries of the dashboard, and the small writes that people make from there."""

import math
from collections.abc import Iterable
from pathlib import Path

from fieldmouse.errors import UsageError
from fieldmouse.files.append_only import lock_holder
from fieldmouse.store.dashboard_contract import (
    ArchiveSnapshot,
    ChangeSummary,
    DashboardReader,
    HostSummary,
    HourlyCount,
    OpenHost,
    PageSummary,
    SeenChange,
    SkippedLink,
    SnapshotCounts,
    SubmissionSummary,
    UndecidedPage,
    UserActions,
    VersionSummary,
    VisitMark,
)
from fieldmouse.store.engines import open_database
from fieldmouse.store.records import SLOT_SECONDS, SkippedUrl, Spent
from fieldmouse.units import HOUR

from .database import Database, repeatable
from .label_store import SqlLabels

# An id that is larger than any.
LAST = 1 << 62
# The end of a range of names with a prefix.
END = "\U0010ffff"


class SqlDashboard(DashboardReader):
    """The contract's DashboardReader."""

    def __init__(self, folder: Path, db: Database) -> None:
        self.folder = folder
        self.db = db

    def running(self) -> str:
        return lock_holder(self.folder / "lock")

    def tallies(self) -> dict[str, int]:
        return dict(self.db.rows("tallies"))

    def snapshot(self) -> ArchiveSnapshot | None:
        row = self.db.one("newest_snapshot")
        return ArchiveSnapshot(*row) if row else None

    def snapshots(self, since: float) -> list[ArchiveSnapshot]:
        return [ArchiveSnapshot(*row) for row in self.db.rows("snapshots", since=int(since // HOUR))]

    def take_counts(self, topic: str, now: float) -> SnapshotCounts:
        states = dict(self.db.rows("host_states"))
        judged, relevant, undecided = self.db.one("count_judged", topic=topic)
        return SnapshotCounts(
            cleaned=self.db.one("count_cleaned")[0],
            copies=self.db.one("copy_counts")[1],
            judged=judged,
            relevant=relevant,
            undecided=undecided,
            overdue=self.db.one("count_overdue", before=now)[0],
            hosts=sum(states.values()),
            parked=states.get("parked", 0),
            redirect_spam=states.get("redirect_spam", 0),
        )

    def hourly(self, since: float, until: float) -> list[HourlyCount]:
        rows = self.db.rows("hourly", since=int(since // HOUR), until=math.ceil(until / HOUR))
        return [HourlyCount(*row) for row in rows]

    def spent(self, since: float) -> list[Spent]:
        rows = self.db.rows("spent", since=int(since // SLOT_SECONDS))
        return [Spent(slot * SLOT_SECONDS, refresh, discovery) for slot, refresh, discovery in rows]

    def topics(self) -> list[str]:
        found: list[str] = []
        while row := self.db.one("judged_topics", after=found[-1] if found else ""):
            found.append(row[0])
        return found

    def open_hosts(self, n: int) -> list[OpenHost]:
        return [OpenHost(*row) for row in self.db.rows("hosts_in_flight", n=n)]

    def failing_hosts(self, before: float, n: int) -> list[HostSummary]:
        return [HostSummary(*row) for row in self.db.rows("failing_hosts", before=before, n=n)]

    def host(self, name: str) -> HostSummary | None:
        row = self.db.one("host_summary", name=name)
        return HostSummary(*row) if row else None

    def hosts(self, order: str, after: tuple[int, int] | None, n: int) -> list[HostSummary]:
        name = {"stored": "hosts_by_stored", "changes": "hosts_by_changes"}[order]
        count, last = after or (LAST, LAST)
        return [HostSummary(*row) for row in self.db.rows(name, count=count, id=last, n=n)]

    def hosts_named(self, prefix: str, after: str, n: int) -> list[HostSummary]:
        rows = self.db.rows("hosts_by_prefix", prefix=prefix, after=after, end=prefix + END, n=n)
        return [HostSummary(*row) for row in rows]

    def refused_hosts(self, after: int, n: int) -> list[HostSummary]:
        return [HostSummary(*row) for row in self.db.rows("refused_hosts", after=after, n=n)]

    def paused_hosts(self, after: int, n: int) -> list[HostSummary]:
        return [HostSummary(*row) for row in self.db.rows("paused_host_summaries", after=after, n=n)]

    def due_pages(self, host: int, now: float, most: int) -> int:
        return int(self.db.one("host_due_count", host=host, now=now, n=most)[0])

    def pending_pages(self, host: int, most: int) -> int:
        return int(self.db.one("host_waiting_count", host=host, n=most)[0])

    def skips(self, host: int, n: int) -> list[SkippedLink]:
        rows = self.db.rows("host_skips", host=host, n=n)
        return [SkippedLink(url, SkippedUrl(time, reason)) for url, time, reason in rows]

    def eventful_pages(self, host: int, n: int) -> list[PageSummary]:
        return [PageSummary(*row) for row in self.db.rows("host_pages_by_rate", host=host, n=n)]

    def host_pages(self, host: int, after: int, n: int) -> list[PageSummary]:
        return [PageSummary(*row) for row in self.db.rows("host_pages", host=host, after=after, n=n)]

    def newest_pages(self, before: int | None, n: int) -> list[PageSummary]:
        rows = self.db.rows("newest_pages", before=LAST if before is None else before, n=n)
        return [PageSummary(*row) for row in rows]

    def due_next(self, after: tuple[float, int] | None, n: int) -> list[PageSummary]:
        due, last = after or (-math.inf, 0)
        return [PageSummary(*row) for row in self.db.rows("due_next", due=due, id=last, n=n)]

    def page(self, url: str) -> PageSummary | None:
        row = self.db.one("page_summary", url=url)
        return PageSummary(*row) if row else None

    def visit_marks(self, page: int, since: float, n: int) -> list[VisitMark]:
        rows = self.db.run("visit_marks", page=page, since=since, n=n).fetchall()
        return [VisitMark(*row) for row in reversed(rows)]

    def changes(self, before: float, since: float, n: int, host: str = "") -> list[ChangeSummary]:
        between = {"before": before, "since": since, "n": n}
        if not host:
            return [ChangeSummary(*row) for row in self.db.rows("changes_before", **between)]
        known = self.host(host)
        if known is None or not known.changes:
            return []
        # Either all pages of the host are looked at, or all changes until enough are of the host.
        changes = n * self.tallies().get("changes", 0) / known.changes
        query = "eventful_host_changes_before" if changes < known.pages else "host_changes_before"
        return [ChangeSummary(*row) for row in self.db.rows(query, host=host, **between)]

    def versions(self, page: int, before: float, n: int) -> list[VersionSummary]:
        return [VersionSummary(*row) for row in self.db.rows("page_versions", page=page, before=before, n=n)]

    def seen(self, reader: str) -> float:
        row = self.db.one("seen", reader=reader)
        return float(row[0]) if row else 0.0

    def seen_changes(self, reader: str, since: float) -> frozenset[SeenChange]:
        return frozenset(map(SeenChange._make, self.db.rows("seen_changes", reader=reader, since=since)))

    def changes_since(self, reader: str, since: float, most: int) -> int:
        return int(self.db.one("changes_since", reader=reader, since=since, n=most)[0])

    def submissions(self, before: float, n: int, url: str = "") -> list[SubmissionSummary]:
        query = "newest_submissions_of" if url else "newest_submissions"
        values = {"before": before, "n": n} | ({"url": url} if url else {})
        return [SubmissionSummary(*row) for row in self.db.rows(query, **values)]

    def newest_diffs(self, page: int, n: int) -> list[str]:
        return [diff for (diff,) in self.db.rows("newest_diffs", page=page, n=n)]

    def undecided(self, topic: str, n: int) -> list[UndecidedPage]:
        return [UndecidedPage(*row) for row in self.db.rows("undecided", topic=topic, n=n)]


class SqlActions(UserActions):
    """The contract's UserActions; each call is one transaction, also during a crawl."""

    def __init__(self, folder: Path) -> None:
        self.db = open_database(folder)
        self.labels = SqlLabels(self.db)

    def close(self) -> None:
        self.db.close()

    @repeatable
    def refresh_page(self, url: str, now: float) -> bool:
        with self.db.transaction():
            if self.db.one("is_forgotten", url=url):
                return False
            self.db.run("make_page_due", url=url, now=now)
            return self.db.one("is_page", url=url) is not None

    @repeatable
    def refresh_host(self, host: str, now: float, n: int) -> int:
        with self.db.transaction():
            return self.db.run("make_host_due", host=host, now=now, n=n).rowcount

    @repeatable
    def set_weight(self, url: str, weight: float) -> bool:
        with self.db.transaction():
            return self.db.run("set_weight", url=url, weight=weight).rowcount > 0

    @repeatable
    def set_noise_overrides(self, host: str, keys: Iterable[str], state: str) -> None:
        with self.db.transaction():
            for key in keys:
                self.db.run("drop_noise_override", host=host, what=key)
                if state:
                    self.db.run("put_noise_override", host=host, what=key, state=state)

    @repeatable
    def mark_seen(self, reader: str, until: float) -> None:
        with self.db.transaction():
            self.db.run("drop_seen_changes", reader=reader, until=until)
            self.db.run("put_seen", reader=reader, time=until)

    @repeatable
    def mark_change(self, reader: str, change: SeenChange, *, seen: bool) -> None:
        query = "put_seen_change" if seen else "drop_seen_change"
        with self.db.transaction():
            self.db.run(query, reader=reader, page=change.page, time=change.time)

    @repeatable
    def pause_host(self, host: str, now: float, *, paused: bool) -> bool:
        with self.db.transaction():
            if paused:
                self.db.run("pause_host", host=host, now=now)
                self.db.run("drop_host_controls", host=host)
            else:
                self.db.run("resume_host", host=host)
            return self.db.one("host", name=host) is not None

    @repeatable
    def set_submission_private(self, id_: str, *, private: bool) -> bool:
        with self.db.durable_transaction():
            row = self.db.one("submission_version", id=id_)
            if row is None:
                return False
            version = row[0]
            if not private and self.db.one("private_with_others", version=version, id=id_):
                raise UsageError("somebody else sent the same and keeps it private, so it stays private")
            self.db.run("set_submission_private", id=id_, private=int(private))
            self.db.run("set_version_private", version=version, private=int(private))
            self.db.run("set_page_private", version=version, private=int(private))
            return True

    @repeatable
    def put_snapshot(self, snapshot: ArchiveSnapshot) -> None:
        with self.db.transaction():
            self.db.many("put_snapshot", [(int(snapshot.time // HOUR), *snapshot)])
