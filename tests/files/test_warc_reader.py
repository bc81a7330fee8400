import gzip
import io
import os
import random
import struct
import zlib
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import ImportFailed
from fieldmouse.files.decompress import MAX_RESTARTS, STEP
from fieldmouse.files.warc_reader import Problem, parse_date, records
from fieldmouse.files.warc_writer import payload_digest
from tests.store.answers import answer, writer

SAMPLES = Path(__file__).parents[1] / "data" / "warc"

# type, address, bytes of the body, of the content, why it is not whole
EXAMPLE = [
    ("warcinfo", "", 249, 249, ""),
    ("warcinfo", "", 470, 470, ""),
    ("response", "http://example.com/", 606, 1270, ""),
    ("request", "http://example.com/", 0, 0, ""),
    ("revisit", "http://example.com/", 0, 0, ""),
    ("request", "http://example.com/", 0, 0, ""),
]
GOOD = {
    "example.warc": EXAMPLE,
    "example.warc.gz": EXAMPLE,
    "example-bad-non-chunked.warc.gz": EXAMPLE,
    "example.arc": [
        ("warcinfo", "filedesc://live-web-example.arc.gz", 75, 75, ""),
        ("response", "http://example.com/", 1270, 1270, ""),
    ],
    "example-iana.org-chunked.warc": [
        ("warcinfo", "", 137, 137, ""),
        ("response", "http://www.iana.org/", 7223, 7223, ""),
        ("request", "http://www.iana.org/", 0, 0, ""),
    ],
    "example-wrong-chunks.warc.gz": [
        ("response", "http://example.com/", 1270, 1270, ""),
        ("request", "http://example.com/", 0, 0, ""),
    ],
    "example-space-in-target-uri.warc.gz": [
        ("warcinfo", "", 73, 73, ""),
        ("resource", "file:///example%20with%20spaces.png", 70, 70, ""),
    ],
}
GOOD["example.arc.gz"] = GOOD["example.arc"]


def read(source, **more):
    problems: list[Problem] = []
    return list(records(source, problem=problems.append, **more)), problems


def summary(one):
    answered = one.to_response()
    return one.type, one.url, len(one.body), len(answered.content), answered.truncated


@pytest.mark.parametrize("name", GOOD)
def test_of_types_that_are_not_wanted_only_the_fields_are_read(name):
    kinds = {"response", "revisit"}
    everything, _ = read(SAMPLES / name)
    found, problems = read(SAMPLES / name, wanted=kinds)
    assert [(one.type, one.headers, one.offset) for one in found] == [
        (one.type, one.headers, one.offset) for one in everything
    ]
    assert [one for one in found if one.type in kinds] == [one for one in everything if one.type in kinds]
    assert problems == []


def test_a_record_that_is_not_wanted_may_lack_its_end():
    data = (SAMPLES / "example.warc").read_bytes()[:-100]  # the last one is a request
    _, problems = read(io.BytesIO(data))
    assert read(io.BytesIO(data), wanted={"response"})[1] == problems != []


@pytest.mark.parametrize("name", GOOD)
def test_samples_of_all_kinds(name):
    found, problems = read(SAMPLES / name)
    assert [summary(one) for one in found] == GOOD[name]
    assert problems == []


def test_every_sample_is_read_or_complained_about():
    names = [path for path in sorted(SAMPLES.iterdir()) if path.name not in ("README.md", "LICENSE")]
    assert len(names) == 16
    for path in names:
        found, problems = read(path)
        assert found or problems


def test_brackets_around_an_address_go():
    found, _ = read(SAMPLES / "example-wget-bad-target-uri.warc.gz")
    assert {one.url for one in found if one.type in ("request", "response")} == {"http://example.com/"}


def test_a_wrong_length_costs_one_complaint_and_no_other_record():
    found, problems = read(SAMPLES / "example-trunc.warc")
    assert [one.type for one in found] == ["warcinfo", "warcinfo", "response", "request"]
    assert [problem.position for problem in problems] == [2560]


def test_a_record_that_ends_early_is_given_and_complained_about():
    found, problems = read(SAMPLES / "example-space-in-url.arc")
    assert summary(found[1])[2:] == (1271, 1271, "disconnect")
    assert " " not in found[1].url
    assert problems == [Problem(151, "the record there lacks its last 12 bytes")]


