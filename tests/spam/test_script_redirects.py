"""Scripts are folded: what leads away is found in any disguise, and what stays is not accused."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.spam.redirects import Redirect, redirects
from fieldmouse.spam.script_folding import Folder
from fieldmouse.spam.script_redirects import may_redirect
from fieldmouse.spam.script_values import UNKNOWN, pattern

from . import combined_redirects, kit_redirects, later_redirects
from .combined_redirects import COMBINED, IN_DOUBT, LATER, STAYING_COMBINED, STAYING_LATER
from .redirect_pages import HELD_OUT, HERE, LEAVING, STAYING, STAYING_HELD_OUT, THERE


def found(page: str) -> list[Redirect]:
    return redirects(HERE, content=page.encode())


def folded(code: str) -> Folder:
    folder = Folder(HERE, [])
    folder.run([code])
    return folder


def value(expression: str) -> object:
    return folded(f"var found = {expression}").top.names.get("found")


@pytest.mark.parametrize("kind", [*LEAVING, *HELD_OUT])
def test_hostile_pages_are_found(kind: str) -> None:
    page = (LEAVING | HELD_OUT)[kind]
    assert THERE in [one.url for one in found(page) if one.certain]


@pytest.mark.parametrize("kind", [*STAYING, *STAYING_HELD_OUT])
def test_benign_pages_are_not_accused(kind: str) -> None:
    assert found((STAYING | STAYING_HELD_OUT)[kind]) == []


@pytest.mark.parametrize("kind", [*COMBINED, *LATER])
def test_combined_techniques_are_found(kind: str) -> None:
    told = redirects(combined_redirects.HERE, content=(COMBINED | LATER)[kind].encode())
    assert (combined_redirects.THERE, kind not in IN_DOUBT) in [(one.url, one.certain) for one in told]


@pytest.mark.parametrize("kind", [*STAYING_COMBINED, *STAYING_LATER])
def test_scripts_that_look_alike_are_not_accused(kind: str) -> None:
    page = (STAYING_COMBINED | STAYING_LATER)[kind]
    assert redirects(combined_redirects.HERE, content=page.encode()) == []


@pytest.mark.parametrize("kind", sorted(later_redirects.HOSTILE.keys() - later_redirects.MISSED))
def test_later_scripts_are_found(kind: str) -> None:
    told = found(f"<html><body><script>{later_redirects.HOSTILE[kind]}</script></body></html>")
    assert (later_redirects.TARGET, kind not in later_redirects.DOUBTFUL) in [
        (one.url, one.certain) for one in told
    ]


@pytest.mark.parametrize("kind", later_redirects.BENIGN)
def test_later_scripts_that_stay_are_not_accused(kind: str) -> None:
    told = found(f"<html><body><p>Text</p><script>{later_redirects.BENIGN[kind]}</script></body></html>")
    assert [one.url for one in told if one.url != HERE.replace("http:", "https:")] == []


@pytest.mark.parametrize("kind", kit_redirects.HOSTILE)
def test_forms_of_real_kits_are_found(kind: str) -> None:
    told = redirects(kit_redirects.HERE, content=kit_redirects.HOSTILE[kind].encode())
    found = [(one.url, one.certain) for one in told]
    assert (kit_redirects.THERE, kind not in kit_redirects.DOUBTFUL) in found


@pytest.mark.parametrize("kind", kit_redirects.CORNERS)
def test_rare_forms_are_found(kind: str) -> None:
    told = redirects(kit_redirects.HERE, content=kit_redirects.CORNERS[kind].encode())
    assert (kit_redirects.THERE, True) in [(one.url, one.certain) for one in told]


@pytest.mark.parametrize(
    "tag", ["<input onfocus={0}>", "<details ontoggle={0}><summary>x</summary></details>"]
)
def test_what_only_the_visitor_starts_is_not_accused(tag: str) -> None:
    script = f"\"location.href='{kit_redirects.THERE}'\""
    assert redirects(kit_redirects.HERE, content=tag.format(script).encode()) == []


@pytest.mark.parametrize("kind", kit_redirects.BENIGN)
def test_the_same_means_for_something_else_are_not_accused(kind: str) -> None:
    told = redirects(kit_redirects.HERE, content=kit_redirects.BENIGN[kind].encode())
    assert [one for one in told if one.certain or kind not in kit_redirects.CONDITIONAL] == []


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("new URL('/a?b=1', 'https://x.example/c').href", "https://x.example/a?b=1"),
        (
            "(function(u){u.hash='z';u.search='?q=2';return u+''})(new URL('https://x.example/'))",
            "https://x.example/?q=2#z",
        ),
        ("(function(u){u.href='http://y.example/p';return u.pathname})(new URL('https://x.example/'))", "/p"),
        ("new URL('https://x.example/?a=1&b=2').searchParams.get('b')", "2"),
        ("''.constructor.fromCharCode(97)", "a"),
        ("Object.entries({a: 1, b: 'c'}).join(';')", "a,1;b,c"),
        ("JSON.parse('{\"a\": [1, true, null]}').a.join('-')", "1-true-"),
        ("JSON.parse('{').a", UNKNOWN),
        ("new TextDecoder().decode(new Uint8Array([195, 169]))", "é"),
    ],
)
def test_objects_of_the_browser_that_compute(expression: str, expected: object) -> None:
    assert value(expression) == expected


def test_styles_of_what_a_selection_holds_are_no_styles_of_the_page() -> None:
    code = "var a=$('.box');if(a.size){a.style.width='2px';a.style.setProperty('top','0')}"
    code += f"location.href='{THERE}'"
    assert [one.url for one in found(f"<script>{code}</script>")] == [THERE]


def test_there_are_enough_kinds() -> None:
    assert len(kit_redirects.HOSTILE) >= 30
    assert len(kit_redirects.BENIGN) >= 30
    assert len(LEAVING) + len(HELD_OUT) >= 75
    assert len(HELD_OUT) * 3 >= len(LEAVING) >= 50
    assert len(STAYING) >= 30
    assert len(COMBINED) >= 50
    assert len(STAYING_COMBINED) >= 30
    assert len(LATER) >= 15
    assert len(IN_DOUBT) == 1


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("'a' + 1 + 2", "a12"),
        ("1 + 2 + 'a'", "3a"),
        ("'abcdef'.substr(-3, 2)", "de"),
        ("'abc'.substring(2, 0)", "ab"),
        ("'a-b-c'.split('-').reverse().join('')", "cba"),
        ("[1, , 3].join('x')", "1xx3"),
        ("'aXbX'.replace(/x/gi, '')", "ab"),
        ("'a.b'.replace(/\\./, '\\x2d')", "a-b"),
        ("`${1 + 1}${`n${'x'}`}`", "2nx"),
        ("(255).toString(16) + parseInt('ff', 16)", "ff255"),
        ("unescape('%u0041%42') + decodeURIComponent('%C3%A9')", "AB\u00e9"),
        ("typeof void 0", "undefined"),
        ("[..'ab'].length || 'x'", None),  # not JavaScript
        ("(function f(n) { return n ? n + f(n - 1) : '' })(3)", "321"),
        ("((a, {b, c = 'd'}, ...e) => a + b + c + e.length)('x', {b: 'y'}, 1, 2)", "xyd2"),
        ("5 / 2 | 0", 2),
        ("~5 ^ 3 & 1 << 2 >>> 1", -8),
        ("'b' > 'a' && 'yes' || 'no'", "yes"),
    ],
)
def test_values_are_those_of_javascript(expression: str, expected: object) -> None:
    assert value(expression) == expected


def certain(code: str) -> dict[str, bool]:
    return {one.url: one.certain for one in found(f"<script>{code}</script>")}


def test_an_unknown_condition_leaves_doubt() -> None:
    assert certain(f"if (phone) location = '{THERE}'") == {THERE: False}
    assert certain(f"if (phone) return1; location = '{THERE}'") == {THERE: True}
    assert certain(f"(function() {{ if (phone) return; location = '{THERE}' }})()") == {THERE: False}
    assert certain(f"phone && (location = '{THERE}')") == {THERE: False}
    assert certain(f"location = phone ? '{THERE}' : '/x'") == {THERE: True, "http://start.test/x": True}
    assert certain(f"location = settings.url || '{THERE}'") == {THERE: False}
    assert certain(f"if (a) {{ location = '{THERE}' }} else {{ location = '/x' }}") == {
        THERE: True,
        "http://start.test/x": True,
    }
    assert certain(f"var u = '/a'; if (phone) u = '{THERE}'; location = u") == {
        THERE: True,
        "http://start.test/a": True,
    }
    assert certain(f"for (var i in stuff) location = '{THERE}'") == {THERE: False}


def test_a_switch_to_https_or_a_phone_is_told_as_it_is() -> None:
    upgrade = "if (location.protocol != 'https:') location.href = 'https:' + location.href.substring(5)"
    assert certain(upgrade) == {"https://start.test/page": True}
    phone = "if (/Mobi/.test(navigator.userAgent)) location = 'http://m.start.test/'"
    assert certain(phone) == {"http://m.start.test/": False}
    assert certain("if (!document.cookie.match(/user=/)) location = '/login'") == {
        "http://start.test/login": False
    }


def test_ordinary_pages_are_passed_over() -> None:
    ordinary = (
        b"<script>var a = window.location.href, b = a.split('/'); track(b, document.location.host)</script>"
    )
    assert not may_redirect(ordinary)
    assert not may_redirect(b"<p>Our location: <b>London</b>. Click here, open (daily), submit forms.</p>")
    assert all(may_redirect(page.encode()) for page in LEAVING.values() if "<script" in page)


@pytest.mark.parametrize(
    "code",
    [
        "while(true){location.x=1}",
        "for(;;);",
        "function f(){f()}f();location='/x'",
        "var s='a';while(1)s+=s;location=s",
        "var a=[1];while(1)a=a.concat(a);location=a",
        "var s='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'.repeat(600);location=s.replace(/(a+)+b/,'')",
        "var s='a'.repeat(20000);for(;;)location=s.replace(/a*b/g,'x')",
        "location=" + "(/[" * 60_000,
        "location=" + "a?" * 50_000,
        "if(a)location=1;else " * 5000,
        "location=" + "[" * 50_000,
        "location=" + "f(" * 50_000,
        "location=" + "x=>" * 50_000,
        "location=`${" * 20_000,
        "eval('" * 20_000 + "location",
        "var c='eval(c);location';eval(c)",
        "setInterval(function(){setInterval(arguments.callee,1)},1);location=f",
        "document.write('<script>document.write(unescape(location=1))</script>')",
        "if(a)" + "{if(a)" * 30 + "f()" + "}" * 30 + "location=b",
        "function f(n){if(u)f(n);else f(n);f(n)}f(1);location=f",
        "location='" + "\\u0061" * 30_000 + "'",
    ],
)
def test_no_script_takes_long_or_raises(code: str) -> None:
    began = time.process_time()
    found(f"<script>{code}</script>")
    assert time.process_time() - began < 2


def test_slow_regular_expressions_are_not_used() -> None:
    for source in ("(a+)+b", "(a|a)*b", "a*a*b", "a+.*b", "(?:x+x+)+y", "(a)\\1*"):
        assert pattern(source, "").found is None
    for source in (
        "a*b",
        "[+*]",
        "\\+\\*x+",
        "^https?:",
        "[a-z]{2}",
        "[[a]",
        "[a&&b~~|]",
        "[\\[\\]]",
        "[+--]",
    ):
        assert pattern(source, "g").found is not None


WORDS = """location window
document = . ( ) { } [ ] ; , + ' " ` ${ function var if else for while return => 'x'
1 eval unescape atob new this => ... ? : && || / * < > ! try catch switch case class /a/g join split"""


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(WORDS.split()), max_size=40).map(" ".join))
def test_any_code_is_folded(code: str) -> None:
    folder = folded(code)
    assert folder.steps >= 0
    assert all(one.url for one in folder.exits)
