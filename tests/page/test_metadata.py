"""What pages state about themselves, in all the ways in which they do."""

import json
from typing import Any

import extruct
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldmouse.page.metadata import LONGEST_DATA, page_metadata
from fieldmouse.page.stated_dates import stated_date, url_date
from fieldmouse.types import PageMetadata

NOW = 1_795_000_000.0  # November 2026


def said(html: str, url: str = "http://a.test/x") -> PageMetadata:
    return page_metadata(html.encode("utf-8", "surrogatepass"), "utf-8", url=url, time=NOW)


def ld(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return f'<script type="application/ld+json">{text}</script>'


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2026-07-23", "2026-07-23"),
        ("2026-07", "2026-07"),
        ("2026-07-23T10:00:00+02:00", "2026-07-23T08:00:00Z"),
        ("2026-07-23T10:00:00.123-0530", "2026-07-23T15:30:00Z"),
        ("2026-07-23 10:00", "2026-07-23T10:00:00"),
        ("2026/7/3", "2026-07-03"),
        ("20260723", "2026-07-23"),
        ("20260723T101112Z", "2026-07-23T10:11:12Z"),
        ("Thu, 23 Jul 2026 10:00:00 GMT", "2026-07-23T10:00:00Z"),
        ("July 23rd, 2026", "2026-07-23"),
        ("23 July 2026 10:15", "2026-07-23T10:15:00"),
        ("23.7.2026", "2026-07-23"),
        ("7/23/2026", "2026-07-23"),
        ("1784800800", "2026-07-23T10:00:00Z"),
        ("1784800800000", "2026-07-23T10:00:00Z"),
        ("1851-09-18", "1851-09-18"),
        ("3/4/2026", None),  # March or April
        ("2026-02-31", None),
        ("0001-01-01T00:00:00", None),
        ("1970-01-01T00:00:00Z", None),
        ("2099-01-01", None),
        ("2026", None),
        ("soon", None),
        ("", None),
    ],
)
def test_dates(text: str, date: str | None) -> None:
    assert stated_date(text, NOW) == date


@given(st.text(max_size=100))
def test_any_text_is_a_date_or_none(text: str) -> None:
    found = stated_date(text, NOW)
    assert found is None or stated_date(found, NOW) == found


def test_dates_in_urls() -> None:
    assert url_date("http://a.test/2026/7/3/name", NOW) == "2026-07-03"
    assert url_date("http://a.test/blog/2026/07/name.html", NOW) == "2026-07"
    assert url_date("http://a.test/2026/13/name.html", NOW) is None
    assert url_date("http://a.test/?from=/2026/07/03/", NOW) is None


ARTICLE = {
    "@context": "https://schema.org",
    "@type": "NewsArticle",
    "headline": "Copper falls",
    "datePublished": "2026-07-23T10:00:00+02:00",
    "dateModified": "2026-07-24",
    "author": [{"@type": "Person", "name": "Ada Byron"}, {"@type": "Person", "name": "Bo Li"}],
}


def test_json_ld() -> None:
    found = said(ld(ARTICLE))
    assert found[:4] == ("2026-07-23T08:00:00Z", "2026-07-24", "Ada Byron, Bo Li", "NewsArticle")
    assert json.loads(found.data or "") == {"json_ld": [ARTICLE]}


def test_json_ld_in_a_graph_with_references() -> None:
    graph = [
        {"@type": "WebSite", "name": "A", "datePublished": "2001-01-01"},
        {"@type": "Organization", "name": "A Ltd"},
        {"@type": ["Article", "BlogPosting"], "author": {"@id": "#ada"}, "datePublished": "2026-07-23"},
        {"@type": "Person", "@id": "#ada", "name": "Ada Byron"},
    ]
    found = said(ld({"@graph": graph}))
    assert found[:4] == ("2026-07-23", None, "Ada Byron", "Article")


@pytest.mark.parametrize(
    "text",
    [
        '<!-- {"@type": "Product"} -->',
        '//<![CDATA[\n{"@type": "Product"}\n//]]>',
        '{"@type": "Product", "name": "a\tb\nc",}',
        "{&quot;@type&quot;: &quot;Product&quot;}",
        '\ufeff{"@type": "Product"};',
        '{"@type": "http://schema.org/Product", "price": NaN, "size": 1e999}',
        '[[{"@type": "Product"}]]',
        '{"@type": "ItemPage", "mainEntity": {"@type": "Product"}}',
    ],
)
def test_json_ld_with_mistakes_that_are_common(text: str) -> None:
    found = said(ld(text))
    assert found.type == "Product"
    json.loads(found.data or "", parse_constant=pytest.fail)


def test_json_ld_that_is_none_loses_nothing_else() -> None:
    found = said(ld("{{ page.data }}") + ld("[" * 100_000) + '<meta name="author" content="Ada">')
    assert (found.author, json.loads(found.data or "")) == ("Ada", {"meta": {"author": "Ada"}})


MICRODATA = """<div itemscope itemtype="https://schema.org/Recipe"><h1 itemprop=name>Bread</h1>
<meta itemprop=datePublished content=2026-07-23>
<span itemprop=author itemscope itemtype="https://schema.org/Person"><b itemprop=name>Ada</b></span>
<div itemprop=review itemscope itemtype="https://schema.org/Review">
<meta itemprop=datePublished content=2026-07-30></div>
</div>"""


