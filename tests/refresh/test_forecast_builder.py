"""What is told of visits is the same however often somebody asks, and takes no more room than there is."""

import random

import pytest

from fieldmouse.refresh.arrays import np
from fieldmouse.refresh.forecast_builder import CELLS, MOST_DAYS, Chronicle, Period, causes, crowds, period
from fieldmouse.refresh.parameters import Visits

PAGES = [(f"h{n % 3}.test", f"d{n % 2}/{n}") for n in range(18)]


def made(days: int, seed: int = 1) -> Visits:
    """Random visits in their order, some of them to one page twice within hours."""
    chance = random.Random(seed)
    last = [0.0] * len(PAGES)
    rows = []
    for moment in sorted(chance.uniform(0, days) for _ in range(days * 8)):
        page = chance.randrange(len(PAGES))
        rows.append((page, last[page], moment, page % 3 == 0 and chance.random() < 0.3))
        last[page] = moment
    page, before, now, changed = (np.array(column) for column in zip(*rows, strict=True))
    return Visits(page, before, now, changed)


@pytest.mark.parametrize("kept", [True, False])
def test_asking_in_between_changes_nothing(kept: bool) -> None:
    visits, last = made(20), np.linspace(15, 20, len(PAGES))
    once, by_itself = Chronicle(PAGES, Period(0, 30, kept)).tell(visits, 20.1)
    asked = Chronicle(PAGES, Period(0, 30, True))
    for now in (0.1, 3.3, 3.4, 9.0, 17.77, 20.1):
        new = visits.only((visits.now > asked.until) & (visits.now <= now))
        often, alone = asked.tell(new, now)
    weights = np.ones(len(PAGES))
    assert (once.rates() == often.rates()).all()
    assert by_itself.logs == pytest.approx(alone.logs)
    assert (once.worth(last, 21.0, weights) == often.worth(last, 21.0, weights)).all()
    assert often.rates()[0] > often.rates()[1], "and it learned who changes"


def test_causes_add_up_to_what_is_expected() -> None:
    outlook = Chronicle(PAGES, Period(0, 60, True)).tell(made(30), 30.0)[0]
    page, last = np.arange(len(PAGES)), np.full(len(PAGES), 24.0)
    found = causes(outlook, page, last, 31.0)
    passed = outlook.clocks.passed(page, last, 31.0)
    assert found.own + found.crowd == pytest.approx(outlook.believed(page, last, 31.0) * passed)
    assert found.burst == pytest.approx(outlook.bursts.expected(page, last, 31.0))
    assert (found.burst > 0).any()


def test_the_beginning_moves_on_by_months() -> None:
    starts = {found.start for day in range(1000, 1400) if (found := period(600.5, float(day), 10))}
    assert starts == {660 + 30 * n for n in range(len(starts))}
    for day in range(600, 1400):
        found = period(600.5, float(day), 10)
        assert found is not None
        assert found.days <= MOST_DAYS
        assert found.start + found.days >= day + 8


def test_too_many_clocks_have_no_room() -> None:
    assert period(0.0, 10.0, CELLS) is None
    many = period(0.0, 1000.0, CELLS // 400)
    assert many is not None
    assert many.days <= 100
    assert not many.kept


def test_clocks_are_counted() -> None:
    assert crowds([("a", "x")]) == 2
    assert crowds(PAGES) > 5
