"""Every way to send a reader on is found, what only looks like one is not, and farms are judged."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.spam.redirects import Chain, Redirect, RedirectGraph, follow, redirects

HERE = "http://start.test/page"
THERE = "https://farm.test/go?x=1"


def in_page(html: str) -> list[Redirect]:
    return redirects(HERE, content=html.encode())


def script(code: str) -> list[str]:
    return [one.url for one in in_page(f"<html><script>{code}</script>") if one.kind == "script"]


def test_headers_redirect() -> None:
    for status in (301, 302, 303, 307, 308):
        found = redirects(HERE, status=status, headers=[("Location", "/b"), ("location", "/c")])
        assert found == [Redirect("http", "http://start.test/b")]
    assert redirects(HERE, status=304, headers=[("location", "/b")]) == []
    assert redirects(HERE, status=302) == []
    assert redirects(HERE, status=301, headers=[("location", "mailto:a@b")]) == []
    assert redirects(HERE, headers=[("refresh", f"3; url={THERE}")]) == [Redirect("header", THERE, 3)]
    assert redirects(HERE, headers=[("refresh", f"300; url={THERE}")]) == []


def test_meta_refresh_redirects_unless_it_reloads() -> None:
    assert in_page(f"<meta http-equiv=refresh content='0;url={THERE}'>") == [Redirect("meta", THERE)]
    assert in_page("<base href=//x.test/d/><meta http-equiv=refresh content='1;a'>") == [
        Redirect("meta", "http://x.test/d/a", 1)
    ]
    assert in_page("<meta http-equiv=refresh content=5>") == []
    assert in_page(f"<meta http-equiv=refresh content='5;url={HERE}#top'>") == []


@pytest.mark.parametrize(
    "code",
    [
        f"location='{THERE}'",
        f'window.location = "{THERE}";',
        f"document.location.href='{THERE}'",
        f"top.location.replace('{THERE}')",
        f"self.location.assign( `{THERE}` )",
        f"parent.location['href']='{THERE}'",
        f"window['location']='{THERE}'",
        f"window.top.location.href = '{THERE}'",
        "location.href = 'https://' + 'farm.test' + '/go?x=1'",
        "var h = 'farm.test', u = 'https://' + h; location = u + \"/go?x=1\";",
        "location = 'https:\\/\\/farm.test\\/go?x\\x3d1'",
        f"window.onload = function() {{ location.href = '{THERE}' }}",
        f"(function(){{ if (1) {{ location = '{THERE}' }} }})()",
        f"setTimeout(function() {{ location = '{THERE}'; }}, 2000)",
        f"setTimeout(\"location='{THERE}'\", 500)",
        f"setTimeout(() => {{ location = '{THERE}' }}, 0)",
        f"function go() {{ location = '{THERE}' }} go();",
        f"function go() {{ location = '{THERE}' }} setTimeout(go, 5)",
        f"document.addEventListener('DOMContentLoaded', function() {{ location = '{THERE}' }})",
        f"$(document).ready(function() {{ window.location.replace('{THERE}') }})",
        f"window.open('{THERE}', '_self')",
        f"<!--\nlocation='{THERE}'\n//-->",
    ],
)
def test_scripts_redirect(code: str) -> None:
    assert script(code) == [THERE]


@pytest.mark.parametrize(
    "code",
    [
        f"function go() {{ location = '{THERE}' }}",
        f"button.onclick = function() {{ location = '{THERE}' }}",
        f"b.addEventListener('click', function() {{ location = '{THERE}' }})",
        f"b.addEventListener('click', () => {{ location = '{THERE}' }})",
        f"// location = '{THERE}'",
        f"/* location = '{THERE}' */",
        f"var s = \"location = '{THERE}'\"",
        f"if (location == '{THERE}') x()",
        f"var mylocation = '{THERE}'; a.location2 = '{THERE}'",
        f"window.open('{THERE}')",
        "if (top != self) top.location = self.location.href",
        "location = next",
        "location.reload()",
        "location.hash = 'a'",
        "",
    ],
)
def test_other_scripts_do_not(code: str) -> None:
    assert script(code) == []


def test_addresses_made_of_our_own_are_told() -> None:
    assert script("location = location.protocol + '//www.' + location.hostname + '/'") == [
        "http://www.start.test/"
    ]
    assert script("location = 'https://farm.test/?d=' + encodeURIComponent(location.href)") == [
        "https://farm.test/?d=http%3A%2F%2Fstart.test%2Fpage"
    ]
    assert script("location = 'https://farm.test/?d=' + unknown()") == ["https://farm.test/?d="]
    assert script("location = 'https://farm' + unknown") == []
    assert in_page(f"<body onload=\"location.href='{THERE}'\">") == [Redirect("script", THERE)]
    assert in_page(f"<script type=text/template>location='{THERE}'</script>") == []
    assert script("location = 'https://' + location.href.slice(7)") == ["https://start.test/page"]
    delayed = in_page(f"<script>setTimeout(function() {{ location = '{THERE}'; }}, 2500)</script>")
    assert delayed == [Redirect("script", THERE, 2.5)]


def test_a_redirect_under_a_condition_is_uncertain() -> None:
    def certain(code: str) -> list[bool]:
        return [one.certain for one in in_page(f"<script>{code}</script>")]

    assert certain(f"window.onload = function() {{ location = '{THERE}' }}") == [True]
    assert certain(f"x(); location = '{THERE}'") == [True]
    assert certain(f"if (phone) {{ location = '{THERE}' }}") == [False]
    assert certain(f"if (phone) location = '{THERE}'") == [False]
    assert certain(f"phone && (location = '{THERE}'); phone ? location = '{THERE}?' : 0") == [False, False]


def test_frames_that_fill_the_window_redirect() -> None:
    found = [Redirect("frame", THERE)]
    assert in_page(f"<frameset rows='100%,*'><frame src='{THERE}'></frameset>") == found
    assert in_page(f"<title>x</title><iframe src='{THERE}' width=100% height='100%'></iframe>") == found
    assert in_page(f"<iframe style='position:fixed;width:100%;height:100vh' src='{THERE}'></iframe>") == found
    assert in_page(f"<iframe src='{THERE}' width=400 height=300></iframe>") == []
    assert (
        in_page(f"<p>{'much to read ' * 40}</p><iframe src='{THERE}' width=100% height=100%></iframe>") == []
    )
    assert in_page("<frameset cols=20%,*><frame src=menu.html><frame src=main.html></frameset>") == []


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.text("location=.'\"{}()+;/*\\`$ \nfunctivarx<>&#", max_size=80), st.binary(max_size=60))
def test_anything_can_be_read(code: str, rubbish: bytes) -> None:
    page = b"<script>" + code.encode() + b"location=" + rubbish + b"</script>" + rubbish
    assert all(one.url.startswith("http") for one in redirects(HERE, content=page))


@pytest.mark.parametrize(
    "code",
    [
        "location" + " " * 200_000,
        "location='" * 30_000,
        "{" * 200_000,
        "a=" * 100_000 + "location=a",
        "`" * 99_999,
        "function a(){location=b}" * 9000,
        "var a=a+a;location=a",
        "(" * 100_000 + "location='x'",
        "\n" * 300_000,
    ],
)
def test_no_script_takes_long(code: str) -> None:
    began = time.process_time()
    script(code)
    assert time.process_time() - began < 2


def test_chains_end_or_are_told() -> None:
    steps = {"a": "b", "b": "c", "x": "y", "y": "x", **{str(i): str(i + 1) for i in range(50)}}
    assert follow("a", steps.get) == Chain(("a", "b", "c"), "landed")
    assert follow("a", steps.get).landing == "c"
    assert follow("c", steps.get) == Chain(("c",), "landed")
    assert follow("x", steps.get) == Chain(("x", "y", "x"), "loop")
    assert follow("x", steps.get).landing == ""
    assert follow("0", steps.get).ending == "too long"
    assert len(follow("0", steps.get).steps) == 11
    assert follow("40", steps.get).ending == "landed"


def ledger(redirecting: int, linking: int, target: str = "https://farm.test/?d={}") -> RedirectGraph:
    found = RedirectGraph()
    for i in range(redirecting):
        found.add(f"http://{'kmqtvz'[i % 6]}{i * 7919}.com/", target.format(i), True)
    for i in range(linking):
        found.add(f"http://reader{i}.org/", target.format(0), False)
    return found


SHAPES = {f"https://farm.test/?d={i}": "abcdefgh" + "i" * (i % 2) for i in range(100)}


def test_a_farm_has_redirects_and_pages_of_one_shape() -> None:
    farm = ledger(40, 10)
    assert farm.suspects() == ["farm.test"]
    verdict = farm.judge("farm.test", SHAPES)
    assert verdict.score == 1
    assert verdict.reasons[0] == "40 of 50 domains that lead to it do so by redirect"
    different = {address: chr(97 + i) * 9 for i, address in enumerate(SHAPES)}
    assert farm.judge("farm.test", different).score == 0


def test_others_are_no_farms() -> None:
    assert ledger(19, 0).suspects() == []
    assert ledger(40, 40).suspects() == []  # as many link to it: a popular service
    assert ledger(40, 0, "https://bit.ly/{}").suspects() == []
    assert ledger(40, 0, "https://login.some.test/?to={}").suspects() == []
    assert ledger(40, 0, "https://moved.test/").judge("moved.test", {"https://moved.test/": "abc"}).score == 0
    one_brand = RedirectGraph()
    for i in range(40):
        one_brand.add(f"http://acmecorp{i}.com/", f"https://acmecorp.com/{i}", True)
    assert one_brand.suspects() == []
    own = RedirectGraph()
    for i in range(40):
        own.add(f"http://sub{i}.site.com/", "https://www.site.com/", True)
        own.add("not an address", "https://www.site.com/", True)
    assert own.suspects() == []
    assert own.judge("never.seen", {}).score == 0


@pytest.mark.parametrize(
    "page",
    [
        b"<script>location=f()</script>" * 200_000,
        b"<script>" + b"location=f();" * 500_000,
        b"<iframe src=x width=100% height=100%></iframe>" * 150_000,
        b"<script>location" + b" " * 8_000_000 + b"=1</script>",
        b"<script>location='" * 300_000,
        bytes(range(256)) * 30_000,
    ],
    ids=["scripts", "script", "frames", "blanks", "quotes", "binary"],
)
def test_huge_pages_are_read_and_send_nowhere_far(page: bytes) -> None:
    assert len(redirects("http://a.test/", content=page)) <= 1
