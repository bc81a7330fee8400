"""The words of a page as C and Python cut them: the same on random, damaged and hostile pages."""

import random
import tracemalloc

import pytest

from fieldmouse.page.read import read
from fieldmouse.page.tags import ENGINES
from fieldmouse.page.word_positions import REMEMBERED, cut, small_text, smaller

from .hostile import GOOD, damaged, soup

quick = pytest.mark.skipif(len(ENGINES) < 2, reason="built without a compiler")

PARTS = (
    *(b"<a href=x>", b"</a>", b"'", b"a", b"B", b" ", b"&eacute;", b"&#39;", b"&#x", b"&#99999999;"),
    *(b"\xc3\xa9", b"\xe2\x80\x99", b"\xc3", b"\xff", b"<img alt='o p'>", b"<area href=y alt=z>"),
    *(b"<b>", b"<p>", b"<!--x-->"),
    *(b"<script>", b"</script>", b"<template>", b"</template>", b"&amp", b"\1", b"\2", b"\3"),
    *(b"9", b"_", b"&", b"<title>", b"<img alt>", b"\xc4\xb0", b"&" + b"x" * 40, b"&#" + b"9" * 5000 + b";"),
    *(b"\x81\x40", b"</p>"),
)  # fmt: skip
CHARSETS = ("utf-8", "windows-1252", "iso-8859-5", "shift_jis", "utf-16le", "gb18030")


def said(page: bytes, charset: str = "utf-8") -> tuple[bytes, bytes]:
    facts = read(page, content_type=f"text/html; charset={charset}")
    links = [one.tag for one in facts.hrefs if one.kind in ("a", "area")]
    first, second = (
        cut(page, facts.index, facts.charset, links, engine) for engine in (ENGINES[0], ENGINES[-1])
    )
    return first, second


@pytest.mark.parametrize(
    ("page", "words"),
    [
        (b"The <b>C</b>at's <i>paw</i>", b"the cat's paw "),
        (b"one<p>two<br>three<!-- four -->five", b"one two threefive "),
        (b"x <a href=u>Go on</a> y", b"x \1 go on \2 y "),
        (b"<a href=u>open <a href=v>next", b"\1 open \2 \1 next \2 "),
        (b"<a href=u><img alt='A map'><img alt=Key></a>", b"\1 \3 a map key \2 "),
        (b"<a href=u>Plan <img alt='A map'></a>", b"\1 plan \2 "),
        (b"<area href=u alt='North'> s", b"\1 \3 north \2 s "),
        ("Caf\u00e9 \u2018rock\u2019n\u2019roll\u2019 1st".encode(), b"caf\xc3\xa9 rock'n roll st "),
        (b"AT&amp;T Jos&eacute;s &#x41;B &bogus x\0y", b"at t jos\xc3\xa9s ab bogus x y "),
        (b"<script>no</script><style>no</style><template>no</template>yes", b"yes "),
    ],
)
def test_words_and_marks(page: bytes, words: bytes) -> None:
    assert said(page) == (words, words)


def test_other_charsets_say_the_same() -> None:
    text = "<p>Grüße <a href=u>Straße</a> É"
    expected = small_text("grüße") + b"\1 " + small_text("straße") + b"\2 " + small_text("é")
    for charset in ("windows-1252", "utf-16le", "gb18030"):
        assert said(text.encode(charset), charset) == (expected, expected)


def test_long_references_are_not_remembered() -> None:
    """Or a few thousand pages could fill the memory."""
    tracemalloc.start()
    for n in range(20):
        page = b"<p>&#" + b"0" * 200_000 + b"%d;" % (65 + n)
        expected = b"%c " % (97 + n)
        assert said(page) == (expected, expected)
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 1_500_000


def test_so_many_rare_parts_are_remembered() -> None:
    small = smaller("cp866")  # of no other test
    for n in range(REMEMBERED + 9):
        assert small(b"&#%d;" % (0x4E00 + n)) == chr(0x4E00 + n).encode()
    assert small(b"&#x4E00;") == "\u4e00".encode()
    assert len(small.__self__) <= REMEMBERED  # type: ignore[attr-defined]


@quick
def test_equal_on_damaged_pages_and_tag_soup() -> None:
    for seed in range(700):
        for page in (damaged(GOOD, seed), soup(seed)):
            one, other = said(page)
            assert one == other, page


@quick
def test_equal_on_anything() -> None:
    rng = random.Random(1)
    for turn in range(6000):
        page = b"".join(rng.choices(PARTS, k=rng.randrange(20)))
        one, other = said(page, CHARSETS[turn % len(CHARSETS)])
        assert one == other, page
