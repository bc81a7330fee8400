"""For people: a page with its template greyed out next to its content, and figures of a host.

The view shows the page's source as text. Nothing of the page is run, loaded or linked; a content security
policy forbids it too.
"""

import html
from collections.abc import Iterable
from dataclasses import dataclass

from fieldmouse.page.charset import decode
from fieldmouse.page.tokens import Document

from .page_packing import Dictionary, Packer
from .strip import Stripped, Stripper
from .template import Templates

MAX_SHOWN = 2_000_000  # bytes of a page's source

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ margin: 0; font: 15px/1.5 system-ui, sans-serif; color: #222; background: #fff }}
header {{ padding: .6rem 1rem; border-bottom: 1px solid #ccc; overflow-wrap: anywhere }}
main {{ display: grid; grid-template-columns: 1fr 1fr; gap: 1rem; padding: 1rem }}
section {{ min-width: 0 }} h2 {{ font-size: 1rem; margin: 0 0 .5rem }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: 12px/1.45 monospace }}
.t {{ color: #8a8a8a; background: #f1f1f1 }} .k {{ background: #e3f4e1 }}
@media (max-width: 50rem) {{ main {{ grid-template-columns: 1fr }} }}
</style></head><body>
<header><strong>{title}</strong><br>{summary}</header>
<main><section><h2>Source; template in grey, content in green</h2><pre>{source}</pre></section>
<section><h2>Content</h2>{content}{facts}</section></main>
</body></html>
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class HostFigures:
    """How much of some pages of a host is template, and their size in compact storage."""

    templates: int
    template_bytes: int  # of all templates together
    pages: int
    templated: int  # pages that have a template
    bytes: int  # of all pages
    shared_bytes: int  # of these, those that belong to a template
    packed_bytes: int  # of the pages, packed with the dictionary


def figures(templates: Templates, dictionary: Dictionary, pages: Iterable[Document]) -> HostFigures:
    """Measure the pages of a host."""
    stripper, packer = Stripper(templates), Packer(dictionary)
    count = templated = size = shared = 0
    packed = 0
    for document in pages:
        page = stripper.strip(document)
        count += 1
        templated += page.template >= 0
        size += len(document.content)
        shared += page.template_bytes
        packed += len(packer.pack(document.content))
    return HostFigures(
        templates=len(templates.all),
        template_bytes=sum(one.size for one in templates.all),
        pages=count,
        templated=templated,
        bytes=size,
        shared_bytes=shared,
        packed_bytes=packed,
    )


def side_by_side(page: Stripped, title: str) -> str:
    """An HTML page: the source with the template in grey on the left, the content on the right."""
    total = len(page.tokens.body) or 1
    summary = f"{len(page.tokens):,} tokens, {total:,} bytes, {page.template_bytes / total:.0%} template"
    if page.template >= 0:
        summary += f" (template {page.template}, of which the page has {page.matched:.0%})"
    kept = page.main_tokens
    source: list[str] = []
    mark, run = "", bytearray()
    for place, shared in enumerate(page.shared):
        if page.tokens.starts[place] > MAX_SHOWN:
            break
        new = "k" if place in kept else "t" if shared else ""
        if new != mark:
            source.append(_span(mark, bytes(run), page.tokens.codec))
            mark, run = new, bytearray()
        run += page.tokens.raw(place)[:MAX_SHOWN]
    source.append(_span(mark, bytes(run), page.tokens.codec))
    if page.tokens.starts[-1] > MAX_SHOWN:
        source.append("\n… cut here")
    lines = "".join(f"<p>{html.escape(one)}</p>\n" for one in page.text().split("\n") if one)
    return _PAGE.format(
        title=html.escape(title),
        summary=html.escape(summary),
        source="".join(source),
        content=lines,
        facts=_fact_table(page),
    )


def _fact_table(page: Stripped) -> str:
    rows = "".join(
        f"<tr><th>{html.escape(fact.label)}</th><td>{html.escape(fact.value)}</td></tr>\n"
        for fact in page.facts
    )
    return f"<h2>Facts</h2><table>{rows}</table>" if rows else ""


def _span(mark: str, raw: bytes, codec: str) -> str:
    text = html.escape(decode(raw, codec).replace("\0", "\ufffd"))
    return f'<span class="{mark}">{text}</span>' if mark and text else text
