"""What a page says that no other page of its host said before.

A page is a set of units: texts of its blocks outside links, and addresses of its images. Words that stand in
the page's own URL are replaced by a mark, so that "Calendar of May 2031" at `/calendar?month=may&year=2031`
says nothing new. Seen units are kept in bitmaps: few bytes a unit, and a small share of new ones looks seen.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from urllib.parse import unquote

import xxhash

# Bytes of the first bitmap and of the largest; hashes a bit at which a new one is begun; bitmaps kept.
FIRST_BITMAP, LARGEST_BITMAP, FULL, BITMAPS = 4 << 10, 128 << 10, 0.1, 4
# Forms of units of a host that are ignored because they change by themselves.
CHANGING = 256
# Units of one page that are looked at; of the longest pages this is enough to tell what is new.
UNITS = 400

_words = re.compile(r"\w+").findall
_digits = re.compile(r"\d+").sub
_token = re.compile(r"(?<![0-9A-Za-z])(?=[A-Za-z]*\d)(?=\d*[A-Za-z])[0-9A-Za-z]{12,}(?![0-9A-Za-z])").sub
_MARK = "\x01"


@dataclass(frozen=True, slots=True)
class TextUnits:
    """The text of a page for this purpose."""

    units: tuple[str, ...]  # texts outside links
    link_text: str = ""  # the texts of all links
    images: tuple[str, ...] = ()  # their addresses


class Novelty(Enum):
    """What a page brings to its host."""

    NEW = "new"
    NUMBERS = "numbers"  # new, but all its new units differ from known ones in digits only
    THIN = "thin"  # one new unit, which differs from a known one in digits only, and no new name
    MIXED = "mixed"  # known units in a combination that is new
    RELINKED = "relinked"  # a known text with other links, or with other words of the URL
    COPY = "copy"


class SeenUnits:
    """A set of hashes in bitmaps, two bits each; the oldest are forgotten when there are very many."""

    def __init__(self) -> None:
        self._maps = [bytearray(FIRST_BITMAP)]
        self._room = int(FULL * 8 * FIRST_BITMAP)

    def __contains__(self, key: int) -> bool:
        """Whether a hash was added; rarely true for one that was not."""
        second = key >> 32
        for bits in self._maps:
            size = 8 * len(bits)
            place = key % size
            if bits[place >> 3] >> (place & 7) & 1:
                place = second % size
                if bits[place >> 3] >> (place & 7) & 1:
                    return True
        return False

    def add(self, key: int) -> None:
        """Add a hash."""
        bits = self._maps[-1]
        for place in (key % (8 * len(bits)), (key >> 32) % (8 * len(bits))):
            bits[place >> 3] |= 1 << (place & 7)
        self._room -= 1
        if self._room <= 0:
            size = min(2 * len(bits), LARGEST_BITMAP)
            self._maps = [*self._maps, bytearray(size)][-BITMAPS:]
            self._room = int(FULL * 8 * size)


@dataclass(frozen=True, slots=True)
class Judged:
    """A page as the host's texts judge it."""

    novelty: Novelty
    # Of its units and link texts: as they are, and without the words of the URL; the last is of units only.
    prints: tuple[int, ...]
    keys: frozenset[int] = frozenset()  # of its units, if some of the host's change at each visit


