"""The objects of shared content that an archive knows, and those that are to be deleted."""

import json
from collections.abc import Collection, Sequence

from fieldmouse.files.shared_content import KINDS
from fieldmouse.store.content_contract import ContentObjects
from fieldmouse.units import DAY

from .database import Database, repeatable

# How long it is remembered that an object was deleted: longer than any process hangs.
REMEMBERED = 30 * DAY


class SqlContent(ContentObjects):
    """The contract's ContentObjects."""

    def __init__(self, db: Database) -> None:
        self.db = db

    @repeatable
    def discard(self, keys: Collection[str], now: float) -> list[str]:
        names = json.dumps([key.partition("/")[2] for key in keys])
        with self.db.transaction():
            known = {key for (key,) in self.db.rows("known_objects", names=names)}
            unknown = sorted(set(keys) - known)
            self.db.many("put_deletion", [(key, self.db.clock(now)) for key in unknown])
        return unknown

    def due(self, now: float) -> list[str]:
        return [key for (key,) in self.db.rows("due_deletions", clock=now)]

    @repeatable
    def deleted(self, keys: Sequence[str], now: float) -> None:
        now = self.db.clock(now)
        with self.db.transaction():
            self.db.many("mark_deleted", [(now, key) for key in keys])
            self.db.run("forget_deletions", before=now - REMEMBERED)

    def sizes(self) -> dict[str, int]:
        return {
            f"{kind}/{name}": size for _, name, kind, _, size, _ in self.db.rows("files") if kind in KINDS
        }
