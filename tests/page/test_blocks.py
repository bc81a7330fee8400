"""The text of a page in blocks: what is a block, where it stands, and that nothing is lost or glued."""

import random
import re
import time
from html.entities import html5
from itertools import accumulate

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.demo.hosts import build
from fieldmouse.page import tags
from fieldmouse.page.blocks import text_blocks
from fieldmouse.page.charset import octets
from fieldmouse.page.marks import (
    ALT,
    BAD,
    CONTROL,
    DECLARED,
    EDGE,
    FOOTER,
    HEADER,
    LINK,
    LIST,
    MENU,
    NAV,
    TABLE,
    word_marks,
)
from fieldmouse.page.marks import GOOD as GOOD_WORDS

from .hostile import FRAGMENTS, GOOD, REPEATED, damaged, soup

steady = settings(max_examples=200, deadline=None, derandomize=True)


def walked(page, charset="utf-8"):
    """By the engine in use, which gives the same as every other."""
    index = tags.index(octets(page, charset)[0])
    found, *others = (text_blocks(page, index, charset, engine) for engine in tags.ENGINES)
    assert all(other == found for other in others)
    return found


def texts(page):
    return [block.text for block in walked(page).blocks]


@pytest.mark.parametrize("blank", [" ", "\n", "  ", " \n", "\t", "\r\n", "&nbsp;", "\u00a0", ""])
@pytest.mark.parametrize(
    "page",
    ["a<a href=x>b{0}c</a>d{0}e f{0}", "<pre>a{0}b<a href=x>{0}c{0}d</a>{0}</pre>", "{0}a{0}é{0}<i>b{0}"],
)
def test_words_are_counted_across_links(page, blank):
    walked(page.format(blank).encode())


NUMBERS = (0, 1, 9, 10, 13, 31, 32, 38, 60, 126, 127, 128, 150, 159, 160, 173, 182, 0x2028, 0xD7FF, 0xD800)
NUMBERS += (0xDFFF, 0xE000, 0xFDCF, 0xFDD0, 0xFEFF, 0xFFFD, 0xFFFF, 0x1F600, 0x110000, 99_999_999)


@pytest.mark.parametrize("end", [b";", b"", b"x"])
@pytest.mark.parametrize("number", NUMBERS)
def test_references_by_number(number, end):
    """`walked` compares what C reads itself with what Python reads."""
    for one in (b"&#%d", b"&#x%x", b"&#X%X", b"&#000%d"):
        reference = one % number + end
        walked(b"<p>a%sb<pre>%s c</pre><a><img alt='%s'></a>" % (reference, reference, reference))


@pytest.mark.parametrize("name", [*sorted(html5)[::9], "nbsp;", "para;", "rarr"])
def test_references_by_name(name):
    reference = name.encode()
    walked(b"<p>a&%s b&%sc<li>x<img alt='&%s'>" % (reference, reference, reference))


@pytest.mark.parametrize("charset", ["utf-8", "cp1252", "cp932"])
@pytest.mark.parametrize("alt", ["icon", "ïcon", "a & b", "\ufefficon", "", "in  two\nlines", "\0"])
def test_images_as_words(alt, charset):
    value = alt.encode(charset, "replace")
    walked(b"<p>in <img alt='%s'> stock<p><a href=x><img alt='go %s'></a>" % (value, value), charset)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<html><head><title>x</title><p>Hello <b>a</b> <i>b</i> c</p>", ["Hello a b c"]),
        (
            b"<title>t</title><p>One <b>quick</b> <i>brown</i><!-- x --> <a href=x>fox</a></p>",
            ["One quick brown fox"],
        ),
        (b"<head><body><p>Hi there", ["Hi there"]),
        (b"<head><title>a</title><script>x</script>text in head<p>y</p>", ["text in head", "y"]),
        (
            b"<table><tr><th>Country</th><td>Belgium</td></tr><tr><th>SKU<td>AV-5</table>",
            ["Country", "Belgium", "SKU", "AV-5"],
        ),
        (b"<p>quick<b>ly</b> <wbr>done<!-- -->!", ["quickly done!"]),
        (b"<p>a <script>x</script>b<style>y</style> c<noscript><p>z</noscript> d</p>", ["a b c d"]),
        (b"<p>a<template><p>z</template> <svg><title>t</title></svg>b<input>c", ["a b c"]),
        (b"<p>x &nbsp; y<br>z<br> <br>next", ["x y z", "next"]),
        (b"<pre>\ndef f():\r\n\treturn  1\n\n\n\nend </pre>", ["def f():\n    return  1\n\nend"]),
        (b"<dl><dt>Price<dd>10 &euro;<dt>Stock<dd>4</dl>", ["Price", "10 \u20ac", "Stock", "4"]),
        (b"<p>one<p>two<div>three</div>four", ["one", "two", "three", "four"]),
        (b"<p>A<my-word>B</my-word>C <st1:City>Paris</st1:City>!", ["A", "B", "C Paris!"]),
        (b"<table><caption>Prices</caption><tr><td>1</table>", ["Prices", "1"]),
        (b"<math><mi>x</mi><mo>=</mo><mn>1</mn></math>", ["x=1"]),
        (b"", []),
    ],
)  # fmt: skip
def test_blocks(page, expected):
    assert texts(page) == expected


