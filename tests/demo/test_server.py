"""The demo's web, looked at with nothing but sockets and the standard library."""

import gzip
import http.client
import random
import re
import socket
import struct
import time
import urllib.robotparser
from collections.abc import Iterator
from email.message import Message
from html import unescape
from ipaddress import IPv4Address
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest

from fieldmouse.demo.hosts import build
from fieldmouse.demo.name_server import NameServer, packed_name
from fieldmouse.demo.pages import DemoTexts
from fieldmouse.demo.server import DemoWeb
from fieldmouse.settings import Settings, with_overrides

AGENT = "tester/1.0"


@pytest.fixture(scope="module")
def web() -> Iterator[DemoWeb]:
    with DemoWeb(slow=0) as web:
        for _ in range(2):  # the office is busy at first
            get(web, web.town.addresses.at("office"))
        yield web


class Answer:
    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self) -> str:
        body = gzip.decompress(self.body) if self.headers["content-encoding"] == "gzip" else self.body
        return body.decode("utf-8", "replace")


def ask(web: DemoWeb, name: str, kind: int = 1) -> tuple[int, list[bytes]]:
    """What the demo's name server says: the code, and the data of each answer."""
    question = packed_name(name) + struct.pack("!HH", kind, 1)
    host, _, port = web.dns.partition(":")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
        one.settimeout(120)
        one.sendto(struct.pack("!HHHHHH", 77, 0x0100, 1, 0, 0, 0) + question, (host, int(port)))
        reply = one.recv(512)
    number, flags, _, count, _, _ = struct.unpack_from("!HHHHHH", reply)
    assert (number, flags & 0x8400) == (77, 0x8400)
    at, found = 12 + len(question), []
    for _ in range(count):
        (size,) = struct.unpack_from("!H", reply, at + 10)
        found.append(reply[at + 12 : at + 12 + size])
        at += 12 + size
    return flags & 15, found


def address(web: DemoWeb, name: str) -> str:
    code, found = ask(web, name)
    return str(IPv4Address(found[0])) if code == 0 and found else ""


def get(web: DemoWeb, url: str, method: str = "GET", **headers: str) -> Answer:
    """One request on a connection of its own."""
    parts = urlsplit(url)
    assert parts.hostname
    connection = http.client.HTTPConnection(address(web, parts.hostname), parts.port, timeout=120)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        target = parts.path + (f"?{parts.query}" if parts.query else "")
        connection.request(method, target, headers={"Host": parts.netloc, "User-Agent": AGENT, **named})
        reply = connection.getresponse()
        return Answer(reply.status, reply.headers, reply.read())
    finally:
        connection.close()


def at(web: DemoWeb, host: str, path: str = "/") -> str:
    return web.town.addresses.at(host, path)


# --- the town --------------------------------------------------------------------------------------------


def test_the_same_seed_builds_the_same_town() -> None:
    assert build(8000).hosts[2].pages == build(8000).hosts[2].pages
    assert build(8000).pages == build(8000).pages
    assert build(8000, seed=2).hosts[2].pages != build(8000).hosts[2].pages


def test_no_blank_stays_open() -> None:
    texts = [page.body for host in build(80).hosts for page in host.pages.values()]
    assert [body for body in texts if re.search(rb"\{\w+\}", body)] == []


def test_a_word_stays_the_same_within_a_page() -> None:
    title, text = DemoTexts(3).fill("x", "{boat} and {boat2}", "the {boat} met the {boat2}.")
    first, second = title.split(" and ")
    assert first != second
    assert text == f"The {first} met the {second}."


def test_the_town_is_of_a_size_to_look_at(web: DemoWeb) -> None:
    assert 150 <= len(web.pages) <= 220
    assert len({urlsplit(page).hostname for page in web.pages}) == 11
    assert not web.pages & web.forbidden


def test_no_two_pages_are_the_same(web: DemoWeb) -> None:
    bodies = [get(web, page).body for page in sorted(web.pages)]
    assert len(set(bodies)) == len(bodies)


# --- names -----------------------------------------------------------------------------------------------


def test_every_host_has_a_name(web: DemoWeb) -> None:
    for page in web.pages | web.forbidden:
        assert address(web, urlsplit(page).hostname or "").startswith("127.")


def test_names_that_do_not_exist(web: DemoWeb) -> None:
    assert ask(web, "gone.demo.test") == (3, [])
    assert ask(web, "example.org") == (3, [])


def test_names_without_such_a_record(web: DemoWeb) -> None:
    assert ask(web, "www.demo.test", kind=28) == (0, [])
    assert ask(web, "demo.test") == (0, [])


