"""One request, one answer: what is sent, what is kept, and what is done again."""

import asyncio
import gzip
from pathlib import Path

import pytest
import uvloop
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldmouse import urls
from fieldmouse.errors import ConfigError
from fieldmouse.settings import CrawlSettings, Settings
from fieldmouse.types import Failure, Response, Trouble
from fieldmouse.web.http_client import HttpClient, location
from fieldmouse.web.http_headers import user_agent
from tests.servers import HANG_UP, HOME, RESET, Authority, Request, moved, names, nginx, reply, serve, site
from tests.waiting import until
from tests.web.clients import conditional, fail_one, fetch, fetch_one, settings, ticket


def echo(request: Request) -> bytes:
    return reply(request.head, mime="text/plain")


@pytest.fixture(scope="module")
def echoing():
    with serve(echo) as server:
        yield server


@pytest.fixture(scope="module")
def authority(tmp_path_factory):
    return Authority(tmp_path_factory.mktemp("authority"))


# --- what is sent ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_the_request_is_kept_exactly_as_sent(echoing, run):
    (answer,) = fetch(echoing.url("/a%2fb/../c;d?e=%c3%a9&f=|"), run=run)
    assert answer.request == answer.body
    assert answer.request.startswith(b"GET /a%2fb/../c;d?e=%c3%a9&f=| HTTP/1.1\r\nHost: 127.77.0.1:")


def test_what_we_say_about_ourselves(echoing):
    head = fetch_one(echoing.url()).body.decode()
    assert "\r\nUser-Agent: Mozilla/5.0 (compatible; fieldmouse/" in head
    assert "; +https://crawler.test/)\r\n" in head
    assert "\r\nAccept-Encoding: gzip, deflate, br, zstd\r\n" in head
    assert "\r\nFrom:" not in head
    assert "Cookie" not in head
    assert "Expect" not in head


def test_an_email_contact_is_sent_as_from(echoing):
    async def main():
        own = Settings(crawl=CrawlSettings(contact="ops@crawler.test"), web=settings().web)
        async with HttpClient(own) as web:
            return await web.exchange(ticket(echoing.url()))

    answer = asyncio.run(main())
    assert b"\r\nFrom: ops@crawler.test\r\n" in answer.body
    assert answer.body == answer.request


def test_the_user_agent_can_be_set_whole():
    assert user_agent(Settings(crawl=CrawlSettings(user_agent="Own/1"))) == "Own/1"
    assert "+" not in user_agent(Settings())


def test_conditions_are_sent_and_cannot_smuggle_headers(echoing):
    async def main():
        async with HttpClient(settings()) as web:
            odd = ticket(echoing.url(), etag='"x"\r\nEvil: 1', last_modified="é\x00\u20ac")
            return [await web.exchange(odd), await web.exchange(ticket(echoing.url()))]

    odd, plain = asyncio.run(main())
    assert odd.body == odd.request
    assert b'\r\nIf-None-Match: "x"Evil: 1\r\nIf-Modified-Since: \xe9?\r\n' in odd.body
    assert b"If-" not in plain.body


def test_credentials_and_fragments_stay_here(echoing):
    url = echoing.url("/x?y#part").replace("http://", "http://user:secret@")
    answer = fetch_one(url)
    assert answer.body == answer.request
    assert b"GET /x?y HTTP" in answer.body
    assert b"secret" not in answer.body
    assert b"Authorization" not in answer.body


def test_proxies_of_the_environment_are_not_asked(echoing, monkeypatch):
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.66.0.1:9")
    assert fetch_one(echoing.url()).status == 200


def test_cookies_are_not_kept():
    def handle(request: Request) -> bytes:
        return reply(request.head, 200, "Set-Cookie: a=b; Path=/")

    with serve(handle) as server:
        _, second = fetch(server.url(), server.url())
    assert b"ookie" not in second.body


@given(st.text("abz09-._~!$&'()*+,;=:@%/?|{}[]^`\\ é\u4e2d\"<>", max_size=40))
@hypothesis_settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
def test_any_canonical_address_is_sent_as_it_stands(echoing, tail):
    url = urls.parse(echoing.url("/" + tail))
    if url is None:
        return
    answer = fetch_one(url)
    assert answer.body == answer.request
    assert answer.request.split(b" ", 2)[1].decode() == url.partition(f":{echoing.port}")[2].partition("#")[0]


