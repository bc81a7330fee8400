"""The document of a page, for SQL and for the search: its main text, and what it says about itself."""

import logging

from fieldmouse.page.charset import decode
from fieldmouse.settings import Settings
from fieldmouse.store.page_records import DocumentRow
from fieldmouse.store.records import UncleanedPage

from .dedup import CleanPage

log = logging.getLogger(__name__)

# Characters of a text that are kept.
LONGEST_TEXT = 1_000_000

# What the content of a page may raise. It then has no text.
PAGE_ERRORS = (ValueError, ArithmeticError, LookupError, RecursionError, MemoryError)


def document_row(page: UncleanedPage, found: CleanPage, settings: Settings) -> DocumentRow:
    """The document of a page that cleaning has read."""
    text, version, response = "", found.version, found.response
    try:
        if found.stripped is not None:
            text = found.stripped.text() if settings.archive.text else ""
        elif version is not None and response is not None and version.mime.startswith("text/"):
            text = decode(response.content, version.charset or "utf-8") if settings.archive.text else ""
    except PAGE_ERRORS:
        log.exception("%s has no text", page.url)
    return DocumentRow(page.page, page.version, found.title, text[:LONGEST_TEXT])
