"""Exit codes of runs that ended without an error.

A run that fails raises one of `errors`, whose classes have their own codes. Codes that other crawlers use for
the same purpose have the same numbers here.
"""

from enum import IntEnum
from typing import Self


class Exit(IntEnum):
    """How a run ended; the docstring of each member says when it happens."""

    DONE = 0, "Everything was done."
    LEFT_OUT = 9, "Damaged records were left out of an export or a rebuild; they are listed."
    STOPPED = (
        11,
        "Stopped on request (Ctrl-C, SIGTERM, SIGHUP): active requests were finished; run again to continue.",
    )
    FORCED = 13, "Stopped at once (a second Ctrl-C, or at a question): what was committed before is safe."
    SIZE_LIMIT = (
        14,
        "`crawl.max_pages`, `crawl.max_bytes` or the daily budget was reached; run again.",
    )
    TIME_LIMIT = 15, "`crawl.max_seconds` was reached; the next run continues."
    DISK_LIMIT = 16, "Less than `archive.min_free` is free on the disk; make room and run again."
    LINKS_LEFT = (
        17,
        "All links that a focused crawl has left lie beyond a limit; with a wider limit they are taken up.",
    )
    RATE_LIMITED = 18, "All remaining hosts asked to retry later (429 or 503); run again later."
    ALL_FAILED = (
        126,
        "No seed could be reached, or nearly every request failed; check the network and the name servers.",
    )

    def __new__(cls, code: int, meaning: str) -> Self:
        """Give the code its docstring."""
        member = int.__new__(cls, code)
        member._value_ = code
        member.__doc__ = meaning
        return member
