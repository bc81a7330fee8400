"""Every page of the dashboard as the real server gives it: the numbers of the store, and escaped text."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import pairwise
from pathlib import Path

import pytest

from fieldmouse.dashboard.page_views import load_page
from fieldmouse.files.append_only import overwrite
from fieldmouse.refresh.diff_entries import entries_from_json
from fieldmouse.settings import Settings
from fieldmouse.store import create, open_reader
from fieldmouse.store.inbox_contract import Role
from tests.dashboard.archives import DOWN, NEWS, ODD, SHOP, failed, filled, settings_of
from tests.server.running import Client, running
from tests.store.stores import found, opened, visited

pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")
PAGES = (
    "/", "/changes", "/changes?kind=number&level=2&since=30", "/changes?host=shop.test&q=coil", "/hosts",
    "/hosts?order=changes", "/hosts?order=failing", "/hosts?order=refused", "/hosts?order=paused",
    "/hosts?q=sh", "/hosts/shop.test",
    "/hosts/down.test", "/hosts/odd.test", "/pages", "/pages?order=due", f"/page?url={SHOP}/prices",
    f"/page?url={SHOP}/gone", f"/page?url={ODD}/", f"/page?url={DOWN}/x",
    f"/page?url={SHOP}/prices&view=stored",
)  # fmt: skip


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    archive = filled(tmp_path_factory.mktemp("dashboard") / "market")
    with running(archive.folder, **{"refresh.budget": 50.0}) as client:
        client.sign_in()
        yield client


def shown(client: Client, path: str, status: int = 200) -> str:
    answer = client.get(path)
    assert answer.status == status, answer.body[:300]
    return answer.body.decode()


def words(html: str) -> str:
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html)))


@pytest.mark.parametrize("path", PAGES)
def test_pages_hold_no_markup_of_the_web_and_no_inline_code(client: Client, path: str) -> None:
    html = shown(client, path)
    assert "<script>" not in html
    assert "onerror=alert(1)>" not in html
    assert not re.search(r"\sstyle=|<style|\son\w+=\"|javascript:", html)
    # A link that a person may follow sends nothing by itself.
    html = re.sub(r'<a class="btn" href="[^"]*" target="_blank" rel="noopener noreferrer">', "", html)
    outside = re.findall(r"(?:src|href|action)=\"(https?:)?//[^\"]*\"", html)
    assert outside == []


def test_versions_that_do_not_exist_are_not_shown(client: Client) -> None:
    shown(client, f"/page?url={SHOP}/prices&version=999999")
    shown(client, f"/page?url={SHOP}/prices&a=999999&b=999998")
    shown(client, "/copy/999999", 404)


def test_a_damaged_copy_is_named_and_the_rest_of_its_page_is_shown(tmp_path: Path) -> None:
    archive = filled(tmp_path / "market", days=2)
    with open_reader(archive.folder) as reader:
        page = reader.page(f"{SHOP}/prices")
        assert page is not None
        assert page.version is not None
        newest = page.version
    overwrite(archive.folder / "warc" / newest.place.file, newest.place.offset + 30, bytes(60))
    with running(archive.folder) as client:
        client.sign_in()
        for path in (f"/page?url={SHOP}/prices", f"/copy/{newest.id}", f"/copy/{newest.id}?view=template"):
            assert "The record of this copy is damaged" in words(shown(client, path))
        assert "damaged" in client.get(f"/v1/versions/{newest.id}").json["error"]


def test_the_overview_says_what_the_store_says(client: Client) -> None:
    text = words(shown(client, "/"))
    with open_reader(client.folder) as reader:
        rows = reader.dashboard
        snapshot = rows.snapshot()
        changed = sum(one.number for one in rows.hourly(0, 9e9) if one.what == "changed")
        totals = reader.totals()
    assert snapshot is not None
    assert changed == totals.changes
    assert f"of {snapshot.pages:,} copies are current" in text
    assert "down.test" in text  # it needs a look
    assert "no connection since" in text


def test_a_change_is_a_place_before_and_after(client: Client) -> None:
    html = shown(client, "/changes?since=30")
    assert "<del>€609</del> → <ins>€602</ins>" in re.sub(r"\s+", " ", html)
    assert "−€7, −1.1%" in html
    with open_reader(client.folder) as reader:
        assert html.count('<article class="change"') == len(reader.dashboard.changes(9e9, 0.0, 60))


def test_a_filter_leaves_out_what_does_not_fit(client: Client) -> None:
    html = shown(client, "/changes?since=30&host=shop.test")
    assert "news.test" not in html.partition("<main")[2]
    assert "No change like this" in shown(client, "/changes?since=30&q=zeppelin")


def test_a_page_shows_any_two_versions(client: Client) -> None:
    with open_reader(client.folder) as reader:
        page = reader.dashboard.page(f"{SHOP}/prices")
        assert page is not None
        versions = reader.dashboard.versions(page.id, 9e12, 50)
        other = reader.dashboard.page(f"{NEWS}/")
        assert other is not None
        foreign = reader.dashboard.versions(other.id, 9e12, 50)[0]
    oldest, newest = versions[-1], versions[0]
    html = shown(client, f"/page?url={SHOP}/prices&a={oldest.id}&b={newest.id}")
    assert "<del>€637</del> → <ins>€602</ins>" in re.sub(r"\s+", " ", html)
    swapped = shown(client, f"/page?url={SHOP}/prices&a={newest.id}&b={oldest.id}")
    assert "<del>€637</del>" in swapped
    mixed = shown(client, f"/page?url={SHOP}/prices&a={foreign.id}&b={newest.id}")
    assert "contract number" not in mixed  # a version of another page is not compared


def test_a_copy_is_sealed(client: Client) -> None:
    with open_reader(client.folder) as reader:
        page = reader.dashboard.page(f"{ODD}/")
        assert page is not None
        version = reader.dashboard.versions(page.id, 9e12, 1)[0].id
    for view in ("stored", "source", "template"):
        answer = client.get(f"/copy/{version}?view={view}")
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("sandbox; default-src 'none'")
        assert "script-src" not in policy
    stored = client.get(f"/copy/{version}?view=stored").body
    assert b"<link" not in stored
    assert b" href=" not in stored
    assert b"http-equiv=refresh" in stored
    assert b"<meta http-equiv" not in stored
    assert client.get("/copy/999999").status == 404
    assert client.get("/copy/x").status == 404


def test_what_is_not_here_is_said(client: Client) -> None:
    assert "is not in the archive" in shown(client, "/hosts/never.test", 404)
    assert "was never requested" in shown(client, "/page?url=http://never.test/", 404)
    assert client.get("/static/../fieldmouse.sqlite").status == 404
    assert client.get("/static/nothing.css").status == 404


@pytest.mark.parametrize(
    "path", ["/changes?before=x&since=y", "/pages?after=x&order=due", "/hosts?after=1-x"]
)
def test_nonsense_in_an_address_is_ignored(client: Client, path: str) -> None:
    shown(client, path)


# --- the buttons -----------------------------------------------------------------------------------------


def csrf(client: Client) -> str:
    found = re.search(r'data-csrf="([0-9a-f]+)"', shown(client, "/"))
    assert found
    return found[1]


def test_refresh_now_makes_a_page_due(client: Client) -> None:
    answer = client.form("/refresh", csrf=csrf(client), url=f"{NEWS}/")
    assert answer.status == 303
    assert "It is due now." in words(shown(client, answer.headers["location"]))
    with open_reader(client.folder) as reader:
        page = reader.dashboard.page(f"{NEWS}/")
    assert page is not None
    assert page.due is not None
    assert page.due <= page.last_visit + 9e5
    answer = client.form("/refresh", csrf=csrf(client), host="shop.test")
    assert answer.headers["location"].startswith("/hosts/shop.test?done=refresh_host")
    assert client.form("/refresh", csrf=csrf(client), url="http://never.test/").status == 400


def test_a_weight_is_set_and_taken_back(client: Client) -> None:
    url = f"{SHOP}/prices"

    def weight() -> float:
        with open_reader(client.folder) as reader:
            page = reader.dashboard.page(url)
        assert page is not None
        return page.weight

    answer = client.form("/weight", csrf=csrf(client), url=url, weight="4")
    assert weight() == 4
    html = shown(client, answer.headers["location"])
    assert "Its weight is 4 from now on." in html
    assert '<form id="undo" method="post" action="/weight">' in html
    client.form("/weight", csrf=csrf(client), url=url, weight="1")
    assert weight() == 1
    for wrong in ("-1", "nan", "inf", "many", ""):
        assert client.form("/weight", csrf=csrf(client), url=url, weight=wrong).status == 400
    assert weight() == 1


def test_noise_is_muted_and_unmuted(client: Client) -> None:
    places = re.findall(r'name="what" value="([0-9a-f]{8})"', shown(client, "/hosts/shop.test"))
    assert places

    def decided() -> list[tuple[str, str]]:
        with open_reader(client.folder) as reader:
            return reader.host_noise("shop.test")[1]

    fields = {"host": "shop.test", "what": places[0]}
    answer = client.form("/noise", csrf=csrf(client), state="muted", **fields)
    assert decided() == [(str(int(places[0], 16)), "muted")]
    assert "muted by you" in shown(client, answer.headers["location"])
    client.form("/noise", csrf=csrf(client), state="", **fields)
    assert decided() == []
    assert client.form("/noise", csrf=csrf(client), state="loud", **fields).status == 400
    assert client.form("/noise", csrf=csrf(client), state="muted", host="shop.test", what="x").status == 400
    away = client.form("/noise", csrf=csrf(client), state="", back="https://evil.test/", **fields)
    assert away.headers["location"].startswith("/?")


def test_a_host_is_paused_and_resumed(client: Client) -> None:
    answer = client.form("/pause", csrf=csrf(client), host="news.test", paused="1")
    html = shown(client, answer.headers["location"])
    assert "It is not visited any more" in html
    assert re.search(r'<form id="undo" method="post" action="/pause">.*name="paused" value=""', html)
    assert '<span class="chip chg">paused</span>' in html
    assert "its host is paused since" in words(shown(client, f"/page?url={NEWS}/"))
    assert "news.test" in shown(client, "/hosts?order=paused")
    assert "paused news.test : not visited since" in words(shown(client, "/"))
    assert "news.test" not in shown(client, "/pages?order=due")
    assert "not planned" in shown(client, "/hosts/news.test")
    answer = client.form("/pause", csrf=csrf(client), host="news.test", paused="")
    assert "It is visited again" in shown(client, answer.headers["location"])
    assert "No host is paused" in shown(client, "/hosts?order=paused")
    assert "news.test" in shown(client, "/pages?order=due")
    assert client.form("/pause", csrf=csrf(client), host="never.test", paused="1").status == 400


def test_one_change_is_marked_as_seen(client: Client) -> None:
    key = re.findall(r'name="change" value="([^"]+)"', shown(client, "/changes?since=30"))[0]

    def unseen() -> int:
        found = re.search(r'class="count"[^>]*>(\d+)', shown(client, "/changes"))
        return int(found[1]) if found else 0

    before = unseen()
    answer = client.form("/changes/seen-one", csrf=csrf(client), change=key, back="/changes?since=30")
    html = shown(client, answer.headers["location"])
    assert "This change is marked as seen." in html
    assert f'id="c{key}" data-seen' in html
    assert unseen() == before - 1
    assert '<form id="undo" method="post" action="/changes/seen-one">' in html
    client.form("/changes/seen-one", csrf=csrf(client), change=key, unseen="1", back="/changes")
    assert unseen() == before
    for wrong in ("", "1", "x@1", "1@x", "1@-5"):
        assert client.form("/changes/seen-one", csrf=csrf(client), change=wrong).status == 400


def test_readers_see_and_do_not_touch(client: Client) -> None:
    reader = client.reader("guest", Role.READ)
    entered = reader.form("/sign-in", token=reader.token)
    reader = Client(client.address, client.folder, cookie=entered.headers["set-cookie"].partition(";")[0])
    html = shown(reader, f"/page?url={SHOP}/prices")
    assert "Refresh now" not in html
    assert reader.form("/refresh", csrf=csrf(reader), url=f"{SHOP}/prices").status == 403
    assert reader.form("/pause", csrf=csrf(reader), host="shop.test", paused="1").status == 403
    assert reader.form("/changes/seen-one", csrf=csrf(reader), change="1@1.5").status == 303
    assert client.form("/refresh", url=f"{SHOP}/prices").status == 403  # without the value of our forms


def test_an_empty_archive_says_how_to_begin(tmp_path: Path) -> None:
    with running(tmp_path / "new") as client:
        client.sign_in()
        text = words(shown(client, "/"))
        assert "Nothing is here yet" in text
        assert "crawl https://example.org/" in text
        for path in ("/changes", "/hosts", "/pages"):
            shown(client, path)


def test_an_archive_whose_servers_all_fail_is_not_well(tmp_path: Path) -> None:
    create(tmp_path / "down", "", 1.0)
    store = opened(tmp_path / "down", settings_of())
    try:
        store.seed({"down.test": [f"{DOWN}/x"]}, 2.0)
        visited(store, [failed(f"{DOWN}/x", 3.0)], 3.0)
    finally:
        store.close()
    with running(tmp_path / "down") as client:
        client.sign_in()
        text = words(shown(client, "/"))
    assert "Not well: no page could be stored 1 visit brought nothing. fieldmouse why URL" in text
    assert "usually" not in text, "there is no day before"


def test_titles_have_the_direction_of_their_text(client: Client) -> None:
    assert '<b class="lines" dir="auto">' in shown(client, "/pages")
    assert '<b class="clip" dir="auto">' in shown(client, "/")


def test_what_a_title_would_order_is_left_out(tmp_path: Path) -> None:
    """Escapes of terminals, and overrides of the direction that would turn the rest of a line."""
    archive = filled(tmp_path / "market", days=2)
    title = "\x1b[31mPrices \u202eesrever\u2066 \x07now \u200fنحاس"
    store = opened(archive.folder, settings_of())
    try:
        store.seed({"turn.test": ["http://turn.test/"]}, archive.now)
        body = f"<meta charset=utf-8><title>{title}</title><p>{title}".encode()
        visited(store, [found("http://turn.test/", body, at=archive.now)], archive.now)
    finally:
        store.close()
    with running(archive.folder) as client:
        client.sign_in()
        for path in ("/pages", "/page?url=http://turn.test/", "/hosts/turn.test"):
            html = shown(client, path)
            assert "[31mPrices esrever now \u200fنحاس" in html
            assert not re.search("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", html)


def test_a_comparison_shows_what_the_visit_between_found(tmp_path: Path) -> None:
    """What is known of the host today may call a change noise that counted when it was found."""
    compared = 0
    archive = filled(tmp_path / "market", days=16)
    with open_reader(archive.folder) as reader:
        for url in (f"{SHOP}/prices", f"{NEWS}/"):
            page = reader.dashboard.page(url)
            assert page is not None
            for new, old in pairwise(reader.dashboard.versions(page.id, archive.now + 1, 50)):
                recorded = {one.spot for one in entries_from_json(new.diff or "")[0] if one.counted}
                rows = load_page(reader, Settings(), url, archive.now, chosen=(old.id, new.id))
                assert rows is not None
                assert rows.compared is not None
                assert recorded <= {int(line.spot, 16) for line in rows.compared.lines}, (url, new.id)
                compared += bool(recorded)
    assert compared > 5
