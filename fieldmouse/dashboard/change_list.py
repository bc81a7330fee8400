"""Changes as the pages show them: by day and host, each with its differences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from fieldmouse.refresh.diff_entries import entries_from_json
from fieldmouse.report.differences import SHOWN, DiffLine, diff_line, importance, kind_words, share_words
from fieldmouse.report.wording import Words
from fieldmouse.store.dashboard_contract import ChangeSummary

KINDS = {"number": "Numbers", "words": "Words", "item": "Items", "link": "Links"}
LEVELS = {3: "High importance", 2: "Medium importance", 1: "Low importance"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """A change as it is shown."""

    url: str
    title: str
    host: str
    time: float
    level: int  # 3 is the highest
    level_name: str
    kind: str  # in a word or two
    kinds: tuple[str, ...]  # number, words, item, link
    lines: list[DiffLine]  # those that count
    folded: list[DiffLine]  # more of them
    noise: list[DiffLine]  # those that do not count
    headline: DiffLine | None  # the one line that says it best
    share: str
    more: int  # differences that were not kept
    key: str  # of this change on its page
    seen: bool  # by the reader, all until a time or this one alone


def change_view(row: ChangeSummary, *, seen: bool = False) -> ChangeView:
    """A change from its row."""
    entries, more = entries_from_json(row.diff)
    counted = [one for one in entries if not one.rule]
    lines = [diff_line(one) for one in counted]
    level = importance(counted, row.size)
    return ChangeView(
        url=row.url,
        title=row.title or row.url.split("://", 1)[-1],
        host=row.host,
        time=row.time,
        level=level,
        level_name=LEVELS[level],
        kind=kind_words(entries, row.kinds),
        kinds=tuple(dict.fromkeys(one.kind for one in lines)),
        lines=lines[:SHOWN],
        folded=lines[SHOWN:],
        noise=[diff_line(one) for one in entries if one.rule],
        headline=max(lines, key=_telling, default=None),
        share=share_words(row.size),
        more=more,
        key=f"{row.page}@{row.time!r}",
        seen=seen,
    )


def _telling(line: DiffLine) -> int:
    """What was exchanged says most, then what came, then what went; of equal ones the first is taken."""
    return 2 if line.kind != "item" else 1 if line.plain.startswith("+") else 0


class HostGroup(NamedTuple):
    """Changes of one host on one day."""

    host: str
    changes: list[ChangeView]


class DayGroup(NamedTuple):
    """Changes of one day, by host."""

    title: str
    time: float
    hosts: list[HostGroup]
    changes: int


def by_day(views: Sequence[ChangeView], words: Words) -> list[DayGroup]:
    """Days with the newest first; on each day hosts with the most important change first."""
    days = []
    for _, group in groupby(views, key=lambda one: words.local(one.time).date()):
        found = list(group)
        hosts: dict[str, list[ChangeView]] = {}
        for one in found:
            hosts.setdefault(one.host, []).append(one)
        ranked = sorted(
            hosts.items(), key=lambda item: (-max(one.level for one in item[1]), -item[1][0].time)
        )
        days.append(
            DayGroup(
                words.long_day(found[0].time),
                found[0].time,
                [HostGroup(*item) for item in ranked],
                len(found),
            )
        )
    return days


def kind_counts(views: Sequence[ChangeView]) -> dict[str, int]:
    """How many changes have differences of each kind."""
    counts = Counter(kind for one in views for kind in one.kinds)
    return {kind: counts[kind] for kind in KINDS}
