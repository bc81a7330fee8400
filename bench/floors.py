"""What was reached, pinned: a figure in `floors.json` may get better, and never worse unnoticed.

A fresh figure fails when it is worse than its floor by more than the floor's tolerance. Ratios to a peer
measured in the same run have small tolerances; times have larger ones, for machines differ.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

FILE = Path(__file__).with_name("floors.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """One figure that was reached."""

    value: float
    unit: str
    better: str  # lower or higher
    tolerance: float  # share of the value by which a fresh figure may be worse
    date: str
    what: str

    def __post_init__(self) -> None:
        if self.better not in ("lower", "higher") or not 0 <= self.tolerance < 1 or self.value < 0:
            raise ValueError(f"no floor: {self}")

    @property
    def worst(self) -> float:
        """The worst figure that passes."""
        sign = 1 if self.better == "lower" else -1
        return self.value * (1 + sign * self.tolerance)

    def passes(self, figure: float) -> bool:
        """Whether a fresh figure is good enough."""
        return figure <= self.worst if self.better == "lower" else figure >= self.worst

    def beaten(self, figure: float) -> bool:
        """Whether a fresh figure is better."""
        return figure < self.value if self.better == "lower" else figure > self.value


def load(file: Path = FILE) -> dict[str, Floor]:
    """The floors by name."""
    return {name: Floor(**floor) for name, floor in json.loads(file.read_text("utf-8")).items()}


def save(floors: Mapping[str, Floor], file: Path = FILE) -> None:
    """Write the floors."""
    table = {name: asdict(floor) for name, floor in sorted(floors.items())}
    file.write_text(json.dumps(table, indent=2) + "\n", "utf-8")


def compare(figures: Mapping[str, float], floors: Mapping[str, Floor]) -> list[str]:
    """What is worse than it was; figures that were not measured are not judged."""
    return [
        f"{name}: {figures[name]:g} {floor.unit}, the floor is {floor.value:g} ({floor.better} is better, "
        f"{floor.worst:g} would pass)"
        for name, floor in floors.items()
        if name in figures and not floor.passes(figures[name])
    ]


def raised(figures: Mapping[str, float], floors: Mapping[str, Floor], date: str) -> dict[str, Floor]:
    """The floors with what was beaten put in; none gets worse."""
    return {
        name: replace(floor, value=figures[name], date=date)
        if name in figures and floor.beaten(figures[name])
        else floor
        for name, floor in floors.items()
    }
