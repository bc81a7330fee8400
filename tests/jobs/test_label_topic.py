"""A person's answers about pages of a topic."""

import random

import pytest

from fieldmouse.jobs.label_topic import Question, Review, harvest_by_answers, review
from fieldmouse.store.records import TopicPage


def judged(scores: list[float]) -> list[TopicPage]:
    return [TopicPage(f"http://a.test/{n}", "", score, "", 0.0) for n, score in enumerate(scores)]


def test_questions_come_from_three_strata() -> None:
    pages = judged([0.9] * 10 + [0.3] * 20 + [0.1] * 70)
    shown = review(pages, {"http://a.test/0"}, 10, random.Random(1))
    strata = [stratum for _, stratum in shown.questions]
    assert [strata.count(n) for n in range(3)] == [4, 4, 2]
    assert shown.shares == (0.1, 0.2, 0.7)
    assert shown.estimated == 0.1
    assert "http://a.test/0" not in {page.url for page, _ in shown.questions}
    assert all((page.score > 0.5) is (stratum == 0) for page, stratum in shown.questions)


@pytest.mark.parametrize("count", [0, 1, 3])
def test_few_pages_are_no_trouble(count: int) -> None:
    shown = review(judged([0.2] * count), set(), 10, random.Random(1))
    assert len(shown.questions) <= count


def test_the_harvest_by_answers() -> None:
    pages = judged([0.9] * 10)
    shown = Review(tuple(Question(page, n // 4) for n, page in enumerate(pages)), (0.1, 0.2, 0.7), 0.1)
    answers = {page.url: n < 3 for n, page in enumerate(pages)}
    assert harvest_by_answers(shown, dict(list(answers.items())[:9])) is None
    found = harvest_by_answers(shown, answers)
    assert found is not None
    # Guesses .6, .15 and .02 are scaled to .1 in all; 3 of 4, 0 of 4 and 0 of 2 were on the topic.
    scale = 0.1 / (0.1 * 0.6 + 0.2 * 0.15 + 0.7 * 0.02)
    parts = [0.1 * (3 + 2 * 0.6 * scale) / 6, 0.2 * 2 * 0.15 * scale / 6, 0.7 * 2 * 0.02 * scale / 4]
    assert found.share == pytest.approx(sum(parts))
    assert found.low < found.share < found.high
