"""Lists that are one paragraph: lines parted by `br`, or links in a row, each as a block of its own.

A paragraph with breaks is a list if most of its lines are shorter than a sentence; one without, and a line,
is a list if it is hardly more than links. A first line in an element of its own, such as bold type, or before
the first link, is the title of the others.
"""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from .blocks import PageBlocks, TextBlock
from .charset import text_of
from .text import text_words

# Words of a sentence, and at most of a title. Links that make a list, and their share of the words.
SENTENCE, TITLE, LINKS, LINKED = 12, 6, 3, 0.6

_BREAK = re.compile(rb"<br\b", re.IGNORECASE)
_LINK = re.compile(rb"<(/?)a(?=[\s>])", re.IGNORECASE)
_CLOSED = re.compile(rb"\s*</(?!a\b)[a-z]", re.IGNORECASE)
_BEFORE = 2000  # bytes before a block in which the link may begin that it stands in
_WORD = re.compile(r"\w")


class Line(NamedTuple):
    """Which line of a list in a paragraph a block is."""

    number: int  # from 0
    lines: int  # of the list
    title: str  # of the list; empty without one, and of the title itself


class _Piece(NamedTuple):
    text: str
    spans: list[tuple[int, int]]
    linked: float  # share of its bytes


def lines_apart(page: PageBlocks) -> tuple[PageBlocks, dict[int, Line]]:
    """A page with each line of a list in a paragraph as a block, and which blocks those are."""
    blocks: list[TextBlock] = []
    found: dict[int, Line] = {}
    for block in page.blocks:
        if not block.breaks and len(block.hrefs) < LINKS:
            blocks.append(block)
            continue
        pieces = _lines(page, block) if block.breaks else _links(page, block)
        title = _title(page.body, pieces, by_breaks=bool(block.breaks)) if pieces else ""
        for number, piece in enumerate(pieces):
            found[len(blocks)] = Line(number, len(pieces), title if number else "")
            blocks.append(_block(block, piece))
        if not pieces:
            blocks.append(block)
    return (page._replace(blocks=blocks), found) if found else (page, found)


def _block(block: TextBlock, piece: _Piece) -> TextBlock:
    """A piece of a block as a block."""
    text, words = piece.text, len(text_words(piece.text))
    return block._replace(
        text=text, spans=piece.spans, words=words, linked_words=round(piece.linked * words),
        linked=round(piece.linked * len(text)), size=len(text.encode("utf-8", "replace")), stop=False,
        digits=sum(map(str.isdigit, text)), hrefs=(), breaks=(),
    )  # fmt: skip


def _lines(page: PageBlocks, block: TextBlock) -> list[_Piece]:
    """The lines of a block with breaks; none if they are not a list."""
    texts = [block.text[a:b].strip() for a, b in pairwise((0, *block.breaks, len(block.text)))]
    spans = [[block.spans[0]]] if block.spans else []
    for (_, end), span in pairwise(block.spans):
        if _BREAK.search(page.body, end, span[0]):
            spans.append([])
        spans[-1].append(span)
    if len(spans) != len(texts):  # an image stands in for the text of a line
        return []
    linked = {span: link for span, link in _with_links(page.body, block) if link}
    found: list[_Piece] = []
    sentences = 0
    for text, those in zip(texts, spans, strict=True):
        links = [span for span in those if span in linked]
        share = sum(end - start for start, end in links) / max(sum(end - start for start, end in those), 1)
        line = _Piece(text, those, share)
        row = len({linked[span] for span in links}) >= LINKS and _links(page, _block(block, line))
        found += row or [line]
        sentences += not row and len(text_words(text)) >= SENTENCE
    return found if 2 * sentences < len(texts) else []


def _links(page: PageBlocks, block: TextBlock) -> list[_Piece]:
    """The links of a block and the texts between them, but for signs; none if it is more than links."""
    if 2 * block.linked_words < block.words:  # signs between links are words, too
        return []
    found: list[_Piece] = []
    place, last = 0, -1
    for (start, end), link in _with_links(page.body, block):
        said = re.sub(r"\s+", "", text_of(page.body[start:end], page.codec))
        first = place
        for sign in said:
            while place < len(block.text) and block.text[place].isspace():
                place += 1
            if block.text[place : place + 1] != sign:  # an image stands in for a text
                return []
            place += 1
        text = block.text[first:place]
        if link and link == last:
            text, spans = found[-1].text + text, [*found[-1].spans, (start, end)]
            found[-1] = _Piece(text.strip(), spans, 1.0)
        elif link or _WORD.search(text):
            found.append(_Piece(text.strip(), [(start, end)], float(link > 0)))
        last = link
    links = [len(text_words(one.text)) for one in found if one.linked]
    words = sum(len(text_words(one.text)) for one in found)
    return found if len(links) >= LINKS and sum(links) > LINKED * words else []


def _with_links(body: bytes, block: TextBlock) -> Iterator[tuple[tuple[int, int], int]]:
    """The spans of a block, each with the place of the link it stands in, or 0."""
    link, place = 0, max(block.spans[0][0] - _BEFORE, 0)
    for start, end in block.spans:
        for tag in _LINK.finditer(body, place, start):
            link = 0 if tag[1] else tag.end()
        yield (start, end), link if block.linked_words else 0
        place = end


def _title(body: bytes, pieces: list[_Piece], *, by_breaks: bool) -> str:
    """The first piece, if it stands in an element of its own and others do not; links are no titles."""
    first, *others = pieces
    if first.linked or len(text_words(first.text)) > TITLE:
        return ""
    closed = [bool(_CLOSED.match(body, one.spans[-1][1])) for one in pieces]
    marked = closed[0] and 2 * sum(closed[1:]) <= len(others)
    return first.text if marked or not by_breaks else ""
