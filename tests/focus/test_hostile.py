"""Pages and arguments that try to hurt: C and Python agree on them, and the worst that comes is an error."""

import random
import struct
from array import array
from typing import Any

import pytest

from fieldmouse.focus import terms_python
from fieldmouse.focus.guide import Guide
from fieldmouse.focus.terms import ENGINE, Terms
from fieldmouse.focus.terms_python import WIDTH
from fieldmouse.focus.wordnet import Background
from fieldmouse.focus.words import page_words, url_words
from fieldmouse.page.read import read
from tests.page.hostile import FRAGMENTS, GOOD, damaged, soup

from .test_guide import FOOD, STARS, astronomy
from .test_terms import LISTS, ODD, WORDS

quick = pytest.mark.skipif(ENGINE is terms_python, reason="built without a compiler")
CHARSETS = ("utf-8", "windows-1252", "shift_jis", "utf-16le", "iso-2022-jp", "bogus")


def hostile(rng: random.Random) -> bytes:
    """Words of the topic and others, with links, among pieces of markup."""
    kind = rng.randrange(3)
    if kind < 2:
        return (damaged(GOOD, rng.random()), soup(rng.random()))[kind]
    words = [*STARS, *FOOD, *rng.sample(WORDS, 20), *ODD]
    parts = []
    for _ in range(rng.randrange(60)):
        word, other = (one.encode() for one in rng.choices(words, k=2))
        link = b"<a href='/%d/%s'>%s</a> " % (rng.randrange(9), other, word)
        picture = b"<a href=/%s><img alt='%s'></a>" % (other, word)
        parts.append(rng.choice((link, picture, word + b" ", word + b" ", rng.choice(FRAGMENTS))))
    return b"".join(parts)


def told(guide: Guide, page: bytes, charset: str, number: int) -> Any:
    facts = read(page, content_type=f"text/html; charset={charset}")
    cut = page_words(page, facts)
    found = guide.read(cut.text)
    assert len(found.spans) == 4 * len(cut.hrefs)
    outcome = guide.turned_out(f"http://w.test/{number % 7}/star", cut.text, found)
    spans = iter(found.spans)
    rows = zip(cut.hrefs, spans, spans, spans, spans, strict=True)
    places = [(f"http://w.test/{href.value!r}", *four) for href, *four in rows]
    leads = guide.follow(outcome.parent, found.ids, found.size, places)  # type: ignore[arg-type]
    return outcome, leads, guide.risen()


@quick
def test_both_ways_judge_hostile_pages_alike() -> None:
    rng = random.Random(1)
    one, other = astronomy(), astronomy(engine=terms_python)
    for turn in range(250):
        page, charset = hostile(rng), CHARSETS[turn % len(CHARSETS)]
        assert told(one, page, charset, turn) == told(other, page, charset, turn), page
    assert one.pending == other.pending


@quick
def test_addresses_of_all_kinds_are_taken_apart_alike() -> None:
    rng, terms = random.Random(2), Terms(Background(1.0, {}))
    for turn in range(3000):
        signs = "abcABCDEF''/.-1[@`{Zz" if turn % 2 else "abcdEF'/.-_~%4 1\u00e9\u2019\ud800\0\u0130wWpPhHtT"
        url = "http://" + "".join(rng.choices(signs, k=rng.randrange(80)))
        if turn % 10 == 0:
            url += rng.choice("aZ'") * rng.choice((255, 256, 1000)) + rng.choice(("", "'s", "Xa"))
        words = " ".join(url_words(url)).replace("\u2019", "'").encode()
        assert terms.names(terms.address(url)) == terms.names(terms.ids(words)), url


