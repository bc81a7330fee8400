"""A robots.txt between two visits: how it is stored, and how it is read again."""

from collections.abc import Sequence

from fieldmouse.settings import MannersSettings
from fieldmouse.types import Outcome, Response, RobotsRecord

from .robots import Robots

# A server that could not say what it allows is asked again after this long, not after a day.
PASSING_SECONDS = 3600.0


def to_record(
    robots: Robots, outcomes: Sequence[Outcome], origin: str, manners: MannersSettings, now: float
) -> RobotsRecord:
    """What to remember of the answers to a request for robots.txt."""
    last = outcomes[-1]
    seconds = min(manners.robots_seconds, PASSING_SECONDS) if robots.passing else manners.robots_seconds
    verdict = "rules" if robots.verdict is None else "allow" if robots.verdict else "deny"
    content = last.content if isinstance(last, Response) and verdict == "rules" else b""
    return RobotsRecord(
        origin=origin,
        fetched_at=now,
        expires_at=now + seconds,
        verdict=verdict,
        content=content,
        note=robots.reason,
    )


def recall(record: RobotsRecord, agent: str) -> Robots:
    """The rules that were remembered."""
    if record.verdict == "rules":
        return Robots.parse(record.content, agent, f"{record.origin}/robots.txt")
    return Robots(verdict=record.verdict == "allow", reason=record.note)
