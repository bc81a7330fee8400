"""Feeds, canonical links and meta tags of heads, as sites write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldmouse.page import tags
from fieldmouse.page.head import feeds, page_tags
from fieldmouse.page.read import read
from fieldmouse.types import TagIndex

PIECES = st.sampled_from(
    [
        b"<meta name=Author content='A &amp; B'>",
        b"<META property='og:title' name=x content=t>",
        b"<meta content=c>",
        b"<meta name=description content>",
        b"<link rel='next canonical' href=' /c&amp;d '>",
        b"<link rel=canonical>",
        b"<link rel=alternate href=/canonical>",
        b"<base href=/base/>",
        b"<base>",
        b"<p itemprop=x>",
        b"<time>",
        b"<script type='application/LD+json'>{}</script>",
        b"<a rel=author>",
        b"<!-- <meta name=a content=b> -->",
        b"<title><meta name=t content=u></title>",
        b"author published",
        b"<p>text</p>",
        b"</meta>",
        b"<meta name=a",
        b"\xff",
    ]
)


@pytest.mark.parametrize(
    ("head", "found"),
    [
        (
            b'<link rel="alternate" type="application/rss+xml" title="News" href="/rss?a=1&amp;b=2">',
            ["/rss?a=1&b=2"],
        ),
        (b"<LINK HREF='feed.atom' TYPE='application/atom+xml' REL='home alternate'>", ["feed.atom"]),
        (b"<link rel=alternate type=application/atom+xml href=/f>", ["/f"]),
        (b'<link rel="stylesheet" type="application/rss+xml" href="/rss">', []),
        (b'<link rel="alternate" type="text/html" hreflang=de href="/de">', []),
        (b'<link rel="alternate" type="application/rss+xml">', []),
        (b'<link rel="alternate" type="application/rss+xml" href="">', []),
        (b'<link rel="alternate" type="application/rss+xml" href="/x"' + b" a" * 5000, []),
        (b'<link rel="alternate" type="application/rss+xml" href="/%d">' * 9, ["/%d"]),
        (b"", []),
    ],
)
def test_feeds_are_found(head: bytes, found: list[str]) -> None:
    assert feeds(b"<head>" + head + b"</head>", "utf-8") == found


def test_not_too_many_and_not_too_deep() -> None:
    many = b"".join(b'<link rel="alternate" type="application/rss+xml" href="/%d">' % n for n in range(9))
    assert feeds(many, "utf-8") == ["/0", "/1", "/2"]
    assert feeds(b" " * 70_000 + many, "utf-8") == []


@pytest.mark.parametrize("before", [b"", b"+", b"1+1 ", b"<!-- + +x +xm -->"])
def test_other_pluses_hide_nothing(before: bytes) -> None:
    link = b'<link rel="alternate" type="application/rss+xml" href="/rss">'
    for times in (1, 49, 50, 51, 200):
        assert feeds(before * times + link, "utf-8") == ["/rss"]
        assert feeds(before * times, "utf-8") == []


@given(st.lists(PIECES, max_size=8).map(b"".join))
def test_the_tags_of_a_page_are_those_that_reading_it_finds(content: bytes) -> None:
    index = tags.index(content)
    found, *others = (page_tags(content, index, "utf-8", engine) for engine in tags.ENGINES)
    assert all(other == found for other in others)
    facts = read(content, content_type="text/html; charset=utf-8", index=index)
    assert found.base == facts.base
    assert found.canonical == next((one.value for one in facts.hrefs if one.kind == "canonical"), "")


def test_what_is_stated_elsewhere_is_seen() -> None:
    def of(content: bytes) -> tuple[list[tuple[str, str]], bool]:
        found = page_tags(content, tags.index(content), "utf-8")
        return found.metas, found.stated

    assert of(b"<meta name=author content=A><p>the author, published by date") == ([("author", "A")], False)
    for other in (
        b"<p ITEMPROP=a>",
        b"<time>",
        b"<script type='application/ld&#43;json'>",
        b"<a rel='x author'>",
    ):
        assert of(other) == ([], True), other


def test_an_index_of_another_page_is_replaced() -> None:
    content = b"<link rel=canonical href=/c>"
    assert page_tags(content, tags.index(b"<p>" * 50), "utf-8").canonical == "/c"
    assert page_tags(content, TagIndex(b"\xff", wide=False), "utf-8").canonical == "/c"