def arguments(rng: random.Random, name: str) -> list[Any]:
    """What a function takes, most of it out of bounds."""
    n = rng.randrange(30)
    ids = array("i", rng.choices((0, 1, 5, -1, 4000, 2**31 - 1, -(2**31)), k=n)).tobytes()
    values = array("d", rng.choices((0.0, 0.5, float("nan"), 1e308), k=n)).tobytes()
    counts = array("i", rng.choices((0, 1, -1, 99, 100, 2**31 - 1), k=n)).tobytes()
    rows = rng.choice((array("d", rng.choices((0.0, 1.0, -3.0, 1e300), k=200)), bytearray(rng.randrange(90))))
    column, most = rng.randrange(-1, WIDTH + 1), rng.choice((0, 1, 3, 100))
    known = struct.pack("<BB13f", 255, 255, *[0.5] * 13) + rng.choice((b"", b"a " * 900, rng.randbytes(3000)))
    known = known[: rng.choice((len(known), 9))]
    more = (array("d", [0.5] * 9), array("d", [0.5] * 17), array("d", rng.choices((0.0, 1.0, 9.0), k=7)))
    text = rng.choice(
        (rng.randbytes(99), b" ".join(rng.choices((b"\1", b"\2", b"\3", b"star", b"\0"), k=40)))
    )
    link = (
        "http://a.test/",
        *rng.choices((0, 1, n, -1, 2**31 - 1), k=4),
        0.1,
        0.2,
        rng.choice((ids, b"abc")),
    )
    taken: dict[str, list[Any]] = {
        "ids": [text], "read": [text], "learn": [rng.choice((b"ab 1\nac 2.5\n", b"a 1", b"a  1\n", text))],
        "count": [ids + b"ab", most], "weigh": [ids, counts, rows, more[2], most],
        "term": [rng.choice((-1, 2**40))],
        "strongest": [ids, values, rows, column, most], "tell": [rows, rng.choice((-5, 0, 2**62)), ids, 9.0],
        "pack": [rows, ids], "score": [known, 0.1, 0.2, rows, more],
        "evidence": [known, 0.1, 0.2, rows, more],
        "add_mentions": [{"http://a.test/": known}, [link], ids, rng.choice((n, n, -1, n + 1)), rows, more],
        "dot": [ids, values, rows, column, 0.5], "raise_all": [ids, rows, column, 0.5],
        "clear": [rows, column],
        "blocks": [ids, values, (ids, counts, b""), rows, ids, counts, array("d", [1.0, 0.5, 0.2, 0.2])],
        "spoken": [b" i said my say ", (b"i", b"my")],
        "rescore": [
            {"http://a.test/": known}, ["http://a.test/", "x"],
            {"http://a.test/": rng.choice(((0.1, 0.2), ()))},
            ({"http://a.test/": (1, 2)}, {2: rng.choice(((0.5, 1), None))}, 0.2, 2.0), rows, more,
        ],
        "fit": [[(ids, values, 1.0, 1.0, 0.5)], 3, 2.0, rows, column, 0.5],
    }  # fmt: skip
    found = taken[name]
    if rng.random() < 0.2:
        found[rng.randrange(len(found))] = rng.choice((None, 3, b"odd", "x", [], (), bytearray(9), rows))
    return found


NAMES = (
    *("ids", "read", "learn", "count", "weigh", "term", "strongest", "tell", "pack", "score", "evidence"),
    *("add_mentions", "rescore", "dot", "raise_all", "clear", "fit", "blocks", "spoken"),
)


@quick
@pytest.mark.parametrize("name", NAMES)
def test_arguments_out_of_bounds_are_errors_and_no_more(name: str) -> None:
    rng, refused = random.Random(3), 0
    for _ in range(300):
        lexicon = ENGINE.Lexicon(*LISTS)
        lexicon.ids(b" ".join(rng.choices((b"star", b"planet", b"moon", b"comet"), k=rng.randrange(4))))
        call = getattr(lexicon, name, None) or getattr(ENGINE, name)
        taken = arguments(rng, name)
        try:
            call(*taken)
        except (ValueError, TypeError, IndexError, OverflowError, BufferError):
            refused += 1
        for one in taken:  # none is still held
            if isinstance(one, bytearray):
                one.append(0)
    assert 0 < refused <= 300
