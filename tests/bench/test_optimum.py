from bench.optimum import Made, measured_rates, stale
from fieldmouse.refresh.policies import KNOWN_RATES
from fieldmouse.refresh.replay import ReplaySetup, replay, replay_world


def test_the_optimum_is_told_rates_and_not_how_the_dice_fell() -> None:
    """Pages that change at random at known rates: the averages of three years are nearly as good as those.

    Two of the three years are played, so it knows a little of how the dice fell. Told the averages of the two
    years alone it does much better than anybody who knows the true rates: it fetches no page that will not
    change. That is `hindsight`.
    """
    made, setup = Made.up(300, 10, 1.0, 1), ReplaySetup(budget=0.03, static=False)
    world = replay_world(made.history, range(300), setup)
    true = stale(world, setup, made.rates)
    optimum, hindsight = (
        score.stale / true for score in replay(made.history, tuple(KNOWN_RATES), setup).scores
    )
    assert hindsight < optimum < 1.05
    assert hindsight < 0.9
    assert stale(world, setup, measured_rates(world)) > 2 * true, "of one year alone nothing can be scheduled"
