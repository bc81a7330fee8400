"""Import access logs: requests of readers for pages become visits, of readers known as salted hashes only.

A visit is known by page, reader and second, so a log can be imported again, and one that grew can too.
Address, user name and user agent of a client go into the hash and are not stored.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import BinaryIO

from fieldmouse.behaviour.access_log import (
    CACHED,
    FUTURE,
    GARBAGE,
    LONG_URL,
    LONGEST_LINE,
    NO_HOST,
    NO_URL,
    OLD,
    LogFilter,
    LogRequest,
    parse_line,
)
from fieldmouse.errors import ImportFailed, UsageError
from fieldmouse.files.text_lines import TextLines
from fieldmouse.settings import Settings
from fieldmouse.store import open_inbox
from fieldmouse.store.contract import Store
from fieldmouse.store.inbox_contract import user_hash
from fieldmouse.store.submission_contract import ReaderVisit
from fieldmouse.units import DAY
from fieldmouse.urls import Canon

# Visits of one transaction. A log is in the order of time and the table in that of pages, so a transaction
# rewrites large parts of the table: few large ones are cheaper.
BATCH = 200_000
# A log of a server whose clock is a little ahead is no log of the future.
AHEAD = 300.0
# Lines after which a file without one line of a log is given up.
NO_LOG = 10_000


@dataclass(slots=True)
class VisitImport:
    """The result of an import."""

    lines: int = 0
    visits: int = 0
    new: int = 0  # that were not in the archive before
    readers: int = 0  # different ones, as far as they are remembered
    position: int = 0  # bytes read of the file
    left_out: dict[str, int] = field(default_factory=dict)  # lines by reason

    def leave_out(self, reason: str) -> None:
        """Count a line that is no visit."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


def import_visits(
    store: Store,
    file: BinaryIO,
    name: str,
    settings: Settings,
    *,
    host: str = "",
    now: float,
    tell: Callable[[VisitImport], None] = lambda _: None,
) -> VisitImport:
    """Import an access log; `host` is for lines without one, as www.example.org or https://www.example.org.

    `tell` is called after each batch, which is stored by then. Retention begins with the time of a visit.
    """
    with open_inbox(store.folder) as inbox:
        log = LogVisits(settings, host, inbox.salt(), now, store.known_pages)
    result, lines = VisitImport(), TextLines(file, LONGEST_LINE)
    batch: list[ReaderVisit] = []

    def flush() -> None:
        if batch:
            store.require_space()
            result.new += store.behaviour.add(batch)
            batch.clear()
        result.position, result.readers = lines.position, log.readers.count
        tell(result)

    for text in lines.text():
        result.lines += 1
        one = log.visit(text)
        if isinstance(one, str):
            result.leave_out(one)
            if result.lines == NO_LOG and result.left_out.get(GARBAGE) == NO_LOG:
                raise ImportFailed(
                    f"{name} is not an access log: none of its first {NO_LOG:,} lines is in Common or "
                    "Combined Log Format"
                )
            continue
        result.visits += 1
        batch.append(one)
        if len(batch) >= BATCH:
            flush()
    flush()
    store.behaviour.expire(log.oldest)
    if lines.too_long:
        result.left_out["line too long"] = lines.too_long
    if lines.problem:
        result.left_out[f"the rest is damaged at {lines.problem}"] = 1
    if not result.visits:
        reasons = "; ".join(f"{n:,} × {reason}" for reason, n in result.left_out.items())
        hint = "set serve.visit_days higher to keep them"
        if OLD not in result.left_out:
            hint = "give an access log in Common or Combined Log Format"
        raise ImportFailed(f"{name} has no visit of a reader ({reasons or 'it is empty'}); {hint}")
    return result


class LogVisits:
    """Turns lines of one access log into visits."""

    def __init__(
        self,
        settings: Settings,
        host: str,
        salt: bytes,
        now: float,
        known_pages: Callable[[Sequence[str]], set[str]] = lambda _: set(),
    ) -> None:
        """`host` is for lines that do not name one; `known_pages` are those of some URLs in the archive."""
        self.readers = ReaderHashes(salt)
        canon = Canon(drop=settings.scope.drop_params, keep=settings.scope.keep_params)
        self.urls = LogUrls(host, canon, known_pages)
        self.chosen = LogFilter(settings.behaviour.bots, settings.behaviour.assets)
        self.longest_url = settings.scope.max_url
        self.now = now
        self.oldest = now - settings.serve.visit_days * DAY if settings.serve.visit_days else 0.0

    def visit(self, line: str) -> ReaderVisit | str:
        """The visit of a line, or why it is none."""
        request = parse_line(line)
        if isinstance(request, str):
            return request
        if reason := self.chosen.reject(request):
            return reason
        if not self.oldest <= request.time <= self.now + AHEAD:
            return FUTURE if request.time > self.now else OLD
        url, reason = self.urls.find(request)
        if len(url) > self.longest_url:  # it would never be fetched
            return LONG_URL
        return reason or ReaderVisit(self.readers.of(request.client), url, request.time)


class ReaderHashes:
    """Clients as salted hashes, the last ones remembered."""

    def __init__(self, salt: bytes) -> None:
        self.salt = salt
        self.count = 0
        self._known: dict[str, str] = {}

    def of(self, client: str) -> str:
        """The hash of a client."""
        found = self._known.get(client)
        if found is None:
            if len(self._known) > CACHED:
                self._known.clear()
            self.count += 1
            found = self._known[client] = user_hash(self.salt, "access log", client)
        return found


class LogUrls:
    """The canonical URLs of requests, the last ones remembered."""

    def __init__(self, host: str, canon: Canon, known_pages: Callable[[Sequence[str]], set[str]]) -> None:
        """`host` is for requests that do not say which they were sent to."""
        self.canon, self.known_pages = canon, known_pages
        self._known: dict[tuple[str, str, str], str | None] = {}
        self.scheme, separator, rest = host.rpartition("://")
        self.host = rest.strip("/")
        given = f"{self.scheme or 'https'}://{self.host}/"
        if host and (
            (separator and self.scheme not in ("http", "https")) or canon(given) is None or "/" in self.host
        ):
            raise UsageError(
                f"--host must be a host as www.example.org or https://www.example.org, not {host!r}"
            )

    def find(self, request: LogRequest) -> tuple[str, str]:
        """The URL of a request, or why it has none."""
        host, scheme = request.host or self.host, request.scheme or self.scheme
        if not host:
            return "", NO_HOST
        key = (scheme, host, request.target)
        if key not in self._known:
            if len(self._known) > CACHED:
                self._known.clear()
            self._known[key] = self._canonical(scheme, host, request.target)
        url = self._known[key]
        return (url, "") if url is not None else ("", NO_URL)

    def _canonical(self, scheme: str, host: str, target: str) -> str | None:
        """The URL of a target. If nobody says the scheme, it is that of the archive's page, or https."""
        url = self.canon(f"{scheme or 'https'}://{host}{target}")
        if scheme or url is None:
            return url
        plain = url.replace("https", "http", 1)
        return plain if self.known_pages([url, plain]) == {plain} else url
