"""What a reader of a page sees."""

import pytest

from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text

from .hostile import GOOD, damaged


def text(page, label="utf-8"):
    facts = read(page, content_type=f"text/html; charset={label}")
    return visible_text(page, facts.index, facts.charset)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<title>T</title><p>one  two\nthree</p>four<br>five", "T\none two three\nfour\nfive"),
        (b"a<b>b</b>c <i>d</i>", "abc d"),
        (b"<td>a</td><td>b</td>", "a b"),
        (b"x<script>no</script><!-- no --><template>n<template>n</template>o</template>y", "x\ny"),
        (b"x<style>no</style>y", "x\ny"),
        (b"<noscript>yes</noscript><textarea>see</textarea><iframe>no</iframe>", "yes\nsee"),
        (b"&lt;p&gt; &amp; caf&eacute;&nbsp;x", "<p> & café x"),
        (b"a < b", "a < b"),
        (b"", ""),
    ],
)  # fmt: skip
def test_visible_text(page, expected):
    assert text(page) == expected


def test_other_encodings():
    for codec in ("koi8-r", "utf-16le"):
        assert text("<p>Мир</p>мир".encode(codec), codec) == "Мир\nмир"


def test_the_words_are_those_of_the_digest():
    """The fast walk and the careful one see the same words."""
    for seed in range(100):
        page = damaged(GOOD, seed).replace(b"&", b"+").replace(b"\0", b"")
        facts = read(page, content_type="text/html; charset=latin1")
        seen = visible_text(page, facts.index, "windows-1252")
        assert (facts.text_bytes == 0) == (not seen)
        if "\xa0" not in page.decode("windows-1252", "replace"):
            assert len(seen) == facts.text_bytes
