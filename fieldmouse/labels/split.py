"""Domain names into words: a model learned from names split by hand, and the published rule.

The model reads every letter sequence of up to 20 letters as a candidate word and gives the best reading with
its probability, which says how far to trust it. The published rule (Genovese and Geraci 2018) takes the
longest word of a dictionary first and goes back when the rest cannot be covered; a name that it cannot cover
is discarded.

The model knows Latin letters. Names in other scripts are cut at hyphens and digits, and covered by words of a
given dictionary and by keywords, as by the published rule.
"""

import json
import lzma
import re
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from copy import copy
from functools import cached_property
from importlib import import_module
from importlib.resources import files
from types import ModuleType
from typing import Any, NamedTuple, Self

from fieldmouse.errors import UsageError
from fieldmouse.urls import is_ip, registrable_domain

from . import split_python

ENGINE: ModuleType = split_python
with suppress(ImportError):  # without a compiler: the same results, slower
    ENGINE = import_module("fieldmouse.labels._split")

SYMBOLS = 28  # letters, the beginning and the end of a word
LONGEST = 60  # letters that are split at once
SHORT_WORDS = frozenset("ai")  # words of one letter; with others, any letters would be words

# Of the shipped words, those of two letters that are no abbreviations; with all of them any letters are
# words.
TWO_LETTERS = frozenset("am an as at be by do go he hi if in is it me my no of on or so to up us we".split())  # noqa: SIM905

# How common a word of a given dictionary is if it does not say: 3 to 10 uses in a million words.
USUAL_BIN = 8

# The shipped words that the published rule uses: at least 0.1 uses in a million words; 3 if of three letters.
EVERYDAY_BIN, EVERYDAY_SHORT_BIN = 5, 8

_PLAIN = re.compile(r"[a-z]+")
_HOST = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_PARTS = re.compile(r"[a-z]+|[0-9]+|[^\x00-\x7f]+")
_PACKED = re.compile(rb"\x01(..)|([ -`])([a-z]*)", re.DOTALL)
_LETTERS = re.compile(r"[^\W\d_]+")
_IDEOGRAPHS = "\u2e80"  # from here on one sign may be a word

# How probable each cut by a dictionary is: of the names that the published rule covers, it splits about
# this share rightly.
COVERED = 0.78


class SplitReading(NamedTuple):
    """A name as words."""

    name: str  # as it was given
    words: tuple[str, ...]  # small letters; digits are words too
    probability: float  # that these are the words; 0 if the name cannot be read


def read_words() -> bytes:
    """The shipped words, as `_split.c` reads them."""
    text = lzma.decompress(files(__package__).joinpath("words.dat").read_bytes())
    return text[text.index(b"\n\n") + 2 :]


def unpacked_words(packed: bytes) -> Iterator[tuple[str, int, int]]:
    """Each word with how common it is in English and in other languages, in steps of half a power of ten."""
    english = other = 0
    before = b""
    for found in _PACKED.finditer(packed):
        if found[1] is not None:
            english, other = found[1][0] - 32, found[1][1] - 32
        else:
            before = before[: found[2][0] - 32] + found[3]
            yield before.decode(), english, other


def packed_words(words: Mapping[str, int]) -> bytes:
    """Words of a given dictionary with their bins, in the same form."""
    return b"".join(
        b"\x01" + bytes((32 + size, 32)) + b" " + word.encode()
        for word, size in sorted(words.items())
        if word.isascii()
    )


def read_dictionary(text: str, where: str = "the dictionary") -> dict[str, int]:
    """Words of a file, one a line; a second column may say how often each is used.

    Accents are folded as in domain names. The most frequent tenth counts as everyday words.
    """
    counts: dict[str, float] = {}
    numbered = False
    for number, line in enumerate(text.splitlines(), 1):
        cells = line.replace(",", "\t").replace(";", "\t").split("\t")
        word = letters_of(cells[0].strip()) or other_letters(cells[0].strip())
        if line.startswith("#") or not word:
            continue
        uses = 0.0
        if len(cells) > 1 and cells[1].strip():
            try:
                uses = float(cells[1])
            except ValueError:
                raise UsageError(f"{where}, line {number}: expected word,uses, not {line!r}") from None
            numbered = True
        counts[word] = max(counts.get(word, 0.0), uses)
    if not counts:
        raise UsageError(f"{where} has no word; give one word a line")
    if not numbered:
        return dict.fromkeys(counts, USUAL_BIN)
    order = sorted(counts, key=lambda one: -counts[one])
    # By Zipf's law the use of a word falls with its rank; the first word is as common as "the".
    return {word: max(1, 16 - 2 * len(str(rank))) for rank, word in enumerate(order, 1)}


