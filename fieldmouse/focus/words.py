"""Text and addresses as the terms that everything in this room counts: lower case, no stop words, stemmed."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from urllib.parse import unquote

from fieldmouse.page.links import STOP_WORDS

from .porter import stem

REMEMBERED = 200_000  # stems of words kept; beyond this we begin anew
LONGEST = 40  # letters of a word; what is longer is a key or a line without spaces

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")

UNSPACED = ("CJK UNIFIED", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR")

# Parts of an address that say how it is served, not what it is about.
PLUMBING = frozenset(
    [
        "http",
        "https",
        "www",
        "com",
        "org",
        "net",
        "htm",
        "html",
        "xhtml",
        "shtml",
        "php",
        "asp",
        "aspx",
        "jsp",
        "jsf",
        "cgi",
        "index",
        "default",
        "wiki",
        "page",
        "pages",
        "id",
        "ref",
        "view",
        "item",
        "node",
    ]
)


class Stems(dict[str, str]):
    """Words to terms, worked out once each; a stop word's term is empty. Takes words in lower case."""

    def __missing__(self, word: str) -> str:
        bare = word.replace("\u2019", "'").removesuffix("'s")
        if len(bare) > LONGEST:
            return ""  # and not remembered: it may be a page's whole text
        if len(self) >= REMEMBERED:
            self.clear()
        none = len(bare) < 2 or word in STOP_WORDS or bare in STOP_WORDS
        term = self[word] = "" if none else stem(bare)
        return term


def words(text: str) -> list[str]:
    """The words of a text in lower case, stop words too."""
    return _WORD.findall(text.lower())


def unspaced(text: str) -> bool:
    """Whether a text is in a script that does not part its words: they cannot be counted here."""
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
    """The words an address is made of, without those of its plumbing; the host's name first."""
    if "%" in url:
        url = unquote(url)
    if not url.islower():
        url = _HUMP.sub(" ", url).lower()
    return [word for word in _WORD.findall(url) if word not in PLUMBING]
