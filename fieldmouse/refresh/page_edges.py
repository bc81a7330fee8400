"""Which boxes that are called headers, footers or sidebars hold content of the page."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fieldmouse.page.blocks import Element, TextBlock
from fieldmouse.page.marks import EDGE, FOOTER, HEADER

# Larger shares of linked words make a unit a link.
LINKED = 0.6
# A unit with this many words is a sentence or more.
SENTENCE = 12
# Sentences are most of a page, or of what stands off its edge, with so many words, and this share of them.
PROSE, PROSE_SHARE = 100, 0.5
# Smaller shares of linked words make a header that of an article.
PLAIN = 0.5
# Headers or footers that look alike are those of cards and panels.
REPEATED = 3
SECTION_HEADINGS = frozenset({b"h2", b"h3", b"h4", b"h5", b"h6", b"legend"})
ALL_HEADINGS = SECTION_HEADINGS | {b"h1"}


def content_parts(elements: Sequence[Element], blocks: Sequence[TextBlock]) -> set[int]:
    """The elements whose names say that they are at the edge, but which hold content.

    A page has one header and one footer: those of cards and panels are content. So is the header of an
    article, which has a heading and mostly plain words where that of a site has links, and a box with most of
    the sentences of the page, whatever it is called. A heading that is called a header is a heading.
    """
    named = [n for n, one in enumerate(elements) if one.marks & EDGE]
    if not named:
        return set()
    repeated = Counter(elements[n].selector for n in named if elements[n].marks & (HEADER | FOOTER))
    held = {n: BoxWords() for n in named}
    prose = 0
    for block in blocks:
        plain = block.linked_words <= LINKED * block.words
        said = block.words if block.words >= SENTENCE and plain else 0
        prose += said
        number = block.element if block.marks & EDGE else 0
        heading = plain and elements[number].name in ALL_HEADINGS
        while number:
            if (box := held.get(number)) is not None:
                box.words += block.words
                box.linked += block.linked_words
                box.prose += said
                box.heading |= heading
            number = elements[number].parent
    found = set()
    for n, box in held.items():
        marks, name = elements[n].marks, elements[n].name
        if (
            name in ALL_HEADINGS
            or repeated[elements[n].selector] >= REPEATED
            or (marks & HEADER and box.heading and (box.prose or box.linked <= PLAIN * box.words))
            or (not marks & FOOTER and box.prose >= PROSE and box.prose >= PROSE_SHARE * prose)
        ):
            found.add(n)
    return found


@dataclass(slots=True)
class BoxWords:
    """What an element holds."""

    words: int = 0
    linked: int = 0
    prose: int = 0  # words in sentences
    heading: bool = False  # one that is not linked


def in_parts(elements: Sequence[Element], number: int, inner: set[int]) -> bool:
    """Whether all that puts an element at the edge holds content."""
    while number:
        if elements[number].marks & EDGE and number not in inner:
            return False
        number = elements[number].parent
    return True
