"""Packed pages come back byte for byte, or not at all."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.templates.distil import distil
from fieldmouse.templates.page_packing import MAX_DICTIONARY, Dictionary, Packer
from tests.page.hostile import FRAGMENTS, GOOD, REPEATED, damaged, soup

from .site import article, articles, listings

KNOWN = distil("port.example", [*articles(16), *listings(6)]).dictionary
PACKER = Packer(KNOWN)
contents = st.binary(max_size=400) | st.lists(st.sampled_from(FRAGMENTS), max_size=60).map(b"".join)


def pack(content, using=None):
    return Packer(using).pack(content)


def restore(packed, using=None):
    return Packer(using).restore(packed)


@given(contents, contents)
@settings(deadline=None, max_examples=200)
def test_any_page_with_any_dictionary_comes_back(content, data):
    known = Dictionary(data)
    assert restore(pack(content, known), known) == content
    assert restore(pack(content)) == content


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=100)
def test_damaged_pages_come_back_with_a_real_dictionary(seed):
    for content in (damaged(GOOD, seed), soup(seed), damaged(article(seed)[1], seed)):
        assert PACKER.restore(PACKER.pack(content)) == content


@pytest.mark.parametrize("content", [b"", b"\0", *(one * 5000 for one in REPEATED), bytes(range(256)) * 20])
def test_odd_pages_come_back(content):
    assert PACKER.restore(PACKER.pack(content)) == content


def test_a_page_of_the_host_gets_much_smaller_than_alone():
    content = article(99, paragraphs=1)[1]
    assert len(PACKER.pack(content)) < 0.5 * len(pack(content))


def test_the_dictionary_is_saved_and_loaded_whole():
    again = Dictionary.from_bytes(KNOWN.to_bytes())
    assert again == KNOWN
    assert again.digest == KNOWN.digest
    assert 0 < len(KNOWN.data) <= MAX_DICTIONARY


def test_a_page_knows_which_dictionary_it_needs():
    packed = PACKER.pack(b"x")
    assert packed[5:13] == KNOWN.digest
    with pytest.raises(ValueError, match="another dictionary"):
        restore(packed, Dictionary(b"some other words"))
    with pytest.raises(ValueError, match="not a packed page"):
        restore(b"<html>", KNOWN)
    with pytest.raises(ValueError, match="not a dictionary"):
        Dictionary.from_bytes(b"FM")


def test_damage_is_noticed():
    content = article(5)[1]
    packed = PACKER.pack(content)
    chance = random.Random(8)
    for _ in range(150):
        place = chance.randrange(len(packed))
        broken = packed[:place] + bytes([packed[place] ^ (1 << chance.randrange(8))]) + packed[place + 1 :]
        try:
            assert PACKER.restore(broken) == content  # a bit that zstd does not use
        except ValueError:
            continue
    for cut in range(0, len(packed), 7):
        with pytest.raises(ValueError):  # noqa: PT011
            PACKER.restore(packed[:cut])


def test_a_frame_that_claims_to_be_huge_is_refused():
    head = PACKER.pack(b"")[:13]
    frame = b"\x28\xb5\x2f\xfd\xe0" + (1 << 45).to_bytes(8, "little") + b"\x01\x00\x00"
    with pytest.raises(ValueError, match="no size"):
        PACKER.restore(head + frame)


def test_a_host_of_one_page_has_an_empty_dictionary():
    known = distil("h", articles(1)).dictionary
    assert known == Dictionary()
    assert restore(pack(b"page", known), known) == b"page"
