"""Where `cluster start` places workers: threads of this process that start them here, or a Dask cluster."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fieldmouse.errors import ExecutorLost
from fieldmouse.jobs.executors import check_workers, dask_client

# Workers on one machine.
MOST = 256


@contextmanager
def local_hosts() -> Iterator[Callable[[str], Executor]]:
    """Workers are processes of this machine, whatever their region."""
    with ThreadPoolExecutor(MOST, "placed") as threads:
        yield lambda _: threads


@contextmanager
def dask_hosts(address: str, folder: Path) -> Iterator[Callable[[str], Executor]]:
    """Workers run on a Dask cluster; those of a region where Dask workers have a resource of that name.

    A scheduler that was lost is connected to again.
    """
    client: Any = dask_client(address)
    check_workers(client, folder)

    def connect(region: str) -> Executor:
        nonlocal client
        if client.status != "running":
            client.close(timeout=1.0)
            client = dask_client(address)
        resources = {region: 1} if region else None
        try:
            executor: Executor = client.get_executor(pure=False, resources=resources)
        except Exception as error:
            raise ExecutorLost(f"the Dask scheduler at {address} is lost") from error
        return executor

    try:
        yield connect
    finally:
        client.close(timeout=2.0)
