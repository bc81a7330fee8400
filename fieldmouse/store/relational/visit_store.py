"""Visits of readers: `store/visit_contract.py` says what each method does."""

import math
from collections.abc import Iterable, Iterator, Sequence

from fieldmouse.store.records import ChangeCheck
from fieldmouse.store.submission_contract import ReaderVisit
from fieldmouse.store.visit_contract import (
    ActionCount,
    BehaviourDecision,
    PageVisit,
    ReaderVisits,
    ReaderVisitStore,
    VisitedPage,
    VisitTotals,
)

from .database import Database, repeatable

# Numbers of readers and addresses that are remembered between two batches.
REMEMBERED = 500_000


class SqlReaderVisits(ReaderVisits):
    """The contract's ReaderVisits."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def totals(self) -> VisitTotals:
        visits, urls, readers, first, last = self.db.one("visit_totals")
        return VisitTotals(visits=visits, urls=urls, readers=readers, first=first, last=last)

    def visited_pages(self) -> Iterator[VisitedPage]:
        return map(VisitedPage._make, self.db.rows("visited_pages"))

    def page_visits(self, first: int, last: int, since: float, until: float) -> Iterator[PageVisit]:
        rows = self.db.rows("page_visits", first=first, last=last, since=since, until=until)
        return map(PageVisit._make, rows)

    def planned_pages(self) -> list[tuple[int, str]]:
        return [(id_, url) for id_, url, _, _ in self.db.rows("forecast_pages", n=-1)]

    def outcomes(self) -> Iterator[ChangeCheck]:
        return map(ChangeCheck._make, self.db.rows("visit_outcomes", since=-math.inf, until=math.inf))

    def last_results(self, page: int, n: int) -> list[bool]:
        return [bool(changed) for _, changed in self.db.rows("recent_gaps", page=page, n=n)]

    def chances(self) -> Iterator[tuple[int, float, float]]:
        return iter(self.db.rows("decision_chances"))

    def last_decision(self, page: int) -> BehaviourDecision | None:
        row = self.db.one("last_decision", page=page)
        return BehaviourDecision(*row) if row else None

    def action_counts(self, since: float) -> list[ActionCount]:
        return [ActionCount(*row) for row in self.db.rows("action_counts", since=since)]


class SqlReaderVisitStore(SqlReaderVisits, ReaderVisitStore):
    """The contract's ReaderVisitStore."""

    def __init__(self, db: Database) -> None:
        super().__init__(db)
        self._urls: dict[str, int] = {}
        self._readers: dict[str, int] = {}

    @repeatable
    def add(self, visits: Sequence[ReaderVisit]) -> int:
        try:
            with self.db.transaction():
                return self.put(visits)
        except BaseException:
            self.forget()
            raise

    def put(self, visits: Sequence[ReaderVisit]) -> int:
        """The same, inside a transaction. If that does not happen, call `forget`: its numbers are void."""
        urls, readers = self._urls, self._readers
        rows = sorted(
            (
                urls.get(one.url) or self._number(urls, "visited_url", "add_visited_url", one.url),
                one.time,
                readers.get(one.user) or self._number(readers, "reader_number", "add_reader", one.user),
            )
            for one in visits
        )
        return self.db.many("put_reader_visit", rows)

    def forget(self) -> None:
        """Forget remembered numbers."""
        self._urls.clear()
        self._readers.clear()

    def _number(self, known: dict[str, int], find: str, put: str, text: str) -> int:
        if len(known) >= REMEMBERED:
            known.clear()
        row = self.db.one(find, name=text)
        if row is None:
            self.db.run(put, name=text)
            row = self.db.one(find, name=text)
        number = known[text] = int(row[0])
        return number

    def skipped_pages(self) -> Iterator[BehaviourDecision]:
        return map(BehaviourDecision._make, self.db.rows("skipped_pages"))

    @repeatable
    def put_decisions(self, decisions: Iterable[BehaviourDecision]) -> None:
        with self.db.transaction():
            self.db.many("put_decision", decisions)

    @repeatable
    def expire(self, before: float) -> None:
        with self.db.transaction():
            self.db.run("expire_decisions", before=before)
            if self.db.run("expire_reader_visits", before=before).rowcount > 0:
                self.drop_unused()

    def drop_unused(self) -> None:
        """Drop addresses and readers without visits. Inside a transaction."""
        self.db.run("drop_unvisited_urls")
        self.db.run("drop_readers")
        self.forget()
