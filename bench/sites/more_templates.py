"""Site templates to make rules on: boxes that look like facts, names that say nothing, tables in tables."""

# ruff: noqa: E501 -- HTML stands here as it is served

import zlib
from collections.abc import Sequence

from .content import Entry
from .markup import Box, Template


class Glossary(Template):
    """Boxes are terms with descriptions, each in a list of its own; facts are one list."""

    shape = "dl"

    def box(self, box: Box) -> str:
        """A term and what belongs to it."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<dt>{self.shared(box.title)}</dt>" if box.title else ""
        return f'<div class="panel"><dl>{title}' + "".join(f"<dd>{one}</dd>" for one in lines) + "</dl></div>"

    def page(self, body: str) -> str:
        """Columns in blocks."""
        view = self.view
        menu = "".join(f"<dd>{one}</dd>" for one in self.links(view.nav))
        side = "".join(f"<dd>{one}</dd>" for one in self.links(view.side))
        return f"""<!DOCTYPE html>
<html lang="{view.language}"><head>{self.head()}</head><body>{self.slot("top")}
<div class="top"><a href="/">{self.shared(view.site)}</a> {self.shared(view.tagline)}</div><dl class="menu">{menu}</dl>
<div class="middle">{body}{self.slot("after")}</div>
<div class="beside"><dl>{side}</dl>{self.slot("side")}</div>
<div class="bottom">{" ".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div>
</body></html>
"""


class Portal(Template):
    """Tables in tables: boxes have a heading row, or the heading in the first cell of the only row."""

    def name(self, role: str) -> str:
        """Names for facts only."""
        return f' class="{role}"' if role in ("facts", "list") else ""

    def entries(self, items: Sequence[Entry]) -> str:
        """Rows."""
        return "<table>" + "\n".join(map(self.entry, items)) + "</table>"

    def entry(self, one: Entry) -> str:
        """A row with a bullet, then everything."""
        inner = f'<a href="{self.href(one.title)}">{self.own(one.title)}</a>'
        inner += f"<br>{self.own(one.teaser)}" if one.teaser else ""
        inner += "".join(f"<br>{self.own(label)}: {self.own(cell.text)}" for label, cell in one.details)
        return f"<tr><td>&bull;</td><td>{inner}</td></tr>"

    def box(self, box: Box) -> str:
        """A table; by its name upright or in one row."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        if zlib.crc32(f"{self.seed}{box.name}".encode()) % 2:
            title = f"<th>{self.shared(box.title)}</th>" if box.title else ""
            return f"<table><tr>{title}" + "".join(f"<td>{one}</td>" for one in lines) + "</tr></table>"
        title = f"<tr><th>{self.shared(box.title)}</th></tr>" if box.title else ""
        return f"<table>{title}" + "".join(f"<tr><td>{one}</td></tr>" for one in lines) + "</table>"

    def page(self, body: str) -> str:
        """Three columns."""
        view = self.view
        nav = "".join(f"<tr><td>{one}</td></tr>" for one in self.links(view.nav))
        side = "".join(f"<tr><td>{one}</td></tr>" for one in self.links(view.side))
        return f"""<html><head>{self.head()}</head><body>{self.slot("top")}
<table><tr><td colspan=3>{self.shared(view.site)} {self.shared(view.tagline)}</td></tr>
<tr><td><table>{nav}</table>{self.slot("side")}</td><td>{body}{self.slot("after")}</td><td><table>{side}</table></td></tr>
<tr><td colspan=3>{" | ".join(self.links(view.foot))}{self.slot("foot")}<br>{self.shared(view.copyright)}</td></tr></table></body></html>
"""


class Utility(Template):
    """Classes that say how it looks: many things have the same ones."""

    shape = "divs"

    def name(self, role: str) -> str:
        """One of six looks."""
        looks = ("flex items-center", "p-4", "mb-2 text-sm", "grid gap-2", "rounded border", "w-full")
        return f' class="{looks[zlib.crc32(f"{self.seed}{role}".encode()) % 6]}"'

    def paragraph(self, inner: str) -> str:
        """A block."""
        return f"<div{self.name('p')}>{inner}</div>"

    def blocks(self, rows: Sequence[tuple[str, str]]) -> str:
        """Two blocks in a block."""
        inner = "".join(
            f"<div{self.name('row')}><div>{self.own(one)}</div><div>{self.own(two)}</div></div>"
            for one, two in rows
        )
        return f"<div{self.name('rows')}>{inner}</div>"

    def grid(self, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
        """Blocks in blocks."""
        inner = "".join(
            f"<div{self.name('tr')}>" + "".join(f"<div>{self.own(one)}</div>" for one in row) + "</div>"
            for row in (columns, *rows)
        )
        return f"<div{self.name('table')}>{inner}</div>"

    def entries(self, items: Sequence[Entry]) -> str:
        """Blocks."""
        return f"<div{self.name('list')}>" + "".join(map(self.entry, items)) + "</div>"

    def entry(self, one: Entry) -> str:
        """A block."""
        inner = f'<a href="{self.href(one.title)}">{self.own(one.title)}</a>'
        inner += f"<div>{self.own(one.teaser)}</div>" if one.teaser else ""
        inner += self.blocks([(label, cell.text) for label, cell in one.details]) if one.details else ""
        return f"<div{self.name('item')}>{inner}</div>"

    def bullets(self, items: Sequence[str], *, ordered: bool) -> str:  # noqa: ARG002
        """Blocks."""
        inner = "".join(f"<div>{self.own(one)}</div>" for one in items)
        return f"<div{self.name('bullets')}>{inner}</div>"

    def box(self, box: Box) -> str:
        """A title and lines, all blocks."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f"<div>{self.shared(box.title)}</div>" if box.title else ""
        return (
            f"<div{self.name('box')}>{title}<div>"
            + "".join(f"<div>{one}</div>" for one in lines)
            + "</div></div>"
        )

    def page(self, body: str) -> str:
        """Blocks."""
        view = self.view
        nav = "".join(f"<div>{one}</div>" for one in self.links(view.nav))
        side = "".join(f"<div>{one}</div>" for one in self.links(view.side))
        return f"""<!DOCTYPE html><html lang="{view.language}"><head>{self.head()}</head><body><div id="app">{self.slot("top")}
<div{self.name("bar")}><div>{self.shared(view.site)}</div>{nav}</div>
<div{self.name("cols")}><div{self.name("wide")}>{body}{self.slot("after")}</div><div{self.name("rail")}>{side}{self.slot("side")}</div></div>
<div{self.name("end")}>{"".join(self.links(view.foot))}{self.slot("foot")}<div>{self.shared(view.copyright)}</div></div></div></body></html>
"""


class Panels(Template):
    """Panels with a head and a body for everything: content, facts, boxes."""

    def heading(self, text: str, level: int) -> str:
        """The head of a panel."""
        html = f'<div class="panel"><div class="panel-head">{self.own(text)}</div></div>'
        return html + self.slot("head") if level == 1 else html

    def pairs(self, rows: Sequence[tuple[str, str]], shape: str) -> str:
        """Lines of a panel: the label, then the value in a span."""
        if shape == "dl":
            return super().pairs(rows, shape)
        inner = "".join(
            f'<div class="line">{self.own(one)} <span class="tag">{self.own(two)}</span></div>'
            for one, two in rows
        )
        return f'<div class="panel"><div class="panel-body">{inner}</div></div>'

    def entry(self, one: Entry) -> str:
        """A panel."""
        inner = f'<div class="panel-head"><a href="{self.href(one.title)}">{self.own(one.title)}</a></div>'
        inner += f'<div class="panel-body">{self.own(one.teaser)}</div>' if one.teaser else ""
        inner += "".join(
            f'<div class="line">{self.own(label)} <span class="tag">{self.own(cell.text)}</span></div>'
            for label, cell in one.details
        )
        return f'<div class="panel">{inner}</div>'

    def entries(self, items: Sequence[Entry]) -> str:
        """Panels."""
        return "\n".join(map(self.entry, items))

    def box(self, box: Box) -> str:
        """A panel like any other."""
        lines = self.links(box.lines) if box.linked else [self.shared(one) for one in box.lines]
        title = f'<div class="panel-head">{self.shared(box.title)}</div>' if box.title else ""
        inner = "".join(f'<div class="line">{one}</div>' for one in lines)
        return f'<div class="panel">{title}<div class="panel-body">{inner}</div></div>'

    def page(self, body: str) -> str:
        """A wide column and a narrow one."""
        view = self.view
        nav = "".join(f"<li>{one}</li>" for one in self.links(view.nav))
        side = "".join(f'<div class="line">{one}</div>' for one in self.links(view.side))
        return f"""<!DOCTYPE html><html lang="{view.language}"><head>{self.head()}</head><body>{self.slot("top")}
<div class="bar"><a href="/">{self.shared(view.site)}</a><ul>{nav}</ul></div>
<div class="wide">{body}{self.slot("after")}</div><div class="narrow"><div class="panel">{side}</div>{self.slot("side")}</div>
<div class="end">{" ".join(self.links(view.foot))}{self.slot("foot")}<p>{self.shared(view.copyright)}</p></div></body></html>
"""
