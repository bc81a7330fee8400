"""Group commit: requests that arrive while a transaction is under way share the next one.

A submission must be on the disk before its answer goes out. One thread writes; it takes everything that is
waiting, so the cost of a sync is shared by as many submissions as there are clients.
"""

import asyncio
import queue
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from fieldmouse.store import open_inbox
from fieldmouse.store.inbox_contract import Accepted, NewItem

# Items and bytes of a transaction; with more, the first of them would wait long.
MAX_ITEMS, MAX_BYTES = 200, 64 << 20

_Waiting = tuple[NewItem, "asyncio.Future[Accepted]"]


class InboxWriter:
    """Stores items in a thread of its own; `accepted` is called in that thread with the ids of new ones."""

    def __init__(self, folder: Path, accepted: Callable[[Sequence[str]], None] = lambda _: None) -> None:
        self.folder = folder
        self.accepted = accepted
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name="inbox")
        self._thread.start()

    async def accept(self, item: NewItem) -> Accepted:
        """Store an item; returns once it would survive a power cut."""
        future: asyncio.Future[Accepted] = asyncio.get_running_loop().create_future()
        self._queue.put((item, future))
        return await future

    def close(self) -> None:
        """Store what is waiting, and end."""
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        with open_inbox(self.folder) as inbox:
            ended = False
            while not ended:
                batch, ended = self._batch()
                if not batch:
                    continue
                answers: list[Accepted] | BaseException
                try:
                    answers = inbox.accept([item for item, _ in batch])
                except BaseException as error:  # each sender gets it
                    answers = error
                loop = batch[0][1].get_loop()
                loop.call_soon_threadsafe(_answer, [future for _, future in batch], answers)
                if not isinstance(answers, BaseException):
                    self.accepted([one.id for one in answers if not one.repeated and not one.conflict])

    def _batch(self) -> tuple[list[_Waiting], bool]:
        """All that is waiting, up to the limits; and whether this is the end."""
        batch: list[_Waiting] = []
        size = 0
        one = self._queue.get()
        while one is not None:
            batch.append(one)
            size += len(getattr(one[0].sent, "content", b""))
            if len(batch) >= MAX_ITEMS or size >= MAX_BYTES:
                return batch, False
            try:
                one = self._queue.get_nowait()
            except queue.Empty:
                return batch, False
        return batch, True


def _answer(futures: "list[asyncio.Future[Accepted]]", answers: list[Accepted] | BaseException) -> None:
    for n, future in enumerate(futures):
        if future.done():
            continue  # the client has gone
        if isinstance(answers, BaseException):
            future.set_exception(answers)
        else:
            future.set_result(answers[n])
