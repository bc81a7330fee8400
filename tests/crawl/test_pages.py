"""What a crawl asks for and what it leaves alone: links, redirects, limits, scope, traps, robots."""

import gzip
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.exits import Exit
from tests.servers import Request, moved, reply

from . import webs


def page(*hrefs: str, head: str = "") -> bytes:
    links = "".join(f'<a href="{one}">{one}</a> ' for one in hrefs)
    return f"<!doctype html><html lang=en><head>{head}</head><body><p>{links}</p></body></html>".encode()


def crawled(folder: Path, sites: dict[str, webs.Site], **settings: object) -> tuple[webs.Net, dict[str, int]]:
    """Crawl from the first host's home page; the web with its log, and the status of every address asked."""
    with webs.web(sites) as net:
        archive = webs.archive(folder / "a", net, **settings)
        result = archive.crawl([net.url(next(iter(sites)))])
        assert result.exit is Exit.DONE
        assert archive.check().problems == []
        found = {one.url.replace(f":{net.port}", ""): one.status for one in archive.reader.pages()}
        archive.close()
        return net, found


def test_every_page_is_asked_for_once(tmp_path: Path) -> None:
    sites = {
        "a.test": {"/": page("/b", "/c"), "/b": page("/", "/c"), "/c": page("/b#x", "/b")},
    }
    net, found = crawled(tmp_path, sites)
    assert net.counts() == Counter(net.url("a.test", one) for one in ("/", "/b", "/c"))
    assert found == dict.fromkeys((f"http://a.test{one}" for one in ("/", "/b", "/c")), 200)


def test_robots_txt_is_asked_for_once_and_first(tmp_path: Path) -> None:
    many = [f"/{n}" for n in range(12)]
    sites = {"a.test": {"/": page(*many), **{one: page() for one in many}}}
    net, _ = crawled(tmp_path, sites)
    targets = net.targets("a.test")
    assert targets[0] == "/robots.txt"
    assert targets.count("/robots.txt") == 1


def test_what_robots_txt_forbids_is_never_asked_for(tmp_path: Path) -> None:
    robots = reply(b"User-agent: *\nDisallow: /secret\nAllow: /secret/but\n", mime="text/plain")
    sites = {
        "a.test": {
            "/robots.txt": robots,
            "/": page("/secret", "/secret/x", "/secret/but", "/moved"),
            "/secret/but": page(),
            "/moved": moved("/secret/y"),
            "/secret": page(),
            "/secret/y": page(),
        }
    }
    net, found = crawled(tmp_path, sites)
    assert set(net.targets("a.test")) == {"/robots.txt", "/", "/secret/but", "/moved"}
    assert "http://a.test/secret" not in {url for url, status in found.items() if status}


