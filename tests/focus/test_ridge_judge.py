"""The judge that is held by its examples: numbers worked out by hand, and streams of pages."""

import random

import numpy as np
import pytest

from fieldmouse.focus.ridge_judge import (
    LEAST_FOR_SHARE,
    SHARE_ERROR,
    TopicShare,
    estimated_share,
    nearer_share,
    ranked_last,
    ridge,
    stated_share,
)

from .test_guide import COMMON, FOOD, STARS, WORDNET, Examples, Guide, build, page_text, text, written


def test_ridge_regression_with_own_scores() -> None:
    rows = np.array([[1, 0, 0], [0.8, 0.6, 0], [0.6, 0.8, 0], [0, 0.6, 0.8], [0, 0, 1]])
    weights, targets = np.array([5, 2.5, 2.5, 5, 5]), np.array([1.0, 1, 1, -1, -1])
    alpha, bias, own = ridge(rows @ rows.T, weights, targets)
    assert rows.T @ alpha == pytest.approx([0.939799, 0.087666, -1.152526], abs=1e-6)
    assert bias == pytest.approx(0.090731, abs=1e-6)
    assert own == pytest.approx([1.137531, 0.851337, 0.528485, -0.474654, -1.220923], abs=1e-6)
    assert (rows.T @ alpha)[1] + bias == pytest.approx(0.178396, abs=1e-6)


def test_own_scores_are_those_of_a_fit_without_the_page() -> None:
    rng = np.random.default_rng(3)
    rows, weights = rng.normal(size=(6, 4)), np.array([3.0, 1, 1, 2, 2, 1])
    targets = np.array([1.0, 1, 1, -1, -1, -1])
    _, _, own = ridge(rows @ rows.T, weights, targets)
    less = np.arange(6) != 4
    alpha, bias, _ = ridge(rows[less] @ rows[less].T, weights[less], targets[less])
    assert own[4] == pytest.approx(float(rows[less].T @ alpha @ rows[4]) + bias)


def test_the_estimated_share() -> None:
    scores = np.linspace(-1, 1, 41).tolist()
    on, off = [0.2, 0.5, 0.6, 0.7, 0.9], [-1, -0.9, -0.8, -0.7, -0.6, -0.5, -0.4, -0.2, 0, 0.3]
    share = estimated_share(scores, on, off)
    assert share == pytest.approx(0.2377, abs=5e-4)
    assert sum(score > np.quantile(scores, 1 - share) for score in scores) == 10


def test_the_stated_share_is_the_mean_of_two_estimates() -> None:
    scores, off = np.linspace(-1, 1, 41).tolist(), [-1.0, -0.5, 0.0]
    # Of 41 pages 10 are above each quartile of the examples, whose choice leaves nothing open.
    shares = np.array([10 / 41 / 0.75, 10 / 41 / 0.5, 10 / 41 / 0.25])
    cut = estimated_share(scores, [0.51] * 5, off)
    expected = (np.log(shares / (1 - shares)).mean() + np.log(cut / (1 - cut))) / 2
    found = stated_share(scores, [0.51] * 5, off)
    assert found == (pytest.approx(expected), pytest.approx(SHARE_ERROR))


def test_the_share_is_less_sure_where_examples_differ() -> None:
    scores, off = np.linspace(-1, 1, 41).tolist(), [-1.0, -0.5, 0.0]
    different = stated_share(scores, [-0.9, -0.5, 0.3, 0.7], off)
    assert different.error > stated_share(scores, [0.1] * 6, off).error + 0.1
    assert stated_share(scores, [-0.9, -0.5, 0.3, 0.7], off) == different


def taught(on: int, off: int) -> Guide:
    """A guide with so many examples on the topic and off it."""
    good, bad = [written(STARS, n) for n in range(on)], [written(FOOD, n) for n in range(off)]
    guide = Guide(build("astronomy", Examples(good, bad), background=WORDNET.background), WORDNET)
    for n, page in enumerate(good + bad):
        guide.teach(f"http://w.test/example/{n}", page_text(page), n < len(good))
    return guide


def stream(share: int, pages: int) -> Guide:
    """A guide after a crawl in which every so many pages one is on the topic; 0 for none."""
    guide = taught(5, 10)
    for n in range(pages):
        guide.saw(f"http://w.test/{n}", text(STARS if share and n % share == 0 else FOOD, 1000 + n))
    return guide


