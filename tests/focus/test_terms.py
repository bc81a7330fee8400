"""Terms and columns: the same in C and in Python, and bounded."""

import math
import random
import string
import struct
import time
from array import array
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldmouse.focus import terms_python
from fieldmouse.focus.guide import Guide, Outcome
from fieldmouse.focus.link_learner import Parent
from fieldmouse.focus.terms import ENGINE, MOST_TERMS, Terms
from fieldmouse.focus.terms_python import FOLLOWED, FULL, NAMED, NAMES_FROM, Lexicon, numbers, section_of
from fieldmouse.focus.wordnet import Background
from fieldmouse.focus.words import PLUMBING, Stems, page_text, stem, url_words
from fieldmouse.page.links import STOP_WORDS

from .test_guide import FOOD, STARS, WORDNET, astronomy, text, to
from .test_words import PORTER

quick = pytest.mark.skipif(ENGINE is terms_python, reason="built without a compiler")

LISTS = (sorted(STOP_WORDS), sorted(PLUMBING))
BEGINNINGS = (
    "",
    "b",
    "y",
    "tr",
    "rel",
    "condit",
    "oscill",
    "hopp",
    "fizz",
    "fil",
    "controll",
    "agre",
    "sky",
    "a",
)
MIDDLES = ("", "al", "ion", "iz", "at", "ous", "iv", "ful", "bl", "ent", "ess", "y", "ll", "abil", "ic", "tt")
ENDINGS = (
    "",
    "s",
    "es",
    "ies",
    "sses",
    "ed",
    "eed",
    "ing",
    "ational",
    "ization",
    "iti",
    "ement",
    "er",
    "e",
    "ness",
)
WORDS = [a + b + c for a in BEGINNINGS for b in MIDDLES for c in ENDINGS]
ODD = [
    "the",
    "don't",
    "bird's",
    "it's",
    "o'neil",
    "caf\u00e9",
    "\u682a\u5f0f",
    "x",
    "a" * 40,
    "b" * 41,
    "caf\u00e9's",
    "2nd",
]
word = st.one_of(st.sampled_from(WORDS), st.sampled_from(ODD)).filter(bool)
mark = st.sampled_from(["\1", "\2", "\3"])


def two() -> tuple[Lexicon, Lexicon]:
    return ENGINE.Lexicon(*LISTS), Lexicon(*LISTS)


@quick
def test_stems_in_c_are_those_of_the_library() -> None:
    pairs = (a + b for a in string.ascii_lowercase for b in string.ascii_lowercase)
    doubled = [f"be{pair}{ending}" for pair in pairs for ending in ("ed", "ing", "s", "er")]
    for one in (*WORDS, *PORTER, *doubled):
        assert ENGINE.stem(one) == stem(one), one


@quick
@given(st.lists(word))
def test_both_know_the_same_terms(words: list[str]) -> None:
    said = " ".join(words).encode()
    one, other = two()
    stems = Stems()
    assert one.ids(said) == other.ids(said)
    expected = [term for word in words if (term := stems[word])]
    assert [one.term(n) for n in numbers(one.ids(said))] == expected
    assert [one.number(term) for term in expected] == [other.number(term) for term in expected]
    assert len(one) == len(other)
    rows = b"agre 4\nmarket 2.5\ncaf\xc3\xa9 0.1\n"
    met = array("d", [4.0, 2.5, 0.1]).tobytes()
    fresh = two()
    assert [lexicon.learn(rows) for lexicon in fresh] == [met, met]
    assert fresh[0].ids(said) == fresh[1].ids(said)
    told = [array("d", bytes(8 * terms_python.WIDTH * (len(one) + 1))) for _ in "ab"]
    for lexicon, rows_ in zip((one, other), told, strict=True):
        lexicon.tell(rows_, min(1, len(one)), met, 9.0)
    assert told[0] == told[1]


@quick
@given(st.lists(st.one_of(word, mark)), st.integers(-1, 30))
def test_both_read_the_same(words: list[str], most: int) -> None:
    said = " ".join(words).encode()
    one, other = two()
    found = one.read(said)
    assert found == other.read(said)
    assert one.count(found[0], most) == other.count(found[0], most)


