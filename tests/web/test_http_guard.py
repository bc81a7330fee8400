"""The guard from end to end: whatever an address, a redirect or a name says, nobody forbidden is dialled."""

import asyncio
import contextlib
import socket
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from fieldmouse.types import Failure, Response, Trouble
from fieldmouse.web.guard import Guard
from fieldmouse.web.http_client import HttpClient
from tests.servers import ALLOWED, FORBIDDEN, HOME, NameServer, Server, moved, names, reply, serve
from tests.web.clients import fetch, settings, ticket

# PORT stands for the port on which forbidden addresses are listened to.
ADDRESSES = """
http://127.66.0.1:PORT/
http://127.0.0.1:PORT/
http://127.1:PORT/
http://127.66.1:PORT/
http://0x7f.0x42.0.1:PORT/
http://0x7f.1:PORT/
http://0x7f420001:PORT/
http://2130706433:PORT/
http://2134769665:PORT/
http://017700000001:PORT/
http://0177.0.0.1:PORT/
http://0177.0102.0.01:PORT/
http://127.66.0.1.:PORT/
http://0:PORT/
http://0.0.0.0:PORT/
http://localhost:PORT/
http://LocalHost:PORT/
http://localhost.:PORT/
http://sub.localhost:PORT/
http://%31%32%37.66.0.1:PORT/
http://127。66。0。1:PORT/
http://①②⑦.⑥⑥.0.1:PORT/
http://１２７.0.0.1:PORT/
http://user:pw@127.66.0.1:PORT/
http://127.77.0.1:80@127.66.0.1:PORT/
http://127.77.0.1%2f@127.66.0.1:PORT/
http:127.66.0.1:PORT/
http:\\\\127.66.0.1:PORT\\
http:///127.66.0.1:PORT/
https://127.66.0.1:PORT/
HTTP://127.66.0.1:PORT/
http://[::1]:PORT/
http://[0:0:0:0:0:0:0:1]:PORT/
http://[::]:PORT/
http://[::ffff:127.66.0.1]:PORT/
http://[::ffff:7f00:1]:PORT/
http://[0:0:0:0:0:ffff:7f42:1]:PORT/
http://[::127.66.0.1]:PORT/
http://[64:ff9b::7f42:1]:PORT/
http://[64:ff9b:1::7f42:1]:PORT/
http://[2002:7f42:1::]:PORT/
http://[fd00:ec2::254]/latest/meta-data/
http://[fe80::1]:PORT/
http://[fec0::1]:PORT/
http://[ff02::1]:PORT/
http://169.254.169.254/latest/meta-data/
http://0xa9fea9fe/
http://2852039166/
http://[::ffff:a9fe:a9fe]/
http://168.63.129.16/metadata
http://100.100.100.200/latest/meta-data/
http://100.64.0.1/
http://10.0.0.1/
http://172.16.0.1/
http://192.168.1.1/
http://192.0.0.192/
http://198.18.0.1/
http://203.0.113.5/
http://224.0.0.1/
http://255.255.255.255/
http://127.77.0.1:22/
http://127.77.0.1:25/
http://127.77.0.1:6379/
http://127.77.0.1:11211/
http://127.77.0.1:0/
file:///etc/passwd
ftp://127.66.0.1/
gopher://127.66.0.1:PORT/_GET
dict://127.66.0.1:PORT/
ldap://127.66.0.1/
ws://127.66.0.1:PORT/
data:text/html,hello
javascript:alert(1)
view-source:http://127.66.0.1/
http://
http://[::1
http://127.66.0.1:99999/
""".split()  # noqa: SIM905

NOWHERE = ("http://", "http://[::1", "http://127.66.0.1:99999/")  # as a redirect: no address at all
RELATIVE = ("http:127.66.0.1:PORT/",)  # as a redirect: a path, by the standard

# Answers of a hostile name server, each for a name of its own.
ANSWERS = {
    "loopback": ["A 127.66.0.1"],
    "plain-loopback": ["A 127.0.0.1"],
    "unspecified": ["A 0.0.0.0"],
    "metadata": ["A 169.254.169.254"],
    "private": ["A 10.0.0.1"],
    "carrier": ["A 100.64.0.1"],
    "broadcast": ["A 255.255.255.255"],
    "mixed": ["A 127.77.0.1", "A 127.66.0.1"],
    "many": [*(f"A 127.77.0.{n}" for n in range(1, 9)), "A 10.0.0.1"],
    "loopback-six": ["AAAA ::1"],
    "unspecified-six": ["AAAA ::"],
    "mapped": ["AAAA ::ffff:127.66.0.1"],
    "compatible": ["AAAA ::127.66.0.1"],
    "translated": ["AAAA 64:ff9b::7f42:1"],
    "tunnel": ["AAAA 2002:7f42:1::"],
    "local-six": ["AAAA fd00::1"],
    "link-six": ["AAAA fe80::1"],
    "mixed-six": ["A 127.77.0.1", "AAAA ::1"],
    "alias": ["CNAME loopback.test."],
    "long-alias": ["CNAME alias.test."],
    "alias-mixed": ["CNAME mixed.test."],
}
RECORDS = [f"{name}.test. 60 IN {record}" for name, records in ANSWERS.items() for record in records]


class Land(NamedTuple):
    """An allowed server, the forbidden ones on the same port, and a name server."""

    home: Server
    forbidden: list[Server]
    dns: NameServer

    def at(self, url: str) -> str:
        return url.replace("PORT", str(self.home.port))

    def untouched(self) -> bool:
        return not any(server.connections for server in self.forbidden)


