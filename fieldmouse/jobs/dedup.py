"""Which pages of an archive are copies of each other, found page by page as content comes in.

The rules are those of `spam.duplicates`, which keeps everything in memory; here the index is the archive's
database, so that it may grow beyond memory and goes on where it stopped.
"""

from collections.abc import Iterator

import xxhash

from fieldmouse import urls
from fieldmouse.dedup.duplicates import APART, NEAR, NOTHING, plainness
from fieldmouse.dedup.text_sketch import bands, likeness
from fieldmouse.store.sqlite.fingerprint_store import PrintRow, Prints

# Groups up to this size are built anew when a page leaves them; larger ones do not hang on one page.
REBUILT = 200


def said(url: str, digest: bytes, *, telling: bool) -> bytes:
    """What exact copies have in common: the text; for a few words with the domain, for none the address."""
    if telling:
        return digest
    here = url if digest in NOTHING else urls.registrable_domain(urls.hostname(url))
    return xxhash.xxh3_128_digest(digest + here.encode("utf-8", "replace"))


def short_bands(sketch: bytes) -> list[int]:
    """The bands of a sketch in 32 bits: half the disk, and a false meeting is settled by the sketches."""
    return [band & 0xFFFFFFFF for band in bands(sketch)]


class Copies:
    """Takes pages in and puts them into groups; every call inside a transaction."""

    def __init__(self, prints: Prints) -> None:
        self.prints = prints

    def add(self, page: PrintRow, version: int) -> None:
        """Take a page, new or changed."""
        old = self.prints.of(page.page)
        if old is not None:
            self._forget(old)
        self.prints.put(page, version, short_bands(page.sketch))
        self._match(page)

    def _forget(self, old: PrintRow) -> None:
        """Take a page out of the index; a group that may have hung on it is built anew."""
        self.prints.drop(old.page, short_bands(old.sketch))
        if old.kin is None:
            return
        others = self.prints.members(old.kin, REBUILT)
        if len(others) >= REBUILT:
            self.prints.leave(old.kin)
            if self.prints.kin(old.kin)[0] == old.page:
                self._choose(old.kin, others)
            return
        self.prints.dissolve(old.kin)
        for one in others:
            self._match(one._replace(kin=None))

    def _match(self, page: PrintRow) -> None:
        """Join the groups of all copies that are known."""
        for other in self._found(page):
            kin = self._join(page.page, other.page)
            rivals = [self.prints.of(self.prints.kin(kin)[0]), self.prints.of(page.page), other]
            if page.canonical and (target := self.prints.at(page.canonical)) and target.kin == kin:
                rivals.append(target)
            self._choose(kin, [one for one in rivals if one is not None])

    def _found(self, page: PrintRow) -> Iterator[PrintRow]:
        """Pages that this one is a copy of, the surest first."""
        if page.canonical and page.canonical != page.url:
            target = self.prints.at(page.canonical)
            if target is not None and believed(page, target):
                yield target
        yield from (one for one in self.prints.naming(page) if believed(one, page))
        same = self.prints.same(page)
        if same is not None:
            yield same
        elif page.sketch:
            alike = self.prints.near(page, short_bands(page.sketch))
            rated = [(likeness(page.sketch, one.sketch), one) for one in alike]
            close = [(-like, one.url, one) for like, one in rated if like >= NEAR]
            yield from (one for *_, one in sorted(close)[:1])

    def _join(self, page: int, other: int) -> int:
        one, two = self.prints.of(page), self.prints.of(other)
        assert one is not None
        assert two is not None
        if one.kin is None and two.kin is None:
            return self.prints.found_group(two.page, one.page)
        if one.kin is None or two.kin is None:
            kin = one.kin or two.kin
            assert kin is not None
            self.prints.enter(kin, page if one.kin is None else other)
            return kin
        return one.kin if one.kin == two.kin else self.prints.merge(one.kin, two.kin)

    def _choose(self, kin: int, rivals: list[PrintRow]) -> None:
        """The page that most others name as canonical stands for all; else the plainest address."""
        best = min(rivals, key=lambda one: (-self.prints.named(one, kin), *plainness(one.url)))
        self.prints.set_best(kin, best.page)


def believed(page: PrintRow, target: PrintRow) -> bool:
    """A canonical link is a claim: not believed of a page that is known to be another."""
    known = page.sketch and target.sketch
    return not known or likeness(page.sketch, target.sketch) >= APART
