"""How far a worker is."""

from dataclasses import dataclass

from fieldmouse.types import Finding, Outcome, Response


@dataclass(slots=True)
class Progress:
    """What a worker has done since it started; the parent adds several up."""

    visits: int = 0
    stored: int = 0
    failures: int = 0
    refused: int = 0  # answers that told us to slow down
    judged: int = 0  # pages that a topic was applied to
    relevant: int = 0  # ... and that are on it
    bytes: int = 0
    under_way: int = 0
    hosts_open: int = 0
    hosts_done: int = 0
    hosts_waiting: int = 0
    pages_waiting: int = 0

    def __add__(self, other: "Progress") -> "Progress":
        """What was done by both; what goes on now is the other's."""
        done = ("visits", "stored", "failures", "refused", "judged", "relevant", "bytes", "hosts_done")
        now = ("under_way", "hosts_open", "hosts_waiting", "pages_waiting")
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
    def harvest(self) -> float | None:
        """The share of pages that are on the topic; None without a topic."""
        return self.relevant / self.judged if self.judged else None
