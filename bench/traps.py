"""Traps and honest sites: pages fetched and real pages lost, by the rule, by caps, and by form alone.

Each host is crawled by the session of a host as a crawl does it, without sockets: the same code takes pages,
studies answers and decides about links. Depth is not limited, since only traps are measured.
"""

import argparse
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import zip_longest
from typing import NamedTuple

from bench.sites import (
    trap_kinds,
    trap_kinds_eighth,
    trap_kinds_eleventh,
    trap_kinds_fifteenth,
    trap_kinds_fifth,
    trap_kinds_fourteenth,
    trap_kinds_fourth,
    trap_kinds_later,
    trap_kinds_ninth,
    trap_kinds_seventh,
    trap_kinds_sixth,
    trap_kinds_tenth,
    trap_kinds_third,
    trap_kinds_thirteenth,
    trap_kinds_twelfth,
)
from bench.sites.trap_kinds import MadeHost
from fieldmouse.crawl.host_session import HostSession
from fieldmouse.crawl.study import Rules
from fieldmouse.frontier.pattern_credit import PROBE
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.frontier.url_patterns import UrlPatterns
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.types import DEFERRED, DeferredPage, Failure, HostLease, Response, Ticket, Trouble
from fieldmouse.units import DAY
from fieldmouse.urls import Canon
from fieldmouse.web.politeness import FINE

HOST = "made.test"
BEGAN = 1_790_000_000.0
# Pages after which a crawl of a trap is stopped.
STOP = 4000
# Days in which deferred pages are visited after a crawl.
DAYS = 30
# Pages of one pattern, by the plain cap.
CAP = 500
PLAIN = f"cap of {CAP}"
# The rules that are compared, by their settings.
RULES: dict[str, dict[str, object]] = {
    "caps of release 1": {"trap_content": False, "trap_pattern_pages": 500, "trap_calendar_pages": 60},
    PLAIN: {"trap_content": False, "trap_pattern_pages": 0, "trap_calendar_pages": 0},
    "what they bring": {},
}


KINDS = {
    "known": trap_kinds,
    "later": trap_kinds_later,
    "third": trap_kinds_third,
    "fourth": trap_kinds_fourth,
    "fifth": trap_kinds_fifth,
    "sixth": trap_kinds_sixth,
    "seventh": trap_kinds_seventh,
    "eighth": trap_kinds_eighth,
    "ninth": trap_kinds_ninth,
    "tenth": trap_kinds_tenth,
    "eleventh": trap_kinds_eleventh,
    "twelfth": trap_kinds_twelfth,
    "thirteenth": trap_kinds_thirteenth,
    "fourteenth": trap_kinds_fourteenth,
    "fifteenth": trap_kinds_fifteenth,
}


class Crawled(NamedTuple):
    """How a host was crawled."""

    fetched: int
    lost: int
    real: int
    later: int = 0  # pages fetched in the days after that
    lost_then: int = 0


def crawl(host: MadeHost, rule: str, stop: int, days: int = 0) -> Crawled:
    """Crawl a host until nothing is left or `stop` pages are fetched, then deferred pages for some days."""
    chosen = RULES[rule]
    overrides = {f"scope.{name}": value for name, value in chosen.items()}
    settings = with_overrides(
        Settings(), {**overrides, "frontier.depth": 100_000, "manners.obey_robots": False}
    )
    scope = CrawlScope(settings.scope)
    scope.admit(HOST)
    rules = Rules(settings, Canon(), scope)
    turn = Turn(host, CAP if rule == PLAIN else 0)
    seed = Ticket(url=f"http://{HOST}/", host=HOST, via="seed")
    session = HostSession(HostLease(id=1, name=HOST, waiting=(seed,), seed=True), rules, BEGAN)
    turn.run(session, stop)
    first = Crawled(turn.fetched, len(host.real - turn.found), len(host.real))
    deferred, due, pause = list(session.ended().deferred), 1, 1
    for day in range(1, days + 1):
        if day < due:
            continue
        chosen_now = _of_each_reason(deferred, settings.scope.trap_pages_per_day)
        if not chosen_now:
            break
        names = {one.ticket.url for one in chosen_now}
        deferred = [one for one in deferred if one.ticket.url not in names]
        waiting = tuple(replace(one.ticket, trail=DEFERRED) for one in chosen_now)
        known = (*turn.visited, *(one.ticket.url for one in deferred))
        lease = HostLease(id=1, name=HOST, waiting=waiting, known=known, fetched=turn.fetched)
        session = HostSession(lease, rules, BEGAN + day * DAY)
        turn.run(session, stop)
        more = session.ended().deferred
        deferred += more
        pause = pause + 1 if len(more) >= len(chosen_now) else 1
        due = day + pause
    return first._replace(later=turn.fetched - first.fetched, lost_then=len(host.real - turn.found))


