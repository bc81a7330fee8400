"""Cleaning: templates, content without them, and no page content that stops it."""

import json
import multiprocessing
import os
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.errors import FieldmouseError, UsageError
from fieldmouse.exits import Exit
from fieldmouse.jobs.clean import Cleaner, sampled
from fieldmouse.jobs.dedup import canonical_header
from fieldmouse.store import open_cleaning
from fieldmouse.store.records import VersionSize
from fieldmouse.store.relational.template_store import TRIES
from tests.crawl import webs
from tests.servers import Request, reply
from tests.templates.site import article, listing

from .test_import_warc import warc

# warcio leaves its temporary files to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


def port(count: int = 12) -> dict[str, bytes]:
    """A site of articles, linked from its home page."""
    pages = {f"/news/{n}.html": article(n)[1] for n in range(count)}
    return {
        "/": b"<title>Port</title>" + b"".join(b"<a href=%s>x</a>" % one.encode() for one in pages),
        **pages,
    }


def rows(archive: library.Archive, sql: str) -> list[tuple[object, ...]]:
    return list(archive.query(sql)[1])


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[library.Archive]:
    with (
        webs.web({"port.test": port()}) as net,
        webs.archive(tmp_path_factory.mktemp("clean") / "a", net) as one,
    ):
        assert one.crawl([net.url("port.test")]).exit is Exit.DONE
        yield one


def test_a_crawl_builds_templates_and_separates_content(crawled: library.Archive) -> None:
    (figures,) = crawled.reader.templates.figures()
    assert (figures.version, figures.reason, figures.pages, figures.templates) == (1, "first", 13, 1)
    assert 0.2 < figures.template_share < 0.8
    assert 0.5 < figures.saved < 1
    assert crawled.status().uncleaned == 0
    for page in crawled.pages():
        if "/news/" in page.url:
            number = int(page.url.rpartition("/")[2].removesuffix(".html"))
            assert page.content.text.split("\n") == article(number)[2]
            assert "Quay 1" in page.text
            assert b"Quay 1" in page.body
            assert "Quay 1" not in page.content.html
            assert page.content.html.startswith("<")
            assert str(page.content) == page.content.text
            assert page.content.template_share > 0.2
            (found,) = rows(crawled, f"SELECT content(url), facts(url) FROM page WHERE url = '{page.url}'")
            assert found == (page.content.text, "[]")


def test_export_of_content_cleans_first_and_facts_are_data(tmp_path: Path) -> None:
    sheet = (
        "<title>Item {n}</title><ul class=menu><li><a href=/>Home</a></ul><h1>Item {n}</h1>"
        "<table><tr><th>Country<td>Belgium<tr><th>SKU<td>AV-{n}</table><p>Made by hand, since 1901.</p>"
    )
    pages = {f"/{n}": sheet.format(n=n).encode() for n in range(6)}
    pages["/"] = b"".join(b"<a href=%s>x</a>" % one.encode() for one in pages)
    with webs.web({"shop.test": pages}) as net, webs.archive(tmp_path / "a", net) as one:
        assert one.crawl([net.url("shop.test")], **{"templates.automatic": False}).exit is Exit.DONE
        assert one.status().uncleaned == 1
        done = webs.run("-C", tmp_path / "a", "export", "-", "--content")
        assert "cleaned 1 host with new content first" in done.stderr
        assert "cleaning: 1 of 1 host with new content" in done.stderr
        found = {row["url"][-2:]: row for row in map(json.loads, done.stdout.splitlines())}
        assert found["/5"]["facts"] == [
            {"label": "Country", "value": "Belgium"}, {"label": "SKU", "value": "AV-5"},
        ]  # fmt: skip
        assert "SKU: AV-5" in found["/5"]["content"]
        assert "cleaned" not in webs.run("-C", tmp_path / "a", "export", "-", "--content").stderr
        sql = (
            "SELECT f.value ->> 'value' FROM page, json_each(facts(page.url)) AS f "
            "WHERE f.value ->> 'label' = 'SKU' ORDER BY 1"
        )
        assert [value for (value,) in rows(one, sql)] == [f"AV-{n}" for n in range(6)]


def test_a_host_with_one_page_has_content_but_no_template(tmp_path: Path) -> None:
    with webs.web({"one.test": {"/": article(1)[1]}}) as net, webs.archive(tmp_path / "a", net) as one:
        one.crawl([net.url("one.test")])
        page = one.page(net.url("one.test"))
        assert page is not None
        assert one.reader.templates.figures() == []
        assert one.reader.templates.left() == 0
        assert article(1)[2][1] in page.content.text
        assert "About us" not in page.content.text