def test_why_says_which_rule_forbids(tmp_path: Path) -> None:
    robots = reply(b"User-agent: fieldmouse\nDisallow: /secret\n", mime="text/plain")
    with webs.web({"a.test": {"/robots.txt": robots, "/": page("/secret/x")}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test"), net.url("a.test", "/secret/seed")])
        for target in ("/secret/x", "/secret/seed"):
            found = archive.why(net.url("a.test", target))
            assert "Disallow: /secret" in found.robots
            assert "robots" in found.summary
        archive.close()


def test_a_server_that_hides_its_robots_txt_is_left_alone(tmp_path: Path) -> None:
    def handler(request: Request) -> bytes:
        return reply(b"", 503 if request.target == "/robots.txt" else 200)

    with webs.web({"a.test": handler}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")])
        assert set(net.targets("a.test")) == {"/robots.txt"}
        host = archive.reader.host(f"a.test:{net.port}")
        assert host is not None
        assert host.state == "given up"
        archive.close()


def test_home_page_redirects_are_followed_to_the_real_home(tmp_path: Path) -> None:
    """The bare name sends to www, that to a language: the seed's domain grows where the seed moved."""
    with webs.web(
        {
            "a.test": lambda r: moved(f"http://www.a.test:{r.header('host')[7:]}/"),
            "www.a.test": lambda r: (
                moved("/en/")
                if r.target == "/"
                else reply(page("/en/2") if r.target.startswith("/en/") else b"", 200)
            ),
        }
    ) as net:
        archive = webs.archive(tmp_path / "a", net, allow=["seeds"])
        archive.crawl([net.url("a.test")])
        assert webs.stored(archive) == {net.url("www.a.test", one) for one in ("/en/", "/en/2")}
        archive.close()


def test_a_seed_that_moved_to_another_domain_is_followed_there(tmp_path: Path) -> None:
    with webs.web(
        {
            "old.test": lambda r: moved(f"http://new.example:{r.header('host').partition(':')[2]}/start"),
            "new.example": {"/": page("/x"), "/start": page("/x"), "/x": page()},
        }
    ) as net:
        archive = webs.archive(tmp_path / "a", net, allow=["seeds"])
        archive.crawl([net.url("old.test")])
        assert webs.stored(archive) == {net.url("new.example", one) for one in ("/start", "/", "/x")}
        archive.close()


def test_redirects_in_circles_and_long_chains_end(tmp_path: Path) -> None:
    def handler(request: Request) -> bytes:
        if request.target.startswith("/chain/"):
            return moved(f"/chain/{int(request.target[7:]) + 1}")
        pages = {"/": reply(page("/a", "/self", "/chain/0")), "/a": moved("/b"), "/b": moved("/a")}
        pages["/robots.txt"] = reply(b"", 404)
        return pages.get(request.target) or moved("/self")

    net, _ = crawled(tmp_path, {"a.test": handler}, max_redirects=4)
    counts = Counter(net.targets("a.test"))
    assert max(counts.values()) == 1
    assert {one for one in counts if one.startswith("/chain/")} == {f"/chain/{n}" for n in range(5)}


def test_links_are_followed_to_the_depth_asked_for(tmp_path: Path) -> None:
    def handler(request: Request) -> bytes:
        if request.target == "/robots.txt":
            return reply(b"", 404)
        n = int(request.target[2:] or 0)
        return reply(page(f"/d{n + 1}"))

    net, _ = crawled(tmp_path, {"a.test": handler}, depth=3)
    assert set(net.targets("a.test")) == {"/robots.txt", "/", "/d1", "/d2", "/d3"}


def test_a_host_gives_no_more_pages_than_allowed(tmp_path: Path) -> None:
    many = [f"/{n}" for n in range(50)]
    net, _ = crawled(tmp_path, {"a.test": {"/": page(*many), **{n: page() for n in many}}}, pages_per_host=7)
    assert len(net.counts()) == 7


def test_links_that_bring_nothing_take_no_places_of_pages(tmp_path: Path) -> None:
    """80 topics of four pages, and 3,200 links to forms: more links than pages are fetched of a host."""
    seen = set[str]()

    def answer(request: Request) -> bytes:
        path, _, query = request.target.partition("?n=")
        n, part = (int(one or 0) for one in query.partition("&page=")[::2]) if path == "/topic" else (0, 0)
        if path in ("/reply", "/report"):
            return reply(b"<p>Log in first.</p>")
        if path != "/topic":
            shown = int(query or 0)
            links = [f"/topic?n={20 * shown + k}" for k in range(20)]
            return reply(page(*links, *([f"/list?n={shown + 1}"] if shown < 3 else [])))
        if n >= 80 or part > 3:
            return reply(b"", 404)
        seen.add(f"{n} {part}")
        dice = random.Random(f"{n} {part}")
        words = " ".join("".join(dice.choices("aeioulmnrst", k=6)) for _ in range(9))
        forms = [f"/{one}?post={n}{part}{k}" for k in range(5) for one in ("reply", "report")]
        more = [f"/topic?n={n}&page={part + 1}"] if part < 3 else []
        return reply(page(*forms, *more) + f"<p>{words}</p>".encode())

    with webs.web({"a.test": answer}) as net:
        archive = webs.archive(tmp_path / "a", net, pages_per_host=600, depth=50)
        archive.crawl([net.url("a.test")])
        archive.close()
    assert len(seen) == 320


def test_redirects_that_count_on_have_no_end(tmp_path: Path) -> None:
    """A link to reload a page counts visits, and every other count redirects: also at the thousandth."""

    def answer(request: Request) -> bytes:
        path, _, query = request.target.partition("?visit=")
        visit = int(query or 0)
        if path == "/robots.txt":
            return reply(b"", 404)
        if visit % 2:
            return moved(f"{path}?visit={visit + 1}")
        dice = random.Random(path)
        words = " ".join("".join(dice.choices("aeioulmnrst", k=6)) for _ in range(20))
        articles = [f"/article/{n}" for n in range(40)] if path == "/" else []
        return reply(page(*articles, f"{path}?visit={visit + 1}") + f"<p>{words}<p>Visit {visit}".encode())

    net, _ = crawled(tmp_path, {"a.test": answer}, depth=10_000)
    assert sum(net.counts().values()) <= 41 + 1 + 350


def test_redirects_and_forbidden_pages_are_no_pages_also_after_a_break(tmp_path: Path) -> None:
    moves = {f"/r/{n}": moved(f"/p/{n}") for n in range(6)}
    robots = reply(b"User-agent: *\nDisallow: /no\n", mime="text/plain")
    site = {"/": page(*moves), **moves, **{f"/p/{n}": page() for n in range(6)}, "/robots.txt": robots}
    with webs.web({"a.test": site}) as net:
        archive = webs.archive(tmp_path / "a", net, pages_per_host=7)
        seeds = [net.url("a.test"), *(net.url("a.test", f"/no/{n}") for n in range(5))]
        assert archive.crawl(seeds, max_pages=7).exit is Exit.SIZE_LIMIT
        assert archive.crawl().exit is Exit.DONE
        assert len(webs.stored(archive)) == 7
        assert archive.crawl(again=True).exit is Exit.DONE
        assert {net.counts()[url] for url in webs.stored(archive)} == {2}
        archive.close()


def test_hosts_alternate_when_turns_are_short(tmp_path: Path) -> None:
    """Castillo's k: after so many pages of a host the other one gets its turn."""
    many = [f"/{n}" for n in range(12)]
    site = {"/": page(*many), **{n: page() for n in many}}
    with webs.web({"a.test": dict(site), "b.test": dict(site)}) as net:
        archive = webs.archive(tmp_path / "a", net, pages_per_turn=3, open_hosts=1, burst_requests=0)
        assert archive.crawl([net.url("a.test"), net.url("b.test")]).exit is Exit.DONE
        assert len(webs.stored(archive)) == 26
        order = [hit.host for hit in sorted(net.hits) if hit.target != "/robots.txt"]
        runs = [1]
        for before, after in pairwise(order):
            if before == after:
                runs[-1] += 1
            else:
                runs.append(1)
        assert max(runs) <= 6, (
            runs
        )  # two turns in a row may be of one host, at the end when the other is done
        assert len(runs) >= 6
        archive.close()


def test_scope_is_obeyed(tmp_path: Path) -> None:
    sites = {
        "a.test": {
            "/": page("/ok", "/no/x", "/file.pdf", "/private/y", "//bad.test/z", "//other.example/"),
            "/ok": page(),
        },
        "bad.test": {"/z": page()},
        "other.example": {"/": page()},
    }
    net, _ = crawled(tmp_path, sites, deny=["bad.test"], deny_urls=["/private/"], allow_urls=[r"/$", "/ok"])
    assert set(net.counts()) == {net.url("a.test"), net.url("a.test", "/ok")}


def test_a_rule_added_between_two_runs_holds_for_what_waits_already(tmp_path: Path) -> None:
    with webs.web({"a.test": {"/": page("/ok", "/bad"), "/ok": page(), "/bad": page()}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")], max_pages=1)
        archive.crawl([], deny_urls=["/bad"])
        assert set(net.counts()) == {net.url("a.test"), net.url("a.test", "/ok")}
        archive.close()


def test_only_wanted_media_types_are_kept(tmp_path: Path) -> None:
    sites = {
        "a.test": {
            "/": page("/text", "/data"),
            "/text": reply(b"plain", mime="text/plain"),
            "/data": reply(b"{}", mime="application/json"),
        }
    }
    with webs.web(sites) as net:
        archive = webs.archive(tmp_path / "a", net, mime=["text/*"])
        archive.crawl([net.url("a.test")])
        assert webs.stored(archive) == {net.url("a.test"), net.url("a.test", "/text")}
        assert "application/json" in archive.why(net.url("a.test", "/data")).visits[0].note
        archive.close()


def test_traps_are_left(tmp_path: Path) -> None:
    """A calendar without end, a folder that holds itself and a new session id in every link."""
    count = iter(range(10_000))

    def handler(request: Request) -> bytes:
        path, _, query = request.target.partition("?")
        if path == "/cal":
            year, month = divmod(int(query[5:9]) * 12 + int(query[10:12]), 12)
            return reply(page(f"/cal?date={year}-{month + 1:02}"))
        if path == "/":
            sid = f"{next(count):032x}"
            return reply(page(f"/?PHPSESSID={sid}", "/cal?date=2024-01", "/deep/", f"/p?sid={sid}"))
        if path.startswith("/deep/"):
            return reply(page("deep/"))
        return reply(page("/")) if path == "/p" else reply(b"", 404)

    by_form = {"trap_content": False, "trap_calendar_pages": 10, "trap_repeats": 2}
    net, _ = crawled(tmp_path, {"a.test": handler}, depth=50, **by_form)
    counts = Counter(target.partition("?")[0] for target in net.targets("a.test"))
    assert counts["/"] == 1
    assert counts["/cal"] <= 10
    assert counts["/deep/deep/"] == 1
    assert counts["/deep/deep/deep/"] == 0
    assert counts["/p"] == 1


def test_numbers_without_end_are_left_and_probes_are_not_stored(tmp_path: Path) -> None:
    """Measurements of any second: two seconds that nobody links to have a page too, so they are made up."""

    def handler(request: Request) -> bytes:
        if not request.target.startswith("/at/"):
            return reply(page("/at/1790000000")) if request.target == "/" else reply(b"", 404)
        second = int(request.target.rpartition("/")[2])
        chance = random.Random(second)
        cells = "".join(f"<p>{chance.uniform(0, 99):.3f}</p>" for _ in range(5))
        links = "".join(f"<a href=/at/{second + step}>{step}</a>" for step in (-60, -1, 1, 60))
        return reply(f"{cells}{links}".encode())

    with webs.web({"a.test": handler}) as net:
        archive = webs.archive(tmp_path / "a", net, depth=1000)
        assert archive.crawl([net.url("a.test")]).exit is Exit.DONE
        stored, requested = webs.stored(archive), set(net.counts())
        probes = {url for url in requested - stored if url.endswith(("738", "4119")) and "/at/" in url}
        assert len(probes) == 2
        assert 64 < len(stored) < 200
        deferred = max(int(url.rpartition("/")[2]) for url in stored if "/at/" in url) + 60
        assert (
            "trap: /at/0 has a page for any number"
            in archive.why(net.url("a.test", f"/at/{deferred}")).summary
        )
        assert archive.check().problems == []
        archive.close()


def test_a_calendar_that_brings_nothing_new_is_left_and_a_catalogue_is_not(tmp_path: Path) -> None:
    """300 products behind `?id=` are all fetched; a calendar without end is not, and `why` says why."""
    words = ["heron", "barge", "lock", "weir", "ferry", "mooring", "sluice", "towpath", "otter", "willow"]

    def handler(request: Request) -> bytes:
        path, _, query = request.target.partition("?")
        number = int(query.partition("=")[2] or 0)
        if path == "/view":
            text = " ".join(words[int(digit)] for digit in f"{number * 7919:09}")
            return reply(
                page(*(f"/view?id={k}" for k in (number + 1, number + 2) if k < 300), head=f"<p>{text}")
            )
        if path == "/plan":
            return reply(
                page(f"/plan?w={number + 1}", f"/plan?w={number - 1}", head="<p>Nothing in this week.")
            )
        return reply(page("/view?id=0", "/plan?w=500")) if path == "/" else reply(b"", 404)

    net, found = crawled(tmp_path, {"a.test": handler}, depth=5000)
    counts = Counter(target.partition("?")[0] for target in net.targets("a.test"))
    assert counts["/view"] == 300
    assert counts["/plan"] < 200
    with library.open(tmp_path / "a") as archive:
        assert archive.status().deferred > 0
        weeks = {int(url.partition("w=")[2]) for url in found if "/plan" in url}
        why = archive.why(net.url("a.test", f"/plan?w={max(weeks) + 1}"))
    assert "deferred: trap: /plan?w" in why.summary


def test_noindex_is_not_kept_and_nofollow_is_not_followed(tmp_path: Path) -> None:
    sites = {
        "a.test": {
            "/": page("/noindex", "/nofollow", "/header", "/rel", "/mine"),
            "/noindex": page("/from-noindex", head='<meta name="robots" content="noindex">'),
            "/nofollow": page("/never", head='<meta name="robots" content="nofollow">'),
            "/header": reply(page("/never2"), 200, "X-Robots-Tag: none"),
            "/rel": b'<a rel="nofollow" href="/never3">x</a>',
            "/mine": page("/never4", head='<meta name="fieldmouse" content="noindex,nofollow">'),
            "/from-noindex": page(),
        }
    }
    with webs.web(sites) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")])
        assert not [hit.target for hit in net.hits if "never" in hit.target]
        expected = {net.url("a.test", one) for one in ("/", "/nofollow", "/rel", "/from-noindex")}
        assert webs.stored(archive) == expected
        assert "noindex" in archive.why(net.url("a.test", "/noindex")).visits[0].note
        archive.close()


def test_an_immediate_refresh_is_a_redirect_and_a_late_one_a_link(tmp_path: Path) -> None:
    sites = {
        "a.test": {
            "/": page("/now", "/later"),
            "/now": page(head='<meta http-equiv="refresh" content="0; url=/there">'),
            "/later": page(head='<meta http-equiv="refresh" content="30; url=/then">'),
            "/there": page(),
            "/then": page(),
        }
    }
    with webs.web(sites) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")])
        there, then = (archive.why(net.url("a.test", one)).page for one in ("/there", "/then"))
        assert there is not None
        assert then is not None
        assert (there.trail[-1], then.trail[-1]) == ("R", "L")
        archive.close()


def test_base_and_canonical_count(tmp_path: Path) -> None:
    sites = {
        "a.test": {
            "/": page("x", head='<base href="/deep/er/"><link rel="canonical" href="/real">'),
            "/deep/er/x": page(),
            "/real": page(),
        }
    }
    net, _ = crawled(tmp_path, sites)
    assert set(net.targets("a.test")) == {"/robots.txt", "/", "/deep/er/x", "/real"}


def test_sitemaps_are_read_whatever_they_are_packed_in(tmp_path: Path) -> None:
    def handler(request: Request) -> bytes:
        here = f"http://{request.header('host')}"
        index = f"<sitemapindex><sitemap><loc>{here}/two.xml.gz</loc></sitemap></sitemapindex>"
        urls = f"<urlset><url><loc>{here}/hidden</loc></url><url><loc>http://b.test/no</loc></url></urlset>"
        pages = {
            "/robots.txt": reply(f"Sitemap: {here}/one.xml\n".encode(), mime="text/plain"),
            "/one.xml": reply(index.encode(), mime="application/xml"),
            "/two.xml.gz": reply(gzip.compress(urls.encode()), mime="application/gzip"),
            "/": reply(page()),
            "/hidden": reply(page()),
        }
        return pages.get(request.target) or reply(b"", 404)

    with webs.web({"a.test": handler, "b.test": {}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")])
        assert webs.stored(archive) == {net.url("a.test"), net.url("a.test", "/hidden")}
        found = archive.page(net.url("a.test", "/hidden"))
        assert found is not None
        assert (found.record.trail, found.record.via) == ("S", net.url("a.test", "/two.xml.gz"))
        assert net.targets("b.test") == []
        archive.close()


def test_hosts_found_are_crawled_with_their_entry_points_and_home_pages(tmp_path: Path) -> None:
    def handler(request: Request) -> bytes:
        port = request.header("host").partition(":")[2]
        return reply(page(*(f"http://b.test:{port}/island/{n}" for n in range(9))))

    with webs.web(
        {"a.test": handler, "b.test": {"/": page(), **{f"/island/{n}": page() for n in range(9)}}}
    ) as net:
        archive = webs.archive(tmp_path / "a", net, entry_points=4)
        archive.crawl([net.url("a.test")])
        assert set(net.targets("b.test")) == {"/robots.txt", "/", *(f"/island/{n}" for n in range(4))}
        assert list(archive.reader.host_links()) == [(f"a.test:{net.port}", f"b.test:{net.port}", 9)]
        archive.close()


def test_a_complete_host_is_opened_again_for_a_new_way_in(tmp_path: Path) -> None:
    def first(request: Request) -> bytes:
        port = request.header("host").partition(":")[2]
        return reply(page(f"http://b.test:{port}/") if request.target == "/" else b"")

    def second(request: Request) -> bytes:
        port = request.header("host").partition(":")[2]
        return reply(page(f"http://a.test:{port}/island") if request.target == "/" else b"")

    with webs.web({"a.test": first, "b.test": second}) as net:
        archive = webs.archive(tmp_path / "a", net, commit_seconds=0.01)
        archive.crawl([net.url("a.test")])
        assert net.counts() == Counter([net.url("a.test"), net.url("a.test", "/island"), net.url("b.test")])
        archive.close()


@pytest.mark.parametrize("estimator", ["bloom", "in-degree"])
def test_the_host_with_most_to_give_goes_first(tmp_path: Path, estimator: str) -> None:
    """By distinct addresses seen, or by the number of hosts that link there."""

    def links(*pairs: tuple[str, str]) -> webs.Site:
        def handler(request: Request) -> bytes:
            port = request.header("host").partition(":")[2]
            return reply(page(*(f"http://{host}:{port}{path}" for host, path in pairs)))

        return handler

    often = [("many.test", f"/{n}") for n in range(8)]
    sites: dict[str, webs.Site] = {
        "s1.test": links(("popular.test", "/"), *often),
        "s2.test": links(("popular.test", "/")),
        "many.test": lambda _: reply(b""),
        "popular.test": lambda _: reply(b""),
    }
    with webs.web(sites) as net:
        archive = webs.archive(tmp_path / "a", net, estimator=estimator, open_hosts=1, depth=0)
        archive.crawl([net.url("s1.test"), net.url("s2.test")])
        order = list(dict.fromkeys(hit.host for hit in sorted(net.hits)))
        first = "many.test" if estimator == "bloom" else "popular.test"
        assert order[2] == first, order
        archive.close()


def test_the_canonical_link_of_a_page_to_itself_is_not_fetched(tmp_path: Path) -> None:
    """The home page that calls itself /index.html is one page; another page that is named so is not."""
    sites = {
        "a.test": {
            "/": page("/b/", head="<link rel=canonical href=/index.html>"),
            "/index.html": page(),
            "/b/": page("/c", head="<link rel=canonical href=/b>"),
            "/c": page(head="<link rel=canonical href=/whole>"),
            "/whole": page(),
        }
    }
    net, _ = crawled(tmp_path, sites)
    assert set(net.targets("a.test")) == {"/robots.txt", "/", "/b/", "/c", "/whole"}


def test_a_canonical_address_that_is_linked_too_is_fetched(tmp_path: Path) -> None:
    sites = {"a.test": {"/": page("/index.html", head="<link rel=canonical href=/index.html>")}}
    net, _ = crawled(tmp_path, sites)
    assert "/index.html" in net.targets("a.test")


def test_no_sitemap_is_guessed_at(tmp_path: Path) -> None:
    """Without a robots.txt, or with one that names none, /sitemap.xml is not requested."""
    named = reply(b"User-agent: *\nDisallow: /x\n", mime="text/plain")
    sites = {"a.test": {"/": page("http://b.test/")}, "b.test": {"/": page(), "/robots.txt": named}}
    net, _ = crawled(tmp_path, sites)
    for host in sites:
        assert set(net.targets(host)) <= {"/", "/robots.txt"}
