"""What sites announce about their pages, in sitemaps and feeds, and whether it came true.

An announcement that is believed makes a page due at once. Each is held against the digest at the next visit;
a host whose announcements mislead is heard no more, though they are still scored, so it may win trust back.
"""

from collections import Counter

from fieldmouse.types import Finding

from .database import Database
from .rows import Written

# Visits before a host's word counts, the pages that are visited on its word until then, and the share of its
# announcements that must have been true after that.
KNOWN, TRIAL, HONEST = 4, 8, 0.25


def trusted(agreed: int, misled: int) -> bool:
    """Whether announcements with this record are believed."""
    return agreed + misled < KNOWN or agreed >= HONEST * (agreed + misled)


class Announcements:
    """Hears and scores. Inside the transaction of a commit."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def hear(self, finding: Finding, now: float) -> None:
        """Make pages due that a sitemap or feed says were modified; nobody announces the future."""
        host, source = finding.ticket.host, finding.announcer
        agreed, misled = self._record(host, source)
        left = TRIAL if agreed + misled < KNOWN else len(finding.announced)
        for url, modified in finding.announced:
            if modified > now:
                continue
            made_due = left > 0 and trusted(agreed, misled)
            told = {"url": url, "source": source, "now": now, "modified": modified, "made_due": int(made_due)}
            if self.db.run("announce", **told).rowcount > 0 and made_due:
                self.db.run("make_due", url=url, now=now)
                left -= 1

    def _record(self, host: str, source: str) -> tuple[int, int]:
        row = self.db.one("announcer", host=host, source=source)
        return (row[0], row[1]) if row else (0, 0)

    def score(self, written: list[Written]) -> set[int]:
        """Hold announcements against what visits found; the pages that were visited because of one."""
        scores: Counter[tuple[str, str, bool]] = Counter()
        done, hastened = [], set()
        for one in written:
            row = self.db.one("announcement", page=one.page) if one.previous is not None else None
            if row is None:
                continue
            if row[1]:
                hastened.add(one.page)
            change = one.finding.change
            if change.found:
                came_true = change.changed or change.known_by == "first"
                scores[one.finding.ticket.host, row[0], came_true] += 1
                done.append((one.page,))
        self.db.many("drop_announcement", done)
        for host, source in {(host, source) for host, source, _ in scores}:
            counts = scores[host, source, True], scores[host, source, False]
            self.db.many("add_announcer", [(host, source, *counts)])
            if not trusted(*self._record(host, source)):
                self.db.run("ignore_announcements", host=host, source=source)
        return hastened
