"""What a page and the name of its host say, as counts of terms: name, title, meta, headings and content."""

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from itertools import islice
from typing import NamedTuple

from fieldmouse.focus.words import words
from fieldmouse.page.charset import text_of
from fieldmouse.page.read import Facts
from fieldmouse.page.word_positions import cut

from .classes import ClassList, ClassStems, joined_letters, term_counts
from .split import DictionarySplitter, NameSplitter

FIELDS = ("name", "title", "meta", "headings", "content")

META_BYTES = 65_536  # of a page in which its description is searched
HEADINGS = 40
MOST_WORDS = 5000  # of the content of a page
KEPT_TERMS = 300  # of the content of a page, if many pages are kept

_META = re.compile(rb"<meta\b([^<>]{1,3000})>", re.IGNORECASE)
_NAMED = re.compile(
    rb"""\b(?:name|property)\s*=\s*["']?(?:description|keywords|og:(?:title|description|site_name))\b""",
    re.IGNORECASE,
)
_CONTENT = re.compile(rb"""\bcontent\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_HEADING = re.compile(rb"<h[1-3]\b[^<>]{0,500}>(.{0,400}?)</h[1-3]", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(rb"<[^<>]*>?")

Terms = Counter[str]
NOTHING: Terms = Counter()


class PageEvidence(NamedTuple):
    """Counts of terms by field, and how the name was read."""

    name: Terms = NOTHING
    title: Terms = NOTHING
    meta: Terms = NOTHING
    headings: Terms = NOTHING
    content: Terms = NOTHING
    words: tuple[str, ...] = ()  # of the name
    probability: float = 0.0  # that the name was split rightly

    def fields(self) -> tuple[Terms, ...]:
        """The counts in the order of `FIELDS`."""
        return self[:5]

    def without(self, terms: AbstractSet[str]) -> "PageEvidence":
        """The evidence without some terms."""

        def left(field: Terms) -> Terms:
            return Counter({one: n for one, n in field.items() if one not in terms})

        return self._replace(
            name=left(self.name), title=left(self.title), meta=left(self.meta),
            headings=left(self.headings), content=left(self.content),
        )  # fmt: skip


class EvidenceReader:
    """Reads evidence with the keywords of a list of classes in mind, so that phrases are found."""

    def __init__(self, classes: ClassList, splitter: NameSplitter | DictionarySplitter) -> None:
        keywords = (word for one in classes.classes for word in one.keywords)
        self.splitter = splitter.knowing(keywords) if isinstance(splitter, NameSplitter) else splitter
        self.stems = ClassStems()
        self.known, self.heads = classes.terms, classes.heads

    def name(self, host: str) -> PageEvidence:
        """The evidence of a name alone."""
        read = self.splitter.split(host)
        said = joined_letters(read.words)
        terms = term_counts(said, self.known, self.stems)
        return PageEvidence(name=terms, words=read.words, probability=read.probability)

    def page(self, host: str, content: bytes, facts: Facts) -> PageEvidence:
        """The evidence of a page and of the name of its host."""
        return self.text(self.name(host), content, facts)

    def text(self, named: PageEvidence, content: bytes, facts: Facts) -> PageEvidence:
        """The evidence of a page, given that of its name."""
        said = cut(content, facts.index, facts.charset, ()).decode("utf-8", "replace").split()
        return named._replace(
            title=self.terms(facts.title),
            meta=self.terms(meta_text(content, facts.charset)),
            headings=self.terms(heading_text(content, facts.charset)),
            content=term_counts(said[:MOST_WORDS], self.known, self.stems, self.heads),
        )

    def shortened(self, page: PageEvidence) -> PageEvidence:
        """The evidence with the keywords and the most frequent other terms of the content, to save memory."""
        if len(page.content) <= KEPT_TERMS:
            return page
        kept = dict(page.content.most_common(KEPT_TERMS))
        kept.update((term, page.content[term]) for term in self.known & page.content.keys())
        return page._replace(content=Counter(kept))

    def terms(self, text: str) -> Terms:
        """The terms of a short text."""
        return term_counts(words(text), self.known, self.stems, self.heads)


def meta_text(content: bytes, charset: str) -> str:
    """The description, keywords and title that the head of a page gives for machines."""
    found = [
        text_of(said[1] or said[2] or b"", charset)
        for match in _META.finditer(content, 0, META_BYTES)
        if _NAMED.search(match[1]) and (said := _CONTENT.search(match[1]))
    ]
    return "\n".join(dict.fromkeys(found))


def heading_text(content: bytes, charset: str) -> str:
    """The first headings of the first three levels."""
    found = islice(_HEADING.finditer(content), HEADINGS)
    return "\n".join(text_of(_TAG.sub(b" ", match[1]), charset) for match in found)