def test_names_are_the_same_in_any_case(web: DemoWeb) -> None:
    assert ask(web, "WWW.Demo.Test") == ask(web, "www.demo.test")


def test_the_domain_has_a_name_server(web: DemoWeb) -> None:
    assert ask(web, "demo.test", kind=2) == (0, [packed_name("ns.demo.test")])


def test_the_old_town_hall_lives_with_the_new_one(web: DemoWeb) -> None:
    assert address(web, "old.demo.test") == address(web, "www.demo.test") != address(web, "news.demo.test")


def test_any_datagram_is_survived() -> None:
    zone = NameServer({"a.test": "127.0.0.1"}, {})
    chance = random.Random(1)
    good = struct.pack("!HHHHHH", 1, 0, 1, 0, 0, 0) + packed_name("a.test") + b"\0\1\0\1"
    for _ in range(2000):
        cut = bytearray(good[: chance.randrange(len(good) + 1)])
        for _ in range(chance.randrange(3)):
            if cut:
                cut[chance.randrange(len(cut))] = chance.randrange(256)
        assert zone.answer(bytes(cut)) == b"" or zone.answer(bytes(cut))[:2] == cut[:2]


def test_the_closed_host_has_an_address_and_nobody_there(web: DemoWeb) -> None:
    where = (address(web, "closed.demo.test"), web.town.addresses.port)
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(where, timeout=120).close()


# --- pages -----------------------------------------------------------------------------------------------


def test_the_old_town_hall_has_moved(web: DemoWeb) -> None:
    reply = get(web, at(web, "old", "/about.html"))
    assert (reply.status, reply.headers["location"]) == (301, at(web, "www", "/about.html"))


def test_older_encodings(web: DemoWeb) -> None:
    french = get(web, at(web, "www", "/twin/france.html"))
    assert french.headers["content-type"] == "text/html; charset=iso-8859-1"
    assert "marée haute à l’été" in french.body.decode("cp1252")
    japanese = get(web, at(web, "www", "/twin/japan.html"))
    assert japanese.headers["content-type"] == "text/html"
    assert "塩口町" in japanese.body.decode("shift_jis")
    assert b"<meta charset=shift_jis>" in japanese.body


def test_a_packed_page(web: DemoWeb) -> None:
    reply = get(web, at(web, "www", "/facts.html"))
    assert reply.headers["content-encoding"] == "gzip"
    assert "Length of the north pier" in gzip.decompress(reply.body).decode()


def test_a_canonical_address(web: DemoWeb) -> None:
    page = at(web, "www", "/about.html")
    assert f'rel="canonical" href="{page}"' in get(web, f"{page}?print=1").text


@pytest.mark.parametrize("path", ["/missing.html", "/about.html?print=2", "/about.html/"])
def test_what_is_not_there(web: DemoWeb, path: str) -> None:
    assert get(web, at(web, "www", path)).status == 404


def test_hosts_without_rules(web: DemoWeb) -> None:
    assert get(web, at(web, "www", "/robots.txt")).status == 404


def test_sitemaps_know_chapters_that_nobody_links(web: DemoWeb) -> None:
    robots = get(web, at(web, "docs", "/robots.txt")).text
    index = re.findall(r"Sitemap: (\S+)", robots)[0]
    maps = [get(web, url).body for url in re.findall(r"<loc>(.*?)</loc>", get(web, index).text)]
    listed = set(re.findall(r"<loc>(.*?)</loc>", (maps[0] + gzip.decompress(maps[1])).decode()))
    linked = {urljoin(index, href) for href in re.findall(r'href="(.*?)"', get(web, at(web, "docs")).text)}
    assert listed <= web.pages
    assert len(listed - linked) >= 5


def test_noindex_in_page_and_header(web: DemoWeb) -> None:
    assert '<meta name="robots" content="noindex">' in get(web, at(web, "club", "/members")).text
    assert get(web, at(web, "club", "/minutes")).headers["x-robots-tag"] == "noindex"
    assert {at(web, "club", "/members"), at(web, "club", "/minutes")} & web.pages == set()


def test_every_answer_of_the_shop_makes_a_new_session(web: DemoWeb) -> None:
    ids = [re.findall(r"PHPSESSID=(\w+)", get(web, at(web, "shop")).text)[0] for _ in range(5)]
    assert len(set(ids)) == 5
    assert all(re.fullmatch(r"[0-9a-f]{32}", one) for one in ids)
    assert get(web, at(web, "shop", f"/ropes/?PHPSESSID={ids[0]}")).status == 200


