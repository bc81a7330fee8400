"""Alignment: the vectors, the properties of a longest common subsequence, and time on large pages."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page import reference_scanner, tags
from fieldmouse.templates.align import (
    CommonRun,
    Consensus,
    anchored_runs,
    common_runs,
    common_tokens,
    consensus,
    majority,
    merge,
)

sequences = st.lists(st.integers(0, 6), max_size=40)


def letters(text):
    return [ord(one) for one in text]


def longest(a, b):
    """The textbook table."""
    row = [0] * (len(b) + 1)
    for x in a:
        before = row
        row = [0]
        for j, y in enumerate(b):
            row.append(before[j] + 1 if x == y else max(before[j + 1], row[j]))
    return row[-1]


def subsequence(part, whole):
    rest = iter(whole)
    return all(one in rest for one in part)


def check_blocks(a, b, found):
    end_a = end_b = 0
    for place_a, place_b, size in found:
        assert size > 0
        assert place_a >= end_a
        assert place_b >= end_b
        assert a[place_a : place_a + size] == b[place_b : place_b + size]
        end_a, end_b = place_a + size, place_b + size
    assert end_a <= len(a)
    assert end_b <= len(b)


def test_seven_tags_in_common():
    names = {}
    a, b = (
        [names.setdefault(name, len(names)) for name in text.split()]
        for text in ("html body div p /p div /div /body", "html body p /p p /p div a /div /body")
    )
    assert sum(one.size for one in common_runs(a, b)) == 7


def test_four_pages_make_a_template():
    whole = consensus([letters(text) for text in ("NHxF", "NHyF", "NzHF", "NHFG")])
    assert bytes(whole.keys) == b"NzHxyFG"
    assert whole.counts == [4, 1, 4, 1, 1, 4, 1]
    assert bytes(majority(whole).keys) == b"NHF"


def test_of_two_pages_only_the_common_is_template():
    assert bytes(majority(consensus([letters("abc"), letters("axc")])).keys) == b"ac"


def test_half_is_not_more_than_half():
    whole = consensus([letters("ab"), letters("ab"), letters("a"), letters("a")])
    assert bytes(majority(whole).keys) == b"a"


def test_nothing_and_one_page():
    assert consensus([]) == Consensus([], [], [], 0)
    assert consensus([letters("ab")]).counts == [1, 1]
    assert common_runs([], [1]) == common_runs([1], []) == []


def test_ties_are_settled_the_same_way_each_time():
    assert common_runs(letters("ab"), letters("ba")) == common_runs(letters("ab"), letters("ba"))
    assert bytes(consensus([letters("NxF"), letters("NyF")]).keys) == b"NxyF"


@given(sequences, sequences)
@settings(deadline=None, max_examples=200)
def test_blocks_are_a_longest_common_subsequence(a, b):
    found = common_runs(a, b)
    check_blocks(a, b, found)
    assert sum(one.size for one in found) == longest(a, b)


@given(sequences, sequences, st.integers(0, 60))
@settings(deadline=None, max_examples=200)
def test_blocks_of_pages_too_large_are_common_all_the_same(a, b, cells):
    check_blocks(a, b, common_runs(a, b, cells))


@given(st.lists(sequences, min_size=1, max_size=9))
@settings(deadline=None, max_examples=100)
def test_consensus_holds_every_page_and_counts_are_shares(pages):
    whole = consensus(pages)
    assert whole.pages == len(pages)
    assert len(whole.keys) == len(whole.counts) == len(whole.origins)
    assert all(1 <= count <= len(pages) for count in whole.counts)
    assert [pages[page][place] for page, place in whole.origins] == whole.keys
    assert sum(whole.counts) == sum(map(len, pages))
    assert all(subsequence(page, whole.keys) for page in pages)


@given(st.lists(sequences, max_size=9))
@settings(deadline=None, max_examples=200)
def test_the_tokens_of_most_pages_are_the_same_in_c_and_in_python(pages):
    assert common_tokens(pages) == common_tokens(pages, reference_scanner)


many = st.lists(st.integers(0, 40) | st.integers(0, 3), max_size=60)


@given(many, many, st.integers(0, 300))
@settings(deadline=None, max_examples=300)
def test_pages_too_large_are_cut_at_the_same_anchors_in_c_and_in_python(a, b, cells):
    assert common_runs(a, b, cells) == anchored_runs(a, b, cells)


@given(sequences, sequences)
@settings(deadline=None, max_examples=100)
def test_a_merge_is_a_shortest_common_supersequence(a, b):
    whole = merge(Consensus.of(a, 0), Consensus.of(b, 1))
    assert len(whole.keys) == len(a) + len(b) - longest(a, b)


@pytest.mark.parametrize("vocabulary", [150, 2500])
def test_two_pages_of_5000_tokens_keep_what_they_share(vocabulary):
    chance = random.Random(7)
    a = [int(chance.paretovariate(0.8)) % vocabulary for _ in range(5000)]
    b = [one if chance.random() < 0.7 else chance.randrange(vocabulary) for one in a]
    found = common_runs(a, b)
    check_blocks(a, b, found)
    assert sum(one.size for one in found) >= sum(x == y for x, y in zip(a, b, strict=True))


def test_huge_pages_are_cut_at_tokens_they_have_once():
    chance = random.Random(3)
    a = [chance.randrange(50) if place % 200 else 1000 + place for place in range(400_000)]
    b = [one for one in a if chance.random() < 0.9]
    began = time.process_time()
    found = common_runs(a, b)
    assert time.process_time() - began < 10
    check_blocks(a, b, found)
    assert sum(one.size for one in found) > 0.8 * len(b)


def test_huge_pages_without_such_tokens_share_their_ends():
    a = [1, 2, 3, *([7] * 20_000), 4]
    b = [1, 2, 3, *([8, 7] * 20_000), 4]
    assert common_runs(a, b, 1000)[0] == CommonRun(0, 0, 3)
    assert common_runs(a, b, 1000)[-1].b + common_runs(a, b, 1000)[-1].size == len(b)


@pytest.mark.skipif(len(tags.ENGINES) < 2, reason="built without a compiler")
@settings(max_examples=600, deadline=None, derandomize=True)
@given(st.integers(2, 40).flatmap(lambda n: st.tuples(*[st.lists(st.integers(0, n), max_size=200)] * 2)))
def test_of_several_longest_ones_c_takes_the_same(pair):
    a, b = pair
    assert list(common_runs(a, b)) == anchored_runs(a, b)
    mixed = [one for one in a if one % 3] + b[:5]
    assert list(common_runs(a, mixed)) == anchored_runs(a, mixed)


@pytest.mark.skipif(len(tags.ENGINES) < 2, reason="built without a compiler")
def test_what_is_too_large_is_cut_at_anchors():
    chance = random.Random(4)
    a, b = ([chance.randrange(900) for _ in range(300)] for _ in range(2))
    assert list(common_runs(a, b, 1000)) == anchored_runs(a, b, 1000)
    with pytest.raises(OverflowError):
        tags.engine.runs([2**31], [1], 1000, CommonRun)
