"""Sitemaps: the good, the packed, the broken and the hostile."""

import gzip
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldmouse.types import Sitemap, SitemapEntry
from fieldmouse.web.http_headers import w3c_date
from fieldmouse.web.sitemaps import MAX_BYTES, MAX_URLS, parse

DATA = Path(__file__).parent.parent / "data" / "sitemaps"
SAMPLES = sorted(path for path in DATA.iterdir() if path.name != "README.md")
HERE = "http://www.example.test/sitemap.xml"

ONE = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url>
    <loc> http://www.example.test/a?x=1&amp;y=2 </loc>
    <lastmod>2024-05-17T10:00:00+02:00</lastmod><changefreq>Daily</changefreq><priority>0.8</priority>
  </url>
  <url><loc><![CDATA[http://www.example.test/b?x=1&y=2]]></loc></url>
</urlset>"""
ENTRY = SitemapEntry(url="http://www.example.test/a?x=1&y=2", modified=1715932800.0)
PAIR = (ENTRY, SitemapEntry(url="http://www.example.test/b?x=1&y=2"))


def wrapped(*urls: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{url}</loc></url>" for url in urls) + "</urlset>"


def pages(content: str | bytes) -> list[str]:
    found = parse(content.encode() if isinstance(content, str) else content, HERE)
    return [entry.url for entry in found.pages]


@pytest.mark.parametrize(
    "content",
    [
        ONE.encode(),
        b"\xef\xbb\xbf" + ONE.encode(),
        b"\n\n " + ONE.encode(),
        gzip.compress(ONE.encode()),
        gzip.compress(ONE.encode()[:100]) + gzip.compress(ONE.encode()[100:]),
        ONE.replace("UTF-8", "UTF-16").encode("utf-16"),
        ONE.replace("UTF-8", "windows-1251").encode(),
        ONE.replace(' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"', "").encode(),
    ],
    ids=["plain", "BOM", "blank before", "gzip", "two members", "UTF-16", "windows-1251", "no namespace"],
)
def test_a_sitemap(content: bytes) -> None:
    assert parse(content, HERE) == Sitemap(pages=PAIR)


def test_a_prefix_for_the_namespace() -> None:
    text = ONE.replace("<", "<s:").replace("<s:/", "</s:").replace("<s:?", "<?").replace("<s:!", "<!")
    assert parse(text.replace("xmlns=", "xmlns:s=").encode(), HERE).pages == PAIR


def test_an_index_names_sitemaps() -> None:
    text = """<sitemapindex><sitemap><loc>http://www.example.test/1.xml.gz</loc><lastmod>2024-05-17</lastmod>
    </sitemap><sitemap><loc>/2.xml</loc></sitemap></sitemapindex>"""
    found = parse(text.encode(), HERE)
    assert found.pages == ()
    assert found.maps == (
        SitemapEntry(url="http://www.example.test/1.xml.gz", modified=1715904000.0),
        SitemapEntry(url="http://www.example.test/2.xml"),
    )


def test_an_index_without_loc() -> None:
    found = parse((DATA / "sitemap.index.xml").read_bytes(), HERE)
    assert len(found.maps) == 15
    assert found.maps[0].url == "https://example.com/sitemap.jss?portalCode=10260&lang=en"


def test_pictures_and_translations_are_no_pages() -> None:
    text = """<urlset xmlns:image="i" xmlns:xhtml="x"><url><image:image><image:loc>http://a.test/1.png</image:loc>
    </image:image><image:loc>http://a.test/2.png</image:loc><loc>http://a.test/</loc>
    <xhtml:link rel="alternate" href="http://a.test/de"/></url></urlset>"""
    assert pages(text) == ["http://a.test/"]


def test_feeds() -> None:
    rss = parse((DATA / "xmlRss_pubDate.xml").read_bytes(), HERE)
    assert [entry.url for entry in rss.pages[:2]] == [f"http://www.example.com/article_{n}" for n in (1, 2)]
    assert [entry.modified for entry in rss.pages[:3]] == [1483619691.0, 1483619692.0, 1483619693.0]
    atom = parse((DATA / "atom.xml").read_bytes(), HERE)
    assert atom.pages == (SitemapEntry(url="http://example.org/2003/12/13/atom03", modified=1071340202.0),)
    feed = parse((DATA / "feed.rss").read_bytes(), HERE)
    assert [entry.url for entry in feed.pages] == [
        "https://www.example.com/blog/post/1",
        "https://www.example.com/guid.html",
        "https://www.example.com/foo?q=a&l=en",
        "https://www.example.com/foo?q=a&l=fr",
    ]


def test_a_feed_of_the_rdf_kind() -> None:
    text = """<rdf:RDF xmlns:rdf="r" xmlns:dc="d"><item><link>http://a.test/1</link>
    <dc:date>2024-05-17</dc:date></item></rdf:RDF>"""
    assert parse(text.encode(), HERE).pages == (SitemapEntry(url="http://a.test/1", modified=1715904000.0),)


def test_a_list_of_addresses() -> None:
    assert pages("http://a.test/1\r\nhttps://a.test/2\n\n# no\nftp://a.test/3\n") == [
        "http://a.test/1",
        "https://a.test/2",
    ]
    assert pages(gzip.compress(b"\xef\xbb\xbfhttp://a.test/1")) == ["http://a.test/1"]
    assert pages("http://a.test/1\n".encode("utf-16")) == ["http://a.test/1"]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (wrapped("http://a.test/?x=1&y=2"), ["http://a.test/?x=1&y=2"]),
        (wrapped("http://a.test/?x=1&copy=2", "http://a.test/2"), ["http://a.test/?x=1&copy=2", "http://a.test/2"]),
        (wrapped("http://a.test/1") + "trailing < rubbish", ["http://a.test/1"]),
        ("Warning: something\n<br>" + wrapped("http://a.test/1"), ["http://a.test/1"]),
        (wrapped("http://a.test/1", "http://a.test/2")[:-25], ["http://a.test/1"]),
        (wrapped("http://a.test/1", "</url><oops>", "http://a.test/2"), ["http://a.test/1"]),
        (wrapped("http://a.test/\x01one"), ["http://a.test/one"]),
        ("<?xml version='1.0' encoding='no-such'?>" + wrapped("http://a.test/1"), ["http://a.test/1"]),
        (wrapped("http://a.test/caf\xe9").encode("latin-1"), ["http://a.test/caf\ufffd"]),
        ("<urlset><url><loc><![CDATA[http://a.test/&x]]></loc></url><b>&</b></urlset>", ["http://a.test/&x"]),
    ],
)  # fmt: skip
def test_broken_xml_gives_what_can_be_read(content: str | bytes, found: list[str]) -> None:
    assert pages(content) == found
    assert parse(content.encode() if isinstance(content, str) else content, HERE).problems


def test_what_is_no_address_is_left_out_and_said() -> None:
    found = parse(wrapped("javascript:x", "http://[", "", "http://a.test/").encode(), HERE)
    assert [entry.url for entry in found.pages] == ["http://a.test/"]
    assert found.problems == ("2 entries are not web addresses",)


@pytest.mark.parametrize("content", [b"<html><body>not found</body></html>", b"not found", b"\x00\x01\x02"])
def test_what_is_no_sitemap_is_said(content: bytes) -> None:
    found = parse(content, HERE)
    assert (found.pages, found.maps) == ((), ())
    assert found.problems


def test_nothing_is_nothing() -> None:
    assert parse(b"", HERE) == Sitemap()


def test_entities_of_its_own_are_refused() -> None:
    levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    laughs = f'<!DOCTYPE urlset [<!ENTITY l0 "ha">{levels}]>' + wrapped("http://a.test/&l11;")
    began = process_time()
    found = parse(laughs.encode(), HERE)
    assert process_time() - began < 5
    assert found.pages == ()
    assert "entities" in found.problems[0]


def test_files_are_not_read() -> None:
    text = '<!DOCTYPE urlset [<!ENTITY file SYSTEM "file:///etc/hostname">]>' + wrapped(
        "http://a.test/&file;"
    )
    assert parse(text.encode(), HERE).pages == ()


@pytest.mark.parametrize(
    "content",
    [
        b"<a>" * 100_000,
        b"<urlset>" + b"<url>" * 100_000,
        b"<urlset>&" + b"<![CDATA[" * 100_000,
        b"<urlset><url><loc>" + b"x" * 10_000_000,
        b"<urlset>" + b"<!--" * 100_000,
    ],
)
def test_hostile_xml_takes_no_time(content: bytes) -> None:
    began = process_time()
    assert parse(content, HERE).pages == ()
    assert process_time() - began < 2.0


def test_addresses_are_limited() -> None:
    found = parse(wrapped(*(f"http://a.test/{n}" for n in range(MAX_URLS + 1))).encode(), HERE)
    assert len(found.pages) == MAX_URLS
    assert "the rest was left out" in found.problems[0]


def test_decompression_is_limited() -> None:
    bomb = gzip.compress(wrapped("http://a.test/1").encode() + b" " * (MAX_BYTES * 2), 9)
    assert len(bomb) < 200_000
    found = parse(bomb, HERE)
    assert [entry.url for entry in found.pages] == ["http://a.test/1"]
    assert "larger than" in found.problems[0]


def test_damaged_gzip_gives_what_can_be_read() -> None:
    lines = "\n".join(f"http://a.test/{n * 7919 % 65536}" for n in range(20_000)).encode()
    whole = gzip.compress(lines)
    for damaged in (whole[: len(whole) // 2], whole + b"rubbish"):
        found = parse(damaged, HERE)
        assert len(found.pages) > 5000
        assert "damaged gzip" in found.problems[0]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2024", 1704067200.0),
        ("2024-05", 1714521600.0),
        ("2024-05-17", 1715904000.0),
        (" 2024-05-17 ", 1715904000.0),
        ("2024-05-17T10:00Z", 1715940000.0),
        ("2024-05-17T10:00:00Z", 1715940000.0),
        ("2024-05-17T10:00:00", 1715940000.0),
        ("2024-05-17 10:00:00", 1715940000.0),
        ("2024-05-17T10:00:00.500Z", 1715940000.5),
        ("2024-05-17T10:00:00-0530", 1715959800.0),
        ("1969-12-31", -86400.0),
        ("2024-02-30", None),
        ("2024-13-01", None),
        ("0000-01-01", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("20240517", None),
        ("yesterday", None),
        ("", None),
    ],
)
def test_w3c_date(text: str, seconds: float | None) -> None:
    assert w3c_date(text) == seconds


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_files_of_others_are_read(sample: Path) -> None:
    found = parse(sample.read_bytes(), HERE)
    assert found.pages or found.maps
    assert found.problems == ()
    assert not any(".jpg" in entry.url for entry in found.pages)


@hypothesis_settings(max_examples=150, deadline=None, derandomize=True)
@given(
    st.binary(max_size=200),
    st.sampled_from([b"", b"\x1f\x8b\x08", b"<urlset>", b"<?xml version='1.0'?>", b"\xff\xfe"]),
)
def test_no_bytes_break_the_parser(content: bytes, start: bytes) -> None:
    parse(start + content, HERE)


@hypothesis_settings(max_examples=150, deadline=None, derandomize=True)
@given(st.integers(0, len(ONE)), st.integers(0, len(ONE)), st.text(max_size=5))
def test_no_damage_breaks_the_parser(cut: int, again: int, text: str) -> None:
    found = parse((ONE[:cut] + text + ONE[again:]).encode("utf-8", "replace"), HERE)
    assert all(entry.url.lower().startswith("http") for entry in (*found.pages, *found.maps))