def test_other_types_have_text_and_no_template(tmp_path: Path) -> None:
    data = ("text/plain", "image/png")
    pages = {f"/{n}": reply(b"some words", mime=mime) for n, mime in enumerate(data)}
    with (
        webs.web({"x.test": pages}) as net,
        webs.archive(tmp_path / "a", net, mime=["*/*"]) as one,
    ):
        one.crawl([net.url("x.test", path) for path in pages])
        found = {page.record.mime: page.content for page in one.pages()}
    assert {mime: (got.text, got.html, got.everything) for mime, got in found.items()} == {
        "text/plain": ("some words", "", "some words"),
        "image/png": ("", "", ""),
    }


def test_without_automatic_only_the_command_cleans(tmp_path: Path) -> None:
    with (
        webs.web({"port.test": port(4)}) as net,
        webs.archive(tmp_path / "a", net, **{"templates.automatic": False}) as one,
    ):
        one.crawl([net.url("port.test")])
        assert one.status().uncleaned == 1
        assert one.reader.templates.figures() == []
        (done,) = one.clean()
        assert (done.pages, done.templates, done.reason, done.trouble) == (5, 1, "first", "")
        assert list(one.clean()) == []
        (again,) = one.clean(done.host, rebuild=True)
        assert (again.pages, again.templates, again.reason) == (0, 1, "requested")
        assert [row.version for row in one.reader.templates.figures(done.host)] == [1, 2]
        with pytest.raises(UsageError, match="no host nobody"):
            list(one.clean("nobody.test"))


def test_an_unfinished_host_is_cleaned_when_a_crawl_ends_at_its_limit_of_pages(tmp_path: Path) -> None:
    """What a first crawl with --pages fetched can be searched at once."""
    with webs.web({"port.test": port()}) as net, webs.archive(tmp_path / "a", net) as one:
        assert one.crawl([net.url("port.test")], max_pages=5).exit is Exit.SIZE_LIMIT
        assert one.status().uncleaned == 0
        found = one.search("report").total  # a word of every article
        assert 0 < found <= 5
        assert one.crawl().exit is Exit.DONE
        assert one.status().uncleaned == 0
        assert one.search("report").total == 12


def test_a_limit_of_time_is_not_spent_on_cleaning(tmp_path: Path) -> None:
    with webs.web({"port.test": port()}) as net, webs.archive(tmp_path / "a", net) as one:
        chosen = {"crawl.max_seconds": 0.3, "manners.delay": 0.1, "manners.burst_requests": 0}
        assert one.crawl([net.url("port.test")], **chosen).exit is Exit.TIME_LIMIT
        assert one.status().uncleaned == 1
        assert [done.pages for done in one.clean()] == [len(webs.stored(one))]


def test_imported_files_are_cleaned_and_only_new_pages_are_read(tmp_path: Path) -> None:
    def at(n: int, day: int) -> tuple[str, bytes, str]:
        return f"http://port.test/news/{n}.html", article(n)[1], f"2024-01-{day:02d}T00:00:00Z"

    (tmp_path / "one.warc.gz").write_bytes(warc(*(at(n, 1) for n in range(10))))
    (tmp_path / "two.warc.gz").write_bytes(warc(at(3, 2), at(10, 2)))
    (tmp_path / "three.warc.gz").write_bytes(warc(*(at(n, 3) for n in range(11, 24))))
    with library.create(tmp_path / "a", min_free=0) as one:
        one.import_warc(tmp_path / "one.warc.gz")
        assert [(done.pages, done.reason) for done in one.clean()] == [(10, "first")]
        one.import_warc(tmp_path / "two.warc.gz")
        assert [(done.pages, done.reason) for done in one.clean()] == [(1, "")]
        one.import_warc(tmp_path / "three.warc.gz")
        assert [(done.pages, done.reason) for done in one.clean()] == [(13, "grown from 10 to 24 pages")]
        page = one.page("http://port.test/news/3.html")
        assert page is not None
        assert page.content.text.split("\n") == article(3)[2]


