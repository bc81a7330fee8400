"""RFC 9309, case by case, and files that nobody should have written."""

import gzip
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldmouse.settings import MannersSettings
from fieldmouse.types import Failure, Response, Trouble
from fieldmouse.web.robots import MAX_BYTES, Robots

SAMPLES = sorted((Path(__file__).parent.parent / "data" / "robots").glob("*.txt"))
SITE = "http://example.test"

US = "User-agent: foobot\n"
ALL = "User-agent: *\n"

# name, robots.txt, path, whether foobot may ask for it
CASES = [
    ("nothing said", "", "/", True),
    ("everything forbidden", ALL + "Disallow: /", "/", False),
    ("nothing forbidden", ALL + "Disallow:", "/x", True),
    ("prefix", ALL + "Disallow: /fish", "/fish/salmon.html", False),
    ("prefix of a name", ALL + "Disallow: /fish", "/fishheads", False),
    ("not a prefix", ALL + "Disallow: /fish", "/catfish", True),
    ("directory, not file", ALL + "Disallow: /fish/", "/fish", True),
    ("case of paths counts", ALL + "Disallow: /Fish", "/fish", True),
    ("own group before everybody's", ALL + "Disallow: /\n" + US + "Allow: /", "/x", True),
    ("own group after", US + "Disallow: /x\n" + ALL + "Allow: /", "/x", False),
    ("own empty group allows all", ALL + "Disallow: /\n" + US, "/x", True),
    ("own group with an empty rule", ALL + "Disallow: /\n" + US + "Disallow:\n", "/x", True),
    ("only others are named", "User-agent: barbot\nDisallow: /", "/x", True),
    ("names are not case-sensitive", "USER-AGENT: FOOBOT\nDISALLOW: /", "/x", False),
    ("foo is not foobot", "User-agent: foo\nDisallow: /", "/x", True),
    ("foobot-news is not foobot", "User-agent: foobot-news\nDisallow: /", "/x", True),
    ("a version after the name", "User-agent: foobot/2.1\nDisallow: /", "/x", False),
    ("two names, one group", "User-agent: barbot\n" + US + "Disallow: /", "/x", False),
    ("groups for one name merge", US + "Disallow: /a\n" + ALL + "Allow: /\n" + US + "Disallow: /b",
     "/b", False),
    ("merged groups keep the first", US + "Disallow: /a\n\n" + US + "Disallow: /b", "/a", False),
    ("groups for everybody merge", ALL + "Disallow: /a\n" + ALL + "Disallow: /b", "/a", False),
    ("a blank line ends no group", US + "\nDisallow: /", "/x", False),
    ("a sitemap ends no group", US + "Sitemap: http://a.test/s\nDisallow: /", "/x", False),
    ("a sitemap between names", US + "Sitemap: http://a.test/s\nUser-agent: bar\nDisallow: /", "/x", False),
    ("a crawl-delay between names", US + "Crawl-delay: 9\nUser-agent: bar\nDisallow: /", "/x", False),
    ("an unknown line between", US + "Noindex: /\nUser-agent: bar\nDisallow: /", "/x", False),
    ("rules before any name", "Disallow: /\n" + ALL + "Allow: /", "/x", True),
    ("longest wins: allow", ALL + "Disallow: /p\nAllow: /page", "/page", True),
    ("longest wins: disallow", ALL + "Allow: /p\nDisallow: /page", "/page", False),
    ("order does not matter", ALL + "Allow: /page\nDisallow: /p", "/page", True),
    ("allow wins a tie", ALL + "Disallow: /page\nAllow: /page", "/page", True),
    ("the RFC's example: html", ALL + "Allow: /example/page/\nDisallow: /example/page/disallowed.gif",
     "/example/page/", True),
    ("the RFC's example: gif", ALL + "Allow: /example/page/\nDisallow: /example/page/disallowed.gif",
     "/example/page/disallowed.gif", False),
    ("wildcard", ALL + "Disallow: /*.php", "/index.php?x=1", False),
    ("wildcard, other", ALL + "Disallow: /*.php", "/index.html", True),
    ("wildcard in the middle", ALL + "Disallow: /a/*/c", "/a/b/b/c/d", False),
    ("wildcard matches nothing", ALL + "Disallow: /a*c", "/ac", False),
    ("wildcard first", ALL + "Disallow: *.gif", "/x/y.gif", False),
    ("wildcards at the end", ALL + "Disallow: /fish**", "/fish", False),
    ("end", ALL + "Disallow: /*.php$", "/index.php", False),
    ("end, more follows", ALL + "Disallow: /*.php$", "/index.php?x=1", True),
    ("end, twice", ALL + "Disallow: /*.php$", "/a.php/b.php", False),
    ("end without wildcard", ALL + "Disallow: /x$", "/x", False),
    ("end without wildcard, longer", ALL + "Disallow: /x$", "/xy", True),
    ("only the root", ALL + "Allow: /$\nDisallow: /", "/", True),
    ("all but the root", ALL + "Allow: /$\nDisallow: /", "/x", False),
    ("parts may not overlap", ALL + "Disallow: /aba*bab$", "/abab", True),
    ("a longer wildcard wins", ALL + "Allow: /page\nDisallow: /*.htm", "/page.htm", False),
    ("a longer prefix wins", ALL + "Allow: /page/\nDisallow: /*.h", "/page/x.h", True),
    ("a wildcard ties with a prefix", ALL + "Disallow: /page\nAllow: /pa*e", "/page", True),
    ("dollar inside is a letter", ALL + "Disallow: /a$b", "/a$b", False),
    ("an escaped star is a star", ALL + "Disallow: /file-with-a-%2A.html", "/file-with-a-*.html", False),
    ("an escaped star is no wildcard", ALL + "Disallow: /file-with-a-%2A.html", "/file-with-a-x.html", True),
    ("an escaped dollar", ALL + "Disallow: /foo-%24", "/foo-$", False),
    ("query", ALL + "Disallow: /*?s=", "/a?s=1", False),
    ("RFC: query with an address", ALL + "Disallow: /foo/bar?baz=http://foo.bar",
     "/foo/bar?baz=http%3A%2F%2Ffoo.bar", False),
    ("RFC: a letter beyond ASCII", ALL + "Disallow: /foo/bar/ツ", "/foo/bar/%E3%83%84", False),
    ("RFC: the same, escaped", ALL + "Disallow: /foo/bar/%E3%83%84", "/foo/bar/ツ", False),
    ("RFC: needless escapes", ALL + "Disallow: /foo/bar/%62%61%7A", "/foo/bar/baz", False),
    ("needless escapes in the address", ALL + "Disallow: /~joe", "/%7Ejoe/", False),
    ("case of escapes", ALL + "Disallow: /%e3%83%84", "/%E3%83%84", False),
    ("an escaped slash is no slash", ALL + "Disallow: /a/b", "/a%2Fb", True),
    ("comments", "# hello\n" + ALL + "Disallow: /a # why\n", "/a", False),
    ("a comment is no path", ALL + "Disallow: # /", "/x", True),
    ("spaces around", "  User-agent :  *  \n\tDisallow\t:\t/a  ", "/a", False),
    ("no colon", ALL + "Disallow /a", "/a", False),
    ("no slash", ALL + "Disallow: a", "/a", False),
    ("DOS lines", "User-agent: *\r\nDisallow: /a\r\n", "/a", False),
    ("Mac lines", "User-agent: *\rDisallow: /a\r", "/a", False),
    ("no line end at the end", ALL + "Disallow: /a", "/a", False),
    ("other line ends are letters", ALL + "Disallow: /a\x0bDisallow: /b\x85Disallow: /c", "/b", True),
    ("misspelt", "Useragent: *\nDissalow: /a", "/a", False),
    ("robots.txt itself", ALL + "Disallow: /", "/robots.txt", True),
    ("fragment", ALL + "Disallow: /x$", "/x#top", False),
]  # fmt: skip