@pytest.mark.parametrize(("on", "off"), [(1, 1), (1, 3), (3, 1), (2, 2)])
def test_few_examples_are_judged_as_labelled(on: int, off: int) -> None:
    guide = taught(on, off)
    assert all(guide.judge("http://w.test/x", text(STARS, n)).score > 0.5 for n in range(5))
    assert all(guide.judge("http://w.test/x", text(FOOD, n)).score < 0.5 for n in range(5))


def test_a_topic_of_words_alone_stays_with_its_words() -> None:
    guide = Guide(build("telescope galaxy", background=WORDNET.background), WORDNET)
    site = " From the encyclopaedia zork.test, mirrored by zorkmid and frobozz." * 3
    found = []
    for n in range(300):
        on = n % 6 == 0
        words = f"{written(STARS, n)} telescope galaxy telescope" if on else written(FOOD, n)
        verdict, _ = guide.saw(f"http://w.test/{n}", page_text(words + site))
        found.append((verdict.score > 0.5, on))
    said = [on for yes, on in found if yes]
    assert sum(said) >= 40
    assert len(said) - sum(said) <= 3
    assert guide.share() is None  # nothing tells how well words alone judge


def test_no_share_is_stated_before_there_are_enough_pages() -> None:
    assert stream(5, LEAST_FOR_SHARE - 1).share() is None


@pytest.mark.parametrize("every", [4, 10])
def test_the_true_share_is_within_the_bounds(every: int) -> None:
    found = stream(every, 250).share()
    assert found is not None
    assert found.low < 1 / every < found.high


def test_the_share_is_that_of_the_whole_crawl() -> None:
    guide = stream(2, 250)
    for n in range(250):
        guide.saw(f"http://v.test/{n}", text(FOOD, 9000 + n))
    found = guide.share()
    assert found is not None
    assert found.low < 0.25 < found.high
    assert found.share > 0.1


def test_where_all_pages_are_on_the_topic_none_is_learned_as_off_it() -> None:
    guide = stream(1, 300)
    assert not guide.pages.sure[False]
    assert guide.tally.harvest > 0.9


def test_pages_without_words_count_as_off_the_topic() -> None:
    guide = stream(2, 200)
    before = guide.share()
    for n in range(200):
        guide.saw(f"http://v.test/{n}", page_text(f"picture {n}"))
    after = guide.share()
    assert before is not None
    assert after is not None
    assert after.share == pytest.approx(before.share / 2, rel=0.1)


def test_pages_are_surely_off_the_topic_if_two_judges_put_them_last() -> None:
    # The fourth is the last for the first judge alone, the first for the other one.
    assert ranked_last([5, 4, -1, -9, -8, 0], [9, 2, -7, 3, -6, -1], 1 / 3) == [2, 4]
    assert ranked_last([5, 4, -1, -9], [5, 4, -1, -9], 0.5) == [2, 3]
    assert ranked_last([1, 2], [1, 2], 0.0) == []


def varied(words: list[str], seed: int) -> str:
    """A page of 120 words, of which 3 to 50 in a hundred are of a topic."""
    rng = random.Random(seed)
    own = round(120 * rng.uniform(0.03, 0.5))
    return " ".join(rng.choices(words, k=own) + rng.choices(COMMON, k=120 - own))


