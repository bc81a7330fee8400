"""What readers say about the pages of an allocation: how stale copies are, or which pages are skipped.

With the mode `index`, the probability that a page has changed takes the place of the one that was expected
without readers, in the value of a fetch. With `veto`, pages that are proposed and are unlikely to have
changed are skipped, and the next ones take their place. Pages that nobody visited, and copies younger than
the last visit on record, are scheduled as without readers; so are all pages while there is no model, or if it
is no better than what was expected anyway. Each decision is stored.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fieldmouse.behaviour.change_model import ChangeModel
from fieldmouse.behaviour.model_file import load_model
from fieldmouse.behaviour.veto import PASSED, SKIPPED, SkipHistory, decide, veto_rule
from fieldmouse.behaviour.visit_features import REMEMBERED, Floats, PastChanges, Windows
from fieldmouse.jobs.train_behaviour import VisitedPages
from fieldmouse.refresh.allocation import EARLIER, Allocation, AllocationPeriod, ScheduledPage, allocate
from fieldmouse.settings import BehaviourSettings
from fieldmouse.store.visit_contract import BehaviourDecision, ReaderVisitStore
from fieldmouse.units import DAY

# No copy is more certain to be stale than this.
MOST_STALE = 0.999


class ReaderOpinion(NamedTuple):
    """What readers say about one page."""

    probability: float  # that it has changed since its last fetch
    expected: float  # changes, without readers


Opinions = dict[int, ReaderOpinion]  # by the id of the page


class ReaderSchedule:
    """Applies the model of an archive to its schedule."""

    def __init__(
        self,
        behaviour: ReaderVisitStore,
        settings: BehaviourSettings,
        folder: Path,
        draw: Callable[[], float],
    ) -> None:
        """`draw` gives numbers that are uniform in [0, 1)."""
        self.behaviour = behaviour
        self.settings = settings
        self.draw = draw
        self.folder = folder
        self.model: ChangeModel | None = None
        self.reload()

    def reload(self) -> None:
        """Load the model as it is now: `train behaviour` may run beside the daemon."""
        self.model = load_model(self.folder) if self.settings.mode != "off" else None

    @property
    def mode(self) -> str:
        """The mode that is active: off without a useful model."""
        return self.settings.mode if self.model is not None and self.model.useful else "off"

    def opinions(self, pages: Sequence[ScheduledPage], expected: Floats, now: float) -> Opinions:
        """What readers say about pages, for which so many changes were expected without them."""
        totals = self.behaviour.totals()
        if self.model is None or totals.last is None or totals.first is None:
            return {}
        visited = VisitedPages.read(self.behaviour)
        place = visited.places(np.array([page.id for page in pages], np.int64))
        last = np.array([page.last for page in pages], np.float64) / DAY
        # The log may end some time ago: nothing is known of the readers since.
        end = min(now, totals.last) / DAY
        some = np.flatnonzero((place >= 0) & (last >= totals.first / DAY) & (last < end))
        results = np.full((len(some), REMEMBERED), np.nan)
        for number, at in enumerate(some.tolist()):
            found = self.behaviour.last_results(pages[at].id, REMEMBERED)
            results[number, : len(found)] = found
        windows = Windows(place[some].astype(np.int64), last[some], np.full(len(some), end))
        rows = visited.rows(self.behaviour, windows, PastChanges(expected[some], results))
        probabilities = self.model.probabilities(rows) if len(some) else np.zeros(0)
        return {
            pages[at].id: ReaderOpinion(probability, float(expected[at]))
            for at, probability in zip(some.tolist(), probabilities.tolist(), strict=True)
        }

    def allocate(
        self, pages: Iterable[ScheduledPage], period: AllocationPeriod, opinions: Opinions, longest: float
    ) -> tuple[Allocation, dict[int, float]]:
        """Allocate with the veto: the pages to fetch, and when those that were skipped are due again.

        No copy gets older than `longest`, in days. A large budget fetches every page much earlier than that
        (`refresh.floor`), and that is what a veto saves.
        """
        assert self.model is not None  # the mode is off without one
        rule = veto_rule(self.settings, self.model)
        past = {one.page: SkipHistory.of(one) for one in self.behaviour.skipped_pages()}
        decisions: list[BehaviourDecision] = []
        due: dict[int, float] = {}

        def skip(page: ScheduledPage, asked: bool) -> bool:
            opinion, before = opinions.get(page.id), past.get(page.id, SkipHistory())
            if opinion is None:
                return False
            now, age = period.now / DAY, (period.now - page.last) / DAY
            required = asked and (
                (period.end - page.last) / DAY >= (1.0 - EARLIER) * longest or period.ceiling >= longest
            )
            if now < before.until and not required:  # it was skipped lately
                return True
            made = decide(opinion.probability, age, before, rule, required=required, draw=self.draw())
            after = before if made.fetched else before.after(age, now)
            decisions.append(
                BehaviourDecision(
                    page.id, period.now, "veto", made.action, *opinion, made.chance, after.gap * DAY,
                    after.skips, after.until * DAY,
                )
            )  # fmt: skip
            if made.action == SKIPPED:
                due[page.id] = min(after.until * DAY, page.last + longest * DAY)
            return not made.fetched

        chosen = allocate(pages, period, skip)
        self.behaviour.put_decisions(decisions)
        return chosen, due

    def note_moves(
        self, chosen: Allocation, plain: Allocation, opinions: Opinions, period: AllocationPeriod
    ) -> None:
        """Store which pages the index brought forward or put back, against the schedule without readers."""
        now, before = {one.id for one in chosen.pages}, {one.id for one in plain.pages}
        moved = (
            (page, _move(page in now, page in before)) for page in sorted((now | before) & opinions.keys())
        )
        self.behaviour.put_decisions(
            BehaviourDecision(page, period.now, "index", move, *opinions[page], 1.0, 0.0, 0, 0.0)
            for page, move in moved
            if page in opinions
        )


def _move(now: bool, before: bool) -> str:
    return PASSED if now and before else "forward" if now else "back"


def stale_changes(
    pages: Sequence[ScheduledPage], opinions: Opinions, expected_now: Floats, expected_end: Floats
) -> Floats:
    """Changes expected at the end of a period: up to now by readers, where they say something."""
    found = expected_end.copy()
    for at, page in enumerate(pages):
        if (opinion := opinions.get(page.id)) is not None:
            by_now = -np.log1p(-min(opinion.probability, MOST_STALE))
            found[at] = by_now + max(expected_end[at] - expected_now[at], 0.0)
    return found


def reader_reason(opinion: ReaderOpinion) -> str:
    """What readers say, in words."""
    without = -np.expm1(-opinion.expected)
    return f"changed with probability {opinion.probability:.2f} by its readers ({without:.2f} without them)"


def plain_expected(pages: Iterable[ScheduledPage], now: float) -> Iterator[float]:
    """Changes expected of pages by their own rates alone."""
    return (page.rate * max(now - page.last, 0.0) / DAY for page in pages)
