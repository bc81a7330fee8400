"""Labels, topics, submissions and search of a running server: what they show, what their buttons do."""

import csv
import io
import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest

from fieldmouse.files.append_only import Lock
from fieldmouse.store import open_inbox, open_reader
from fieldmouse.store.inbox_contract import Role
from fieldmouse.store.page_records import PageFilter
from tests.dashboard.archives import NEWS, SHOP, TOPIC, filled, reviewed
from tests.dashboard.test_pages import csrf, shown, words
from tests.server.running import Client, running
from tests.server.test_api import settled
from tests.waiting import until

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    archive = filled(tmp_path_factory.mktemp("review") / "market", days=3)
    reviewed(archive.folder)
    with running(archive.folder) as client:
        client.sign_in()
        yield client


def guest(client: Client) -> Client:
    reader = client.reader("guest", Role.READ)
    entered = reader.form("/sign-in", token=reader.token)
    return Client(client.address, client.folder, cookie=entered.headers["set-cookie"].partition(";")[0])


def test_a_label_is_answered_and_the_answer_taken_back(client: Client) -> None:
    html = shown(client, "/labels")
    found = re.search(
        r'name="url" value="([^"]+)"><input type="hidden" name="classes" value="business">', html
    )
    assert found
    url = unescape(found[1])
    with open_reader(client.folder) as reader:
        asked = reader.labels.uncertain("business", 50)
        page = reader.dashboard.page(url)
    assert page is not None
    assert url == asked[0].url  # the least certain first
    fields = {"url": url, "classes": "business"}
    answer = client.form("/label", csrf=csrf(client), **fields, **{"class": asked[0].name})
    assert f"is {asked[0].name}; the next" in words(shown(client, answer.headers["location"]))
    with open_reader(client.folder) as reader:
        assert [(one.page, one.names) for one in reader.labels.answers("business")] == [
            (page.id, (asked[0].name,))
        ]
        assert page.id not in [one.page for one in reader.labels.uncertain("business", 50)]
    client.form("/label", csrf=csrf(client), **fields, **{"class": ""})
    with open_reader(client.folder) as reader:
        assert [one.names for one in reader.labels.answers("business")] == [()]
    client.form("/label", csrf=csrf(client), undo="1", **fields)
    with open_reader(client.folder) as reader:
        assert reader.labels.answers("business") == []
    assert client.form("/label", csrf=csrf(client), **fields, **{"class": "zeppelins"}).status == 400
    assert (
        client.form("/label", csrf=csrf(client), url="http://never.test/", classes="business").status == 400
    )
    assert client.form("/label", csrf=csrf(client), url=url, classes="nothing").status == 400


def test_pages_that_the_labeller_is_sure_of_come_last(client: Client) -> None:
    with open_reader(client.folder) as reader:
        rows = reader.labels.uncertain("business", 50)
        every = list(reader.labels.all("business"))
    distances = [abs(one.probability - 0.5) for one in rows]
    assert distances == sorted(distances)
    assert {one.page for one in rows} == {one.page for one in every}
    assert len(rows) == len({one.page for one in rows})  # the best class of each page only


def test_a_topic_learns_from_an_answer(client: Client) -> None:
    html = shown(client, "/topics")
    assert TOPIC in html
    answer = client.form("/topic-label", csrf=csrf(client), url=f"{NEWS}/", topic=TOPIC, answer="no")
    assert answer.status == 303, answer.body
    assert "off topic; the judge has learned it" in words(shown(client, answer.headers["location"]))
    text = next((client.folder / "topics").glob("*.toml")).read_text()
    assert f"{NEWS}/" in text.partition("irrelevant")[2]
    assert (
        client.form("/topic-label", csrf=csrf(client), url=f"{NEWS}/", topic=TOPIC, answer="?").status == 400
    )
    with Lock(client.folder / "lock", now=time.time()):
        busy = client.form("/topic-label", csrf=csrf(client), url=f"{SHOP}/prices", topic=TOPIC, answer="yes")
    assert "answer again when it has ended" in words(shown(client, busy.headers["location"]))


def test_undecided_pages_are_those_close_to_the_line(client: Client) -> None:
    with open_reader(client.folder) as reader:
        judged = {one.url: one.score for one in reader.topic_pages(TOPIC)}
        found = reader.dashboard.undecided(TOPIC, 50)
    assert {one.url for one in found} == {url for url, score in judged.items() if abs(score - 0.5) <= 0.1}
    assert [one.score for one in found] == [judged[one.url] for one in found]


# --- submissions -----------------------------------------------------------------------------------------


def sent(client: Client, url: str, **fields: object) -> str:
    ann = client.reader("ann", Role.PUBLISH)
    html = "<title>Seen</title><p>What the reader saw on this page, with some words."
    answer = ann.post("/v1/pages", {"url": url, "html": html, **fields})
    assert settled(ann, answer)["state"] == "stored"
    return str(answer.json["id"])


def is_private(client: Client, url: str) -> tuple[bool, bool]:
    """Whether the page is, and whether an export leaves it out."""
    with open_reader(client.folder) as reader:
        page = reader.dashboard.page(url)
        exported = url in {one.url for one in reader.selected(PageFilter())}
    assert page is not None
    return bool(page.private), not exported


