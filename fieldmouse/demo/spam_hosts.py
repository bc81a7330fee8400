"""Spam around the demo web: parked domains, a redirect farm, and a redirect loop.

Each is a domain with its own name servers; the guest book of the town hall links to all of them. Nothing here
must be stored, and nothing is forbidden.
"""

from collections.abc import Iterable, Iterator, Mapping
from html import escape

from .pages import Addresses, DemoHost, DemoPage, DemoTexts, link, listing, optional, redirect

UNKNOWN_PARKING = "ns1.idle-names.test"  # a provider on no list: only its pages show what it is
KNOWN_PARKING = "ns1.sedoparking.com"  # on the bundled list
FARM = "jackpot-bay.test"
OFFERS = 6
REDIRECT_KINDS = ("http", "meta", "script", "header", "frame")


def parked_hosts(texts: DemoTexts) -> Iterator[DemoHost]:
    """Domains for sale, each with the page of a parking service."""
    section = texts.sections["parked"]
    for domain in (f"{name}.test" for name in section["names"]):
        searches = texts.fill(domain, *section["searches"])[:3]
        links = listing((f"/?q={number}", text) for number, text in enumerate(searches))
        page = (
            f"<!DOCTYPE html>\n<html>\n<head><title>{domain}</title>\n<meta name=robots content=nofollow>\n"
            f"</head>\n<body>\n<div class=sale><h1>{domain}</h1>\n<p>{escape(section['offer'])}</p></div>\n"
            f"<div class=searches><h2>Related searches</h2>\n{links}</div>\n"
            f"<p class=legal>{escape(section['legal'])}</p>\n</body>\n</html>\n"
        )
        yield DemoHost(name=domain, pages={"/": optional(DemoPage(body=page.encode()))})


def redirect_farm(addresses: Addresses, texts: DemoTexts) -> Iterator[DemoHost]:
    """Many domains that redirect to one landing host, a chain of three that ends there, and a loop of two."""
    offers = [addresses.at(FARM, f"/offer/{number}") for number in range(OFFERS)]
    for place, name in enumerate(texts.sections["farm"]["names"]):
        kind = REDIRECT_KINDS[place % len(REDIRECT_KINDS)]
        yield _redirecting(f"{name}.test", kind, offers[place % OFFERS])
    landing = {f"/offer/{number}": _landing_page(f"Prize {number}") for number in range(OFFERS)}
    yield DemoHost(name=FARM, pages={"/": _landing_page("Jackpot Bay"), **landing})
    yield _redirecting("prize-one.test", "http", addresses.at("prize-two.test"))
    yield _redirecting("prize-two.test", "meta", addresses.at("prize-three.test"))
    yield _redirecting("prize-three.test", "script", offers[0])
    yield _redirecting("round-one.test", "http", addresses.at("round-two.test"))
    yield _redirecting("round-two.test", "http", addresses.at("round-one.test"))


def _redirecting(name: str, kind: str, to: str) -> DemoHost:
    """A host with one page that redirects in one of several ways."""
    if kind == "http":
        return DemoHost(name=name, pages={"/": redirect(to, 302)})
    head = {
        "meta": f'<meta http-equiv="refresh" content="0; url={to}">',
        "script": f'<script>window.location.href = "{to}";</script>',
        "header": "<title>One moment</title>",
        "frame": f'<frameset rows="100%"><frame src="{to}"></frameset>',
    }[kind]
    headers = (("Refresh", f"0; url={to}"),) if kind == "header" else ()
    body = f"<html>\n<head>{head}</head>\n</html>\n".encode()
    return DemoHost(name=name, pages={"/": optional(DemoPage(body=body, headers=headers))})


def _landing_page(title: str) -> DemoPage:
    buttons = "".join(
        f'<div class=win><a href="/offer/{n}">Claim prize {n}</a></div>\n' for n in range(OFFERS)
    )
    head = f"<html>\n<head><title>{title}</title></head>\n<body>\n<h1>{title}: you have won!</h1>\n"
    return optional(DemoPage(body=f"{head}{buttons}</body>\n</html>\n".encode()))


def guest_book(addresses: Addresses, hosts: Iterable[DemoHost]) -> str:
    """Links to all spam hosts but the landing host of the farm."""
    return "".join(
        f"<p>Nice site! {link(addresses.at(host.name), host.name)}</p>\n"
        for host in hosts
        if host.name != FARM
    )


def name_servers(texts: DemoTexts) -> Mapping[str, str]:
    """The name server of each parked domain."""
    names = [f"{name}.test" for name in texts.sections["parked"]["names"]]
    return dict.fromkeys(names[:2], KNOWN_PARKING) | dict.fromkeys(names[2:], UNKNOWN_PARKING)