def redone(request: Request) -> bytes:
    """The same articles in another layout."""
    number = int("".join(filter(str.isdigit, request.target)) or 0)
    title, *texts = article(number)[2]
    links = (
        "".join(f"<a class=l href=/news/{n}.html>{n}</a>" for n in range(12)) if request.target == "/" else ""
    )
    body = "".join(f"<section class=par><span class=txt>{one} New.</span></section>" for one in texts)
    return reply(
        f"<html><head><title>{title}</title></head><body class=new><header class=top><nav class=bar>"
        f""
        f"<b class=b>All</b><i class=i>Ships</i></nav></header>{links}"
        f"<main class=m><h2 class=h>{title}</h2>{body}</main>"
        "<aside class=s><em class=e>Weather</em></aside></body></html>".encode()
    )


def test_a_redesigned_site_gets_new_templates(tmp_path: Path) -> None:
    handler: list[Callable[[Request], bytes]] = []
    pages = port()
    old: Callable[[Request], bytes] = lambda request: reply(pages[request.target])  # noqa: E731
    handler.append(lambda request: old(request) if request.target in pages else reply(b"", status="404 Not"))
    with (
        webs.web({"port.test": lambda request: handler[0](request)}) as net,
        webs.archive(tmp_path / "a", net) as one,
    ):
        one.crawl([net.url("port.test")])
        one.crawl(again=True)
        assert [row.version for row in one.reader.templates.figures(f"port.test:{net.port}")] == [1]
        handler[0] = redone
        one.crawl(again=True)
        first, second = one.reader.templates.figures(f"port.test:{net.port}")
        assert (first.version, second.version) == (1, 2)
        assert second.reason.startswith("drift")
        page = one.page(net.url("port.test", "/news/3.html"))
        assert page is not None
        before, now = page.versions()
        assert now.content.text.split("\n") == [f"{t} New." if n else t for n, t in enumerate(article(3)[2])]
        assert before.content.text.split("\n") == article(3)[2], "old versions use old templates"


def test_odd_pages_are_cleaned(tmp_path: Path) -> None:
    noise = random.Random(5).randbytes(300_000)
    huge = b"<html><body>" + b"<p class=x>a few words <b>and</b> more</p>" * 480_000
    sites: dict[str, webs.Site] = {
        "one.test": {"/": b"<p>alone"},
        "same.test": {f"/{n}": article(1)[1] for n in range(6)},
        "huge.test": {"/": huge, "/2": article(2)[1], "/3": article(3)[1]},
        "binary.test": {f"/{n}": noise[n:] for n in range(4)},
        "empty.test": {"/": b"", "/2": b" ", "/3": b"<"},
    }
    seeds = [(host, path) for host, pages in sites.items() for path in pages]  # type: ignore[union-attr]
    with webs.web(sites) as net, webs.archive(tmp_path / "a", net, **{"web.max_body": 64_000_000}) as one:
        assert one.crawl([net.url(*seed) for seed in seeds]).exit is Exit.DONE
        assert one.status().uncleaned == 0
        assert one.reader.templates.troubles() == []
        assert len(webs.stored(one)) == len(seeds)
        for page in one.pages():
            if page.version is not None and page.version.size < 1_000_000:  # the huge one takes seconds
                assert isinstance(page.content.text, str)
                assert isinstance(page.content.html, str)
        same = rows(one, "SELECT count(*) FROM copy WHERE url LIKE '%same.test%' AND how = 'exact'")
        assert same == [(5,)]


def test_a_host_that_kills_cleaning_is_tried_a_few_times(tmp_path: Path) -> None:
    with (
        webs.web({"port.test": port(4)}) as net,
        webs.archive(tmp_path / "a", net, **{"templates.automatic": False}) as one,
    ):
        one.crawl([net.url("port.test")])
        deaths = open_cleaning(one.folder)
        (news,) = deaths.uncleaned(unfinished=False)
        for _ in range(TRIES):
            assert [one.host for one in deaths.uncleaned(unfinished=False)] == [news.host]
            deaths.begin(news.host)
        assert list(deaths.uncleaned(unfinished=False)) == []
        assert [one.host for one in deaths.uncleaned(unfinished=True)] == [news.host]
        deaths.close()