@pytest.mark.parametrize(
    "path", ["/hire/calendar?month=2031-12", "/hire/calendar?day=1999-01-01", "/hire/" + "gear/" * 30]
)
def test_traps_have_no_end(web: DemoWeb, path: str) -> None:
    url = at(web, "shop", path)
    reply = get(web, url)
    assert reply.status == 200
    assert web.in_trap(url)
    assert url not in web.pages


def test_a_month_leads_to_the_next(web: DemoWeb) -> None:
    text = get(web, at(web, "shop", "/hire/calendar?month=2031-12")).text
    assert "?month=2032-01" in text
    assert "?month=2031-11" in text


def test_honest_pages_are_in_no_trap(web: DemoWeb) -> None:
    assert not any(web.in_trap(page) for page in web.pages)


# --- the protocol ----------------------------------------------------------------------------------------


def test_several_requests_on_one_connection(web: DemoWeb) -> None:
    connection = http.client.HTTPConnection(
        address(web, "news.demo.test"), web.town.addresses.port, timeout=10
    )
    try:
        for _ in range(3):
            connection.request("GET", "/", headers={"Host": "news.demo.test"})
            reply = connection.getresponse()
            assert reply.status == 200
            assert len(reply.read()) == int(reply.headers["content-length"])
    finally:
        connection.close()


def test_head_has_no_body(web: DemoWeb) -> None:
    reply = get(web, at(web, "news"), method="HEAD")
    assert (reply.status, reply.body) == (200, b"")
    assert int(reply.headers["content-length"]) > 0


def test_other_methods_are_refused(web: DemoWeb) -> None:
    assert get(web, at(web, "news"), method="DELETE").status == 405


