"""Names the town would rather not know: parked ones, a farm of redirects, and rings that lead nowhere.

Each is a domain of its own with name servers of its own; the town's guest book is full of links to them.
Nothing here need be stored, and nothing is forbidden: a crawl that knows better leaves it alone.
"""

from collections.abc import Iterable, Mapping
from html import escape

from .prose import Prose
from .sheets import Addresses, Sheet, Site, link, listing, moved, unkept

PARKING = "ns1.idle-names.test"  # a provider nobody has heard of: it can only be told by what it serves
KNOWN_PARKING = "ns1.sedoparking.com"  # one that the bundled list knows; nothing but its name is used
FARM = "jackpot-bay.test"
OFFERS = 6
_WAYS = ("http", "meta", "script", "header", "frame")


def parked(prose: Prose) -> tuple[Site, ...]:
    """Names that somebody bought to sell again."""
    names = prose.texts["parked"]["names"]
    return tuple(Site(name=f"{name}.test", sheets={"/": _for_sale(f"{name}.test", prose)}) for name in names)


def _for_sale(name: str, prose: Prose) -> Sheet:
    """The page of a parking service, with searches that suit the name a little."""
    texts = prose.texts["parked"]
    (first, second, third) = prose.fill(name, *texts["searches"])[:3]
    searches = listing((f"/?q={number}", text) for number, text in enumerate((first, second, third)))
    page = (
        f"<!DOCTYPE html>\n<html>\n<head><title>{name}</title>\n<meta name=robots content=nofollow>\n"
        f"</head>\n<body>\n<div class=sale><h1>{name}</h1>\n<p>{escape(texts['offer'])}</p></div>\n"
        f"<div class=searches><h2>Related searches</h2>\n{searches}</div>\n"
        f"<p class=legal>{escape(texts['legal'])}</p>\n</body>\n</html>\n"
    )
    return unkept(Sheet(body=page.encode()))


def farm(addresses: Addresses, prose: Prose) -> tuple[Site, ...]:
    """Many names, each with one page that sends its visitors on to the same place."""
    names = prose.texts["farm"]["names"]
    doors = tuple(
        Site(name=f"{name}.test", sheets={"/": _door(_WAYS[place % len(_WAYS)], _offer(addresses, place))})
        for place, name in enumerate(names)
    )
    return (*doors, _landing(), *_chain(addresses), *_ring(addresses))


def _offer(addresses: Addresses, place: int) -> str:
    return addresses.at(FARM, f"/offer/{place % OFFERS}")


def _door(way: str, to: str) -> Sheet:
    """One of the ways to send a visitor on."""
    if way == "http":
        return moved(to, 302)
    inner = {
        "meta": f'<meta http-equiv="refresh" content="0; url={to}">',
        "script": f'<script>window.location.href = "{to}";</script>',
        "header": "<title>One moment</title>",
        "frame": f'<frameset rows="100%"><frame src="{to}"></frameset>',
    }[way]
    headers = (("Refresh", f"0; url={to}"),) if way == "header" else ()
    return unkept(Sheet(body=f"<html>\n<head>{inner}</head>\n</html>\n".encode(), headers=headers))


def _landing() -> Site:
    """Where all of them lead: the same page again and again."""
    sheets = {f"/offer/{number}": _bait(f"Prize {number}") for number in range(OFFERS)}
    return Site(name=FARM, sheets={"/": _bait("Jackpot Bay"), **sheets})


def _bait(title: str) -> Sheet:
    buttons = "".join(
        f'<div class=win><a href="/offer/{n}">Claim prize {n}</a></div>\n' for n in range(OFFERS)
    )
    head = f"<html>\n<head><title>{title}</title></head>\n<body>\n<h1>{title}: you have won!</h1>\n"
    page = f"{head}{buttons}</body>\n</html>\n"
    return unkept(Sheet(body=page.encode()))


def _chain(addresses: Addresses) -> Iterable[Site]:
    """A name that leads to a name that leads to a name that leads to the farm, each in another way."""
    names = ("prize-one.test", "prize-two.test", "prize-three.test")
    onward = [*(addresses.at(name) for name in names[1:]), addresses.at(FARM, "/offer/0")]
    ways = ("http", "meta", "script")
    for name, way, to in zip(names, ways, onward, strict=True):
        yield Site(name=name, sheets={"/": _door(way, to)})


def _ring(addresses: Addresses) -> Iterable[Site]:
    """Two names that lead to each other for ever."""
    for name, other in (("round-one.test", "round-two.test"), ("round-two.test", "round-one.test")):
        yield Site(name=name, sheets={"/": _door("http", addresses.at(other))})


def guest_book(addresses: Addresses, sites: Iterable[Site]) -> str:
    """What is left of an honest guest book: links to all of them."""
    return "".join(
        f"<p>Nice site! {link(addresses.at(site.name), site.name)}</p>\n"
        for site in sites
        if site.name != FARM
    )


def servers(prose: Prose) -> Mapping[str, str]:
    """The name server of each of these domains; the farm's are with an ordinary provider."""
    names = [f"{name}.test" for name in prose.texts["parked"]["names"]]
    known, unknown = names[:2], names[2:]
    return dict.fromkeys(known, KNOWN_PARKING) | dict.fromkeys(unknown, PARKING)
