from datetime import date
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page.read import read
from fieldmouse.refresh.change import cleaned, difference, judged, reading, shingles
from fieldmouse.refresh.content import content_text
from fieldmouse.refresh.noise import COMPARISONS, Noise

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
        ("Title:  One", "title one"),
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
    assert "another order" in verdict.reasons[0]


def test_the_threshold():
    before, after = reading(PROSE * 20 + "\nbanner one"), reading(PROSE * 20 + "\nbanner two")
    assert judged(before, after).score > 0
    assert judged(before, after, threshold=0.9).score == 0
    assert "differs" in judged(before, after, threshold=0.9).reasons[0]


def test_shingles():
    assert shingles(["a b", "c d e"], 4) == {("a", "b", "c", "d"), ("b", "c", "d", "e")}
    assert shingles(["a"]) == {("a",)}
    assert shingles([]) == set()
    assert difference(["a b c d"], ["a b c e"]).share == 1.0


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.text())
def test_any_text_can_be_read(text):
    first = reading(text)
    assert reading(text) == first
    assert judged(first, first).score == 0
    assert cleaned(text) == cleaned(text.upper().casefold()) or text.casefold() != text.upper().casefold()


def pages(count, teaser, body="stays"):
    return [reading(f"top line\nteaser {teaser(n)}\nbottom line\n{body}") for n in range(count)]


def test_a_slot_that_always_differs_is_noise():
    noise, seen = Noise(), pages(COMPARISONS + 3, lambda n: f"offer {chr(97 + n)}")
    for before, after in pairwise(seen):
        noise.learn(before, after)
    before, after = pages(1, lambda n: "offer y")[0], pages(1, lambda n: "offer z")[0]
    assert judged(before, after).score > 0
    assert noise.judge(before, after).score == 0
    assert "all the time" in noise.judge(before, after).reasons[-1]
    assert noise.judge(before, pages(1, lambda n: "offer z", "goes")[0]).score > 0


def test_a_guest_is_noise():
    noise = Noise()
    with_notice, without = reading("head\nwe use cookies\nbody"), reading("head\nbody")
    for _ in range(2):
        noise.learn(with_notice, without)
        noise.learn(without, with_notice)
    assert noise.judge(without, with_notice).score == 0


def test_noise_survives_saving():
    noise, seen = Noise(), pages(6, lambda n: f"offer {chr(97 + n)}")
    for before, after in pairwise(seen):
        noise.learn(before, after)
    again = Noise.loaded(noise.saved())
    assert (again.slots_, again.comings_, again.owners_) == (noise.slots_, noise.comings_, noise.owners_)


def test_what_stands_in_the_frame_of_a_host_is_noise():
    noise = Noise()
    for page in ("a", "b"):
        seen = reading(f"menu\nhome\nabout\narticle of {page}\nfooter")
        noise.learn(seen, seen, page)
    before = reading("menu\nhome\nabout\narticle of a\nfooter")
    in_menu = reading("menu\nhome\nsummer sale\nabout\narticle of a\nfooter")
    in_text = reading("menu\nhome\nabout\narticle of a\nand more\nfooter")
    assert noise.judge(before, in_menu).score == 0
    assert noise.judge(before, in_text).score > 0


def content(html):
    body = html.encode()
    facts = read(body)
    return content_text(body, facts.index, facts.charset)


def test_menus_are_not_content():
    menu = "".join(f"<li><a href=/{n}>Offer {n}</a>" for n in range(9))
    text = content(f"<ul>{menu}</ul><h1>Terms</h1><p>{PROSE}.<p>{PROSE}!<nav>Home and away</nav>")
    assert text == f"Terms\n{PROSE}.\n{PROSE}!"


def test_a_page_of_links_is_its_links():
    menu = "".join(f"<li><a href=/{n}>Story {n}</a>" for n in range(9))
    assert "Story 3" in content(f"<ul>{menu}</ul>")
    assert content("") == ""