def test_a_damaged_record_is_left_out(tmp_path: Path) -> None:
    with (
        webs.web({"port.test": port(5)}) as net,
        webs.archive(tmp_path / "a", net, **{"templates.automatic": False}) as one,
    ):
        one.crawl([net.url("port.test")])
        page = one.page(net.url("port.test", "/news/2.html"))
        assert page is not None
        assert page.version is not None
        place = page.version.place
        with (one.folder / "warc" / place.file).open("r+b") as file:
            file.seek(place.offset + place.length // 2)
            file.write(b"\0" * 50)
        (done,) = one.clean()
        assert (done.pages, done.templates, done.trouble) == (6, 1, "")


def test_content_stored_during_cleaning_is_cleaned_later(tmp_path: Path) -> None:
    (tmp_path / "x.warc.gz").write_bytes(warc(("http://port.test/1", article(1)[1], "2024-01-01T00:00:00Z")))
    (tmp_path / "y.warc.gz").write_bytes(warc(("http://port.test/2", article(2)[1], "2024-01-02T00:00:00Z")))
    with library.create(tmp_path / "a", min_free=0) as one:
        one.import_warc(tmp_path / "x.warc.gz")
        cleaner = Cleaner(one.folder, one.settings, time.time)
        (news,) = cleaner.store.uncleaned(unfinished=True)
        one.import_warc(tmp_path / "y.warc.gz")
        cleaner.clean(news)
        assert [again.version for again in cleaner.store.uncleaned(unfinished=True)] == [2]
        assert [done.reason for done in cleaner.all(unfinished=True)] == [""]
        cleaner.close()


@pytest.mark.parametrize(
    ("values", "target"),
    [
        ([], ""),
        (['<http://a.test/x>; rel="canonical"'], "http://a.test/x"),
        (["</next>; rel=next, </y>; rel=canonical; type=text/html"], "/y"),
        (["</y>; rel=canonicals"], ""),
        (["nonsense, ;;, <", "</z>;rel='x';rel=canonical"], "/z"),
    ],
)
def test_canonical_link_headers(values: list[str], target: str) -> None:
    assert canonical_header(iter(values)) == target


def test_a_sample_is_spread_evenly() -> None:
    pages = [VersionSize(n, 1) for n in range(100)]
    assert sampled(pages, 200) == pages
    assert [n for n, _ in sampled(pages, 4)] == [0, 25, 50, 75]


def test_an_executor_gives_the_same_results(tmp_path: Path) -> None:
    """Copies within hosts and between them, new templates and drift: equal with processes and without."""

    def at(host: str, n: int, body: bytes, day: int) -> tuple[str, bytes, str]:
        return f"http://{host}.test/news/{n}.html", body, f"2024-01-{day:02d}T00:00:00Z"

    hosts = ("a", "b", "c")
    first = [at(host, n, article(n)[1], 1) for host in hosts for n in range(5)]
    first += [at("d", n, listing(n)[1], 1) for n in range(60)] + [
        at("e", 1, random.Random(5).randbytes(3000), 1),
        at("e", 2, b"", 1),
    ]
    second = [at(host, n, article(n)[1], 2) for host in hosts[:2] for n in range(3, 24)]
    second += [at("d", n, article(n)[1], 2) for n in range(60)] + [at("c", 9, article(9)[1], 2)]
    (tmp_path / "1.warc.gz").write_bytes(warc(*first))
    (tmp_path / "2.warc.gz").write_bytes(warc(*second))
    found = []
    for name in ("alone", "processes"):
        with (
            library.create(tmp_path / name, min_free=0) as one,
            ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor,
        ):
            done = []
            for number in (1, 2):
                one.import_warc(tmp_path / f"{number}.warc.gz")
                done += one.clean(executor=executor if name == "processes" else None)
            tables = (
                "SELECT host, version, reason, packed_bytes, dictionary, data FROM template ORDER BY 1, 2",
                "SELECT page, version, said, hex(sketch), canonical, copy_group FROM fingerprint ORDER BY 1",
                "SELECT id, best, size FROM copy_group ORDER BY id",
                "SELECT url, copy_of, how FROM copy ORDER BY url",
                "SELECT host, version, fits, trouble FROM cleaned_host ORDER BY host",
                "SELECT host, tries FROM uncleaned_host",
            )
            found.append((done, [rows(one, sql) for sql in tables]))
    alone, processes = found
    assert alone == processes
    reasons = {one.reason.partition(":")[0] for one in alone[0]}
    assert reasons == {"first", "", "grown from 5 to 24 pages", "drift"}
    assert len(alone[1][3]) > 20, "copies between hosts"


def test_hosts_that_were_not_applied_keep_their_tries(tmp_path: Path) -> None:
    pages = [
        (f"http://{host}.test/{n}", article(n)[1], "2024-01-01T00:00:00Z") for host in "abc" for n in (1, 2)
    ]
    (tmp_path / "x.warc.gz").write_bytes(warc(*pages))
    with library.create(tmp_path / "a", min_free=0) as one:
        one.import_warc(tmp_path / "x.warc.gz")
        with ThreadPoolExecutor(2) as executor:
            cleaning = one.clean(executor=executor)
            assert next(cleaning).pages == 2
            cleaning.close()
        assert rows(one, "SELECT tries FROM uncleaned_host") == [(0,), (0,)]
        spawn = multiprocessing.get_context("spawn")
        with (
            ProcessPoolExecutor(1, mp_context=spawn, initializer=os._exit, initargs=(1,)) as dying,
            pytest.raises(FieldmouseError, match="use fewer --jobs"),
        ):
            list(one.clean(executor=dying))
        assert len(list(one.clean())) == 2


def test_commands(crawled: library.Archive, tmp_path: Path) -> None:
    page = next(one for one in crawled.pages() if one.url.endswith("/news/3.html"))
    host = page.record.host
    crawled.close()
    folder = crawled.folder
    (told,) = json.loads(webs.run("-C", folder, "templates", "--json").stdout)
    assert (told["host"], told["templates"], told["pages"]) == (host, 1, 13)
    assert 0 < told["template_share"] < 1
    assert 0 < told["saved"] < 1
    shown = webs.run("-C", folder, "templates", host)
    assert host in shown.stdout
    view = tmp_path / "view.html"
    assert webs.run("-C", folder, "templates", "--view", page.url, "--out", view).returncode == 0
    assert 'class="t"' in view.read_text("utf-8")
    assert webs.run("-C", folder, "templates", "--view", page.url + "x").returncode == 4
    assert webs.run("-C", folder, "templates", "nobody.test").returncode == 4
    assert "no new content" in webs.run("-C", folder, "clean", "--jobs", "2").stdout
    assert webs.run("-C", folder, "clean", "--rebuild").returncode == 4
    (done,) = json.loads(webs.run("-C", folder, "clean", "--json", host).stdout)
    assert (done["host"], done["pages"]) == (host, 0)
    lines = webs.run("-C", folder, "export", "-", "--content", "--html", "--text").stdout.splitlines()
    row = next(one for one in map(json.loads, lines) if one["url"] == page.url)
    assert row["content"].split("\n") == article(3)[2]
    assert "About us" in row["text"]
    assert "About us" not in row["content_html"]
    assert row["copy_of"] == ""


def test_a_host_with_two_layouts_has_two_templates(tmp_path: Path) -> None:
    pages = port(6) | {f"/shop?page={n}": listing(n)[1] for n in range(6)}
    with webs.web({"port.test": pages}) as net, webs.archive(tmp_path / "a", net) as one:
        one.crawl([net.url("port.test", path) for path in pages])
        (figures,) = one.reader.templates.figures()
        assert figures.templates == 2


def test_texts_are_stored_and_found(tmp_path: Path) -> None:
    """After a crawl, again after a change; `content` is the text without the template."""
    texts = {
        f"/{n}": f"<title>Page {n}</title><p>Prices of copper number{n} fell sharply today, it is said."
        for n in range(4)
    }
    home = "".join(f"<a href={name}>{name}</a>" for name in texts)
    pages = {name: text.encode() for name, text in texts.items()} | {
        "/": f"<title>Home</title>{home}".encode()
    }
    with webs.web({"a.test": pages}) as net, webs.archive(tmp_path / "a", net) as one:
        one.crawl([net.url("a.test")])
        found = one.search("number2 copper")
        assert [hit.url for hit in found.hits] == [net.url("a.test", "/2")]
        assert found.hits[0].title == "Page 2"
        stored = dict(one.query("SELECT url, content FROM pages WHERE content LIKE '%number3%'")[1])
        assert stored == {net.url("a.test", "/3"): one.page(net.url("a.test", "/3")).content.text}  # type: ignore[union-attr]
        by_sql = "SELECT p.url FROM search('number1') AS s JOIN pages AS p ON p.id = s.rowid ORDER BY rank"
        assert list(one.query(by_sql)[1]) == [(net.url("a.test", "/1"),)]
        pages["/2"] = b"<title>Page 2</title><p>Prices of nickel rose sharply today, it is said."
        net.handlers["a.test"] = webs.site(pages)
        one.close()
        one.crawl(again=True)
        assert one.search("number2").total == 0
        assert [hit.url for hit in one.search("nickel").hits] == [net.url("a.test", "/2")]
