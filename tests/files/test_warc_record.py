import gzip
import uuid
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.files.warc_record import (
    Revisit,
    WarcInfo,
    gzip_member,
    payload_digest,
    record_ids,
    request,
    response,
    revisit,
    stored_head,
    warc_date,
    warcinfo,
)
from tests.store.answers import BEGAN, answer

ID = "urn:uuid:00000000-0000-4000-8000-000000000001"
OTHER = "urn:uuid:00000000-0000-4000-8000-000000000002"


def test_a_response_byte_for_byte():
    one = answer(b"<p>Hi</p>", headers=(("content-type", "text/html"), ("content-length", "9")))
    assert gzip.decompress(response(one, ID, payload_digest(one.body), OTHER)) == (
        b"WARC/1.1\r\n"
        b"WARC-Type: response\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        b"WARC-Date: 2025-11-15T22:55:09.123456Z\r\n"
        b"WARC-Target-URI: https://example.org/\r\n"
        b"WARC-IP-Address: 192.0.2.7\r\n"
        b"WARC-Warcinfo-ID: <urn:uuid:00000000-0000-4000-8000-000000000002>\r\n"
        b"WARC-Payload-Digest: sha1:ATQOZ6T6XGEIMQ42R6F7IMXCTVKIZL3O\r\n"
        b"Content-Type: application/http; msgtype=response\r\n"
        b"Content-Length: 72\r\n"
        b"\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 9\r\n\r\n"
        b"<p>Hi</p>\r\n\r\n"
    )


def test_a_request_byte_for_byte():
    assert gzip.decompress(request(answer(), ID, OTHER)) == (
        b"WARC/1.1\r\n"
        b"WARC-Type: request\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        b"WARC-Date: 2025-11-15T22:55:09.123456Z\r\n"
        b"WARC-Target-URI: https://example.org/\r\n"
        b"WARC-IP-Address: 192.0.2.7\r\n"
        b"WARC-Concurrent-To: <urn:uuid:00000000-0000-4000-8000-000000000002>\r\n"
        b"Content-Type: application/http; msgtype=request\r\n"
        b"Content-Length: 37\r\n"
        b"\r\n"
        b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n\r\n\r\n"
    )


def test_a_revisit_byte_for_byte():
    original = Revisit("https://example.org/", BEGAN - 86400, OTHER)
    assert gzip.decompress(revisit(answer(), ID, "sha1:ABC", original)) == (
        b"WARC/1.1\r\n"
        b"WARC-Type: revisit\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        b"WARC-Date: 2025-11-15T22:55:09.123456Z\r\n"
        b"WARC-Target-URI: https://example.org/\r\n"
        b"WARC-IP-Address: 192.0.2.7\r\n"
        b"WARC-Payload-Digest: sha1:ABC\r\n"
        b"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/identical-payload-digest\r\n"
        b"WARC-Refers-To: <urn:uuid:00000000-0000-4000-8000-000000000002>\r\n"
        b"WARC-Refers-To-Target-URI: https://example.org/\r\n"
        b"WARC-Refers-To-Date: 2025-11-14T22:55:09.123456Z\r\n"
        b"Content-Type: application/http; msgtype=response\r\n"
        b"Content-Length: 44\r\n"
        b"\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n\r\n\r\n"
    )


def test_not_modified_has_its_own_profile():
    record = gzip.decompress(
        revisit(answer(b"", status=304), ID, "sha1:ABC", Revisit("https://example.org/", 0.0))
    )
    assert b"WARC-Profile: http://netpreserve.org/warc/1.1/revisit/server-not-modified\r\n" in record
    assert b"WARC-Refers-To:" not in record


def test_a_warcinfo_byte_for_byte():
    info = WarcInfo(software="fieldmouse/1", operator="Ann\r\nBob: x", robots="obey", user_agent="M/5")
    assert gzip.decompress(warcinfo(info, "a.warc.gz", ID, 0.0)) == (
        b"WARC/1.1\r\n"
        b"WARC-Type: warcinfo\r\n"
        b"WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000001>\r\n"
        b"WARC-Date: 1970-01-01T00:00:00.000000Z\r\n"
        b"WARC-Filename: a.warc.gz\r\n"
        b"Content-Type: application/warc-fields\r\n"
        b"Content-Length: 211\r\n"
        b"\r\n"
        b"software: fieldmouse/1\r\n"
        b"format: WARC File Format 1.1\r\n"
        b"conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
        b"robots: obey\r\n"
        b"operator: Ann Bob: x\r\n"
        b"http-header-user-agent: M/5\r\n"
        b"\r\n\r\n"
    )


HEAD = b"HTTP/1.1 200 OK\r\n%s\r\n"


