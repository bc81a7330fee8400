"""A change as people read it: the place, before, after, and the difference; only what changed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from markupsafe import Markup, escape

from fieldmouse.refresh.diff_entries import DiffEntry
from fieldmouse.refresh.difference import NUMBER, number

from .wording import count, percent, signed

# Words that are shown around a difference in a longer text.
AROUND = 8
# Share of the words that two texts need in common to be shown as one text with marks.
ALIKE = 0.4
# Characters of a text before or after on a terminal and in a mail.
LONGEST = 72
ARROW, BLANK = Markup(" → "), Markup(" ")
# Lines of a change that are shown before the rest is folded.
SHOWN = 6

PLACES = {
    "li": "List item", "p": "Paragraph", "h1": "Heading", "h2": "Heading", "h3": "Heading", "h4": "Heading",
    "td": "Table", "th": "Table", "tr": "Table", "dd": "Value", "dt": "Name", "a": "Link", "title": "Title",
    "time": "Date", "span": "Text", "div": "Text", "article": "Article", "main": "Main part", "nav": "Menu",
    "header": "Header", "footer": "Footer", "aside": "Side box", "figcaption": "Caption",
    "blockquote": "Quote",
    "option": "Choice", "button": "Button", "label": "Label", "pre": "Code", "summary": "Summary",
}  # fmt: skip
# Why a difference does not count, by the rules of `refresh.change`.
RULE_WORDS = {
    "form": "only its form differs", "declared": "the page marks it as a date or an advertisement",
    "control": "differs within minutes", "template": "the same on all pages", "counter": "a counter",
    "return": "comes and goes", "pool": "one of a few texts that rotate",
    "moving": "differs at most visits by itself",
    "muted": "muted by you", "edge": "outside of the content",
}  # fmt: skip
AROUNDS = ("article", "aside", "nav", "header", "footer", "form")
CURRENCY = re.compile(r"[$€£¥₹₽₩₺₴₫฿₪]")
# Chinese, Japanese and Korean have no blanks between words: each of their characters is one.
LETTERS = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
WORDS = re.compile(rf"\s+|[{LETTERS}]|[^\s{LETTERS}]+")


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One difference, ready to be shown."""

    place: str
    text: Markup  # with del and ins
    plain: str  # for a terminal
    by: str  # how much a number differs
    kind: str  # number, words, item, link
    rule: str  # why it does not count; empty if it counts
    spot: str  # its place as `noise mute` takes it
    path: str


def element_name(path: str, label: str = "") -> str:
    """A place in words: the label of a value, or the element and the part of the page around it."""
    if label:
        return label
    parts = [
        one.partition(".")[0].partition("#")[0] for one in path.split(" (", maxsplit=1)[0].split(">") if one
    ]
    own = PLACES.get(parts[-1], "Text") if parts else "Page"
    around = next((PLACES[one] for one in reversed(parts[:-1]) if one in AROUNDS), "")
    return f"{around} › {own.lower()}" if around and around != own else own


def diff_line(entry: DiffEntry) -> DiffLine:
    """A difference for people."""
    kind = "item"
    if entry.kind == "links":
        kind = "link"
    elif entry.kind == "numbers":
        kind = "number"
    elif entry.old and entry.new:
        kind = "words"
    return DiffLine(
        place=element_name(entry.place, entry.label),
        text=marked(entry.old, entry.new),
        plain=plain(entry.old, entry.new),
        by=by_how_much(entry.old, entry.new) if kind == "number" else "",
        kind=kind,
        rule=entry.rule,
        spot=f"{entry.spot:08x}",
        path=entry.place,
    )


def marked(old: str, new: str) -> Markup:
    """What went struck out, what came underlined, with a few words around it."""
    out: list[Markup] = []
    for part in parts(old, new):
        if not part.differs:
            out += [escape(part.old), *_gap(part)]
            continue
        gone = [Markup("<del>{}</del>").format(part.old)] if part.old else []
        came = [Markup("<ins>{}</ins>").format(part.new)] if part.new else []
        out.append((ARROW if part.whole else BLANK).join(gone + came))
    return Markup("").join(out).strip()


def _gap(part: "DiffPart") -> list[Markup]:
    if not part.left_out:
        return []
    said = f"… {count(part.left_out, 'word')} the same" if part.last and " " in part.old else "…"
    return [Markup(' <span class="gap">{}</span> ').format(said), escape(part.after)]


