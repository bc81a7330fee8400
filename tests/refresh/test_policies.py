"""Policies of replays follow the rules of the planner."""

import numpy as np
import pytest

from fieldmouse.refresh.barbosa2005 import EXPERIMENT_GROUPS
from fieldmouse.refresh.policies import OwnVisits, PolicyInput
from fieldmouse.refresh.rate_models import VisitTable
from fieldmouse.refresh.rates import Gap, gamma_fit, posterior


def test_live_has_the_posteriors_of_the_daemon():
    """Pages seen within the day, and those that are only met by the next day's experience."""
    chances = np.full((3, len(EXPERIMENT_GROUPS)), 0.25)
    stage = PolicyInput(
        (("s", "a"), ("s", "b"), ("s", "c")),
        np.ones(3),
        9,
        EXPERIMENT_GROUPS,
        chances,
        1,
        0.03,
    )
    live = OwnVisits(stage)
    live.rank(0.25)
    visits = VisitTable(np.array([0, 1]), np.zeros(2), np.full(2, 0.5), np.array([True, False]))
    live.visited(visits)
    for now in (0.75, 1.25):
        ranks = live.rank(now)
        gaps = ([Gap(0.5, True)], [Gap(0.5, False)], [])
        for rank, one, last in zip(ranks, gaps, (0.5, 0.5, 0.0), strict=True):
            belief = gamma_fit(posterior(one, tuple(live.prior)))
            assert rank == pytest.approx(belief.fetch_value(now - last), rel=1e-6)