@pytest.mark.parametrize(
    ("lines", "stored"),
    [
        (b"Content-Length: 5\r\n", b"Content-Length: 5\r\n"),
        (b"Server: x\r\n", b"Server: x\r\n"),  # ends with the connection, and says nothing untrue
        (
            b"Transfer-Encoding: chunked\r\nA: b\r\n",
            b"X-Crawler-Transfer-Encoding: chunked\r\nA: b\r\nContent-Length: 5\r\n",
        ),
        (
            b"content-length:5\r\ntransfer-encoding : Chunked\r\n",
            b"content-length:5\r\nX-Crawler-transfer-encoding : Chunked\r\n",
        ),
        (b"Content-Length: 99\r\n", b"X-Crawler-Content-Length: 99\r\nContent-Length: 5\r\n"),
        (b"Content-Length: 55\r\n", b"X-Crawler-Content-Length: 55\r\nContent-Length: 5\r\n"),
        (b"X-Content-Length: 99\r\n", b"X-Content-Length: 99\r\n"),
        (b"X-Content-Length: 5\r\n", b"X-Content-Length: 5\r\n"),
        (b"Content-Length: 5\r\nContent-Length: 5\r\n", b"Content-Length: 5\r\nContent-Length: 5\r\n"),
    ],
)
def test_framing_lines_are_true_of_the_stored_body(lines, stored):
    assert stored_head(HEAD % lines, 200, 5) == HEAD % stored


def test_bare_line_ends_stay():
    head = b"HTTP/1.0 200 OK\nTransfer-Encoding: chunked\n\n"
    assert stored_head(head, 200, 3) == (
        b"HTTP/1.0 200 OK\nX-Crawler-Transfer-Encoding: chunked\nContent-Length: 3\n\n"
    )


def test_a_head_without_its_empty_line_gets_one():
    assert stored_head(b"HTTP/1.0 200 OK\r\nA: b\r\n", 200, 0) == b"HTTP/1.0 200 OK\r\nA: b\r\n\r\n"


def test_an_answer_without_body_may_name_the_length_it_would_have():
    head = HEAD % b"Content-Length: 99\r\n"
    assert stored_head(head, 304, 0) == head


@pytest.mark.parametrize(
    ("why", "written"),
    [("length", True), ("time", True), ("disconnect", True), ("decoding", False), ("", False)],
)
def test_a_cut_body_says_why(why, written):
    record = gzip.decompress(response(answer(truncated=why), ID, "sha1:ABC"))
    assert (f"WARC-Truncated: {why}\r\n".encode() in record) == written


def test_an_address_cannot_break_out_of_its_line():
    record = gzip.decompress(response(answer(url="http://a/\r\nEvil: 1\n\x00\ud800"), ID, "sha1:ABC"))
    assert b"WARC-Target-URI: http://a/ Evil: 1 ?\r\n" in record


@settings(max_examples=150, deadline=None, derandomize=True)
@given(start=st.binary(max_size=500), body=st.binary(max_size=2000), times=st.sampled_from([0, 1, 70]))
def test_a_stored_member_is_good_gzip(start, body, times):
    member = gzip_member(start, body * times, coded=True)
    inflate = zlib.decompressobj(31)
    assert inflate.decompress(member) == start + body * times
    assert (inflate.eof, inflate.unused_data) == (True, b"")


@pytest.mark.parametrize("size", [0, 1, 65534, 65535, 65536, 131070, 131071])
def test_stored_blocks_end_where_they_should(size):
    assert gzip.decompress(gzip_member(b"head", b"x" * size, coded=True)) == b"head" + b"x" * size


@pytest.mark.parametrize(
    ("headers", "stored"),
    [
        ((("content-encoding", "gzip"),), True),
        ((("content-encoding", "identity"),), False),
        ((("content-type", "image/png"),), True),
        ((("content-type", "image/svg+xml"),), False),
        ((("content-type", "text/html"),), False),
    ],
)
def test_what_is_compressed_already_is_not_compressed_again(headers, stored):
    member = response(answer(b"a" * 5000, headers=headers), ID, "sha1:ABC")
    assert (b"a" * 5000 in member) == stored


def test_dates_have_microseconds():
    assert warc_date(1.5) == "1970-01-01T00:00:01.500000Z"


def test_the_digest_of_nothing():
    assert payload_digest(b"") == "sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"


def test_record_ids_are_random_uuids_and_never_the_same():
    ids = record_ids()
    drawn = [next(ids) for _ in range(1000)]
    assert len(set(drawn)) == 1000
    for one in drawn:
        read = uuid.UUID(one)
        assert str(read) == one
        assert (read.version, read.variant) == (4, uuid.RFC_4122)
    assert {one[19] for one in drawn} == set("89ab")
