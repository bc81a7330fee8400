"""Which addresses may be connected to: the public Internet, and what the settings allow.

A crawler follows URLs that strangers write. Without this guard a link, a redirect or a DNS answer could make
it read the user's router, a local database or a cloud's credentials. The tables follow the registries of
special-purpose addresses; the standard library's tables differ between releases.
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from fieldmouse.errors import ConfigError

CACHED = 65536  # verdicts; an address takes about 200 bytes

NOT_PUBLIC_4 = tuple(
    (IPv4Network(net), why)
    for net, why in (
        ("0.0.0.0/8", "this network"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "shared by carriers"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "cloud metadata"),
        ("169.254.0.0/16", "link-local, cloud metadata"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "protocol assignments"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "old 6to4 relays"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarks"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved or broadcast"),
    )
)
PUBLIC_6 = IPv6Network("2000::/3")
NAT64 = IPv6Network("64:ff9b::/96")  # a translated IPv4 address: judged as that address
NOT_PUBLIC_6 = tuple(
    (IPv6Network(net), why)
    for net, why in (
        ("2001::/32", "Teredo tunnel"),
        ("2001::/23", "protocol assignments"),
        ("2001:db8::/32", "documentation"),
        ("2002::/16", "6to4 tunnel"),
        ("3fff::/20", "documentation"),
    )
)

# Ports that browsers refuse too, because their services may read a request as commands; and two databases.
# fmt: off
BAD_PORTS = frozenset((
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
    6379, 11211,
))
# fmt: on


class Guard:
    """Decides whether an address may be connected to. `web.allow_addresses` overrides every other rule."""

    def __init__(self, allow: Iterable[str] = (), *, public: bool = True) -> None:
        """Without `public`, only the allowed networks may be connected to."""
        self._public = public
        self._allowed = []
        for entry in allow:
            try:
                self._allowed.append(ip_network(entry.strip()))
            except ValueError as error:
                raise ConfigError(
                    f"web.allow_addresses: {entry!r} is not a network such as 10.1.0.0/16: {error}"
                ) from None
        self.refuse = lru_cache(CACHED)(self._refuse)  # called for each request and each connection

    def _refuse(self, address: str) -> str:
        """Why this address is refused, or an empty string."""
        try:
            ip = ip_address(address)
        except ValueError:
            return f"{address!r} is not an IP address"
        if not self._public and not self._is_allowed(ip):
            return f"{address} is not in web.allow_addresses, and the public Web needs crawl.contact"
        why = self._judge(ip)
        return f"{address} is not a public address ({why}); web.allow_addresses may allow it" if why else ""

    def _is_allowed(self, ip: IPv4Address | IPv6Address) -> bool:
        return any(ip.version == net.version and ip in net for net in self._allowed)

    def _judge(self, ip: IPv4Address | IPv6Address) -> str:
        if self._is_allowed(ip):
            return ""
        if isinstance(ip, IPv4Address):
            return next((why for net, why in NOT_PUBLIC_4 if ip in net), "")
        if ip.scope_id is not None:
            return "it has a zone"
        if ip.ipv4_mapped is not None:
            return self._judge(ip.ipv4_mapped)
        if ip in NAT64:
            return self._judge(IPv4Address(int(ip) & 0xFFFFFFFF))
        if ip not in PUBLIC_6:
            return "not global unicast"
        return next((why for net, why in NOT_PUBLIC_6 if ip in net), "")

    def refuse_port(self, port: int) -> str:
        """Why this port is refused, or an empty string."""
        if 0 < port < 65536 and port not in BAD_PORTS:
            return ""
        return f"port {port} is not one for web servers"
