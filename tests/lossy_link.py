"""A way to a server of PostgreSQL that breaks at a chosen message."""

import re
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from tests.postgres_cluster import ADDRESS, Cluster

HERE = "127.0.7.8"


class LossyLink:
    """Breaks at the next COMMIT, or where `chosen` says: before it arrives, or before its answer does."""

    def __init__(self, cluster: Cluster) -> None:
        self.listener = socket.create_server((HERE, 0))
        self.port, self.server = self.listener.getsockname()[1], (ADDRESS, cluster.port)
        self.breaks = ""  # "before" or "after"
        self.chosen: Callable[[bytes], bool] = lambda data: b"COMMIT" in data
        self.broken: list[str] = []
        self.messages = 0  # to the server
        threading.Thread(target=self._accept, daemon=True).start()

    def url(self, url: str) -> str:
        return re.sub(r"@[^/]*/", f"@{HERE}:{self.port}/", url)

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                try:
                    server = socket.create_connection(self.server)
                except OSError:
                    client.close()
                    continue
                for ends in ((client, server), (server, client)):
                    args = (*ends, ends[0] is client)
                    threading.Thread(target=self._forward, args=args, daemon=True).start()

    def _forward(self, source: socket.socket, target: socket.socket, to_server: bool) -> None:
        with suppress(OSError), source, target:
            while data := source.recv(65536):
                self.messages += to_server
                last = self.breaks if to_server and self.chosen(data) else ""
                if last:
                    self.broken.append(last)
                    self.breaks = ""
                if last == "after":
                    source.shutdown(socket.SHUT_RDWR)  # nobody hears the answer
                if last != "before":
                    target.sendall(data)
                if last:
                    time.sleep(0.2)
                    for one in (source, target):
                        with suppress(OSError):
                            one.shutdown(socket.SHUT_RDWR)  # the other thread still reads
                    return

    def close(self) -> None:
        self.listener.close()
