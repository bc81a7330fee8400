"""Feeds named in heads, as sites write them."""

import pytest

from fieldmouse.page.head import feeds


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