def test_what_was_sent_is_published_and_made_private_again(client: Client) -> None:
    url = "https://secret.example/"
    id_ = sent(client, url, private=True, comment="قراءة ممتعة <b>價格</b>")
    html = shown(client, "/submissions")
    assert "قراءة ممتعة &lt;b&gt;價格&lt;/b&gt;" in html
    assert url not in shown(guest(client), "/submissions")
    assert is_private(client, url) == (True, True)
    answer = client.form("/publish", csrf=csrf(client), id=id_, private="")
    assert "It is public" in words(shown(client, answer.headers["location"]))
    assert is_private(client, url) == (False, False)
    assert url in shown(guest(client), "/submissions")
    client.form("/publish", csrf=csrf(client), id=id_, private="1")
    assert is_private(client, url) == (True, True)
    assert client.form("/publish", csrf=csrf(client), id="nothing", private="").status == 400


def test_what_two_sent_in_private_is_not_published_by_one(client: Client) -> None:
    url = "https://shared.example/"
    first = sent(client, url, private=True)
    bob = client.reader("bob", Role.PUBLISH)
    html = "<title>Seen</title><p>What the reader saw on this page, with some words."
    settled(bob, bob.post("/v1/pages", {"url": url, "html": html, "private": True}))
    answer = client.form("/publish", csrf=csrf(client), id=first, private="")
    assert answer.status == 400
    assert "keeps it private" in answer.body.decode()
    assert is_private(client, url) == (True, True)


def test_what_was_sent_is_forgotten(client: Client) -> None:
    url = "https://forget.example/"
    id_ = sent(client, url)
    assert "What readers sent" in shown(client, f"/page?url={url}")
    assert "Forget it and its content" in shown(client, f"/submissions?url={url}")
    answer = client.form("/forget", csrf=csrf(client), id=id_)
    assert "within seconds" in words(shown(client, answer.headers["location"]))
    with open_inbox(client.folder) as inbox:
        assert [one.kind for one in inbox.pending()] in ([], ["erase"])
    until(lambda: client.get(f"/page?url={url}").status == 404, "the page is forgotten")
    assert client.form("/forget", csrf=csrf(client), id="nothing").status == 400


def test_a_page_is_forgotten_and_allowed_again(client: Client) -> None:
    url = "https://takedown.example/"
    sent(client, url)
    assert "Forget 1 version" in words(shown(client, f"/page?url={url}"))
    answer = client.form("/forget-page", csrf=csrf(client), url=url)
    assert "within seconds" in words(shown(client, answer.headers["location"]))
    until(lambda: "Its content was erased on request" in words(shown(client, f"/page?url={url}")))
    assert client.form("/refresh", csrf=csrf(client), url=url).status == 400
    client.form("/forget-page", csrf=csrf(client), url=url, allow="1")
    until(lambda: "Let it be visited again" not in shown(client, f"/page?url={url}"))
    assert client.form("/forget-page", csrf=csrf(client), url="https://never.example/").status == 400


def test_readers_decide_nothing(client: Client) -> None:
    reader = guest(client)
    for path in ("/labels", "/topics", "/submissions"):
        html = shown(reader, path)
        assert '<form class="answer"' not in html
        assert "/forget" not in html
    for path in ("/label", "/topic-label", "/publish", "/forget"):
        assert reader.form(path, csrf=csrf(reader)).status == 403
        assert client.form(path).status == 403  # without the value of our forms


# --- search ----------------------------------------------------------------------------------------------


def test_a_search_is_narrowed_and_counted(client: Client) -> None:
    html = shown(client, "/search?q=price*")
    with open_reader(client.folder) as reader:
        everything = PageFilter(private=True)
        found = reader.search("price*", everything, 100, facets=100)
        facets = found.facets
        on_topic = reader.search("price*", PageFilter(private=True, topic=TOPIC), 100)
    assert facets is not None
    assert facets.pages == found.total > 0
    assert dict(facets.topics).get(TOPIC, 0) == on_topic.total
    assert facets.hosts == len({one.host for one in found.hits})
    assert html.count('<article class="hit"') == found.total
    assert len(re.findall(f"<li>[01].[0-9][0-9] for “{TOPIC}”</li>", html)) == found.total
    assert re.search(r"Weekly prices .* changed today", words(html))
    assert re.search(r"Down .* found ", words(shown(client, "/search?q=here")))
    narrowed = shown(client, f"/search?q=price*&topic={quote(TOPIC)}")
    assert narrowed.count('<article class="hit"') == on_topic.total
    assert "No page has these words within the filters" in words(
        shown(client, "/search?q=price*&language=xx")
    )
    assert "at least one word" in words(shown(client, "/search?q=%22%22"))


def test_a_search_is_exported_as_it_is_shown(client: Client) -> None:
    answer = client.get("/search/export?q=price*")
    rows = list(csv.DictReader(io.StringIO(answer.body.decode())))
    with open_reader(client.folder) as reader:
        found = reader.search("price*", PageFilter(private=True), 100)
    assert [row["url"] for row in rows] == [one.url for one in found.hits]
    assert answer.headers["content-disposition"] == 'attachment; filename="search.csv"'
    newest = list(
        csv.DictReader(io.StringIO(client.get("/search/export?q=price*&order=changed").body.decode()))
    )
    assert [row["last_changed"] for row in newest] == sorted(
        (row["last_changed"] for row in rows), reverse=True
    )
    assert client.get("/search/export?q=").status == 400


def test_the_settings_show_no_password(tmp_path: Path) -> None:
    given = {
        "crawl.product_token": "mouse", "notify.webhooks": ("https://ann:hush@hooks.test/x",),
        "notify.smtp_password": "hush", "manners.obey_robots": False,
    }  # fmt: skip
    with running(tmp_path / "a", **given) as client:
        client.sign_in()
        text = words(shown(client, "/settings"))
    assert "hush" not in text
    assert "crawl.product_token mouse" in text
    assert "notify.webhooks https://…@hooks.test/x" in text
    assert "notify.smtp_password (set)" in text
    assert "manners.obey_robots false" in text
