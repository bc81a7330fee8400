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

BY_NAME = {
    b"nav": NAV | EDGE | MENU, b"menu": NAV | EDGE | MENU, b"header": HEADER, b"footer": FOOTER | EDGE | MENU,
    b"aside": ASIDE | EDGE, b"form": FORM, b"article": ARTICLE, b"main": MAIN, b"ul": LIST, b"ol": LIST,
    b"table": TABLE, b"fieldset": FORM, b"label": FORM, b"map": NAV, b"dialog": ASIDE | EDGE,
    b"button": CONTROL | EDGE, b"select": CONTROL | EDGE, b"option": CONTROL | EDGE,
    b"textarea": CONTROL | EDGE | PRE, b"pre": PRE, b"listing": PRE, b"xmp": PRE, b"plaintext": PRE,
}  # fmt: skip

# Common parts of classes, ids and roles. A slash stands where no letter may stand; `post!ed` is `post` that
# `ed` does not follow.
_PARTS = {
    NAV: "nav menu crumb pager pagination toolbar tab/ tabs/ skip toc/ sitemap directory",
    GOOD: "article content entry post!ed story text!area body main!tain blog column prose copy!right "
    "document",
    BAD: "/ad/ /ads/ advert banner sponsor promo popup modal cookie consent share social related recommend "
    "widget side/ sidebar rail subscri newsletter login signin search copyright legal outbrain taboola "
    "mostread most-read popular trending tag/ tags/ hidden disclaim meta/ byline tools toolbox button rating "
    "print email rss feed teaser more/ poll survey",
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
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


def _pattern(parts: str) -> re.Pattern[str]:
    found = []
    for part in parts.split():
        word, _, other = part.strip("/").partition("!")
        before, after = "(?<![a-z])" * part.startswith("/"), "(?![a-z])" * part.endswith("/")
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
