"""The text of pages and the search in it: words of many scripts, changes, crashes, what is private."""

import unicodedata
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import UsageError
from fieldmouse.store import open_cleaning, open_reader
from fieldmouse.store.page_records import DocumentRow, PageFilter, SearchResult
from fieldmouse.store.relational.reader import SqlReader
from fieldmouse.store.relational.search_text import BREAK, normal_form, searchable
from fieldmouse.store.relational.template_store import SqlCleaning
from fieldmouse.store.sqlite.sqlite_search import match_expression
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened

TEXTS = {
    "english": "The insolvency of Acme Ltd. was filed on Monday. Creditors of ACME met.",
    "french": "La crème brûlée, naïve et sœur, coûte cher à Orléans.",
    "german": "Die Straße nach Köln: Müller fährt Größeres über Brücken.",
    "japanese": "東京都の天気は晴れです。ＡＢＣ株式会社の決算発表。",
    "chinese": "北京市的天气很好，公司破产了。",
    "korean": "서울에서 회사가 파산했다.",
    "thai": "บริษัทล้มละลายในประเทศไทย",
    "hindi": "कंपनी दिवालिया हो गई और किताब बंद।",
    "arabic": "أفلستِ الشَّرِكَة في القاهرة",
    "hebrew": "החברה פשטה רגל בתל אביב",
    "greek": "Η εταιρεία πτώχευσε στην Αθήνα",
    "russian": "Компания обанкротилась в Москве",
}


def put(folder: Path, rows: list[DocumentRow]) -> None:
    cleaning = open_cleaning(folder)
    with cleaning.transaction():
        cleaning.put_documents(rows)
    cleaning.close()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    with opened(tmp_path / "a", make(tmp_path / "a")) as store:
        store.seed({"a.test": ["http://a.test/"]}, BEGAN)
        store.commit(
            [found(f"http://a.test/{name}", f"<title>{name}</title>".encode()) for name in TEXTS], BEGAN
        )
    put(
        tmp_path / "a",
        [DocumentRow(place + 1, place + 1, name, text) for place, (name, text) in enumerate(TEXTS.items())],
    )
    return tmp_path / "a"


def search(folder: Path, words: str, **where: object) -> SearchResult:
    with open_reader(folder) as reader:
        return reader.search(words, PageFilter(**where))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("insolvency acme", "english"), ("ACME Insolvency", "english"), ('"acme ltd"', "english"),
        ("creme brulee", "french"), ("ORLEANS", "french"), ("muller", "german"), ("Brücken koln", "german"),
        ("天気", "japanese"), ("東京", "japanese"), ("決算発表", "japanese"), ("ABC", "japanese"),
        ("abc 株式会社", "japanese"),
        ("破产", "chinese"), ("天气", "chinese"), ("파산", "korean"), ("서울", "korean"),
        ("ล้มละลาย", "thai"), ("ประเทศไทย", "thai"), ("किताब", "hindi"), ("दिवालिया", "hindi"),
        ("الشركة", "arabic"), ("أفلست", "arabic"), ("אביב", "hebrew"), ("ΠΤΏΧΕΥΣΕ", "greek"),
        ("москве", "russian"), ("обанкрот*", "russian"), ("insolv*", "english"),
        ("acme -köln", "english"), ("nothing OR münchen OR köln", "german"), ("hebrew", "hebrew"),
    ],
)  # fmt: skip
def test_words_of_many_scripts_are_found(folder: Path, words: str, name: str) -> None:
    result = search(folder, words)
    assert [hit.title for hit in result.hits] == [name]
    assert (result.total, result.capped) == (1, False)


@pytest.mark.parametrize(
    "words", ["insolv", "acme nowhere", '"ltd acme"', "京東", "acme -creditors", "insolvency -acme"]
)
def test_what_is_not_there_is_not_found(folder: Path, words: str) -> None:
    assert search(folder, words).total == 0


@pytest.mark.parametrize(
    "words",
    [
        '"',
        "acme AND OR NOT",
        "acme) OR (x",
        "title:acme",
        "NEAR(acme ltd)",
        "acme\"'--;",
        "^acme",
        "a:b*c+d",
        "\x00acme",
    ],
)
def test_no_query_is_a_syntax_error(folder: Path, words: str) -> None:
    try:
        search(folder, words)
    except UsageError as error:
        assert "at least one word" in str(error)  # noqa: PT017


def test_words_are_needed() -> None:
    for words in ("", "  ", "-", "-acme", "* ?", "OR"):
        with pytest.raises(UsageError, match="at least one word"):
            match_expression(words)


def test_a_snippet_marks_the_words(folder: Path) -> None:
    (hit,) = search(folder, "acme monday").hits
    assert [hit.snippet[begin:end] for begin, end in hit.marks] == ["Acme", "Monday", "ACME"]
    (hit,) = search(folder, "決算").hits
    assert [hit.snippet[begin:end] for begin, end in hit.marks] == ["決算"]
    assert "\u200b" not in hit.snippet
    assert hit.snippet.endswith("の決算発表。")


