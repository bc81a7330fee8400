"""What is known of readers, and what the schedule does with it: for `status` and `why`."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fieldmouse.settings import Settings
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.visit_contract import ActionCount, VisitTotals
from fieldmouse.types import PageRecord
from fieldmouse.units import DAY, duration

from .wording import count

RECENT_DAYS = 30.0

# Submissions of a page that are listed one by one.
SENT_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderStatus:
    """Visits, the mode, and what was decided in the last 30 days."""

    visits: VisitTotals
    mode: str  # behaviour.mode
    active: str  # the mode that is in use: off without a useful model
    why_not: str  # why it is not in use, or empty
    decisions: tuple[ActionCount, ...]

    @property
    def skipped(self) -> int:
        """Fetches that the veto saved."""
        return sum(one.decisions for one in self.decisions if one.action == "skipped")

    @property
    def missed(self) -> float | None:
        """The share of the skipped pages that had changed, by those that were fetched by chance."""
        explored = [one for one in self.decisions if one.action == "explored" and one.fetched]
        fetched = sum(one.fetched for one in explored)
        return sum(one.changed for one in explored) / fetched if fetched else None


def reader_status(reader: StoreReader, settings: Settings, folder: Path, now: float) -> ReaderStatus:
    """What is known of readers now."""
    mode, totals = settings.behaviour.mode, reader.behaviour.totals()
    why_not = "there are no visits" if totals.last is None else unused_because(settings, folder)
    return ReaderStatus(
        visits=totals,
        mode=mode,
        active="off" if why_not else mode,
        why_not=why_not if mode != "off" else "",
        decisions=tuple(reader.behaviour.action_counts(now - RECENT_DAYS * DAY)),
    )


def unused_because(settings: Settings, folder: Path) -> str:
    """Why the schedule does not use readers, or empty."""
    if settings.behaviour.mode == "off":
        return "behaviour.mode is off"
    if settings.refresh.policy != "default":
        return f"refresh.policy is {settings.refresh.policy}"
    from fieldmouse.behaviour.model_file import load_model  # loads numpy

    model = load_model(folder)
    if model is None:
        return "there is no model; `train behaviour` makes one"
    return "" if model.useful else "the model is not clearly better than the schedule alone"


def status_text(found: ReaderStatus, now: float) -> str:
    """The same in one line."""
    totals = found.visits
    if totals.last is None:
        return "no visits"
    visits, readers = count(totals.visits, "visit"), count(totals.readers, "reader")
    text = f"{visits} of {readers} to {count(totals.urls, 'address', 'addresses')}, the last "
    text += f"{duration(max(now - totals.last, 0.0))} ago; "
    if found.mode == "off":
        return f"{text}not used for the schedule (behaviour.mode is off)"
    if found.why_not:
        return f"{text}behaviour.mode {found.mode} is not in use: {found.why_not}"
    none = ActionCount(found.active, "", 0, 0, 0)
    counts = {one.action: one for one in found.decisions if one.mode == found.active}
    if found.active == "index":
        forward, back = (_with_results(counts.get(name, none)) for name in ("forward", "back"))
        return f"{text}index: in 30 days fetches brought forward: {forward}; put back: {back}"
    text += f"veto: in 30 days fetches skipped: {_with_results(counts.get('skipped', none))}"
    if found.missed is not None:
        text += f", {found.missed:.0%} of such pages had changed by fetches made by chance"
    return text


def _with_results(count: ActionCount) -> str:
    if not count.fetched:
        return f"{count.decisions:,}"
    unchanged = count.fetched - count.changed
    return f"{count.decisions:,} (at the next fetch {unchanged:,} unchanged, {count.changed:,} changed)"


def sent_lines(reader: StoreReader, url: str) -> Iterator[str]:
    """What readers sent of a page, newest first; nothing of what is private."""
    sent = [one for one in reader.submissions.of_url(url) if not one.private]
    for one in sent[:SENT_SHOWN]:
        text = f"sent on {datetime.fromtimestamp(one.received, UTC).date()}: {one.state}"
        text += f" ({one.reason})" if one.reason else ""
        text += f", tags {', '.join(one.tags)}" if one.tags else ""
        text += f", spam score {one.content_score} of 99" if one.content_score is not None else ""
        yield text + (f", of its comment {one.comment_score} of 256" if one.comment_score is not None else "")
    if len(sent) > SENT_SHOWN:
        yield f"sent {count(len(sent) - SENT_SHOWN, 'time')} before"


def reader_lines(reader: StoreReader, settings: Settings, page: PageRecord) -> Iterator[str]:
    """What readers did with a page, and what was decided by it last."""
    behaviour = reader.behaviour
    visits = list(behaviour.page_visits(page.id, page.id, 0.0, float("inf")))
    if not visits:
        return
    since = [one for one in visits if one.time > page.last_visit]
    people = len({one.reader for one in visits})
    yield f"{count(len(visits), 'visit')} of {count(people, 'reader')}, {len(since):,} since the last fetch"
    if (last := behaviour.last_decision(page.id)) is not None:
        sure = max(last.probability, 1.0 - last.probability)
        label = "changed" if last.probability > 0.5 else "unchanged"
        text = f"{last.mode}: {last.action}; changed with probability {last.probability:.2f} ({label} with "
        text += f"confidence {sure:.2f}), {-math.expm1(-last.expected):.2f} without readers"
        yield f"{text}; {last.skips} skips in a row" if last.skips else text
    unused = unused_because(settings, reader.folder)
    if unused:
        yield f"not used for the schedule: {unused}"
    elif last is None:
        yield f"{settings.behaviour.mode}: nothing was decided by them about this page"
