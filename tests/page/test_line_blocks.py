"""Lists that are one paragraph, with a break after each line."""

import pytest

from fieldmouse.page.blocks import text_blocks
from fieldmouse.page.line_blocks import Line, lines_apart
from fieldmouse.page.read import read

SENTENCE = "This line is as long as a sentence is that somebody wraps with a break"


def lines(html: str) -> list[tuple[str, bool, Line | None]]:
    body = html.encode()
    facts = read(body)
    page, found = lines_apart(text_blocks(body, facts.index, facts.charset))
    return [
        (block.text, block.linked_words == block.words, found.get(n)) for n, block in enumerate(page.blocks)
    ]


def test_each_line_of_a_list_is_a_block_and_knows_whether_it_is_a_link() -> None:
    html = "<p><b>Our brands</b><br><a href=/s>Sable</a><br>Vega <i>Blue</i><BR/>\n<a href=/o>Onyx</a></p>"
    html += "<p>Rest</p>"
    title = "Our brands"
    assert lines(html) == [
        ("Our brands", False, Line(0, 4, "")),
        ("Sable", True, Line(1, 4, title)),
        ("Vega Blue", False, Line(2, 4, title)),
        ("Onyx", True, Line(3, 4, title)),
        ("Rest", False, None),
    ]


def test_a_first_line_like_the_others_is_no_title() -> None:
    html = "<p><b>Price:</b> 12 €<br><b>Stock:</b> 4<br><b>Colour:</b> red</p>"
    assert [one[2] for one in lines(html)] == [Line(n, 3, "") for n in range(3)]


@pytest.mark.parametrize(
    "html",
    [
        f"<p>{SENTENCE}<br>{SENTENCE}<br>and ends here</p>",
        "<p>One line without a break</p>",
        "<p>これは長い文で、改行のあとも続くことを示すために書かれた文章です。<br>これは長い文で、改行のあとも続くことを示す文章です。</p>",
        "<p><img alt='A lamp'><br>Two<br>Three</p>",
    ],
)
def test_what_is_no_list_stays_one_block(html: str) -> None:
    assert [one[2] for one in lines(html)] == [None]


def test_a_link_around_the_lines_links_them_all() -> None:
    assert [one[1] for one in lines("<a href=/x><p>One<br>Two<br>Three</p></a>")] == [True, True, True]


def test_a_paragraph_of_links_is_a_list_of_links() -> None:
    html = "<p><i>More</i>: <span><a href=/a>Old <b>mill</b></a></span> | <a href=/b>Fer<b>ry</b></a> | "
    html += "<a href=/c>Storm</a></p>"
    assert lines(html) == [
        ("More", False, Line(0, 4, "")),
        ("Old mill", True, Line(1, 4, "More")),
        ("Ferry", True, Line(2, 4, "More")),
        ("Storm", True, Line(3, 4, "More")),
    ]


@pytest.mark.parametrize(
    "html",
    [
        "<p><a href=/a>One</a> <a href=/b>Two</a></p>",
        "<p>Read <a href=/a>one</a> before you go to <a href=/b>two</a> or <a href=/c>three</a> of them</p>",
    ],
)
def test_other_links_stay_in_their_text(html: str) -> None:
    assert [one[2] for one in lines(html)] == [None]


def test_links_in_a_row_below_a_heading_line_are_items() -> None:
    words = ("hammer", "basket", "walnut", "garden", "timber", "orchard", "tunnel")
    row = " ".join(f"<a href=/t/{one}>{one}</a>" for one in words)
    count = len(words) + 1
    expected = [("Topics", False, Line(0, count, ""))]
    expected += [(one, True, Line(n, count, "Topics")) for n, one in enumerate(words, 1)]
    assert lines(f"<p><b>Topics</b><br>{row}</p>") == expected
