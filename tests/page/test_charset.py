"""Which characters the bytes mean: evidence in the standard's order, and a codec that exists."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page.charset import (
    CODECS,
    LABELS,
    PRESCAN,
    _declared_in,
    declared,
    decode,
    octets,
    sniff,
)  # fmt: skip

steady = settings(max_examples=150, deadline=None, derandomize=True)


def test_every_label_means_a_codec_that_exists():
    for label, codec in LABELS.items():
        codecs.lookup(codec)
        assert label == label.lower()
        assert sniff(b"\x81", f"text/html; charset={label.upper()}") == codec


@pytest.mark.parametrize(
    ("content", "content_type", "expected"),
    [
        (b"\xef\xbb\xbfx", "text/html; charset=koi8-r", "utf-8"),
        (b"\xff\xfex\0", "text/html; charset=utf-8", "utf-16-le"),
        (b"\xfe\xff\0x", "", "utf-16-be"),
        (b"<meta charset=utf-8>", "text/html; charset=koi8-r", "koi8-r"),
        (b"<meta charset=utf-8>", "text/html;charset = 'KOI8-R' ; x=y", "koi8-r"),
        (b"<meta charset=gbk>", "text/html; charset=no-such", "gb18030"),
        (b"<meta charset='latin1'>", "text/html", "windows-1252"),
        (b"<META x HTTP-EQUIV=content-type content='text/html; charset=Shift_JIS'>", "", "cp932"),
        (b"<meta name=x content='text/html; charset=koi8-r'>", "", "utf-8"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=big5>", "", "big5hkscs"),
        (b"<meta charset=utf-16>", "", "utf-8"),
        (b" " * 1020 + b"<meta charset=koi8-r>", "", "utf-8"),
        (b"plain", "", "utf-8"),
        (b"", "", "utf-8"),
        ("café".encode(), "", "utf-8"),
        ("éé".encode()[:-1], "", "utf-8"),
        ("café".encode("latin-1"), "", "windows-1252"),
        ("café!".encode("latin-1"), "text/html", "windows-1252"),
    ],
)
def test_evidence_is_weighed_in_order(content, content_type, expected):
    assert sniff(content, content_type) == expected


@steady
@given(st.binary(max_size=200), st.one_of(st.sampled_from(sorted(CODECS)), st.text(max_size=20)))
def test_nothing_is_raised_whatever_comes(content, charset):
    assert sniff(content, charset) in CODECS
    assert sniff(b"<meta charset=" + content, f"text/html; charset={charset}") in CODECS
    assert isinstance(decode(content, charset), str)
    body, codec = octets(content, charset)
    assert isinstance(body.decode(codec if codec in CODECS else "utf-8", "replace"), str)


def test_a_byte_order_mark_is_not_text():
    assert decode(b"\xef\xbb\xbfx", "utf-8") == "x"
    assert decode(b"\xff\xfex\0", "utf-16-le") == "x"


def test_only_encodings_unlike_ascii_are_turned_into_utf8():
    page = "<p>日本</p>"
    assert octets(page.encode("cp932"), "cp932") == (page.encode("cp932"), "cp932")
    for codec in ("utf-16-le", "utf-16-be", "iso-2022-jp"):
        assert octets(page.encode(codec), codec) == (page.encode(), "utf-8")


PIECES = st.sampled_from(
    [
        b"<meta charset=utf-8>", b"<META charset='koi8-r' />", b'<meta content="text/html; charset=gbk">',
        b'<meta http-equiv=Content-Type content="text/html; charset=big5">', b"<meta charset=no-such>",
        b"<!-- ", b" -->", b"<!", b"<script>", b"</script>", b"<style>", b"</style>", b"<title>", b"</title>",
        b"<textarea>", b"charset", b"<a title='", b"'", b'"', b">", b"<", b"x" * 300, b"<?", b"</",
    ]
)  # fmt: skip


@given(st.lists(PIECES, max_size=9).map(b"".join))
@settings(max_examples=1500, deadline=None, derandomize=True)
def test_a_declaration_is_the_one_of_the_whole_head(content):
    assert declared(content) == _declared_in(content[:PRESCAN])
    assert declared(content) == declared(content + b"<meta charset=koi8-u>" * (len(content) > PRESCAN))
