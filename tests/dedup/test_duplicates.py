"""Copies are found, exact and near; pages that only look alike are not; one of each group is chosen."""

import random

import pytest
import xxhash
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.dedup.text_sketch import bands, similarity, sketch

from .memory_index import MemoryIndex, Print

WORDS = [f"w{i}" for i in range(2000)]


def text(seed: int, words: int = 300) -> str:
    return " ".join(random.Random(seed).choices(WORDS, k=words))


def changed(original: str, share: float, seed: int) -> str:
    dice = random.Random(seed)
    return " ".join(dice.choice(WORDS) if dice.random() < share else word for word in original.split())


def page(url: str, said: str, canonical: str = "") -> Print:
    return Print(url, xxhash.xxh3_128_digest("".join(said.split()).encode()), sketch(said), canonical)


def jaccard(one: str, other: str) -> float:
    a, b = (
        {tuple(words[i : i + 3]) for i in range(len(words) - 2)} for words in (one.split(), other.split())
    )
    return len(a & b) / len(a | b)


def test_the_sketch_estimates_the_share_of_common_runs() -> None:
    for seed, share in enumerate((0.0, 0.01, 0.03, 0.1, 0.3, 1.0)):
        for words in (60, 300, 3000):
            one = text(seed, words)
            other = changed(one, share, seed)
            assert similarity(sketch(one), sketch(other)) == pytest.approx(jaccard(one, other), abs=0.17)


def test_short_texts_have_no_sketch_and_scripts_without_blanks_do() -> None:
    assert sketch("") == sketch("not found") == b""
    assert similarity(b"", b"") == 0
    assert bands(b"") == []
    chinese = "".join(chr(0x4E00 + i * 7 % 900) for i in range(200))
    assert len(sketch(chinese)) == 240
    assert similarity(sketch(chinese), sketch(chinese[:190])) > 0.8


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.text(max_size=300))
def test_any_text_can_be_sketched(said: str) -> None:
    made = sketch(said)
    assert len(made) in (0, 240)
    assert not made or similarity(made, made) == 1


def test_exact_and_near_copies_point_to_one() -> None:
    index = MemoryIndex()
    assert index.add(page("http://a.test/x?p=1", text(1))) is None
    exact = index.add(page("https://a.test/x", text(1)))
    assert exact is not None
    assert (exact.url, exact.how) == ("http://a.test/x?p=1", "exact")
    near = index.add(page("http://copy.test/", changed(text(1), 0.02, 5)))
    assert near is not None
    assert near.how == "near"
    assert near.likeness >= 0.8
    assert index.add(page("http://b.test/", text(2))) is None
    assert {index.representative(url) for url in index.group("http://copy.test/")} == {"https://a.test/x"}
    assert index.representative("http://b.test/") == "http://b.test/"
    assert index.representative("http://never.test/") == "http://never.test/"
    assert [len(group) for group in index.groups()] == [3]


def test_canonical_links_are_honoured_unless_the_pages_differ() -> None:
    index = MemoryIndex()
    index.add(page("http://a.test/?print=1", text(1), "http://a.test/long/name/of/the/page"))
    index.add(page("http://a.test/long/name/of/the/page", changed(text(1), 0.08, 2)))
    assert index.representative("http://a.test/?print=1") == "http://a.test/long/name/of/the/page"
    index.add(page("http://b.test/", text(3), "http://a.test/long/name/of/the/page"))
    assert index.representative("http://b.test/") == "http://b.test/"  # a false claim
    index.add(page("http://c.test/self", text(4), "http://c.test/self"))
    assert index.group("http://c.test/self") == ("http://c.test/self",)


def test_pages_that_say_nothing_are_no_copies() -> None:
    index = MemoryIndex()
    for url in ("http://a.test/", "http://b.test/", "http://b.test/2"):
        assert index.add(page(url, "")) is None
    assert index.add(page("http://c.test/", "not found")) is None
    assert index.add(page("http://d.test/", "not found")) is None
    assert index.add(page("http://www.d.test/", "not found")) is not None


def test_a_page_that_changes_leaves_its_group() -> None:
    index = MemoryIndex()
    for url in ("http://a.test/", "http://b.test/", "http://c.test/"):
        index.add(page(url, text(1)))
    index.add(page("http://a.test/", text(2)))
    assert index.group("http://a.test/") == ("http://a.test/",)
    assert set(index.group("http://b.test/")) == {"http://b.test/", "http://c.test/"}
    assert len(index) == 3
    index.forget("http://b.test/")
    assert index.group("http://b.test/") == ()
    assert index.representative("http://c.test/") == "http://c.test/"
    assert index.add(page("http://d.test/", text(1))) is not None


def test_near_copies_are_told_from_others() -> None:
    """Texts that share up to half of their runs are not copies; those that share nine tenths are."""
    index, right, wrong = MemoryIndex(), 0, 0
    for seed in range(60):
        original = text(seed, 200)
        index.add(page(f"http://a.test/{seed}", original))
        wrong += index.add(page(f"http://b.test/{seed}", changed(original, 0.2, seed))) is not None
        right += index.add(page(f"http://c.test/{seed}", changed(original, 0.015, seed))) is not None
    assert wrong <= 1
    assert right >= 58
