"""How a worker's time with a host ends: complete, full, in turns, or given up."""

from fieldmouse.store.records import Ending, EndKind
from fieldmouse.units import DAY

from .host_session import HostSession

# A pause longer than this frees the host's place for another.
LONG_PAUSE = 120.0


def ended_early(host: HostSession, wait: float | None, now: float) -> Ending | None:
    """The end of a host that keeps failing, or that asked to be left alone for long; None for others."""
    if host.dropped or host.failures >= host.rules.settings.manners.host_failures:
        reason = host.dropped or f"{host.failures} failures in a row"
        return Ending(host.lease, EndKind.GIVE_UP, reason, ready_at=now + DAY)
    if wait is not None and wait > LONG_PAUSE:
        reason = f"asked to stay away for {wait:.0f} s"
        return Ending(host.lease, EndKind.TURN, reason, waiting=host.site.waiting, ready_at=now + wait)
    return None


def ended(host: HostSession) -> Ending:
    """The end of a host that has no more to give, for ever or for this turn."""
    site = host.site
    if site.waiting and not site.finished:
        reason = f"turn over after {site.fetched} pages"
        return Ending(host.lease, EndKind.TURN, reason, waiting=site.waiting)
    full = site.fetched >= host.rules.settings.frontier.pages_per_host
    reason = f"{'page limit reached' if full else 'complete'}: {site.fetched} pages"
    return Ending(host.lease, EndKind.FULL if full else EndKind.COMPLETE, reason)