def plain(old: str, new: str) -> str:
    """The same for a terminal or a mail: before and after in quotation marks, the words around without."""
    if not old or not new:
        return f"+ “{_short(new)}”" if new else f"− “{_short(old)}”"
    if len(old) + len(new) <= LONGEST:
        return f"“{old}” → “{new}”"
    out = []
    for part in parts(old, new, AROUND // 2):
        if not part.differs:
            out.append(f"{part.old}{' … ' if part.left_out else ''}{part.after}")
        elif part.old and part.new:
            out.append(f"“{_short(part.old)}” → “{_short(part.new)}”")
        else:
            out.append(f"+“{_short(part.new)}”" if part.new else f"−“{_short(part.old)}”")
    return "".join(out).strip()


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


class DiffPart(NamedTuple):
    """A part of two texts: the same in both, or before and after."""

    old: str
    new: str = ""
    after: str = ""  # of the same: what follows words that are left out
    left_out: int = 0  # words
    differs: bool = False
    whole: bool = False  # the texts have too little in common to show more than both
    last: bool = False


def parts(old: str, new: str, around: int = AROUND) -> list[DiffPart]:
    """Two texts as parts that are the same and parts that differ; of long ones that are the same, ends."""
    before, after = WORDS.findall(old), WORDS.findall(new)
    blocks = _blocks(before, after)
    same = sum(_words(before[a:b]) for kind, a, b, _, _ in blocks if kind == "equal")
    words = _words(before) + _words(after)
    if not old or not new or 2 * same < ALIKE * words or len(before) + len(after) <= 4:
        return [DiffPart(old, new, differs=True, whole=True)]
    out: list[DiffPart] = []
    for place, (kind, a, b, c, d) in enumerate(blocks):
        if kind == "equal":
            out.append(_same(before[a:b], around, first=place == 0, last=place == len(blocks) - 1))
            continue
        gone, came = "".join(before[a:b]), "".join(after[c:d])
        shown = came or gone
        out.append(DiffPart(" " if shown[0].isspace() else ""))
        out.append(DiffPart(gone.strip(), came.strip(), differs=True))
        out.append(DiffPart(" " if shown[-1].isspace() else ""))
    return out


def _words(tokens: Sequence[str]) -> int:
    return sum(not one.isspace() for one in tokens)


def _blocks(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    """What is the same and what differs, in turn. Words that differ in a row are one difference."""
    out: list[tuple[str, int, int, int, int]] = []
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        joins = kind != "equal" or not _words(before[a:b])
        if joins and out and out[-1][0] != "equal":
            out[-1] = ("differs", out[-1][1], b, out[-1][3], d)
        else:
            out.append(("equal" if kind == "equal" else "differs", a, b, c, d))
    return out


def _same(words: Sequence[str], around: int, *, first: bool, last: bool) -> DiffPart:
    """An unchanged part, cut to the words next to a difference."""
    near = 2 * around  # blanks are counted too
    if len(words) <= (near if first or last else 2 * near) + 6:
        return DiffPart("".join(words), last=last)
    head, tail = 0 if first else near, 0 if last else near
    left = _words(words[head : len(words) - tail])
    shown = "".join(words[:head]), "".join(words[len(words) - tail :])
    return DiffPart(shown[0].rstrip(), after=shown[1].lstrip(), left_out=left, last=last)


def by_how_much(old: str, new: str) -> str:
    """The difference of the first number that differs, with its currency and as percent."""
    for one, other in zip(NUMBER.findall(old), NUMBER.findall(new), strict=False):
        try:
            before, after = number(one), number(other)
        except ValueError:
            return ""
        if before == after:
            continue
        digits = max(
            len(text.rpartition(".")[2]) if re.search(r"\.\d{1,2}$", text) else 0 for text in (one, other)
        )
        sign = CURRENCY.search(new)
        amount = signed(after - before, digits)
        if sign:
            amount = amount[0] + sign[0] + amount[1:]
        if before == 0:
            return amount
        share = (after - before) / abs(before)
        relative = f"{signed(100 * share, 1)}%" if abs(share) < 10 else f"{signed(100 * share, 0)}%"
        return f"{amount}, {relative}"
    return ""


def importance(entries: Sequence[DiffEntry], share: float) -> int:
    """3, 2 or 1: how much of the page a change is, and whether values with a label differ.

    High: a fifth of the words, or a labelled number that moved by a twentieth or more. Medium: a thirtieth of
    the words, a labelled value, or an item that came or went. Low: the rest.
    """
    level = 3 if share >= 0.2 else 2 if share >= 1 / 30 else 1
    for one in entries:
        if one.rule:
            continue
        if one.label and one.kind == "numbers":
            level = max(level, 3 if _moved(one) >= 0.05 else 2)
        elif one.label or one.kind.startswith("items"):
            level = max(level, 2)
    return level


def _moved(entry: DiffEntry) -> float:
    for one, other in zip(NUMBER.findall(entry.old), NUMBER.findall(entry.new), strict=False):
        before, after = number(one), number(other)
        if before != after:
            return abs(after - before) / abs(before) if before else 1.0
    return 0.0


def kind_words(entries: Sequence[DiffEntry], kinds: str) -> str:
    """The kind of a change in a word or two: number, words, 2 items added."""
    counted = [one for one in entries if not one.rule]
    added = sum("items added" in one.kind for one in counted)
    removed = sum("items removed" in one.kind for one in counted)
    if counted and added == len(counted):
        return f"{count(added, 'item')} added"
    if counted and removed == len(counted):
        return f"{count(removed, 'item')} removed"
    names = {"numbers": "number", "items added": "items", "items removed": "items", "links": "link"}
    found = list(dict.fromkeys(names.get(one, one) for one in kinds.split(", ") if one))
    if found == ["number"] and len(counted) > 1:
        return f"{len(counted)} numbers"
    return ", ".join(found) or "changed"


def share_words(share: float) -> str:
    """How much of the text differs."""
    return f"{percent(share)} of the text"