def letters_of(text: str) -> str:
    """A text in the letters a-z; empty if it has letters that cannot be folded to them."""
    import unicodedata

    bare = text.casefold()
    if not bare.isascii():
        bare = bare.replace("ß", "ss").replace("ø", "o").replace("ł", "l").replace("æ", "ae")
        bare = bare.replace("œ", "oe").replace("ı", "i").replace("đ", "d")
        bare = "".join(one for one in unicodedata.normalize("NFKD", bare) if not unicodedata.combining(one))
    bare = bare.replace("'", "").replace("\u2019", "")
    return bare if bare.isascii() and bare.isalpha() else ""


def other_letters(text: str) -> str:
    """A word of another script as it stands in names; empty if it has other signs or Latin letters."""
    import unicodedata

    bare = unicodedata.normalize("NFKC", text.casefold())
    return bare if bare and not any(one.isascii() or one.isspace() for one in bare) else ""


class NameParts(NamedTuple):
    """The label of a name that says what it is, cut at hyphens and between letters and digits."""

    label: str  # punycode is decoded
    parts: tuple[str, ...]  # letters a-z, digits, or signs of another script
    readable: bool  # False: it has signs of another script, or is damaged punycode


def name_parts(name: str) -> NameParts:
    """The part of a host, a domain or a URL that can be split: before the public suffix, without accents."""
    host = name.strip().casefold()
    if _PLAIN.fullmatch(host):  # most names, quickly
        return NameParts(host, (host,), True)
    if not _HOST.fullmatch(host):
        host = host.split("://", 1)[-1]
        host = re.split(r"[/?#]", host, maxsplit=1)[0].rpartition("@")[2].partition(":")[0].strip(".")
    label = "" if is_ip(host) else host
    if "." in label:
        # Of two parts the first one is meant, whether the name is registered or a public suffix itself.
        registered = host if host.count(".") == 1 else registrable_domain(host) or host
        label = registered.partition(".")[0]
    if label.startswith("xn--"):
        try:
            label = label[4:].encode("ascii").decode("punycode").casefold()
        except UnicodeError:
            return NameParts(label, (), False)
    if label.isascii():
        return NameParts(label, tuple(_PARTS.findall(label)), True)
    folded = "".join(
        letters_of(one) if not one.isascii() and (letters_of(one)) else one for one in _runs(label)
    )
    readable = all(one.isascii() for one in folded)
    return NameParts(label, tuple(_PARTS.findall(folded)), readable)


def _runs(label: str) -> Iterator[str]:
    """Runs of letters, and each other sign."""
    at = 0
    for found in _LETTERS.finditer(label):
        yield from label[at : found.start()]
        yield found[0]
        at = found.end()
    yield from label[at:]


