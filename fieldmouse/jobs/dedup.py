"""The index of duplicates in an archive: pages join and leave groups one by one as content comes in.

The rules are those of `dedup.duplicates`. The index is in the store, so it can be larger than memory and is
continued after a stop.
"""

from collections.abc import Iterator

from fieldmouse.dedup.duplicates import NEAR, band_keys, trusts_canonical, url_rank
from fieldmouse.dedup.text_sketch import similarity
from fieldmouse.store.cleaning_contract import Fingerprints
from fieldmouse.store.records import FingerprintRow

# Smaller groups are built again when a page leaves them; larger ones hardly depend on one page.
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
        """Remove a page; a group that may have depended on it is built again."""
        self.prints.drop(old.page, band_keys(old.sketch))
        if old.kin is None:
            return
        others = self.prints.members(old.kin, REBUILT)
        if len(others) >= REBUILT:
            self.prints.leave(old.kin)
            if self.prints.kin(old.kin).best == old.page:
                self._choose_best(old.kin, others)
            return
        self.prints.dissolve(old.kin)
        for one in others:
            self._match(one._replace(kin=None))

    def _match(self, page: FingerprintRow) -> None:
        """Join the groups of all known duplicates of a page."""
        for other in self._duplicates(page):
            group = self._join(page.page, other.page)
            candidates = [self.prints.of(self.prints.kin(group).best), self.prints.of(page.page), other]
            if page.canonical and (target := self.prints.at(page.canonical)) and target.kin == group:
                candidates.append(target)
            self._choose_best(group, [one for one in candidates if one is not None])

    def _duplicates(self, page: FingerprintRow) -> Iterator[FingerprintRow]:
        """Known duplicates of a page: by canonical links, then one with equal text, else the most similar."""
        if page.canonical and page.canonical != page.url:
            target = self.prints.at(page.canonical)
            if target is not None and trusts_canonical(page.sketch, target.sketch):
                yield target
        yield from (one for one in self.prints.naming(page) if trusts_canonical(one.sketch, page.sketch))
        same = self.prints.same(page)
        if same is not None:
            yield same
        elif page.sketch:
            rated = [
                (-similarity(page.sketch, one.sketch), one.url, one)
                for one in self.prints.near(page, band_keys(page.sketch))
            ]
            yield from (one for rank, _, one in sorted(rated)[:1] if -rank >= NEAR)

    def _join(self, page: int, other: int) -> int:
        """Put two pages into one group; returns its id."""
        one, two = self.prints.of(page), self.prints.of(other)
        assert one is not None
        assert two is not None
        if one.kin is None and two.kin is None:
            return self.prints.found_group(two.page, one.page)
        if one.kin is None or two.kin is None:
            group = one.kin or two.kin
            assert group is not None
            self.prints.enter(group, page if one.kin is None else other)
            return group
        return one.kin if one.kin == two.kin else self.prints.merge(one.kin, two.kin)

    def _choose_best(self, group: int, candidates: list[FingerprintRow]) -> None:
        """The page that most others name as canonical represents the group; else the first by `url_rank`."""
        best = min(candidates, key=lambda one: (-self.prints.named(one, group), *url_rank(one.url)))
        self.prints.set_best(group, best.page)
