import asyncio
import itertools

import pytest
import uvloop

from fieldmouse.errors import ConfigError
from fieldmouse.settings import WebSettings
from fieldmouse.web.dns import DnsError, Resolver
from tests.servers import names

ZONE = (
    "a.test. 300 IN A 192.0.2.1",
    "a.test. 300 IN A 192.0.2.2",
    "a.test. 120 IN AAAA 2001:db8::1",
    "six.test. 60 IN AAAA 2001:db8::6",
    "www.test. 500 IN CNAME alias.test.",
    "alias.test. 90 IN CNAME a.test.",
    "nowhere.test. 60 IN CNAME missing.test.",
    "circle.test. 60 IN CNAME circle2.test.",
    "circle2.test. 60 IN CNAME circle.test.",
    "mail.test. 60 IN MX 10 a.test.",
    "long.test. 999999 IN A 192.0.2.9",
    "short.test. 0 IN A 192.0.2.8",
    "z.test. 60 IN NS NS2.Parking.test.",
    "z.test. 60 IN NS ns1.parking.test.",
    "z.test. 60 IN A 192.0.2.3",
    "cdn.z.test. 60 IN CNAME other.test.",
    "other.test. 60 IN NS ns.other.test.",
    *(f"n{n}.test. 60 IN A 192.0.2.{n}" for n in range(50)),
)


@pytest.fixture(scope="module")
def server():
    with names(*ZONE) as running:
        yield running


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def ask(server, *hosts, run=asyncio.run, clock=None, **settings):
    """Ask about each name in turn; the answers, or the reasons why there are none."""

    async def main():
        resolver = Resolver(WebSettings(dns_servers=(server.server,), **settings), clock or Clock())
        answers = []
        for host in hosts:
            try:
                answers.append(await resolver.addresses(host))
            except DnsError as trouble:
                answers.append(trouble.reason)
        await resolver.close()
        return answers

    return run(main())


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_both_families_are_asked(server, run):
    (answer,) = ask(server, "a.test", run=run)
    assert set(answer.addresses) == {"192.0.2.1", "192.0.2.2", "2001:db8::1"}
    assert ":" not in answer.addresses[0]
    assert answer.aliases == ()
    assert 1000 + 60 < answer.expires <= 1000 + 120, "less what the server's own cache has used"


def test_ipv6_can_be_switched_off(server):
    answers = ask(server, "a.test", "six.test", ipv6=False)
    assert set(answers[0].addresses) == {"192.0.2.1", "192.0.2.2"}
    assert answers[1] == "no address"


def test_aliases_are_followed_and_named(server):
    (answer,) = ask(server, "WWW.test.")
    assert answer.aliases == ("alias.test", "a.test")
    assert "192.0.2.1" in answer.addresses
    assert answer.expires <= 1000 + 90


@pytest.mark.parametrize(
    ("host", "reason"),
    [
        ("missing.test", "nxdomain"),
        ("nowhere.test", "nxdomain"),
        ("mail.test", "no address"),
        ("circle.test", "servfail"),
        ("silent.test", "timeout"),
        ("a..test", "bad name"),
        ("x" * 64 + ".test", "bad name"),
        ("tést.test", "bad name"),
        ("a b.test", "bad name"),
        ("", "bad name"),
    ],
)
def test_names_that_lead_nowhere_say_why(server, host, reason):
    assert ask(server, host, dns_timeout=0.3 if reason == "timeout" else 30.0) == [reason]


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("[2001:DB8::0:1]", "2001:db8::1"),
        ("::1", "::1"),
        ("localhost", "127.0.0.1"),
        ("LOCALHOST.", "127.0.0.1"),
        ("a.localhost", "127.0.0.1"),
    ],
)
def test_what_needs_no_server_asks_none(host, address):
    async def main():
        resolver = Resolver(WebSettings(dns_servers=("127.77.0.99:9",), dns_timeout=0.1))
        answer = await resolver.addresses(host)
        await resolver.close()
        return answer.addresses

    assert asyncio.run(main()) == (address,)


def test_times_to_live_are_kept_within_the_settings(server):
    answers = ask(server, "long.test", "short.test", dns_max_ttl=5000.0, dns_min_ttl=7.0)
    assert [answer.expires for answer in answers] == [6000, 1007]


def test_an_answer_is_remembered_until_it_expires():
    clock = Clock()

    async def main():
        resolver = Resolver(WebSettings(dns_servers=(server.server,)), clock)
        first = await resolver.addresses("a.test")
        server.change("a.test. 60 IN A 192.0.2.99")
        again = await resolver.addresses("a.test")
        assert resolver.known("a.test") is again is first
        await resolver.close()
        clock.now += 61
        assert resolver.known("a.test") is None
        later = await resolver.addresses("a.test")
        await resolver.close()
        return first.addresses, later.addresses

    with names("a.test. 60 IN A 192.0.2.1") as server:
        assert asyncio.run(main()) == (("192.0.2.1",), ("192.0.2.99",))


