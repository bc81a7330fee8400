"""One call reads a page: addresses, facts of the head, counts, and a digest that markup does not move."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page import tags
from fieldmouse.page.charset import text_of, value_of
from fieldmouse.page.head import refresh
from fieldmouse.page.read import read
from fieldmouse.types import Href, TagIndex

from .hostile import GOOD, damaged, soup

steady = settings(max_examples=150, deadline=None, derandomize=True)


@pytest.fixture(params=tags.ENGINES, ids=lambda engine: engine.__name__.rpartition(".")[2])
def reading(request):
    """`read` with each engine in turn."""

    def call(content, *, content_type="", index=None, agent="fieldmouse", leaving=False):
        given = {"content_type": content_type, "index": index, "agent": agent, "leaving": leaving}
        return read(content, **given, engine=request.param)

    return call


def test_a_whole_page(reading):
    facts = reading(GOOD)
    assert [(href.kind, href.value, href.nofollow) for href in facts.hrefs] == [
        ("canonical", "https://example.com/a", False),
        ("next", "2.html", False),
        ("a", "one.html?a=1&b=2", True),
        ("a", "two", False),
        ("a", "three", False),
        ("area", "/area", False),
        ("frame", "frame.html", False),
        ("a", "t", False),
        ("a", "mailto:you@example.org", False),
        ("refresh", "b", False),
    ]
    assert (facts.base, facts.title, facts.language, facts.charset) == ("/docs/", "A & B", "en-GB", "utf-8")
    assert (facts.noindex, facts.nofollow, facts.refresh_delay) == (True, False, 5.0)
    assert (facts.links, facts.images, facts.emails) == (6, 1, 2)
    assert facts == read(GOOD)


def test_every_href_names_its_tag(reading):
    facts = reading(GOOD)
    names = {"canonical": "link", "next": "link", "refresh": "meta", "frame": "iframe"}
    for href in facts.hrefs:
        tag = tags.unpack(facts.index)[href.tag]
        start = tag.offset + tag.name
        assert GOOD[start : start + tag.name_length].lower().decode() == names.get(href.kind, href.kind)


@pytest.mark.parametrize(
    ("tag", "value"),
    [
        (b"<a href=x>", "x"),
        (b"<A\nHREF = ' x\t'>", "x"),
        (b"<a href='' href=x>", None),
        (b"<a title='href=y' href=x>", "x"),
        (b"<a href=x href=y>", "x"),
        (b"<a/href=x/>", "x/"),
        (b'<a href="a\'b">', "a'b"),
        (b"<a href='?a&copy=1&copy;&copy&amp;b'>", "?a&copy=1©©&b"),
        (b"<a href='?x&region=1&not&notit;'>", "?x&region=1¬&notit;"),
        (b"<a href='&#x20;'>", None),
        (b"<a href='&#65;&#x42;&#99999999999;'>", "AB\ufffd"),
        (b"<a href='&#" + b"9" * 5000 + b"'>", "\ufffd"),
        ("<a href='/café'>".encode(), "/café"),
        (b"<a href=a\0b>", "a\ufffdb"),
        (b"<a href=x", None),
        (b"<a href='x>", None),
        (b"<a xhref=x>", None),
        (b"<abbr href=x>", None),
        (b"</a href=x>", None),
        (b"<!-- <a href=x> -->", None),
    ],
)
def test_addresses_as_the_standard_reads_them(reading, tag, value):
    facts = reading(tag)
    assert [href.value for href in facts.hrefs] == ([] if value is None else [value])
    assert facts.links == len(facts.hrefs)


@pytest.mark.parametrize(
    ("tag", "kind"),
    [
        (b"<link rel='x Canonical' href=y>", "canonical"),
        (b"<link rel=alternate hreflang=de href=y>", "alternate"),
        (b"<link rel=alternate type='text/html' href=y>", "alternate"),
        (b"<link rel=alternate type='application/rss+xml' href=y>", None),
        (b"<link rel='alternate stylesheet' href=y>", None),
        (b"<link rel=prev href=y>", "next"),
        (b"<link rel=stylesheet href=y>", None),
        (b"<frame src=y>", "frame"),
        (b"<frame href=y>", None),
    ],
)
def test_kinds_of_addresses(reading, tag, kind):
    assert reading(tag).hrefs == ([] if kind is None else [Href(kind, "y", False, 0)])


@pytest.mark.parametrize(
    ("meta", "noindex", "nofollow"),
    [
        (b"<meta name=robots content='noindex, nofollow'>", True, True),
        (b"<meta name=ROBOTS content=NONE>", True, True),
        (b"<meta content='nofollow' name=' robots '>", False, True),
        (b"<meta name=Mouse content=noindex>", True, False),
        (b"<meta name=otherbot content=none>", False, False),
        (b"<meta name=robots content=all><meta name=mouse content=nofollow>", False, True),
        (b"<meta name=robots>", False, False),
        (b"<meta name=description content=none>", False, False),
    ],
)
def test_orders_to_robots(reading, meta, noindex, nofollow):
    facts = reading(meta, agent="Mouse")
    assert (facts.noindex, facts.nofollow) == (noindex, nofollow)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("5; url=a b", (5.0, "a b")),
        ("0;URL='x y' z", (0.0, "x y")),
        (" 3 , u", (3.0, "u")),
        ("3 u", (3.0, "u")),
        (".5;x", (0.0, "x")),
        ("2.9", (2.0, "")),
        ("7", (7.0, "")),
        ("7;", (7.0, "")),
        ("x;url=y", (None, "")),
        ("5x", (None, "")),
        ("", (None, "")),
        ("9" * 400 + ";x", (1e9, "x")),
    ],
)
def test_refresh_as_the_standard_reads_it(content, expected):
    assert refresh(content) == expected


@pytest.mark.parametrize(
    ("page", "language"),
    [
        (b"<html lang=de><html lang=fr>", "de"),
        (b"<html xml:lang=pt-BR>", "pt-BR"),
        (b"<html lang=''><meta http-equiv=Content-Language content='it, en'>", "it"),
        (b"<html lang='{{ lang }}'>", ""),
        (b"<p lang=de>", ""),
    ],
)
def test_language(reading, page, language):
    assert reading(page).language == language


@pytest.mark.parametrize(
    ("page", "title"),
    [
        (b"<title>\n A  <b>&lt;</b>\n</title>", "A <b><</b>"),
        (b"<svg><title>no</title></svg><title>yes</title><title>late</title>", "yes"),
        (b"<title>open", "open"),
        (b"<title></title>", ""),
        (b"<p>", ""),
    ],
)
def test_title(reading, page, title):
    assert reading(page).title == title


SAME_TEXT = [
    b"<p>Some <b>bold</b> words</p><p>and more</p>",
    b"<div class=x>Some <i>bold</i>\n\n words</div><!-- new --><div>and more</div><script>x()</script>",
    b"Some bold words and<style>p{}</style> <img src=new> more<template>hidden</template>",
]


def test_markup_does_not_move_the_digest(reading):
    digests = {reading(page).text_digest for page in SAME_TEXT}
    assert len(digests) == 1
    assert len(digests.pop()) == 16


def test_words_move_the_digest(reading):
    pages = [SAME_TEXT[0], SAME_TEXT[0].replace(b"more", b"less"), SAME_TEXT[0] + b".", b""]
    assert len({reading(page).text_digest for page in pages}) == len(pages)


def test_text_is_counted_collapsed(reading):
    assert reading(b"<p> a\n\n b</p><p>c<b>d</b></p> ").text_bytes == len("a b cd")
    assert reading(b"<script>x</script><style>y</style><!-- z -->").text_bytes == 0


def test_mail_addresses_are_counted_once(reading):
    page = b"me@example.org, ME@example.org you@a.b.co.uk @x a@b x@.com <a href='MAILTO:me@example.org?a=x'>"
    assert reading(page).emails == 2
    assert reading(b"<a href='mailto:?subject=x'>").emails == 0


def test_links_that_stay_on_the_host_are_counted_and_left_out(reading):
    stays = ("x", "/x", "?a=b/c", "../x")
    leave = ("//b.test", "http:c", "\\\\d", "/\t/e", "&#47;/f", "mailto:a@b.test")
    page = "".join(f'<a href="{one}">x</a>' for one in (*stays, *leave)).encode()
    facts = reading(page + b"<iframe src=y></iframe>", leaving=True)
    assert [one.value for one in facts.hrefs] == [*leave[:4], "//f", leave[5], "y"]
    assert (facts.links, facts.emails) == (10, 1)
    based = b"<base href=//z.test>" + page
    assert reading(based, leaving=True) == reading(based)


def test_other_encodings(reading):
    page = "<title>Мир</title><a href='/мир'>мир</a>"
    for codec in ("koi8-r", "windows-1251", "utf-8", "utf-16le", "utf-16be"):
        facts = reading(page.encode(codec), content_type=f"text/html; charset={codec}")
        assert (facts.title, facts.hrefs[0].value) == ("Мир", "/мир")
    facts = reading(
        "<a href=/x>&lt;日本".encode("iso-2022-jp"), content_type="text/html; charset=iso-2022-jp"
    )
    assert [href.value for href in facts.hrefs] == ["/x"]


def test_a_stored_index_gives_the_same_facts(reading):
    for page in [GOOD, b"<a href='" + b"x" * 70_000 + b"'>", *(soup(seed) for seed in range(50))]:
        facts = reading(page)
        assert reading(page, index=facts.index) == facts


def test_a_stored_index_is_used(reading):
    """Tags left out of the index are not found again: nothing is parsed twice."""
    index = tags.pack(tags.unpack(tags.index(GOOD))[:5])
    assert reading(GOOD, index=index).hrefs == []


def test_an_index_that_does_not_fit_is_not_believed(reading):
    facts = reading(GOOD)
    for wrong in (TagIndex(b""), TagIndex(b"\xff" * 8), TagIndex(b"\0" * 13, True), tags.index(b"x" + GOOD)):
        assert reading(GOOD, index=wrong) == facts


@steady
@given(st.binary(max_size=300), st.text(max_size=30), st.text(max_size=5))
def test_nothing_is_raised_whatever_comes(content, content_type, agent):
    read(content, content_type=content_type, agent=agent)


def test_damaged_pages_are_read(reading):
    for seed in range(200):
        reading(damaged(GOOD, seed))


@steady
@given(st.lists(st.sampled_from(["&", "#", "x", "X", "1", "a", "amp", "copy", ";", "=", "é", "\ud83d"])))
def test_character_references_never_raise(parts):
    raw = "".join(parts).encode("utf-8", "replace")
    assert isinstance(text_of(raw, "utf-8"), str)
    assert isinstance(value_of(raw, "utf-8"), str)


def test_character_references_in_text():
    assert text_of(b"&lt;&copy2 &notit; &#x80;&nosuch; &#0; & &", "utf-8") == "<©2 ¬it; €&nosuch; \ufffd & &"
