"""How a run ended, as the exit code of the command; scripts and schedulers decide on these.

A run that fails instead raises one of `errors`, whose classes carry their own codes. Codes that other
crawlers use for the same things have the same numbers here.
"""

from enum import IntEnum
from typing import Self


class Exit(IntEnum):
    """The ends of a run that are not errors of ours; each member's docstring says when it happens."""

    DONE = 0, "Everything asked for was done."
    STOPPED = 11, "Stopped on request (Ctrl-C or SIGTERM): requests under way were finished and committed."
    FORCED = 13, "Stopped at once (a second Ctrl-C): what was committed before is safe."
    SIZE_LIMIT = 14, "`crawl.max_pages`, `crawl.max_bytes` or the day's budget was reached; the rest waits."
    TIME_LIMIT = 15, "`crawl.max_seconds` was reached; the rest waits for the next run."
    DISK_LIMIT = 16, "Less than `archive.min_free` was left on the disk; make room and run again."
    RATE_LIMITED = 18, "Every host left asked us to come back later; run again when they allow it."
    ALL_FAILED = 126, "Nearly every request failed; look at the network and the name servers."

    def __new__(cls, code: int, meaning: str) -> Self:
        """Give the number its docstring."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.__doc__ = meaning
        return member