# --- what is kept ----------------------------------------------------------------------------------------

HEAD = (
    b"HTTP/1.1 203 So So\r\nX-Odd:  spaced \t \r\nx-lower:1\r\nX-Empty:\r\nSet-Cookie: a\r\nSet-Cookie: b\r\n"
    b"X-Latin: caf\xe9\r\nContent-Length: 5\r\n\r\n"
)


def test_the_head_is_kept_exactly_as_received():
    with serve(lambda _: HEAD + b"hello") as server:
        answer = fetch_one(server.url())
    assert answer.head == HEAD
    assert (answer.status, answer.body, answer.truncated) == (203, b"hello", "")
    assert answer.content is answer.body
    assert answer.headers == (
        ("x-odd", "spaced"),
        ("x-lower", "1"),
        ("x-empty", ""),
        ("set-cookie", "a"),
        ("set-cookie", "b"),
        ("x-latin", "café"),
        ("content-length", "5"),
    )
    assert answer.address == "127.77.0.1"
    assert answer.took > 0


def test_bare_line_ends_are_kept():
    head = b"HTTP/1.0 200 OK\nContent-Type: text/html\nContent-Length: 2\n\n"
    with serve(lambda _: head + b"ok") as server:
        answer = fetch_one(server.url())
    assert (answer.head, answer.body) == (head, b"ok")


def test_a_folded_line_is_kept_and_read_as_one():
    head = b"HTTP/1.1 200 OK\r\nX-A: 1 \r\n\t2\r\n  3\r\nContent-Length: 0\r\n\r\n"
    with serve(lambda _: head) as server:
        answer = fetch_one(server.url())
    assert answer.head == head
    assert answer.headers == (("x-a", "1 2 3"), ("content-length", "0"))


def test_early_answers_are_not_the_answer():
    early = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    with serve(lambda _: early + HEAD + b"hello") as server:
        answer = fetch_one(server.url())
    assert (answer.head, answer.body) == (HEAD, b"hello")


def test_chunks_are_put_together_and_trailers_dropped():
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n"
    with serve(
        lambda _: [head, b"5\r\nhello\r\n", 0.01, b"6;x=y\r\n world\r\n0\r\nX-T: 1\r\n\r\n"]
    ) as server:
        answer = fetch_one(server.url())
        assert fetch_one(server.url()).status == 200
    assert (answer.head, answer.body) == (head, b"hello world")


def test_the_body_stays_packed_and_the_content_is_not():
    page = b"<p>hello</p>" * 500
    packed = gzip.compress(page)
    with serve(lambda _: reply(packed, 200, "Content-Encoding: gzip")) as server:
        answer = fetch_one(server.url())
    assert (answer.body, answer.content, answer.truncated) == (packed, page, "")


def test_layers_in_several_headers_are_undone():
    packed = gzip.compress(gzip.compress(b"twice"))
    with serve(lambda _: reply(packed, 200, "Content-Encoding: gzip", "content-encoding: x-gzip")) as server:
        assert fetch_one(server.url()).content == b"twice"


def test_an_answer_without_length_ends_with_the_connection():
    with serve(lambda _: [b"HTTP/1.1 200 OK\r\n\r\nhel", 0.02, b"lo", HANG_UP]) as server:
        answer = fetch_one(server.url())
    assert (answer.body, answer.truncated) == (b"hello", "")


@pytest.mark.parametrize("status", [204, 304])
def test_answers_without_a_body(status):
    with serve(lambda _: f"HTTP/1.1 {status} X\r\nContent-Encoding: gzip\r\n\r\n".encode()) as server:
        first, second = fetch(server.url(), server.url())
        assert server.connections == 1
    assert (first.status, first.body, second.truncated) == (status, b"", "")


# --- again and again -------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_connections_are_used_again(echoing, run):
    before = echoing.connections
    fetch(*[echoing.url(f"/{n}") for n in range(20)], run=run)
    assert echoing.connections == before + 1