def _of_each_reason(deferred: list[DeferredPage], most: int) -> list[DeferredPage]:
    """As many pages for each reason, in order: what a store gives back after a day."""
    by_reason: dict[str, list[DeferredPage]] = {}
    for one in deferred:
        by_reason.setdefault(one.reason, []).append(one)
    rounds = zip_longest(*by_reason.values())
    return [one for round_ in rounds for one in round_ if one is not None][:most]


class Turn:
    """Crawls a host, and counts what was found of it."""

    def __init__(self, host: MadeHost, cap: int) -> None:
        self.host, self.cap = host, cap
        self.patterns, self.taken_of = UrlPatterns(), Counter[str]()
        self.found: set[str] = set()
        self.visited: set[str] = set()
        self.fetched = 0

    def run(self, session: HostSession, stop: int) -> None:
        """Crawl until nothing is left or `stop` pages are fetched."""
        until = self.fetched + stop
        while self.fetched < until and (taken := session.take(BEGAN)) is not None:
            ticket, forbidden = taken
            if forbidden is not None:
                session.settle(ticket, forbidden, None, FINE)
                continue
            self.taken_of[pattern := self.patterns.pattern(ticket.url)] += 1
            if 0 < self.cap < self.taken_of[pattern]:
                failure = Failure(url=ticket.url, trouble=Trouble.REFUSED, detail="cap", began=BEGAN)
                session.settle(ticket, failure, None, FINE)
                continue
            self.fetched += 1
            try:
                answer = self.host.answer(ticket.url.removeprefix(f"http://{HOST}"))
            except (ValueError, LookupError):  # the program of a host fails on a URL that it never made
                answer = None
            html = answer.html if answer else None
            if ticket.trail == PROBE:
                session.settle_probe(ticket, _response(ticket.url, html))
                continue
            self.visited.add(ticket.url)
            if answer is not None and answer.real:
                self.found.add(answer.real)
            session.settle(ticket, _response(ticket.url, html), None, FINE)


def _response(url: str, html: str | None) -> Response:
    body = (html or "<p>There is no such page.</p>").encode()
    status = 200 if html is not None else 404
    return Response(
        url=url, status=status, head=b"", headers=(("content-type", "text/html; charset=utf-8"),), body=body,
        content=body, request=b"", address="127.0.0.1", began=BEGAN, took=0.1,
    )  # fmt: skip


def table(kinds: Iterable[Callable[[], MadeHost]], *, traps: bool) -> list[tuple[str, dict[str, Crawled]]]:
    """Each kind under each rule."""
    rows = []
    for kind in kinds:
        host = kind()
        stop = STOP if traps else 3 * len(host.real) + 1000
        found = {}
        for rule, chosen in RULES.items():
            days = 0 if chosen else DAYS
            found[rule] = crawl(kind(), rule, stop, days)  # made again: some hosts count their visitors
        rows.append((host.name, found))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--kinds", choices=KINDS, default="fifteenth", help="known: when the rule was written"
    )
    parser.add_argument("--only", default="", help="only kinds whose function has this in its name")
    chosen = parser.parse_args()
    module = KINDS[chosen.kinds]
    for title, kinds, traps in (("traps", module.TRAPS, True), ("honest", module.HONEST, False)):
        print(f"\n{title:<34}{''.join(f'{name:>22}' for name in RULES)}  {DAYS} days later")
        for name, found in table([one for one in kinds if chosen.only in one.__name__], traps=traps):
            cells = [
                f"{one.fetched:>13} {'-' + str(one.lost) if one.lost else '':>8}" for one in found.values()
            ]
            last = list(found.values())[-1]
            then = f"{last.later:>8} {'-' + str(last.lost_then) if last.lost_then else '':>6}"
            print(f"{name:<34}{''.join(cells)}{then}  of {last.real}", flush=True)


if __name__ == "__main__":
    main()
