"""Sketches in C and in Python are equal, for any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.dedup.text_sketch import sketch
from fieldmouse.page import reference_scanner, tags

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
