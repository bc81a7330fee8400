"""A page read in one go says what the exact readers say, and any bytes can be read."""

from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.focus.sheet import PageText, page_text, sheet
from fieldmouse.focus.words import Stems
from fieldmouse.page.links import links
from fieldmouse.page.read import read
from fieldmouse.types import Link
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


def reading(content: bytes) -> tuple[PageText, list[Link], list[Link]]:
    facts = read(content, content_type="text/html; charset=utf-8")
    canon = Canon()

    def join(href: str) -> str | None:
        return canon(href, "http://a.test/d/")

    found = sheet(content, facts)
    return found.text, [*found.links(join)], links(content, facts, join)


def test_the_same_links_as_the_exact_reader() -> None:
    _, found, exact = reading(PAGE)
    assert found == exact


def test_the_words_of_a_page_and_its_title_once() -> None:
    text, *_ = reading(PAGE)
    assert text.title == "Stock & Market"
    said = "stock market shares fell monday prices gold rose cafés closed top two end"
    assert " ".join(text.words) == said
    assert text.counts(Stems())["price"] == 1


def test_a_text_with_a_title() -> None:
    assert page_text("The Title\nand the text") == ("The Title", ["title", "text"])


def test_a_page_without_links() -> None:
    text, found, _ = reading(b"<p>nothing here")
    assert (text.words, found) == (["nothing"], [])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.sampled_from(MARKUP), max_size=30))
def test_any_markup_can_be_read(parts: list[str]) -> None:
    content = "".join(parts).encode()
    facts = read(content)
    text, found, _ = sheet(content, facts)
    assert len(found) == len([one for one in facts.hrefs if one.kind in ("a", "area")])
    assert all(word == word.lower() for word in text.words)