@pytest.mark.parametrize(("text", "path", "allowed"), [case[1:] for case in CASES], ids=[c[0] for c in CASES])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["", "BOM"])
def test_rfc_9309(mark: bytes, text: str, path: str, allowed: bool) -> None:
    robots = Robots.parse(mark + text.encode(), "foobot")
    assert robots.allows(SITE + path) is allowed
    assert ("Disallow" in robots.rule(SITE + path)) is not allowed


@pytest.mark.parametrize("agent", ["foobot", "FooBot", "foobot/1.0"])
def test_our_name_may_carry_a_version(agent: str) -> None:
    assert not Robots.parse(b"User-agent: Foobot\nDisallow: /", agent).allows(SITE + "/x")


def test_utf_16_is_read_too() -> None:
    for encoding in ("utf-16-le", "utf-16-be"):
        content = "\ufeffUser-agent: *\nDisallow: /a".encode(encoding)
        assert not Robots.parse(content, "foobot").allows(SITE + "/a")


def test_bytes_of_another_encoding_match_as_they_are() -> None:
    robots = Robots.parse(b"User-agent: *\nDisallow: /caf\xe9", "foobot")
    assert not robots.allows(SITE + "/caf%E9")
    assert robots.rule(SITE + "/caf%E9").encode() == b"Disallow: /caf\\udce9"


