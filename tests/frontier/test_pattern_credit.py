"""URL patterns are credited for what they bring: test vectors of traps and of honest sites."""

import random
from collections import Counter
from collections.abc import Callable

import pytest

from bench.sites import (
    trap_kinds,
    trap_kinds_fifth,
    trap_kinds_fourteenth_honest,
    trap_kinds_fourth,
    trap_kinds_later,
    trap_kinds_ninth,
    trap_kinds_tenth,
    trap_kinds_third,
    trap_kinds_thirteenth,
)
from bench.sites.trap_kinds import MadeHost
from bench.traps import STOP, crawl
from fieldmouse.frontier.page_novelty import HostTexts, Novelty, SeenUnits, TextUnits
from fieldmouse.frontier.pattern_credit import PatternCredits
from fieldmouse.frontier.url_patterns import PATTERNS, UrlPatterns, varying_parts
from fieldmouse.types import Ticket

SITE = "http://a.test"
RULE = "what they bring"


def name_of(kind: Callable[[], MadeHost]) -> str:
    return kind.__name__


ENDING = [
    *trap_kinds.TRAPS, *trap_kinds_later.TRAPS, *trap_kinds_third.TRAPS, *trap_kinds_fifth.TRAPS,
    trap_kinds_fourth.stacked_languages, trap_kinds_fourth.status_at_a_second,
    trap_kinds_tenth.sessions_with_quotes, trap_kinds_tenth.rooms, trap_kinds_tenth.sorted_tables,
]  # fmt: skip


@pytest.mark.parametrize("kind", ENDING, ids=name_of)
def test_a_trap_ends_within_three_times_the_real_pages(kind: Callable[[], MadeHost]) -> None:
    found = crawl(kind(), RULE, STOP)
    assert found.lost == 0
    assert found.fetched <= 3 * found.real


@pytest.mark.parametrize(
    "kind",
    [
        lambda: trap_kinds.related(700), lambda: trap_kinds.forum(200), lambda: trap_kinds.towns(600),
        lambda: trap_kinds.events(6), lambda: trap_kinds.gallery(600), trap_kinds.manual,
        lambda: trap_kinds_later.houses(600), lambda: trap_kinds_later.dictionary(2500),
        lambda: trap_kinds_later.gazetteer(700), lambda: trap_kinds_later.sessions_of_a_large_site(500),
        lambda: trap_kinds_third.variants(150), lambda: trap_kinds_third.museum(720),
        lambda: trap_kinds_third.decisions(900), trap_kinds_third.phone_book,
        lambda: trap_kinds_fifth.stations_by_day(4, 200), lambda: trap_kinds_fifth.tables_of_primes(300),
        trap_kinds_fifth.nested_names, lambda: trap_kinds_ninth.departures(40),
        lambda: trap_kinds_tenth.votes(200), lambda: trap_kinds_tenth.bins(6), trap_kinds_tenth.matches,
        trap_kinds_tenth.ferry, trap_kinds_tenth.viewer, trap_kinds_tenth.stubs, trap_kinds_tenth.variants,
        trap_kinds_thirteenth.stock_of_parts, trap_kinds_thirteenth.songs,
        trap_kinds_fourteenth_honest.stops_of_lines,
    ],
)  # fmt: skip
def test_no_page_of_an_honest_site_is_lost(kind: Callable[[], MadeHost]) -> None:
    host = kind()
    assert crawl(host, RULE, 3 * len(host.real) + 1000).lost == 0


def test_patterns_are_what_stays_the_same() -> None:
    pattern = UrlPatterns().pattern
    assert (
        pattern(f"{SITE}/shop/item?id=7&ref=x")
        == pattern(f"{SITE}/shop/item?ref=y&id=81")
        == "/shop/item?id&ref"
    )
    assert pattern(f"{SITE}/news/2024/a-title.html") == "/news/0/*.html"
    assert pattern(f"{SITE}/s/1f0c9a7be8d2/list/4") == "/s/*/list/0"
    assert pattern(f"{SITE}/") == "/"


def test_a_host_has_a_bounded_number_of_patterns() -> None:
    patterns = UrlPatterns()
    chance = random.Random(1)
    found = {
        patterns.pattern(f"{SITE}/{chance.random()}/{chance.random()}/?{chance.random()}=1")
        for _ in range(5000)
    }
    assert len(found) <= PATTERNS + 1