def test_a_failure_is_remembered_too():
    clock = Clock()

    async def main():
        resolver = Resolver(WebSettings(dns_servers=(server.server,), dns_min_ttl=10.0), clock)
        reasons = []
        for wait in (0, 9, 2):
            clock.now += wait
            try:
                reasons.append((await resolver.addresses("new.test")).addresses)
            except DnsError as trouble:
                reasons.append(trouble.reason)
            server.change("new.test. 60 IN A 192.0.2.5")
            await resolver.close()  # c-ares has a memory of its own, which goes with its channel
        return reasons

    with names("a.test. 60 IN A 192.0.2.1") as server:
        assert asyncio.run(main()) == ["nxdomain", "nxdomain", ("192.0.2.5",)]


def test_simultaneous_questions_are_asked_once(server):
    class Counting(Resolver):
        asked = 0

        async def _query(self, name, kind):
            self.asked += 1
            return await super()._query(name, kind)

    async def main():
        resolver = Counting(WebSettings(dns_servers=(server.server,)))
        answers = await asyncio.gather(*(resolver.addresses("a.test") for _ in range(40)))
        await resolver.close()
        return resolver.asked, len({id(answer) for answer in answers})

    assert asyncio.run(main()) == (2, 1)


def test_who_gives_up_waiting_does_not_spoil_it_for_the_others(server):
    async def main():
        resolver = Resolver(WebSettings(dns_servers=(server.server,)))
        first = asyncio.ensure_future(resolver.addresses("a.test"))
        second = asyncio.ensure_future(resolver.addresses("a.test"))
        await asyncio.sleep(0)
        first.cancel()
        answer = await second
        await resolver.close()
        return first.cancelled(), answer.addresses

    cancelled, addresses = asyncio.run(main())
    assert cancelled
    assert addresses


def test_memory_is_bounded_and_forgets_the_least_used(server):
    async def main():
        resolver = Resolver(WebSettings(dns_servers=(server.server,), ipv6=False), Clock(), cached=10)
        for n in range(50):
            await resolver.addresses(f"n{n}.test")
            resolver.known("n0.test")
        await resolver.close()
        return [n for n in range(50) if resolver.known(f"n{n}.test")]

    assert asyncio.run(main()) == [0, *range(41, 50)]


def test_closing_gives_up_what_is_asked(server):
    async def main():
        resolver = Resolver(WebSettings(dns_servers=(server.server,), dns_timeout=300.0))
        waiting = asyncio.ensure_future(resolver.addresses("silent.test"))
        await asyncio.sleep(0.05)
        await resolver.close()
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(asyncio.wait_for(main(), 120))


@pytest.mark.parametrize(
    ("domain", "expected"),
    [
        ("z.test", ("ns1.parking.test", "ns2.parking.test")),
        ("Z.test.", ("ns1.parking.test", "ns2.parking.test")),
        ("deep.below.z.test", ("ns1.parking.test", "ns2.parking.test")),
        ("cdn.z.test", ("ns1.parking.test", "ns2.parking.test")),
        ("a.test", ()),
        ("test", ()),
    ],
)
def test_name_servers_of_the_zone(server, domain, expected):
    async def main():
        resolver = Resolver(WebSettings(dns_servers=(server.server,)))
        found = await resolver.name_servers(domain)
        assert await resolver.name_servers(domain) == found
        await resolver.close()
        return found

    assert asyncio.run(main()) == expected


@pytest.mark.parametrize("entry", ["127.0.0.1", "127.0.0.1:53", "::1", "[::1]", "[::1]:5353", " 9.9.9.9 "])
def test_server_entries(entry):
    Resolver(WebSettings(dns_servers=(entry,)))


@pytest.mark.parametrize("entry", ["dns.example", "1.2.3", "1.2.3.4:x", "1.2.3.4:0", "1.2.3.4:99999", ""])
def test_a_bad_server_names_the_setting(entry):
    with pytest.raises(ConfigError, match=r"web\.dns_servers"):
        Resolver(WebSettings(dns_servers=(entry,)))


def test_the_second_server_is_asked_when_the_first_is_dead(server):
    async def main():
        resolver = Resolver(WebSettings(dns_servers=("127.77.0.99:9", server.server), dns_timeout=3.0))
        answer = await resolver.addresses("a.test")
        await resolver.close()
        return answer.addresses

    assert "192.0.2.1" in asyncio.run(main())


def test_hundreds_of_names_at_once(server):
    async def main():
        resolver = Resolver(WebSettings(dns_servers=(server.server,)))
        hosts = [f"n{n % 50}.test" for n in itertools.islice(itertools.count(), 500)]
        answers = await asyncio.gather(*map(resolver.addresses, hosts))
        await resolver.close()
        return [answer.addresses[0].rpartition(".")[2] for answer in answers]

    assert asyncio.run(main()) == [str(n % 50) for n in range(500)]
