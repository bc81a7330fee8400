"""How far a worker is."""

from dataclasses import dataclass, fields

from fieldmouse.types import Finding, Outcome, Response


@dataclass(slots=True)
class Progress:
    """What a worker has done since it started; the parent adds several up."""

    visits: int = 0
    stored: int = 0
    failures: int = 0
    refused: int = 0  # answers that request a slower crawl
    judged: int = 0  # pages that a topic was applied to
    relevant: int = 0  # ... and that are on it
    bytes: int = 0
    under_way: int = 0
    hosts_open: int = 0
    hosts_waiting: int = 0
    pages_waiting: int = 0
    idle: int = 0  # workers that have no host to visit
    # Seconds in which the processor worked, and those in which it had to wait, by what it waited for.
    processor_seconds: float = 0.0
    politeness_seconds: float = 0.0  # delays of hosts and addresses
    server_seconds: float = 0.0  # answers, connections and names
    disk_seconds: float = 0.0  # commits and leases

    def __add__(self, other: "Progress") -> "Progress":
        """What was done by both; what goes on now is the other's."""
        now = ("under_way", "hosts_open", "hosts_waiting", "pages_waiting", "idle")
        done = [one.name for one in fields(Progress) if one.name not in now]
        added = {name: getattr(self, name) + getattr(other, name) for name in done}
        return Progress(**added, **{name: getattr(other, name) for name in now})

    def count(self, outcome: Outcome) -> None:
        """Add one visit."""
        self.visits += 1
        if isinstance(outcome, Response):
            self.bytes += len(outcome.body)
            self.stored += 200 <= outcome.status < 300
            self.refused += outcome.status in (429, 503)
        else:
            self.failures += 1

    def judge(self, finding: Finding) -> None:
        """Add what a topic says of a page."""
        if finding.judged is not None:
            self.judged += 1
            self.relevant += finding.judged.score > 0.5

    @property
    def held_back(self) -> list[tuple[str, float]]:
        """What held the crawl back, with its share of the time, the largest first."""
        causes = {
            "politeness": self.politeness_seconds,
            "the processor": self.processor_seconds,
            "the servers": self.server_seconds,
            "the disk": self.disk_seconds,
        }
        whole = sum(causes.values())
        shares = [(cause, seconds / whole) for cause, seconds in causes.items() if seconds > 0]
        return sorted(shares, key=lambda one: -one[1])

    @property
    def harvest(self) -> float | None:
        """The share of pages that are on the topic; None without a topic."""
        return self.relevant / self.judged if self.judged else None
