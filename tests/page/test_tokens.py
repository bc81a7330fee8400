"""Tokens: nothing is lost, and what is the same to a reader has the same key."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page import reference_scanner
from fieldmouse.page.tags import ENGINES, engine
from fieldmouse.page.tokens import (
    MEMO_TAGS,
    Document,
    Keys,
    Kind,
    start_tags,
    tokenise,
)
from fieldmouse.types import Tag, TagIndex
from tests.page.hostile import FRAGMENTS, GOOD, REPEATED, damaged, soup


def cut(content, content_type=""):
    return tokenise(Document.of(content, content_type), Keys())


def raws(content):
    found = cut(content)
    return [found.raw(number) for number in range(len(found))]


def test_tags_and_the_text_between_them():
    found = cut(b"<p>Hi <b>you</b></p>")
    assert [found.raw(i) for i in range(len(found))] == [b"<p>", b"Hi ", b"<b>", b"you", b"</b>", b"</p>"]
    assert list(found.kinds) == [Kind.START, Kind.TEXT, Kind.START, Kind.TEXT, Kind.END, Kind.END]


def test_white_space_goes_with_the_token_before():
    assert raws(b"\n<p>\n  <b>x</b>\n") == [b"\n", b"<p>\n  ", b"<b>", b"x", b"</b>\n"]


def test_scripts_styles_and_comments_are_one_token():
    page = b"<script>if (a < b) <i></script><!-- <p> --><style>p > b</style>"
    assert raws(page) == [
        *(b"<script>", b"if (a < b) <i>", b"</script>", b"<!-- <p> -->"),
        *(b"<style>", b"p > b", b"</style>"),
    ]
    assert list(cut(page).kinds)[1] == Kind.HIDDEN


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b'<A HREF="x" class=y>', b"<a class='y' href=x>"),
        (b'<a  class="b   c">', b"<a class='b c'>"),
        (b'<script nonce="abc">', b"<script nonce=xyz>"),
        (b'<div id="post-12">', b'<div id="post-13">'),
        (b'<input name="csrf_token" csrf-token="a">', b'<input csrf-token="b" name="csrf_token">'),
        (b'<a href="../../index.html">', b'<a href="../index.html">'),
        (b'<meta content="f3a9c27b1d5e4f60a8b7">', b'<meta content="0011223344556677889a">'),
        (b"</P >", b"</p>"),
    ],
)
def test_tags_that_are_the_same(one, other):
    assert engine.tag_key(one) == engine.tag_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (b"<p>", b"</p>"),
        (b"<a href=x>", b"<a href=y>"),
        (b"<div id=menu>", b"<div id=foot>"),
        (b"<b>", b"<br>"),
        (b"<td class=a>", b"<td id=a>"),
    ],
)
def test_tags_that_are_not(one, other):
    assert engine.tag_key(one) != engine.tag_key(other)


def test_keys_are_shared_between_pages():
    keys = Keys()
    first = tokenise(Document.of(b"<p>Some   text</p>"), keys)
    second = tokenise(Document.of(b"<p>\nSome text </p><b>text</b>"), keys)
    assert second.keys[: len(first)] == first.keys
    assert len(keys) == 6
    assert {*second.keys} == {1, 2, 3, 4, 5, 6}


def test_closed_keys_learn_nothing():
    keys = Keys()
    first = tokenise(Document.of(b"<p>text</p>"), keys)
    keys.close()
    second = tokenise(Document.of(b"<p class=x>text</p>other"), keys)
    assert second.keys == [0, *first.keys[1:], 0]
    assert len(keys) == 3


def test_a_text_is_not_a_script_of_the_same_words():
    keys = Keys()
    assert keys.text(b"x") != keys.text(b"x", Kind.HIDDEN)


def test_utf_16_is_cut_in_its_utf_8_form():
    found = cut("<p>Grüße</p>".encode("utf-16"))
    assert b"".join(found.raw(i) for i in range(len(found))) == "<p>Grüße</p>".encode()


@pytest.mark.parametrize(
    "index",
    [
        TagIndex(b"\x01\x02\x03"),
        TagIndex(b""),
        TagIndex(b"\xff" * 40),
        Document.of(b"<p>" * 50).index,
    ],
)
def test_an_index_that_does_not_fit_is_not_believed(index):
    body = b"<p>a</p>"
    assert tokenise(Document(content=body, index=index, charset="utf-8"), Keys()).keys == cut(body).keys


def test_tags_that_overlap_are_not_believed():
    from fieldmouse.page import tags

    index = tags.pack([Tag(0, 6, 1, 1), Tag(3, 4, 1, 1)])
    assert tokenise(Document(content=b"<p>a</p>", index=index, charset="utf-8"), Keys()).starts == [
        0,
        3,
        4,
        8,
    ]


def check_lossless(content):
    found = cut(content)
    assert b"".join(found.raw(i) for i in range(len(found))) == found.body
    assert len(found.kinds) == len(found.keys) == len(found.starts) - 1


@given(st.binary(max_size=300) | st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(b"".join))
@settings(deadline=None, max_examples=200)
def test_nothing_is_lost(content):
    check_lossless(content)


def test_nothing_is_lost_of_damaged_pages():
    for seed in range(200):
        check_lossless(damaged(GOOD, seed))
        check_lossless(soup(seed))


@pytest.mark.parametrize("piece", REPEATED)
def test_time_grows_with_the_page_and_no_faster(piece):
    began = time.process_time()
    check_lossless(piece * (300_000 // len(piece)))
    assert time.process_time() - began < 5


@pytest.mark.parametrize("seed", range(40))
def test_start_tags_are_those_of_the_tokens(seed):
    page = Document.of(soup(seed) if seed % 2 else damaged(GOOD, seed))
    tokens = tokenise(page, Keys())
    starts = {tokens.raw(n).rstrip() for n, kind in enumerate(tokens.kinds) if kind == Kind.START}
    assert tokens.begun == start_tags(page) == starts


def test_numbers_stay_the_same_however_many_tags_are_met_after_closing():
    keys = Keys()
    first = keys.tag(b"<p class=a>")
    keys.close()
    for number in range(MEMO_TAGS + 10):
        assert keys.tag(b"<b class=x%d>" % number) == 0
        assert keys.tag(b"<p class=a>") == first


def both(pages, *, closed=0):
    """Pages one after the other in C and in Python, the keys being closed before the last ones."""
    quick, plain = Keys(), Keys()
    for number, page in enumerate(pages):
        if number == closed:
            quick.close()
            plain.close()
        document = Document.of(page)
        yield tokenise(document, quick), tokenise(document, plain, reference_scanner)
    assert len(quick) == len(plain)


@pytest.mark.skipif(len(ENGINES) < 2, reason="built without a compiler")
@given(
    st.lists(
        st.integers(0, 500).map(soup)
        | st.integers(0, 500).map(lambda seed: damaged(GOOD, seed))
        | st.lists(st.sampled_from((*FRAGMENTS, b"\n ", b"word " * 12)), max_size=40).map(b"".join),
        max_size=6,
    ),
    st.integers(0, 6),
)
@settings(deadline=None, max_examples=200)
def test_tokens_in_c_are_those_in_python(pages, closed):
    for one, other in both(pages, closed=closed):
        assert one == other


@pytest.mark.parametrize(
    "page", [b"", b" ", b"<script>\n </script>", b"a", b"\n<!-- x -->\n", b"<p", b"\x0b<p>\x0b"]
)
def test_white_space_is_the_same_to_both(page):
    for one, other in both([page], closed=1):
        assert one == other


NAMES = (b"id", b"ID", b"for", b"href", b"src", b"Action", b"class", b"data-x", b"aria-y", b"X-Csrf")
SIGNS = (b"=", b"='", b"'", b'"', b" ", b"\n", b"\x0b", b"/", b"../", b"./", b".../", b"a", b"B", b"7", b"-")
VALUES = (b"abcdefghij1234567890", b"abcdefghijklmnopqrst", b"a  b", b"\xc3\xa9", b">")


@pytest.mark.skipif(len(ENGINES) < 2, reason="built without a compiler")
@given(
    st.sampled_from((b"<a ", b"</b ", b"<", b"")),
    st.lists(st.sampled_from((*NAMES, *SIGNS, *VALUES)), max_size=25).map(b"".join),
)
@settings(deadline=None, max_examples=1000)
def test_a_tag_is_known_by_the_same_in_c_and_in_python(head, tail):
    for raw in (head + tail, head + tail + b">"):
        assert engine.tag_key(raw) == reference_scanner.tag_key(raw)
