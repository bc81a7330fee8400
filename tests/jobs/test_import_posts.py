"""Posts of many forms are imported once, and what they name is pending with its evidence."""

import gzip
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import fieldmouse
from fieldmouse.cli import cli
from fieldmouse.errors import ImportFailed
from fieldmouse.files.text_lines import TextLines
from fieldmouse.jobs.post_formats import LeftOut, Post, posts

MASTODON = {
    "id": "110", "created_at": "2026-11-10T10:00:00.000Z", "account": {"acct": "ann@s.example"},
    "content": '<p>My <a href="https://blog.example.net/new">new blog</a> on fishing</p>',
}  # fmt: skip
OUTBOX = {
    "@context": "https://www.w3.org/ns/activitystreams", "type": "OrderedCollection", "orderedItems": [
        {"id": "https://s.example/1/activity", "type": "Create", "actor": "https://s.example/ann",
         "published": "2026-11-09T00:00:00Z",
         "object": {"id": "https://s.example/1", "attributedTo": "x",
                    "content": "<p>see boats.org</p>", "url": "https://s.example/1"}},
        {"id": "2", "type": "Announce", "object": "https://s.example/9"},
    ]}  # fmt: skip
RSS = """<?xml version="1.0"?><rss><channel><link>https://f.example</link>
<item><title>News</title><link>https://f.example/1</link><guid>g1</guid><author>ed</author>
<pubDate>Mon, 09 Nov 2026 10:00:00 GMT</pubDate>
<description>&lt;p&gt;with ferry.org&lt;/p&gt;</description></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><id>urn:1</id><title>T</title>
<link href="https://f.example/2"/><author><name>eva</name></author><updated>2026-11-08T00:00:00Z</updated>
</entry></feed>"""


JSON_FEED = {
    "version": "https://jsonfeed.org/version/1.1", "home_page_url": "https://f.example/", "items": [
        {"id": "https://f.example/3", "url": "https://f.example/3", "authors": [{"name": "eva"}],
         "content_html": '<p>see <a href="https://b.com/x">boats</a></p>',
         "date_published": "2026-11-08T00:00:00Z"}]}  # fmt: skip


def read(text: str) -> list[Post | LeftOut]:
    return list(posts(TextLines(io.BytesIO(text.encode()))))


@pytest.mark.parametrize(
    ("text", "author", "time", "urls"),
    [
        (json.dumps(MASTODON), "ann@s.example", 1794304800, ["https://blog.example.net/new"]),
        (json.dumps([MASTODON], indent=1), "ann@s.example", 1794304800, ["https://blog.example.net/new"]),
        (json.dumps(OUTBOX), "https://s.example/ann", 1794182400, ["http://boats.org"]),
        (json.dumps(OUTBOX, indent=2), "https://s.example/ann", 1794182400, ["http://boats.org"]),
        (RSS, "ed", 1794218400, ["http://ferry.org", "https://f.example/1"]),
        (ATOM, "eva", 1794096000, ["https://f.example/2"]),
        ("user,date,text\nbob,2026-11-12,\"a, b.com\"\n", "bob", 1794441600, ["http://b.com"]),
        ("User;Posted;Message\nbob;12.11.2026 01:00;\"a; b.com\"\n", "bob", 1794445200, ["http://b.com"]),
        ("by\ttime\ttitle\nbob\t1794441600\tsee b.com\n", "bob", 1794441600, ["http://b.com"]),
        (f"window.YTD.tweets.part0 = [\n{json.dumps({'tweet': MASTODON})}]", "ann@s.example", 1794304800,
         ["https://blog.example.net/new"]),
        (ATOM.replace("<author>", '<link rel="self" href="https://f.example/own"/><author>'), "eva",
         1794096000, ["https://f.example/2"]),
        ("\n\nplain words and b.com\n", "", None, ["http://b.com"]),
        (json.dumps(JSON_FEED), "eva", 1794096000, ["https://b.com/x", "https://f.example/3"]),
        (
            json.dumps({"id_str": "9", "user": {"screen_name": "al"}, "full_text": "x https://t.co/a",
                        "created_at": "Wed Nov 11 10:00:00 +0000 2026",
                        "entities": {"urls": [{"url": "https://t.co/a", "expanded_url": "https://real.example/"}]}}),
            "al", 1794391200, ["https://t.co/a", "https://real.example/"],
        ),
    ],
)  # fmt: skip
def test_forms_of_posts(text: str, author: str, time: float | None, urls: list[str]) -> None:
    found = [one for one in read(text) if isinstance(one, Post)]
    assert len(found) == 1
    assert (found[0].author, found[0].time) == (author, time)
    assert [one.url for one in found[0].addresses] == urls


def test_what_is_no_post_is_counted_by_reason() -> None:
    text = '{"text": "see b.com"}\n{oops\n{"text": ""}\n{"text": "no address"}\n[1]\n{"type": "Like"}\n'
    assert [one.reason for one in read(text) if isinstance(one, LeftOut)] == [
        "not JSON", "no text", "no address in it", "not a post", "a boost or a like, without words",
    ]  # fmt: skip
    assert isinstance(read(RSS[:-40])[-1], LeftOut)
    assert read("a,text\n1,b.com\n1,2,3\n")[1] == LeftOut("other number of columns than the first line")


