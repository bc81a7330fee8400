"""Judging who lives on redirects, from all redirects and links of an archive.

Redirects are followed to where they end, over as many sites as it takes; the site at the end is judged by who
else leads to it and by the shapes of the pages that readers land on.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fieldmouse.errors import ArchiveError
from fieldmouse.page.charset import octets
from fieldmouse.settings import SpamSettings
from fieldmouse.spam.page_shapes import shape, unpacked
from fieldmouse.spam.redirect_graph import RedirectGraph
from fieldmouse.spam.redirects import follow
from fieldmouse.store.contract import Redirects, Store
from fieldmouse.store.records import HostName, HostState, RedirectFarm
from fieldmouse.urls import hostname, registrable_domain

# Landing pages of one site whose shapes are compared.
LANDINGS = 100


@dataclass(frozen=True, slots=True)
class Weighed:
    """What came of a look at the redirects."""

    farms: tuple[RedirectFarm, ...] = ()  # all that are known now
    new: int = 0
    cleared: tuple[str, ...] = ()
    hosts: int = 0  # no longer visited


def judge_farms(store: Store, spam: SpamSettings, now: float) -> Weighed:
    """Judge every site that enough others redirect to; verdicts and hosts are changed in one go."""
    moves = store.redirects
    before = {one.domain for one in moves.farms()}
    if moves.sources() < spam.sources and not before:
        return Weighed()
    ledger = _ledger(moves, spam)
    _add_links(ledger, moves)
    found = [one for domain in ledger.suspects() if (one := _judged(store, ledger, domain, now))]
    names = {one.domain for one in found}
    cleared = tuple(sorted(before - names))
    shunned, free = _hosts(moves.hosts(), {one.domain: one for one in found})
    moves.judged(found, cleared, shunned, free)
    return Weighed(tuple(found), len(names - before), cleared, len(shunned))


def _ledger(moves: Redirects, spam: SpamSettings) -> RedirectGraph:
    """Who redirects to whom, each journey followed to its end."""
    ledger = RedirectGraph(least=spam.sources, allowed=spam.allowed)
    for source, target in moves.crossing():
        landing = follow(target, moves.onward).landing
        ledger.add(source, landing, redirect=True)
    return ledger


def _add_links(ledger: RedirectGraph, moves: Redirects) -> None:
    """Who links to the suspects: only of them is it asked."""
    suspects = set(ledger.suspects())
    if not suspects:
        return
    hosts = [one.id for one in moves.hosts() if _domain(one.name) in suspects]
    for target, source in moves.linking(hosts):
        ledger.add(f"http://{source}/", f"http://{target}/", redirect=False)


def _judged(store: Store, ledger: RedirectGraph, domain: str, now: float) -> RedirectFarm | None:
    landings = sorted(ledger.landings[domain])[:LANDINGS]
    verdict = ledger.judge(domain, dict(_shapes(store, landings)))
    return RedirectFarm(domain, verdict.score, verdict.reasons, now) if verdict.score else None


def _shapes(store: Store, landings: Iterable[str]) -> Iterable[tuple[str, str]]:
    """The shapes of landing pages that are in the archive."""
    with store.reader() as reader:
        for url in landings:
            page = reader.page(url)
            if page is None or page.version is None:
                continue
            try:
                index = reader.tags(page.version)
                content = reader.response(page.version).content
            except ArchiveError:
                continue
            if index is not None:
                yield url, shape(octets(content, page.version.charset)[0], unpacked(index))


def _hosts(hosts: Iterable[HostName], farms: dict[str, RedirectFarm]) -> tuple[dict[int, str], list[int]]:
    """The hosts not to be visited any more, with the reason; and those to be let in again."""
    shunned, free = {}, []
    for host in hosts:
        farm = farms.get(_domain(host.name)) if not host.seed else None
        if farm is not None and host.state != HostState.REDIRECT_SPAM:
            shunned[host.id] = f"redirect spam: {'; '.join(farm.reasons)}"
        elif farm is None and host.state == HostState.REDIRECT_SPAM:
            free.append(host.id)
    return shunned, free


def _domain(host: str) -> str:
    return registrable_domain(hostname(f"http://{host}/"))