def test_the_rule_is_given_in_the_words_of_the_file() -> None:
    robots = Robots.parse(b"User-agent: *\nDisallow: /%7Ejoe*x$ # private", "foobot")
    assert robots.rule(SITE + "/~joe/x") == "Disallow: /%7Ejoe*x$"
    assert robots.rule(SITE + "/") == "no rule of robots.txt matches"


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("", None),
        (ALL + "Crawl-delay: 5", 5.0),
        (ALL + "crawl-delay: 0.5", 0.5),
        (ALL + "Crawl-delay: 5\n" + US + "Disallow: /x", None),
        (ALL + "Crawl-delay: 5\nDisallow:\n" + US + "Crawl-delay: 7", 7.0),
        (US + "Crawl-delay: 7\nDisallow: /\n" + US + "Crawl-delay: 3", 7.0),
        (ALL + "Crawl-delay: soon", None),
        (ALL + "Crawl-delay: -1", None),
        (ALL + "Crawl-delay: nan", None),
        (ALL + "Crawl-delay: inf", None),
        ("Crawl-delay: 5", None),
    ],
)
def test_crawl_delay(text: str, delay: float | None) -> None:
    assert Robots.parse(text.encode(), "foobot").crawl_delay == delay


def test_sitemaps_are_for_everybody_and_named_once() -> None:
    text = (
        "Sitemap: http://a.test/1.xml\nUser-agent: x\nsitemap: /2.xml\nSitemap: http://a.test/1.xml\nSitemap:"
    )
    robots = Robots.parse(text.encode(), "foobot", SITE + "/robots.txt")
    assert robots.sitemaps == ("http://a.test/1.xml", "http://example.test/2.xml")
    assert Robots.parse(b"Sitemap: http://[::1", "x", SITE).sitemaps == ("http://[::1",)


