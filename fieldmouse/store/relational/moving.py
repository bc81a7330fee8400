"""Moving the state of an archive to another engine: table by table, verified row by row, and resumable.

Rows are copied in the order of their keys, so a move that was interrupted goes on behind the last row that is
there. The target counts only when every row was compared and the settings name it.
"""

import time
from collections.abc import Callable, Iterator
from itertools import zip_longest
from typing import Any

from fieldmouse.errors import ArchiveDamaged, UsageError
from fieldmouse.store.engines import LEFT
from fieldmouse.store.records import MovedTable

from .database import Database
from .search_text import unpacked

# A connection that was just closed is there until the server has ended its side.
ENDING_SECONDS = 2.0

# Rows of a transaction.
BLOCK = 2000

# Keys of tables that have no primary key.
KEYS = {"template": ("host", "version"), "dictionary": ("digest",)}

# Texts that SQLite has as zstd frames and a server as they are.
PACKED = {("page_text", "data"), ("page_text", "facts"), ("document", "data")}

# What a trigger would write goes first, and the facts, which name the archive, go last.
FIRST, LAST = "change_log", "property"

# The property of a target that is not complete: the id of the archive that is moved there.
MOVING = "moving"


def leave(source: Database, target: str) -> None:
    """Keep everybody from writing to a server that the archive leaves; UsageError if somebody does.

    Workers of other machines may write to it. For a file, the lock of the folder is enough.
    """
    if not source.interruptible:
        return
    with source.durable_transaction():
        source.set_property(LEFT, target)
    until = time.monotonic() + ENDING_SECONDS
    while (others := source.other_writers()) and time.monotonic() < until:
        time.sleep(0.05)
    if others:
        stay(source)
        raise UsageError(
            f"{others} other {'process is' if others == 1 else 'processes are'} connected to {source.where} "
            "and may write; end workers with `cluster drain --all`, end `run` and `serve` on all machines, "
            "then move"
        )


def stay(source: Database) -> bool:
    """Let others write to a server that the archive was about to leave; False if it was not."""
    with source.durable_transaction():
        left = source.get_property(LEFT)
        source.set_property(LEFT, "")
    return bool(left)


def move(source: Database, target: Database, report: Callable[[MovedTable], None]) -> int:
    """Copy every row to a target that is empty or that an earlier move began; returns how many there are."""
    own, there = source.get_property("id"), target.get_property("id") or target.get_property(MOVING)
    if there not in ("", own):
        raise UsageError(f"{target.where} already holds another archive; choose an empty database")
    if not there:
        with target.transaction():
            target.set_property(MOVING, own)
    tables = [_Table(name) for name in target.tables()]
    tables.sort(key=lambda one: (one.name != FIRST, one.name == LAST, one.name))
    for table in tables[:-1]:
        copied = 0
        for rows in table.missing(source, target):
            with target.transaction():
                target.load(table.name, table.columns, rows)
            copied += len(rows)
            report(MovedTable(table.name, copied, verified=False))
    total = sum(table.verify(source, target, report) for table in tables[:-1])
    with target.durable_transaction():
        target.texts.rebuild()
        target.copied()
        for name, value in source.select("SELECT name, value FROM property", {}):
            target.set_property(name, value)
        for name in (MOVING, LEFT):
            target.set_property(name, "")
    return total


class _Table:
    """A table with its columns and key."""

    def __init__(self, name: str) -> None:
        from fieldmouse.store.postgres.dialect import tables

        self.name = name
        self.columns, key, _ = tables()[name]
        self.key = key or KEYS[name]
        self._places = [self.columns.index(one) for one in self.key]
        self._packed = [at for at, one in enumerate(self.columns) if (name, one) in PACKED]

    def missing(self, source: Database, target: Database) -> Iterator[list[tuple[Any, ...]]]:
        """The rows behind the last one of the target, in blocks."""
        names = ", ".join(f'"{one}"' for one in self.columns)
        key, order = ", ".join(f'"{one}"' for one in self.key), ", ".join(f'"{one}" DESC' for one in self.key)
        last = next(target.select(f'SELECT {key} FROM "{self.name}" ORDER BY {order} LIMIT 1', {}), None)  # noqa: S608
        while True:
            where, values = "", {}
            if last is not None:
                places = ", ".join(f":k{n}" for n in range(len(self.key)))
                where = f"WHERE ({key}) > ({places})"
                values = {f"k{n}": value for n, value in enumerate(last)}
            sql = f'SELECT {names} FROM "{self.name}" {where} ORDER BY {key} LIMIT {BLOCK}'  # noqa: S608
            rows = [self._converted(row, target) for row in source.select(sql, values)]
            if not rows:
                return
            yield rows
            last = tuple(rows[-1][at] for at in self._places)

    def verify(self, source: Database, target: Database, report: Callable[[MovedTable], None]) -> int:
        """Compare every row; how many there are."""
        names, key = (", ".join(f'"{one}"' for one in some) for some in (self.columns, self.key))
        sql = f'SELECT {names} FROM "{self.name}" ORDER BY {key}'  # noqa: S608
        count = 0
        for one, other in zip_longest(source.select(sql, {}), target.select(sql, {})):
            if one is None or other is None or self._plain(one) != self._plain(other):
                row = one or other
                raise ArchiveDamaged(
                    f"row {[row[at] for at in self._places]} of table {self.name} differs in {source.where} "
                    f"and {target.where}; empty the target and move again"
                )
            count += 1
            if count % (10 * BLOCK) == 0:
                report(MovedTable(self.name, count, verified=True))
        report(MovedTable(self.name, count, verified=True))
        return count

    def _converted(self, row: Any, target: Database) -> tuple[Any, ...]:
        values = list(row)
        for at in self._packed:
            if values[at] is not None:
                values[at] = target.texts.stored(_text(values[at]))
        return tuple(values)

    def _plain(self, row: Any) -> list[Any]:
        values: list[Any] = [_text(one) if at in self._packed else one for at, one in enumerate(row)]
        return [one.replace("\0", "\ufffd") if isinstance(one, str) else one for one in values]


def _text(value: Any) -> Any:
    """A text that may be packed."""
    return unpacked(value) if isinstance(value, bytes) else value
