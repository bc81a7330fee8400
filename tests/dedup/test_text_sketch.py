"""Sketches in C and in Python are equal, for any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.dedup.text_sketch import page_sketch, sketch
from fieldmouse.page import reference_scanner, tags
from fieldmouse.page.charset import text_of
from fieldmouse.page.tokens import Document
from fieldmouse.templates.strip import Stripper

pytestmark = pytest.mark.skipif(len(tags.ENGINES) < 2, reason="built without a compiler")

WORDS = st.one_of(
    st.text("abcXYZ_09", min_size=1, max_size=12),
    st.text("abc", min_size=20, max_size=100),  # three of them are longer than C hashes itself
    st.text("äß日本語¶“”、 ", min_size=1, max_size=8),
    st.text(max_size=5),
)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(WORDS, max_size=120), st.sampled_from([" ", "", ", ", "\n", " "]))
def test_any_text(words, between):
    text = between.join(words)
    assert sketch(text) == sketch(text, reference_scanner)


@pytest.mark.parametrize("size", [*range(15, 30), 4_999, 5_000, 5_001, 5_002, 9_000])
def test_sizes_around_the_limits(size):
    for text in (
        " ".join(f"w{n}" for n in range(size)),
        "".join(chr(0x4E00 + n % 3000) for n in range(size)),
    ):
        assert sketch(text) == sketch(text, reference_scanner)


@pytest.mark.parametrize("block", range(0x80, 0x2400, 0x40))
def test_characters_inside_words(block):
    """Each character of a block stands in a word of its own: a separator makes two of it."""
    text = " ".join(f"w{n}{chr(block + n)}x" for n in range(0x40))
    assert sketch(text) == sketch(text, reference_scanner)


@pytest.mark.parametrize("length", range(1, 40))
def test_words_of_any_length(length):
    text = " ".join(str(n).rjust(length, "x") for n in range(40))
    assert sketch(text) == sketch(text, reference_scanner)
    assert sketch(text)


@pytest.mark.skipif(tags.engine is reference_scanner, reason="needs the part in C")
def test_small_letters_are_those_of_python():
    known = 0
    for code in (*range(1, 0xD800), *range(0xE000, 0x11000)):
        if (small := tags.engine.small_text(chr(code).encode())) is not None:
            known += 1
            assert small.decode() == text_of(chr(code).encode(), "utf-8").lower(), hex(code)
    assert known > 30_000


PIECES = [
    "Straße",
    "ÄÖÜ",
    "ЖИЗНЬ",
    "ΟΔΟΣ",
    "漢字",
    "→",
    "&lt;",
    "&AMP;",
    "&#169;",
    "&eacute;",
    "&nbsp;",
    "&",
    "\0",
    "<b>",
    "A b C",
]


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=60))
@settings(deadline=None, max_examples=200)
def test_the_sketch_of_a_page_is_that_of_its_text(pieces):
    document = Document.of(" ".join(pieces).encode("utf-8", "replace"), "text/html; charset=utf-8")
    tokens = Stripper().strip(document).tokens
    assert page_sketch(tokens, b"", 4000) == page_sketch(tokens, b"", 4000, reference_scanner)
