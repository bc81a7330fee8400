"""What a server may do to us: limits on size, time and headers, and garbage of every kind."""

import gzip
import random
import time

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldmouse.types import Failure, Response, Trouble
from tests.servers import FORBIDDEN, HANG_UP, RESET, free_port, reply, serve
from tests.web.clients import fail_one, fetch, fetch_one

BIG = bytes(range(256)) * 400  # 102 400 bytes


def chunked(body: bytes, size: int = 1000) -> list[bytes]:
    pieces = [body[at : at + size] for at in range(0, len(body), size)]
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    return [head, *(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in pieces), b"0\r\n\r\n"]


# --- size ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["length", "chunks", "until the end"])
@pytest.mark.parametrize("limit", [1, 1000, len(BIG) - 1])
def test_a_body_is_cut_at_the_limit(kind, limit):
    answers = {
        "length": lambda _: reply(BIG),
        "chunks": lambda _: chunked(BIG),
        "until the end": lambda _: [b"HTTP/1.1 200 OK\r\n\r\n" + BIG, HANG_UP],
    }
    with serve(answers[kind]) as server:
        answer = fetch_one(server.url(), max_body=limit)
        assert fetch_one(server.url(), max_body=len(BIG)).truncated == ""
    assert (answer.body, answer.truncated) == (BIG[:limit], "length")
    assert answer.content is answer.body


def test_an_endless_body_ends():
    def handle(_):
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            yield BIG

    with serve(handle) as server:
        answer = fetch_one(server.url(), max_body=1_000_000)
    assert (len(answer.body), answer.truncated) == (1_000_000, "length")


def test_of_a_cut_packed_body_the_beginning_is_read():
    page = random.Random(1).randbytes(20_000).hex().encode()
    with serve(lambda _: reply(gzip.compress(page), 200, "Content-Encoding: gzip")) as server:
        answer = fetch_one(server.url(), max_body=10_000)
    assert answer.truncated == "length"
    assert len(answer.body) == 10_000
    assert len(answer.content) > 10_000
    assert page.startswith(answer.content)


def test_a_bomb_is_cut():
    packed = gzip.compress(bytes(20 << 20))
    with serve(lambda _: reply(packed, 200, "Content-Encoding: gzip")) as server:
        answer = fetch_one(server.url(), max_content=100_000)
    assert (answer.body, answer.content, answer.truncated) == (packed, bytes(100_000), "decoding")


def test_broken_packing_is_told():
    packed = gzip.compress(b"<p>hello</p>" * 100)[:-9]
    with serve(lambda _: reply(packed, 200, "Content-Encoding: gzip")) as server:
        answer = fetch_one(server.url())
    assert answer.truncated == "decoding"
    assert answer.content.startswith(b"<p>hello</p>")


def test_a_wrong_label_is_forgiven():
    with serve(lambda _: reply(b"<p>plain</p>", 200, "Content-Encoding: gzip")) as server:
        answer = fetch_one(server.url())
    assert (answer.content, answer.truncated) == (b"<p>plain</p>", "")


