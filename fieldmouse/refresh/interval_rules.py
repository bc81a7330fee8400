"""Rules that give each page an interval: uniform, and that of Apache Nutch.

The planner and the replay both call these; the paper's rule is in `barbosa2005`.
"""

# Nutch's adaptive rule: the interval gets longer after no change, and shorter after one; days.
LONGER, SHORTER, FIRST_INTERVAL = 1.4, 0.8, 30.0


def uniform_interval(pages: int, budget: float) -> float:
    """Days in which the budget, in fetches a day, allows one fetch of every page."""
    return max(pages, 1) / budget


def nutch_interval(interval: float, changed: bool, shortest: float, longest: float) -> float:
    """The interval after a visit, from the one before it."""
    return min(max(interval * (SHORTER if changed else LONGER), shortest), longest)
