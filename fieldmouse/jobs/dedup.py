"""The index of duplicates in an archive: pages join and leave groups one by one as content comes in.

The rules are those of `dedup.duplicates`. The index is in the store, so it can be larger than memory and is
continued after a stop.
"""

from collections.abc import Iterator

from fieldmouse.dedup.duplicates import NEAR, band_keys, trusts_canonical, url_rank
from fieldmouse.dedup.text_sketch import similarity
from fieldmouse.store.cleaning_contract import Fingerprints
from fieldmouse.store.records import FingerprintRow

# Groups up to this size are built anew when a page leaves them; larger ones do not depend on one page.
REBUILT = 200


class DuplicateIndex:
    """Puts pages into groups of duplicates; every call is inside a transaction of the caller."""

    def __init__(self, prints: Fingerprints) -> None:
        self.prints = prints

    def add(self, page: FingerprintRow, version: int) -> None:
        """Add a page, new or changed."""
        old = self.prints.of(page.page)
        if old is not None:
            self.remove(old)
        self.prints.put(page, version, band_keys(page.sketch))
        self._match(page)

    def remove(self, old: FingerprintRow) -> None:
        """Remove a page; a group that may have depended on it is built anew."""
        self.prints.drop(old.page, band_keys(old.sketch))
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

    def _match(self, page: FingerprintRow) -> None:
        """Join the groups of all duplicates that are known."""
        for other in self._found(page):
            kin = self._join(page.page, other.page)
            rivals = [self.prints.of(self.prints.kin(kin)[0]), self.prints.of(page.page), other]
            if page.canonical and (target := self.prints.at(page.canonical)) and target.kin == kin:
                rivals.append(target)
            self._choose(kin, [one for one in rivals if one is not None])

    def _found(self, page: FingerprintRow) -> Iterator[FingerprintRow]:
        """Pages that this one duplicates, the surest first."""
        if page.canonical and page.canonical != page.url:
            target = self.prints.at(page.canonical)
            if target is not None and trusts_canonical(page.sketch, target.sketch):
                yield target
        yield from (one for one in self.prints.naming(page) if trusts_canonical(one.sketch, page.sketch))
        same = self.prints.same(page)
        if same is not None:
            yield same
        elif page.sketch:
            alike = self.prints.near(page, band_keys(page.sketch))
            rated = [(similarity(page.sketch, one.sketch), one) for one in alike]
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

    def _choose(self, kin: int, rivals: list[FingerprintRow]) -> None:
        """The page that most others name as canonical stands for all; else the first by `url_rank`."""
        best = min(rivals, key=lambda one: (-self.prints.named(one, kin), *url_rank(one.url)))
        self.prints.set_best(kin, best.page)
