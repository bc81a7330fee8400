"""What a page and its name say."""

from fieldmouse.labels.evidence import KEPT_TERMS, EvidenceReader, heading_text, meta_text
from fieldmouse.labels.split import NameSplitter
from fieldmouse.page.read import read
from tests.labels.sites import class_list

PAGE = b"""<html><head><title>The Video Game Shop</title>
<meta name="description" content="Games to play &amp; puzzles"><meta name=viewport content="width=1">
<META property='og:site_name' content='Dragon'></head>
<body><h1 class=x>Play <b>now</b></h1><h4>no</h4><p>A video game is a game. News of new things."""


def test_fields() -> None:
    found = EvidenceReader(class_list(), NameSplitter()).page("videogameshop.test", PAGE, read(PAGE))
    assert found.words == ("video", "game", "shop")
    assert found.name == {"videogam": 1, "shop": 1}
    assert found.title == {"videogam": 1, "shop": 1}
    assert found.meta == {"game": 1, "plai": 1, "puzzl": 1, "dragon": 1}
    assert found.headings == {"plai": 1}
    assert found.content["videogam"] == 2  # the title too
    assert found.content["news"] == 1  # not a form of `new`


def test_a_page_is_shortened_to_keywords_and_frequent_terms() -> None:
    html = b"<p>recipe " + b" ".join(
        f"w{chr(97 + n % 26)}{chr(97 + n // 26)}".encode() * 2 for n in range(600)
    )
    using = EvidenceReader(class_list(), NameSplitter())
    found = using.shortened(using.page("a.test", html + html, read(html + html)))
    assert KEPT_TERMS <= len(found.content) <= KEPT_TERMS + 1
    assert "recip" in found.content


def test_markup_that_is_broken_gives_nothing() -> None:
    for html in (b"", b"<meta", b"<meta name=description>", b"<h1>", b"<h1" * 1000, b"\xff\xfe\x00"):
        assert meta_text(html, "utf-8") == ""
        assert heading_text(html, "utf-8") == ""
