"""Site templates for the part `further`, written before anything was measured on them.

Letters made of tables with labels above their values, forms with outputs and meters, several facts in one
paragraph, text without elements of its own, facts as figures, and a section with a heading for each fact.
"""

# ruff: noqa: E501 -- HTML stands here as it is served

import zlib
from collections.abc import Sequence
from html import escape

from .content import Entry
from .habit_templates import _Directed
from .markup import Box


class Letters(_Directed):
    """A letter: tables in tables, styles in place of names, labels above their values after a break."""

    _CELL = 'style="padding:4px;font-family:Arial,sans-serif" valign="top"'

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """Three facts in a row, each a label, a break and a value."""
        cells = [
            f'<td {self._CELL}><font color="#888888" size="1">{self.own(a)}</font><br><b>{self.own(b)}</b></td>'
            for a, b in rows
        ]
        inner = "\n".join(f"<tr>{''.join(cells[at : at + 3])}</tr>" for at in range(0, len(cells), 3))
        return f'<table width="600" cellpadding="0" cellspacing="0">{inner}</table>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table whose head looks like its rows."""
        inner = "\n".join(
            "<tr>" + "".join(f"<td {self._CELL}>{self.own(one)}</td>" for one in row) + "</tr>"
            for row in (columns, *rows)
        )
        return f'<table width="600" border="1">{inner}</table>'

    def entries(self, items: Sequence[Entry]) -> str:
        """A table for each."""
        return "\n".join(map(self.entry, items))

    def entry(self, one: Entry) -> str:
        """A picture beside lines."""
        facts = "".join(f"<br>{self.own(label)}: {self.own(cell.text)}" for label, cell in one.details)
        text = f"<br>{self.own(one.teaser)}" if one.teaser else ""
        return f'<table width="600"><tr><td width="80"><img src="/t.png" width="80" alt=""></td><td {self._CELL}><a href="{self.href(one.title)}"><b>{self.own(one.title)}</b></a>{text}{facts}</td></tr></table>'

    def box(self, box: Box) -> str:
        """Lines in a cell."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f'<font size="1">{self.shared(box.title)}</font><br>' if box.title else ""
        return f'<table width="600"><tr><td {self._CELL}>{title}{"<br>".join(lines)}</td></tr></table>'

    def page(self, body: str) -> str:
        """One column."""
        view = self.view
        return f"""<html {self.root}><head>{self.head()}</head><body bgcolor="#eeeeee"><table width="100%"><tr><td align="center">{self.slot("top")}
