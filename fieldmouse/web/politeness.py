"""What to do after a failure or a refusal: how long to pause the host, and whether to try again.

All pauses grow from `manners.backoff`: they double with every try, up to `manners.max_backoff`.
"""

import math
from typing import NamedTuple

from fieldmouse.settings import MannersSettings
from fieldmouse.types import Failure, Outcome, Trouble

from .http_headers import retry_after


class Retry(NamedTuple):
    """The reaction to one kind of trouble."""

    wait: float  # the first pause, as a multiple of `manners.backoff`
    times: int  # tries after the first, at most `manners.retries`
    drop_host: bool = False  # after the last try the whole host is dropped


ONCE = Retry(0, 0)
RETRY = {
    Trouble.DNS: Retry(2, 2, drop_host=True),
    Trouble.REFUSED: ONCE,
    Trouble.CONNECT: Retry(1, 5),
    Trouble.TIMEOUT: Retry(1, 5),
    Trouble.TLS: Retry(0, 0, drop_host=True),
    Trouble.PROTOCOL: Retry(0, 1),
    Trouble.REDIRECTS: ONCE,
    Trouble.ROBOTS: ONCE,
    Trouble.CONTENT: ONCE,
}

# The fault of the URL or of our limits: it does not count against the host.
NOT_HOST_FAULT = frozenset({Trouble.REFUSED, Trouble.REDIRECTS, Trouble.ROBOTS, Trouble.CONTENT})

OVERLOADED = frozenset({429, 502, 503, 504})  # the server is overloaded
MOMENTARY = frozenset({408, 425})  # client errors that may pass
FINAL = frozenset({501, 505})  # server errors that will not pass


class Pause(NamedTuple):
    """What an outcome means for its host and its URL."""

    wait: float = 0.0  # seconds without requests to the host, besides its delay
    again: bool = False  # whether to try this URL again
    drop_host: bool = False  # whether to drop the host now
    strike: bool = False  # whether it counts towards `manners.host_failures`
    why: str = ""


FINE = Pause()


def pause(outcome: Outcome, tries: int, manners: MannersSettings, now: float) -> Pause:
    """The reaction to an outcome after `tries` earlier failures of this URL, or of its host in a row."""
    if isinstance(outcome, Failure):
        trouble = outcome.trouble
        why = f"{trouble.value}: {outcome.detail}" if outcome.detail else trouble.value
        found = _retry(RETRY[trouble], tries, manners, why)
        return found._replace(strike=trouble not in NOT_HOST_FAULT)
    why = f"the server answered {outcome.status}"
    if outcome.status in OVERLOADED:
        found = _retry(Retry(1, manners.retries), tries, manners, why)
        seconds = retry_after(outcome.header("retry-after"), now)
        if seconds is None:
            return found
        if seconds > (most := manners.max_retry_after):
            note = f"Retry-After of {seconds:g} s cut to {most:g} s (manners.max_retry_after)"
            return found._replace(wait=most, why=f"{why}; {note}")
        return found._replace(wait=seconds, why=f"{why}; Retry-After {seconds:g} s")
    if outcome.status in FINAL:
        return Pause(strike=True, why=why)
    if outcome.status in MOMENTARY or 500 <= outcome.status <= 599:
        return _retry(Retry(0, manners.retries), tries, manners, why)
    return FINE


def crawl_delay(requested: float | None, manners: MannersSettings) -> tuple[float, str]:
    """The Crawl-delay to apply (0 for none) and, if it was cut, a note for the log."""
    if requested is None or not requested > 0:
        return 0.0, ""
    if requested > manners.max_crawl_delay:
        most = manners.max_crawl_delay
        return most, f"Crawl-delay of {requested:g} s cut to {most:g} s (manners.max_crawl_delay)"
    return requested, ""


def _retry(row: Retry, tries: int, manners: MannersSettings, why: str) -> Pause:
    again = tries < min(row.times, manners.retries)
    # The exponent is limited because a larger one would overflow.
    wait = min(manners.max_backoff, row.wait * math.ldexp(manners.backoff, min(tries, 64)))
    return Pause(wait, again, drop_host=row.drop_host and not again, strike=True, why=why)