def test_keep_alive_can_be_switched_off(echoing):
    before = echoing.connections
    fetch(*[echoing.url(f"/{n}") for n in range(5)], keep_alive=0)
    assert echoing.connections == before + 5


def test_no_more_connections_are_kept_than_set(echoing):
    async def main():
        async with HttpClient(settings(keep_alive=3)) as web:
            await asyncio.gather(*(web.exchange(ticket(echoing.url())) for _ in range(20)))
            await asyncio.to_thread(until, lambda: echoing.parallel <= 3, "the others are closed")

    asyncio.run(main())


@pytest.mark.parametrize("goodbye", [HANG_UP, RESET])
def test_a_connection_that_went_stale_is_replaced_quietly(goodbye):
    def handle(_: Request) -> list:
        return [reply(b"ok"), 0.01, goodbye]

    async def main(url: str) -> list:
        answers = []
        async with HttpClient(settings()) as web:
            for wait in (0, 0.05, 0.0, 0.02, 0.0):
                await asyncio.sleep(wait)
                answers.append(await web.exchange(ticket(url)))
        return answers

    with serve(handle) as server:
        answers = asyncio.run(main(server.url()))
    assert [answer.body for answer in answers] == [b"ok"] * 5


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_hundreds_at_once(echoing, run):
    async def main():
        async with HttpClient(settings()) as web:
            return await asyncio.gather(*(web.exchange(ticket(echoing.url(f"/{n}"))) for n in range(300)))

    answers = run(main())
    assert [answer.body.split()[1] for answer in answers] == [b"/%d" % n for n in range(300)]
    assert all(answer.body == answer.request for answer in answers)


def test_giving_up_one_request_leaves_the_others_alone():
    def handle(request: Request) -> list:
        return [300.0, reply(request.target.encode())] if request.target == "/slow" else [reply(b"fast")]

    async def main(server) -> list:
        async with HttpClient(settings()) as web:
            slow = asyncio.ensure_future(web.exchange(ticket(server.url("/slow"))))
            await asyncio.sleep(0.05)
            slow.cancel()
            answers = [await web.exchange(ticket(server.url(f"/{n}"))) for n in range(3)]
            with pytest.raises(asyncio.CancelledError):
                await slow
            return answers

    with serve(handle) as server:
        assert [answer.body for answer in asyncio.run(main(server))] == [b"fast"] * 3


def test_closing_ends_what_is_under_way():
    async def main(url: str) -> list:
        async with HttpClient(settings()) as web:
            waiting = [asyncio.ensure_future(web.exchange(ticket(url))) for _ in range(5)]
            await asyncio.sleep(0.05)
        return await asyncio.gather(*waiting)

    with serve(lambda _: [300.0, reply(b"late")]) as server:
        answers = asyncio.run(asyncio.wait_for(main(server.url()), 120))
    assert {answer.trouble for answer in answers} == {Trouble.CONNECT}
    assert "closed" in answers[0].detail


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts open files in /proc")
def test_nothing_is_left_open(echoing):
    fetch(echoing.url())
    before = open_files()
    for _ in range(5):
        fetch(*[echoing.url(f"/{n}") for n in range(5)], "http://127.77.0.1:9/")
    assert open_files() <= before + 1  # the server's end may take its time


def test_use_outside_of_the_block_is_our_mistake():
    with pytest.raises(RuntimeError, match="async with"):
        asyncio.run(HttpClient(settings()).exchange(ticket("http://127.77.0.1/")))


def test_a_missing_authority_file_is_a_wrong_setting():
    with pytest.raises(ConfigError, match=r"web\.ca_file"):
        HttpClient(settings(ca_file="/nowhere/authority.pem"))


# --- conditional requests --------------------------------------------------------------------------------