@pytest.mark.parametrize("one_off_in", [3, 4, 6])
def test_pages_are_found_where_most_of_a_crawl_is_on_the_topic(one_off_in: int) -> None:
    good, bad = [varied(STARS, n) for n in range(10)], [varied(FOOD, 100 + n) for n in range(20)]
    guide = Guide(build("astronomy", Examples(good, bad), background=WORDNET.background), WORDNET)
    for n, page in enumerate(good + bad):
        guide.teach(f"http://w.test/example/{n}", page_text(page), n < len(good))
    found: dict[bool, list[bool]] = {True: [], False: []}
    for n in range(300):
        relevant = n % one_off_in != 0
        page = varied(STARS if relevant else FOOD, 1000 + n)
        found[relevant].append(guide.saw(f"http://w.test/{n}", page_text(page))[0].score > 0.5)
    late = found[True][len(found[True]) // 3 :]
    assert sum(late) > 0.8 * len(late), "before this judge looked at the other one, .77 to .78"
    assert not any(found[False])


def test_without_a_page_on_the_topic_the_share_is_small() -> None:
    found = stream(0, 250).share()
    assert found is not None
    assert found.share < 0.2


def test_the_same_stream_gives_the_same_verdicts_also_after_it_was_stored() -> None:
    one, other = stream(3, 150), stream(3, 150)
    again = Guide.from_bytes(other.to_bytes(), WORDNET)
    for n in range(60):
        page = text(STARS if n % 2 else FOOD, 5000 + n)
        first, second, third = (guide.saw(f"http://v.test/{n}", page)[0] for guide in (one, other, again))
        assert first == second
        assert third.score == pytest.approx(first.score, abs=0.05)


def test_the_stated_share_is_not_below_that_of_the_pages_judged_on_the_topic() -> None:
    ridge = stream(4, 250).pages.ridge
    low, alike, high = (ridge.share(judged) for judged in (0.01, 0.25, 0.8))
    assert low is not None
    assert alike is not None
    assert high is not None
    assert high.share == pytest.approx(0.8)
    assert 0.01 < low.share < alike.share
    assert above(low) > above(alike), "where both disagree the bounds are wider"


def above(found: TopicShare) -> float:
    """How many times the odds of the share the upper bound's are."""
    return found.high / (1 - found.high) * (1 - found.share) / found.share


def test_the_bounds_reach_none_and_all() -> None:
    none, every = stream(0, 250).share(), stream(1, 250).share()
    assert none is not None
    assert none.low == 0
    assert every is not None
    assert every.high == 1


def test_pages_that_are_more_like_the_topic_than_like_the_rest_count_for_the_upper_bound() -> None:
    scores = [-0.9] * 15 + [-0.4] * 80 + [-0.2] * 5
    assert nearer_share(scores, [-0.2, -0.1, 0.0], [-0.9, -0.8, -0.7]) == pytest.approx(0.85)
    assert nearer_share([-0.9] * 10, [-0.1], [-0.9]) == pytest.approx(0.05), "never none"
    assert nearer_share([-0.1] * 10, [-0.1], [-0.9]) == pytest.approx(0.95), "never all"


@pytest.mark.parametrize("like_the_topic", [False, True])
def test_the_upper_bound_is_further_where_the_cut_leaves_out_what_is_like_the_topic(
    like_the_topic: bool,
) -> None:
    ridge = stream(5, 250).pages.ridge
    on, off = ridge._own
    below = min(ridge._cut, min(on)) - 1e-3 if like_the_topic else min(off)
    ridge.scores.extend([below] * 320)
    found = ridge.share(0.2)
    assert found is not None
    odds = [one / (1 - one) for one in found]
    up, down = odds[2] / odds[0], odds[0] / odds[1]
    assert up > 1.2 * down if like_the_topic else up == pytest.approx(down)


def test_the_share_is_less_sure_with_few_examples_and_with_none_off_the_topic() -> None:
    reach = []
    for on, off in ((10, 10), (2, 10), (10, 0)):
        guide = taught(on, off)
        for n in range(200):
            guide.saw(f"http://w.test/{n}", text(FOOD if n % 8 else STARS, 1000 + n))
        found = guide.share()
        assert found is not None
        assert found.low <= 1 / 8 <= found.high
        reach.append(above(found))
    assert reach[1] > reach[0] < reach[2]


def test_the_frame_of_a_site_is_not_the_topic_of_its_examples() -> None:
    def framed(words: list[str], seed: int) -> str:
        rng = random.Random(seed)
        return f"{' '.join(rng.choices(words, k=80))}\n{' '.join(COMMON)}"

    examples = [framed(STARS, n) for n in range(5)]
    guide = Guide(build("astronomy", Examples(examples), background=WORDNET.background), WORDNET)
    for n, page in enumerate(examples):
        guide.teach(f"http://w.test/example/{n}", page_text(page), relevant=True)
    said = [guide.saw(f"http://w.test/{n}", page_text(framed(FOOD, n)))[0].score > 0.5 for n in range(100)]
    assert sum(said) <= 10
