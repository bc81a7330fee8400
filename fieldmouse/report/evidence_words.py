"""The evidence of a topic's judge in words that people know: judges see stems of words."""

import re
from collections.abc import Callable, Iterable

from fieldmouse.errors import ArchiveDamaged
from fieldmouse.focus.words import Stems, surface, url_words
from fieldmouse.page.text import visible_text
from fieldmouse.store.contract import StoreReader
from fieldmouse.types import PageRecord

# Characters of a text that are looked through.
LONGEST = 100_000

_TERM = re.compile(r"(\S+)( [+-]\d+(?:\.\d+)?)")


def whole_words(reasons: str, texts: Iterable[Callable[[], str]]) -> str:
    """The evidence with each stem as the word that it mostly stands for in the first text that has it.

    `insolv +1.20; bank +0.80` is `insolvency +1.20; banks +0.80` on a page with these words. A text is read
    only while a stem is left.
    """
    said = [(one, _TERM.fullmatch(one)) for one in reasons.split("; ")]
    stems, shown = {found[1] for _, found in said if found}, dict[str, str]()
    for text in texts:
        if stems <= shown.keys():
            break
        shown = surface([text()[:LONGEST]], Stems()) | shown
    return "; ".join(f"{shown.get(found[1], found[1])}{found[2]}" if found else one for one, found in said)


def page_evidence(reader: StoreReader, page: PageRecord | None, reasons: str) -> str:
    """The evidence about a page in its own words: of its main text, its title and address, or its menus."""
    if page is None:
        return reasons
    record = page

    def all_text() -> str:
        version = record.version
        try:
            index = reader.tags(version) if version else None
            if version is None or index is None:
                return ""
            return visible_text(reader.response(version).content, index, version.charset)
        except ArchiveDamaged:
            return ""

    return whole_words(
        reasons,
        (
            lambda: reader.text(record.id) or "",
            lambda: f"{record.title} {' '.join(url_words(record.url))}",
            all_text,
        ),
    )