@quick
@given(st.lists(word, max_size=80), st.integers(0, 40), st.randoms(use_true_random=False))
def test_both_weigh_the_same(words: list[str], most: int, rng: random.Random) -> None:
    said = " ".join(words).encode()
    one, other = two()
    once, often = one.count(one.ids(said))
    other.ids(said)
    rows = array(
        "d", [rng.choice((0.0, 1.5, -0.5, rng.random())) for _ in range(terms_python.WIDTH * len(one))]
    )
    for at in range(0, len(rows), terms_python.WIDTH):
        rows[at] = abs(rows[at])  # no logarithm of more than 1 is below 0
        rows[at + terms_python.MATCH] = rng.randrange(3)
    matches = array("d", [0, 1.0, 0.7, 1, 0.5, 0.3])
    told = one.weigh(once, often, rows, matches, most)
    assert told == other.weigh(once, often, rows, matches, most)
    assert one.pack(rows, often) == other.pack(rows, often)
    top, values, *_ = told
    column = terms_python.WORDS
    assert one.strongest(top, values, rows, column, 5) == other.strongest(top, values, rows, column, 5)
    assert ENGINE.dot(top, values, rows, column, 0.5) == terms_python.dot(top, values, rows, column, 0.5)
    copy = rows[:]
    ENGINE.raise_all(once, rows, column, 0.1)
    terms_python.raise_all(once, copy, column, 0.1)
    examples = [(top, values, 1.0, 0.7, 0.5), (top, values, 0.0, 1.0, 0.5)]
    bias = ENGINE.fit(examples, 3, 2.0, rows, column, -1.0)
    assert bias == terms_python.fit(examples, 3, 2.0, copy, column, -1.0)
    assert rows == copy
    ENGINE.clear(rows, column)
    terms_python.clear(copy, column)
    assert rows == copy


@quick
@pytest.mark.parametrize(
    "url",
    [
        "http://www.Rubik's-Cube.test/wikiPage/o'Neil'sBar_HTMLIndex.htm?q=dogs&id=7#Top",
        "http://a.test/", "", "http://b.test/%41bc", "http://\u00e9.test/x", "http://c.test/don't'stop'",
    ],
)  # fmt: skip
def test_addresses_are_taken_apart_alike(url: str) -> None:
    terms = Terms(Background(1.0, {}))
    expected = terms.names(terms.ids(" ".join(url_words(url)).encode()))
    assert terms.names(terms.address(url)) == expected


@quick
def test_what_is_no_term_is_told() -> None:
    one, _ = two()
    with pytest.raises(IndexError):
        one.term(0)
    with pytest.raises(ValueError, match="as many"):
        one.weigh(b"\0" * 4, b"", array("d"), array("d"), 3)
    for lexicon in two():
        for rows in (b"a 1\na 2\n", b"a\n", b" 1\n", b"a x\n"):
            with pytest.raises(ValueError, match=r"."):
                lexicon.learn(rows)
    with pytest.raises(ValueError, match="as many"):
        ENGINE.dot(b"\0" * 4, b"", array("d"), 0, 0.0)
    with pytest.raises(ValueError, match="no such column"):
        ENGINE.dot(b"", b"", array("d"), 8, 0.0)
    far = array("i", [7, -3]).tobytes()
    assert ENGINE.dot(far, array("d", [1.0, 1.0]).tobytes(), array("d", [1.0] * 8), 0, 0.5) == 0.5


ENGINES = pytest.mark.parametrize(
    "engine", dict.fromkeys((ENGINE, terms_python)), ids=lambda one: one.__name__
)


@ENGINES
def test_a_page_becomes_one_vector_of_blocks(engine: ModuleType) -> None:
    rows = array("d", [2.0, *[0.0] * 7, 4.0, *[0.0] * 7])  # only their idf counts
    text = array("i", [0, 1, -1, NAMES_FROM]).tobytes(), array("d", [0.6, 0.8, 1.0, 1.0]).tobytes()
    names = array("i", [0, 9]).tobytes(), b"", array("i", [1]).tobytes()
    limits = array("f", [5.0, 1.0, 7.0]).tobytes()
    named = array("f", [3.0, 1.0, 1.0, 4.0, 1.0, 1.0]).tobytes()
    places, values = engine.blocks(*text, names, rows, limits, named, array("d", [1.0, 0.5, 0.2, 0.2]))
    # The second term counts a quarter of its value; one of the title that was never met counts as the last.
    assert list(array("q", places)) == [0, 1, NAMES_FROM, NAMES_FROM + 27, NAMES_FROM + 5]
    length, title = math.hypot(0.6, 0.2), math.hypot(3, 4) / math.sqrt(0.5)
    expected = [0.6 / length, 0.2 / length, 3 / title, 4 / title, math.sqrt(0.2)]
    assert list(array("d", values)) == pytest.approx(expected)


