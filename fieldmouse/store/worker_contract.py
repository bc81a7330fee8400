"""Workers that joined an archive from anywhere, as they report themselves."""

from typing import NamedTuple, Protocol


class WorkerRecord(NamedTuple):
    """A worker, as it last reported itself."""

    name: str
    machine: str
    pid: int
    started: float
    silent: float  # seconds since its last sign of life
    state: str  # running, draining, ended
    visits: int
    stored: int
    failures: int
    hosts: int  # that it has leased
    region: str  # empty: none
    slot: str  # of `cluster start`; empty: started by hand
    idle: int  # 1: it has no host to visit
    worked: float  # seconds from its start to its last sign of life


class WorkerNews(NamedTuple):
    """What a worker learns when it reports itself."""

    end: bool  # it should finish its requests and end
    idle: int  # other workers that could visit some of its hosts and have none


class WorkerRegistry(Protocol):
    """The workers of an archive. Times are those of the engine: `now` counts where there is no server."""

    def join(
        self, name: str, machine: str, pid: int, now: float, *, region: str = "", slot: str = ""
    ) -> None:
        """Register a worker. Those that ended long ago are forgotten."""

    def report(
        self, name: str, counts: tuple[int, int, int], now: float, *, idle: bool = False
    ) -> WorkerNews:
        """Give a sign of life, with visits, stored pages, failures, and whether it has no host to visit."""

    def idle(self, now: float) -> int:
        """How many of them could visit any host, and have none."""

    def leave(self, name: str, now: float) -> None:
        """Note that a worker ended."""

    def drain(self, name: str = "") -> int:
        """Let a worker, or all of them, finish their requests and end; returns how many.

        `cluster start` does not place those again.
        """

    def end_slot(self, slot: str) -> None:
        """Let the worker of a slot of `cluster start` finish its requests and end."""

    def all(self, now: float) -> list[WorkerRecord]:
        """Every worker, also those that ended lately."""

    def close(self) -> None:
        """Close the connection."""
