"""Texts, pages and addresses as words, and words as terms: lower case, no stop words, stemmed."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import unquote

import Stemmer

from fieldmouse.page.links import STOP_WORDS
from fieldmouse.page.read import Facts
from fieldmouse.page.word_positions import cut, small_text
from fieldmouse.types import Href

REMEMBERED = 200_000  # stems of words kept; beyond, the table is emptied
LONGEST = 40  # letters of a word; what is longer is a key or a line without spaces

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")

UNSPACED = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")

# Technical parts of an address, which say nothing about its subject.
PLUMBING = frozenset(
    {"http", "https", "www", "com", "org", "net", "htm", "html", "xhtml", "shtml", "php", "asp", "aspx"}
    | {"jsp", "jsf", "cgi", "index", "default", "wiki", "page", "pages", "id", "ref", "view", "item", "node"}
)

TITLE_CHARS = 300

_porter = Stemmer.Stemmer("porter")
_porter.maxCacheSize = 0  # `Stems` is the cache


def stem(word: str) -> str:
    """The stem of a word in lower case by Porter's rules (1980).

    Words of one or two letters, and words with letters other than a-z, are returned unchanged. Snowball keeps
    some doubled consonants that Porter's paper makes single: trekking, revved.
    """
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    found: str = _porter.stemWord(word)
    doubled = found[-1] == found[-2:-1] and found[-1] in "chjkqvwx"
    return found[:-1] if doubled and word.endswith(("ed", "ing")) else found


class Stems(dict[str, str]):
    """Words in lower case to terms, each computed once; the term of a stop word is empty."""

    def __missing__(self, word: str) -> str:
        bare = word.replace("\u2019", "'").removesuffix("'s")
        if len(bare) > LONGEST:
            return ""  # not remembered, as it may be the whole text of a page
        if len(self) >= REMEMBERED:
            self.clear()
        none = len(bare) < 2 or word in STOP_WORDS or bare in STOP_WORDS
        term = self[word] = "" if none else stem(bare)
        return term


def words(text: str) -> list[str]:
    """The words of a text in lower case, stop words too."""
    return _WORD.findall(text.lower())


def unspaced(text: str) -> bool:
    """Whether a text is in a script without spaces between words; its words cannot be counted."""
    return any(unicodedata.name(letter, "").startswith(UNSPACED) for letter in text)


def terms(text: str, stems: Stems) -> list[str]:
    """The terms of a text in their order."""
    return [term for word in words(text) if (term := stems[word])]


def counts(text: str, stems: Stems) -> Counter[str]:
    """How often each term stands in a text."""
    found = Counter(map(stems.__getitem__, words(text)))
    del found[""]
    return found


def surface(texts: Iterable[str], stems: Stems) -> dict[str, str]:
    """For each term the word that it mostly stands for, to show to a reader."""
    seen: Counter[str] = Counter()
    for text in texts:
        seen.update(words(text))
    shown: dict[str, str] = {}
    for word, _ in sorted(seen.items(), key=lambda pair: (-pair[1], pair[0])):
        if term := stems[word]:
            shown.setdefault(term, word.replace("\u2019", "'").removesuffix("'s"))
    return shown


def url_words(url: str) -> list[str]:
    """The words of an address without technical ones; the words of the host come first."""
    if "%" in url:
        url = unquote(url)
    if not url.islower():
        url = _HUMP.sub(" ", url).lower()
    return [word for word in _WORD.findall(url) if word not in PLUMBING]


class PageText(NamedTuple):
    """The title of a page and its words."""

    title: str
    said: bytes  # words in small letters with marks at links, see `page.word_positions`


class PageWords(NamedTuple):
    """The text of a page and its links."""

    text: PageText
    hrefs: list[Href]  # of the marked links, in order


def page_text(text: str) -> PageText:
    """A text whose first line is its title; one that the text repeats counts once, as on a fetched page."""
    title, _, rest = text.partition("\n")
    repeated = bool(title) and rest.partition("\n")[0] == title
    return PageText(title[:TITLE_CHARS], small_text(rest if repeated else text))


def page_words(content: bytes, facts: Facts) -> PageWords:
    """The words and links of a page."""
    hrefs = [one for one in facts.hrefs if one.kind in ("a", "area")]
    said = cut(content, facts.index, facts.charset, [one.tag for one in hrefs])
    return PageWords(PageText(facts.title, said), hrefs)
