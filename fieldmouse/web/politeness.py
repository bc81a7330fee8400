"""What to do after a refusal or a failure: how long to leave a host alone, and whether to ask again.

Trouble is a table. All pauses grow from `manners.backoff`, doubling with every try up to
`manners.max_backoff`, so one setting makes a crawl more or less patient.
"""

import math
from typing import NamedTuple

from fieldmouse.settings import MannersSettings
from fieldmouse.types import Failure, Outcome, Response, Trouble

from .http_headers import retry_after


class Retry(NamedTuple):
    """How one kind of trouble is met."""

    wait: float  # the first pause, as a multiple of `manners.backoff`
    times: int  # tries after the first, though never more than `manners.retries`
    drop_host: bool = False  # when the tries are used up, the whole host is given up


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

# The fault of this address or of our way of asking, not of the server: the host is not held to account.
OURS = frozenset({Trouble.REFUSED, Trouble.REDIRECTS, Trouble.ROBOTS, Trouble.CONTENT})

OVERLOADED = frozenset({429, 502, 503, 504})  # the server needs rest
MOMENTARY = frozenset({408, 425})  # client errors that say "try again"
FINAL = frozenset({501, 505})  # server errors that will not pass


class Pause(NamedTuple):
    """What an outcome means for its host and its address."""

    wait: float = 0.0  # seconds to leave the host alone, beside its usual delay
    again: bool = False  # whether to try this address again
    drop_host: bool = False  # whether to give the host up now
    strike: bool = False  # whether it counts towards `manners.host_failures`
    why: str = ""


FINE = Pause()


def pause(outcome: Outcome, tries: int, manners: MannersSettings, now: float) -> Pause:
    """Judge an outcome after `tries` earlier failures (of this address, or of its host in a row)."""
    if isinstance(outcome, Failure):
        return _after_failure(outcome, tries, manners)
    if outcome.status in OVERLOADED:
        return _after_refusal(outcome, tries, manners, now)
    if outcome.status in MOMENTARY or (500 <= outcome.status <= 599 and outcome.status not in FINAL):
        return _judged(Retry(0, manners.retries), tries, manners, f"the server answered {outcome.status}")
    if outcome.status in FINAL:
        return Pause(strike=True, why=f"the server answered {outcome.status}")
    return FINE


def crawl_delay(requested: float | None, manners: MannersSettings) -> tuple[float, str]:
    """The Crawl-delay to obey (0 for none) and, when it was cut, a note for the log."""
    if requested is None or not requested > 0:
        return 0.0, ""
    if requested > manners.max_crawl_delay:
        most = manners.max_crawl_delay
        return most, f"Crawl-delay of {requested:g} s cut to {most:g} s (manners.max_crawl_delay)"
    return requested, ""


def backoff(tries: int, manners: MannersSettings) -> float:
    """The pause after `tries` earlier ones."""
    # Beyond 2^64 the exponent would overflow, and any limit was reached long before.
    return min(manners.max_backoff, math.ldexp(manners.backoff, min(tries, 64)))


def _after_failure(failure: Failure, tries: int, manners: MannersSettings) -> Pause:
    why = f"{failure.trouble.value}: {failure.detail}" if failure.detail else failure.trouble.value
    judged = _judged(RETRY[failure.trouble], tries, manners, why)
    return judged._replace(strike=failure.trouble not in OURS)


def _after_refusal(response: Response, tries: int, manners: MannersSettings, now: float) -> Pause:
    """A server that asks for rest gets what it asked for, up to a limit; else ever longer pauses."""
    why = f"the server answered {response.status}"
    judged = _judged(Retry(1, manners.retries), tries, manners, why)
    asked = retry_after(response.header("retry-after"), now)
    if asked is None:
        return judged
    if asked > manners.max_retry_after:
        note = f"; Retry-After of {asked:g} s cut to {manners.max_retry_after:g} s (manners.max_retry_after)"
        return judged._replace(wait=manners.max_retry_after, why=why + note)
    return judged._replace(wait=asked, why=f"{why}; Retry-After {asked:g} s")


def _judged(row: Retry, tries: int, manners: MannersSettings, why: str) -> Pause:
    again = tries < min(row.times, manners.retries)
    wait = min(manners.max_backoff, row.wait * backoff(tries, manners))
    drop = row.drop_host and not again
    return Pause(wait, again, drop, strike=True, why=why)