def test_a_bad_arc_file_gives_what_it_has():
    found, problems = read(SAMPLES / "bad.arc")
    assert [one.url for one in found] == ["http://example.com/"]
    assert [problem.position for problem in problems] == [0, 134, 262]


def test_positions_are_those_of_the_members():
    found, _ = read(SAMPLES / "example.warc.gz")
    data = (SAMPLES / "example.warc.gz").read_bytes()
    assert all(data[one.offset :].startswith(b"\x1f\x8b\x08") for one in found)
    assert len({one.offset for one in found}) == len(found)


def test_without_a_listener_damage_is_raised_after_the_last_record():
    stream = records(SAMPLES / "example-trunc.warc")
    assert [next(stream).type for _ in range(4)] == ["warcinfo", "warcinfo", "response", "request"]
    with pytest.raises(ImportFailed, match=r"example-trunc.warc is damaged at byte 2560: .*length"):
        next(stream)


def test_a_file_that_is_not_there():
    with pytest.raises(ImportFailed, match="No such file"):
        list(records(SAMPLES / "missing.warc"))


def compressed(data: bytes, dictionary: bytes | None, pack_dictionary: bool = False) -> bytes:
    """A .warc.zst file of one frame a record."""
    frames = []
    packer = zstandard.ZstdCompressor(
        dict_data=zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    )
    if dictionary:
        stored = zstandard.compress(dictionary) if pack_dictionary else dictionary
        frames.append(struct.pack("<II", 0x184D2A5D, len(stored)) + stored)
    parts = data.split(b"\r\n\r\nWARC/")
    parts = [parts[0] + b"\r\n\r\n", *(b"WARC/" + one + b"\r\n\r\n" for one in parts[1:])]
    return b"".join([*frames, *(packer.compress(part) for part in parts)])


def trained() -> bytes:
    samples = [b"WARC/1.1\r\nWARC-Type: response\r\nWARC-Date: %d\r\n" % n * 9 for n in range(500)]
    return zstandard.train_dictionary(2000, samples).as_bytes()


@pytest.mark.parametrize("kind", ["none", "plain", "packed"])
def test_zstd_files_with_and_without_a_dictionary(kind):
    data = (SAMPLES / "example.warc").read_bytes()
    packed = compressed(data, trained() if kind != "none" else None, kind == "packed")
    found, problems = read(io.BytesIO(packed))
    assert [summary(one) for one in found] == EXAMPLE
    assert problems == []


def test_a_zstd_file_cut_short():
    packed = compressed((SAMPLES / "example.warc").read_bytes(), trained())
    found, problems = read(io.BytesIO(packed[:-300]))
    assert [summary(one) for one in found][:4] == EXAMPLE[:4]
    assert problems


@pytest.mark.parametrize(("size", "position"), [(0, 8), (100, 0), (1 << 30, 0)])
def test_a_zstd_dictionary_that_lies_about_its_size(size, position):
    found, problems = read(io.BytesIO(struct.pack("<II", 0x184D2A5D, size) + b"x" * 50))
    assert (found, [problem.position for problem in problems]) == ([], [position])


@pytest.mark.parametrize("version", [b"WARC/0.17", b"WARC/0.18", b"WARC/1.0", b"WARC/1.1"])
def test_versions(version):
    data = version + b"\r\nWARC-Type: resource\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n"
    ((one,), problems) = read(io.BytesIO(data))
    assert (one.type, one.body, problems) == ("resource", b"hi", [])


def test_folded_and_foreign_header_lines():
    data = (
        "WARC/1.0\nWARC-Type: resource\nWARC-Target-URI: http://a/é\nX: one\n two\n\tthree\n"
        "Content-Length: 0\n\n\n\n"
    ).encode()
    ((one,), _) = read(io.BytesIO(data))
    assert (one.url, one.header("x")) == ("http://a/é", "one two three")


def test_a_resource_becomes_an_answer():
    data = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/css\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n"
    ((one,), _) = read(io.BytesIO(data))
    back = one.to_response()
    assert (back.status, back.mime, back.content) == (200, "text/css", b"hi")


def http_record(block: bytes) -> bytes:
    return (
        b"WARC/1.1\r\nWARC-Type: response\r\nContent-Type: application/http;msgtype=response\r\n"
        b"Content-Length: %d\r\n\r\n%b\r\n\r\n" % (len(block), block)
    )


CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@pytest.mark.parametrize(
    ("stored", "body"),
    [
        (b"3\r\nabc\r\n0\r\n\r\n", b"abc"),
        (b"3;x=y\r\nabc\r\n2\r\nde\r\n0\r\nTrailer: x\r\n\r\n", b"abcde"),
        (b"abc but no chunks", b"abc but no chunks"),  # the writer undid them and left the header
        (b"3\r\nabc\r\n", b"abc"),
        (b"9\r\nabc", b"abc"),
        (b"3\r\nabc\r\nrubbish", b"3\r\nabc\r\nrubbish"),
        (b"", b""),
    ],
)
def test_chunks_are_undone_where_there_are_any(stored, body):
    ((one,), _) = read(io.BytesIO(http_record(CHUNKED + stored)))
    assert one.body == body


@pytest.mark.parametrize(
    ("block", "head", "status"),
    [
        (b"HTTP/1.1 404 Not Found\r\n\r\nx", b"HTTP/1.1 404 Not Found\r\n\r\n", 404),
        (b"HTTP/2 200\nA: b\n\nx", b"HTTP/2 200\nA: b\n\n", 200),
        (b"HTTP/1.1 200 OK\r\nA: b\r\n", b"HTTP/1.1 200 OK\r\nA: b\r\n", 200),
        (b"HTTP/1.1 what\r\n\r\n", b"HTTP/1.1 what\r\n\r\n", 0),
        (b"no head at all", b"", 200),
    ],
)
def test_heads_of_all_kinds(block, head, status):
    ((one,), _) = read(io.BytesIO(http_record(block)))
    assert (one.head, one.to_response().status) == (head, status)


def test_a_block_beyond_the_limit_is_cut_and_the_next_record_still_read():
    data = http_record(b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 100_000) + http_record(b"HTTP/1.1 404 No\r\n\r\n")
    found, problems = read(io.BytesIO(data), limit=1000)
    assert [(len(one.head + one.body), one.truncated) for one in found] == [(1000, "length"), (19, "")]
    assert problems == []


def test_a_bomb_is_cut_at_the_limit():
    bomb = zlib.compress(b"\0" * 50_000_000, wbits=31)
    ((one,), _) = read(io.BytesIO(http_record(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + bomb)))
    back = one.to_response(limit=10_000)
    assert (len(back.content), back.truncated) == (10_000, "decoding")


def members(folder: Path, bodies: list[bytes]) -> tuple[bytes, list[int]]:
    """A file of ours, and where its responses begin."""
    with writer(folder) as warc:
        places = [warc.write(answer(one), digest=payload_digest(one)).place for one in bodies]
        ((name, _),) = warc.sync()
    return (folder / name).read_bytes(), [place.offset for place in places]


@pytest.fixture
def ten(tmp_path):
    rubbish = random.Random(7)
    return members(tmp_path, [b"%d " % n + rubbish.randbytes(300) for n in range(10)])


def bodies(found):
    return [int(one.body.split()[0]) for one in found if one.type == "response"]


def test_a_broken_member_costs_only_its_own_record(ten):
    data, offsets = ten
    broken = bytearray(data)
    broken[offsets[4] + 100 : offsets[4] + 140] = bytes(40)
    found, problems = read(io.BytesIO(broken))
    assert bodies(found) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert [problem.position for problem in problems] == [offsets[4]]


def test_a_torn_member_in_the_middle_costs_only_its_own_record(ten):
    data, offsets = ten
    found, problems = read(io.BytesIO(data[: offsets[4] + 60] + data[offsets[5] :]))
    assert bodies(found) == [0, 1, 2, 3, 5, 6, 7, 8, 9]
    assert problems


def test_a_broken_first_member_costs_only_its_own_record(ten):
    data, _ = ten
    found, problems = read(io.BytesIO(data[:40] + b"?" + data[41:]))
    assert bodies(found) == list(range(10))
    assert [problem.position for problem in problems] == [0]


def test_zeros_between_members_are_padding(ten):
    data, offsets = ten
    padded = data[: offsets[3]] + bytes(STEP * 2) + data[offsets[3] :] + bytes(1000)
    found, problems = read(io.BytesIO(padded))
    assert (bodies(found), problems) == (list(range(10)), [])