@ENGINES
def test_words_of_a_text_are_counted(engine: ModuleType) -> None:
    assert engine.spoken(b" I i said\tmy\nimy my\x0b ", (b"i", b"my", b"us")) == [6, 1, 2, 0]
    assert engine.spoken(b"", (b"i",)) == [0, 0]


@quick
@given(st.lists(st.text("ahtp:/.?x\u00e9", max_size=14), min_size=1), st.randoms(use_true_random=False))
def test_both_score_pending_links_alike(starts: list[str], rng: random.Random) -> None:
    urls = [rng.choice(("http://", "https://", "ftp://", "")) + one for one in starts]
    known = struct.pack("<BB13f", 3, 1, *[rng.random() for _ in range(13)]) + b"star moon"
    pending = {url: known for url in urls if rng.random() < 0.8}
    parents = {url: tuple(rng.sample(range(9), 3)) for url in urls if rng.random() < 0.7}
    records = {page: (rng.random() * 4, 4) for page in range(6)}
    pasts = {section_of(url): (rng.random(), rng.random()) for url in urls}
    more = (array("d", [0.4] * 9), array("d", [rng.random() for _ in range(17)]), array("d"))
    one, other = two()
    for lexicon in (one, other):
        lexicon.ids(b"star moon")
    rows = array("d", [rng.random() for _ in range(2 * terms_python.WIDTH)])
    for met in (NAMED, FOLLOWED):  # a page is relevant once at most
        rows[met :: terms_python.WIDTH] = array("d", [2.0, 3.0])
    given_ = (pending, urls, pasts, (parents, records, 0.2, 2.0), rows, more)
    found = one.rescore(*given_)
    assert found == other.rescore(*given_)
    assert [url for url, _ in found] == [url for url in urls if url in pending]


def test_no_word_of_a_million_letters_is_remembered() -> None:
    """Or a few thousand pages could fill the memory."""
    lexicon, stems = Lexicon(*LISTS), Stems()
    for n in range(20):
        word = "a" * 1_000_000 + chr(97 + n)
        assert not lexicon.ids(word.encode())
        assert not stems[word]
    assert len(lexicon._words) == len(lexicon._words.stems) == len(stems) == 0
    assert lexicon.ids(b"the planet the planets") == array("i", [0, 0]).tobytes()
    assert sorted(lexicon._words.values()) == [-1, 0, 0]


@pytest.mark.parametrize("lexicon", dict.fromkeys((Lexicon, ENGINE.Lexicon)))
def test_no_page_can_fill_the_memory_with_terms(lexicon: type[Lexicon]) -> None:
    one = lexicon(*LISTS)
    for n in range(FULL - 1):
        one.number(f"t{n}")
    assert one.ids(b"stars planets star comets star") == array("i", [FULL - 1] * 3).tobytes()
    assert one.read(b"comets stars planets ")[:2] == (array("i", [FULL - 1]).tobytes(), 1)
    assert one.number("planet") == FULL  # who names a term gets it
    assert len(one) == FULL + 1


def test_after_a_page_of_very_many_words_the_terms_are_few_again() -> None:
    guide = astronomy()
    guide.terms.numbers(f"t{n}" for n in range(2 * MOST_TERMS))
    guide.read(text(STARS, 900))
    assert len(guide.terms.lexicon) < MOST_TERMS


def test_a_seed_of_very_many_words_is_read_once() -> None:
    """Read twice, its terms would have other numbers when its links are judged."""
    guide = astronomy(engine=terms_python)
    guide.labels["http://w.test/seed"] = True
    guide.terms.numbers(f"t{n}" for n in range(MOST_TERMS - 200 - len(guide.terms.lexicon)))
    page = page_text(
        " ".join([*STARS, *(f"rare{chr(97 + n)}{chr(97 + m)}" for n in range(26) for m in range(26))])
    )
    found = guide.read(page)
    assert len(guide.terms.lexicon) > MOST_TERMS
    outcome = guide.turned_out("http://w.test/seed", page, found)
    assert outcome.verdict.reasons == ("labelled by hand",)
    (lead,) = guide.follow(outcome.parent, found.ids, found.size, [("http://w.test/x", 3, 5, 3, 5)])
    assert guide.terms.names(found.ids)[-1] == "rarezz"
    assert lead.score > 0


def took(said: bytes) -> float:
    one, _ = two()
    began = time.process_time()
    one.ids(said)
    return time.process_time() - began


