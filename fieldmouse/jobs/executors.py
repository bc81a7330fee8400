"""Where a job reads: in this process, in processes of this machine, or on a Dask cluster.

Jobs take any `concurrent.futures.Executor`. What runs there reads the archive and returns results; the job
itself writes them, in order. So results do not depend on the executor, and a process or a cluster that is
lost leaves nothing half written.
"""

import logging
import os
import re
import signal
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

from fieldmouse.errors import ConfigError, ExecutorLost, UsageError
from fieldmouse.version import VERSION

Item = TypeVar("Item")
Result = TypeVar("Result")

# Tasks that are submitted before the result of the first is needed; their results are held in memory.
AHEAD = 32

# Of a Dask scheduler. Its client would complain in its own words about anything else.
ADDRESS = re.compile(r"([a-z]+://)?[^/\s]+:\d+")
# Seconds for a scheduler to answer, and for its first worker to join.
CONNECT_SECONDS, JOIN_SECONDS = 10.0, 40.0
# Seconds between looks at whether the client of Dask has given up.
LOOK_SECONDS = 1.0


def in_parts(items: Iterable[Item], size: int) -> Iterator[list[Item]]:
    """The items in lists of `size`."""
    source = iter(items)
    while part := list(islice(source, size)):
        yield part


def in_order(
    executor: Executor, work: Callable[[Item], Result], items: Iterable[Item], *, ahead: int = AHEAD
) -> Generator[Result, None, None]:
    """The results of `work` for each of the items, in their order; no more than `ahead` are under way."""
    pending: deque[Future[Result]] = deque()
    try:
        for item in items:
            pending.append(submitted(executor, work, item))
            if len(pending) >= ahead:
                yield result_of(pending.popleft(), executor)
        while pending:
            yield result_of(pending.popleft(), executor)
    finally:
        for future in pending:
            future.cancel()


def submitted(executor: Executor, work: Callable[..., Result], *args: Any) -> Future[Result]:
    """The same as `executor.submit`; ExecutorLost if the executor is gone."""
    try:
        return executor.submit(work, *args)
    except BrokenExecutor as error:
        raise _lost(error) from error
    except Exception as error:
        if _is_of_dask(error):
            raise _lost(error) from error
        raise


def result_of(future: Future[Result], executor: Executor) -> Result:
    """What a future returned or raised; ExecutorLost if there is no executor any more to ask.

    A future of Dask may never end if its scheduler dies. Its client gives up after some seconds.
    """
    client = getattr(executor, "_client", None)  # of Dask
    try:
        while client is not None and not wait((future,), LOOK_SECONDS).done:
            if client.status in ("closing", "closed"):
                raise CancelledError("the scheduler does not answer")
        return future.result()
    except (BrokenExecutor, CancelledError) as error:
        raise _lost(error) from error
    except Exception as error:
        if _is_of_dask(error):  # for instance a task at which one worker after the other died
            raise _lost(error) from error
        raise


def _is_of_dask(error: Exception) -> bool:
    return type(error).__module__.partition(".")[0] == "distributed"


def _lost(error: BaseException) -> ExecutorLost:
    if isinstance(error, BrokenExecutor):
        return ExecutorLost(
            "a process ended while it worked for this command, perhaps for lack of memory; use fewer --jobs. "
            "What was written is whole: run the command again"
        )
    detail = str(error).strip().split("\n")[0][:200]
    what = f"{type(error).__name__}: {detail}".rstrip(": ")
    return ExecutorLost(
        f"the Dask cluster is lost, or its workers died ({what}); start it again. What was written is whole: "
        "run the command again"
    )


@contextmanager
def opened_executor(choice: str, jobs: int, folder: Path) -> Iterator[Executor | None]:
    """The executor of a command: `dask=tcp://…`, `dask`, `processes`, or nothing; None for this process.

    `jobs` is the number of processes, 0 for one a processor. The processes of a Dask cluster must find the
    archive under the same path.
    """
    kind, _, address = choice.partition("=")
    if kind not in ("", "processes", "dask") or (address and kind != "dask"):
        raise UsageError(f"there is no executor {choice!r}; use processes, dask, or dask=tcp://HOST:PORT")
    count = jobs or (os.cpu_count() or 1)
    if kind == "dask":
        with _dask(address, count, folder) as client:
            yield client.get_executor(pure=False)
    elif kind == "processes" or jobs > 1:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        spawn, leave_ctrl_c = multiprocessing.get_context("spawn"), (signal.SIGINT, signal.SIG_IGN)
        with ProcessPoolExecutor(count, spawn, signal.signal, leave_ctrl_c) as pool:
            yield pool
    else:
        yield None


@contextmanager
def _dask(address: str, count: int, folder: Path) -> Iterator[Any]:
    """A client of a Dask cluster whose workers can read the archive."""
    client = dask_client(address or os.environ.get("DASK_SCHEDULER_ADDRESS", ""), count)
    try:
        check_workers(client, folder)
        yield client
    finally:
        client.close(timeout=2.0)
        if client.cluster is not None:
            client.cluster.close(timeout=10.0)


def dask_client(address: str, count: int = 1) -> Any:
    """A client of a Dask scheduler, or of a new cluster of `count` processes on this machine."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ConfigError("Dask is not installed: pip install 'fieldmouse[dask]'") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # we say it in our own words
    for name in ("client", "worker", "nanny", "scheduler", "core", "comm"):
        logging.getLogger(f"distributed.{name}").setLevel(logging.CRITICAL)
    connect, local = cast("Callable[..., Any]", Client), cast("Callable[..., Any]", LocalCluster)
    if not address:
        cluster = local(
            n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
        )
        return connect(cluster, set_as_default=False)
    if not ADDRESS.fullmatch(address):
        raise UsageError(f"the address of a Dask scheduler looks like tcp://HOST:PORT, not {address!r}")
    try:
        return connect(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"no Dask scheduler answers at {address} ({type(error).__name__}); start one with "
            "`dask scheduler`, and give the address that it prints"
        ) from None


def check_workers(client: Any, folder: Path) -> None:
    """Raise UsageError unless the cluster has workers, and all of them can work for the archive."""
    from distributed import TimeoutError as TooLate

    try:
        client.wait_for_workers(1, timeout=JOIN_SECONDS)
    except TooLate:
        raise UsageError("the Dask cluster has no worker; start some with `dask worker tcp://…`") from None
    try:
        answers = client.run(seen_by_worker, str(folder.resolve()))
    except ModuleNotFoundError:
        raise UsageError("a Dask worker has no Fieldmouse; install the same release on all of them") from None
    for worker, (version, found) in answers.items():
        if version != VERSION:
            raise UsageError(
                f"the Dask worker {worker} has Fieldmouse {version}, not {VERSION}; install the same"
            )
        if not found:
            raise UsageError(
                f"the Dask worker {worker} does not find {folder.resolve()}; the archive must have the same "
                "path on all machines"
            )


def seen_by_worker(folder: str) -> tuple[str, bool]:
    """The release of a worker, and whether it finds a folder."""
    return VERSION, Path(folder).is_dir()
