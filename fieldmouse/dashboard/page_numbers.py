"""Figures of a page that several views show."""

from fieldmouse.refresh.rates import RatePosterior
from fieldmouse.store.dashboard_contract import PageSummary
from fieldmouse.units import DAY


def current_share(page: PageSummary, now: float) -> float | None:
    """How likely the copy is still what the server would send; None without an estimate."""
    if page.rate is None or not page.stored:
        return None
    days = max(0.0, now - page.last_visit) / DAY
    return RatePosterior(page.rate, page.shape or 1.0).fresh_probability(days)
