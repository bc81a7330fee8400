"""The policies of a replay that see visits of readers: `index` and `veto`, on top of `default`.

The model is trained anew every month on the fetches that the policy itself made, with the features as they
stood then. Until it is better than what was expected anyway, both policies do what `default` does.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from fieldmouse.errors import UsageError
from fieldmouse.refresh.policies import Default, Policy, PolicyInput
from fieldmouse.refresh.rate_models import Flags, VisitTable
from fieldmouse.settings import BehaviourSettings

from .change_model import ChangeModel
from .recorded_visits import RecordedVisits, page_table
from .veto import SkipHistory, decide, veto_rule
from .visit_features import REMEMBERED, Floats, Ints, PastChanges, Windows, decision_rows

# Days before the first model, and between two; fetches that it learns from at most, the newest ones.
FIRST_DAYS, TRAINING_DAYS, MOST_ROWS = 60.0, 30.0, 40_000
MOST_STALE = 0.999
DEFAULT_RULE = BehaviourSettings()
PUBLISHED_RULE = BehaviourSettings(veto_below=0.5)


class ReaderPolicy(Default):
    """The default with a model of changes by readers; `changes` are those expected by it."""

    def __init__(self, given: PolicyInput, visits: RecordedVisits) -> None:
        super().__init__(given)
        count = len(given.pages)
        self.log = visits.log_for(given.pages, given.start)
        self.table = page_table(given.pages, given.weights)
        self.read = np.isin(np.arange(count), self.log.key >> 43)  # pages that anybody visits
        self.results = np.full((count, REMEMBERED), np.nan)
        self.rows: list[Floats] = []
        self.labels: list[Floats] = []
        self.weights: list[Floats] = []
        self.chance = np.ones(count)  # of the fetch that is under way
        self.model: ChangeModel | None = None
        self.trained, self.day = 0.0, -1
        # What the model says since the last time it was asked, and what was expected then.
        self.asked_last = np.full(count, np.nan)
        self.by_model, self.by_forecast = np.zeros(count), np.zeros(count)

    def rank(self, now: float) -> Floats:
        self.forecast.update(now)
        return self.forecast.fetch_values(self.last, now, self.given.weights, self.changes(now))

    def changes(self, now: float) -> Floats:
        """Changes expected of each page: by readers where the model is useful, as of the begin of the day."""
        expected = self.forecast.expected_of_all(self.last, now)
        if self.model is None or not self.model.useful:
            return expected
        if int(now) > self.day:
            self.day = int(now)
            some = np.flatnonzero(self.read & (self.last < now))
            found = self.model.probabilities(self._features(some, now, expected[some]))
            self.asked_last = self.last.copy()
            self.by_forecast, self.by_model = expected.copy(), expected.copy()
            self.by_model[some] = -np.log1p(-np.minimum(found, MOST_STALE))
        same = self.asked_last == self.last
        return np.where(same, self.by_model + np.maximum(expected - self.by_forecast, 0.0), expected)

    def _features(self, page: Ints, now: float, expected: Floats) -> Floats:
        windows = Windows(page, self.last[page], np.full(len(page), now))
        return decision_rows(self.log, windows, self.table, PastChanges(expected, self.results[page]))

    def visited(self, visits: VisitTable) -> None:
        known = self.read[visits.page]
        some = visits.where(known)
        if len(some.page):
            now = float(some.now[0])
            expected = self.forecast.expected_of_all(self.last, now)[some.page]
            self.rows.append(self._features(some.page, now, expected))
            self.labels.append(some.changed.astype(np.float64))
            self.weights.append(1.0 / self.chance[some.page])
        super().visited(visits)
        self.results[visits.page, 1:] = self.results[visits.page, :-1]
        self.results[visits.page, 0] = visits.changed
        if float(visits.now[0]) >= max(FIRST_DAYS, self.trained + TRAINING_DAYS):
            self._train(float(visits.now[0]))

    def _train(self, now: float) -> None:
        self.trained = now
        rows, labels, weights = (
            np.concatenate(some)[-MOST_ROWS:] for some in (self.rows, self.labels, self.weights)
        )
        try:
            self.model = ChangeModel(seed=self.given.seed).fit(rows, labels, weights)
        except UsageError:
            if self.model is None and now > FIRST_DAYS + 3 * TRAINING_DAYS:
                raise  # there are too few visits or changes, or no scikit-learn


class VetoPolicy(ReaderPolicy):
    """The default proposes; pages that are unlikely to have changed are skipped, and the next ones come."""

    def __init__(
        self, given: PolicyInput, visits: RecordedVisits, rule: BehaviourSettings = DEFAULT_RULE
    ) -> None:
        super().__init__(given, visits)
        self.rule = rule
        self.past = [SkipHistory() for _ in given.pages]

    def rank(self, now: float) -> Floats:
        self.forecast.update(now)
        return self.forecast.fetch_values(self.last, now, self.given.weights)

    def choose(self, now: float, count: int, alive: Flags) -> Ints:
        if self.model is None or not self.model.useful:
            return super().choose(now, count, alive)
        rank = np.where(alive, self.rank(now) + 1e-9 * self.jitter, -np.inf)
        stale, rule = -np.expm1(-self.changes(now)), veto_rule(self.rule, self.model)
        chosen: list[int] = []
        skipped: list[int] = []
        self.chance[:] = 1.0
        for page in np.argsort(-rank)[: int(alive.sum())].tolist():
            if len(chosen) == count:
                break
            if self.read[page] and self._skips(page, float(stale[page]), rule, now):
                skipped.append(page)
            else:
                chosen.append(page)
        # The budget is spent in any case, so that policies can be compared.
        return np.array((chosen + skipped)[:count], np.int64)

    def _skips(self, page: int, probability: float, rule: BehaviourSettings, now: float) -> bool:
        past = self.past[page]
        if now < past.until:
            return True
        age, draw = now - float(self.last[page]), float(self.rng.random())
        made = decide(probability, age, past, rule, required=False, draw=draw)
        if made.fetched:
            self.chance[page] = made.chance
            return False
        self.past[page] = past.after(age, now)
        return True

    def visited(self, visits: VisitTable) -> None:
        for page in visits.page.tolist():
            self.past[page] = SkipHistory()
        super().visited(visits)


def reader_policies(visits: RecordedVisits) -> dict[str, Callable[[PolicyInput], Policy]]:
    """The policies that see these visits, by name."""
    return {
        "index": partial(ReaderPolicy, visits=visits),
        "veto": partial(VetoPolicy, visits=visits),
        "veto-published": partial(VetoPolicy, visits=visits, rule=PUBLISHED_RULE),
    }