class NameSplitter:
    """Splits names with the shipped model, or with one trained by `scripts/make_name_model.py`."""

    def __init__(
        self,
        dictionary: Mapping[str, int] | None = None,
        *,
        model: bytes | None = None,
        engine: ModuleType = ENGINE,
    ) -> None:
        self._engine = engine
        self._others = DictionarySplitter([one for one in dictionary or () if not one.isascii()])
        words = read_words() + (packed_words(dictionary) if dictionary else b"")
        body = lzma.decompress(model or files(__package__).joinpath("names.dat").read_bytes())
        head, _, body = body.partition(b"\n")
        self.card: dict[str, Any] = json.loads(head)
        count = int.from_bytes(body[:4], "little")
        costs, body = body[4 : 4 + 2 * SYMBOLS**3], body[4 + 2 * SYMBOLS**3 :]
        size = int.from_bytes(body[:4], "little")
        self._model = engine.load(
            words, costs, _places(body[4 : 4 + size]), body[4 + size : 4 + size + count]
        )

    def knowing(self, keywords: Iterable[str]) -> Self:
        """A splitter that knows keywords in other scripts too."""
        known = {word for one in keywords if (word := other_letters(one))}
        if not known:
            return self
        more = copy(self)
        more._others = DictionarySplitter(known | self._others.words)
        return more

    def split(self, name: str) -> SplitReading:
        """The words of a name, a host or a URL."""
        parts = name_parts(name).parts
        words: list[str] = []
        probability = 1.0 if parts else 0.0
        for part in parts:
            if part.isdigit():
                words.append(part)
                continue
            if not part.isascii():
                found = self._others.cover(part)
                words += found or (part,)
                probability *= COVERED ** (len(found) - 1) if found else 0.0
                continue
            for start in range(0, len(part), LONGEST):
                piece = part[start : start + LONGEST]
                ends, p = self._engine.split(self._model, piece.encode())
                words += [piece[a:b] for a, b in zip([0, *ends], ends, strict=False)]
                probability *= p
            if len(part) > LONGEST:
                probability = 0.0
        return SplitReading(name, tuple(words), probability)


def _places(gaps: bytes) -> bytes:
    """Places of weights from the gaps between them; a gap of 255 or more has several bytes."""
    places = array("I")
    at, wide = -1, 0
    for gap in gaps:
        if gap == 255:
            wide += 255
        else:
            at += wide + gap
            wide = 0
            places.append(at)
    return places.tobytes()


class DictionarySplitter:
    """The published rule: the longest word first, back when it fails, nothing if no cover is found."""

    def __init__(self, words: Collection[str]) -> None:
        self.words = frozenset(
            one
            for one in map(str.casefold, words)
            if len(one) > 1 or one in SHORT_WORDS or one >= _IDEOGRAPHS
        )
        self._longest = max(map(len, self.words), default=0)

    @classmethod
    def shipped(cls, more: Iterable[str] = ()) -> "DictionarySplitter":
        """With the everyday English words that ship with the program."""
        known = (
            word
            for word, english, _ in unpacked_words(read_words())
            if english >= (EVERYDAY_SHORT_BIN if len(word) == 3 else EVERYDAY_BIN)
            and (len(word) != 2 or word in TWO_LETTERS)
        )
        return cls([*known, *more])

    def split(self, name: str) -> SplitReading:
        """The words of a name, each from the dictionary; none if the name cannot be covered."""
        found: list[str] = []
        for part in name_parts(name).parts:
            words = (part,) if part.isdigit() else self.cover(part)
            if not words:
                return SplitReading(name, (), 0.0)
            found += words
        fits = bool(found) and not all(one.isdigit() for one in found)
        return SplitReading(name, tuple(found) if fits else (), 1.0 if fits else 0.0)

    def cover(self, letters: str) -> tuple[str, ...]:
        """The first cover in the order of the rule, or nothing; a place that failed is not tried again."""
        dead: set[int] = set()
        path: list[tuple[int, int]] = []  # start of a word, and the end to try next
        at, end = 0, min(len(letters), self._longest)
        while True:
            while end > at and not (letters[at:end] in self.words and end not in dead):
                end -= 1
            if end > at:
                path.append((at, end))
                if end == len(letters):
                    return tuple(letters[a:b] for a, b in path)
                at, end = end, min(len(letters), end + self._longest)
                continue
            dead.add(at)
            if not path:
                return ()
            at, end = path.pop()
            end -= 1


class Splitters:
    """Both splitters, each made on first use."""

    def __init__(self, dictionary: Mapping[str, int] | None = None) -> None:
        self._given = dictionary

    @cached_property
    def learned(self) -> NameSplitter:
        """The model."""
        return NameSplitter(self._given)

    @cached_property
    def published(self) -> DictionarySplitter:
        """The published rule: with a given dictionary instead of the shipped words."""
        return DictionarySplitter(self._given) if self._given else DictionarySplitter.shipped()