<table width="600"><tr><td {self._CELL}>{self.shared(view.site)}<br><i>{self.shared(view.tagline)}</i></td><td align="right">{" &nbsp; ".join(self.links(view.nav))}</td></tr></table>
<table width="600"><tr><td>{body}</td></tr></table>{self.slot("after")}
<table width="600"><tr><td {self._CELL}>{"<br>".join(self.links(view.side))}</td></tr></table>{self.slot("side")}
<table width="600"><tr><td>{" | ".join(self.links(view.foot))}</td></tr></table>{self.slot("foot")}<font size="1">{self.shared(view.copyright)}</font></td></tr></table></body></html>
"""


class Forms(_Directed):
    """A form that only shows: labels with outputs, meters and data; groups for everything."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A label and an output for each fact."""
        inner = "\n".join(
            f'<p><label for="f{at}">{self.own(a)}</label> <output id="f{at}">{self.own(b)}</output></p>'
            for at, (a, b) in enumerate(rows)
        )
        return f"<fieldset>{inner}</fieldset>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A group for each row; a meter stands before each value."""
        return "\n".join(
            f"<fieldset><legend>{self.own(row[0])}</legend>"
            + "".join(
                f'<div><label>{self.own(name)} <meter min="0" max="9" value="{len(one)}"></meter> <data value="{zlib.crc32(one.encode())}">{self.own(one)}</data></label></div>'
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</fieldset>"
            for row in rows
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """Choices."""
        return "<fieldset>" + "\n".join(map(self.entry, items)) + "</fieldset>"

    def entry(self, one: Entry) -> str:
        """A choice with its facts in small print."""
        facts = "; ".join(f"{self.own(label)} {self.own(cell.text)}" for label, cell in one.details)
        text = f"<div>{self.own(one.teaser)}</div>" if one.teaser else ""
        return f'<div><input type="radio" name="x" value="1"> <a href="{self.href(one.title)}">{self.own(one.title)}</a>{text}<small>{facts}</small></div>'

    def box(self, box: Box) -> str:
        """A group."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<legend>{self.shared(box.title)}</legend>" if box.title else ""
        return f"<fieldset>{title}{''.join(f'<p>{one}</p>' for one in lines)}</fieldset>"


class Runs(_Directed):
    """Everything runs on: several facts, links and notes in one paragraph."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """All facts in one paragraph, or two in each."""
        said = [f"<b>{self.own(a)}:</b> {self.own(b)}" for a, b in rows]
        if shape == "table":
            return "\n".join(f"<p>{' | '.join(said[at : at + 2])}</p>" for at in range(0, len(said), 2))
        return f"<p>{' | '.join(said)}</p>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A paragraph for each row, with the names of the columns in brackets."""
        return "\n".join(
            f"<p><b>{self.own(row[0])}</b> \N{EN DASH} "
            + ", ".join(
                f"{self.own(name)} {self.own(one)}" for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</p>"
            for row in rows
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """Paragraphs."""
        return "\n".join(map(self.entry, items))

    def entry(self, one: Entry) -> str:
        """A headline that runs into its facts."""
        facts = "".join(f", {self.own(label)} {self.own(cell.text)}" for label, cell in one.details)
        text = f" {self.own(one.teaser)}" if one.teaser else ""
        return f'<p><a href="{self.href(one.title)}">{self.own(one.title)}</a>{text}{facts}</p>'

    def box(self, box: Box) -> str:
        """A title and its lines in one run."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<i>{self.shared(box.title)}</i>: " if box.title else ""
        return f"<p>{title}{' | '.join(lines)}</p>"

    def page(self, body: str) -> str:
        """Paragraphs."""
        view = self.view
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body>{self.slot("top")}<p>{" | ".join(self.links(view.nav))}</p><p>{self.shared(view.site)}, {self.shared(view.tagline)}</p>
{body}{self.slot("after")}<p>{" | ".join(self.links(view.side))}</p>{self.slot("side")}<p>{" | ".join(self.links(view.foot))}</p>{self.slot("foot")}<p>{self.shared(view.copyright)}</p></body></html>
"""


class OpenText(_Directed):
    """Text directly in the body, small headings before it, rules between parts."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A small heading, and the value as text of its own."""
        return "\n".join(f"<h5>{self.own(a)}</h5>{self.own(b)}" for a, b in rows) + "<hr>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A small heading for each row, and lines."""
        return "<hr>".join(
            f"<h5>{self.own(row[0])}</h5>"
            + "<br>".join(
                f"{self.own(name)}: {self.own(one)}" for name, one in zip(columns[1:], row[1:], strict=True)
            )
            for row in rows
        )

    def paragraph(self, inner: str) -> str:
        """Text up to two breaks."""
        return f"{inner}<br><br>"

    def entries(self, items: Sequence[Entry]) -> str:
        """Text between rules."""
        return "<hr>".join(map(self.entry, items)) + "<hr>"

    def entry(self, one: Entry) -> str:
        """A link and lines."""
        facts = "".join(f"<br>{self.own(label)}: {self.own(cell.text)}" for label, cell in one.details)
        text = f"<br>{self.own(one.teaser)}" if one.teaser else ""
        return f'<a href="{self.href(one.title)}">{self.own(one.title)}</a>{text}{facts}'

    def box(self, box: Box) -> str:
        """A small heading, and lines."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<h5>{self.shared(box.title)}</h5>" if box.title else "<hr>"
        return f"{title}{'<br>'.join(lines)}"

    def page(self, body: str) -> str:
        """Nothing but the body."""
        view = self.view
        return f"""<html {self.root}><head>{self.head()}</head><body>{self.shared(view.site)} <small>{self.shared(view.tagline)}</small>{self.slot("top")}<hr>{" ".join(f"[{one}]" for one in self.links(view.nav))}<hr>
{body}{self.slot("after")}<hr>{"<br>".join(self.links(view.side))}{self.slot("side")}<hr>{" ".join(self.links(view.foot))}{self.slot("foot")}<hr>{self.shared(view.copyright)}</body></html>
"""


class Gallery(_Directed):
    """Figures with captions for facts, goods and boxes alike."""

    shape = "divs"

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """A figure for each fact: a drawing, the value, and the label as the caption, or the other way round."""
        figures = [
            f'<figure class="stat"><svg width="8"><path d="M0 0"/></svg><strong>{self.own(b)}</strong><figcaption>{self.own(a)}</figcaption></figure>'
            if shape == "divs"
            else f'<figure class="stat"><figcaption>{self.own(a)}</figcaption><blockquote>{self.own(b)}</blockquote></figure>'
            for a, b in rows
        ]
        return f'<div class="gallery">{"".join(figures)}</div>'

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A table in a figure, with its head below it."""
        foot = "".join(f"<th>{self.own(one)}</th>" for one in columns)
        inner = "\n".join(
            f"<tr><th>{self.own(row[0])}</th>"
            + "".join(
                f'<td class="n"><span title="{escape(one)}">{self.own(one)}</span></td>' for one in row[1:]
            )
            + "</tr>"
            for row in rows
        )
        return f"<figure><table><tbody>{inner}</tbody><tfoot><tr>{foot}</tr></tfoot></table></figure>"

    def entries(self, items: Sequence[Entry]) -> str:
        """Figures in a row."""
        return '<div class="gallery">' + "".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A figure that is a link, with its facts in the caption."""
        facts = "".join(
            f"<li>{self.own(label)} <b>{self.own(cell.text)}</b></li>" for label, cell in one.details
        )
        text = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        return f'<figure class="item"><a href="{self.href(one.title)}"><img src="/i.jpg" alt=""></a><figcaption><a href="{self.href(one.title)}">{self.own(one.title)}</a>{text}<ul>{facts}</ul></figcaption></figure>'

    def box(self, box: Box) -> str:
        """A figure."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<figcaption>{self.shared(box.title)}</figcaption>" if box.title else ""
        return f'<figure class="item">{title}{"".join(f"<blockquote>{one}</blockquote>" for one in lines)}</figure>'


class Slides(_Directed):
    """A section with a heading for each fact, and for each box."""

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:  # noqa: ARG002
        """A heading and a large value."""
        return "\n".join(
            f'<section class="slide"><h3>{self.own(a)}</h3><p class="big">{self.own(b)}</p></section>'
            for a, b in rows
        )

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """A section for each row, with a list."""
        return "\n".join(
            f'<section class="slide"><h3>{self.own(row[0])}</h3><ul>'
            + "".join(
                f"<li>{self.own(name)} <em>{self.own(one)}</em></li>"
                for name, one in zip(columns[1:], row[1:], strict=True)
            )
            + "</ul></section>"
            for row in rows
        )

    def entries(self, items: Sequence[Entry]) -> str:
        """Sections."""
        return "\n".join(map(self.entry, items))

    def entry(self, one: Entry) -> str:
        """A section with a linked heading."""
        facts = "".join(
            f'<p class="big">{self.own(label)} {self.own(cell.text)}</p>' for label, cell in one.details
        )
        text = f"<p>{self.own(one.teaser)}</p>" if one.teaser else ""
        return f'<section class="slide"><h3><a href="{self.href(one.title)}">{self.own(one.title)}</a></h3>{text}{facts}</section>'

    def box(self, box: Box) -> str:
        """One more section."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<h3>{self.shared(box.title)}</h3>" if box.title else ""
        return f'<section class="slide">{title}{"".join(f"<p>{one}</p>" for one in lines)}</section>'

    def page(self, body: str) -> str:
        """Sections."""
        view = self.view
        nav = "".join(f"<p>{one}</p>" for one in self.links(view.nav))
        side = "".join(f"<p>{one}</p>" for one in self.links(view.side))
        return f"""<!doctype html><html {self.root}><head>{self.head()}</head><body><div class="deck">{self.slot("top")}<section class="slide"><h3>{self.shared(view.site)}</h3><p>{self.shared(view.tagline)}</p>{nav}</section>
{body}{self.slot("after")}<section class="slide">{side}</section>{self.slot("side")}<section class="slide">{"".join(f"<p>{one}</p>" for one in self.links(view.foot))}<p>{self.shared(view.copyright)}</p></section>{self.slot("foot")}</div></body></html>
"""


FURTHER = {
    "letters": Letters,
    "forms": Forms,
    "runs": Runs,
    "open_text": OpenText,
    "gallery": Gallery,
    "slides": Slides,
}
