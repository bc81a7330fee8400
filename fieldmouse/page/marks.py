"""Marks: bits that say in which elements a text stands, by their names, classes, ids and roles."""

import re
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
ALT = 1 << 19  # of a block: its text is the `alt` of images only

BY_NAME = {
    b"nav": NAV | EDGE | MENU, b"menu": NAV | EDGE | MENU, b"header": HEADER, b"footer": FOOTER | EDGE | MENU,
    b"aside": ASIDE | EDGE, b"form": FORM, b"article": ARTICLE, b"main": MAIN, b"ul": LIST, b"ol": LIST,
    b"table": TABLE, b"fieldset": FORM, b"label": FORM, b"map": NAV, b"dialog": ASIDE | EDGE,
    b"button": CONTROL | EDGE, b"select": CONTROL | EDGE, b"option": CONTROL | EDGE,
    b"textarea": CONTROL | EDGE | PRE, b"pre": PRE, b"listing": PRE, b"xmp": PRE, b"plaintext": PRE,
}  # fmt: skip

# Common words in classes, ids and roles.
_WORDS = (
    (re.compile(
        r"nav|menu|breadcrumb|crumb|pag(?:er|ination)|toolbar|tabs?(?![a-z])|skip|toc(?![a-z])|sitemap|directory"
    ), NAV),
    (re.compile(
        r"article|content|entry|post(?!ed)|story|text(?!area)|body|main(?!tain)|blog|column|prose|copy(?!right)"
        r"|document"
    ), GOOD),
    (re.compile(
        r"(?:^|[^a-z])ads?(?![a-z])|advert|banner|sponsor|promo|popup|modal|cookie|consent|share|social|related"
        r"|recommend|widget|side(?:bar)?(?![a-z])|sidebar|rail|subscri|newsletter|login|signin|search|copyright"
        r"|legal|outbrain|taboola|most-?(?:read|popular)|popular|trending|tags?(?![a-z])|hidden|disclaim"
        r"|meta(?![a-z])|byline|tool(?:s|box)|button|rating|print|email|rss|feed|teaser|more(?![a-z])|poll|survey"
    ), BAD),
    (re.compile(r"comment|disqus|repl(?:y|ies)|respond|discuss|remark|trackback|pingback|forum"), REMARK),
    (re.compile(r"header|masthead|logo|(?:^|[^a-z])top(?![a-z])"), HEADER),
    (re.compile(r"foot|bottom|colophon"), FOOTER),
)  # fmt: skip
# Whole words in classes and ids.
_WHOLE_WORDS = (
    (re.compile(
        r"(?<![a-z])(?:ads?|adverts?|advertis[a-z]*|sponsor(?:ed|s)?|adsbygoogle|gdpr|consent"
        r"|cookie[-_]?(?:banner|notice|bar|law|popup|consent))(?![a-z])"
    ), DECLARED),
    (re.compile(
        r"(?<![a-z])(?:menu|nav|navbar|navigation|header|masthead|footer|breadcrumbs?|sidebar|cart|newsletter|popup"
        r"|modal|banner|carousel)(?![a-z])"
    ), EDGE),
    (re.compile(
        r"(?<![a-z])(?:nav|navbar|navigation|menu|breadcrumbs?|pagination|pager|foot|footer|comments?|disqus)(?![a-z])"
    ), MENU),
)  # fmt: skip
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(10_000)
def word_marks(names: bytes) -> int:
    """The marks for the words in a tag's class and id, and after a zero byte in its role and itemprop."""
    text = names.decode("latin-1")
    places, small = _HUMP.sub("-", text.partition("\0")[0]).lower(), text.lower()
    marks = 0
    for pattern, mark in _WORDS:
        if pattern.search(small):
            marks |= mark
    for pattern, mark in _WHOLE_WORDS:
        if pattern.search(places):
            marks |= mark
    return marks