def test_parts_that_vary() -> None:
    first = {part.name: part.residual for part in varying_parts(f"{SITE}/a?s=1&p=2", "/a?p&s")}
    other = {part.name: part.residual for part in varying_parts(f"{SITE}/a?s=9&p=2", "/a?p&s")}
    assert first["?s"] == other["?s"]
    assert first["?p"] != other["?p"]
    assert first["?"] == other["?"]


@pytest.mark.parametrize(
    ("units", "images", "novelty"),
    [
        (("Nothing happens in June",), (), Novelty.MIXED),
        (("Nothing happens in May", "A concert at the quay"), (), Novelty.NEW),
        (("12 visitors",), (), Novelty.THIN),
        (("12 visitors", "7 boats"), (), Novelty.NUMBERS),
        (("10 visitors",), (), Novelty.MIXED),
        ((), ("/img/8.jpg",), Novelty.THIN),
    ],
)
def test_what_a_page_brings(units: tuple[str, ...], images: tuple[str, ...], novelty: Novelty) -> None:
    texts = HostTexts()
    texts.judge(f"{SITE}/cal?m=may", TextUnits(("Nothing happens in May",)))
    texts.judge(f"{SITE}/x", TextUnits(("10 visitors", "6 boats"), images=("/img/7.jpg",)))
    assert texts.judge(f"{SITE}/cal?m=june", TextUnits(units, images=images)).novelty is novelty


def test_clocks_and_counters_are_ignored_after_a_second_fetch() -> None:
    texts, url = HostTexts(), f"{SITE}/week?n=1"
    first, second = (TextUnits((f"Visitor {n}", f"It is {n}:15")) for n in (10, 11))
    texts.judge(url, first)
    texts.compare(url, first, second)
    assert (
        texts.judge(f"{SITE}/week?n=2", TextUnits(("Visitor 97", "It is 8:20"))).novelty
        is not Novelty.NUMBERS
    )


def test_seen_units_grow_and_forget_the_oldest() -> None:
    seen, chance = SeenUnits(), random.Random(3)
    keys = [chance.getrandbits(64) for _ in range(20_000)]
    for key in keys:
        seen.add(key)
    assert all(key in seen for key in keys[-5000:])
    wrong = sum(chance.getrandbits(64) in seen for _ in range(2000))
    assert wrong < 2000 * 0.4
    assert sum(map(len, seen._maps)) < 100_000


def test_a_seed_is_fetched_whatever_its_pattern() -> None:
    patterns = PatternCredits(random.Random(1))
    for n in range(200):
        ticket = Ticket(url=f"{SITE}/cal?m={n}", host="a.test", via=f"{SITE}/", trail="L")
        patterns.offered(ticket)
        if patterns.admit(ticket):
            patterns.learn(ticket, TextUnits(("Nothing happens",)), (), [f"{SITE}/cal?m={n + 1}"])
    link = Ticket(url=f"{SITE}/cal?m=900", host="a.test", via=f"{SITE}/", trail="L")
    seed = Ticket(url=f"{SITE}/cal?m=901", host="a.test", via="seed")
    assert not patterns.admit(link)
    assert patterns.admit(seed)
    (refused,) = [reason for ticket, reason in patterns.give_up() if ticket is link]
    assert refused == "trap: /cal?m is the same page without its query"


def test_a_bounded_number_of_urls_is_kept_of_all_patterns() -> None:
    patterns = PatternCredits(random.Random(1), kept=500)
    refused = Counter[str]()
    for name in "abcdefgh":
        tickets = [
            Ticket(url=f"{SITE}/{name}?k={n}", host="a.test", via=f"{SITE}/", trail="L") for n in range(300)
        ]
        for ticket in tickets:
            if patterns.refuse(ticket.url):
                refused[name] += 1
                continue
            patterns.offered(ticket)
            if patterns.admit(ticket):
                fresh = [f"{ticket.url}{end}" for end in "xy"]
                patterns.learn(ticket, TextUnits(("nothing new",)), fresh, fresh)
    assert patterns.deferred <= 500 + 8 * 100
    assert refused["a"] == 0 < refused["h"] <= 200  # a hundred of each are always kept
