import random
import zlib

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.decoding import MAX_LAYERS, decode

PAGE = b"<p>" + bytes(random.Random(1).choices(b"abcdefgh ", k=200_000)) + b"</p>"


def bare(data: bytes) -> bytes:
    machine = zlib.compressobj(wbits=-15)
    return machine.compress(data) + machine.flush()


CODERS = {
    "gzip": lambda data: zlib.compress(data, wbits=31),
    "x-gzip": lambda data: zlib.compress(data, wbits=31),
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=3),
    "zstd": zstandard.compress,
}


@pytest.mark.parametrize("coding", CODERS)
def test_each_coding(coding):
    assert decode(CODERS[coding](PAGE), coding.upper(), 1 << 30) == (PAGE, True)


@pytest.mark.parametrize("coding", CODERS)
def test_no_more_than_the_limit_comes_out(coding):
    coded = CODERS[coding](PAGE)
    assert decode(coded, coding, len(PAGE)) == (PAGE, True)
    assert decode(coded, coding, len(PAGE) - 1) == (PAGE[:-1], False)
    assert decode(coded, coding, 10) == (PAGE[:10], False)


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br"])
def test_a_cut_body_gives_its_beginning(coding):
    coded = CODERS[coding](PAGE)
    content, whole = decode(coded[: len(coded) // 2], coding, 1 << 30)
    assert not whole
    assert len(content) > 50_000
    assert PAGE.startswith(content)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_a_broken_body_gives_what_stands_before(coding):
    coded = bytearray(CODERS[coding](PAGE))
    coded[len(coded) // 2 :] = b"\xff" * 100
    content, whole = decode(bytes(coded), coding, 1 << 30)
    assert not whole
    assert PAGE.startswith(content[:50_000])
    assert len(content) > 50_000


@pytest.mark.parametrize("coding", CODERS)
def test_text_under_a_wrong_label_stays(coding):
    assert decode(b"<html>plain text all along</html>", coding, 1 << 20) == (
        b"<html>plain text all along</html>",
        True,
    )


def test_deflate_without_its_header_and_gzip_under_its_name():
    assert decode(bare(PAGE), "deflate", 1 << 20) == (PAGE, True)
    assert decode(CODERS["gzip"](PAGE), "deflate", 1 << 20) == (PAGE, True)


def test_members_one_after_the_other_are_one_body():
    assert decode(CODERS["gzip"](b"one ") + CODERS["gzip"](b"two") + b"\0\0", "gzip", 100) == (
        b"one two",
        True,
    )


def test_codings_over_codings_are_undone_last_first():
    coded = CODERS["br"](CODERS["gzip"](PAGE))
    assert decode(coded, "gzip, br", 1 << 20) == (PAGE, True)
    assert decode(coded, ", ".join(["gzip"] * (MAX_LAYERS + 1)), 1 << 20) == (b"", False)


def test_unknown_codings_and_empty_bodies_stay():
    assert decode(b"abc", "identity", 10) == (b"abc", True)
    assert decode(b"abc", "", 10) == (b"abc", True)
    assert decode(b"", "gzip", 10) == (b"", True)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    coding=st.sampled_from(sorted(CODERS)),
    start=st.sampled_from([b"", b"\x1f\x8b\x08\0", b"\x78\x9c", b"\x28\xb5\x2f\xfd", b"\x8b"]),
    rest=st.binary(max_size=200),
)
def test_no_bytes_make_it_fail(coding, start, rest):
    assert len(decode(start + rest, coding, 1000).content) <= 1000
