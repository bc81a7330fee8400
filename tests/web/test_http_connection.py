"""The parser on its own: however the network cuts an answer into pieces, the same comes out."""

import asyncio
import itertools

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldmouse.settings import WebSettings as Limits
from fieldmouse.types import Trouble
from fieldmouse.web.http_connection import HttpConnection, HttpResult

LIMITS = Limits(max_body=2000, max_head=600)


class Line:
    """Stands for the transport."""

    def __init__(self) -> None:
        self.closed, self.sent = False, b""

    def write(self, data: bytes) -> None:
        self.sent += data

    def abort(self) -> None:
        self.closed = True

    def is_closing(self) -> bool:
        return self.closed


def hear(pieces: list[bytes], then_close: bool = True) -> tuple[HttpResult, bool]:
    """What comes out of an answer in pieces, and whether the connection can be used again."""

    async def main() -> tuple[HttpResult, bool]:
        wire, line = HttpConnection(LIMITS), Line()
        wire.connection_made(line)  # type: ignore[arg-type]
        waiter = wire.send(b"GET / HTTP/1.1\r\n\r\n", 0.0)
        for piece in pieces:
            if not line.closed:
                wire.data_received(piece)
        free = wire.is_free
        if then_close:
            wire.connection_lost(None)
        return await waiter, free

    return asyncio.run(main())


def cut(data: bytes, places: list[int]) -> list[bytes]:
    marks = sorted({0, len(data), *(place % (len(data) + 1) for place in places)})
    return [data[a:b] for a, b in itertools.pairwise(marks)]


bodies = st.binary(max_size=300)
lines = st.sampled_from(
    ["X-A: b", "X: ", "Set-Cookie: a=b", "Date: now", "X-F: 1\r\n  2", "Connection: keep-alive"]
)


@st.composite
def answers(draw) -> tuple[bytes, bytes]:
    """A whole answer of any framing, and the body that is in it."""
    body = draw(bodies)
    end = draw(st.sampled_from(["\r\n", "\n"]))
    head = ["HTTP/1.1 200 OK", *draw(st.lists(lines, max_size=4))]
    early = draw(st.sampled_from([b"", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"]))
    if draw(st.booleans()):
        text, sent = [*head, f"Content-Length: {len(body)}"], body
    else:
        size = draw(st.integers(1, 50))
        chunks = [body[at : at + size] for at in range(0, len(body), size)]
        trailer = draw(st.sampled_from([b"", b"X-T: 1\r\n"]))
        sent = b"".join(b"%x\r\n%b\r\n" % (len(one), one) for one in chunks) + b"0\r\n" + trailer + b"\r\n"
        text = [*head, "Transfer-Encoding: chunked"]
    return early + (end.join(text) + end + end).encode() + sent, body


@given(answers(), st.lists(st.integers(0, 5000), max_size=12))
@hypothesis_settings(max_examples=200, deadline=None)
def test_where_the_network_cuts_does_not_matter(answer, places):
    data, body = answer
    done, free = hear(cut(data, places))
    assert (done.body, done.truncated, done.trouble) == (body, "", None)
    assert free
    assert done == hear([data])[0]


@given(answers(), st.integers(0, 5000))
@hypothesis_settings(max_examples=150, deadline=None)
def test_an_answer_that_ends_early_is_never_called_whole(answer, place):
    data, body = answer
    kept = data[: place % len(data)]
    done, free = hear([kept])
    if done.trouble is None and done.truncated == "":
        assert done.body == body  # only the last line end is missing
    else:
        assert done.trouble in (None, Trouble.CONNECT)
        assert body.startswith(done.body)
    assert not free or done.trouble is None


@given(st.binary(max_size=400), st.lists(st.integers(0, 400), max_size=6))
@hypothesis_settings(max_examples=200, deadline=None)
def test_any_bytes_make_an_outcome(data, places):
    for start in (b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"):
        done, _ = hear(cut(start + data, places))
        assert done.trouble or done.status


def test_what_comes_after_the_answer_ends_the_connection():
    done, free = hear([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\n"])
    assert done.body == b"ok"
    assert not free


def test_both_limits_hold_to_the_byte():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2000\r\nX: %b\r\n\r\n"
    room = LIMITS.max_head - len(head % b"")
    assert hear([head % (b"x" * room), b"y" * 2000])[0].truncated == ""
    assert hear([head % (b"x" * (room + 1)), b"y" * 2000])[0].trouble is Trouble.PROTOCOL
    long = head.replace(b"2000", b"2001") % b""
    assert hear([long + b"y" * 2001])[0].truncated == "length"


def test_lengths_that_agree_are_one():
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2, 2\r\n\r\nok"
    assert hear([head])[0].body == b"ok"
    assert hear([head.replace(b"2, 2", b"3")])[0].trouble is Trouble.PROTOCOL
