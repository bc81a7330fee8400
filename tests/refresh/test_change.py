from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page.compared_lines import compared_lines
from fieldmouse.page.read import read
from fieldmouse.refresh.change import cleaned, difference, judged, reading, share, shingles

PROSE = "the quick brown fox jumps over the lazy dog and runs away into the dark forest at night"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("served 12:30:01", "served 12:30:02"),
        ("id 3f2504e0-4f89-11d3-9a0c-0305e82c3301", "id 9b2504e0-4f89-11d3-9a0c-0305e82c3399"),
        ("token a8f5f167f44f4964e6c998dee827110c", "token 00f5f167f44f4964e6c998dee827110c"),
        ("posted 3 minutes ago", "posted 2 hours ago"),
        ("publié il y a 3 minutes", "publié il y a 2 heures"),
        ("visitor 1234567890", "visitor 1234567891"),
        ("© 2023 us", "© 2024 us"),
        ("Title:  One", "Title: \t One"),
        ("reference 18.cde24817.127790e6", "reference 18.cde24817.9b7790e6"),
    ],
)
def test_volatile_differences_are_none(before, after):
    assert reading(before).digest == reading(after).digest


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("price 12", "price 13"),
        ("updated 1 May 2023", "updated 2 May 2024"),
        ("five", "six"),
        ("five, six", "five; six"),
        ("the facade", "the Facade"),
        ("", "something"),
    ],
)
def test_real_differences_count(before, after):
    assert judged(reading(before), reading(after)).score > 0


@pytest.mark.parametrize(
    "text",
    ["{0:%Y-%m-%d}", "{0:%d/%m/%Y}", "{0.day} May {0.year}", "May {0.day}, {0.year}", "{0.day} mai {0.year}"],
)
def test_the_day_of_the_fetch_is_no_content(text):
    first, second = date(2024, 5, 11), date(2024, 5, 17)
    before = reading("as of " + text.format(first), first)
    after = reading("as of " + text.format(second), second)
    assert before.digest == after.digest
    assert reading("as of " + text.format(first)).digest != reading("as of " + text.format(second)).digest


def test_line_breaks_and_order():
    assert reading("a b\nc").digest == reading("a\nb c").digest
    verdict = judged(reading("one\ntwo"), reading("two\none"))
    assert verdict.score == 0
    assert "another place" in verdict.reasons[0]


def test_the_threshold():
    before, after = reading(PROSE * 20 + "\nbanner one"), reading(PROSE * 20 + "\nbanner two")
    assert judged(before, after).score > 0
    assert judged(before, after, threshold=0.9).score == 0
    assert "differs" in judged(before, after, threshold=0.9).reasons[0]


def test_shingles():
    assert shingles(["a b", "c d e"], 4) == {("a", "b", "c", "d"), ("b", "c", "d", "e")}
    assert shingles(["a"]) == {("a",)}
    assert shingles([]) == set()
    assert share(["a b c d"], ["a b c e"]) == 1.0
    assert share([], []) == 0.0


def test_a_line_that_was_on_the_page_is_not_new():
    """Whether a block is content depends on its neighbours, which may come and go."""
    before = reading("a text of its own", beside="a heading")
    after = reading("a heading\na text of its own")
    assert difference(before, after) == difference(after, before) == ((), ())
    assert judged(before, after).score == judged(after, before).score == 0
    assert difference(before, reading("a heading\na text of another")) == ((1,), (0,))


def test_a_date_that_stays_is_no_change_when_its_day_is_over():
    day, later = date(2024, 5, 11), date(2024, 5, 17)
    text = "last updated 11 May 2024"
    assert judged(reading(text, day), reading(text, later)).score == 0
    assert judged(reading(text, later), reading("last updated 17 May 2024", date(2024, 6, 1))).score > 0


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text())
def test_any_text_can_be_read(text):
    first = reading(text)
    assert reading(text) == first
    assert judged(first, first).score == 0
    assert cleaned(cleaned(text)) == cleaned(text)


def texts(html):
    body = html.encode()
    facts = read(body)
    return compared_lines(body, facts.index, facts.charset)


def test_menus_are_not_content():
    menu = "".join(f"<li><a href=/{n}>Offer {n}</a>" for n in range(9))
    found = texts(f"<ul>{menu}</ul><h1>Terms</h1><p>{PROSE}.<p>{PROSE}!<nav>Home and away</nav>")
    assert found.content == f"Terms\n{PROSE}.\n{PROSE}!"
    assert found.other == "\n".join([*(f"Offer {n}" for n in range(9)), "Home and away"])


def test_what_stands_between_sentences_is_content():
    rows = "".join(f"<tr><td>{n}<td>{n} boats" for n in range(20))
    found = texts(f"<p>{PROSE}<table>{rows}</table><p>{PROSE}")
    assert "\n11\n11 boats\n" in found.content


def test_far_from_any_sentence_short_blocks_are_none():
    rows = "".join(f"<div>Cell {n}</div>" for n in range(30))
    found = texts(f"{rows}<p>{PROSE}<p>{PROSE}<p>{PROSE}<p>{PROSE}<p>{PROSE}{rows}")
    assert "Cell 29" in found.content.split("\n")
    assert "Cell 15" in found.other.split("\n")


def test_a_page_of_links_is_its_links():
    menu = "".join(f"<li><a href=/{n}>Story {n}</a>" for n in range(9))
    assert "Story 3" in texts(f"<ul>{menu}</ul>").content
    assert texts("") == ("", "")


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("/safety", "/advice", False),
        ("/safety#one", "/safety#two", False),
        ("/safety?session=1", "/safety?session=2", True),
        ("/safety", "/safety?from=here", True),
        (
            "/l/email-protection#82e6f2edc2eae3f2f2ecace4f0",
            "/l/email-protection#9efaeef1def6ffeeeef0b0f8ec",
            True,
        ),
    ],
)
def test_where_a_link_of_the_text_leads_is_content(before, after, same):
    page = f"<p>{PROSE} and <a class=x href='{{}}'>here</a>."
    first, second = (reading(texts(page.format(address)).content) for address in (before, after))
    assert (judged(first, second).score == 0) == same


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from(
            ["<p>", "</p>", "<a href=x>", "<a", "</a>", "<nav>", "</nav>", "two words", "é&amp;", "\0"]
        )
    )
)
def test_any_page_has_its_texts(parts):
    found = texts("".join(parts))
    assert reading(found.content, date(2024, 5, 11), found.other).lines is not None
