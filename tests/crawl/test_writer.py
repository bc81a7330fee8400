"""Where the store is called: in the thread of the event loop, or in one of its own while it waits."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fieldmouse.crawl.writer import COMMITS_ASIDE, Writer
from tests.store.stores import found, make, opened


class Recorded:
    """A writer on a real store that records which threads commit, and may wait in each commit."""

    def __init__(self, folder: Path) -> None:
        settings = make(folder)
        self.store = opened(folder, settings)
        self.store.seed({"a.test": ["http://a.test/"]}, 1e9)
        (self.lease,) = self.store.lease(1e9, 1)
        self.threads: list[bool] = []  # whether each commit was made in the thread of the event loop
        self.wait = 0.0
        commit: Callable[..., Any] = self.store.commit
        thread = threading.get_ident()

        def recorded(*arguments: Any, **options: Any) -> Any:
            self.threads.append(threading.get_ident() == thread)
            time.sleep(self.wait)
            return commit(*arguments, **options)

        self.store.commit = recorded  # type: ignore[method-assign]
        self.writer = Writer(self.store, settings, lambda: 1e9)

    def write(self, times: int) -> None:
        """Commit so many times, one page each."""
        asyncio.run(self._write(times))

    async def _write(self, times: int) -> None:
        for n in range(len(self.threads), len(self.threads) + times):
            self.writer.batch.add(found(f"http://a.test/{n}"), self.lease)
            await self.writer.write()


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Recorded]:
    made = Recorded(tmp_path)
    yield made
    made.writer.close()
    made.store.close()


def test_a_local_store_that_does_not_wait_is_called_in_the_event_loop(run: Recorded) -> None:
    run.store.is_local = False  # as on a server
    run.write(2)
    run.store.is_local = True
    run.writer._commits_aside = 0
    run.write(1)
    assert run.threads == [False, False, True]


def test_commits_that_wait_are_made_in_a_thread(run: Recorded) -> None:
    run.wait = 0.3
    run.write(2)
    assert run.threads == [True, False]
    assert run.writer.waited > 0.1  # the event loop stood still
    run.wait = 0.0
    run.write(COMMITS_ASIDE)
    assert run.threads[2:] == [False] * (COMMITS_ASIDE - 1) + [True]  # then one is tried again


def test_calls_keep_their_order_while_the_thread_works(run: Recorded) -> None:
    order: list[str] = []

    async def both() -> None:
        long = asyncio.create_task(run.writer.run_aside(lambda: (time.sleep(0.2), order.append("long"))))
        await asyncio.sleep(0.01)
        await run.writer.run(lambda: order.append("short"))
        await long

    asyncio.run(both())
    assert order == ["long", "short"]
