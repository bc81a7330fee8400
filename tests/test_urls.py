"""Canonical URLs by example: each rule of docs/reference/urls.md, and the slices."""

import re
from pathlib import Path

import pytest

from fieldmouse import urls

REFERENCE = Path(__file__).parent.parent / "docs" / "reference" / "urls.md"
canon = urls.Canon()
TOKEN = "9682993c8daa2c5497996114facdc805"


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("http://Example.COM", "http://example.com/"),
        ("  https://example.com:443/a#b  ", "https://example.com/a"),
        ("http://example.com:443/", "http://example.com:443/"),
        ("http://example.com./a", "http://example.com/a"),
        ("http://example.com.:81/a", "http://example.com:81/a"),
        ("http://me:secret@example.com/a", "http://example.com/a"),
        ("http://bücher.de/ä?ö", "http://xn--bcher-kva.de/%C3%A4?%C3%B6"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://[::0001]/", "http://[::1]/"),
        ("http://me@[::1]:8080/", "http://[::1]:8080/"),
        ("http:\\\\example.com\\a", "http://example.com/a"),
        ("http://example.com/a/./b/../c", "http://example.com/a/c"),
        ("http://example.com/%7Euser/%2fa%c3", "http://example.com/~user/%2Fa%C3"),
        ("http://example.com/50%/%zz", "http://example.com/50%/%zz"),
        ("http://example.com/%%341", "http://example.com/%%341"),
        ("http://example.com/a?", "http://example.com/a"),
        ("http://example.com/a?b&&c=", "http://example.com/a?b&&c="),
        ("http://example.com/a?b=2&a=1", "http://example.com/a?b=2&a=1"),
        ("http://example.com//a//b", "http://example.com//a//b"),
    ],
)
def test_canonical_form(text, url):
    assert canon(text) == url


@pytest.mark.parametrize(
    "text",
    ["", "a", "/a", "mailto:a@example.com", "ftp://example.com/", "http://", "http://a b/", "http://example.com:99999/",
     "http://.example.com/", "http://a..b/", "http://a../", "javascript:void(0)", "http://exa%mple.com/"],
)  # fmt: skip
def test_what_is_no_address(text):
    assert canon(text) is None


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("utm_source=x&id=1&UTM_Campaign=y", "?id=1"),
        ("gclid=1&fbclid=2&msclkid=3&_ga=4&mc_eid=5", ""),
        ("utm%5Fsource=x&id=1", "?id=1"),
        ("ref=x&source=y&campaign=z&id=1", "?ref=x&source=y&campaign=z&id=1"),
        ("PHPSESSID=abc&id=1", "?id=1"),
        ("PHPSESSID=abc;id=1", "?PHPSESSID=abc;id=1"),
        ("JSESSIONID=1", ""),
        ("ASPSESSIONIDABCDEFGH=ABCDEF&x=y", "?x=y"),
        ("CFID=1169580&CFTOKEN=48630702&dt=19", "?dt=19"),
        ("cfid=7&id=1", "?cfid=7&id=1"),
        (f"sid={TOKEN}&x=y", "?x=y"),
        (f"SessionId={TOKEN}", ""),
        ("sid=12", "?sid=12"),
        ("sid=chemistry-department-page", "?sid=chemistry-department-page"),
        ("sid=550e8400-e29b-41d4-a716-446655440000", "?sid=550e8400-e29b-41d4-a716-446655440000"),
        ("gclidx=1&xgclid=2", "?gclidx=1&xgclid=2"),
    ],
)
def test_tracking_and_sessions(query, kept):
    assert canon(f"http://example.com/a?{query}") == f"http://example.com/a{kept}"


def test_the_reference_names_every_parameter_left_out():
    rows = re.findall(r"^\| (?:tracking|session) \| (.*?) \|", REFERENCE.read_text("utf-8"), re.MULTILINE)
    named = set(re.findall(r"`([^`]+)`", " ".join(rows)))
    prefixes = {f"{one}*" for one in (*urls.TRACKING_PREFIXES, urls.SESSION_PREFIX)}
    assert named == urls.TRACKING | urls.SESSIONS | urls.MAYBE_SESSIONS | prefixes


def test_session_in_the_path():
    assert canon(f"http://example.com/a;jsessionid={TOKEN}?b=1") == "http://example.com/a?b=1"
    assert canon("http://example.com/;JSessionID=1.node2") == "http://example.com/"
    assert canon("http://example.com/a;v=1/b") == "http://example.com/a;v=1/b"
    assert canon("http://example.com/a?u=;jsessionid=1") == "http://example.com/a?u=;jsessionid=1"


def test_more_to_drop_and_some_to_keep():
    own = urls.Canon(drop=("Ref", "at_*"), keep=("utm_source", "jsessionid"))
    assert own("http://example.com/?ref=1&at_x=2&utm_source=3&gclid=4&id=5") == (
        "http://example.com/?utm_source=3&id=5"
    )
    assert own("http://example.com/a;jsessionid=1") == "http://example.com/a;jsessionid=1"
    assert canon("http://example.com/?ref=1") == "http://example.com/?ref=1"


def test_parameter_names_are_not_remembered_for_ever():
    own = urls.Canon()
    for number in range(5000):
        own(f"http://example.com/?name{number}=1&gclid=2")
    assert len(own._kinds) <= 1000