def test_microdata() -> None:
    found = said(MICRODATA)
    assert found[:4] == ("2026-07-23", None, "Ada", "Recipe")
    thing = json.loads(found.data or "")["microdata"][0]
    assert (thing["@type"], thing["author"]) == ("Recipe", {"@type": "Person", "name": "Ada"})


def test_opengraph_and_meta_tags() -> None:
    found = said(
        '<meta property="og:type" content="article">'
        '<meta property="article:published_time" content="2026-07-23">'
        '<meta property="og:image" content="1"><meta property="og:image" content="2">'
        '<META NAME="DC.Creator" CONTENT="Ada &amp; Bo"><meta name="last-modified" content="2026-07-24">'
        '<meta name="viewport" content="x"><meta property="article:author" content="https://a.test/ada">'
    )
    assert found[:4] == ("2026-07-23", "2026-07-24", "Ada & Bo", "Article")
    data = json.loads(found.data or "")
    assert data["opengraph"]["og:image"] == ["1", "2"]
    assert data["meta"] == {"dc.creator": "Ada & Bo", "last-modified": "2026-07-24"}


def test_what_stands_in_the_text() -> None:
    assert said("<time class='entry-date published' datetime=2026-07-23>x</time>").published == "2026-07-23"
    assert (
        said("<time pubdate datetime=2026-07-23></time><time pubdate datetime=2026-07-24></time>").published
        is None
    )
    assert said('<p>by <a rel="author" href=/ada>Ada Byron</a></p>').author == "Ada Byron"
    assert said('<a rel="author" href=/ada>All the posts of Ada Byron</a>').author is None


def test_a_list_of_articles_has_no_date_of_its_own() -> None:
    things = [ARTICLE, ARTICLE | {"headline": "Tin falls", "url": "http://a.test/tin"}]
    assert said(ld(things))[:4] == (None, None, None, "ItemList")
    assert said(ld(things), "https://www.a.test/tin/")[:4] == (
        "2026-07-23T08:00:00Z", "2026-07-24", "Ada Byron, Bo Li", "NewsArticle"
    )  # fmt: skip


def test_a_page_that_says_nothing() -> None:
    assert said("<title>x</title><p>Hello") == PageMetadata()
    assert said("<p>Hello", "http://a.test/2026/07/23/hello") == PageMetadata(published="2026-07-23")


def test_large_data_is_left_out_by_parts() -> None:
    found = said(ld(ARTICLE | {"articleBody": "x" * LONGEST_DATA}) + '<meta property="og:title" content="A">')
    assert found.author == "Ada Byron, Bo Li"
    assert json.loads(found.data or "") == {"opengraph": {"og:title": "A"}, "left_out": ["json_ld"]}


def test_hostile_text_is_data() -> None:
    found = said(ld({"@type": "Article\x1b[31m", "author": "\ud800\x1b]0;x\x07<b>Ada"}))
    assert found.author is not None
    assert found.type is not None
    assert (found.author + found.type).isprintable()
    (found.data or "").encode()


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["@type", "@graph", "@id", "author", "name", "datePublished", "mainEntity", "url"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=12,
    )
)
def test_any_json_is_read(value: Any) -> None:
    found = said(ld(value))
    assert found.data is None or isinstance(json.loads(found.data), dict)


def test_the_same_things_as_extruct() -> None:
    page = f"<html><head>{ld(ARTICLE)}</head><body>{MICRODATA}</body></html>"
    theirs = extruct.extract(page, base_url="http://a.test/x", syntaxes=["json-ld", "microdata"])
    ours = json.loads(said(page).data or "")
    assert ours["json_ld"] == theirs["json-ld"]
    properties = theirs["microdata"][0]["properties"]
    assert ours["microdata"][0]["name"] == properties["name"]
    assert ours["microdata"][0]["author"]["name"] == properties["author"]["properties"]["name"]
    assert (
        ours["microdata"][0]["review"]["datePublished"] == properties["review"]["properties"]["datePublished"]
    )


def test_meta_tags_are_kept_whatever_else_the_page_says() -> None:
    found = said("<meta name=description content='All about ferries'><p>Boats.")
    assert json.loads(found.data or "") == {"meta": {"description": "All about ferries"}}


@given(
    st.lists(
        st.sampled_from(
            [
                "<meta name=author content='Ann &amp; Bo'>",
                "<meta property=og:type content=article>",
                "<meta name=date content=2026-01-02>",
                "<meta name=keywords content='a, b'>",
                "<meta name=keywords content='a, b'>",
                "<meta name=KEYWORDS content=' c\x07 '>",
                "<meta property='' name='dc.date' content=2025-03-04>",
                "<meta name=generator content=x>",
                "<title>T</title>",
                "<p>date",
                "<meta property=article:modified_time content=2026-05-06T07:08:09Z>",
                "<noscript><p></noscript>",
            ]
        ),
        max_size=8,
    )
)
def test_a_page_with_meta_tags_alone_is_read_as_one_that_is_parsed(parts: list[str]) -> None:
    html = "".join(parts)
    assert said(html) == said(f"{html}<p class=published></p>")  # which states nothing, but may
