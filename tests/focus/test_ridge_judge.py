"""The judge that is held by its examples: numbers worked out by hand, and streams of pages."""

import numpy as np
import pytest

from fieldmouse.focus.ridge_judge import (
    LEAST_FOR_SHARE,
    SHARE_ERROR,
    estimated_share,
    ridge,
    stated_share,
)

from .test_guide import FOOD, STARS, WORDNET, Examples, Guide, build, page_text, text, written


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


def stream(share: int, pages: int) -> Guide:
    """A guide after a crawl in which every so many pages one is on the topic; 0 for none."""
    good, bad = [written(STARS, n) for n in range(5)], [written(FOOD, n) for n in range(10)]
    guide = Guide(build("astronomy", Examples(good, bad), background=WORDNET.background), WORDNET)
    for n, page in enumerate(good + bad):
        guide.teach(f"http://w.test/example/{n}", page_text(page), n < len(good))
    for n in range(pages):
        guide.saw(f"http://w.test/{n}", text(STARS if share and n % share == 0 else FOOD, 1000 + n))
    return guide


@pytest.mark.parametrize(("on", "off"), [(1, 1), (1, 3), (3, 1), (2, 2)])
def test_few_examples_are_judged_as_labelled(on: int, off: int) -> None:
    good, bad = [written(STARS, n) for n in range(on)], [written(FOOD, n) for n in range(off)]
    guide = Guide(build("astronomy", Examples(good, bad), background=WORDNET.background), WORDNET)
    for n, page in enumerate(good + bad):
        guide.teach(f"http://w.test/{n}", page_text(page), n < on)
    assert all(guide.judge("http://w.test/x", text(STARS, n)).score > 0.5 for n in range(5))
    assert all(guide.judge("http://w.test/x", text(FOOD, n)).score < 0.5 for n in range(5))


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
    assert low.high / low.low > alike.high / alike.low, "where both disagree the bounds are wider"
