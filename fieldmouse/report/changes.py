"""Changes as people read them: the place, before and after, why it counts, and how to mute it.

`shown_change` is for every list of changes: the command `changes`, feeds, webhooks, mail and the server.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from fieldmouse.refresh.diff_entries import DiffEntry, entries_from_json
from fieldmouse.store.change_contract import ChangeRow

from .differences import element_name, plain

CONFIRMED = "(confirmed by a control fetch)"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownDifference:
    """One difference that counts."""

    place: str  # a label, or the element it stands in
    path: str  # all elements around it
    before: str  # empty for what is new
    after: str  # empty for what is gone
    kind: str  # numbers, words, items added, items removed, links
    why: str  # it counts
    mute: str  # the command that keeps it from counting


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownChange:
    """A change of a page."""

    number: int  # in the order in which changes were found
    url: str
    title: str
    host: str
    time: str  # ISO 8601, of the visit that found it
    unchanged_at: str  # of the visit before
    size: float  # share of the words of the page
    kinds: tuple[str, ...]
    differences: tuple[ShownDifference, ...]
    more: int  # differences that count and are not listed
    not_counted: int  # differences that are noise or at the edge of the page
    note: str


def shown_change(row: ChangeRow) -> ShownChange:
    """A change from its row."""
    entries, more = entries_from_json(row.diff)
    counted = [one for one in entries if one.counted]
    return ShownChange(
        number=row.number,
        url=row.url,
        title=" ".join(row.title.split()) or row.url.partition("://")[2],
        host=row.host,
        time=iso_time(row.time),
        unchanged_at=iso_time(row.unchanged_at),
        size=round(row.size, 6),
        kinds=tuple(one for one in row.kinds.split(", ") if one),
        differences=tuple(_shown(one, row, confirmed=CONFIRMED in row.note) for one in counted),
        more=more,
        not_counted=len(entries) - len(counted),
        note=row.note,
    )


def _shown(one: DiffEntry, row: ChangeRow, *, confirmed: bool) -> ShownDifference:
    return ShownDifference(
        place=one.name, path=one.place, before=one.old, after=one.new, kind=one.kind,
        why=_why(one, confirmed=confirmed), mute=f"fieldmouse noise mute {row.host} {one.spot:08x}",
    )  # fmt: skip


def iso_time(seconds: float) -> str:
    """A time in ISO 8601, in UTC."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def place_words(one: ShownDifference) -> str:
    """Its place for people: its label, or its element in words."""
    element = one.path.split(" (", maxsplit=1)[0].rpartition(">")[2] or "page"
    return element_name(one.path, "" if one.place == element else one.place)


def difference_text(one: ShownDifference) -> str:
    """A difference in one line."""
    return f"{place_words(one)}: {plain(one.before, one.after)}"


def _why(entry: DiffEntry, *, confirmed: bool) -> str:
    """Why a difference counts."""
    reasons = []
    if entry.label:
        reasons.append("the value of a label")
    if confirmed:
        reasons.append("a second fetch minutes later showed the same")
    return "; ".join(reasons) or "no rule knows this place as noise"
