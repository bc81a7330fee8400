"""The moulds that the larger hosts pour their pages into: the furniture of a site, written by hand.

A page is a list of parts. What the mould writes by itself (head, menu with the current item marked, the
column of a section, foot) is its template; what is filled in (title, text, dates, an advertisement) is the
page's own. So for every page it is known, byte for byte, what a template should be found to be.
"""

import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from html import escape

from .sheets import Part, Sheet, link, listing

Links = tuple[tuple[str, str], ...]  # address, text


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """What one page has to say."""

    path: str
    title: str
    texts: Iterable[str] = ()
    more: str = ""  # HTML after the text
    head: str = ""
    section: str = ""
    date: str = "2024-04-30"
    layout: str = "story"  # story, index or plain


@dataclass(frozen=True, slots=True, kw_only=True)
class Mould:
    """The furniture of one host, in three layouts; an advertisement is drawn for each page."""

    title: str
    slogan: str
    menu: Links
    sections: Mapping[str, Links] = field(default_factory=dict)  # what the column of a section leads to
    adverts: tuple[str, ...] = ()

    def sheet(self, text: Text) -> Sheet:
        """A page, poured."""
        middle = {"story": self._story, "index": self._index, "plain": self._plain}[text.layout]
        parts = [*self._top(text), *middle(text), *self._bottom(text)]
        return Sheet(body="".join(one.text for one in parts).encode(), parts=tuple(parts))

    def _top(self, text: Text) -> Iterable[Part]:
        yield fixed('<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>')
        yield own(f"{escape(text.title)} - {escape(self.title)}")
        yield fixed(
            '</title>\n<meta name="viewport" content="width=device-width">\n'
            "<style>body { max-width: 60em; margin: auto } .here { font-weight: bold }</style>\n"
        )
        yield own(text.head)
        yield fixed(
            f'</head>\n<body class="{text.layout}">\n<header class="masthead">\n<div class="logo">'
            f'{escape(self.title)}</div>\n<p class="slogan">{escape(self.slogan)}</p>\n'
            '<form class="search" action="/search"><label>Search <input name="q"></label></form>\n</header>\n'
            f'<nav class="menu">\n<ul>\n{self._menu(text)}</ul>\n</nav>\n'
        )

    def _menu(self, text: Text) -> str:
        """The item that leads nearest to where one is has a class of its own."""
        here = max((path for path, _ in self.menu if text.path.startswith(path)), key=len, default="")
        return "".join(
            f"<li{' class=here' if path == here else ''}>{link(path, name)}</li>\n"
            for path, name in self.menu
        )

    def _story(self, text: Text) -> Iterable[Part]:
        yield fixed(f'<div class="crumbs">{link("/", "Start")} &gt; <span class="section">')
        yield own(escape(text.section or "Everything"))
        yield fixed('</span></div>\n<div class="columns">\n<main class="text">\n<h1>')
        yield own(escape(text.title))
        yield fixed('</h1>\n<p class="tools">Read aloud | Larger print</p>\n')
        yield own(paragraphs(text.texts) + text.more)
        yield fixed("</main>\n")
        yield from self._column(text)
        yield fixed("</div>\n")

    def _index(self, text: Text) -> Iterable[Part]:
        yield fixed('<div class="wide">\n<h1 class="banner">')
        yield own(escape(text.title))
        yield fixed('</h1>\n<div class="contents">\n')
        yield own(paragraphs(text.texts) + text.more)
        yield fixed("</div>\n</div>\n")
        yield from self._advert(text)

    def _plain(self, text: Text) -> Iterable[Part]:
        yield fixed('<article class="plain">\n<h1 class="plain">')
        yield own(escape(text.title))
        yield fixed("</h1>\n")
        yield own(paragraphs(text.texts) + text.more)
        yield fixed("</article>\n")

    def _column(self, text: Text) -> Iterable[Part]:
        """What stands beside a story: the same for all pages of a section, but for the advertisement."""
        links = self.sections.get(text.section, ())
        head = f"More in {escape(text.section)}" if text.section else "More"
        yield fixed(f'<aside class="column">\n<h2>{head}</h2>\n{listing(links)}')
        yield from self._advert(text)
        yield fixed(
            f'<div class="box"><h3>{escape(self.title)}</h3>\n<p>{escape(self.slogan)}</p></div>\n</aside>\n'
        )

    def _advert(self, text: Text) -> Iterable[Part]:
        if self.adverts:
            drawn = self.adverts[zlib.crc32(text.path.encode()) % len(self.adverts)]
            yield fixed('<div class="advert"><small>Advertisement</small>\n<p>')
            yield own(escape(drawn))
            yield fixed("</p></div>\n")

    def _bottom(self, text: Text) -> Iterable[Part]:
        yield fixed('<footer class="foot">\n<p>Last changed on ')
        yield own(f"<time datetime={text.date}>{text.date}")
        yield fixed("</time></p>\n<ul>\n")
        yield fixed("".join(f"<li>{link(path, name)}</li>\n" for path, name in self.menu[:3]))
        yield fixed(
            f"</ul>\n<small>{escape(self.title)}, Saltmouth. A town that does not exist.</small>\n"
            "</footer>\n</body>\n</html>\n"
        )


def fixed(text: str) -> Part:
    """What the mould says."""
    return Part(text, fixed=True)


def own(text: str) -> Part:
    """What the page says."""
    return Part(text, fixed=False)


def paragraphs(texts: Iterable[str]) -> str:
    """Paragraphs."""
    return "".join(f"<p>{escape(text)}</p>\n" for text in texts)
