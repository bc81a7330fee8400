"""Changes as rows for people, and as feeds that feed readers accept."""

import json
import re
from collections import Counter
from xml.etree import ElementTree as ET

import feedparser
import pytest

from fieldmouse.refresh.diff_entries import DiffEntry, entries_to_json
from fieldmouse.report.change_feed import change_feed, change_id
from fieldmouse.report.changes import ShownChange, difference_text, shown_change
from fieldmouse.store.change_contract import ChangeRow

HOSTILE = "<script>alert(1)</script>\x1b[2J\x00\u202e\u2066 & “quotes” \ud800"
NOW = "2026-11-17T00:00:00Z"

ATOM = "{http://www.w3.org/2005/Atom}"
# RFC 4287: the elements of a feed and of an entry with how often they may be there, and attributes.
ONCE, ANY, AT_MOST_ONCE = (1, 1), (0, 1000), (0, 1)
SHARED = {"id": ONCE, "title": ONCE, "updated": ONCE, "rights": AT_MOST_ONCE} | dict.fromkeys(
    ("author", "category", "contributor", "link"), ANY
)
ELEMENTS = {
    "feed": SHARED | {"entry": ANY} | dict.fromkeys(("generator", "icon", "logo", "subtitle"), AT_MOST_ONCE),
    "entry": SHARED | dict.fromkeys(("content", "published", "source", "summary"), AT_MOST_ONCE),
    "author": {"name": ONCE, "uri": AT_MOST_ONCE, "email": AT_MOST_ONCE},
}
ATTRIBUTES = {
    "link": {"href", "rel", "type", "hreflang", "title", "length"}, "category": {"term", "scheme", "label"},
    "title": {"type"}, "content": {"type", "src"}, "summary": {"type"}, "generator": {"uri", "version"},
}  # fmt: skip
RFC3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


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
    assert difference_text(each) == "Price: “12 €” → “13 €”"
    assert (one.not_counted, one.more, one.kinds) == (1, 2, ("numbers", "words"))
    assert (one.time, one.unchanged_at) == ("2027-01-15T08:00:00Z", "2027-01-15T05:13:20Z")


def test_texts_that_came_and_went() -> None:
    one = change("", "", entry("", "A new line", label=""), entry("An old line", "", label=""))
    assert [difference_text(each) for each in one.differences] == [
        'Table: + “A new line”', 'Table: − “An old line”',
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
    assert not re.search("[\x1b\u202e\u2066]", text)
    assert second.title == "Lamp: Price: “12 €” → “13 €”"
    assert second.link == "http://a.test/lamp?a=1&b=2"
    assert second.id == change_id(change())
    assert "<del>12 €</del> <ins>13 €</ins>" in second.content[0].value
    assert [one.term for one in second.tags] == ["numbers", "words"]


def test_a_feed_is_valid_by_rfc_4287() -> None:
    feed = change_feed(
        "atom", f"Changes {HOSTILE}", [change(HOSTILE, "", entry(HOSTILE, "13 €")), change()], NOW
    )
    root = ET.fromstring(feed.encode("utf-8", "replace"))
    assert root.tag == f"{ATOM}feed"
    for element in root.iter():
        name = element.tag.removeprefix(ATOM)
        assert set(element.attrib) <= ATTRIBUTES.get(name, set()), name
        counts = Counter(child.tag.removeprefix(ATOM) for child in element)
        allowed = ELEMENTS.get(name, {})
        assert counts.keys() <= allowed.keys(), name
        assert all(low <= counts[child] <= high for child, (low, high) in allowed.items()), name
        if name in ("updated", "published"):
            assert RFC3339.fullmatch(element.text)
        if name == "id":
            assert re.match(r"[a-z][a-z0-9+.-]*:\S+$", element.text), "an IRI"
        if name == "link":
            assert element.get("href")
    ids = [one.text for one in root.iter(f"{ATOM}id")]
    assert len(ids) == 3
    assert len(set(ids)) == 2
    for one in root.iter(f"{ATOM}entry"):
        assert one.find(f"{ATOM}author") is not None or root.find(f"{ATOM}author") is not None
        assert one.find(f"{ATOM}content") is not None or one.find(f"{ATOM}link") is not None


def test_a_json_feed() -> None:
    feed = json.loads(change_feed("json", "Changes", [change(HOSTILE)], NOW))
    assert feed["version"] == "https://jsonfeed.org/version/1.1"
    (item,) = feed["items"]
    assert item["id"] == change_id(change())
    assert "<script>" not in item["content_html"]
    assert not re.search("[\x1b\u202e\u2066]", item["title"])


@pytest.mark.parametrize("kind", ["atom", "json"])
def test_a_feed_without_changes(kind: str) -> None:
    text = change_feed(kind, "Changes", [], NOW)
    feed = feedparser.parse(text)
    assert (len(feed.entries), NOW in text) == (0, kind == "atom")
