"""The views that people query: documented column by column, and true."""

from pathlib import Path
from typing import Any

import pytest

from fieldmouse.errors import UsageError
from fieldmouse.refresh.planner import Planner
from fieldmouse.store import schema
from fieldmouse.store.page_records import PageFilter
from fieldmouse.store.relational.views import view_scripts
from fieldmouse.store.sqlite.user_query import user_query
from fieldmouse.units import DAY
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened, visited

WANTED = "pages versions visits changes hosts links redirects templates crawls".split()  # noqa: SIM905


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two pages of one host; one was visited again and had not changed, one was gone at first."""
    settings = make(tmp_path / "a")
    with opened(tmp_path / "a", settings) as store:
        store.begin_run("crawl", BEGAN)
        store.seed({"www.a.test": ["http://www.a.test/"]}, BEGAN)
        url, body = "http://www.a.test/", b"<html lang=en-GB><title>A</title><p>Hi"
        visited(store, [found(url, body)], BEGAN)
        visited(store, [found("http://www.a.test/gone", b"", status=404)], BEGAN)
        visited(store, [found(url, b"", at=BEGAN + DAY, status=304)], BEGAN + DAY)
        store.end_run("done", BEGAN + DAY)
        store.begin_run("refresh", BEGAN + 2 * DAY)
        changed = found(url, body + b" and more", at=BEGAN + 2 * DAY)
        visited(store, [changed], BEGAN + 2 * DAY, Planner(settings))
        visited(store, [found(url, b"", at=BEGAN + 3 * DAY, status=304)], BEGAN + 3 * DAY)
    return tmp_path / "a"


def rows(folder: Path, sql: str) -> list[tuple[Any, ...]]:
    return list(user_query(folder / "fieldmouse.sqlite", sql, seconds=20.0, functions={})[1])


@pytest.mark.parametrize("view", schema(), ids=lambda one: one.name)
def test_every_column_is_documented(folder: Path, view: Any) -> None:
    names, _ = user_query(folder / "fieldmouse.sqlite", f"SELECT * FROM {view.name}", seconds=9, functions={})
    assert names == [one.name for one in view.columns]
    assert view.meaning.endswith(".")
    assert all(one.meaning for one in view.columns)
    assert "iso(" in view_scripts()[view.name] or all(one.type != "TIME" for one in view.columns)


def test_the_views_that_people_expect_are_there() -> None:
    assert set(WANTED) <= {view.name for view in schema()}


def test_the_status_of_a_page_is_that_of_its_content(folder: Path) -> None:
    assert rows(folder, "SELECT url, domain, language, status, last_status, versions FROM pages") == [
        ("http://www.a.test/", "a.test", "en-GB", 200, 304, 2)
    ]
    assert rows(folder, "SELECT url, stored, last_status FROM urls ORDER BY url") == [
        ("http://www.a.test/", 1, 304),
        ("http://www.a.test/gone", 0, 404),
    ]


def test_times_are_iso_8601_in_utc(folder: Path) -> None:
    ((seen, checked, changed, due),) = rows(
        folder, "SELECT first_seen, last_checked, last_changed, next_check FROM pages"
    )
    assert seen < changed < checked
    assert due > changed
    (own,) = rows(folder, f"SELECT strftime('%Y-%m-%dT%H:%M:%SZ', {BEGAN}, 'unixepoch')")
    assert (seen,) == own
    for view in schema():
        for column in (one.name for one in view.columns if one.type == "TIME"):
            bad = rows(
                folder,
                f"SELECT {column} FROM {view.name} WHERE {column} NOT GLOB "
                "'[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-6][0-9]Z'",
            )
            assert bad == []


def test_runs_are_counted_while_they_run_and_after(folder: Path) -> None:
    assert rows(folder, "SELECT kind, result, visits, pages, changes FROM crawls ORDER BY id") == [
        ("crawl", "done", 3, 1, 0),
        ("refresh", "running", 2, 0, 1),
    ]
    with opened(folder, make(folder.parent / "other")) as store:
        store.begin_run("crawl", BEGAN + 9 * DAY)
    found = rows(folder, "SELECT kind, result, visits, ended IS NULL FROM crawls ORDER BY id")
    assert found[1:] == [("refresh", "interrupted", 2, 1), ("crawl", "running", 0, 1)]


def test_a_change_has_its_kinds_and_differences(folder: Path) -> None:
    ((url, kinds, diff),) = rows(folder, "SELECT url, kinds, diff FROM changes")
    assert url == "http://www.a.test/"
    assert kinds
    assert "and more" in diff


@pytest.mark.parametrize(
    ("sql", "hint"),
    [
        ("SELECT langage FROM pages", "did you mean language?"),
        ("SELECT * FROM page_s", "did you mean pages?"),
        ("SELECT * FROM hostz", "did you mean hosts?"),
        ("SELECT qqqqqq FROM pages", "`query --schema` lists"),
    ],
)
def test_an_unknown_name_names_the_nearest(folder: Path, sql: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        rows(folder, sql)
    assert hint in str(caught.value)
    assert "at line 1, column" in str(caught.value)


def test_filters_choose_pages(tmp_path: Path) -> None:
    with opened(tmp_path / "a", make(tmp_path / "a")) as store:
        names = ("a.test", "b.a.test", "c.test")
        store.seed({name: [f"http://{name}/"] for name in names}, BEGAN)
        for place, (name, language) in enumerate(zip(names, ("en", "en-US", "de"), strict=True)):
            body = f"<html lang={language}><title>{name}</title><p>words of {name}".encode()
            visited(store, [found(f"http://{name}/", body, at=BEGAN + place * DAY)], BEGAN)
        visited(store, [found("http://a.test/gone", b"", status=404)], BEGAN)
        with store.reader() as reader:

            def chosen(**given: Any) -> list[str]:
                where = PageFilter(**given)
                hosts = [page.host for page in reader.selected(where)]
                assert reader.count(where) == len(hosts)
                return hosts

            assert chosen() == list(names)
            assert chosen(everything=True) == [*names, "a.test"]
            assert chosen(host="a.test") == ["a.test"]
            assert chosen(domain="a.test") == ["a.test", "b.a.test"]
            assert chosen(language="EN") == ["a.test", "b.a.test"]
            assert chosen(language="en-us") == ["b.a.test"]
            assert chosen(language="%") == chosen(language="e_") == chosen(language="x" * 70_000) == []
            assert chosen(since=BEGAN + DAY) == ["b.a.test", "c.test"]
            assert chosen(changed_since=BEGAN + 2 * DAY) == ["c.test"]
            assert chosen(topic="none") == []
            assert chosen(host="nobody.test") == []