class HostTexts:
    """The units of all pages of a host."""

    def __init__(self) -> None:
        self._units, self._forms, self._prints = SeenUnits(), SeenUnits(), SeenUnits()
        self._names = SeenUnits()
        self._changing: set[int] = set()  # forms of clocks and counters
        self.rotating = 0  # units of a page that were other ones when it was fetched twice

    def judge(self, url: str, text: TextUnits) -> Judged:
        """What a page brings; its units are known from then on."""
        own = _url_words(url)
        new = weak = plain_print = echo_print = solid_print = 0
        keys: list[int] = []
        named = False  # its URL and its text have a word that is new on the host: the name of something
        for plain, marked in self._units_of(text, own):
            key, marked_key, form = _hash(plain), _hash(marked), _hash(_digits("0", marked))
            if form in self._changing:
                continue
            echo = key not in self._units and marked_key in self._units  # only the words of the URL differ
            plain_print ^= key
            echo_print ^= marked_key if echo else key
            solid_print ^= 0 if echo else key
            keys.append(key)
            if echo:
                named = self._has_new_name(plain, own) or named
            elif key not in self._units:
                new += 1
                weak += form in self._forms
            self._units.add(key)
            self._units.add(marked_key)
            self._forms.add(form)
        links = _words(text.link_text.lower())
        known = plain_print in self._prints or echo_print in self._prints
        plain_links, marked_links = _hash("links " + " ".join(links)), _hash("links " + _marked(links, own))
        full = (plain_print ^ plain_links, echo_print ^ marked_links, echo_print ^ plain_links)
        known_links = any(one in self._prints for one in full)
        solid = _hash(f"solid {solid_print}")
        echoes = solid in self._prints
        for one in (plain_print, echo_print, solid, *full):
            self._prints.add(one)
        if new == weak == 1 and not named:
            novelty = Novelty.THIN
        elif new:
            novelty = Novelty.NUMBERS if new == weak else Novelty.NEW
        elif not known:
            novelty = Novelty.RELINKED if echoes else Novelty.MIXED
        else:
            novelty = Novelty.COPY if known_links else Novelty.RELINKED
        return Judged(novelty, (*full, plain_print), frozenset(keys if self.rotating else ()))

    def marked(self, url: str, text: TextUnits) -> frozenset[str]:
        """What a page says, with a mark for the words of its URL."""
        return frozenset(marked for _, marked in self._units_of(text, _url_words(url)))

    def alike(self, one: Judged, other: Judged) -> bool:
        """Whether two pages are the same but for words of the URL and units that change by themselves."""
        if one.prints[0] == other.prints[0] or one.prints[1] == other.prints[1]:
            return True
        return bool(one.keys and other.keys) and len(one.keys ^ other.keys) <= 2 * self.rotating

    def _has_new_name(self, text: str, own: set[str]) -> bool:
        """Whether a word of a text that also stands in the URL is new on the host."""
        found = [
            key
            for word in text.split()
            if word in own and word.isalpha() and (key := _hash(word)) not in self._names
        ]
        for key in found:
            self._names.add(key)
        return bool(found)

    def compare(self, url: str, first: TextUnits, second: TextUnits) -> bool:
        """Two fetches of one page in a row: units that differ in digits only are clocks and counters.

        Others that differ are drawn anew at each visit: a quote, an advertisement. True if that is news.
        """
        own = _url_words(url)
        before, after = (dict(self._units_of(one, own)) for one in (first, second))
        forms = [{_digits("0", one) for one in units.values()} for units in (before, after)]
        rotating = len(forms[0] - forms[1])
        for marked in set(before.values()) ^ set(after.values()):
            if len(self._changing) < CHANGING and _digits("0", marked) in forms[0] & forms[1]:
                self._changing.add(_hash(_digits("0", marked)))
        if rotating <= self.rotating or 2 * rotating >= len(forms[0]):  # with more it is another page
            return False
        self.rotating = rotating
        return True

    @staticmethod
    def _units_of(text: TextUnits, own: set[str]) -> Iterator[tuple[str, str]]:
        """Each unit once: as it is, and with a mark for the words of the URL."""
        for unit in dict.fromkeys(text.units[:UNITS]):
            if words := _words(unit.lower()):
                yield " ".join(words), _marked(words, own)
        for image in dict.fromkeys(text.images[:UNITS]):
            # A picture belongs to its page, so its number may stand in the URL. Tokens change at each visit.
            name = "image " + _token("*", image.partition("?")[0])
            yield name, name


def _url_words(url: str) -> set[str]:
    return {word.lstrip("0") or "0" for word in _words(unquote(url[8:]).lower().replace("_", " "))}


def _marked(words: list[str], own: set[str]) -> str:
    return " ".join([_MARK if (word.lstrip("0") or "0") in own else word for word in words])


def _hash(text: str) -> int:
    return xxhash.xxh3_64_intdigest(text.encode("utf-8", "surrogatepass"))
