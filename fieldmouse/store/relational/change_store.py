"""Changes for people, and the outbox,."""

from collections.abc import Sequence
from pathlib import Path

from fieldmouse.store.change_contract import (
    ChangeCursor,
    ChangeReader,
    ChangeRow,
    Delivery,
    GonePage,
    MovedPage,
    Outbox,
    PendingDeliveries,
)
from fieldmouse.store.engines import open_database
from fieldmouse.store.page_records import PageFilter

from .database import Database, repeatable
from .page_filter import filtered

# A number that is larger than any.
LAST = 1 << 62


class SqlChanges(ChangeReader):
    """The contract's ChangeReader."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def listed(self, where: PageFilter, *, since: float, after: int, n: int) -> list[ChangeRow]:
        return [ChangeRow(*row) for row in self._rows("listed_changes", where, found=since, after=after, n=n)]

    def last(self) -> int:
        return int(self.db.one("last_change")[0])

    def cursor(self, name: str) -> ChangeCursor | None:
        row = self.db.one("change_cursor", name=name)
        return ChangeCursor(*row) if row else None

    def gone(self, where: PageFilter, *, since: float, n: int) -> list[GonePage]:
        return [
            GonePage(url, host, title, status, error, via, misses, bool(stored), time)
            for url, host, title, status, error, via, misses, stored, time in self._rows(
                "gone_pages", where, found=since, n=n
            )
        ]

    def moved(self, where: PageFilter, *, since: float, n: int) -> list[MovedPage]:
        return [
            MovedPage(url, host, title, status, target, kind, bool(stored), time)
            for url, host, title, status, target, kind, stored, time in self._rows(
                "moved_pages", where, found=since, n=n
            )
        ]

    def _rows(self, query: str, where: PageFilter, **values: float) -> list[tuple]:  # type: ignore[type-arg]
        sql, chosen = filtered(self.db, query, where)
        return list(self.db.select(sql, chosen | values))


class SqlOutbox(Outbox):
    """The contract's Outbox."""

    def __init__(self, folder: Path) -> None:
        self.db = open_database(folder)

    def close(self) -> None:
        self.db.close()

    @repeatable
    def set_cursor(self, name: str, cursor: ChangeCursor) -> None:
        with self.db.transaction():
            self.db.run("put_change_cursor", name=name, seq=cursor.number, time=cursor.time)

    @repeatable
    def begin(self, name: str, now: float) -> ChangeCursor:
        with self.db.transaction():
            row = self.db.one("change_cursor", name=name)
            if row is None:
                row = self.db.one("last_change")[0], now
                self.db.run("put_change_cursor", name=name, seq=row[0], time=now)
        return ChangeCursor(*row)

    def to_send(self, where: PageFilter, after: int, n: int) -> list[ChangeRow]:
        sql, values = filtered(self.db, "changes_to_send", where)
        held = self.db.one("first_held_change", after=after)[0]
        values |= {"after": after, "before": held or LAST, "n": n}
        return [ChangeRow(*row) for row in self.db.select(sql, values)]

    @repeatable
    def put(self, name: str, old: ChangeCursor, new: ChangeCursor, found: Sequence[Delivery]) -> bool:
        with self.db.transaction():
            moved = self.db.run(
                "advance_change_cursor", name=name, seq=new.number, time=new.time, old=old.number
            )
            if moved.rowcount != 1:
                return False
            for one in found:
                self.db.run(
                    "put_delivery", id=one.id, channel=one.channel, target=one.target, body=one.body,
                    created=one.created,
                )  # fmt: skip
        return True

    def due(self, now: float, n: int) -> list[Delivery]:
        return [Delivery(*row) for row in self.db.rows("due_deliveries", now=now, n=n)]

    @repeatable
    def claim(self, one: Delivery, until: float) -> bool:
        with self.db.transaction():
            claimed = self.db.run("claim_delivery", id=one.id, attempts=one.attempts, until=until)
        return claimed.rowcount == 1

    @repeatable
    def delivered(self, id_: str) -> None:
        with self.db.transaction():
            self.db.run("drop_delivery", id=id_)

    @repeatable
    def failed(self, id_: str, error: str, due: float) -> None:
        with self.db.transaction():
            self.db.run("postpone_delivery", id=id_, error=error, due=due)

    def pending(self) -> PendingDeliveries:
        return PendingDeliveries(*self.db.one("waiting_deliveries"))
