"""Addresses in what people write."""

import time

import pytest

from fieldmouse.page.addresses import find_addresses, find_html_addresses, is_html


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see http://a.example/b.", ["http://a.example/b"]),
        ("(http://a.example/b_(c))", ["http://a.example/b_(c)"]),
        ("<https://a.example/x>, 'https://b.example/y'!", ["https://a.example/x", "https://b.example/y"]),
        ("[my page](https://a.example/x 'title') and [other](b.com/y)", ["https://a.example/x", "http://b.com/y"]),
        ("go to example.co.uk/path?q=1#x now", ["http://example.co.uk/path?q=1#x"]),
        ("www.example.org: nice", ["http://www.example.org"]),
        ("EXAMPLE.COM or Example.com", ["http://EXAMPLE.COM", "http://Example.com"]),
        ("münchen.de und пример.рф/путь", ["http://münchen.de", "http://пример.рф/путь"]),
        ("https://a.example/%C3%BC%20x?y=%2F", ["https://a.example/%C3%BC%20x?y=%2F"]),
        ("port example.net:8080/x", ["http://example.net:8080/x"]),
        ("mail me@example.com or @ann@social.example", []),
        ("read readme.md, main.py and run.sh", []),
        ("but github.com/a/readme.md counts", ["http://github.com/a/readme.md"]),
        ("That is the end.The next one. It was 3.14 or 10.0.0.1, e.g. a.b", []),
        ("nothing.invalidtld and foo.barbaz", []),
        ("“http://a.example/x” «http://b.example/y»", ["http://a.example/x", "http://b.example/y"]),
        ("http://a.example/x http://a.example/x", ["http://a.example/x"]),
        ("http://" + "a" * 5000, []),
        ("「https://例え.jp/パス。次の文", ["https://例え.jp/パス"]),
        ("看（b.com/新，还有https://a.example/x）。", ["http://b.com/新", "https://a.example/x"]),
    ],
)  # fmt: skip
def test_what_is_an_address(text: str, expected: list[str]) -> None:
    assert [one.url for one in find_addresses(text)] == expected


def test_the_words_around_are_kept_without_addresses() -> None:
    text = "A new site about boats: http://a.example/x with pictures, also http://b.example/y"
    first = find_addresses(text)[0]
    assert first.around == "A new site about boats: with pictures, also"
    assert find_addresses("see [old boats](http://a.example) here")[0] == (
        "http://a.example", "old boats", "old boats see here"
    )  # fmt: skip


def test_links_of_html_are_found_but_not_mentions_and_hashtags() -> None:
    source = (
        '<p>Hi <a href="https://s.example/@bob" class="u-url mention">@bob</a>, look: '
        '<a href="https://a.example/long/path?x=1"><span>https://</span>a.example/long…</a> &amp; b.com '
        '<a href="https://s.example/tags/x" class="mention hashtag" rel="tag">#x</a></p>'
    )
    assert is_html(source)
    assert not is_html("1 < 2 and a > b")
    found = find_html_addresses(source)
    assert [one.url for one in found] == ["https://a.example/long/path?x=1", "http://b.com"]
    assert "look:" in found[0].around


@pytest.mark.parametrize(
    "text", ["[" * 20_000, "a." * 20_000, "http://" * 5000, "(" * 9000 + ")" * 9000, "x.y/" * 9000]
)
def test_hostile_text_is_read_in_linear_time(text: str) -> None:
    began = time.process_time()
    find_addresses(text)
    find_html_addresses(f"<a href={text}>{text}")
    assert time.process_time() - began < 20  # a square of its length would take minutes
