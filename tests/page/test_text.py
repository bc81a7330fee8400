"""What a reader of a page sees."""

import pytest

from fieldmouse.page import reference_scanner, tags
from fieldmouse.page.blocks import text_blocks
from fieldmouse.page.charset import octets
from fieldmouse.page.marks import ALT
from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text

from .hostile import GOOD, damaged, soup
from .structured import structured


def text(page, label="utf-8"):
    facts = read(page, content_type=f"text/html; charset={label}")
    return visible_text(page, facts.index, facts.charset)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<title>T</title><p>one  two\nthree</p>four<br>five", "T\none two three\nfour\nfive"),
        (b"a<b>b</b>c <i>d</i>", "abc d"),
        (b"<td>a</td><td>b</td>", "a b"),
        (b"x<script>no</script><!-- no --><template>n<template>n</template>o</template>y", "xy"),
        (b"x <style>no</style>y", "x y"),
        (b"<noscript>no</noscript><textarea>see</textarea><iframe>no</iframe>", "see"),
        (b"<p hidden>no<p>caf\xc3\xa9<br>b <br> c<br><br>d", "caf\u00e9\nb\nc\nd"),
        (b"<title>T <body><p>one<pre>two\n  three</pre>", "T\none\ntwo\n  three"),
        (b"<tr><th>a<td><b>b</b> c<td><p>d<tr><td>e", "a b c\nd\ne"),
        (b"<a href=x><img alt=no></a>", ""),
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


def test_the_words_are_those_of_the_blocks():
    for seed in range(100):
        page = damaged(GOOD, seed)
        facts = read(page, content_type="text/html; charset=latin1")
        blocks = text_blocks(page, facts.index, facts.charset).blocks
        words = [word for one in blocks if not one.marks & ALT for word in one.text.split()]
        assert visible_text(page, facts.index, facts.charset).split() == facts.title.split() + words


@pytest.mark.skipif(len(tags.ENGINES) < 2, reason="built without a compiler")
def test_c_and_python_see_the_same_text():
    for seed in range(200):
        for page in (structured(seed), damaged(GOOD, seed), soup(seed), b"<title>a" + soup(seed)):
            for charset in ("utf-8", "windows-1252", "utf-16-le"):
                index = tags.index(octets(page, charset)[0])
                wanted = visible_text(page, index, charset, reference_scanner)
                assert visible_text(page, index, charset) == wanted
