"""A region with a network of its own: a namespace of the kernel that reaches some ports of this machine.

Its only link is a loopback. Listeners are made inside it, and relays pass on to the same addresses outside.
When the link is taken down every packet of the region is lost, as when the way to a data centre is cut.
"""

import contextlib
import ctypes
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from tests.service.relay import Relay
from tests.waiting import until

CLONE_NEWNET = 0x40000000

Address = tuple[str, int]


def missing() -> str:
    """Why there can be no namespace; empty if there can."""
    if absent := [name for name in ("unshare", "nsenter", "ip") if shutil.which(name) is None]:
        return f"{', '.join(absent)} not installed"
    tried = subprocess.run(
        ["unshare", "--net", "ip", "link", "set", "lo", "up"], capture_output=True, check=False
    )
    return f"no network namespace may be made: {tried.stderr.decode().strip()}" if tried.returncode else ""


class RegionNetwork:
    """A namespace, held by a process that sleeps."""

    def __init__(self) -> None:
        self.holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"])
        self._namespace = Path(f"/proc/{self.holder.pid}/ns/net")
        ours = Path("/proc/self/ns/net").readlink()
        until(lambda: self._namespace.readlink() != ours, "a namespace is made")
        self.inside = ["nsenter", f"--net={self._namespace}"]
        self.mend()

    def cut(self) -> None:
        """Nothing comes through from now on."""
        subprocess.run([*self.inside, "ip", "link", "set", "lo", "down"], check=True)

    def mend(self) -> None:
        """The link is up again."""
        subprocess.run([*self.inside, "ip", "link", "set", "lo", "up"], check=True)

    def made_inside(self, make: Callable[[], list[socket.socket]]) -> list[socket.socket]:
        """Sockets of the namespace: they belong to it for good, whoever uses them."""
        made: list[socket.socket] = []

        def enter() -> None:
            libc = ctypes.CDLL(None, use_errno=True)
            with self._namespace.open("rb") as file:
                if libc.setns(file.fileno(), CLONE_NEWNET) == 0:
                    made.extend(make())

        thread = threading.Thread(target=enter)  # a thread can be in another namespace than the others
        thread.start()
        thread.join()
        assert made, "no socket could be made in the namespace"
        return made


@contextmanager
def running(servers: Sequence[Address], names: Address) -> Iterator[RegionNetwork]:
    """A region that reaches these servers and this name server under the addresses that they have outside."""
    network, relays = RegionNetwork(), list[Relay]()
    inside: list[socket.socket] = []

    def make() -> list[socket.socket]:
        asked = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        asked.bind(names)
        return [asked, *map(socket.create_server, servers)]

    try:
        inside += network.made_inside(make)
        threading.Thread(target=_pass_names, args=(inside[0], names), daemon=True).start()
        relays += [Relay(*server, one) for server, one in zip(servers, inside[1:], strict=True)]
        yield network
    finally:
        for relay in relays:
            relay.close()
        for one in inside[:1]:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # ends the thread that waits for questions
            one.close()
        network.holder.kill()
        network.holder.wait()


def _pass_names(asked: socket.socket, names: Address) -> None:
    """Pass questions on to the name server, one at a time."""
    with contextlib.suppress(OSError):
        while True:
            question, whose = asked.recvfrom(4096)
            if not question:
                return
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one, contextlib.suppress(TimeoutError):
                one.settimeout(2)
                one.sendto(question, names)
                asked.sendto(one.recv(4096), whose)