@pytest.mark.parametrize(
    "head", [b"\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"\xff \xff \xff\r\n\r\n"]
)
def test_nonsense_is_answered_and_the_server_lives(web: DemoWeb, head: bytes) -> None:
    where = (address(web, "news.demo.test"), web.town.addresses.port)
    with socket.create_connection(where, timeout=120) as one:
        one.sendall(head)
        assert one.recv(9) == b"HTTP/1.1 "
    assert get(web, at(web, "news")).status == 200


def test_conditional_requests(web: DemoWeb) -> None:
    url = at(web, "news")
    first = get(web, url)
    tag, date = first.headers["etag"], first.headers["last-modified"]
    assert get(web, url, If_None_Match=tag).status == 304
    assert get(web, url, If_None_Match=f'"x", W/{tag}').status == 304
    assert get(web, url, If_None_Match='"x"', If_Modified_Since=date).status == 200
    assert get(web, url, If_Modified_Since=date).status == 304
    assert get(web, url, If_Modified_Since="Mon, 01 Jan 2001 00:00:00 GMT").status == 200
    assert get(web, url, If_Modified_Since="yesterday").status == 200


def test_time_passes_and_some_pages_change() -> None:
    with DemoWeb(slow=0) as web:
        today, fifth, fixed = at(web, "tides"), at(web, "tides", "/station/5"), at(web, "news")
        before = {url: get(web, url) for url in (today, fifth, fixed)}
        web.advance()
        after = {url: get(web, url, If_None_Match=before[url].headers["etag"]) for url in before}
        assert [after[url].status for url in (today, fifth, fixed)] == [200, 304, 304]
        assert after[today].body != before[today].body
        assert after[today].headers["last-modified"] != before[today].headers["last-modified"]
        web.advance(4)
        assert get(web, fifth, If_None_Match=before[fifth].headers["etag"]).status == 200


def test_a_busy_host_asks_for_patience_and_then_serves() -> None:
    with DemoWeb(slow=0) as web:
        assert get(web, at(web, "office", "/robots.txt")).status == 404
        replies = [get(web, at(web, "office")) for _ in range(3)]
        assert [one.status for one in replies] == [503, 503, 200]
        assert replies[0].headers["retry-after"] == "1"


def test_the_light_is_slow_and_nobody_waits_for_it() -> None:
    with DemoWeb(slow=20) as web:
        parts = urlsplit(at(web, "light"))
        with socket.create_connection((address(web, "light.demo.test"), parts.port), timeout=120) as waiting:
            waiting.sendall(f"GET / HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
            assert get(web, at(web, "news")).status == 200
            assert [visit.host for visit in web.requests] == ["news.demo.test"]


# --- the log ---------------------------------------------------------------------------------------------


def test_the_log_tells_who_asked_for_what_and_when() -> None:
    with DemoWeb(slow=0.05) as web:
        began = time.time()
        url = at(web, "light", "/log/1839?utm_source=x")
        get(web, url)
        (visit,) = web.requests
        assert (visit.host, visit.path, visit.agent, visit.status) == (
            "light.demo.test",
            "/log/1839?utm_source=x",
            AGENT,
            200,
        )
        assert began - 0.01 <= visit.began <= visit.ended - 0.04
        assert web.requested == {url}


def test_the_end_is_clean_even_with_open_connections() -> None:
    with DemoWeb(slow=30) as web:
        where = (address(web, "light.demo.test"), web.town.addresses.port)
        idle = socket.create_connection(where, timeout=120)
        busy = socket.create_connection(where, timeout=120)
        busy.sendall(b"GET / HTTP/1.1\r\nHost: light.demo.test\r\n\r\n")
        time.sleep(0.05)
        began = time.monotonic()
    assert time.monotonic() - began < 25
    with idle, busy:
        assert (idle.recv(1), busy.recv(1)) == (b"", b"")
    with pytest.raises(OSError, match="refused"):
        socket.create_connection(where, timeout=120).close()


def test_two_at_once_do_not_meet() -> None:
    with DemoWeb(slow=0) as one, DemoWeb(slow=0) as other:
        assert one.town.addresses.port != other.town.addresses.port
        assert get(one, at(one, "news")).status == get(other, at(other, "news")).status == 200
        assert len(one.requests) == len(other.requests) == 1


def test_the_settings_it_proposes_are_settings(web: DemoWeb) -> None:
    got = with_overrides(Settings(), web.overrides).web
    assert got.dns_servers == (web.dns,)
    assert got.allow_addresses in (("127.0.10.0/24",), ("127.0.0.1/32",))


# --- a polite walk ---------------------------------------------------------------------------------------


class Walker:
    """The simplest crawler that keeps the rules: proof that the lists the demo gives can be met."""

    def __init__(self, web: DemoWeb) -> None:
        self.web = web
        self.rules: dict[str, urllib.robotparser.RobotFileParser] = {}
        self.stored: set[str] = set()

    def walk(self) -> None:
        seen, todo = set(self.web.seeds), list(self.web.seeds)
        while todo:
            for link in self.visit(todo.pop()):
                plain = re.sub(r"\?PHPSESSID=\w+", "", link)
                if plain not in seen and not self.web.in_trap(plain):
                    seen.add(plain)
                    todo.append(plain)

    def visit(self, url: str) -> list[str]:
        """Fetch and store one page; the addresses it leads to."""
        host = urlsplit(url).hostname or ""
        if not host.endswith("demo.test") or host.startswith(("closed", "gone")):
            return []
        extra = [] if host in self.rules else self.learn(host, url)
        if not self.rules[host].can_fetch(AGENT, url):
            return extra
        reply = get(self.web, url)
        while reply.status == 503:
            reply = get(self.web, url)
        if reply.status == 301:
            return [*extra, reply.headers["location"]]
        return extra + (self.keep(url, reply) if reply.status == 200 else [])

    def learn(self, host: str, url: str) -> list[str]:
        rules = self.rules[host] = urllib.robotparser.RobotFileParser()
        reply = get(self.web, urljoin(url, "/robots.txt"))
        # The standard library takes the first rule that fits, RFC 9309 the longest: put those first.
        rules.parse(sorted(reply.text.splitlines(), key=self.rank) if reply.status == 200 else [])
        found = []
        for index in rules.site_maps() or []:
            for part in re.findall(r"<loc>(.*?)</loc>", get(self.web, index).text):
                body = get(self.web, part).body
                text = gzip.decompress(body) if part.endswith(".gz") else body
                found += re.findall(r"<loc>(.*?)</loc>", text.decode())
        return found

    @staticmethod
    def rank(line: str) -> int:
        order = ("User-agent", "Allow", "Disallow", "")
        return next(place for place, word in enumerate(order) if line.startswith(word))

    def keep(self, url: str, reply: Answer) -> list[str]:
        text = reply.text
        if "noindex" not in text and "x-robots-tag" not in reply.headers:
            self.stored.add(url)
        if 'content="nofollow"' in text:
            return []
        hrefs = re.findall(r'<a href="([^"]*)">', text)  # a link with rel=nofollow has one more attribute
        return [urldefrag(urljoin(url, unescape(href)))[0] for href in hrefs]


def test_a_polite_walk_finds_every_page_and_nothing_forbidden() -> None:
    with DemoWeb(slow=0) as web:
        walker = Walker(web)
        walker.walk()
        assert web.pages - walker.stored == set()
        assert web.requested & web.forbidden == set()
        assert {visit.agent for visit in web.requests} == {AGENT}


def test_a_rude_walk_is_noticed(web: DemoWeb) -> None:
    """The lists can also be failed."""
    for url in web.forbidden:
        assert get(web, url).status == 200
    assert web.forbidden <= web.requested
