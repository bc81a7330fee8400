"""Words are found alike by every engine, and as a search for each of them finds them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page import tags
from fieldmouse.page.word_filter import WordFilter

WORDS = (b"ab", b"abc", b"abd", b"ba", b"bca", b"'+'", b"\\x6", b"cab")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text("abcd'+\\x6", max_size=40))
def test_any_text(text):
    body = text.encode()
    for engine in tags.ENGINES:
        assert WordFilter(WORDS).found(body, engine) == {word for word in WORDS if word in body}


@pytest.mark.parametrize("body", [b"", b"a", b"ab", b"xab", b"aba" * 10_000 + b"bc"])
def test_ends(body):
    for engine in tags.ENGINES:
        assert WordFilter(WORDS).found(body, engine) == {word for word in WORDS if word in body}
