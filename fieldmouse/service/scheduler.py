"""The scheduler: every few hours it allocates the fetches that the budget allows among all pages.

A forecast from all visits of the archive gives the value of a fetch of each page; with too many pages, or if
`refresh.forecast` is off, the rate of each page comes from its own visits alone. The value of the last page
chosen is the price of a fetch, by which visits in between are planned. So an allocation reads every page, and
choosing what to fetch next reads only the head of the due column. The forecast is not stored: after a restart
it is built again from the visits, with the same result.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from fieldmouse.refresh.allocation import (
    GOLDEN,
    Allocation,
    AllocationPeriod,
    ScheduledPage,
    allocate,
    with_urgent,
)
from fieldmouse.refresh.forecast import (
    Forecast,
    ForecastBuilder,
    fetch_values,
    forecast_window,
    group_count,
)
from fieldmouse.refresh.planner import Planner
from fieldmouse.refresh.rate_models import Floats, Ints, OwnRates, VisitTable
from fieldmouse.refresh.rates import Gap, RateProbabilities, learned_prior, prior_to_text
from fieldmouse.store.records import EstimatedRate, FetchPrice, ScheduledVisit
from fieldmouse.store.schedule_contract import Schedule
from fieldmouse.units import DAY

from .reader_schedule import Opinions, ReaderSchedule, plain_expected, reader_reason, stale_changes

# Days of a period while the daemon runs, and at most if it is called now and then.
PERIOD_DAYS, LONGEST_PERIOD = 0.25, 7.0
# Pages that the prior of rates is learned from, and rounds of learning at each allocation.
SAMPLE, ROUNDS = 500, 3
# A forecast for more pages than this would take minutes and gigabytes.
MOST_PAGES = 200_000
# A rate is stored again when it moved by this share; and none is less than once in decades.
MOVED, SLOWEST = 0.05, 1e-4
# No copy is less likely to be fresh than this.
LEAST_FRESH = 1e-3
# Share of its value by which a page comes earlier or later than others like it.
MIXED = 0.1


class ArchivePages:
    """The scheduled pages of an archive, read again at each iteration: they may not fit into memory."""

    def __init__(self, due: Schedule, now: float) -> None:
        self.due = due
        self.now = now

    def __len__(self) -> int:
        return self.due.scheduled_copies_count()

    def __iter__(self) -> Iterator[ScheduledPage]:
        return self.due_before(math.inf)

    def due_before(self, end: float) -> Iterator[ScheduledPage]:
        """Those due by then; after a clock is set back a last visit may be in the future."""
        for id_, rate, shape, last, *rest in self.due.scheduled_copies(end):
            yield ScheduledPage(id_, rate, shape, min(last, self.now), *rest)


class Scheduler:
    """Allocates fetches when the last period is over."""

    def __init__(self, due: Schedule, planner: Planner, readers: ReaderSchedule | None = None) -> None:
        self.due = due
        self.readers = readers
        self.planner = planner
        self.last = due.fetch_price()
        self.forecasts = ArchiveForecasts(due) if planner.settings.forecast else None

    def days_since_last(self, now: float) -> float:
        """Days since the last allocation, within the bounds of a period; a day if there was none."""
        days = (now - self.last.time) / DAY if self.last else 1.0
        return min(max(days, PERIOD_DAYS), LONGEST_PERIOD)

    def is_over(self, now: float) -> bool:
        """Whether the last period is over; one that begins in the future is, since the clock was set back."""
        allocated = self.planner.settings.policy == "default"
        return allocated and (self.last is None or not 0 <= now - self.last.time < PERIOD_DAYS * DAY)

    def allocate(self, now: float, days: float, fetches: int, daily: float | None = None) -> None:
        """Begin a period of so many days and fetches; later ones have `daily` fetches a day, or as many."""
        planner = self.planner
        histories = [[Gap(*one) for one in gaps] for gaps in self.due.histories(SAMPLE)]
        planner.rate_prior = learned_prior(histories, planner.rate_prior, rounds=ROUNDS)
        self.due.set_rate_prior(prior_to_text(planner.rate_prior))
        planner.pages = self.due.scheduled_count()
        period = AllocationPeriod(
            now=now, days=days, fetches=fetches, ceiling=planner.ceiling, shortest=planner.shortest
        )
        stored = ArchivePages(self.due, now)
        period = with_urgent(stored, period, fetches / days if daily is None else daily)
        forecast = self.forecasts.for_period(period, planner.rate_prior) if self.forecasts else None
        pages: Iterable[ScheduledPage] = stored
        if forecast is not None:
            read = list(stored)
            self.due.set_rates(forecast.changed_rates(read))
            pages = list(forecast.with_values(read))
        chosen, skipped, opinions = self._chosen(pages, period, forecast)
        self.last = FetchPrice(chosen.price, now)
        planner.allocated_price = chosen.price
        due = dict(chosen.due_times(period))
        others = chosen.postponed(pages if forecast else stored.due_before(period.end), period)
        reasons = forecast.reasons(chosen.pages, due, opinions) if forecast else ()
        self.due.store_allocation(self.last, chain(due.items(), others, skipped.items()), reasons)

    def _chosen(
        self, pages: Iterable[ScheduledPage], period: AllocationPeriod, forecast: "PeriodForecast | None"
    ) -> tuple[Allocation, dict[int, float], Opinions]:
        """The pages to fetch, when those that readers spoke against are due again, and what readers say."""
        readers = self.readers
        if readers is not None:
            readers.reload()
        if readers is None or readers.mode == "off":
            return allocate(pages, period), {}, {}
        read = list(pages)
        expected = np.array(list(plain_expected(read, period.now)))
        if forecast is not None:
            expected = forecast.expected(read, forecast.today)
        opinions = readers.opinions(read, expected, period.now)
        if readers.mode == "veto":
            chosen, skipped = readers.allocate(read, period, opinions, self.planner.settings.longest)
            return chosen, skipped, opinions
        at_end = expected + np.array([page.rate for page in read]) * period.days
        if forecast is not None:
            at_end = forecast.expected(read, forecast.end)
        changes = stale_changes(read, opinions, expected, at_end)
        if forecast is not None:
            values = forecast.values(read, changes)
        else:
            rates = np.array([page.rate for page in read])
            values = fetch_values(np.maximum(rates, SLOWEST), changes / np.maximum(rates, SLOWEST))
        informed = [
            page._replace(value=value * page.weight) if page.id in opinions else page
            for page, value in zip(read, values.tolist(), strict=True)
        ]
        chosen = allocate(informed, period)
        readers.note_moves(chosen, allocate(read, period), opinions, period)
        return chosen, {}, opinions


class PeriodForecast(NamedTuple):
    """The forecast for the end of a period."""

    forecast: Forecast
    own_rates: OwnRates
    prior: RateProbabilities  # how common rates are
    ids: Ints  # of all pages, ascending
    last: Floats  # visits, in days since the start of the forecast
    today: float
    end: float
    period: AllocationPeriod

    def with_values(self, pages: Sequence[ScheduledPage]) -> Iterator[ScheduledPage]:
        """Pages, with the value of a fetch of each."""
        at = self._places(pages)
        values = self.forecast.fetch_values(self.last, self.end, np.ones(len(self.ids)))[at].tolist()
        rates = self.forecast.rates(at, self.last[at], self.end).tolist()
        for page, rate, value in zip(pages, rates, values, strict=True):
            # Pages crawled in sequence would be fetched in sequence. A visit also says something about other
            # pages of the site, so a period should visit many sites: the values are varied a little.
            weight = page.weight * (1.0 - MIXED * (page.id * GOLDEN % 1.0))
            # The value is that of a certain rate, so the price has to be compared with one too.
            yield page._replace(rate=rate, shape=1e4, weight=weight, value=value * weight)

    def expected(self, pages: Sequence[ScheduledPage], time: float) -> Floats:
        """Changes expected of pages since their last visits, by a time."""
        return self.forecast.expected_of_all(self.last, time)[self._places(pages)]

    def values(self, pages: Sequence[ScheduledPage], expected: Floats) -> Floats:
        """The values of fetches at the end of the period, if so many changes are expected by then."""
        at = self._places(pages)
        every = self.forecast.expected_of_all(self.last, self.end)
        every[at] = expected
        return self.forecast.fetch_values(self.last, self.end, np.ones(len(self.ids)), every)[at]

    def changed_rates(self, pages: Sequence[ScheduledPage]) -> Iterator[EstimatedRate]:
        """The rates and shapes of the pages for which they moved, to be stored.

        A stored rate gives the freshness of the copy at the end of the period: the mean of the forecast from
        the page's own visits and of that from all pages together.
        """
        at = self._places(pages)
        days = np.maximum(self.end - self.last[at], 1e-3)
        shapes = self.forecast.regression.shape + self.forecast.changes[at]
        expected = np.asarray(sum(self.forecast.expected_changes(at, self.last[at], self.end)))
        rates = self.forecast.regression.expected[at]
        own = 1.0 - self.own_rates.stale_probability(at, days, rates, self.prior)
        fresh = ((1.0 + expected / shapes) ** -shapes + own) / 2
        rates = np.maximum(shapes * (np.maximum(fresh, LEAST_FRESH) ** (-1 / shapes) - 1.0) / days, SLOWEST)
        for page, rate, shape in zip(pages, rates.tolist(), shapes.tolist(), strict=True):
            if abs(rate - page.rate) > MOVED * rate or abs(shape - page.shape) > MOVED * shape:
                yield EstimatedRate(page.id, rate, shape)

    def _places(self, pages: Sequence[ScheduledPage]) -> Ints:
        return np.searchsorted(self.ids, [page.id for page in pages]).astype(np.int64)

    def reasons(
        self, pages: Sequence[ScheduledPage], due: dict[int, float], opinions: Opinions
    ) -> list[ScheduledVisit]:
        """Why pages are fetched in this period, to be stored with their due times."""
        at = self._places(pages)
        found = self.forecast.expected_changes(at, self.last[at], self.end)
        rows = []
        for page, own, group, burst in zip(pages, *(part.tolist() for part in found), strict=True):
            parts = {"by its own rate": own, "with its site or folder": group, "soon after its last": burst}
            shares = ", ".join(f"{part:.2g} {name}" for name, part in parts.items() if part >= 0.001)
            expected = f"{own + group + burst:.2g} changes expected since its last visit"
            expected += f" ({shares})" if shares else ""
            why = f"{expected}; a visit is worth {page.value:.2g} days of freshness"
            if self.period.priority(page)[0] == math.inf:
                why = f"its copy gets too old; {expected}"
            if (opinion := opinions.get(page.id)) is not None:
                why = f"{why}; {reader_reason(opinion)}"
            rows.append(ScheduledVisit(page.id, due[page.id], page.rate, "forecast", why))
        return rows


class ArchiveForecasts:
    """Builds the forecast of an archive, from the visits since the last time."""

    def __init__(self, due: Schedule, most: int = MOST_PAGES) -> None:
        self.due = due
        self.most = most
        self.urls: list[tuple[int, str]] = []
        self.groups = 0
        self.builder: ForecastBuilder | None = None

    def for_period(self, period: AllocationPeriod, prior: RateProbabilities) -> PeriodForecast | None:
        """The forecast for a period, given how common rates are; None if there are too many pages."""
        if not 0 < self.due.forecast_pages_count(self.most + 1) <= self.most:
            return None
        rows = self.due.forecast_pages(self.most)
        urls = [(id_, url) for id_, url, _, _ in rows]
        pages = []
        for _, url in urls:
            site, _, path = url.partition("://")[2].partition("/")
            pages.append((site, path))
        if urls != self.urls:
            self.urls, self.groups, self.builder = urls, group_count(pages), None
        first, now = min(row[2] for row in rows), period.now
        window = forecast_window(min(first, now) / DAY, now / DAY, self.groups)
        if window is None:
            return None
        today, builder = window.day(now), self.builder
        if builder is None or builder.window != window or builder.until > today:
            builder = ForecastBuilder(pages, window)
        ids = np.array([row[0] for row in rows], np.int64)
        # Visits since the last build, without those whose gap begins before the forecast.
        visits = list(self.due.visit_outcomes((window.start + builder.until) * DAY, now))
        table = np.array(visits, np.float64).reshape(-1, 4)
        time, gap = table[:, 1] / DAY - window.start, table[:, 2] / DAY
        page = np.searchsorted(ids, table[:, 0].astype(np.int64)).astype(np.int64)
        found = VisitTable(page, time - gap, time, table[:, 3] > 0)
        found = found.where((found.before >= 0.0) & (time > builder.until) & (found.before < time))
        forecast, own_rates = builder.build(found, today)
        self.builder = builder if window.kept else None
        last = np.array([row[3] for row in rows]) / DAY - window.start
        end = min(window.day(period.end), float(window.days))
        last = np.clip(last, 0.0, today)
        return PeriodForecast(forecast, own_rates, prior, ids, last, today, end, period)