def test_nginx_answers_that_nothing_changed(tmp_path):
    (tmp_path / "a.html").write_text("<p>one</p>")
    tmp_path.chmod(0o755)

    async def main(url: str) -> list:
        async with HttpClient(settings()) as web:
            first = await web.exchange(ticket(url))
            second = await web.exchange(conditional(first))
            by_date = await web.exchange(ticket(url, last_modified=first.header("last-modified")))
            (tmp_path / "a.html").write_text("<p>two!</p>")
            return [first, second, by_date, await web.exchange(conditional(first))]

    with nginx(tmp_path) as server:
        first, second, by_date, third = asyncio.run(main(server.url("/a.html")))
    assert [one.status for one in (first, second, by_date, third)] == [200, 304, 304, 200]
    assert (first.body, second.body, third.body) == (b"<p>one</p>", b"", b"<p>two!</p>")
    assert b"If-None-Match: " + first.header("etag").encode() in second.request
    assert b"If-None-Match" not in by_date.request


def test_nginx_packs_what_we_unpack(tmp_path):
    page = b"<p>hello</p>" * 1000
    (tmp_path / "a.html").write_bytes(page)
    tmp_path.chmod(0o755)
    with nginx(tmp_path, http="gzip on; gzip_min_length 1;") as server:
        answer = fetch_one(server.url("/a.html"))
    assert answer.header("content-encoding") == "gzip"
    assert answer.header("transfer-encoding") == "chunked"
    assert answer.content == page
    assert len(answer.body) < 500


# --- redirects -------------------------------------------------------------------------------------------


def test_a_redirect_is_an_answer():
    with serve({"/": moved("/b")}) as server:
        answer = fetch_one(server.url())
        assert (answer.status, location(answer)) == (302, server.url("/b"))


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_following_keeps_every_hop(status):
    pages = {"/": moved("b?x#part", status), "/b?x": moved("//127.77.0.1:{port}/c", status), "/c": b"end"}
    with serve(lambda request: handler(request)) as server:
        fill = {key: page.replace(b"{port}", b"%d" % server.port) for key, page in pages.items()}
        handler = site(fill)
        (hops,) = fetch(server.url(), follow=True)
        assert [hop.url for hop in hops] == [server.url(), server.url("/b?x"), server.url("/c")]
        assert server.targets() == ["/", "/b?x", "/c"]
    assert [hop.status for hop in hops] == [status, status, 200]
    assert hops[-1].body == b"end"


def test_a_redirect_loop_is_detected():
    with serve({"/": moved("/b"), "/b": moved("/")}) as server:
        (hops,) = fetch(server.url(), follow=True)
    assert [type(hop) for hop in hops] == [Response, Response, Failure]
    assert (hops[-1].trouble, hops[-1].detail) == (Trouble.REDIRECTS, "redirect loop")


@pytest.mark.parametrize(("most", "requests"), [(0, 1), (3, 4)])
def test_a_chain_that_is_too_long_ends(most, requests):
    with serve(lambda r: moved(r.target + "x")) as server:
        (hops,) = fetch(server.url(), follow=True, max_redirects=most)
        assert len(server.requests) == requests
    assert hops[-1].trouble is Trouble.REDIRECTS
    assert len(hops) == requests + 1


@pytest.mark.parametrize("to", ["", "http://", "http://[", "http://a b/"])
def test_a_redirect_to_nowhere_is_the_answer_itself(to):
    with serve({"/": moved(to)}) as server:
        (hops,) = fetch(server.url(), follow=True)
    assert [hop.status for hop in hops] == [302]


def test_conditions_are_for_the_first_hop_only():
    async def main(url: str) -> tuple:
        async with HttpClient(settings()) as web:
            return await web.follow(ticket(url, etag='"1"'))

    with serve({"/": moved("/b"), "/b": b"end"}) as server:
        asyncio.run(main(server.url()))
        assert [request.header("if-none-match") for request in server.requests] == ['"1"', ""]


def test_a_location_in_raw_utf8_is_understood():
    with serve(lambda r: moved("/caf\u00c3\u00a9") if r.target == "/" else echo(r)) as server:
        (hops,) = fetch(server.url(), follow=True)
        assert server.targets() == ["/", "/caf%C3%A9"]
    assert hops[-1].status == 200


# --- names and TLS ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_names_are_resolved_by_our_own_servers(echoing, run):
    with names("a.test. 60 IN A 127.77.0.1", "b.test. 60 IN CNAME a.test.") as dns:
        url = echoing.url("/x", host="b.test")
        (answer,) = fetch(url, run=run, dns_servers=(dns.server,))
    assert answer.address == "127.77.0.1"
    assert b"\r\nHost: b.test:%d\r\n" % echoing.port in answer.body


