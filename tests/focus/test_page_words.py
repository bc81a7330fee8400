"""A page is cut into the words a reader sees, with its links marked in them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.focus.ridge_judge import page_parts
from fieldmouse.focus.terms import Reading, Terms
from fieldmouse.focus.wordnet import Background
from fieldmouse.focus.words import page_text, page_words
from fieldmouse.page.links import AROUND, links
from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.urls import Canon

PAGE = b"""<!DOCTYPE html><html lang=en><head><title>Stock &amp; Market</title><style>p { color: red }</style>
<script>var hidden = "<a href='/no'>no</a>";</script></head><body><!-- nobody <a href="/x">sees</a> -->
<p>Shares fell on Monday. <a href="/prices?a=1&amp;b=2">Prices of <b>gold</b></a> rose, while
caf&eacute;s closed.</p><ul><li><a href="one.html"><img src=x alt="A chart"></a><li><a href="#top">top</a>
<li><a href="two.html">Two</a></ul><p>The end of it</body></html>"""

MARKUP = (
    "<a href=x>", "</a>", "<svg", "<!--", "-->", "<script>", "</script>", "word ", "<p>", "<", ">", "&amp",
    "<title>", "\u00e9", "alt='", "<area href=y alt=z>",
)  # fmt: skip


def reading(content: bytes) -> tuple[Terms, Reading]:
    facts = read(content, content_type="text/html; charset=utf-8")
    terms = Terms(Background(1.0, {}))
    return terms, terms.read(page_words(content, facts).text)


def test_the_words_of_a_page_in_their_order() -> None:
    terms, found = reading(PAGE)
    said = "stock market share fell mondai price gold rose cafés close top two end"
    assert " ".join(terms.names(found.ids[: 4 * found.size])) == said
    assert terms.counts(found)["price"] == 1


def test_links_stand_where_the_exact_reader_sees_them() -> None:
    canon = Canon()
    facts = read(PAGE, content_type="text/html; charset=utf-8")
    terms, found = reading(PAGE)
    exact = links(PAGE, facts, lambda href: canon(href, "http://a.test/d/"))
    assert len(found.spans) == 4 * len(exact)
    for place, link in enumerate(exact):
        first, last, start, end = found.spans[4 * place : 4 * place + 4]
        assert terms.names(found.ids[4 * start : 4 * end]) == terms.names(terms.ids(small(link.anchor)))
        before, after = terms.names(found.ids[: 4 * first]), terms.names(found.ids[4 * last : 4 * found.size])
        assert terms.names(terms.ids(" ".join(link.before).encode())) == before[-AROUND:]
        assert terms.names(terms.ids(" ".join(link.after).encode())) == after[:AROUND]


def small(text: str) -> bytes:
    return page_text(text).said


def test_a_text_with_a_title() -> None:
    assert page_text("The Title\nand Jack\u2019s text, 2 x") == ("The Title", b"the title and jack's text x ")


def test_a_page_without_links() -> None:
    terms, found = reading(b"<p>nothing here")
    assert terms.names(found.ids) == ["noth"]
    assert not found.spans


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(MARKUP), max_size=30))
def test_any_markup_can_be_read(parts: list[str]) -> None:
    content = "".join(parts).encode()
    facts = read(content)
    _, found = reading(content)
    count = len([one for one in facts.hrefs if one.kind in ("a", "area")])
    assert len(found.spans) == 4 * count
    assert all(0 <= one <= len(found.ids) // 4 for one in found.spans)


def test_an_example_is_read_as_the_fetched_page_is() -> None:
    html = b"<title>A court sits</title><ul><li><a href=/x>Menu</a></ul><p>The judge and I wrote it.</p>"
    facts = read(html, content_type="text/html; charset=utf-8")
    fetched = page_words(html, facts).text
    kept = page_text(f"{facts.title}\n{visible_text(html, facts.index, facts.charset)}")
    terms = Terms(Background(1.0, {}))
    one, other = (page_parts(terms, terms.read(page), page, "http://a.test/") for page in (fetched, kept))
    assert one == other
    assert page_text("One\nOne\ntwo") == page_text("One\ntwo")
    assert page_text("One\nOne more").said != page_text("One\nmore").said
