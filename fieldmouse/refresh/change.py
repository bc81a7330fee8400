"""What counts as a change: every difference that a reader can see, less what is proven to be noise.

Each difference goes through the rules in their order; the first that holds says that it is noise, and why.
What no rule knows counts. `judge_change` compares two copies; `judge_control` compares two fetches within
minutes: what differs between them is noise by definition.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from fieldmouse.settings import RefreshSettings
from fieldmouse.types import StoredCopy

from .diff_entries import LONGEST, DiffEntry, cut, differing, entries_from_json, entries_to_json
from .difference import BRIEF, Event, difference
from .noise import (
    CALM,
    NOISE,
    HostNoise,
    PageNoise,
    VisitEvidence,
    coming_key,
    exchange_keys,
    page_number,
    place_name,
)
from .page_units import HEADING, PageUnit, PageUnits, both_units, hash32, page_units
from .place_rates import differing_share, unit_share
from .place_record import WHOLE
from .volatile_forms import same_but_for_form

# The rules in their order. `muted` is what a user decided; `edge` is not noise, but is not counted.
RULES = ("form", "declared", "control", "template", "counter", "return", "pool", "moving")
MUTED, EDGE = "muted", "edge"
# The note of a visit that found nothing new.
SAME = "unchanged"
# Kinds of a change.
NUMBERS, WORDS, ADDED, REMOVED, LINKS = "numbers", "words", "items added", "items removed", "links"
TEMPLATE = "template only"

# Declared units are noise while they are less than this share of the words.
DECLARED = 0.3
# Other pages that must have made the same exchange: any, one with an amount, a labelled or a brief one.
OTHERS, OTHERS_AMOUNT, OTHERS_FACT = 2, 3, 4
# A place is the template's if so many of its exchanges were made on several pages, and this share of them.
FRAME, FRAME_SHARE = 2, 0.6
# Exchanges of a visit that one other page must have made too.
TOGETHER = 3
# Share of the units of a place that must stand on other pages.
ELSEWHERE = 0.8
# What moves by itself differs at this share of the visits: any text, an amount, one whose text was shown
# before as this share of the texts of its spot were, one that differed within minutes on another page.
MOST, MOST_AMOUNT, MOST_KNOWN, KNOWN, MOST_CERTIFIED = 0.5, 0.6, 0.35, 0.4, 0.25
# A spot that differs at a smaller share of so many visits stands still.
STILL, STILL_VISITS = 0.3, 4
# Of what comes to a list that is drawn this share was there before, in so many texts at least.
REPEATS, REPEATED = 0.1, 8
# Lines that return and are more words than this, and more than this share of the page, are no banner.
BANNER, BANNER_SHARE = 60, 0.25
# Words of a line that is noise at its first return.
LINE = 5
# Share of the units of a place that must differ within minutes to make it noise as a whole: on the page,
# and on the host, where lists of other pages may have the same place.
BOX, HOST_BOX = 0.4, 0.6
# Control fetches of a page: so many, and one more for so many visits.
CONTROLS, CONTROL_VISITS = 2, 8
# Differences that are kept of a visit; those of noise, and characters of their texts; those in a note.
KEPT, KEPT_NOISE, NOISE_LONGEST, NOTED, NOTED_LONGEST = 60, 8, 80, 4, 80


@dataclass(frozen=True, slots=True)
class ChangeVerdict:
    """Whether a page changed, how, and why the rest does not count."""

    changed: bool
    size: float  # share of the words that differ and count
    kinds: tuple[str, ...]
    entries: tuple[DiffEntry, ...]  # those that count first
    note: str
    more: int = 0  # differences beyond those kept
    control: bool = False  # a control fetch would tell whether it is noise
    evidence: VisitEvidence | None = None
    page: PageNoise = field(default_factory=PageNoise)  # after this visit

    def to_json(self) -> str:
        """The differences as JSON; empty without any."""
        return entries_to_json(self.entries, self.more)


class ControlVerdict(NamedTuple):
    """What a control fetch says about the visit before it."""

    verdict: ChangeVerdict  # of the visit, corrected
    corrected: bool  # something that counted is noise
    page: PageNoise
    noisy: dict[int, str]  # places that differed, with their names
    calm: tuple[int, ...]
    note: str  # about the control fetch itself


def judge_change(
    old: StoredCopy,
    new: StoredCopy,
    page: PageNoise,
    host: HostNoise,
    settings: RefreshSettings,
    *,
    url: str = "",
    last_visit: float = 0.0,
) -> ChangeVerdict:
    """Whether a page changed between two visits. Pure: `learn` of the host takes the evidence.

    `last_visit` is when the older copy was last seen; the time of the copy if it is 0.
    """
    return judge_units(*both_units(old, new), page, host, settings, url=url, last_visit=last_visit)


def same_copy(copy: StoredCopy, page: PageNoise, url: str) -> ChangeVerdict:
    """The verdict on a visit that found the same bytes: places that stand still are learned from too."""
    units = page_units(copy)
    evidence = VisitEvidence(url, units, units, (), copy.time)
    return ChangeVerdict(False, 0.0, (), (), SAME, evidence=evidence, page=page.after_visit(()))


def judge_units(
    old: PageUnits,
    new: PageUnits,
    page: PageNoise,
    host: HostNoise,
    settings: RefreshSettings,
    *,
    url: str = "",
    last_visit: float = 0.0,
) -> ChangeVerdict:
    """The same from the units of both copies."""
    found = difference(old, new)
    visit = VisitEvidence(url, old, new, found.events, last_visit or old.time)
    judge = _Judge(visit, page, host)
    rules = judge.rules()
    evidence = visit._replace(
        events=tuple(e for e, r in zip(found.events, rules, strict=True) if r != "form")
    )
    if settings.count == "content":
        rules = [
            EDGE if not rule and event.unit.edge and not (event.labelled or event.amount) else rule
            for event, rule in zip(found.events, rules, strict=True)
        ]
    judged = list(zip(found.events, rules, strict=True))
    counted = [event for event, rule in judged if not rule]
    verdict = _verdict([_entry(event, rule) for event, rule in judged], max(old.words, new.words), settings)
    if not judged and found.moved:
        verdict = replace(verdict, note=f"unchanged but for the order of {found.moved} texts")
    after = page.after_visit(evidence.events)
    wanted = verdict.changed and page.controls < CONTROLS + page.visits // CONTROL_VISITS
    return replace(
        verdict,
        control=wanted and any(judge.unproven(event) for event in counted),
        evidence=evidence,
        page=after,
    )


class _Judge:
    """Finds the rule for each event of a visit."""

    def __init__(self, visit: VisitEvidence, page: PageNoise, host: HostNoise) -> None:
        self.visit, self.page, self.host = visit, page, host
        self.words = max(visit.old.words, visit.new.words, 1)
        self.number = page_number(visit.url)
        new = visit.new
        declared = sum(unit.words for unit in new.units if unit.declared)
        self.has_declared = declared < DECLARED * max(new.words, 1)
        self.kept_lists: dict[int, bool] = {}
        texts = [Counter((e.unit.place, e.texts[n]) for e in visit.events if e.texts[n]) for n in (0, 1)]
        self.reordered = texts[0].keys() & texts[1].keys()  # what stood somewhere else at its place before

    def rules(self) -> list[str]:
        """Why each event is noise; empty for what counts."""
        events = self.visit.events
        rules = [self._rule(event) for event in events]
        self._add_redesign(rules)
        returned = sum(e.words for e, rule in zip(events, rules, strict=True) if rule == "return")
        if returned > max(BANNER, BANNER_SHARE * self.words):  # no banner is so large
            rules = ["" if rule == "return" else rule for rule in rules]
        # What came or went with its label is what the label is.
        noisy = {
            (side, text): rule
            for event, rule in zip(events, rules, strict=True)
            if rule
            for side, text in zip("-+", event.texts, strict=True)
        }
        for n, event in enumerate(events):
            if not rules[n] and not event.exchange and event.unit.label:
                rules[n] = noisy.get(("+" if event.new else "-", event.unit.label), "")
        return rules

    def _rule(self, event: Event) -> str:
        mine = {event.place, event.unit.place}
        if mine & self.host.overrides.counted:
            return ""
        if mine & self.host.overrides.muted:
            return MUTED
        tests = (
            self._form, self._declared, self._control, self._template, self._counter, self._return,
            self._pool, self._moving,
        )  # fmt: skip
        off = self.host.overrides.off
        return next(
            (rule for rule, test in zip(RULES, tests, strict=True) if rule not in off and test(event)), ""
        )

    def unproven(self, event: Event) -> bool:
        """Whether a control fetch would say something new about an event."""
        record = self.host.places.get(event.place)
        return self.page.certificate(event) != CALM and (record is None or len(record.calm) < 2)

    def _form(self, event: Event) -> bool:
        times = self.visit.old.time, self.visit.new.time
        return same_but_for_form(*event.texts, times, labelled=event.labelled)

    def _declared(self, event: Event) -> bool:
        units = [one for one in (event.old, event.new) if one is not None]
        # Made-up names may hold such a word; a table of facts is no advertisement.
        return self.has_declared and all(one.declared and not one.fact for one in units)

    def _control(self, event: Event) -> bool:
        """It differed within minutes, here or on another page of the host."""
        if self.page.slot(event).certificate == NOISE:
            return True
        # The rest of its box says little of a text that is only edited, unless it moves too.
        edited = event.numeric or (event.edit and not event.link)
        if edited and self._rate(event) < MOST_CERTIFIED:
            return False
        if self.page.certificate(event) == NOISE:
            return True
        # A number in stock may change within minutes, once.
        needed = 2 if event.labelled or event.amount else 1
        records = [self.host.places.get(at) for at in {event.place, event.unit.place, *event.addresses}]
        return any(one and len(one.noisy) >= needed and len(one.noisy) > len(one.calm) for one in records)

    def _add_redesign(self, rules: list[str]) -> None:
        """Several exchanges that one other page made too are the template's: it counts once for a host."""
        if "template" in self.host.overrides.off:
            return
        found = [
            n for n, event in enumerate(self.visit.events)
            if rules[n] in ("", "template") and not event.labelled and not event.amount
            and self._made_elsewhere(event, 1)
        ]  # fmt: skip
        if len({self.visit.events[n].texts for n in found}) >= TOGETHER:
            for n in found:
                rules[n] = rules[n] or "template"

    def _template(self, event: Event) -> bool:
        """The text is the host's: it stands on nearly all its pages, or they made the same exchange."""
        protected = event.value or event.amount
        record = self.host.places.get(event.place)
        # The name of a row, or a state, may come and go on pages that have the same rows.
        short = event.brief or (not event.exchange and not event.link and event.words <= BRIEF)
        frame = record is not None and record.shared >= FRAME and not protected and not short
        if frame and (self._was_host_wide(event) if event.listed else self._framed(event)):
            return True
        needed = OTHERS_FACT if event.value or short else OTHERS_AMOUNT if protected else OTHERS
        return self._made_elsewhere(event, needed)

    def _made_elsewhere(self, event: Event, needed: int) -> bool:
        """Whether so many other pages made the same exchange, and few kept the old text."""
        for key, _ in exchange_keys(event):
            same = self.host.exchanges.get(key)
            if same is None or same.kept > len(same.pages) / 2:
                return False
            if same.minute < int(self.visit.last_visit // 60):  # this page showed the old text after that
                return False
            if len([page for page in same.pages if page != self.number]) < needed:
                return False
        # Several pages may list the same item: the list must be shared too. A paragraph needs no more.
        listed = event.listed and (event.link or event.unit.item)
        mine = event.unit
        units = [one for one in self.visit.new.units if one.place == mine.place and one.link == mine.link]
        return not listed or sum(map(self._shared, units)) >= ELSEWHERE * len(units)

    def _was_host_wide(self, event: Event) -> bool:
        """Whether the old text, or the list that a new text came to, stood on nearly all pages."""
        if event.old is not None:
            return self.host.host_wide(event.old)
        place = event.unit.place
        if place not in self.kept_lists:
            units = [unit for unit in self.visit.old.units if unit.place == place]
            wide = sum(map(self.host.host_wide, units))
            self.kept_lists[place] = bool(units) and wide >= ELSEWHERE * len(units)
        return self.kept_lists[place]

    def _shared(self, unit: PageUnit | None) -> bool:
        """Whether another page shows a text at the same place."""
        seen = self.host.pool.get(hash32(unit.place, unit.text)) if unit is not None else None
        return seen is not None and seen.page != self.number

    def _passed(self, event: Event) -> bool:
        """Whether the old text came to this page before, or stands on others: it is not the page's own."""
        old = event.old
        return old is None or bool(self._comings(event, old.text)) or self._shared(old)

    def _stands_still(self, event: Event) -> bool:
        """Whether this spot differs now and then only, whatever the rest of its place does."""
        if (event.unit.place, event.unit.text) in self.reordered:
            return False
        spot = self.host.spot(event)
        return spot.visits >= STILL_VISITS and spot.share < STILL * WHOLE

    def _counter(self, event: Event) -> bool:
        """A number that rises and rises; one that falls counts."""
        if not event.numeric or event.rises <= 0 or event.currency:
            return False
        calm = self.page.certificate(event) == CALM
        slot, rises = self.page.slot(event), 4 if event.labelled else 2
        if not calm and slot.ups >= rises and slot.differed(rises) == rises:
            return True
        record = self.host.places.get(event.place)
        if record is None or self._rate(event) < MOST or record.ups < 8 * record.downs:
            return False
        # One that stands still for minutes may be a fact; on several pages it is a counter all the same.
        rises, pages = (8, 3) if calm else (4, 2)
        return record.ups >= rises and len(record.differing) >= pages and not (calm and event.labelled)

    def _return(self, event: Event) -> bool:
        """A line that was on this page before, or that comes to pages and goes again."""
        if event.numeric or event.value or event.amount or event.stated:
            return False
        goes = event.new is None
        comings = self._comings(event, event.unit.text) - goes
        if event.unit.words >= LINE and not event.edit and not event.labelled:
            return comings >= 1 or self.host.guest(event)
        return comings >= 2 and comings + goes >= self.page.visits / 2 and not self._stands_still(event)

    def _comings(self, event: Event, text: str) -> int:
        """How often a text came to this place of this page, or went from it."""
        return self.host.comings.get(coming_key(self.visit.url, event, text), 0)

    def _pool(self, event: Event) -> bool:
        """A draw from texts that the host has shown at this place before."""
        if self._stands_still(event):
            return False
        amount = event.numeric or event.amount
        # Goods are drawn with their prices, which were all seen before: a new price was not.
        drawn = amount and event.listed and not event.labelled
        if event.value or (event.brief and not drawn):
            return False
        known = self.host.known(event, self.visit.last_visit)
        if amount and not (known and (drawn or event.words >= LINE)):
            return False
        if (event.edit or event.numeric) and not drawn and not self._moves_here(event):
            return False
        for place in {event.place, event.unit.place} if drawn else {event.unit.place}:
            record = self.host.places.get(place)
            if record is None or record.visits < 4 or record.share < 0.5 * WHOLE:
                continue
            if record.added < 3 or 2 * record.known < record.added:
                continue
            if event.new is None and self._shared(event.old):  # it went from here, and stands on other pages
                return True
            if record.turn >= 0.5 * WHOLE or (known and not drawn):
                return True
        return False

    def _moves_here(self, event: Event, *, unknown: bool = True) -> bool:
        """Whether this spot of the page differed at most of the last visits; `unknown` after a few visits.

        A template without names has texts of the page and of its frame at one place. What others do there
        says nothing of a text that is only edited now and then.
        """
        return self.page.slot(event).differed(5) >= 3 or (unknown and self.page.visits < 4)

    def _moving(self, event: Event) -> bool:
        """What stands here differs at most visits by itself, here and on other pages."""
        if self._protected(event):
            return False
        framed = self._host_value(event)
        if self._calm(event) and not framed:
            return False
        known = framed or self._known(event)
        if self._rate(event) < (MOST_KNOWN if known else MOST_AMOUNT if event.amount else MOST):
            return False
        if event.numeric:
            return True
        if event.link or event.unit.under == HEADING or not event.exchange:
            return self._repeats(event)
        if event.words >= self.words / 4 and event.exchange:
            return False
        return self._passed(event)

    def _calm(self, event: Event) -> bool:
        """Whether a control fetch found it still, and not those of as many other pages found it moving."""
        record = self.host.places.get(event.place)
        noisy = record is not None and len(record.noisy) >= len(record.calm) > 0
        return self.page.certificate(event) == CALM and not noisy

    def _protected(self, event: Event) -> bool:
        """Whether it is an amount or a labelled value, which may change often, of something that stays."""
        if not event.value:
            return False
        if self.host.follows(event):
            return False
        hosts = self._host_value(event) or self._drawn(event) or self.host.one_level(event)
        return (event.unit.fact and event.exchange) or not hosts

    def _host_value(self, event: Event) -> bool:
        """Whether nearly all pages showed the old text: two addresses of one page change alike too.

        A number that moves is another one at each visit: it is the host's if pages follow each other.
        """
        if self.host.follows(event):
            return True
        return event.old is not None and self._framed(event) and self.host.host_wide(event.old)

    def _framed(self, event: Event) -> bool:
        """Whether most of what is exchanged here is exchanged on other pages too, so it is not about one."""
        record = self.host.places.get(event.place)
        return record is not None and record.shared >= max(FRAME, FRAME_SHARE * record.exchanges)

    def _drawn(self, event: Event) -> bool:
        """Whether that which a value belongs to is drawn: the label of its row, the name in its text."""
        record = self.host.places.get(hash32(event.unit.path, ""))
        return record is not None and unit_share(record) >= MOST

    def _known(self, event: Event) -> bool:
        """Whether the host showed its text before, as most texts of this spot: one may be known by chance."""
        seen = self.host.known(event, self.visit.last_visit) or (
            event.new is None and self._shared(event.old)
        )
        return seen and self.host.spot(event).known >= KNOWN * WHOLE

    def _repeats(self, event: Event) -> bool:
        """Whether much of what came here was on the host before: what is news never was.

        A row that comes with its label has a place of its own: what came to its box tells.
        """
        places = {event.unit.place} if event.exchange else {event.unit.place, hash32(event.unit.path, "")}
        records = [self.host.places.get(place) for place in places]
        return any(one and one.added >= REPEATED and one.known >= REPEATS * one.added for one in records)

    def _rate(self, event: Event) -> float:
        """At which share of the visits this differs, by what is known of this page and of the host."""
        still = not event.numeric and self._stands_still(event)
        return differing_share(event, self.page, self.host, still=still)


def judge_control(
    visit: StoredCopy,
    control: StoredCopy | None,
    before: tuple[float, str],
    page: PageNoise,
    settings: RefreshSettings,
) -> ControlVerdict:
    """What a second fetch within minutes says about a visit; None for one with the same bytes.

    `before` is the size of the change that the visit found, and its differences as JSON. What differs
    between the two fetches is noise by definition; what does not is calm.
    """
    size, text = before
    entries, more = entries_from_json(text)
    events: tuple[Event, ...] = ()
    keys: frozenset[int] | None = None
    boxes, wide = set[int](), set[int]()
    if control is not None:
        old, new = both_units(visit, control)
        events, keys = difference(old, new).events, frozenset(new.keys)
        times = old.time, new.time
        events = tuple(
            one for one in events if not same_but_for_form(*one.texts, times, labelled=one.labelled)
        )
        count = Counter(one.unit.place for one in events if not one.numeric)
        shares = {place: n / max(old.at_place[place], new.at_place[place]) for place, n in count.items()}
        boxes = {place for place, share in shares.items() if share >= BOX}
        wide = {place for place, share in shares.items() if share >= HOST_BOX}
    noisy = {address for event in events for address in event.addresses} | boxes
    left: list[DiffEntry] = []
    for one in entries:
        gone = keys is not None and one.key != 0 and one.key not in keys
        boxed = one.spot in boxes and not one.edit
        if one.counted and (gone or boxed or noisy & set(one.at)):
            left.append(one._replace(rule="control"))
        else:
            left.append(one)
    words = sum(one.words for one in entries if one.counted)
    still = sum(one.words for one in left if one.counted)
    verdict = _verdict(left, 0, settings, size=size * still / words if words else 0.0, more=more)
    calm = [one for one in left if one.counted]
    if calm:
        verdict = replace(verdict, note=f"{verdict.note} (confirmed by a control fetch)")
    return ControlVerdict(
        verdict,
        corrected=still < words,
        page=page.after_control(noisy, {address for one in calm for address in one.at} - noisy),
        # One text of a list says nothing about the others.
        noisy={
            at: place_name(event)
            for event in events
            for at in ((event.place,) if event.numeric or event.place in wide else event.addresses)
        },
        calm=tuple({one.spot for one in calm}),
        note="control fetch: "
        + (
            "; ".join(_entry(one, "control").shown(NOTED_LONGEST) for one in events[:NOTED])
            or "no difference"
        ),
    )


def _entry(event: Event, rule: str) -> DiffEntry:
    """A difference as it is stored."""
    old, new = event.texts
    if event.unit.target:
        kind = LINKS
    elif event.numeric:
        kind = NUMBERS
    elif event.exchange and not (event.listed and not event.labelled and not event.edit):
        kind = WORDS
    elif event.exchange:
        kind = f"{ADDED}, {REMOVED}"
    else:
        kind = ADDED if event.new else REMOVED
    if event.exchange and len(old) + len(new) > LONGEST:
        old, new = differing(old, new)
    unit, longest = event.unit, NOISE_LONGEST if rule else LONGEST
    return DiffEntry(
        place=unit.path, label=unit.label, old=cut(old, longest), new=cut(new, longest), kind=kind,
        rule=rule, words=event.changed_words, at=event.addresses, spot=event.place,
        key=event.new.key if event.new else 0,
    )  # fmt: skip


def _verdict(
    entries: Sequence[DiffEntry], words: int, settings: RefreshSettings, *, size: float = 0.0, more: int = 0
) -> ChangeVerdict:
    """The verdict on differences; `size` is given or follows from the words of the page."""
    counted = [one for one in entries if one.counted]
    others = [one for one in entries if not one.counted]
    if counted and not size:
        size = min(max(sum(one.words for one in counted) / max(words, 1), 1e-9), 1.0)
    changed = bool(counted) and size > settings.threshold
    found = {kind for one in counted for kind in one.kind.split(", ")}
    kinds = tuple(kind for kind in (NUMBERS, WORDS, ADDED, REMOVED, LINKS) if kind in found)
    rules = {one.rule for one in others} - {"form"}
    if not counted and rules == {"template"}:
        kinds = (TEMPLATE,)
    kept = (*counted[:KEPT], *others[:KEPT_NOISE])
    return ChangeVerdict(
        changed=changed,
        size=size if counted else 0.0,
        kinds=kinds,
        entries=kept,
        note=_note(counted, others, kinds, size, changed=changed),
        more=more + len(entries) - len(kept),
    )


def _note(
    counted: Sequence[DiffEntry],
    others: Sequence[DiffEntry],
    kinds: Sequence[str],
    size: float,
    *,
    changed: bool,
) -> str:
    """What differs, for people."""
    edge = _listed([one for one in others if one.rule == EDGE])
    noise = _listed([one for one in others if one.rule != EDGE], rules=True)
    parts = []
    if counted:
        what = f"{', '.join(kinds)}; {size:.2%} of the words"
        said = f"changed ({what})" if changed else f"below refresh.threshold ({what})"
        # Facts first: an advertisement that rotates may stand before them.
        parts.append(f"{said}: {_listed(sorted(counted, key=lambda one: not one.label))}")
    elif not others:
        return SAME
    if noise:
        parts.append(f"noise: {noise}" if parts else f"only noise: {noise}")
    if edge:
        parts.append(f"at the edge: {edge}" if parts else f"only at the edge: {edge}")
    return "; ".join(parts)


def _listed(entries: Sequence[DiffEntry], *, rules: bool = False) -> str:
    shown = [one.shown(NOTED_LONGEST) + (f" ({one.rule})" if rules else "") for one in entries[:NOTED]]
    if len(entries) > NOTED:
        shown.append(f"and {len(entries) - NOTED} more")
    return "; ".join(shown)
