"""The document of a page, for SQL and for the search: its main text, and what it says about itself."""

import logging

from fieldmouse.page.charset import decode
from fieldmouse.settings import Settings
from fieldmouse.spam.scores import SpamScores
from fieldmouse.store.page_records import DocumentRow
from fieldmouse.store.records import UncleanedPage

from .dedup import CleanPage

LEAST_WORDS = 20  # of a main text; a shorter one says too little to be scored

log = logging.getLogger(__name__)

# Characters of a text that are kept.
LONGEST_TEXT = 1_000_000

# What the content of a page may raise. It then has no text.
PAGE_ERRORS = (ValueError, ArithmeticError, LookupError, RecursionError, MemoryError)


def document_row(
    page: UncleanedPage, found: CleanPage, settings: Settings, scores: SpamScores | None = None
) -> DocumentRow:
    """The document of a page that cleaning has read."""
    text, version, response = "", found.version, found.response
    try:
        if found.stripped is not None:
            text = found.stripped.text() if settings.archive.text or scores is not None else ""
        elif version is not None and response is not None and version.mime.startswith("text/"):
            text = decode(response.content, version.charset or "utf-8") if settings.archive.text else ""
    except PAGE_ERRORS:
        log.exception("%s has no text", page.url)
    row = DocumentRow(
        page.page, page.version, found.title, text[:LONGEST_TEXT] if settings.archive.text else ""
    )
    if scores is None or len(text.split(None, LEAST_WORDS)) < LEAST_WORDS:
        return row
    verdict = scores.judge_content(text)
    words = next((one.partition(": ")[2] for one in verdict.reasons if one.startswith("words")), "")
    spam = verdict.score > settings.spam.content_threshold
    return row._replace(spam_score=int(verdict.score), spam=spam, spam_words=words if spam else "")