def test_links_of_a_page():
    base = "https://example.com/guide/sub/page.html?x=1"
    inside = ["a.html", "a.html#part", "#top", "", "  ", "../b.html", "../../../c", "/d?e=1", "./f/", "./"]
    twice = ["/d?e=1&utm_source=x", "../../d?e=1#x", "a%2Ehtml"]
    outside = ["?page=2", "//cdn.example.net/g", "https://other.example/", "https://Other.example"]
    nowhere = ["mailto:x@example.com", "JavaScript:void(0)", "data:text/html,x", "tel:+1", "http://a b/"]
    hrefs = [*inside, *twice, *outside, *nowhere, "é.html"]
    assert canon.links(base, iter(hrefs)) == [
        "https://example.com/guide/sub/a.html",
        "https://example.com/guide/b.html",
        "https://example.com/c",
        "https://example.com/d?e=1",
        "https://example.com/guide/sub/f/",
        "https://example.com/guide/sub/",
        "https://example.com/guide/sub/page.html?page=2",
        "https://cdn.example.net/g",
        "https://other.example/",
        "https://example.com/guide/sub/%C3%A9.html",
    ]


def test_links_without_a_usable_base():
    assert canon.links("file:///a/b", ["c", "/d", "http://example.com/e"]) == ["http://example.com/e"]


def test_slices():
    url = "https://www.example.co.uk:8443/a/b/c.tar.GZ;v=1?d=/e.pdf"
    assert urls.host_key(url) == "www.example.co.uk:8443"
    assert urls.hostname(url) == "www.example.co.uk"
    assert urls.hostname("http://[::1]/") == urls.hostname("http://[::1]:81/") == "[::1]"
    assert urls.origin(url) == "https://www.example.co.uk:8443"
    assert urls.home(url) == "https://www.example.co.uk:8443/"
    assert urls.extension(url) == "gz"
    assert urls.registrable_domain(urls.hostname(url)) == "example.co.uk"


@pytest.mark.parametrize(
    ("path", "level", "ending"),
    [("", 0, ""), ("a", 0, ""), ("a/", 1, ""), ("a/b/c.html", 2, "html"), ("a/b/", 2, ""), ("v1.2/x", 1, ""),
     (".htaccess", 0, ""), ("a//b.HTM", 1, "htm"), ("a?b/c.d", 0, ""), ("a.", 0, "")],
)  # fmt: skip
def test_levels_and_endings(path, level, ending):
    url = f"http://example.com/{path}"
    assert (urls.directory_level(url), urls.extension(url)) == (level, ending)


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://www.example.com/", "com,example)/"),
        ("https://www34.example.com/A/B.html?b=2&a=1&a=0", "com,example)/a/b.html?a=0&a=1&b=2"),
        ("http://www2example.com/", "com,www2example)/"),
        ("http://example.com:8080/goo/", "com,example:8080)/goo"),
        ("http://example.com/goo/?b&a", "com,example)/goo?a&b"),
        ("http://example.com//a//b", "com,example)/a/b"),
        ("http://example.com/a%20b%2Fc?d=%3A%2F%2F", "com,example)/a%20b/c?d=://"),
        ("http://example.com/%25%32%35", "com,example)/%25"),
        ("http://example.com/%C3%84", "com,example)/%c3%84"),
        ("http://xn--bcher-kva.de/", "de,xn--bcher-kva)/"),
        ("http://127.0.0.1:81/", "1,0,0,127:81)/"),
        ("http://[::1]:8080/", "[::1]:8080)/"),
        ("http://[::1]/", "[::1])/"),
    ],
)
def test_archive_keys(url, key):
    assert urls.surt(url) == key


def test_hosts_that_are_no_names():
    for host in ("127.0.0.1", "[::1]", "::1", "255.255.255.255"):
        assert urls.is_ip(host)
        assert urls.registrable_domain(host) == host
    for host in ("example.com", "1.example", "localhost", "", "1.2.3", "256.1.1.1", "example.com1"):
        assert not urls.is_ip(host)
    assert urls.registrable_domain("localhost") == "localhost"
    assert urls.registrable_domain("co.uk") == "co.uk"
    assert urls.registrable_domain("a.b.example.test") == "example.test"
    assert urls.registrable_domain("WWW.Example.com.") == "example.com"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("http://a.test/", "http://a.test/index.html", True),
        ("http://a.test/b", "http://a.test/b/", True),
        ("http://a.test/b/Default.aspx", "http://a.test/b/", False),
        ("http://a.test/b/default.aspx", "http://a.test/b/", True),
        ("http://a.test/b/?p=1", "http://a.test/b/index.php?p=1", True),
        ("http://a.test/b/?p=1", "http://a.test/b/", False),
        ("http://a.test/", "https://a.test/", False),
        ("http://a.test/", "http://www.a.test/", False),
        ("http://a.test/myindex.html", "http://a.test/", False),
        ("http://a.test/index.html", "http://a.test/index.htm", True),
        ("", "http://a.test/", False),
    ],
)
def test_names_of_one_page(one: str, other: str, same: bool) -> None:
    assert urls.same_page(one, other) is same
