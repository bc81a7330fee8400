"""The judge of pages and the guide, on a small web that is made here."""

import contextlib
import random
from types import ModuleType

import pytest
import zstandard

from fieldmouse.errors import UsageError
from fieldmouse.focus.guide import USUAL, Guide, Limits, Parent, unpacked
from fieldmouse.focus.link_learner import TASK
from fieldmouse.focus.page_judge import label_of_link
from fieldmouse.focus.terms import ENGINE
from fieldmouse.focus.topic import Examples, build
from fieldmouse.focus.wordnet import load
from fieldmouse.focus.words import PageText, page_text
from fieldmouse.learn.learner import learner_names
from fieldmouse.types import Link

WORDNET = load()
STARS = "star planet orbit telescope galaxy comet moon eclipse nebula asteroid gravity sun mars".split()  # noqa: SIM905
FOOD = "bread soup oven butter recipe flour kitchen cheese dinner salt onion sauce pepper".split()  # noqa: SIM905
FIRST, LAST = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki"), ("nder", "rmat", "stle", "lver", "mble")
COMMON = [first + last for first in FIRST for last in LAST]


def written(topic: list[str], seed: int, size: int = 200) -> str:
    rng = random.Random(seed)
    return "\n".join(
        [
            " ".join(rng.choices(topic, k=12)),
            " ".join(rng.choices(topic, k=size // 2) + rng.choices(COMMON, k=size)),
        ]
    )


def text(topic: list[str], seed: int) -> PageText:
    return page_text(written(topic, seed))


def to(url: str, anchor: str = "", around: str = "") -> Link:
    return Link(url, "a", False, anchor, tuple(around.split()), ())


def astronomy(learner: str = "online", limits: Limits = USUAL, engine: ModuleType = ENGINE) -> Guide:
    good, bad = [written(STARS, n) for n in range(4)], [written(FOOD, n) for n in range(4)]
    topic = build("astronomy", Examples(good, bad), background=WORDNET.background)
    guide = Guide(topic, WORDNET, learner=learner, limits=limits, engine=engine)
    for n in range(4):
        guide.teach(f"http://good.test/{n}", page_text(good[n]), relevant=True)
        guide.teach(f"http://bad.test/{n}", page_text(bad[n]), relevant=False)
    return guide


# Pages


def test_pages_are_judged_by_their_words() -> None:
    guide = astronomy()
    assert guide.judge("http://x.test/", text(STARS, 77)).score > 0.8
    verdict = guide.judge("http://x.test/", text(FOOD, 77))
    assert verdict.score < 0.2
    assert verdict.reasons


def test_a_thin_page_is_not_on_the_topic() -> None:
    guide = astronomy()
    verdict = guide.judge("http://x.test/", page_text("planet telescope"))
    assert verdict.score < 0.1
    assert verdict.reasons[0] == "only 2 different words"


def test_a_page_as_short_as_the_examples_is_not_thin() -> None:
    good, bad = [" ".join(STARS[n : n + 8]) for n in range(4)], [" ".join(FOOD[n : n + 8]) for n in range(4)]
    topic = build("astronomy", Examples(good, bad), background=WORDNET.background)
    guide = Guide(topic, WORDNET)
    for n in range(4):
        guide.teach(f"http://good.test/{n}", page_text(good[n]), relevant=True)
        guide.teach(f"http://bad.test/{n}", page_text(bad[n]), relevant=False)
    short = page_text(" ".join(STARS[-8:]))
    verdict = guide.judge("http://x.test/", short)
    assert verdict.score > 0.5
    assert "different words" not in verdict.reasons[0]
    assert Guide.from_bytes(guide.to_bytes(), WORDNET).judge("http://x.test/", short).score > 0.5
    assert guide.judge("http://x.test/", page_text("planet")).reasons[0] == "only 1 different words"


def test_a_link_is_taught_half_of_the_log_odds_of_a_verdict() -> None:
    assert label_of_link(0.5) == 0.5
    assert label_of_link(0.9) == pytest.approx(0.75)
    assert label_of_link(0.1) == pytest.approx(0.25)
    assert label_of_link(0.0) < 0.001
    assert label_of_link(1.0) > 0.999


@pytest.mark.parametrize(
    "other", ["", "le la les des avec pour dans", "株式市場 東京", "\x00\ud800" * 3, "1 2 3"]
)
def test_a_page_without_a_known_word_is_off_the_topic(other: str) -> None:
    verdict, _ = astronomy().saw("http://x.test/", page_text(other))
    assert verdict.score < 0.5


def test_words_alone_are_enough_to_begin() -> None:
    topic = build("planets telescopes", background=WORDNET.background)
    guide = Guide(topic, WORDNET)
    good, bad = (guide.judge("http://x.test/", text(words, 1)).score for words in (STARS, FOOD))
    assert good > 0.5 > bad


def test_the_same_text_on_both_sides_is_refused() -> None:
    guide = astronomy()
    with pytest.raises(UsageError, match="on the topic and as one off it"):
        guide.teach("http://x.test/", text(STARS, 0), relevant=False)


def test_labelled_pages_are_never_forgotten() -> None:
    """A long stay among other pages does not turn the judge around."""
    guide = astronomy()
    for n in range(1000):
        guide.saw(f"http://x.test/{n}", text(FOOD, 100 + n))
    assert guide.judge("http://x.test/last", text(STARS, 5000)).score > 0.8


# Links


@pytest.mark.parametrize("learner", [name for name in learner_names(TASK) if name != "bfs"])
def test_a_link_on_the_topic_comes_first(learner: str) -> None:
    guide = astronomy(learner)
    for n in range(6):
        words, kind = (STARS, "star planet orbit") if n % 2 else (FOOD, "bread soup oven")
        _, parent = guide.saw(f"http://w.test/{n}", text(words, 50 + n))
        link = to(f"http://w.test/{n + 100}", kind, " ".join(words))
        guide.leads(parent, [link])
        guide.saw(link.url, text(words, 150 + n))
    _, good = guide.saw("http://w.test/good", text(STARS, 60))
    _, bad = guide.saw("http://w.test/bad", text(FOOD, 61))
    [first] = guide.leads(good, [to("http://w.test/star", " ".join(STARS), " ".join(STARS))])
    [last] = guide.leads(bad, [to("http://w.test/soup", "bread and butter", " ".join(FOOD))])
    assert first.score > last.score


def test_for_bfs_all_links_are_equal() -> None:
    guide = astronomy("bfs")
    leads = guide.leads(Parent(), [to("http://w.test/a", "star"), to("http://w.test/b", "soup")])
    assert len({lead.score for lead in leads}) == 1


@pytest.mark.parametrize("strict", [False, True])
def test_links_beyond_the_level_limit_come_last_or_are_refused(strict: bool) -> None:
    guide = astronomy("nb4", Limits(level=3, strict=strict))
    _, parent = guide.saw("http://w.test/0", text(FOOD, 1))
    levels, refused, scores = [], [], []
    for n in range(1, 4):
        [lead] = guide.leads(parent, [to(f"http://w.test/{n}", "bread")])
        levels.append(lead.level)
        refused.append(lead.refused)
        scores.append(lead.score)
        _, parent = guide.saw(lead.url, text(FOOD, n + 10))
    assert levels == [2, 3, 4]
    assert refused[0] == ""
    assert refused[1] == ("focus: 3 pages off the topic in a row" if strict else "")
    assert 0 < scores[1] < 1e-6 < scores[0]


def test_a_page_on_the_topic_begins_the_count_anew() -> None:
    guide = astronomy("nb4")
    _, parent = guide.saw("http://w.test/0", text(STARS, 5))
    assert parent.level == 0
    assert guide.leads(parent, [to("http://w.test/1", "bread")])[0].level == 1


def test_found_again_a_link_keeps_the_smaller_count() -> None:
    guide = astronomy("nb4")
    link = to("http://w.test/x", "bread")
    assert guide.leads(Parent(level=0), [link])[0].level == 1
    assert guide.leads(Parent(level=2), [link])[0].level == 1


def test_no_limit_refuses_nothing() -> None:
    guide = astronomy("nb4", Limits(level=0))
    assert guide.leads(Parent(level=9), [to("http://w.test/x", "bread")])[0].refused == ""


def test_memory_is_bounded_and_the_oldest_go_first() -> None:
    guide = astronomy(limits=Limits(remember=100, places=10))
    for n in range(300):
        guide.leads(Parent(), [to(f"http://h{n}.test/{n}", "star")])
        guide.saw(f"http://p{n}.test/", page_text("nothing"))
    assert 90 <= len(guide.pending) <= 100
    assert "http://h299.test/299" in guide.pending
    assert guide.again("http://h0.test/0") is None
    assert guide.explain("http://h0.test/0").reasons == ("nothing is remembered of this link",)
    assert 5 <= len(guide.hosts.sums) <= 10
    assert "http://p299.test" in guide.hosts.sums


def test_a_redirect_takes_its_evidence_along() -> None:
    guide = astronomy()
    guide.leads(Parent(relevance=1.0), [to("http://w.test/old", "planet")])
    before = guide.again("http://w.test/old")
    guide.moved("http://w.test/old", "http://w.test/new")
    guide.moved("http://w.test/never", "http://w.test/met")
    assert guide.again("http://w.test/new") == before
    assert set(guide.pending) == {"http://w.test/new"}


def test_each_address_of_a_page_is_judged_once() -> None:
    guide = astronomy()
    leads = guide.leads(Parent(), [to("http://w.test/a", "star"), to("http://w.test/a", "soup")])
    assert len(leads) == 1


def test_seeds_are_labels_when_they_arrive() -> None:
    topic = build("astronomy", background=WORDNET.background, seeds=(["http://s.test/"], ["http://t.test/"]))
    guide = Guide(topic, WORDNET)
    verdict, parent = guide.saw("http://s.test/", text(STARS, 1))
    assert (verdict.score, verdict.reasons, parent.relevance) == (1.0, ("labelled by hand",), 1.0)
    assert guide.saw("http://t.test/", text(FOOD, 1))[0].score == 0.0
    assert (guide.tally.relevant, guide.tally.irrelevant, guide.tally.harvest) == (1, 1, 0.5)


def travelled(learner: str) -> Guide:
    """A guide that saw twenty pages, and has links waiting."""
    guide = astronomy(learner)
    for n in range(20):
        _, parent = guide.saw(f"http://w.test/{n}", text(STARS if n % 2 else FOOD, n + 30))
        guide.leads(parent, [to(f"http://w.test/{n + m}", "star soup", "moon bread") for m in range(1, 5)])
    return guide


@pytest.mark.parametrize("learner", learner_names(TASK))
def test_a_guide_resumes_with_what_it_learned(learner: str) -> None:
    guide = travelled(learner)
    copy = Guide.from_bytes(guide.to_bytes(), WORDNET)
    assert copy.tally == guide.tally
    assert copy.pending == guide.pending
    for url in guide.pending:
        assert copy.again(url) == pytest.approx(guide.again(url), abs=1e-3)
    for one in (guide, copy):
        one.saw("http://w.test/21", text(STARS, 99))
    assert copy.tally == guide.tally


def test_a_format_to_come_is_told() -> None:
    whole = zstandard.ZstdDecompressor().decompress(astronomy().to_bytes())
    later = whole.replace(b'"format": 4', b'"format": 9')
    with pytest.raises(UsageError, match="of format 9, this release reads 4"):
        Guide.from_bytes(zstandard.ZstdCompressor().compress(later), WORDNET)


def test_a_broken_state_is_told() -> None:
    whole = zstandard.ZstdDecompressor().decompress(astronomy().to_bytes())
    for broken in (b"rubbish", *(zstandard.ZstdCompressor().compress(whole[:n]) for n in (4, 30, 90))):
        with pytest.raises(UsageError, match="cannot be read"):
            Guide.from_bytes(broken, WORDNET)


def crawled() -> Guide:
    guide = astronomy()
    for n in range(8):
        _, parent = guide.saw(f"http://w.test/{n}", text(STARS if n % 2 else FOOD, n + 30))
        guide.leads(parent, [to(f"http://w.test/{n + m}", "star soup", "moon bread") for m in range(1, 5)])
    return guide


def damaged(whole: bytes, rng: random.Random) -> bytes:
    """Cut short, or with a byte that is another."""
    place = rng.randrange(len(whole) if rng.random() < 0.5 else 200)
    rest = whole[place + 1 :] if rng.random() < 0.7 else b""
    return whole[:place] + bytes((whole[place] ^ 1 << rng.randrange(8),)) + rest


def test_one_damaged_byte_of_a_state_is_noticed() -> None:
    guide, rng = crawled(), random.Random(1)
    whole = guide.to_bytes()
    for _ in range(300):
        with contextlib.suppress(UsageError):  # else it was a bit that means nothing
            assert unpacked(damaged(whole, rng)) == unpacked(whole)


def test_a_state_whose_parts_are_damaged_is_told() -> None:
    """The checksum is of the damaged parts."""
    rng, refused = random.Random(2), 0
    guide = crawled()
    body = zstandard.ZstdDecompressor().decompress(guide.to_bytes())
    for _ in range(80):
        try:
            Guide.from_bytes(zstandard.ZstdCompressor(level=1).compress(damaged(body, rng)), WORDNET)
        except UsageError:
            refused += 1
    assert refused > 20


def test_an_unknown_learner_is_told() -> None:
    with pytest.raises(UsageError, match=r"there are .*bfs, best-first, nb2"):
        astronomy("oracle")


def test_a_link_is_explained() -> None:
    guide = astronomy()
    _, parent = guide.saw("http://w.test/1", text(STARS, 1000))
    guide.leads(parent, [to("http://w.test/2", "planet")])
    verdict = guide.explain("http://w.test/2")
    assert verdict.score == guide.again("http://w.test/2")
    assert any("parent" in reason for reason in verdict.reasons)