def test_the_next_address_is_tried_when_nobody_listens():
    with (
        serve(echo, address="127.77.0.9") as server,
        names(
            "a.test. 60 IN A 127.77.0.7", "a.test. 60 IN A 127.77.0.8", "a.test. 60 IN A 127.77.0.9"
        ) as dns,
    ):
        answer = fetch_one(server.url(host="a.test"), dns_servers=(dns.server,))
    assert answer.address == "127.77.0.9"


@pytest.mark.parametrize(("host", "detail"), [("missing.test", "nxdomain"), ("silent.test", "timeout")])
def test_a_name_that_leads_nowhere_is_a_failure(host, detail):
    with names() as dns:
        failure = fail_one(f"http://{host}/", dns_servers=(dns.server,))
    assert (failure.trouble, failure.detail) == (Trouble.DNS, f"{host}: {detail}")


def test_one_name_on_two_ports_and_two_names_on_one_address():
    with (
        serve(lambda _: reply(b"one")) as one,
        serve(lambda _: reply(b"two")) as two,
        names("a.test. 60 IN A 127.77.0.1", "b.test. 60 IN A 127.77.0.1") as dns,
    ):
        asked = [
            one.url(host="a.test"),
            two.url(host="a.test"),
            one.url(host="b.test"),
            one.url(host="a.test"),
        ]
        answers = fetch(*asked, dns_servers=(dns.server,))
        assert (one.connections, two.connections) == (2, 1)
    assert [answer.body for answer in answers] == [b"one", b"two", b"one", b"one"]


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_a_good_certificate_is_accepted(authority, run):
    with (
        serve(echo, tls=authority.server("good.test")) as server,
        names("good.test. 60 IN A 127.77.0.1") as dns,
    ):
        url = server.url("/x", host="good.test")
        answers = fetch(url, url, run=run, dns_servers=(dns.server,), ca_file=str(authority.file))
        assert server.connections == 1
    assert [answer.body for answer in answers] == [answer.request for answer in answers]


@pytest.mark.parametrize(
    "kind", ["other name", "expired", "self-signed", "unknown authority", "no TLS at all"]
)
def test_a_bad_certificate_is_refused_unless_switched_off(authority, kind):
    contexts = {
        "other name": lambda: authority.server("other.test"),
        "expired": lambda: authority.server("127.77.0.1", expired=True),
        "self-signed": lambda: authority.server("127.77.0.1", self_signed=True),
        "unknown authority": lambda: authority.server("127.77.0.1"),
        "no TLS at all": lambda: None,
    }
    trusted = {} if kind == "unknown authority" else {"ca_file": str(authority.file)}
    with serve(echo, tls=contexts[kind](), greeting=b"" if contexts[kind]() else b"220 hello\r\n") as server:
        url = server.url().replace("http:", "https:")
        failure = fail_one(url, **trusted)
        assert server.requests == []
        if server.tls:
            assert fetch_one(url, verify_tls=False).status == 200
    assert failure.trouble is Trouble.TLS


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_an_answer_over_tls_that_ends_with_the_connection_is_whole(authority, run):
    with serve(
        lambda _: [b"HTTP/1.1 200 OK\r\n\r\nhel", 0.02, b"lo", HANG_UP], tls=authority.server(HOME)
    ) as server:
        (answer,) = fetch(server.url(), run=run, ca_file=str(authority.file))
    assert (answer.body, answer.truncated) == (b"hello", "")


@pytest.mark.parametrize("run", [asyncio.run, uvloop.run])
def test_hundreds_at_once_over_tls(authority, run):
    async def main(server):
        async with HttpClient(settings(ca_file=str(authority.file), connect_timeout=20.0)) as web:
            return await asyncio.gather(*(web.exchange(ticket(server.url(f"/{n}"))) for n in range(60)))

    with serve(echo, tls=authority.server(HOME)) as server:
        answers = run(main(server))
    assert [answer.body for answer in answers] == [answer.request for answer in answers]