def test_what_is_beyond_the_limit_is_not_read() -> None:
    filler = b"# filler\n" * (MAX_BYTES // 9)
    head = b"User-agent: *\nDisallow: /a\n"
    robots = Robots.parse(head + filler + b"Disallow: /b\n", "foobot")
    assert (robots.allows(SITE + "/a"), robots.allows(SITE + "/b")) == (False, True)


def test_a_rule_cut_by_the_limit_is_not_taken_for_a_shorter_one() -> None:
    start = b"User-agent: *\n#"
    rule = b"\nDisallow: /private"
    content = start + b"x" * (MAX_BYTES - len(start) - len(b"\nDisallow: /")) + rule
    assert content[:MAX_BYTES].endswith(b"Disallow: /")
    assert Robots.parse(content, "foobot").allows(SITE + "/public")


def answer(status: int, content: bytes = b"", truncated: str = "") -> Response:
    return Response(
        url=SITE + "/robots.txt",
        status=status,
        head=b"",
        headers=(),
        body=content,
        content=content,
        request=b"",
        address="192.0.2.1",
        began=0.0,
        took=0.1,
        truncated=truncated,
    )


def failed(trouble: Trouble) -> Failure:
    return Failure(url=SITE + "/robots.txt", trouble=trouble, detail="", began=0.0)


@pytest.mark.parametrize(
    ("outcome", "allowed"),
    [
        (answer(200), True),
        (answer(200, b"User-agent: *\nDisallow: /"), False),
        (answer(200, b"<html>not found</html>"), True),
        (answer(301), True),
        (answer(400), True),
        (answer(401), True),
        (answer(403), True),
        (answer(404), True),
        (answer(410), True),
        (answer(429), False),
        (answer(500), False),
        (answer(503), False),
        (answer(200, b"User-agent: *\n", "disconnect"), False),
        (answer(200, b"User-agent: *\n" + b"#\n" * MAX_BYTES, "length"), True),
        *((failed(trouble), trouble is Trouble.REDIRECTS) for trouble in Trouble),
    ],
)
def test_what_an_answer_means(outcome: Response | Failure, allowed: bool) -> None:
    robots = Robots.from_outcome([outcome], MannersSettings(), "foobot")
    assert robots.allows(SITE + "/x") is allowed
    assert robots.allows(SITE + "/robots.txt")
    assert robots.temporary is (not allowed and not robots.rules)
    assert robots.rule(SITE + "/x")


def test_the_last_of_a_chain_counts() -> None:
    chain = [answer(301), answer(302), answer(200, b"User-agent: *\nDisallow: /x")]
    assert not Robots.from_outcome(chain, MannersSettings(), "foobot").allows(SITE + "/x")


def test_robots_can_be_ignored_on_ones_own_servers() -> None:
    content = b"User-agent: *\nDisallow: /\nSitemap: http://a.test/s.xml"
    robots = Robots.from_outcome([answer(200, content)], MannersSettings(obey_robots=False), "foobot")
    assert robots.allows(SITE + "/x")
    assert robots.sitemaps == ("http://a.test/s.xml",)
    assert "manners.obey_robots" in robots.rule(SITE + "/x")


HOSTILE = [
    ("/*" + "a*" * 2000 + "$", "/" + "a" * 3000),
    ("/" + "*a" * 60 + "$", "/" + "a" * 3000 + "b"),
    ("/" + "*ab" * 500, "/" + "a" * 20_000),
    ("/" + "*" * 100_000 + "$", "/" + "a" * 20_000),
]


@pytest.mark.parametrize(("pattern", "path"), HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_patterns_take_no_time(pattern: str, path: str) -> None:
    robots = Robots.parse(f"User-agent: *\nDisallow: {pattern}".encode(), "foobot")
    began = process_time()
    robots.allows(SITE + path)
    assert process_time() - began < 2


def test_many_rules_take_no_time() -> None:
    lines = [f"Disallow: /{'x' * (n % 50)}{n}" for n in range(20_000)]
    robots = Robots.parse("\n".join(["User-agent: *", *lines]).encode(), "foobot")
    began = process_time()
    for _ in range(1000):
        robots.allows(SITE + "/some/long/path/that/matches/nothing/at/all.html")
    assert (process_time() - began) / 1000 < 500e-6  # tens of µs by length, milliseconds one by one


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
def test_files_of_others_are_read(sample: Path) -> None:
    content = sample.read_bytes()
    for agent in ("mybot", "bot1", "*", ""):
        robots = Robots.parse(content, agent, SITE + "/robots.txt")
        assert robots.rule(SITE + "/some/path?query=1")
    assert Robots.parse(gzip.compress(content), "mybot").allows(SITE + "/") in (True, False)


def test_there_are_samples() -> None:
    assert len(SAMPLES) >= 20


PIECES = st.sampled_from(["/", "a", "b", "*", "$", "%2A", "%61", "?", "ü", "//", "ab"])
PATTERN = st.lists(PIECES, max_size=8).map(lambda parts: "/" + "".join(parts))


def naive(pattern: str, path: str) -> bool:
    """The meaning of a pattern, letter by letter."""
    if not pattern or pattern == "$":
        return not pattern or not path
    if pattern[0] == "*":
        return any(naive(pattern[1:], path[start:]) for start in range(len(path) + 1))
    return bool(path) and path[0] == pattern[0] and naive(pattern[1:], path[1:])


@hypothesis_settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.lists(st.sampled_from("/ab*"), max_size=7).map(lambda letters: "/" + "".join(letters)),
    st.booleans(),
    st.lists(st.sampled_from("/ab"), max_size=8).map(lambda letters: "/" + "".join(letters)),
)
def test_patterns_mean_what_they_say(pattern: str, end: bool, path: str) -> None:
    full = pattern + "$" * end
    robots = Robots.parse(f"User-agent: *\nDisallow: {full}".encode(), "foobot")
    assert robots.allows(SITE + path) is not naive(full, path)


@hypothesis_settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.booleans(), PATTERN), max_size=6), PATTERN)
def test_the_longest_rule_wins(lines: list[tuple[bool, str]], path: str) -> None:
    path = path.replace("?", "").replace("$", "").replace("*", "")
    text = "\n".join(["User-agent: *", *(f"{'Allow' if a else 'Disallow'}: {p}" for a, p in lines)])
    robots = Robots.parse(text.encode(), "foobot")
    alone = [
        (len(rule.pattern), rule.allow)
        for rule in robots.rules
        if str(rule) == Robots.parse(f"User-agent: *\n{rule}".encode(), "foobot").rule(SITE + path)
    ]
    assert robots.allows(SITE + path) is (max(alone)[1] if alone else True)


@hypothesis_settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=200))
def test_no_bytes_break_the_parser(content: bytes) -> None:
    for mark in (b"", b"\xff\xfe", b"User-agent: *\nDisallow: /"):
        robots = Robots.parse(mark + content, "foobot", SITE)
        robots.allows(SITE + "/a?b#c")
        robots.rule("http://example.test")
