"""Content as text and as HTML, and the evidence by which passages are judged."""

import re
from html.parser import HTMLParser

import pytest

from fieldmouse.page.excerpt import safe_address
from fieldmouse.page.main_content import BAD, DEAD, LINK, NAMES, NAV, Weights, evidence, text_blocks, weights
from fieldmouse.page.tokens import Document, Keys, tokenise
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Stripper

from .site import article, articles, document


def content_text(page, templates=None, *, main=True):
    return Stripper(templates).strip(page).text(main=main)


def content_html(page, templates=None, *, main=True):
    return Stripper(templates).strip(page).html(main=main)


def found(page):
    return text_blocks(tokenise(document("", page.encode()), Keys()))


def told(page):
    return [one.text for one in found(page)]


# --- content ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 50])
def test_the_content_is_the_article(number):

    templates = distil("port.example", articles(16)).templates
    url, content, own = article(number)
    assert content_text(document(url, content), templates).split("\n") == own
    assert content_text(document(url, content), templates, main=False).split("\n") == own


def test_a_page_alone_is_judged_by_its_form():
    url, content, own = article(3)
    text = content_text(document(url, content))
    assert all(one in text for one in own[1:])
    assert "About us" not in text
    assert "About us" in content_text(document(url, content), main=False)


def test_when_nothing_is_good_everything_is_kept():
    assert content_text(document("", b"<p><a href=x>only a link</a></p>")) == "only a link"


def test_an_empty_page_has_no_content():
    for content in (b"", b"   ", b"<html></html>", b"\x00\xff\x89PNG\r\n"):
        page = Document.of(content)
        assert isinstance(content_text(page), str)
        assert isinstance(content_html(page), str)
    assert content_text(Document.of(b"<html></html>")) == ""


def test_content_as_html_keeps_structure_and_nothing_that_runs():
    templates = distil("port.example", articles(16)).templates
    url, content, own = article(2)
    page = content.replace(
        b"<p>",
        b'<p onclick="x()"><script>x()</script><a href="javascript:x()">so</a> <img src=a.png onerror=x> ',
        1,
    ).replace(
        b'</div><div class="footer"',
        b'<ul><li>First thing, of two.<li>Second &lt;b&gt; thing.</ul></div><div class="footer"',
    )
    out = Stripper(templates).strip(document(url, page)).html(main=False)
    assert f"<h1>{own[0]}</h1>" in out
    assert "<li>First thing, of two.</li>" in out
    assert "&lt;b&gt; thing." in out
    assert '<img src="a.png">' in out
    assert not re.search(r"script|onclick|onerror|class|About us|Quay", out)


class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("img", "br", "hr", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    "page",
    [
        "<div><p>One text<div>two<p>three</div>four<ul><li>five<li>six</ul>",
        "<table><tr><td>a<td>b<tr><td>c</table><b>d<i>e</b>f</i>",
        "<p>x</div></p></b>y<section>z<p>w</section>",
    ],
)
def test_html_is_balanced(page):
    parser = Balance()
    out = content_html(document("", page.encode()), main=False)
    parser.feed(out)
    parser.close()
    assert parser.open == []
    assert content_text(document("", out.encode()), main=False) == content_text(
        document("", page.encode()), main=False
    )


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("http://a/", True), ("/a:b", True), ("a.html", True), ("#x", True), ("mailto:a@b.example", True),
        ("javascript:x", False), (" java\nscript:x", False), ("JAVASCRIPT:x", False),
        ("data:text/html,x", False),
        ("\x01javascript:x", False), ("vbscript:x", False),
    ],
)  # fmt: skip
def test_addresses_that_run_something_are_dropped(address, safe):
    assert safe_address(address) is safe


# --- passages --------------------------------------------------------------------------------------------


def test_blocks_part_passages_and_inline_elements_do_not():
    assert told("<p>One <b>bold</b> word.<p>Two<div>three</div>four") == [
        "One bold word.",
        "Two",
        "three",
        "four",
    ]


def test_one_break_is_a_line_and_two_are_a_passage():
    assert told("a<br>b<br><br>c") == ["a b", "c"]


def test_what_nobody_sees_is_no_passage():
    page = (
        "<head><title>t</title></head><body><script>s</script><style>c</style><noscript>n</noscript>"
        "<div hidden>h</div><p style='display: none'>d</p><select><option>o</select>"
        "<textarea>x</textarea>seen"
    )
    assert told(page) == ["seen"]


def test_what_stands_around_a_passage():
    one, two, three = found(
        '<div class="sidebar"><ul class=menu><li><a href=x>Link</a> text</ul></div>'
        "<p>Plain.</p><a href=y>all</a>"
    )
    assert one.marks & NAV
    assert one.marks & BAD
    assert one.linked == 4
    assert one.free == one.size - 4 == 5
    assert not two.marks & (NAV | BAD | DEAD | LINK)
    assert (two.name, two.stop, two.points) == (b"p", True, 1)
    assert three.linked == three.size == 3
    assert one.parents[0] != two.parents[0]


def test_sizes_are_bytes():
    (one,) = found("<p>日本語。</p>")
    assert (one.size, one.stop) == (12, True)


def test_deep_nesting_is_no_trouble():
    assert told("<div>" * 5000 + "deep" + "</div>" * 5000 + "<p>out") == ["deep", "out"]


def test_evidence_has_a_name_each():
    rows = evidence(found("<p>One, two. Three.</p><ul><li><a href=x>four</a></ul>"))
    assert [len(row) for row in rows] == [len(NAMES)] * 2
    assert len(set(NAMES)) == len(NAMES)
    assert len(weights().values) == len(NAMES)
    assert rows[1][NAMES.index("links")] == 1.0
    assert rows[1][NAMES.index("within list")] == 1.0
    assert rows[0][NAMES.index("in p")] == 1.0
    assert evidence([]) == []


def test_weights_must_be_complete():
    with pytest.raises(KeyError):
        Weights.parsed('{"weights": {}, "bias": 0, "least": 0}')