def test_roles_make_generic_elements_what_others_are_by_name():
    page = walked(
        b'<div role="table"><div role=row><span role="columnheader">A</span>'
        b"<span role=columnheader>B</span></div><div role=row><span role=rowheader>k <span>1</span></span>"
        b'<span role=cell><b>x</b> y</span></div></div><div role="heading" aria-level="1">Title</div>'
        b"<x-note role=listitem>c</x-note><ul role=table><li>d</ul>"
    )
    assert [block.text for block in page.blocks] == ["A", "B", "k 1", "x y", "Title", "c", "d"]
    names = [page.elements[block.element].name for block in page.blocks]
    assert names == [b"th", b"th", b"th", b"td", b"h1", b"li", b"li"]
    assert page.elements[page.elements[page.blocks[0].element].parent].name == b"tr"
    assert not page.blocks[0].marks & HEADER, "a column header is no header of a page"
    frame = walked(b"<div role=contentinfo>a</div><div role=navigation>b</div><span role=main>c</span>")
    end, menu, span = (block.marks for block in frame.blocks)
    assert end & FOOTER
    assert not end & GOOD_WORDS
    assert menu & NAV
    assert not span


def test_hashed_class_names_are_no_words():
    assert word_marks(b"_e74c0ad2 ") == 0 != word_marks(b"ad2 ")
    assert word_marks(b"ad-slot ") & BAD


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<title>My page<body><p>Hello<p>World", ["Hello", "World"]),
        (b"<title>a" + b"<p>word " * 200 + b"<svg><title>x</title></svg>", ["word"] * 200),
        (b"<noscript><p>a<p>b<noscript>z</noscript> c", ["a", "b c"]),
        (b"<select><option>a<option>b<p>text<p>more", ["a", "b", "text", "more"]),
        (b"<textarea>hi<p>a<p>b", ["hi", "a", "b"]),
        (b"<p>x<button>Buy<p>y", ["x", "Buy", "y"]),
        (b"<style>p {}<p>x", ["x"]),
        (b"<p>a<iframe src=x><p>b", ["a", "b"]),
        (b"<svg><template><object><video>a<p>b", ["a", "b"]),
        (b"<title>" * 9 + b"<p>a", []),
    ],
)
def test_unclosed_elements_do_not_swallow_the_page(page, expected):
    assert texts(page) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<div hidden>no<p>no</div>yes", ["yes"]),
        (b"a <span style='Display : none'>b<span>c</span>d</span>e", ["a e"]),
        (b"<p hidden=until-found>yes<body hidden>yes", ["yes", "yes"]),
        (b"<p style='visibility:hidden'>no<p>yes", ["yes"]),
        (b"<p hidden>x<a href=q>y</p>z", ["z"]),
    ],
)
def test_hidden_elements(page, expected):
    assert texts(page) == expected


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        (b"<a href=x><img alt='Home page'></a>", ["Home page"]),
        (b"<a href=x><img alt='Home'>Start</a>", ["Start"]),
        (b"<p>see <a href=x><img alt=A></a> now", ["see now"]),
        (b"<p><a href=x><img alt=A&amp;B></a><a href=y><img alt=C></a><p>x", ["A&B C", "x"]),
        (b"<p><label><img alt=no></label><div><b><p></b>x", ["no", "x"]),
        (b"<figure><a href=y><img alt='A cat'></a></figure>", ["A cat"]),
        (b"<figure><a href=y><img alt='A cat'></a><figcaption>Tom</figcaption></figure>", ["Tom"]),
        (b"<tr><td>Wi-Fi<td><img alt=yes><td><img alt=a.png><td><img alt=->", ["Wi-Fi", "yes"]),
        (b"<p>Wi-Fi <img alt=yes>", ["Wi-Fi yes"]),
        (b"<li><img alt=Rooms> 3<br>x<img alt='in stock'>y", ["Rooms 3 x in stock y"]),
        (b"<p>" + b"text " * 30 + b"<img alt='not here'>", ["text " * 29 + "text"]),
        (b"<p>Acme Ltd <img alt=Acme>", ["Acme Ltd"]),
        (b"<div hidden><a href=x><img alt=no></a></div>", []),
    ],
)
def test_alternative_texts(page, expected):
    assert texts(page) == expected


