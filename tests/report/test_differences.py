"""A change is a place, before, after and the difference, and nothing of the Web gets through as markup."""

import pytest

from fieldmouse.refresh.diff_entries import DiffEntry
from fieldmouse.report.differences import (
    by_how_much,
    diff_line,
    element_name,
    importance,
    kind_words,
    marked,
    plain,
)


def entry(
    old: str, new: str, *, kind: str = "words", label: str = "", place: str = "html>body>main>p"
) -> DiffEntry:
    return DiffEntry(place, label, old, new, kind, "", 1, (1,), 255, 1)


def test_a_number_shows_by_how_much() -> None:
    assert by_how_much("€642", "€618") == "−€24, −3.7%"
    assert by_how_much("£4.60 a kilo", "£4.64 a kilo") == "+£0.04, +0.9%"
    assert by_how_much("1,204 seen", "1,188 seen") == "−16, −1.3%"
    assert by_how_much("0 left", "3 left") == "+3"
    assert by_how_much("open", "closed") == ""


def test_short_texts_are_exchanged_and_long_ones_are_edited() -> None:
    assert marked("open", "closed") == "<del>open</del> → <ins>closed</ins>"
    old = "the additional duty applies from 1 July 2026 to cells of heading 8507"
    new = "the additional duty applies from 1 September 2026 to cells of heading 8507"
    edited = "applies from 1 <del>July</del> <ins>September</ins> 2026 to cells of heading 8507"
    assert marked(old, new) == f"the additional duty {edited}"
    long = " ".join(f"word{n}" for n in range(200))
    text = str(marked(f"first {long}", f"second {long}"))
    assert "the same" in text
    assert len(text) < 400


def test_a_long_text_on_a_terminal_shows_what_differs() -> None:
    """A text that was cut before its difference showed none."""
    old = f"The price of steel this week is 640 euro a tonne. {'Traders expect a fall. ' * 20}"
    shown = plain(old, old.replace("640", "633"))
    assert shown.startswith("The price of steel this week is “640” → “633” euro a tonne.")
    assert len(shown) < 100
    late = f"{'Traders expect a fall. ' * 20}Steel is at 640"
    assert plain(late, late.replace("640", "633")).endswith("Steel is at “640” → “633”")
    assert plain("12 €", "13 €") == "“12 €” → “13 €”"
    fish = "we sell fish every morning at the quay behind the old custom house"
    assert plain(fish, fish.replace("sell", "sell fresh")).startswith("we sell +“fresh” fish every morning")
    assert plain("", "new") == "+ “new”"
    words = ["alpha", "beta", "gamma", "delta", "epsilon"]
    others = [one[::-1] for one in words]
    assert plain(" ".join(words), " ".join(others)) == f"“{' '.join(words)}” → “{' '.join(others)}”"
    begins = "the fair on the quay begins on 1 July this year, as always"
    assert "begins on “1 July” → “2 June” this year" in plain(begins, begins.replace("1 July", "2 June"))


def test_texts_without_blanks_are_compared_by_character() -> None:
    old = "今週の鉄鋼価格は一トンあたり640ユーロです。銅の価格は下がり続けています。"
    new = old.replace("640", "633")
    assert "一トンあたり“640” → “633”ユーロ" in plain(old, new)
    assert "一トンあたり<del>640</del> <ins>633</ins>ユーロ" in marked(old, new)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", '"><img src=x onerror=1>', "a & b < c"])
def test_text_of_pages_is_escaped(text: str) -> None:
    same = f"a b c d {text}", f"a b c e {text}"
    for shown in (marked("", text), marked(text, ""), marked(text, "x"), marked(*same)):
        assert "<script" not in shown
        assert "<img" not in shown
        assert "& b" not in shown


def test_places_have_words() -> None:
    assert element_name("html>body>article.plain>ul>li") == "Article › list item"
    assert element_name("html>body>main>p") == "Paragraph"
    assert element_name("html>body>x-thing#a") == "Text"
    assert element_name("html>body>table>tr>td", "Coil, 3 mm") == "Coil, 3 mm"
    line = diff_line(entry("€642", "€618", kind="numbers", label="Coil, 3 mm"))
    assert (line.place, line.by, line.kind, line.spot) == ("Coil, 3 mm", "−€24, −3.7%", "number", "000000ff")


def test_importance_follows_the_share_and_labelled_values() -> None:
    assert importance([entry("a", "b")], 0.01) == 1
    assert importance([entry("a", "b")], 0.1) == 2
    assert importance([entry("a", "b")], 0.3) == 3
    assert importance([entry("€100", "€101", kind="numbers", label="Coil")], 0.01) == 2
    assert importance([entry("€100", "€110", kind="numbers", label="Coil")], 0.01) == 3
    assert (
        importance([entry("€100", "€110", kind="numbers", label="Coil")._replace(rule="counter")], 0.01) == 1
    )


def test_kinds_in_a_word_or_two() -> None:
    added = entry("", "new", kind="items added")
    assert kind_words([added, added], "items added") == "2 items added"
    assert kind_words([entry("1", "2", kind="numbers")] * 3, "numbers") == "3 numbers"
    assert kind_words([entry("1", "2", kind="numbers"), entry("a", "b")], "numbers, words") == "number, words"