@pytest.fixture
def archive(tmp_path: Path) -> fieldmouse.Archive:
    return fieldmouse.create(tmp_path / "a", **{"scope.allow": ("example.net", "b.com")})


def line(id_: int, user: str, day: int, text: str) -> str:
    return json.dumps({"id": id_, "user": user, "date": f"2026-11-{day:02}", "text": text}) + "\n"


def imported(archive: fieldmouse.Archive, text: str) -> tuple[int, int, int]:
    done = archive.import_posts(io.BytesIO(text.encode()), "posts.jsonl")
    return done.posts, done.new, done.wanted


def test_posts_are_imported_once_and_name_pending_pages(archive: fieldmouse.Archive) -> None:
    text = line(1, "ann", 3, "boats: b.com/new") + line(2, "bob", 5, "again http://b.com/new and other.org")
    assert imported(archive, text) == (2, 2, 2)
    assert imported(archive, text) == (2, 0, 2)
    found = archive.why("http://b.com/new")
    assert (
        found.summary == "pending: named in posts, and its host is waiting (named in a post in posts.jsonl)"
    )
    assert "on 2026-11-03, in posts.jsonl: boats:" in found.named[0]
    assert found.named[1] == "in 2 posts, the last on 2026-11-05"
    assert "2 posts of 2 authors" in found.named[2]
    _, rows = archive.query("SELECT state FROM host WHERE name = 'other.org'")
    assert list(rows) == [("outside",)]
    _, rows = archive.query("SELECT count(*), count(DISTINCT author) FROM mentions")
    assert list(rows) == [(3, 2)]
    assert "ann" not in json.dumps(list(archive.query("SELECT * FROM post")[1]), default=str)


def test_rows_of_two_tables_with_the_same_numbers_are_different_posts(archive: fieldmouse.Archive) -> None:
    assert imported(archive, "id,text\n1,see b.com\n2,see other.org\n")[1] == 2
    assert imported(archive, "id,text\n1,see third.org\n2,see other.org\n")[1] == 1


def test_the_words_around_a_link_of_a_feed_have_no_tags(archive: fieldmouse.Archive) -> None:
    imported(archive, RSS)
    _, rows = archive.query("SELECT words FROM mentions WHERE url = 'https://f.example/1'")
    assert list(rows) == [("News with ferry.org",)]


def test_a_host_that_more_people_named_lately_goes_first(archive: fieldmouse.Archive) -> None:
    one_voice = "".join(line(n, "bot", 1, f"http://a.example.net/{n % 2}") for n in range(50))
    voices = "".join(line(100 + n, f"user{n}", 1, f"http://b.example.net/{n % 2}") for n in range(20))
    imported(archive, one_voice + voices)
    _, rows = archive.query("SELECT name, named, priority FROM host ORDER BY priority DESC")
    (first, named, high), (second, little, low) = list(rows)
    assert (first, second) == ("b.example.net", "a.example.net")
    assert named == pytest.approx(20 * little)
    assert high > 5 * low
    # The same people again: the host gains nothing but the time since.
    imported(archive, line(200, "bot", 2, "http://a.example.net/x"))
    (again,) = next(archive.query("SELECT named FROM host WHERE name = 'a.example.net'")[1])
    assert little < again < 1.05 * little


def test_a_wider_scope_takes_up_what_was_named_before(archive: fieldmouse.Archive) -> None:
    text = line(1, "ann", 3, "http://wide.org/x")
    assert imported(archive, text) == (1, 1, 0)
    wide = fieldmouse.open(archive.folder, **{"scope.allow": ()})
    assert imported(wide, text) == (1, 0, 1)
    assert wide.why("http://wide.org/x").summary.startswith("pending")


def test_garbage_is_refused(archive: fieldmouse.Archive, tmp_path: Path) -> None:
    for data in (
        b"",
        bytes(range(256)) * 20,
        b"{" * 1000,
        b"just words\n" * 50,
        b"<?xml version='1.0'?><rss>",
    ):
        with pytest.raises(ImportFailed, match="no post that names a URL"):
            archive.import_posts(io.BytesIO(data), "x")
    file = tmp_path / "posts.gz"
    file.write_bytes(gzip.compress(b"no address"))
    done = CliRunner().invoke(cli, ["-C", str(archive.folder), "import", "--posts", str(file)])
    assert isinstance(done.exception, ImportFailed)
    assert done.exception.exit_code == 8


def test_the_command_reads_stdin_and_tells_what_was_left_out(archive: fieldmouse.Archive) -> None:
    text = line(1, "ann", 3, "b.com") + "{oops\n"
    command = ["-C", str(archive.folder), "import", "--posts", "-"]
    done = CliRunner().invoke(cli, command, input=text)
    assert "-: 1 post with 1 address, 1 in scope; 1 new" in done.output
    assert "-: left out 1: not JSON" in done.output
    again = CliRunner().invoke(cli, [*command, "--json"], input=text)
    assert json.loads(again.stdout)[0]["new"] == 0