def test_places():
    page = (
        b"<body><nav id=n><ul class='Menu-12 x'><li><a href='/a'>A <b>b</b></a> &amp; c<li><a href=' d '>D"
        b"</a></ul></nav><table><tr><td>1.5<td class=ad>x</table><button>Go</button>"
        b"<div class=pageFooter>z</div>"
    )
    elements, blocks, body, codec = walked(page)
    assert (body, codec) == (page, "utf-8")
    assert [elements[block.element].selector for block in blocks] == [
        "li",
        "li",
        "td",
        "td.ad",
        "button",
        "div.pageFooter",
    ]
    one = blocks[0]
    chain, number = [], one.element
    while number:
        chain.append(elements[number].selector)
        number = elements[number].parent
    assert chain == ["li", "ul.Menu-0", "nav#n", "body"]
    assert one.text == "A b & c"
    assert (one.linked, one.words, one.linked_words, one.inline, one.size) == (3, 4, 2, 2, 7)
    assert one.hrefs == (b"/a",)
    assert blocks[1].hrefs == (b"d",)
    assert [page[start:end] for start, end in one.spans] == [b"A", b"b", b"&amp; c"]
    assert one.marks & NAV
    assert one.marks & MENU
    assert one.marks & EDGE
    assert one.marks & LIST
    assert not one.marks & LINK
    assert blocks[1].marks & LINK
    assert (blocks[2].digits, blocks[2].points, blocks[2].stop) == (2, 1, False)
    assert blocks[2].marks == TABLE
    assert blocks[3].marks & DECLARED
    assert blocks[4].marks & CONTROL
    assert blocks[5].marks & (FOOTER | EDGE) == FOOTER | EDGE


def test_the_end_of_a_table_closes_its_cells():
    elements, blocks, _, _ = walked(b"<div><table><tr><td>a<td>b<tr><td>c</table>after</div>")
    assert [elements[block.element].name for block in blocks] == [b"td", b"td", b"td", b"div"]


def test_a_link_around_blocks_and_one_that_is_closed_late():
    blocks = walked(b"<a href=q><h3>T</h3><p>x</p></a> y <a href=r><div>s</a>t</div>").blocks
    assert [(one.text, one.linked, one.hrefs) for one in blocks] == [
        ("T", 1, (b"q",)), ("x", 1, ()), ("y", 0, (b"r",)), ("st", 1, ()),
    ]  # fmt: skip


def test_spans_are_a_sequence_of_pairs():
    spans = walked(b"<p>A<b>b</b> c<p>d").blocks[0].spans
    assert (len(spans), spans[0], spans[-1]) == (3, (3, 4), (13, 14))
    assert list(spans) == spans == [(3, 4), (7, 8), (13, 14)]
    assert spans != [(3, 4)]
    with pytest.raises(IndexError):
        spans[3]


def test_buttons_of_inputs_do_not_end_a_paragraph():
    page = (
        b"<p>a <input type=' Submit' value=' Sold out '>b<input type=text value=12><input type=file value=0>"
    )
    one, two, three = walked(page).blocks
    assert (one.text, one.marks) == ("a b", 0)
    assert (two.text, two.marks, two.spans) == ("Sold out", ALT | CONTROL, [(35, 43)])
    assert (three.text, three.marks) == ("12", ALT | CONTROL)


