"""S3 for tests: moto's server as a process of its own, on a free port of the loopback."""

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from tests.waiting import until

ADDRESS = "127.0.8.1"


def missing() -> str:
    """Why there can be no server; empty if there can."""
    absent = [name for name in ("moto", "s3fs", "flask") if find_spec(name) is None]
    return f"{', '.join(absent)} not installed (pip install 'fieldmouse[dev]')" if absent else ""


class ObjectStorage:
    """A server with buckets."""

    def __init__(self) -> None:
        with socket.socket() as one:
            one.bind((ADDRESS, 0))
            self.port = one.getsockname()[1]
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", ADDRESS, "-p", str(self.port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.buckets = 0
        until(self._answers, "moto's server starts")

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"http://{ADDRESS}:{self.port}/moto-api/"):
                return True
        except OSError:
            return False

    def environment(self, port: int = 0) -> dict[str, str]:
        """What a program needs to find the server, or a port in front of it."""
        keys = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "us-east-1"}
        return {"AWS_ENDPOINT_URL": f"http://{ADDRESS}:{port or self.port}", **keys}

    def new_bucket(self) -> str:
        self.buckets += 1
        name = f"bucket{self.buckets}"
        url = f"http://{ADDRESS}:{self.port}/{name}"
        urllib.request.urlopen(urllib.request.Request(url, method="PUT")).close()
        return name


@contextmanager
def running_storage() -> Iterator[ObjectStorage]:
    """A server that is stopped in the end. Programs of this process find it."""
    storage, before = ObjectStorage(), dict(os.environ)
    os.environ.update(storage.environment())
    try:
        yield storage
    finally:
        os.environ.clear()
        os.environ.update(before)
        storage.process.kill()
        storage.process.wait()
