"""Redirects of every kind in whole crawls: recorded, followed, ended where they go in circles, and judged."""

from pathlib import Path
from typing import Any

import pytest

from fieldmouse import library
from fieldmouse.exits import Exit
from tests.jobs.test_review_spam import hub, ordinary
from tests.servers import moved, reply

from .webs import archive, run, stored, web

SCRIPT = "<title>x</title><script>%s</script>"


def page(script: str) -> bytes:
    return (SCRIPT % script).encode()


SITE: dict[str, bytes] = {
    "/": b"".join(
        b"<a href=/%s>x</a>" % name
        for name in b"http header meta slow assign replace href top document frame maybe loop1".split()
    ),
    "/http": moved("/t-http"),
    "/header": reply(b"<p>wait", 200, "Refresh: 0; url=/t-header"),
    "/meta": b"<meta http-equiv=refresh content='0;url=/t-meta'>",
    "/slow": b"<meta http-equiv=refresh content='5;url=/t-slow'>",
    "/assign": page("window.location.assign('/t-assign')"),
    "/replace": page("location.replace('/t-replace');"),
    "/href": page("window.location.href = '/t-' + 'href';"),
    "/top": page("top.location = '/t-top'"),
    "/document": page("document.location.href='/t-document'"),
    "/frame": b"<title>f</title><iframe src=/t-frame width='100%' height='100%'></iframe>",
    "/maybe": page("if (screen.width < 600) { location = '/t-maybe'; }"),
    "/loop1": page("location = '/loop2'"),
    "/loop2": b"<meta http-equiv=refresh content='0;url=/loop1'>",
}
KINDS = {
    "http": "http",
    "header": "header",
    "meta": "meta",
    "slow": "meta",
    "assign": "script",
    "replace": "script",
    "href": "script",
    "top": "script",
    "document": "script",
    "frame": "frame",
    "maybe": "script",
}


def rows(one: library.Archive, sql: str) -> list[tuple[Any, ...]]:
    return list(one.query(sql)[1])


def test_every_kind_is_recorded_and_the_immediate_ones_are_followed(tmp_path: Path) -> None:
    targets = {f"/t-{name}": b"<p>landed" for name in KINDS}
    with web({"a.test": {**SITE, **targets}}) as net:
        one = archive(tmp_path / "a", net)
        assert one.crawl([net.url("a.test")]).exit is Exit.DONE
        found = {
            (source.rpartition("/")[2], target.rpartition("/")[2], kind)
            for source, target, kind in rows(one, "SELECT source, target, kind FROM redirect")
        }
        wanted = {(name, f"t-{name}", kind) for name, kind in KINDS.items()}
        assert found == wanted | {("loop1", "loop2", "script"), ("loop2", "loop1", "meta")}
        unsure = rows(one, "SELECT source FROM redirect WHERE NOT certain")
        assert unsure == [(net.url("a.test", "/maybe"),)]
        reached = {url.rpartition("/")[2] for url in stored(one)}
        assert {f"t-{name}" for name in KINDS if name != "maybe"} <= reached
        assert "t-maybe" not in reached, "a script that asks first is recorded and not followed"
        assert net.targets("a.test").count("/loop1") == 1
        assert (
            f"redirects to {net.url('a.test', '/t-top')} (script)" in one.why(net.url("a.test", "/top")).spam
        )
        one.close()


def test_circles_over_several_hosts_end(tmp_path: Path) -> None:
    def to(name: str) -> Any:
        return lambda request: (
            reply(page(f"location='http://{name}:{request.header('host').partition(':')[2]}/'"))
            if request.target == "/"
            else reply(status=404)
        )

    with web({"a.test": to("b.test"), "b.test": to("c.test"), "c.test": to("a.test")}) as net:
        one = archive(tmp_path / "a", net)
        assert one.crawl([net.url("a.test")]).exit is Exit.DONE
        assert [net.targets(name).count("/") for name in ("a.test", "b.test", "c.test")] == [1, 1, 1]
        assert len(rows(one, "SELECT * FROM redirect WHERE target_domain <> ''")) == 3
        one.close()