def test_values_that_nobody_can_edit_are_text():
    page = b"<p><label>Number</label><input value='BC 22' readonly> ok<input type=checkbox value=1 disabled>"
    (one,) = walked(page).blocks
    assert (one.text, one.marks, one.words) == ("Number BC 22 ok", 0, 4)
    assert texts(b"<p><label>Seat</label><output>Kelby</output>") == ["Seat Kelby"]


def test_what_a_selection_shows_is_text():
    one, two, three = walked(b"<select><option>a<option selected>b<option>c</select>").blocks
    assert [(each.text, each.marks & CONTROL) for each in (one, two, three)] == [
        ("a", CONTROL), ("b", 0), ("c", CONTROL),
    ]  # fmt: skip


def test_raised_figures_do_not_run_into_the_number_before_them():
    page = b"<p>&euro; <b>19</b><sup>99</sup>, x<sup>2</sup>, 1<sup>st</sup>, CO<sub>2</sub>, 10<sub>2</sub>"
    (one,) = walked(page).blocks
    assert one.text == "\u20ac 19 99, x2, 1st, CO2, 10 2"


def test_what_can_be_bought_and_pictures_alone_in_a_box_are_no_edge():
    page = b"<main><p>a<div><img alt='Sold out'></div><form><button>Buy now</button><select><option>Box"
    found = walked(page).blocks
    assert [one.text for one in found] == ["a", "Sold out", "Buy now", "Box"]
    assert not any(one.marks & EDGE for one in found)


def test_line_breaks():
    one, two = walked("<br>\u20ac 1<br>b c <br> d<br><br>e<pre>x<br>y".encode()).blocks[:2]
    assert (one.text, one.breaks) == ("\u20ac 1 b c d", (3, 7))
    assert (two.text, two.breaks) == ("e", ())


def test_words_are_whole_across_tags():
    (one,) = walked(b"<p>(<a href=x>li</a>nk) <a href=x>a b</a>").blocks
    assert (one.text, one.words, one.linked_words, one.linked) == ("(link) a b", 3, 3, 5)


@pytest.mark.parametrize(
    ("text", "stop"),
    [
        ("Yes.", True),
        ("\u4f60\u597d\u3002", True),
        ('"No!"', True),
        ("and", False),
        ("a.)", True),
        ("a.))", False),
    ],
)
def test_sentence_ends(text, stop):
    assert walked(text.encode()).blocks[0].stop is stop


@pytest.mark.parametrize(
    ("names", "mark"),
    [(b"topAd", DECLARED), (b"header", EDGE), (b"cookie-banner", DECLARED), (b"pager", MENU)],
)
def test_whole_words(names, mark):
    assert word_marks(names + b" \0 ") & mark
    assert not word_marks(b"x" + names.lower() + b" \0 ") & mark


def test_charsets():
    page = "<p>caf\u00e9 \u0645\u0663</p>"
    assert walked(page.encode("utf-16-be"), "utf-16-be").blocks[0].text == "caf\u00e9 \u0645\u0663"
    assert walked(b"<p>caf\xe9&eacute;", "windows-1252").blocks[0].text == "caf\u00e9\u00e9"
    (one,) = walked("\u8868<b>\u793a</b>".encode("cp932"), "cp932").blocks
    assert (one.text, one.size, one.words) == ("\u8868\u793a", 6, 1)


def test_an_index_of_another_page_is_replaced():
    assert [one.text for one in text_blocks(b"<p>a<p>b", tags.index(b"<p>a</p> <p>"), "utf-8").blocks] == [
        "a",
        "b",
    ]


def check(page):
    elements, blocks, body, _ = walked(page)
    place = 0
    for one in blocks:
        assert one.text == one.text.strip() != ""
        assert one.size == len(one.text.encode("utf-8", "replace"))
        assert one.words == len(one.text.split())
        assert 0 <= one.linked <= one.size
        assert 0 <= one.linked_words <= one.words
        assert 0 <= one.element < len(elements)
        for start, end in one.spans:
            assert 0 <= start < end <= len(body)
            if not one.marks & ALT:
                assert place <= start
                place = end
    assert all(one.parent < number for number, one in enumerate(elements) if number)


