"""Bringing the verdicts on spam up to date, and giving wrong ones a chance to heal.

A crawl asks for name servers as it goes; an import brings pages without them. `re_evaluate` asks for what is
missing, judges, and sends the next crawl to a sample of the hosts that were turned away.
"""

import asyncio
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import xxhash

from fieldmouse.crawl.admission import EPOCH, is_local, look_up, parking_list
from fieldmouse.settings import Settings
from fieldmouse.spam.parking_list import BY_HAND
from fieldmouse.store.contract import Domains, Store
from fieldmouse.store.records import RefusedHost
from fieldmouse.web.dns import Resolver

from .parking_review import Judged, judge_parking
from .redirect_farms import Weighed, judge_farms

# Names asked for at once.
AT_ONCE = 50

# Hosts that the next crawl looks at, of those that one entry of the list turned away.
SAMPLE = 10


@dataclass(frozen=True, slots=True)
class Evaluated:
    """What a new evaluation brought."""

    asked: int  # domains whose name servers were asked for
    parking: Judged
    redirects: Weighed
    sample: tuple[str, ...]  # hosts that the next crawl looks at


def judge_spam(store: Store, settings: Settings, now: float) -> tuple[Judged, Weighed]:
    """Judge what is new."""
    spam = settings.spam
    return (
        judge_parking(store, now) if spam.parked else Judged(),
        judge_farms(store, spam, now) if spam.redirects else Weighed(),
    )


def re_evaluate(
    store: Store, settings: Settings, now: float, *, sample: int = SAMPLE, offline: bool = False
) -> Evaluated:
    """Ask for what is missing, judge everything that is new, and choose a sample to look at again."""
    store.domains.gather()
    asked = 0 if offline else asyncio.run(_ask(store.domains, settings, now))
    parking, redirects = judge_spam(store, settings, now)
    chosen = _sample(store.domains, sample, now)
    store.domains.look_again(chosen, now + EPOCH)
    return Evaluated(asked, parking, redirects, tuple(one.name for one in chosen))


async def _ask(roots: Domains, settings: Settings, now: float) -> int:
    """Ask where the domains lead that have a home page here and are not known, or not any more."""
    known = {one.domain: one.expires for one in roots.all()}
    wanted = [one.domain for one in roots.homes() if known.get(one.domain, 0.0) <= now]
    wanted = [domain for domain in wanted if not is_local(domain)]
    resolver, gate = Resolver(settings.web), asyncio.Semaphore(AT_ONCE)

    async def one(domain: str) -> None:
        async with gate:
            roots.put([await look_up(resolver, domain, now, settings.spam.remember)])

    try:
        await asyncio.gather(*map(one, wanted))
    finally:
        await resolver.close()
    return len(wanted)


def _sample(roots: Domains, most: int, now: float) -> list[RefusedHost]:
    """Of each entry that was not set by hand a few of the hosts it turned away, others each month."""
    listed = parking_list(roots)
    by_entry: dict[tuple[str, str], list[RefusedHost]] = defaultdict(list)
    for away in (one for one in roots.turned_away() if not one.seen):
        by_entry[away.kind, away.value].append(away)
    chosen: list[RefusedHost] = []
    for key, some in sorted(by_entry.items()):
        entry = listed.get(*key)
        if entry is None or entry.source != BY_HAND:
            chosen += _by_chance(some, int(now // EPOCH))[:most]
    return chosen


def _by_chance(some: Iterable[RefusedHost], epoch: int) -> list[RefusedHost]:
    return sorted(some, key=lambda one: xxhash.xxh3_64_intdigest(f"{epoch} {one.name}".encode()))