@pytest.fixture(scope="module")
def land() -> Iterator[Land]:
    jumps: dict[str, bytes] = {}
    with contextlib.ExitStack() as stack:
        home = stack.enter_context(serve(lambda request: jumps.get(request.target) or reply(b"home")))
        places = [FORBIDDEN, "127.0.0.1", *(["::1"] if has_ipv6() else [])]
        forbidden = [stack.enter_context(serve({"/": b"secret"}, one, home.port)) for one in places]
        land = Land(home, forbidden, stack.enter_context(names(*RECORDS)))
        for number, url in enumerate(ADDRESSES):
            jumps[f"/jump/{number}"] = moved_raw(land.at(url))
        for name in ANSWERS:
            jumps[f"/jump/{name}"] = moved(f"http://{name}.test:{home.port}/")
        yield land


def moved_raw(to: str) -> bytes:
    return b"HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: " + to.encode() + b"\r\n\r\n"


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6) as one:
            one.bind(("::1", 0))
    except OSError:
        return False
    return True


def test_the_tables_are_long_enough():
    assert len(set(ADDRESSES)) >= 40
    assert len(ANSWERS) >= 20


@pytest.mark.parametrize("url", ADDRESSES)
def test_a_hostile_address_is_refused(land, url):
    (outcome,) = fetch(land.at(url), dns_servers=(land.dns.server,))
    assert isinstance(outcome, Failure)
    assert outcome.trouble is Trouble.REFUSED
    assert land.untouched()


@pytest.mark.parametrize("number", range(len(ADDRESSES)))
def test_a_hostile_redirect_is_refused(land, number):
    (hops,) = fetch(land.home.url(f"/jump/{number}"), follow=True, dns_servers=(land.dns.server,))
    assert isinstance(hops[0], Response)
    if ADDRESSES[number] in NOWHERE:
        assert len(hops) == 1
    elif ADDRESSES[number] in RELATIVE:
        assert hops[1].body == b"home"
    else:
        assert [hop.trouble for hop in hops[1:]] == [Trouble.REFUSED]
    assert land.untouched()


@pytest.mark.parametrize("name", ANSWERS)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_hostile_name_is_refused(land, name, scheme):
    (outcome,) = fetch(f"{scheme}://{name}.test:{land.home.port}/", dns_servers=(land.dns.server,))
    assert isinstance(outcome, Failure)
    assert outcome.trouble is Trouble.REFUSED
    assert outcome.detail.startswith(f"{name}.test: ")
    assert land.untouched()


@pytest.mark.parametrize("name", ANSWERS)
def test_a_redirect_to_a_hostile_name_is_refused(land, name):
    (hops,) = fetch(land.home.url(f"/jump/{name}"), follow=True, dns_servers=(land.dns.server,))
    assert [type(hop) for hop in hops] == [Response, Failure]
    assert hops[-1].trouble is Trouble.REFUSED
    assert land.untouched()


def test_without_an_allow_list_not_even_home_is_dialled(land):
    before = land.home.connections
    (outcome,) = fetch(land.home.url(), allow_addresses=())
    assert outcome.trouble is Trouble.REFUSED
    assert land.home.connections == before


def test_a_name_that_changes_its_mind_is_refused_although_a_connection_is_open(land):
    async def main(dns: NameServer) -> list:
        limits = settings(dns_servers=(dns.server,), dns_min_ttl=0.0)
        url = land.home.url(host="rebind.test")
        async with HttpClient(limits) as web:
            outcomes = [await web.exchange(ticket(url)), await web.exchange(ticket(url))]
            dns.change("rebind.test. 0 IN A 127.66.0.1")
            return [*outcomes, await web.exchange(ticket(url))]

    with names("rebind.test. 0 IN A 127.77.0.1") as dns:
        first, second, third = asyncio.run(main(dns))
    assert first.status == second.status == 200
    assert third.trouble is Trouble.REFUSED
    assert land.untouched()


def test_a_name_that_moves_is_followed_and_its_old_connection_left(land):
    async def main(dns: NameServer) -> list:
        limits = settings(dns_servers=(dns.server,), dns_min_ttl=0.0)
        url = land.home.url(host="move.test")
        async with HttpClient(limits) as web:
            before = await web.exchange(ticket(url))
            dns.change("move.test. 0 IN A 127.77.0.2")
            return [before, await web.exchange(ticket(url))]

    with (
        names("move.test. 0 IN A 127.77.0.1") as dns,
        serve({"/": b"new home"}, "127.77.0.2", land.home.port) as other,
    ):
        before, after = asyncio.run(main(dns))
        assert other.connections == 1
    assert (before.body, before.address) == (b"home", HOME)
    assert (after.body, after.address) == (b"new home", "127.77.0.2")


class Forgetful(Guard):
    """A guard that errs the first time: as if the address had changed between the look and the jump."""

    def __init__(self) -> None:
        super().__init__(ALLOWED)
        strict, asked = self.refuse, []

        def refuse(address: str) -> str:
            asked.append(address)
            return "" if len(asked) == 1 else strict(address)

        self.refuse = refuse


def test_the_address_is_checked_again_when_it_is_dialled(land):
    async def main() -> object:
        async with HttpClient(settings(), guard=Forgetful()) as web:
            return await web.exchange(ticket(land.at("http://127.66.0.1:PORT/")))

    outcome = asyncio.run(main())
    assert outcome.trouble is Trouble.REFUSED
    assert land.untouched()