def test_every_torn_tail_is_noticed(ten):
    data, offsets = ten
    for end in range(offsets[8] + 1, offsets[9], 7):
        found, problems = read(io.BytesIO(data[:end]))
        assert bodies(found) in (list(range(8)), list(range(9)))
        whole = [one for one in found if one.offset < offsets[8]]
        assert len(whole) == 17
        is_between = bodies(found) == list(range(9)) and not problems
        assert is_between == (data[end:].startswith(b"\x1f\x8b\x08\x00"))


def test_a_stream_that_cannot_seek_gives_what_comes_before_the_damage(ten):
    data, offsets = ten
    reading, writing = os.pipe()
    os.write(writing, data[: offsets[4] + 60])
    os.close(writing)
    with io.FileIO(reading) as pipe:
        found, problems = read(pipe)
    assert bodies(found) == [0, 1, 2, 3]
    assert [problem.position for problem in problems] == [offsets[4]]


def test_a_file_of_false_beginnings_ends():
    rubbish = b"\x1f\x8b\x08\x00" * 100_000
    found, problems = read(io.BytesIO(rubbish))
    assert (found, len(problems)) == ([], 1)
    assert MAX_RESTARTS < 1000


@pytest.mark.parametrize(
    "data",
    [
        b"<html>" + b"x" * 500_000,
        gzip.compress(b"not an archive\n" * 10_000),
        zstandard.compress(b"not an archive\n" * 10_000),
        b"WARC/1.0\r\n" + b"x" * 500_000,
        b"WARC/1.0\r\nContent-Length: -5\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: \xb2\r\n\r\n",
        b"WARC/1.0\r\nContent-Length: 99999999999999999999\r\n\r\nx",
        b"WARC/1.0\r\n" + b"a: b\r\n" * 5000,
        b"filedesc://x" + b"y" * 500_000,
        b"filedesc://x 1.2.3.4 20140216050221 text/plain 99999999999\n",
        b"\x28\xb5\x2f\xfd" + b"rubbish",
        b"\x1f\x8b",
    ],
)
def test_rubbish_is_complained_about(data):
    found, problems = read(io.BytesIO(data))
    assert problems
    assert all(one.truncated == "disconnect" for one in found)


def test_an_empty_file_has_no_records():
    assert read(io.BytesIO(b"")) == ([], [])
    assert read(io.BytesIO(gzip.compress(b""))) == ([], [])


@settings(max_examples=200, deadline=None, derandomize=True)
@given(name=st.sampled_from(sorted(GOOD)), seed=st.integers(0, 1 << 30), changes=st.integers(1, 8))
def test_no_damage_makes_the_reader_fail(name, seed, changes):
    rng = random.Random(seed)
    data = bytearray((SAMPLES / name).read_bytes())
    for _ in range(changes):
        at = rng.randrange(len(data))
        match rng.randrange(3):
            case 0:
                data[at] = rng.randrange(256)
            case 1:
                del data[at : at + rng.randrange(50)]
            case _:
                data[at:at] = rng.randbytes(rng.randrange(20))
    found, _ = read(io.BytesIO(bytes(data)))
    for one in found:
        one.to_response(limit=100_000)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    start=st.sampled_from([b"", b"WARC/1.1\r\n", b"\x1f\x8b\x08", b"filedesc://"]),
    rest=st.binary(max_size=500),
)
def test_no_bytes_make_the_reader_fail(start, rest):
    read(io.BytesIO(start + rest))


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("1970-01-02T00:00:00Z", 86400.0),
        ("1970-01-01T00:00:01.25Z", 1.25),
        ("1970-01-01T00:00:00.123456789Z", 0.123456789),
        ("1970-01-01T00:00:01.5", 1.5),
        ("1970-01-01T00:00:01.5+01:00", 1.5),
        ("1970-01-01T00:00:01.", 1.0),
        ("1970-01-01T00:00:61Z", 0.0),
        ("1970-01-01T00:01:0x", 60.0),
        ("19700101000002", 2.0),
        ("197001010001", 60.0),
        ("1971", 31536000.0),
        ("1970-02", 2678400.0),
        ("1970-01-02", 86400.0),
        ("1970-13-45T00:00:00Z", 0.0),
        ("yesterday", 0.0),
        ("", 0.0),
    ],
)
def test_dates_of_all_versions(text, seconds):
    assert parse_date(text) == seconds
