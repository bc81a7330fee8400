"""The differences that a visit found, as they are stored and shown."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from fieldmouse.page.text import text_words

from .difference import EDIT, shared_words

# Characters of each text that are kept.
LONGEST = 300
# Words shown around what differs in a long text.
AROUND = 6


class DiffEntry(NamedTuple):
    """One difference of a visit, as it is stored and shown."""

    place: str  # the path of the elements around it
    label: str
    old: str
    new: str
    kind: str
    rule: str  # why it does not count; empty if it counts
    words: int  # that differ
    at: tuple[int, ...]  # its addresses
    spot: int  # its place, as a number
    key: int  # of the new text; 0 without one

    @property
    def counted(self) -> bool:
        """Whether it counts as a change."""
        return not self.rule

    @property
    def name(self) -> str:
        """Its place in a word: its label, else its innermost element; the SQL view `changes` says it too."""
        return self.label or self.place.split(" (", maxsplit=1)[0].rpartition(">")[2] or "page"

    @property
    def edit(self) -> bool:
        """Whether half of the words stay."""
        longer = max(len(text_words(self.old)), len(text_words(self.new)))
        return bool(self.old and self.new) and shared_words(self.old, self.new) >= EDIT * longer

    def shown(self, longest: int = LONGEST) -> str:
        """For people: what changed from what to what."""
        old, new = (
            text if len(text) <= longest else text[: longest - 1] + "…" for text in (self.old, self.new)
        )
        if self.old and self.new:
            return f'{self.name}: "{old}" -> "{new}"'
        return f'{self.name}: + "{new}"' if self.new else f'{self.name}: - "{old}"'


def entries_to_json(entries: Sequence[DiffEntry], more: int = 0) -> str:
    """Differences as JSON; empty without any."""
    if not entries:
        return ""
    rows: list[object] = [one._asdict() for one in entries]
    return json.dumps([*rows, {"more": more}] if more else rows, ensure_ascii=False)


def entries_from_json(text: str) -> tuple[tuple[DiffEntry, ...], int]:
    """The differences of a visit, and how many more there were."""
    rows = json.loads(text) if text else []
    more = sum(row.get("more", 0) for row in rows if "more" in row)
    kept = [DiffEntry(**{**row, "at": tuple(row["at"])}) for row in rows if "more" not in row]
    return tuple(kept), more


def public_diff(text: str) -> str:
    """The differences of a visit as JSON: place, path, before, after, kind and rule; empty without any."""
    rows = [
        {
            "place": one.name,
            "path": one.place,
            "before": one.old,
            "after": one.new,
            "kind": one.kind,
            "rule": one.rule,
        }
        for one in entries_from_json(text)[0]
    ]
    return json.dumps(rows, ensure_ascii=False) if rows else ""


def differing(old: str, new: str) -> tuple[str, str]:
    """The parts of two long texts that differ, with a few words around them."""
    before, after = old.split(), new.split()
    first, most = 0, min(len(before), len(after))
    while first < most and before[first] == after[first]:
        first += 1
    last = 0
    while last < most - first and before[-1 - last] == after[-1 - last]:
        last += 1
    start, end = max(first - AROUND, 0), max(last - AROUND, 0)
    lead, tail = "… " if start else "", " …" if end else ""
    return (
        f"{lead}{' '.join(before[start : len(before) - end])}{tail}",
        f"{lead}{' '.join(after[start : len(after) - end])}{tail}",
    )


def cut(text: str, longest: int) -> str:
    """The beginning of a text."""
    return text if len(text) <= longest else text[: longest - 1] + "…"
