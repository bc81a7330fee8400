"""The text of HTTP messages: the headers we send, and the ones we read.

Pure functions, so that the bytes in the archive can be tested without a network.
"""

import re

from fieldmouse.decoding import OFFERED
from fieldmouse.settings import Settings
from fieldmouse.types import Ticket
from fieldmouse.version import VERSION

ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

FOLD = re.compile(r"[ \t]*\r?\n[ \t]+")

Headers = tuple[tuple[str, str], ...]


def user_agent(settings: Settings) -> str:
    """Who we say we are: the truth, with a way to reach whoever runs this."""
    crawl = settings.crawl
    contact = f"; +{crawl.contact}" if crawl.contact else ""
    return crawl.user_agent or f"Mozilla/5.0 (compatible; fieldmouse/{VERSION}{contact})"


def fixed_headers(settings: Settings) -> tuple[bytes, ...]:
    """The header lines that every request carries, after Host."""
    lines = [f"User-Agent: {user_agent(settings)}", f"Accept: {ACCEPT}", f"Accept-Encoding: {OFFERED}"]
    if "@" in settings.crawl.contact:
        lines.append(f"From: {settings.crawl.contact.removeprefix('mailto:')}")
    return tuple(one_line(line) for line in lines)


def conditional_headers(ticket: Ticket) -> tuple[bytes, ...]:
    """The header lines that let a server answer that nothing has changed."""
    if not ticket.etag and not ticket.last_modified:
        return ()
    named = (("If-None-Match", ticket.etag), ("If-Modified-Since", ticket.last_modified))
    return tuple(one_line(f"{name}: {value}") for name, value in named if value.strip())


def one_line(text: str) -> bytes:
    """A header line that stays one: a value from elsewhere cannot smuggle in another."""
    return "".join(char for char in text if char >= " " and char != "\x7f").encode("latin-1", "replace")


def parsed_headers(head: bytes) -> Headers:
    """Names in lower case and values, of a whole head; a folded value is put on one line."""
    text = head.decode("latin-1")
    if "\n " in text or "\n\t" in text:
        text = FOLD.sub(" ", text)
    pairs = [line.partition(":") for line in text.split("\n")[1:-2]]
    return tuple([(name.strip().lower(), value.strip()) for name, colon, value in pairs if colon])
