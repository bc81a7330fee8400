"""The spam hosts of the demo, its copies, and the templates that are known."""

import re
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from bench.templates_gold import gold
from fieldmouse.demo.hosts import FARM, KNOWN_PARKING, UNKNOWN_PARKING, build
from fieldmouse.demo.name_server import packed_name
from fieldmouse.demo.pages import Design
from fieldmouse.demo.server import DemoWeb
from fieldmouse.spam.parking import ParkingList

from .test_server import address, ask, at, get


@pytest.fixture(scope="module")
def web() -> Iterator[DemoWeb]:
    with DemoWeb(slow=0) as web:
        yield web


# --- parked names and farms ------------------------------------------------------------------------------


def test_parked_names_look_it_and_share_name_servers(web: DemoWeb) -> None:
    parked = list(web.town.name_servers)
    assert len(parked) >= 12
    for name in parked:
        text = get(web, at(web, name)).text
        assert name in text
        assert "for sale" in text
        assert ask(web, name, kind=2) == (0, [packed_name(web.town.name_servers[name])])
    assert len({address(web, name) for name in parked}) == 1


def test_one_of_their_providers_is_on_the_bundled_list(web: DemoWeb) -> None:
    providers = set(web.town.name_servers.values())
    known = {one for one in providers if ParkingList.starter().match([one], [], [])}
    assert (known, providers - known) == ({KNOWN_PARKING}, {UNKNOWN_PARKING})


def test_other_domains_are_with_the_towns_own_server(web: DemoWeb) -> None:
    assert ask(web, FARM, kind=2) == (0, [packed_name("ns.demo.test")])


def test_a_farm_sends_everybody_to_the_same_place_in_five_ways(web: DemoWeb) -> None:
    ways, doors = set(), 0
    for site in web.town.spam_hosts:
        reply = get(web, at(web, site.name))
        given = reply.headers["location"] or reply.headers["refresh"] or ""
        if FARM in given + reply.text and site.name != FARM:
            doors += 1
            tags = re.findall(r"<(meta|script|frame)\b", reply.text)
            ways.add(tags[0] if tags else "header" if reply.status == 200 else "http")
    assert doors >= 20
    assert ways == {"http", "meta", "script", "frame", "header"}
    assert get(web, at(web, FARM, "/offer/0")).status == 200


def test_a_ring_leads_nowhere(web: DemoWeb) -> None:
    first = get(web, at(web, "round-one.test")).headers["location"]
    assert get(web, first).headers["location"] == at(web, "round-one.test")


def test_the_guest_book_leads_to_all_of_them(web: DemoWeb) -> None:
    text = get(web, at(web, "www", "/guests.html")).text
    assert all(f'"{at(web, site.name)}"' in text for site in web.town.spam_hosts if site.name != FARM)


def test_nobody_has_to_store_them_and_nobody_is_forbidden_to(web: DemoWeb) -> None:
    names = {site.name for site in web.town.spam_hosts}
    assert names <= set(web.domains)
    assert not {urlsplit(page).hostname for page in web.pages | web.forbidden} & names


# --- copies ----------------------------------------------------------------------------------------------


def test_a_host_with_two_names(web: DemoWeb) -> None:
    for path in ("/", "/hives/the-queen"):
        assert get(web, at(web, "bees", path)).body == get(web, at(web, "www.bees.demo.test", path)).body


def test_pages_for_printing_say_the_same_with_less_around_it(web: DemoWeb) -> None:
    printed = [path for host in web.town.hosts for path in host.pages if path.startswith("/print/")]
    assert len(printed) == 12
    canonical = 0
    for path in printed:
        whole, copy = (
            get(web, at(web, "news", path.removeprefix("/print"))).text,
            get(web, at(web, "news", path)).text,
        )
        said = re.findall(r"<p>([^<]{60,})</p>", copy)
        assert said
        assert all(one in whole for one in said)
        assert len(copy) < len(whole)
        canonical += 'rel="canonical"' in copy
    assert canonical == 6


# --- known templates -------------------------------------------------------------------------------------


def test_parts_are_the_page() -> None:
    pages = list(gold(build(8000)))
    assert len(pages) >= 180
    for page in pages:
        assert page.starts[0] == 0
        assert len(page.starts) == len(page.fixed)
        assert page.body.startswith((b"<!DOCTYPE html>",))


def test_marks_tell_the_template_from_the_page() -> None:
    page = next(one for one in gold(build(8000)) if one.url.endswith("/hives/the-queen"))
    texts = (
        b"<nav",
        b"<h1>",
        b"The queen</h1>",
        b"A colony has one queen",
        b"Last changed",
        b"2023-04-12</time>",
    )
    assert page.marks([page.body.index(one) for one in texts]) == [True, True, False, False, True, False]
    assert page.marks([len(page.body) - 1]) == [True]


def test_the_menu_marks_where_one_is() -> None:
    design = Design("T", (("/", "Home"), ("/a/", "A"), ("/b/", "B")), "S")
    for path, name in (("/a/x", "A"), ("/b/", "B"), ("/c", "Home")):
        body = design.page(path, "X").body.decode()
        assert re.findall(r"<li class=here><a[^>]*>(\w+)", body) == [name]


def test_layouts_sections_and_advertisements_differ() -> None:
    pages = {one.url: one.body.decode() for one in gold(build(8000)) if one.host == "news"}
    layouts = {re.findall(r'<body class="(\w+)"', body)[0] for body in pages.values()}
    assert layouts == {"story", "index", "plain"}
    columns = {body.partition("<aside")[2].partition("<div")[0] for body in pages.values()} - {""}
    assert len(columns) == 5  # four quarters, and the archive
    adverts = re.findall(r"Advertisement</small>\n<p>([^<]*)", "".join(pages.values()))
    assert 3 <= len(set(adverts)) <= 5
