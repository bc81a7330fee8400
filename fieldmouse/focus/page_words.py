"""A page as the guide reads it: its words once, and which of its links stand where in them."""

from typing import NamedTuple

from fieldmouse.page.read import Facts
from fieldmouse.page.word_positions import cut, small_text
from fieldmouse.types import Href

TITLE_CHARS = 300


class PageText(NamedTuple):
    """What a page says."""

    title: str
    said: bytes  # words in small letters and marks of links, see `page.cutting`


class PageWords(NamedTuple):
    """A page, cut into words."""

    text: PageText
    hrefs: list[Href]  # of the links that are marked, in their order


def page_text(text: str) -> PageText:
    """What a text says whose first line is its title."""
    return PageText(text.partition("\n")[0][:TITLE_CHARS], small_text(text))


def page_words(content: bytes, facts: Facts) -> PageWords:
    """Read a page."""
    hrefs = [one for one in facts.hrefs if one.kind in ("a", "area")]
    said = cut(content, facts.index, facts.charset, [one.tag for one in hrefs])
    return PageWords(PageText(facts.title, said), hrefs)