@quick
def test_no_page_can_choose_where_its_words_stand() -> None:
    """Words that a hash without a secret, such as was here once, puts on one place of a table."""
    rng = random.Random(1)
    turned = pow(0xC4CEB9FE1A85EC53, -1, 1 << 64)
    places = [rng.getrandbits(13) << 51 | rng.getrandbits(32) for _ in range(40_000)]
    mixed = [place * turned % (1 << 64) for place in places]
    flood = b" ".join((x ^ x >> 32).to_bytes(8, "little").replace(b" ", b"_") for x in mixed)
    usual = b" ".join(rng.randbytes(8).replace(b" ", b"_") for _ in mixed)
    assert min(took(flood) for _ in range(3)) < 10 * min(took(usual) for _ in range(3))


@quick
def test_an_address_of_very_many_words_is_judged_alike() -> None:
    """All its terms stand in what is remembered of a link, and all of them count."""
    in_c, in_python = astronomy(), astronomy(engine=terms_python)
    words = "-".join(a + b for a in string.ascii_lowercase for b in string.ascii_lowercase)
    link = to(f"http://w.test/{words}", "planet", "moon")
    for guide in (in_c, in_python):
        guide.leads(Parent(relevance=1.0), [link])
        guide.saw(link.url, text(STARS, 5))
        guide.leads(Parent(relevance=0.5), [link])
    assert len(in_c.pending[link.url]) > 1500
    assert in_c.pending == in_python.pending
    assert in_c.again(link.url) == in_python.again(link.url)


@quick
def test_a_column_begins_with_a_number() -> None:
    ids, values = array("i", [0]).tobytes(), array("d", [1.0]).tobytes()
    with pytest.raises(ValueError, match="within a number"):
        ENGINE.dot(ids, values, memoryview(bytes(24))[1:], 0, 0.0)  # type: ignore[arg-type]
    assert ENGINE.dot(ids, values, array("d"), 0, 0.5) == 0.5


def crawled(guide: Guide) -> list[tuple[str, float, int] | Outcome]:
    told: list[tuple[str, float, int] | Outcome] = []
    for n in range(40):
        words = STARS if n % 3 else FOOD
        _, parent = guide.saw(f"http://w.test/{n}", text(words, 70 + n))
        links = [
            to(
                f"http://w.test/{words[m]}/{n + 7 * m}",
                " ".join(words[m : m + 2]),
                " ".join(words[n % 5 : n % 5 + m]),
            )
            for m in range(8)
        ]
        told += [(lead.url, lead.score, lead.level) for lead in guide.leads(parent, [*links, *links[:2]])]
        page = text(words, 200 + n)
        told.append(guide.turned_out(links[n % 5].url, page, guide.read(page)))
    return told


@quick
@pytest.mark.parametrize("learner", ["online", "best-first", "nb4-updatable"])
def test_a_crawl_is_the_same_with_both_engines(learner: str) -> None:
    in_c, in_python = astronomy(learner), astronomy(learner, engine=terms_python)
    assert crawled(in_c) == crawled(in_python)
    assert in_c.pending == in_python.pending
    assert [in_c.again(url) for url in in_c.pending] == [in_python.again(url) for url in in_c.pending]


@quick
def test_a_link_that_stands_nowhere_is_refused() -> None:
    guide = astronomy()
    for place in ((0, 5, 0, 0), (0, 0, 0, 9), (-1, 0, 0, 0), (2, 1, 0, 0)):
        with pytest.raises(ValueError, match="outside of its page"):
            guide.follow(Parent(), b"", 0, [("http://x.test/", *place)])


def test_terms_met_least_are_forgotten() -> None:
    guide = astronomy()
    before = guide.judge("http://x.test/", text(STARS, 900)).score
    for n in range(30):
        guide.saw(
            f"http://w.test/{n}", page_text(" ".join(f"rare{chr(97 + n)}{chr(97 + m)}" for m in range(20)))
        )
    guide.saw("http://w.test/last", text(STARS, 901))
    size, common = len(guide.terms.lexicon), guide.terms.common
    guide.pages.moved(guide.terms.forget())
    assert (
        len(guide.terms.lexicon)
        == len(guide.terms.rows) // terms_python.WIDTH
        <= common + (size - common) // 2 + 1
    )
    assert guide.judge("http://x.test/", text(STARS, 900)).score == pytest.approx(before, abs=0.1)
    (planet,) = numbers(guide.terms.numbers(["planet"]))
    named = guide.terms.named
    assert (
        terms_python.record(guide.terms.rows, named.met, named.totals, [planet], named.usual, named.prior) > 0
    )
    again = Guide.from_bytes(guide.to_bytes(), WORDNET)
    assert again.judge("http://x.test/", text(STARS, 900)).score == pytest.approx(before, abs=0.1)
