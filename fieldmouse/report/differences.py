"""A change as people read it: the place, before, after, and the difference; only what changed."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from markupsafe import Markup, escape

from fieldmouse.refresh.diff_entries import DiffEntry
from fieldmouse.refresh.difference import NUMBER, number

from .wording import count, percent, signed

# Words that are shown around a difference in a longer text.
AROUND = 8
# Share of the words that two texts need in common to be shown as one text with marks.
ALIKE = 0.4
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
    "ticking": "a number that moves at every visit", "return": "comes and goes",
    "pool": "drawn from the same texts", "ticker": "another text at every visit",
    "muted": "muted by you", "edge": "outside of the content",
}  # fmt: skip
AROUNDS = ("article", "aside", "nav", "header", "footer", "form")
CURRENCY = re.compile(r"[$€£¥₹₽₩₺₴₫฿₪]")
WORDS = re.compile(r"\s+|\S+")


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
    item = f"+ “{entry.new}”" if entry.new else f"− “{entry.old}”"
    return DiffLine(
        place=element_name(entry.place, entry.label),
        text=marked(entry.old, entry.new),
        plain=" → ".join(f"“{one}”" for one in (entry.old, entry.new) if one) if kind != "item" else item,
        by=by_how_much(entry.old, entry.new) if kind == "number" else "",
        kind=kind,
        rule=entry.rule,
        spot=f"{entry.spot:08x}",
        path=entry.place,
    )


def marked(old: str, new: str) -> Markup:
    """What went struck out, what came underlined, with a few words around it."""
    if not old:
        return Markup("<ins>{}</ins>").format(new)
    if not new:
        return Markup("<del>{}</del>").format(old)
    before, after = WORDS.findall(old), WORDS.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < ALIKE or len(before) + len(after) <= 4:
        return Markup("<del>{}</del> → <ins>{}</ins>").format(old, new)
    out: list[Markup] = []
    blocks = matcher.get_opcodes()
    for place, (kind, a, b, c, d) in enumerate(blocks):
        if kind == "equal":
            out.append(_same(before[a:b], first=place == 0, last=place == len(blocks) - 1))
            continue
        gone, came = "".join(before[a:b]).strip(), "".join(after[c:d]).strip()
        marks = [Markup("<del>{}</del>").format(gone)] if gone else []
        if came:
            marks.append(Markup("<ins>{}</ins>").format(came))
        out.append(Markup(" ") + Markup(" ").join(marks) + Markup(" "))
    return Markup(re.sub(r"\s{2,}", " ", "".join(out)).strip())  # noqa: S704  every part is escaped


def _same(words: Sequence[str], *, first: bool, last: bool) -> Markup:
    """An unchanged part, cut to the words next to a difference."""
    near = 2 * AROUND  # blanks are counted too
    if len(words) <= (near if first or last else 2 * near) + 6:
        return escape("".join(words))
    gap = Markup(' <span class="gap">…</span> ')
    head = Markup() if first else escape("".join(words[:near]))
    tail = Markup() if last else escape("".join(words[-near:]))
    if last:
        left = sum(not one.isspace() for one in words[near:])
        return head + Markup(' <span class="gap">… {} the same</span>').format(count(left, "word"))
    return head + gap + tail


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
