"""Two hosts that talk of other things than the sea, bees and cooking: a topic has pages to find."""

from collections.abc import Mapping

from .moulds import Links, Mould, Text
from .prose import Prose
from .sheets import Addresses, Sheet, Site, link, listing

BEES, COOKING = "bees", "cooking"


def bees(addresses: Addresses, prose: Prose) -> Site:
    """The bee-keepers' society."""
    return _society(addresses, prose, "bees", (addresses.at("kitchen", "/cakes/honey-cake"), "Honey cake"))


def kitchen(addresses: Addresses, prose: Prose) -> Site:
    """Recipes of the town."""
    return _society(
        addresses, prose, "kitchen", (addresses.at("bees", "/honey/jars-and-labels"), "About honey")
    )


def www_twin(addresses: Addresses, original: Site) -> Site:
    """The same host under a second name, as many hosts have it: every page is a copy."""
    sheets = {path: _copy(sheet) for path, sheet in original.sheets.items()}
    return Site(name=f"www.{addresses.name(original.name)}", sheets=sheets)


def _copy(sheet: Sheet) -> Sheet:
    return Sheet(body=sheet.body, type=sheet.type, status=sheet.status, headers=sheet.headers, kept=False)


def _society(addresses: Addresses, prose: Prose, name: str, friend: tuple[str, str]) -> Site:
    texts = prose.texts[name]
    pages: dict[str, dict[str, str]] = {
        part["name"]: {f"/{part['name']}/{_slug(title)}": title for title, *_ in part["pages"]}
        for part in texts["parts"]
    }
    mould = _mould(addresses, texts, pages)
    sheets: dict[str, Sheet] = {}
    for part in texts["parts"]:
        for title, *paragraphs in part["pages"]:
            path = f"/{part['name']}/{_slug(title)}"
            more = f"<p>See also: {link(*friend)}</p>\n" if friend and part is texts["parts"][-1] else ""
            said = prose.fill(name + path, *paragraphs)
            sheets[path] = mould.sheet(
                Text(path=path, title=title, texts=said, more=more, section=part["name"], date=part["date"])
            )
        links = listing(pages[part["name"]].items())
        path = f"/{part['name']}/"
        title = part["name"].capitalize()
        sheets[path] = mould.sheet(
            Text(path=path, title=title, texts=[part["about"]], more=links, layout="index")
        )
    contents = listing((f"/{part}/", part.capitalize()) for part in pages)
    home = Text(path="/", title=texts["title"], texts=texts["intro"], more=contents, layout="index")
    return Site(name=name, sheets={"/": mould.sheet(home), **sheets})


def _mould(addresses: Addresses, texts: Mapping[str, str], pages: Mapping[str, Mapping[str, str]]) -> Mould:
    menu: Links = (
        ("/", "Start"),
        *((f"/{part}/", part.capitalize()) for part in pages),
        (addresses.at("www"), "Town hall"),
    )
    sections = {part: tuple(links.items())[:4] for part, links in pages.items()}
    adverts = tuple(texts["adverts"])
    return Mould(title=texts["title"], slogan=texts["slogan"], menu=menu, sections=sections, adverts=adverts)


def _slug(title: str) -> str:
    return "-".join("".join(one if one.isalnum() else " " for one in title.lower()).split())