def test_the_title_weighs_more(folder: Path) -> None:
    put(
        folder,
        [DocumentRow(1, 1, "Weather", "other"), DocumentRow(2, 2, "Other", "weather " * 3 + "more words")],
    )
    assert [hit.page for hit in search(folder, "weather").hits] == [1, 2]


def test_a_changed_text_replaces_the_old_one(folder: Path) -> None:
    put(folder, [DocumentRow(1, 9, "new", "A merger instead")])
    assert search(folder, "insolvency").total == 0
    assert [hit.page for hit in search(folder, "merger").hits] == [1]
    with open_reader(folder) as reader:
        assert reader.text(1) == "A merger instead"
        assert reader.text_sizes().text_bytes > 0
    sound(folder)


def sound(folder: Path) -> None:
    """The index agrees with the texts, and the running total with their sizes."""
    cleaning = SqlCleaning(folder)
    cleaning.db.db.execute("INSERT INTO search (search, rank) VALUES ('integrity-check', 1)")
    ((size,),) = cleaning.db.db.execute("SELECT sum(length(data)) FROM page_text")
    cleaning.close()
    with open_reader(folder) as reader:
        assert reader.text_sizes().text_bytes == size
        reader.check()


def test_a_death_in_the_middle_changes_nothing(folder: Path) -> None:
    class Dead(Exception):
        pass

    def rows() -> Iterator[DocumentRow]:
        yield DocumentRow(1, 9, "new", "A merger instead")
        raise Dead

    cleaning = open_cleaning(folder)
    with pytest.raises(Dead), cleaning.transaction():
        cleaning.put_documents(rows())
    cleaning.close()
    assert search(folder, "insolvency").total == 1
    assert search(folder, "merger").total == 0
    sound(folder)


def test_the_index_can_be_built_anew(folder: Path) -> None:
    cleaning = SqlCleaning(folder)
    cleaning.db.db.execute("DELETE FROM search_data WHERE id > 10")
    cleaning.rebuild_index()
    cleaning.close()
    assert search(folder, "acme").total == 1
    assert search(folder, "天气").total == 1
    sound(folder)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.text(st.sampled_from("aeo\u0301\u0308\u1100\u1161\u11a8ﬁ½é—ж\u05b0"), max_size=12))
def test_any_text_is_indexed_in_its_normal_form(text: str) -> None:
    normal = unicodedata.normalize("NFKC", text).replace("\u05b0", "")
    assert searchable(text).replace(BREAK, "") == normal


def test_each_sign_becomes_its_normal_form_behind_any_other() -> None:
    """Signs that change are replaced one by one, but for those that become one with the sign before them."""
    signs = [chr(code) for code in range(0x80, 0x20000) if not 0xD800 <= code < 0xE000]
    for sign in (
        one for one in signs if unicodedata.normalize("NFKC", one) != one or "\u1100" <= one < "\u1200"
    ):
        for before in ("e", "\u1100", "\uac00", "\u30ab", "…"):
            text = before + sign + before
            assert normal_form(text, _odd(text)) == unicodedata.normalize("NFKC", text), sign


def _odd(text: str) -> bytes:
    return "".join(one for one in text if not one.isascii()).encode()


def test_the_size_of_the_index_is_that_of_its_pages(folder: Path) -> None:
    for number in range(1, 12):  # several parts of the index, some of several pages
        put(folder, [DocumentRow(1, 9, "t", " ".join(f"w{n * number}" for n in range(900 * number)))])
        with open_reader(folder) as reader:
            assert isinstance(reader, SqlReader)
            rows = reader.db.select("SELECT length(block) FROM search_data WHERE id > 10", {})
            sizes = [size for (size,) in rows]
            assert reader.text_sizes().index_bytes == 4050 * len(sizes)
            assert sum(sizes) <= 4050 * len(sizes) * 1.01


def test_filters_and_private_pages(tmp_path: Path) -> None:
    with opened(tmp_path / "a", make(tmp_path / "a")) as store:
        names = ("a.test", "b.test")
        store.seed({name: [f"http://{name}/"] for name in names}, BEGAN)
        first, second = (found(f"http://{name}/", f"<html lang=en><p>{name}".encode()) for name in names)
        store.commit([first, replace(second, private=True)], BEGAN)
    put(tmp_path / "a", [DocumentRow(1, 1, "one", "acme"), DocumentRow(2, 2, "two", "acme")])
    assert [hit.host for hit in search(tmp_path / "a", "acme").hits] == ["a.test"]
    assert {hit.private for hit in search(tmp_path / "a", "acme", private=True).hits} == {False, True}
    assert search(tmp_path / "a", "acme", host="b.test").hits == ()
    assert [hit.host for hit in search(tmp_path / "a", "acme", host="b.test", private=True).hits] == [
        "b.test"
    ]
    assert search(tmp_path / "a", "acme", host="a.test").total == 1
    assert search(tmp_path / "a", "acme", host="nobody.test", private=True).total == 0
    assert search(tmp_path / "a", "acme", language="en").total == 1
    assert search(tmp_path / "a", "acme", since=BEGAN + 1).total == 0


def test_plain_text_is_indexed_as_it_is() -> None:
    assert searchable("plain words") == "plain words"
    assert searchable("ﬁne") == "fine"
    assert searchable(None) == ""
