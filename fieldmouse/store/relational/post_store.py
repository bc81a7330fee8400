"""Posts: `store/post_contract.py` says what each method does.

A host is worth more the more people named it lately: each counts 2^(-age / 30 days). All terms shrink alike
as time passes, so their sum is stored for the year 2020 and never has to be computed again.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import TYPE_CHECKING

from fieldmouse.store.post_contract import FirstMention, HostMentions, PostReader, PostRecord, PostStore
from fieldmouse.types import OutLink
from fieldmouse.units import DAY

from .database import Database, repeatable

if TYPE_CHECKING:
    from .discovery import HostDiscovery

HALF_LIFE = 30 * DAY
EPOCH = 1_577_836_800.0  # 2020


class SqlPosts(PostReader):
    """The contract's PostReader."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def first_mention(self, url: str) -> FirstMention | None:
        row = self.db.one("first_mention", url=url)
        return FirstMention(*row) if row else None

    def host_mentions(self, host: str) -> HostMentions | None:
        row = self.db.one("host_mentions", host=host)
        return HostMentions(*row) if row else None


class SqlPostStore(SqlPosts, PostStore):
    """The contract's PostStore."""

    def __init__(self, db: Database, discovery: "HostDiscovery") -> None:
        super().__init__(db)
        self.discovery = discovery

    @repeatable
    def add(self, posts: Sequence[PostRecord], now: float) -> int:
        with self.db.transaction():
            new = {one.digest: one for one in posts if not self.db.one("is_post", digest=one.digest)}
            (last,) = self.db.one("last_post")
            for number, one in enumerate(new.values(), last + 1):
                self.db.many("add_post", [(number, one.digest, one.author, one.time, one.source)])
                links = [(address.link.url, number, address.words) for address in one.addresses]
                self.db.many("add_post_link", links)
            offered: dict[str, dict[str, OutLink]] = defaultdict(dict)
            for one in posts:  # also known ones: the scope may be wider now
                for address in one.addresses:
                    before = offered[one.source].get(address.link.url)
                    if before is None or (address.link.score or 0.0) > (before.score or 0.0):
                        offered[one.source][address.link.url] = address.link
            for source, found in offered.items():
                self.discovery.offer(found.values(), now, via=f"post in {source}")
            self._count(list(new.values()), now)
            return len(new)

    def _count(self, posts: Sequence[PostRecord], now: float) -> None:
        """Count who named which host, and give the hosts their new place in the queue."""
        from .discovery import priority

        hosts = {address.link.host for one in posts for address in one.addresses}
        rows = {name: row for name, *row in self.db.rows("hosts_by_name", names=json.dumps(sorted(hosts)))}
        latest: dict[tuple[int, str], float] = {}
        spans: dict[int, list[float]] = defaultdict(list)
        for one in posts:
            time = min(one.time, now)
            for id_ in {rows[address.link.host][0] for address in one.addresses}:
                spans[id_].append(time)
                author = one.author or one.digest.hex()  # a post without an author stands for somebody
                latest[id_, author] = max(time, latest.get((id_, author), time))
        before = {(h, a): t for h, a, t in self.db.rows("named_at", pairs=json.dumps(list(latest)))}
        gained: dict[int, float] = defaultdict(float)
        for key, time in latest.items():
            if time > before.get(key, 0.0):
                gained[key[0]] += _strength(time) - (_strength(before[key]) if key in before else 0.0)
        self.db.many("put_named_by", [(*key, t) for key, t in latest.items() if t > before.get(key, 0.0)])
        self.db.many(
            "put_named_host",
            [(id_, len(times), min(times), max(times), gained[id_]) for id_, times in spans.items()],
        )
        moved = []
        for id_, _, _, _, _, _, seed, pending, _, score, _ in rows.values():
            (strength,) = self.db.one("host_strength", host=id_)
            named = strength / _strength(now)
            moved.append((named, priority(pending, seed=bool(seed), score=score, named=named), id_))
        self.db.many("set_named", moved)


def _strength(time: float) -> float:
    return float(2.0 ** ((time - EPOCH) / HALF_LIFE))
