"""A Dask cluster for tests: a scheduler and workers as processes of their own, on the loopback."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.waiting import listens, until

ADDRESS = "127.0.8.1"


def missing() -> str:
    """Why there can be no cluster; empty if there can."""
    try:
        import distributed  # noqa: F401
    except ImportError:
        return "distributed is not installed (pip install 'fieldmouse[dask]')"
    return ""


class DaskCluster:
    """A scheduler with its workers."""

    def __init__(self) -> None:
        with socket.socket() as one:
            one.bind((ADDRESS, 0))
            self.port = one.getsockname()[1]
        self.address = f"tcp://{ADDRESS}:{self.port}"
        self.workers: list[subprocess.Popen[bytes]] = []
        self.scheduler = self.start_scheduler()

    def start_scheduler(self) -> "subprocess.Popen[bytes]":
        process = _python("distributed.cli.dask_scheduler", "--port", str(self.port), "--no-dashboard")
        until(lambda: listens(ADDRESS, self.port) or process.poll() is not None, "the scheduler listens")
        assert process.poll() is None
        return process

    def add_worker(self, *options: str) -> "subprocess.Popen[bytes]":
        """A worker without a guard that would restart it."""
        words = ("--no-nanny", "--nthreads", "1", "--no-dashboard", "--death-timeout", "20", *options)
        process = _python("distributed.cli.dask_worker", self.address, *words)
        self.workers.append(process)
        return process

    def stop(self) -> None:
        for one in (*self.workers, self.scheduler):
            one.kill()
            one.wait()


def _python(module: str, *words: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [sys.executable, "-m", module, *words, "--host", ADDRESS],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@contextmanager
def running_dask(workers: int) -> Iterator[DaskCluster]:
    """A cluster that is stopped in the end."""
    cluster = DaskCluster()
    try:
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.stop()
