"""Changes as rows for people, and as feeds that feed readers accept."""

import json

import feedparser
import pytest

from fieldmouse.refresh.diff_entries import DiffEntry, entries_to_json
from fieldmouse.report.change_feed import change_feed, change_id
from fieldmouse.report.changes import ShownChange, difference_text, shown_change
from fieldmouse.store.change_contract import ChangeRow

HOSTILE = "<script>alert(1)</script>\x1b[2J\x00 & “quotes” \ud800"
NOW = "2026-11-17T00:00:00Z"


def entry(old: str, new: str, rule: str = "", label: str = "Price") -> DiffEntry:
    return DiffEntry("html>body>main>td.price", label, old, new, "numbers", rule, 1, (1, 2), 0xAB, 3)


def change(title: str = "Lamp", note: str = "", *entries: DiffEntry) -> ShownChange:
    found = entries or (entry("12 €", "13 €"), entry("1,200 views", "1,300 views", "counter", ""))
    return shown_change(
        ChangeRow(
            7, 1, "http://a.test/lamp?a=1&b=2", title, "a.test", 1_800_000_000.0, 1_799_990_000.0, 0.01,
            "numbers, words", entries_to_json(found, 2), note,
        )
    )  # fmt: skip


def test_a_change_is_place_before_after_why_and_how_to_mute() -> None:
    one = change(note="changed: x (confirmed by a control fetch)")
    (each,) = one.differences
    assert (each.place, each.before, each.after) == ("Price", "12 €", "13 €")
    assert each.why == "the value of a label; a second fetch minutes later showed the same"
    assert each.mute == "fieldmouse noise mute a.test 000000ab"
    assert difference_text(each) == 'Price: "12 €" -> "13 €"'
    assert (one.not_counted, one.more, one.kinds) == (1, 2, ("numbers", "words"))
    assert (one.time, one.unchanged_at) == ("2027-01-15T08:00:00Z", "2027-01-15T05:13:20Z")


def test_texts_that_came_and_went() -> None:
    one = change("", "", entry("", "A new line", label=""), entry("An old line", "", label=""))
    assert [difference_text(each) for each in one.differences] == [
        'Table: + "A new line"', 'Table: - "An old line"',
    ]  # fmt: skip
    assert one.title == "a.test/lamp?a=1&b=2", "a page without a title has its address"


def test_atom_is_read_by_a_feed_reader() -> None:
    text = change_feed(
        "atom", f"Changes {HOSTILE}", [change(HOSTILE, "", entry(HOSTILE, "13 €")), change()], NOW
    )
    feed = feedparser.parse(text.encode("utf-8", "replace"))
    assert not feed.bozo, feed.get("bozo_exception")
    assert feed.version == "atom10"
    first, second = feed.entries
    assert "<script>" not in first.content[0].value
    assert "<script>" not in text
    assert "\x1b" not in text
    assert second.title == 'Lamp: Price: "12 €" -> "13 €"'
    assert second.link == "http://a.test/lamp?a=1&b=2"
    assert second.id == change_id(change())
    assert "<del>12 €</del> <ins>13 €</ins>" in second.content[0].value
    assert [one.term for one in second.tags] == ["numbers", "words"]


def test_a_json_feed() -> None:
    feed = json.loads(change_feed("json", "Changes", [change(HOSTILE)], NOW))
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    (item,) = feed["items"]
    assert item["id"] == change_id(change())
    assert "<script>" not in item["content_html"]


@pytest.mark.parametrize("kind", ["atom", "json"])
def test_a_feed_without_changes(kind: str) -> None:
    text = change_feed(kind, "Changes", [], NOW)
    feed = feedparser.parse(text)
    assert (len(feed.entries), NOW in text) == (0, kind == "atom")
