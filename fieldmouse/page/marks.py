"""Marks: bits that say in which elements a text stands, by their names, classes, ids and roles."""

import re
import struct
from functools import lru_cache

# Bits for the elements around a text.
NAV, HEADER, FOOTER, ASIDE, FORM, ARTICLE, MAIN, GOOD, BAD, REMARK, LIST, TABLE, DEAD, LINK = (
    1 << bit for bit in range(14)
)
DECLARED = 1 << 14  # an advertisement or a consent banner by its own class or id
EDGE = 1 << 15  # menu, page header, footer or box beside the text
MENU = 1 << 16  # only menus, breadcrumbs, pagers, footers and comments: a narrower list than `NAV`
CONTROL = 1 << 17  # a button, a selection or a text field
PRE = 1 << 18  # preformatted
ALT = 1 << 19  # of a block: its text is the `alt` of images, or what a button of type `input` shows
ROLE = 1 << 20  # in an inline element that is a block by its role

BY_NAME = {
    b"nav": NAV | EDGE | MENU, b"menu": NAV | EDGE | MENU, b"header": HEADER, b"footer": FOOTER | EDGE | MENU,
    b"aside": ASIDE | EDGE, b"form": FORM, b"article": ARTICLE, b"main": MAIN, b"ul": LIST, b"ol": LIST,
    b"table": TABLE, b"fieldset": FORM, b"label": FORM, b"map": NAV, b"dialog": ASIDE | EDGE,
    b"button": CONTROL, b"option": CONTROL,
    b"textarea": CONTROL | EDGE | PRE, b"pre": PRE, b"listing": PRE, b"xmp": PRE, b"plaintext": PRE,
}  # fmt: skip

SELECTOR_BYTES = 24

# Roles that make generic elements what others are by their name, and the marks of landmarks.
BY_ROLE = {
    b"table": b"table", b"grid": b"table", b"treegrid": b"table", b"rowgroup": b"tbody", b"row": b"tr",
    b"cell": b"td", b"gridcell": b"td", b"columnheader": b"th", b"rowheader": b"th", b"list": b"ul",
    b"feed": b"ul", b"listitem": b"li", b"heading": b"h2", b"navigation": b"nav", b"menubar": b"nav",
    b"banner": b"header", b"contentinfo": b"footer", b"complementary": b"aside", b"main": b"main",
    b"article": b"article",
}  # fmt: skip
LANDMARKS = frozenset(b"nav header footer aside main article".split())
GENERIC = frozenset({b"div", b"span", b"section"})  # and elements with names of their own

# Common parts of classes, ids and roles. A slash stands where no letter may stand, and before a word no
# digit: names made by a build, as `c0ad2`, have all kinds of words in them. `post!ed` is `post` that `ed`
# does not follow.
_PARTS = {
    NAV: "nav menu crumb pager pagination toolbar tab/ tabs/ skip toc/ sitemap directory",
    GOOD: "article content entry post!ed story text!area body main!tain blog column prose copy!right "
    "document",
    BAD: "/ad/ /ads/ advert banner sponsor promo popup modal cookie consent share social related recommend "
    "widget side/ sidebar rail subscri newsletter login signin search copyright legal outbrain taboola "
    "mostread most-read popular trending tag/ tags/ hidden disclaim meta/ byline tools toolbox button rating "
    "print email rss /feed teaser more/ poll survey",
    REMARK: "comment disqus reply replies respond discuss remark trackback pingback forum",
    HEADER: "header masthead logo /top/",
    FOOTER: "foot bottom colophon",
}
_COOKIES = " ".join(f"/cookie{sign}{one}/" for sign in ("", "-", "_") for one in
                    ("banner", "notice", "bar", "law", "popup", "consent"))  # fmt: skip
# Words of classes and ids; `cookieBanner` is read as `cookie-banner`.
_WORDS = {
    DECLARED: "/ad/ /ads/ /advert/ /adverts/ /advertis /sponsor/ /sponsors/ /sponsored/ /adsbygoogle/ /gdpr/ "
    "/consent/ " + _COOKIES,
    EDGE: "/menu/ /nav/ /navbar/ /navigation/ /header/ /masthead/ /footer/ /breadcrumb/ /breadcrumbs/ "
    "/sidebar/ /cart/ /newsletter/ /popup/ /modal/ /banner/ /carousel/",
    MENU: "/nav/ /navbar/ /navigation/ /menu/ /breadcrumb/ /breadcrumbs/ /pagination/ /pager/ /foot/ "
    "/footer/ /comment/ /comments/ /disqus/",
}
_DIGIT_RUN = re.compile(rb"[0-9]+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _pattern(parts: str) -> re.Pattern[str]:
    found = []
    for part in parts.split():
        word, _, other = part.strip("/").partition("!")
        before, after = "(?<![a-z0-9])" * part.startswith("/"), "(?![a-z])" * part.endswith("/")
        found.append(before + re.escape(word) + after + (f"(?!{other})" if other else ""))
    return re.compile("|".join(found))


def _packed() -> bytes:
    """All parts and words, for C: flags, length and bytes of each, of what must not follow, and its mark."""
    found = []
    for whole, table in ((0, _PARTS), (4, _WORDS)):
        for mark, parts in table.items():
            for part in parts.split():
                word, _, other = part.strip("/").partition("!")
                flags = part.startswith("/") | part.endswith("/") << 1 | whole
                found.append(struct.pack("<BB", flags, len(word)) + word.encode())
                found.append(struct.pack("<B", len(other)) + other.encode() + struct.pack("<I", mark))
    return b"".join(found)


PACKED = _packed()
_PART_PATTERNS = [(_pattern(parts), mark) for mark, parts in _PARTS.items()]
_WORD_PATTERNS = [(_pattern(parts), mark) for mark, parts in _WORDS.items()]


@lru_cache(10_000)
def word_marks(names: bytes) -> int:
    """The marks for the words in a tag's class and id, and after a zero byte in its role and itemprop."""
    text = names.decode("latin-1")
    places, small = _HUMP.sub("-", text.partition("\0")[0]).lower(), text.lower()
    marks = 0
    for pattern, mark in _PART_PATTERNS:
        if pattern.search(small):
            marks |= mark
    for pattern, mark in _WORD_PATTERNS:
        if pattern.search(places):
            marks |= mark
    return marks


def role_name(role: bytes, level: bytes) -> bytes:
    """The name of the element that a role stands for; empty if for none."""
    called = BY_ROLE.get(b"".join(role.lower().split()[:1]), b"")
    return b"h1" if called == b"h2" and level.strip() == b"1" else called


def tag_marks(found: dict[bytes, bytes]) -> int:
    """The marks for the words of a start tag, by its attributes."""
    names = b"%s %s\0%s %s" % tuple(found.get(one, b"") for one in (b"class", b"id", b"role", b"itemprop"))
    return word_marks(names) if len(names) > 3 else 0


def selector(name: bytes, found: dict[bytes, bytes]) -> str:
    """`tag#id`, `tag.class` or `tag`, with runs of digits as 0."""
    for sign, words in ((b"#", found.get(b"id", b"").split()), (b".", found.get(b"class", b"").split())):
        if words:
            name += sign + _DIGIT_RUN.sub(b"0", words[0])[:SELECTOR_BYTES]
            break
    return name.decode("utf-8", "replace")


def class_checksum(classes: bytes) -> int:
    """A number for the classes of an element; 0 for none."""
    found = 0
    for one in classes:
        found = (found ^ one) * 16777619 & 0xFFFFFFFF
    return found
