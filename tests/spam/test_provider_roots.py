"""The list at work on answers of a real name server, with all that can be wrong about a name."""

import asyncio

from fieldmouse import settings
from fieldmouse.spam.parking import ParkingEntry, ParkingList
from fieldmouse.web.dns import DnsError, Resolver
from tests.servers import names

from .registry import DnsRecords

LISTED = ParkingList(
    [
        ParkingEntry(kind="ns", value="parkers.test"),
        ParkingEntry(kind="ns", value="shared.test", state="shared"),
        ParkingEntry(kind="alias", value="lander.test"),
        ParkingEntry(kind="address", value="10.9.0.0/16"),
    ]
)
ZONE = (
    "parked.test. 60 IN NS ns1.parkers.test.",
    "parked.test. 60 IN NS ns2.parkers.test.",
    "mixed.test. 60 IN NS ns1.parkers.test.",
    "mixed.test. 60 IN NS ns.other.test.",
    "mixed.test. 60 IN A 10.1.0.1",
    "byaddress.test. 60 IN NS ns.shared.test.",
    "byaddress.test. 60 IN A 10.9.1.1",
    "regular.test. 60 IN NS ns.shared.test.",
    "regular.test. 60 IN A 10.1.0.2",
    "byalias.test. 60 IN CNAME x.lander.test.",
    "x.lander.test. 60 IN A 10.1.0.3",
    "round.test. 60 IN CNAME about.test.",
    "about.test. 60 IN CNAME round.test.",
    "lame.test. 60 IN NS ns.nowhere.invalid.",
    "itself.test. 60 IN NS itself.test.",
)


async def roots(resolver: Resolver, name: str) -> DnsRecords:
    servers = await resolver.name_servers(name)
    try:
        found = await resolver.addresses(name)
    except DnsError:
        return DnsRecords(name_servers=servers)
    return DnsRecords(name_servers=servers, addresses=found.addresses, aliases=found.aliases)


async def skipped(server: str) -> dict[str, bool]:
    web = settings.WebSettings(dns_servers=(server,), ipv6=False, dns_timeout=3.0)
    resolver = Resolver(web)
    found = {}
    asked = "parked mixed byaddress regular byalias round lame itself silent missing"
    for name in [f"{one}.test" for one in asked.split()]:
        one = await roots(resolver, name)
        found[name] = LISTED.match(one.name_servers, one.addresses, one.aliases) is not None
    await resolver.close()
    return found


def test_only_names_that_lead_to_a_parking_service_are_skipped() -> None:
    with names(*ZONE) as server:
        found = asyncio.run(skipped(server.server))
    assert {name for name, skip in found.items() if skip} == {"parked.test", "byaddress.test", "byalias.test"}
    assert len(found) == 10
