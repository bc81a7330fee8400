"""The workers that joined an archive."""

from fieldmouse.errors import UsageError
from fieldmouse.store.worker_contract import WorkerNews, WorkerRecord, WorkerRegistry
from fieldmouse.units import DAY

from .database import Database, repeatable

# How long a worker that ended, or died, is listed.
LISTED = 7 * DAY

# A worker that was idle and is silent for longer gets no hosts from others.
IDLE_SECONDS = 10.0


class SqlWorkers(WorkerRegistry):
    """The contract's WorkerRegistry."""

    def __init__(self, db: Database) -> None:
        self.db = db

    @repeatable
    def join(
        self, name: str, machine: str, pid: int, now: float, *, region: str = "", slot: str = ""
    ) -> None:
        if not self.db.own(f"worker {name}"):
            found = [one for one in self.all(now) if one.name == name]
            where = f" on {found[0].machine}, process {found[0].pid}" if found else ""
            raise UsageError(
                f"a worker called {name} is at work{where}; give this one another --name, or none"
            )
        values: dict[str, str | int] = {"machine": machine, "pid": pid, "region": region, "slot": slot}
        with self.db.transaction(exclusive=False):
            self.db.run("forget_workers", clock=now, seconds=LISTED)
            self.db.run("join_worker", name=name, clock=now, **values)

    def report(
        self, name: str, counts: tuple[int, int, int], now: float, *, idle: bool = False
    ) -> WorkerNews:
        visits, stored, failures = counts
        values = {"visits": visits, "stored": stored, "failures": failures, "idle": int(idle)}
        row = self.db.one("report_worker", name=name, clock=now, **values)
        others = 0 if idle else self.db.one("idle_workers", name=name, clock=now, seconds=IDLE_SECONDS)[0]
        return WorkerNews(row is None or row[0] != "running", others)

    def idle(self, now: float) -> int:
        return int(self.db.one("joined_idle", clock=now, seconds=IDLE_SECONDS)[0])

    def leave(self, name: str, now: float) -> None:
        self.db.run("leave_worker", name=name, clock=now)

    @repeatable
    def drain(self, name: str = "") -> int:
        with self.db.transaction(exclusive=False):
            drained = self.db.run("drain_workers", name=name).fetchall()
            for region, slot in drained:
                if slot:
                    self.db.run("lower_placement", region=region)
            return len(drained)

    @repeatable
    def end_slot(self, slot: str) -> None:
        with self.db.transaction(exclusive=False):
            self.db.run("end_slot", slot=slot)

    def all(self, now: float) -> list[WorkerRecord]:
        return [WorkerRecord(*row) for row in self.db.rows("workers", clock=now)]

    def alive(self, now: float, seconds: float) -> frozenset[str]:
        """The workers that gave a sign of life within so many seconds."""
        return frozenset(name for (name,) in self.db.rows("live_workers", clock=now, seconds=seconds))

    def close(self) -> None:
        self.db.close()