# What the walk tells apart, in any order; the engines must agree on it in every charset.
PARTS = (
    *FRAGMENTS, b"<p>", b"<div>", b"</div>", b"<div hidden>", b"<li>", b"<ul>", b"</ul>", b"<td>", b"<tr>",
    b"<table>", b"</table>", b"<th>", b"<caption>", b"<tbody>", b"<a href=x>", b"</a>", b"<a name=y>",
    b"<a href=' '>", b"<img alt='a cat'>", b"<img alt=x.PNG>", b"<figure>", b"</figure>", b"<figcaption>",
    b"<pre>", b"</pre>", b"\r", b"\n", b"<span style='display:none'>", b"</span>", b"<span>", b"<label>",
    b"</label>", b"<button>", b"</button>", b"<select>", b"<option>", b"</select>", b"<optgroup>", b"<dl>",
    b"<dt>", b"<dd>", b"</dl>", b"<my-x class='nav-12 b' id=q12345>", b"</my-x>", b"<nav id='a b'>",
    b"<div class='cookieBanner content' role=main itemprop=text>", b"<h1>", b"<h2>", b"</h2>", b"</br>",
    b"<object>", b"</object>", b"</noscript>", b"<body hidden>", b"<html>", b"<st1:x>", b"</st1:x>",
    b"&nbsp;", b"&eacute", b"&#160;", b"&#13;", b"&#10;", b"&#x200a;", b"&hellip;", b"1.5", b"a,b;",
    b"\xe2\x80\xa6",
    b"\xc2\xa0", b"\xe3\x80\x80", b"\xef\xbb\xbf", b"\xc3", b"\xd9\xa3", b")", b"</title>", b"<style>",
    b"</style>", b"<input>", b"<input type=submit value='Sold &amp; out'>",
    b"<input value='a  b' readonly>", b"<input type=number value=7 disabled>", b"<option selected>",
    b"<img alt='in stock'>", b"<img alt=\xc3\xa9&nbsp;x>", b"<img alt=y>", b"<sup>12", b"</sup>", b"<br>",
    b"<hr>", b"<video>", b"</video>", b"<svg />", b"<i hidden=until-found>",
    b"<p style='visibility : hidden'>", *(b"word", b"x ", b" y", b"z", b" ") * 8,
)  # fmt: skip
CHARSETS = ("utf-8", "windows-1252", "koi8-r", "cp932", "gb18030", "utf-16-le", "iso-2022-jp", "none of them")


def test_damaged_pages():
    for seed in range(500):
        check(damaged(GOOD, seed))
        check(soup(seed))


def test_engines_agree():
    for seed in range(1500):
        chance = random.Random(seed)
        page = b"".join(chance.choices(PARTS, k=chance.randrange(120)))
        walked(page, chance.choice(CHARSETS))


@steady
@given(st.lists(st.one_of(st.sampled_from(PARTS), st.binary(max_size=6)), max_size=60).map(b"".join))
def test_any_bytes(page):
    check(page)


def test_pages_of_the_demo():
    pages = [page.body for host in build(8000).hosts for page in host.pages.values()]
    assert len(pages) > 100
    for page in pages:
        check(page)