def farm_web(landing: str, names: list[str]) -> dict[str, Any]:
    """Domains that all redirect to a landing site, each to a page of its own."""

    def source(number: int) -> Any:
        def handle(request: Any) -> bytes:
            port = request.header("host").partition(":")[2]
            return (
                moved(f"http://{landing}:{port}/offer/{number}")
                if request.target == "/"
                else reply(status=404)
            )

        return handle

    def land(request: Any) -> bytes:
        if request.target == "/robots.txt":
            return reply(status=404)
        lot = "".join("<div><a>ad</a></div>" for _ in range(12))
        return reply(f"<title>{request.target}</title><h1>Offer</h1>{lot}".encode())

    return {name: source(n) for n, name in enumerate(names)} | {landing: land}


LABELS = [
    "apple",
    "brick",
    "cloud",
    "drain",
    "eagle",
    "flute",
    "grape",
    "house",
    "inlet",
    "joker",
    "knife",
    "lemon",
    "mango",
    "night",
]


@pytest.mark.parametrize("switched_on", [True, False])
def test_a_site_that_lives_on_redirects_is_not_visited_any_more(tmp_path: Path, switched_on: bool) -> None:
    names = [f"{label}.test" for label in LABELS]
    late = {"late.test": hub(["more.farm.test"]), "more.farm.test": ordinary("more")}
    with web({"hub.test": hub(names), **farm_web("farm.test", names), **late}) as net:
        one = archive(tmp_path / "a", net, **{"spam.sources": 10, "spam.redirects": switched_on})
        one.crawl([net.url("hub.test")])
        assert len([target for target in net.targets("farm.test") if "offer" in target]) == 14
        found = one.reader.host(f"farm.test:{net.port}")
        assert found is not None
        assert found.state == ("redirect spam" if switched_on else "complete")
        one.crawl([net.url("late.test")])
        assert bool(net.targets("more.farm.test")) is not switched_on
        if switched_on:
            (farm,) = one.redirect_farms()
            assert farm.domain == "farm.test"
            assert farm.reasons[0] == "14 of 15 domains that lead to it do so by redirect"
            told = one.why(net.url("farm.test", "/offer/3"))
            assert any("farm.test is redirect spam" in line for line in told.spam)
            assert "14 of 15" in run("-C", tmp_path / "a", "redirects", "list").stdout
            assert one.status().hosts["redirect_spam"] == 2
            assert "redirect spam" in run("-C", tmp_path / "a", "why", net.url("apple.test")).stdout
        one.close()


def test_a_seed_is_visited_whatever_the_verdict(tmp_path: Path) -> None:
    names = [f"{label}.test" for label in LABELS]
    with web({"hub.test": hub(names), **farm_web("farm.test", names)}) as net:
        one = archive(tmp_path / "a", net, **{"spam.sources": 10})
        one.crawl([net.url("hub.test")])
        one.crawl([net.url("farm.test", "/about")])
        assert "/about" in net.targets("farm.test")
        found = one.reader.host(f"farm.test:{net.port}")
        assert found is not None
        assert found.state == "complete"
        one.close()


def test_a_service_that_many_link_to_is_none(tmp_path: Path) -> None:
    names = [f"{label}.test" for label in LABELS]
    sites = farm_web("service.test", names)
    fans = [f"fan{n}x.test" for n in range(20)]

    def fan(request: Any) -> bytes:
        here = request.header("host").partition(":")[2]
        return reply(f"<a href=http://service.test:{here}/>the service</a>".encode())

    with web({**sites, **dict.fromkeys(fans, fan)}) as net:
        one = archive(tmp_path / "a", net, **{"spam.sources": 10})
        one.crawl([net.url(name) for name in (*names, *fans)])
        assert one.redirect_farms() == []
        one.close()