@pytest.mark.parametrize("size", [1200, 20_000, 90_000, 400_000, 5_000_000])
def test_large_headers_are_refused(size):
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + b"X-Long: y\r\n" * (size // 11) + b"\r\n"
    with serve(lambda _: head) as server:
        failure = fail_one(server.url(), max_head=1000)
        if size < 65_536:
            assert fetch_one(server.url()).head == head
    assert failure.trouble is Trouble.PROTOCOL


def test_one_endless_header_line_is_refused():
    with serve(lambda _: b"HTTP/1.1 200 OK\r\nX: " + b"y" * 10_000_000) as server:
        assert fail_one(server.url()).trouble is Trouble.PROTOCOL


def test_endless_early_answers_end():
    def handle(_):
        while True:
            yield b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>; rel=preload\r\n\r\n" * 100

    with serve(handle) as server:
        failure = fail_one(server.url(), timeout=2.0)
    assert failure.trouble in (Trouble.PROTOCOL, Trouble.TIMEOUT)


# --- time ------------------------------------------------------------------------------------------------


def test_a_server_that_says_nothing_is_given_up():
    with serve(lambda _: [300.0]) as server:
        failure = fail_one(server.url(), timeout=0.2)
    assert failure.trouble is Trouble.TIMEOUT
    assert 0.15 < failure.took < 60
    assert failure.address == "127.77.0.1"


def test_headers_that_never_end_are_given_up():
    with serve(lambda _: [b"HTTP/1.1 200 OK\r\nX: y\r\n", 300.0]) as server:
        assert fail_one(server.url(), timeout=0.2).trouble is Trouble.TIMEOUT


def test_what_came_before_the_time_was_over_is_kept():
    with serve(lambda _: [reply(b"half", 200, "Content-Length: 8", length=False), 300.0]) as server:
        answer = fetch_one(server.url(), timeout=2.0)
    assert (answer.body, answer.truncated) == (b"half", "time")


def test_a_trickle_runs_out_of_time():
    def handle(_):
        yield b"HTTP/1.1 200 OK\r\n\r\n"
        while True:
            yield b"x"
            yield 0.02

    with serve(handle) as server:
        answer = fetch_one(server.url(), timeout=2.0)
    assert answer.truncated == "time"
    assert 0 < len(answer.body) <= 100


def test_a_slow_but_steady_server_is_not_silent():
    with serve(lambda _: [b"HTTP/1.1 200 OK\r\n\r\n", *[0.25, b"x"] * 8, HANG_UP]) as server:
        answer = fetch_one(server.url(), idle_timeout=1.5)
    assert (answer.body, answer.truncated) == (b"x" * 8, "")


def test_silence_in_the_middle_is_given_up_before_the_whole_time_is_over():
    with serve(lambda _: [b"HTTP/1.1 200 OK\r\n\r\nhalf", 300.0]) as server:
        answer = fetch_one(server.url(), timeout=200.0, idle_timeout=1.5)
    assert (answer.body, answer.truncated) == (b"half", "time")
    assert 1.0 < answer.took < 100


def test_a_port_nobody_listens_on():
    port = free_port("127.77.0.1")
    failure = fail_one(f"http://127.77.0.1:{port}/")
    assert (failure.trouble, failure.address) == (Trouble.CONNECT, "127.77.0.1")


# --- connections that break ------------------------------------------------------------------------------


@pytest.mark.parametrize("goodbye", [HANG_UP, RESET])
@pytest.mark.parametrize("before", [b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Le"])
def test_a_connection_that_breaks_before_the_answer(before, goodbye):
    with serve(lambda _: [before, goodbye]) as server:
        failure = fail_one(server.url())
    assert failure.trouble in (Trouble.CONNECT, Trouble.PROTOCOL)


@pytest.mark.parametrize("goodbye", [HANG_UP, RESET])
def test_a_connection_that_breaks_in_the_body(goodbye):
    half = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"
    with serve(lambda _: [half, 0.1, goodbye]) as server:
        answer = fetch_one(server.url())
    assert (answer.body, answer.truncated) == (b"half", "disconnect")


@pytest.mark.parametrize("rest", [b"", b"5\r\nwor", b"zz\r\n", b"-1\r\n", b"ffffffffffffffffffff\r\n"])
def test_broken_chunks_keep_what_came_before(rest):
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
    with serve(lambda _: [head + rest, HANG_UP]) as server:
        answer = fetch_one(server.url())
    assert answer.body.startswith(b"hello")
    assert answer.truncated == "disconnect"


def test_chunks_may_be_cut_anywhere():
    whole = b"".join(chunked(BIG[:300], 7)).replace(b"0\r\n\r\n", b"0;last\r\nX-T: 1\r\n\r\n")
    with serve(lambda _: [whole[at : at + 1] for at in range(len(whole))]) as server:
        first, second = fetch(server.url(), server.url())
        assert server.connections == 1
    assert first.body == second.body == BIG[:300]
    assert first.truncated == ""


def test_tiny_chunks_cost_little():
    began = time.process_time()
    with serve(
        lambda _: [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n" * 500_000]
    ) as server:
        answer = fetch_one(server.url(), timeout=20.0)
    assert (answer.body, answer.truncated) == (b"x" * 100_000, "disconnect")
    assert time.process_time() - began < 3


# --- garbage ---------------------------------------------------------------------------------------------

GARBAGE = {
    "ssh": b"SSH-2.0-OpenSSH_9.2\r\n",
    "smtp": b"220 mail.test ESMTP\r\n",
    "old http": b"<html>no head at all</html>",
    "zeros": bytes(5000),
    "no status": b"HTTP/1.1\r\n\r\n",
    "no number": b"HTTP/1.1 abc OK\r\n\r\n",
    "big number": b"HTTP/1.1 99999 OK\r\n\r\n",
    "other protocol": b"ICY 200 OK\r\n\r\n",
    "future": b"HTTP/9.9 200 OK\r\n\r\n",
    "no colon": b"HTTP/1.1 200 OK\r\nthis is no header\r\n\r\n",
    "nul in a header": b"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n",
    "two lengths": b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    "negative length": b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nab",
    "length of letters": b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nab",
    "huge length": b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\nab",
    "length, chunks": b"HTTP/1.1 200 X\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "odd transfer coding": b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
    "switching": b"HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n",
    "asks for a password": b"HTTP/1.1 401 No\r\nWWW-Authenticate: Negotiate\r\nContent-Length: 0\r\n\r\n",
    "forever": b"HTTP/1.1 200 OK\r\nKeep-Alive: timeout=99999999999999999999\r\nContent-Length: 0\r\n\r\n",
    "http2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "empty headers": b"HTTP/1.1 200 OK\r\n: x\r\n:\r\n\r\n",
}


@pytest.mark.parametrize("kind", GARBAGE)
def test_garbage_is_an_outcome_like_any_other(kind):
    with serve(lambda r: [GARBAGE[kind], HANG_UP] if r.target == "/" else reply(b"fine")) as server:
        bad, good = fetch(server.url(), server.url("/good"), timeout=60.0)
    assert isinstance(bad, Response | Failure)
    if isinstance(bad, Failure):
        assert bad.trouble in (Trouble.PROTOCOL, Trouble.CONNECT)
    else:
        assert bad.head.startswith(b"HTTP/")
    assert good.body == b"fine"


# What random answers are made of.
PARTS = [
    *(
        b"HTTP/1.1 ",
        b"200 OK",
        b"\r\n",
        b"\n",
        b"\r",
        b": ",
        b"Content-Length",
        b"5",
        b"chunked",
        b"a",
        b"br",
    ),
    *(b"Transfer-Encoding", b"Location", b"\0", b"\xff\xfe", b"Content-Encoding", b"gzip", b"0\r\n\r\n"),
    *(b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 C\r\n\r\n", b"Connection: close\r\n", b"\x1f\x8b\x08"),
]


@given(st.lists(st.sampled_from(PARTS), max_size=14).map(b"".join))
@hypothesis_settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
def test_random_answers_never_raise(answers, data):
    answers.append(data)
    (outcome,) = fetch(answers.url, timeout=2.0)
    assert isinstance(outcome, Response | Failure)


@pytest.fixture(scope="module")
def answers():
    class Answers(list):
        url = ""

    said = Answers()
    with serve(lambda _: [said[-1], HANG_UP]) as server:
        said.url = server.url()
        yield said


def test_somebody_who_talks_first_is_no_web_server():
    with serve(lambda _: HANG_UP, greeting=b"220 mail.test ESMTP\r\n") as server:
        assert fail_one(server.url()).trouble in (Trouble.PROTOCOL, Trouble.CONNECT)


def test_the_forbidden_network_is_really_forbidden():
    with serve({"/": b"secret"}, address=FORBIDDEN) as server:
        assert fail_one(server.url()).trouble is Trouble.REFUSED
        assert server.connections == 0
