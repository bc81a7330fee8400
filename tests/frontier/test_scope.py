"""Each rule of the scope, their order, and mistakes in the settings."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import ConfigError
from fieldmouse.frontier import scope as scopes
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.settings import ScopeSettings as Limits

SEEDS = ("www.example.co.uk", "127.0.0.1:8080", "[::1]:81", "me.github.io")


def reject(url: str, seeds: tuple[str, ...] = SEEDS, **limits) -> str:
    limits.setdefault("allow", ())
    return CrawlScope(Limits(**limits), seeds).reject(url)


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("https://example.co.uk/", True),
        ("https://a.b.example.co.uk:8443/x", True),
        ("https://example.com/", False),
        ("https://other.co.uk/", False),
        ("https://notexample.co.uk/", False),
        ("http://127.0.0.1/", True),
        ("http://0.127.0.1/", False),
        ("http://[::1]/", True),
        ("http://[::2]:81/", False),
        ("http://you.github.io/", False),
    ],
)
def test_seeds_mean_their_registrable_domains(url, inside):
    assert (reject(url, allow=("seeds",)) == "") is inside


def test_allowed_domains():
    allow = ("Example.com.", "*.example.org", ".example.net", "bücher.de", "seeds")
    for host in (
        "example.com",
        "a.example.com",
        "example.org",
        "b.example.net",
        "xn--bcher-kva.de",
        "example.co.uk",
    ):
        assert reject(f"http://{host}/", allow=allow) == ""
    assert reject("http://a.example.edu/", allow=allow) == "scope: domain example.edu is not allowed"
    assert reject("http://anything.example/") == ""
    assert reject("http://anything.example/", (), allow=("seeds",)) != ""


def test_a_denial_wins():
    limits = {"allow": ("example.com",), "deny": ("ads.example.com", "10.0.0.1")}
    assert reject("http://example.com/", **limits) == ""
    assert reject("http://x.ads.example.com/", **limits) == "scope: domain ads.example.com is denied"
    assert reject("http://badads.example.com/", **limits) == ""
    assert reject("http://10.0.0.1:81/", deny=("10.0.0.1",)) == "scope: domain 10.0.0.1 is denied"


def test_patterns():
    limits = {
        "deny_urls": (r"/private/", r"[?&]print=1"),
        "allow_urls": (r"^https://[^/]*/docs/", r"\.html$"),
    }
    assert reject("https://example.com/docs/a", **limits) == ""
    assert reject("http://example.com/a.html", **limits) == ""
    assert reject("http://example.com/a", **limits) == "scope: matches no allowed pattern"
    assert reject("https://example.com/docs/private/", **limits) == (
        "scope: matches the denied pattern /private/"
    )


def test_endings_and_length():
    assert reject("http://example.com/a.PDF?x=1") == "scope: extension .pdf"
    assert reject("http://example.com/a?x=.pdf") == ""
    assert reject("http://example.com/a.pdf", deny_extensions=()) == ""
    assert reject("http://example.com/a.foo", deny_extensions=(".Foo",)) == "scope: extension .foo"
    url = "http://example.com/" + "a" * 100
    assert reject(url, max_url=len(url)) == ""
    assert reject(url, max_url=len(url) - 1) == f"scope: longer than {len(url) - 1} characters"


def test_the_first_rule_in_the_documented_order_gives_the_reason():
    url = "http://ads.example.com/secret/a.pdf"
    rules = [
        ("max_url", 20, "longer"),
        ("deny", ("example.com",), "denied"),
        ("allow", ("example.org",), "not allowed"),
        ("deny_extensions", ("pdf",), "extension"),
        ("deny_urls", ("secret",), "denied pattern"),
        ("allow_urls", ("public",), "no allowed pattern"),
    ]
    for first in range(len(rules)):
        chosen = {name: value for name, value, _ in rules[first:]}
        assert rules[first][2] in reject(url, **({"deny_extensions": ()} | chosen))


@pytest.mark.parametrize("setting", ["allow_urls", "deny_urls"])
def test_a_bad_expression_is_named(setting):
    with pytest.raises(ConfigError, match=rf"scope\.{setting}: '\(a'"):
        CrawlScope(Limits(**{setting: ("ok", "(a")}))


@pytest.mark.parametrize("setting", ["allow", "deny"])
@pytest.mark.parametrize(
    "domain", ["https://example.com", "example.com/a", "", "a b", "*", "me@example.com", "a..b"]
)
def test_a_bad_domain_is_named(setting, domain):
    with pytest.raises(ConfigError, match=rf"scope\.{setting}: .* is not a domain"):
        CrawlScope(Limits(**{setting: (domain,)}))


def test_who_wants_the_whole_web_is_told_how():
    with pytest.raises(ConfigError, match=r"or \[\] for the whole Web"):
        CrawlScope(Limits(allow=("*",)))


def test_media_types():
    kept = CrawlScope(Limits())
    for mime in ("text/html", "Text/HTML; charset=utf-8", "application/xhtml+xml", ""):
        assert kept.keeps(mime)
    for mime in ("text/plain", "image/png", "text/htmlx", "xtext/html", "nonsense"):
        assert not kept.keeps(mime)
    assert CrawlScope(Limits(mime=("text/*",))).keeps("text/csv")
    assert not CrawlScope(Limits(mime=("text/*",))).keeps("application/text")
    assert CrawlScope(Limits(mime=("*/*",))).keeps("image/png")
    assert CrawlScope(Limits(mime=("application/*+xml",))).keeps("application/atom+xml")
    assert not CrawlScope(Limits(mime=())).keeps("text/html")


def test_verdicts_are_remembered_but_not_for_ever():
    scope = CrawlScope(Limits(allow=("example.com",)))
    for number in range(scopes.REMEMBERED_HOSTS + 10):
        scope.reject(f"http://h{number}/")
    assert scope._reject_host.cache_info().currsize <= scopes.REMEMBERED_HOSTS
    assert scope.reject("http://example.com/") == ""


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5).map(".".join))
def test_a_domain_holds_exactly_its_subdomains(host):
    name = f"{host}.test"
    inside = name == "a.b.test" or name.endswith(".a.b.test")
    assert (reject(f"http://{name}/", allow=("a.b.test",)) == "") is inside
    assert (reject(f"http://{name}/", deny=("a.b.test",)) != "") is inside


@pytest.mark.parametrize("path", ["a.pdf;v=1", "a.pdf?b.html", "a.PDF", "x/a.pdf;v=1?c.d", ".x/a.pdf"])
def test_endings_are_found_whatever_follows_them(path):
    assert reject(f"http://example.com/{path}", deny_extensions=("pdf",)) == "scope: extension .pdf"


@pytest.mark.parametrize("path", ["", ".pdf", "pdf", "a.pdf/", "a.pdf/b", "a?b.pdf", "a;b.pdf", "a.pdf.html"])
def test_what_only_looks_like_an_ending_is_none(path):
    assert reject(f"http://example.pdf/{path}", deny_extensions=("pdf",)) == ""
