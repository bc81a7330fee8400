"""Lists of classes: files, mistakes in them, and terms."""

from pathlib import Path

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.focus.words import Stems
from fieldmouse.labels.classes import (
    SHIPPED,
    from_csv,
    from_toml,
    joined_letters,
    load_classes,
    term_counts,
    to_toml_text,
)

TWO = '[classes.cars.keywords]\ncar = 4\n"used car" = 2\n[classes.food]\nkeywords = ["recipe", "kitchen"]\n'


def test_classes_from_toml_and_csv_are_the_same() -> None:
    found = from_toml(TWO, "mine.toml")
    rows = "class,keyword,weight\ncars,car,4\ncars,used car,2\nfood,recipe\nfood,kitchen,1\n"
    assert found.classes == from_csv(rows, "mine.csv").classes
    assert found.name == "mine"
    assert found.names == ("cars", "food")
    assert not found.warnings
    assert from_toml(to_toml_text(found), "other.toml") == found


@pytest.mark.parametrize("name", SHIPPED)
def test_the_shipped_lists_are_sound(name: str) -> None:
    found = load_classes(name)
    assert not found.warnings
    assert all(len(one.keywords) >= 20 for one in found.classes)


def test_there_are_nine_business_categories() -> None:
    assert len(load_classes("business").classes) == 9


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "has no class; write a table"),
        ("[classes.cars]\nkeywords = {}", "'cars' has no keywords; `label classes suggest"),
        ("[classes.cars]\nkeywords = {car = 0}", "mine.toml: class 'cars': .* must be above 0"),
        ("[classes.cars]\nkeywords = {car = 'x'}", "must be a number"),
        ("[classes.cars]\nkeywords = {car = inf}", "must be a number"),
        ("[classes.cars]\nkeywords = {the = 1}", "stop word"),
        ("[classes.cars]\nkeywords = 5", "a table of weights or a list"),
        ("[classes.cars]\nwords = ['x']", "unknown key 'words'"),
        ("[class.cars]\nkeywords = ['x']", "unknown key 'class'"),
        ("[classes.a]\nkeywords = ['car']\n[classes.b]\nkeywords = ['cars']", "the same keywords"),
        ("[classes.'']\nkeywords = ['car']", "a class has no name"),
        ("[classes", "not valid TOML"),
    ],
)
def test_a_mistake_in_classes_is_an_error_that_says_what_to_do(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        from_toml(text, "mine.toml")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("cars\n", "line 1: expected"),
        ("cars,car,heavy\n", "line 1: the weight"),
        ("cars,car,1\ncars,van,nan\n", "line 2: the weight"),
        ("cars,\n", "no keywords"),
    ],
)
def test_a_mistake_in_a_csv_file_names_the_line(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        from_csv(text, "mine.csv")


def test_one_class_and_overlapping_classes_are_warned_about() -> None:
    assert "only one class" in from_toml("[classes.a]\nkeywords = ['car']", "x.toml").warnings[0]
    text = "[classes.a]\nkeywords = ['car', 'van']\n[classes.b]\nkeywords = ['car', 'van', 'bus']"
    assert "share 2 keywords (car, van)" in from_toml(text, "x.toml").warnings[0]


def test_stop_words_among_keywords_are_ignored_with_a_warning() -> None:
    found = from_toml(
        "[classes.a]\nkeywords = ['car', 'the', '24']\n[classes.b]\nkeywords = ['dog']", "x.toml"
    )
    assert found.classes[0].terms.keys() == {"car"}
    assert found.warnings == ("class 'a': stop words and keywords without letters are ignored: the, 24",)


@pytest.mark.parametrize("sign", [",", ";", "\t"])
def test_rows_may_have_another_separator_and_a_heading_in_capitals(sign: str) -> None:
    rows = (("Class", "Keyword", "Weight"), ("a", "car", "2"), ("a", "car", "3"), ("b", "dog", ""))
    found = from_csv("".join(f"{sign.join(row)}\n" for row in rows), "x.csv")
    assert [dict(one.keywords) for one in found.classes] == [{"car": 3.0}, {"dog": 1.0}]


def test_a_weight_may_have_a_decimal_comma() -> None:
    found = from_csv("a;car;2,5\nb;dog;1\n", "x.csv")
    assert [dict(one.keywords) for one in found.classes] == [{"car": 2.5}, {"dog": 1.0}]


def test_a_missing_file_is_reported_with_the_shipped_lists(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="business, adult"):
        load_classes(str(tmp_path / "none.toml"))


def test_compounds_and_phrases_are_one_term() -> None:
    known, stems = frozenset({"nightclub", "realest"}), Stems()
    assert term_counts(["night", "club", "cars"], known, stems) == {"nightclub": 1, "car": 1}
    assert term_counts(["real", "estate", "the"], known, stems, frozenset({"real"})) == {"realest": 1}
    assert term_counts(["night", "club"], known, stems, frozenset()) == {"night": 1, "club": 1}
    assert term_counts([], known, stems) == {}


def test_runs_of_letters_are_joined() -> None:
    assert joined_letters(["s", "e", "o", "shop", "4", "u"]) == ["seo", "shop", "4", "u"]
