"""The baseline by reinforcement: its values by hand, and what a link owes to the next one."""

import pytest

from fieldmouse.focus.han2018 import FIRST, LinearSarsa
from fieldmouse.focus.link_learner import Attributes, Evidence, More

LIST = Evidence(Attributes(parents=0.0), More(parents_judged=0.2))
PERSON = Evidence(Attributes(parents=0.8), More(parents_judged=0.2))


def test_a_value_moves_by_the_step_and_the_error() -> None:
    learner = LinearSarsa(step=0.1, discount=0.5)
    before = learner.score(PERSON)
    assert before == pytest.approx(FIRST[2] * 0.8 + FIRST[4] * 0.2)
    learner.learn(PERSON, 1.0)
    size = 0.8**2 + 0.2**2 + 1.0
    assert learner.score(PERSON) == pytest.approx(before + 0.1 * (1.0 - before) * size)


def test_a_link_gains_by_the_one_that_is_followed_after_it() -> None:
    alone, together = LinearSarsa(discount=0.5), LinearSarsa(discount=0.5)
    for _ in range(300):
        alone.learn(LIST, 0.0)
        alone.learn(PERSON, 1.0)
        together.learn_scored(LIST, 0.0, 0.0)
        together.learn_scored(PERSON, 1.0, 0.0)
    assert together.score(LIST) > alone.score(LIST) + 0.2
    assert together.score(PERSON) > together.score(LIST)
