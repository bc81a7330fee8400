"""A crawl that kills itself with SIGKILL at the n-th time a named step of a commit is reached.

python -m tests.crawl.crash_child FOLDER STEP N

Nothing is replaced but the committer, whose steps are those of the real one with a death in between.
"""

import os
import signal
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

from fieldmouse.crawl.worker import Worker
from fieldmouse.exits import Exit
from fieldmouse.service.setup import estimator, guard, rules, run_loop
from fieldmouse.store import load_settings, open_store
from fieldmouse.store.relational.commit import Committer
from fieldmouse.store.relational.finding_rows import PageBefore, Written
from fieldmouse.types import Finding
from fieldmouse.web.http_client import HttpClient

STEPS = (
    "append",  # a finding was handed to the files, nothing is written yet
    "flush",  # some records of a batch are in the files
    "torn",  # and half of another
    "sync",  # all bytes are on the disk, the transaction has not begun
    "begin",  # inside the transaction, the file lengths are written
    "rows",  # and the rows of the findings
    "transaction",  # and everything else; only COMMIT is missing
    "committed",  # the transaction is done, the files do not know it yet
    "done",  # between two commits
)


class Dying(Committer):
    """Commits, and dies at a step."""

    def prepare(self, step: str, times: int) -> None:
        self.step, self.left, self.synced = step, times, False

    def reached(self, step: str) -> None:
        if step != self.step:
            return
        self.left -= 1
        if self.left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def commit(
        self,
        findings: Sequence[Finding],
        now: float,
        also: Callable[[], None] | None = None,
        *,
        fence: Callable[[], None] | None = None,
        ended: Collection[int] = (),
    ) -> None:
        def last() -> None:
            if also is not None:
                also()
            self.reached("transaction")

        self.synced = False
        super().commit(findings, now, last, fence=fence, ended=ended)
        self.synced = False
        self.reached("done")

    def _write(self, finding: Finding, previous: PageBefore | None) -> Written:
        written = super()._write(finding, previous)
        self.reached("append")
        if self.step in ("flush", "torn") and self.left <= 1:
            self._spill()
        self.reached("flush")
        self.reached("torn")
        return written

    def _spill(self) -> None:
        assert self.warc is not None
        assert self.tags is not None
        for one in self.warc._files:
            if self.step == "torn":
                one.file.append(b"\x1f\x8b\x08\0\0\0\0\0 half a record")
            one.file.flush()
        self.tags.flush()

    def _sync(self) -> list[tuple[str, str, int]]:
        lengths = super()._sync()
        self.synced = True
        self.reached("sync")
        return lengths

    def _put_files(self, lengths: list[tuple[str, str, int]]) -> None:
        super()._put_files(lengths)
        self.reached("begin")

    def _put_rows(self, written: list[Written], now: float) -> None:
        super()._put_rows(written, now)
        self.reached("rows")

    def _files(self) -> list[Any]:
        if getattr(self, "synced", False) and not self.db.db.in_transaction:
            self.reached("committed")
        return super()._files()


def main(folder: Path, step: str, times: int) -> Exit:
    settings = load_settings(folder)
    with open_store(folder, settings, estimator(settings), now=time.time()) as store:
        dying = Dying(folder, store.db, settings, store.worker, discovery=store.discovery)
        dying.prepare(step, times)
        store.committer = dying

        async def crawl() -> Exit:
            gate = guard(settings)
            async with HttpClient(settings, guard=gate) as web:
                worker = Worker(store, web, gate, rules(store, settings), report=lambda _: None)
                return await worker.run()

        return run_loop(crawl())


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
