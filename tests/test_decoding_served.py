import gzip
import random
import zlib
from pathlib import Path

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.decoding import MAX_LAYERS, OFFERED, decode

TEXT = b"".join(b"<p>line %d of %d</p>\n" % (n, n * n) for n in range(1500))
ROOM = 1 << 26


def unflagged_zstd(data: bytes) -> bytes:
    """Without the content size in front, as streaming servers send it."""
    machine = zstandard.ZstdCompressor(write_content_size=False).compressobj()
    return machine.compress(data) + machine.flush()


PACKERS = {
    "gzip": ("gzip", gzip.compress),
    "x-gzip": ("X-Gzip", gzip.compress),
    "zlib": ("deflate", zlib.compress),
    "bare": ("deflate", lambda data: zlib.compress(data)[2:-4]),
    "gzip-as-deflate": ("deflate", gzip.compress),
    "zlib-as-gzip": ("gzip", zlib.compress),
    "br": ("br", brotli.compress),
    "zstd": ("zstd", zstandard.compress),
    "zstd-stream": ("zstd", unflagged_zstd),
}


@pytest.fixture(params=PACKERS)
def packer(request):
    return PACKERS[request.param]


def test_every_coding_is_undone(packer):
    name, pack = packer
    assert decode(pack(TEXT), name, ROOM) == (TEXT, True)


def test_the_limit_is_exact(packer):
    name, pack = packer
    assert decode(pack(TEXT), name, len(TEXT)) == (TEXT, True)
    assert decode(pack(TEXT), name, len(TEXT) - 1) == (TEXT[:-1], False)
    assert decode(pack(TEXT), name, 1) == (TEXT[:1], False)


@pytest.mark.parametrize("kept", [0.3, 0.7, 0.99])
def test_of_a_cut_stream_the_beginning_is_kept(packer, kept):
    name, pack = packer
    noise = random.Random(7).randbytes(400_000)
    packed = pack(noise)
    content, whole = decode(packed[: int(len(packed) * kept)], name, ROOM)
    assert not whole
    assert noise.startswith(content)
    assert len(content) > len(noise) * kept - 140_000  # zstd gives whole blocks only


def test_a_wrong_checksum_loses_nothing():
    packed = bytearray(gzip.compress(TEXT))
    packed[-6] ^= 1
    assert decode(bytes(packed), "gzip", ROOM) == (TEXT, False)


def test_a_broken_middle_keeps_what_came_before():
    noise = random.Random(3).randbytes(100_000)
    packed = bytearray(gzip.compress(b"0123456789" * 10_000 + noise[:10]))
    packed[len(packed) // 2] ^= 0xFF
    content, whole = decode(bytes(packed), "gzip", ROOM)
    assert not whole
    assert content.startswith(b"0123456789")


@pytest.mark.parametrize("name", ["gzip", "deflate", "br", "zstd", "gzip, br", "br, gzip"])
@pytest.mark.parametrize("text", [b"<!doctype html><p>never packed</p>", b"plain words", b'{"a": 1}'])
def test_plain_text_under_a_wrong_label_stays(name, text):
    assert decode(text, name, ROOM) == (text, True)


@pytest.mark.parametrize("codings", ["", "identity", "utf-8", "none", "compress"])
def test_what_is_no_coding_of_ours_changes_nothing(codings):
    content, whole = decode(TEXT, codings, ROOM)
    assert content is TEXT
    assert whole


def test_layers_are_undone_from_the_last():
    packed = zstandard.compress(brotli.compress(gzip.compress(TEXT)))
    assert decode(packed, "gzip, br,zstd", ROOM) == (TEXT, True)


def test_too_many_layers_are_not_touched():
    packed = TEXT
    for _ in range(MAX_LAYERS + 1):
        packed = gzip.compress(packed)
    assert decode(packed, ",".join(["gzip"] * (MAX_LAYERS + 1)), ROOM) == (b"", False)


def test_members_follow_each_other_and_rubbish_after_them_is_ignored():
    packed = gzip.compress(b"one ") + gzip.compress(b"two") + b"\0\0\0 rubbish"
    assert decode(packed, "gzip", ROOM) == (b"one two", True)
    assert decode(zstandard.compress(b"one ") + zstandard.compress(b"two"), "zstd", ROOM) == (
        b"one two",
        True,
    )


def test_an_empty_body_is_whole():
    assert decode(b"", "gzip", ROOM) == (b"", True)


def bomb(machine, megabytes: int) -> bytes:
    """Zeros, packed piece by piece so that packing them takes no memory."""
    pack = machine.process if hasattr(machine, "process") else machine.compress
    end = machine.finish if hasattr(machine, "finish") else machine.flush
    return b"".join([*(pack(bytes(1 << 20)) for _ in range(megabytes)), end()])


BOMBS = {
    "gzip": lambda: zlib.compressobj(1, wbits=31),
    "deflate": lambda: zlib.compressobj(1),
    "br": lambda: brotli.Compressor(quality=1),
    "zstd": lambda: zstandard.ZstdCompressor().compressobj(),
}


def highest_memory() -> int:
    """The most memory used since the last call, in KiB."""
    status = Path("/proc/self/status").read_text()
    Path("/proc/self/clear_refs").write_text("5")
    return int(status.partition("VmHWM:")[2].split()[0])


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="needs Linux to measure memory")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_no_more_than_the_limit(name):
    packed = bomb(BOMBS[name](), 200)
    highest_memory()
    before = highest_memory()
    content, whole = decode(packed, name, 2 << 20)
    assert (len(content), whole) == (2 << 20, False)
    assert highest_memory() - before < 32 * 1024


@given(st.binary(max_size=300), st.sampled_from(["gzip", "deflate", "br", "zstd", "gzip, gzip", "br, zstd"]))
@settings(max_examples=200, deadline=None)
def test_rubbish_never_raises(data, codings):
    content, whole = decode(data, codings, 1000)
    assert isinstance(content, bytes)
    assert isinstance(whole, bool)


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_damage_never_raises_and_never_goes_beyond_the_limit(data):
    name, pack = PACKERS[data.draw(st.sampled_from(sorted(PACKERS)))]
    packed = bytearray(pack(TEXT[:3000]))
    for _ in range(data.draw(st.integers(1, 5))):
        packed[data.draw(st.integers(2, len(packed) - 1))] = data.draw(st.integers(0, 255))
    content, _ = decode(bytes(packed), name, 2500)
    assert len(content) <= 2500


def test_what_is_offered_can_be_undone():
    assert all(decode(pack(TEXT), name, ROOM).whole for name, pack in PACKERS.values())
    assert OFFERED == "gzip, deflate, br, zstd"