@pytest.mark.parametrize(
    "part", [*REPEATED, b"<div>", b"</div>", b"<a href=x>", b"<li>", b"<svg>", b"<noscript>a"]
)
def test_time_is_linear(part):
    began = time.process_time()
    walked(part * (400_000 // len(part)))
    assert time.process_time() - began < 20


# Pages as a tree, written with end tags or, where HTML allows that, without them.
WORDS = st.text("abc \n", min_size=1, max_size=8)
INLINES = st.sampled_from(["b", "i", "span", "a href=x", "em", "code", "label", "st1:x"])
GROUPS = st.sampled_from(["div", "section", "article", "ul", "nav", "blockquote", "my-box", "fieldset"])


def element(name, inner, closed=True):
    return f"<{name}>{inner}" + (f"</{name.split()[0]}>" if closed else "")


def joined(parts):
    return st.lists(parts, max_size=4).map("".join)


UNSEEN = st.sampled_from(
    ["<!-- a -->", "<script>a</script>", "<style>b</style>", "<svg><text>c</text></svg>", "<br>", "<wbr>",
     "<input>", "<template><p>a</template>", "<span hidden>a<b>b</b></span>", "&nbsp;", "&amp;", "&#98;",
     "<button>ab</button>"]
)  # fmt: skip
LINES = joined(
    st.recursive(
        st.one_of(WORDS, UNSEEN), lambda inner: st.builds(element, INLINES, joined(inner)), max_leaves=6
    )
)
LEAVES = st.one_of(
    LINES,
    st.builds(element, st.sampled_from(["p", "h1", "h3", "pre", "figcaption"]), LINES),
    st.builds(element, st.just("p"), LINES, st.booleans()),
    LINES.map(lambda text: f"<table><tr><th>a<td>{text}</td></tr><tr><td>b {text}</table>"),
    LINES.map(lambda text: f"<dl><dt>{text}<dd>{text}<dt>b</dl>"),
    LINES.map(lambda text: f"<ul><li>{text}<li>{text}</ul>"),
    LINES.map(lambda text: f"<div style='display:none'>{text}</div>"),
)
PAGES = joined(st.recursive(LEAVES, lambda inner: st.builds(element, GROUPS, joined(inner)), max_leaves=12))


@settings(max_examples=400, deadline=None, derandomize=True)
@given(PAGES, st.sampled_from(["", "<html><head><title>t</title>", "<title>t</title><body>"]))
def test_words_are_those_of_a_dom_parser(inner, start):
    glue = pytest.importorskip("bench.glue")
    pytest.importorskip("selectolax.lexbor")
    page = start + inner
    ours, theirs = glue.own_words(page.encode()), glue.dom_words(page)
    assert "".join(ours) == "".join(theirs)
    # Links without white space between them may be parted, also where an icon stands, and nothing is glued.
    assert ends(theirs) <= ends(ours)
    if "</a><a" not in re.sub(r"<(\w+)[^<>]*></\1>", "", page):
        assert ours == theirs


def ends(words):
    """After how many characters each word ends, counted over all words."""
    return set(accumulate(map(len, words)))


@pytest.mark.parametrize(
    ("page", "text"),
    [
        (b"<li><span class=chip__k>Price</span><span class=chip__v>from 12</span></li>", "Price from 12"),
        (
            b"<p><span class=label><b>Status</b></span><span class=val><bdi>active</bdi></span>",
            "Status active",
        ),
        (b"<div><span>Rooms</span><span>3</span></div>", "Rooms 3"),
        (b"<div><span>12 rooms</span><span>Garden</span></div>", "12 rooms Garden"),
        (b"<p><a href=/1>home</a><a href=/2>contact</a></p>", "home contact"),
        (b"<p><span class=tag>red</span><span class=tag>blue</span>", "red blue"),
        (b"<p><span class=whole>19</span><span class=cents>99</span>", "19 99"),
        (b"<p><span class=k>Votes</span><i class=icon></i><span class=v>12</span>", "Votes 12"),
        (b"<p><span class=key>state</span><i class=icon></i><b class=badge>open</b>", "state open"),
        (b"<p>Votes<i class=icon></i><span class=v>12</span>", "Votes 12"),
        ("<p><span class=int>14,500</span><span class=cur>円</span>".encode(), "14,500円"),
        ("<p><span>2027</span><span>年</span><span>3</span><span>月末日</span>".encode(), "2027年3月末日"),
        (b"<p><span class=char>H</span><span class=char>e</span><span class=char>y</span>", "Hey"),
        (b"<p><span class=dropcap>T</span><span class=lead>he</span> rest", "The rest"),
        (b"<p><span class=c1>Fieldm</span><span class=c2>ouse</span>", "Fieldmouse"),
        (b"<p><span lang=fr>Chat</span><span lang=fr>eau</span>", "Chateau"),
        (b"<p><em>air</em>port and <b>un</b><i>seen</i>", "airport and unseen"),
        (b"<pre><span class=name>def</span><span class=name>foo</span></pre>", "deffoo"),
        (b"<p><span class=whole>19</span><span class=point>.</span><span class=cents>99</span>", "19.99"),
    ],
)
def test_elements_that_only_their_style_parts_are_not_glued(page, text):
    assert [one.text for one in walked(page).blocks] == [text]
