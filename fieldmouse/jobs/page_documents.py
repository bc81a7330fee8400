"""The document of a page, for SQL and for the search: its main text, and what it says about itself."""

import json
import logging
from typing import NamedTuple

import xxhash

from fieldmouse.files.pdf_text import PdfReader, PdfText
from fieldmouse.page.charset import decode
from fieldmouse.page.metadata import page_metadata
from fieldmouse.page.stated_dates import stated_date
from fieldmouse.settings import Settings
from fieldmouse.spam.scores import SpamScores
from fieldmouse.store.page_records import LONGEST_TEXT, DocumentRow
from fieldmouse.store.records import UncleanedPage
from fieldmouse.types import PDF, PageMetadata

from .dedup import CleanPage

KEPT_CHARACTERS = 8_000_000  # of texts that are kept in case that other pages of the host are the same

LEAST_WORDS = 20  # of a main text; a shorter one says too little to be scored

log = logging.getLogger(__name__)

_written = json.JSONEncoder(ensure_ascii=False).encode

# What the content of a page may raise. It then has no text.
PAGE_ERRORS = (ValueError, ArithmeticError, LookupError, RecursionError, MemoryError)


class TextAndFacts(NamedTuple):
    """What a page says, and its facts as JSON; None if they are not wanted."""

    text: str
    facts: str | None


class Documents:
    """Makes the documents of the pages of a host that cleaning has read; close it after use."""

    def __init__(
        self, settings: Settings, scores: SpamScores | None = None, kept_characters: int = KEPT_CHARACTERS
    ) -> None:
        self.settings, self.scores, self.kept_characters = settings, scores, kept_characters
        self.pdf = PdfReader()
        self._known: dict[tuple[bytes, str, int], TextAndFacts] = {}  # by content, charset and template
        self._room = kept_characters

    def close(self) -> None:
        """End the process that reads PDF files."""
        self.pdf.close()

    def of(self, page: UncleanedPage, found: CleanPage) -> DocumentRow:
        """The document of a page."""
        title, text, said, facts = found.title, "", PageMetadata(), None
        try:
            if found.version is not None and found.version.mime == PDF:
                title, text, said = self._pdf(found)
            else:
                (text, facts), said = self._said(found), self._stated(found)
        except PAGE_ERRORS:
            log.exception("%s has no text", page.url)
        kept = text[:LONGEST_TEXT] if self.settings.archive.text else ""
        row = DocumentRow(page.page, page.version, title, kept, **said._asdict())
        if facts is not None and len(facts) <= LONGEST_TEXT:
            row = row._replace(facts=facts)
        if self.scores is None or len(text.split(None, LEAST_WORDS)) < LEAST_WORDS:
            return row
        verdict = self.scores.judge_content(text)
        words = next((one.partition(": ")[2] for one in verdict.reasons if one.startswith("words")), "")
        spam = verdict.score > self.settings.spam.content_threshold
        return row._replace(spam_score=int(verdict.score), spam=spam, spam_words=words if spam else "")

    def _said(self, found: CleanPage) -> TextAndFacts:
        """Text and facts of a page; the same bytes at another address say the same."""
        version, response, wanted = found.version, found.response, self.settings.archive.text
        if found.stripped is not None:
            if not wanted and self.scores is None:
                return TextAndFacts("", None)
            document, template = found.stripped.document, found.stripped.template
            key = xxhash.xxh3_128_digest(document.content), document.charset, template
            said = self._known.get(key)
            if said is None:
                facts = _written(found.stripped.facts) if wanted else None
                said = TextAndFacts(found.stripped.text(), facts)
                self._room -= len(said.text) + len(facts or "")
                if self._room < 0:
                    self._known.clear()
                    self._room = self.kept_characters - len(said.text) - len(facts or "")
                self._known[key] = said
            return said
        if version is not None and response is not None and version.mime.startswith("text/"):
            return TextAndFacts(decode(response.content, version.charset or "utf-8") if wanted else "", None)
        return TextAndFacts("", None)

    def _stated(self, found: CleanPage) -> PageMetadata:
        """What a page of HTML says about itself; markup that cannot be read is no reason to lose its text."""
        version, response = found.version, found.response
        if not self.settings.archive.structured_data or found.stripped is None:
            return PageMetadata()
        assert version is not None
        assert response is not None
        try:
            return page_metadata(
                response.content, version.charset, url=version.url, time=version.time, known=found.tags
            )
        except PAGE_ERRORS as error:
            log.warning("%s: its structured data cannot be read: %s", version.url, error)
            return PageMetadata()

    def _pdf(self, found: CleanPage) -> tuple[str, str, PageMetadata]:
        """Title, text and metadata of a PDF file."""
        assert found.version is not None
        assert found.response is not None
        read = self.pdf.read(found.response.content)
        if read.error:
            log.info("%s: %s", found.version.url, read.error)
        stated = self.settings.archive.structured_data
        return read.title, read.text, pdf_metadata(read, found.version.time) if stated else PageMetadata()


def pdf_metadata(read: PdfText, time: float) -> PageMetadata:
    """What a PDF file says about itself. When it was made is not when it was published: that is in `data`."""
    return PageMetadata(
        modified=stated_date(read.modified, time) or stated_date(read.created, time),
        author=read.author or None,
        data=json.dumps({"pdf": dict(read.info)}, ensure_ascii=False) if read.info else None,
    )
