"""Whether true changes are told from noise, on made-up sites of many kinds and templates.

    python -m bench.changes [--half dev] [--seed 1] [--rounds 1] [--noises ad,views] [--json OUT]
    python -m bench.changes --show 20 [--control]

Four scenarios: pages without noise, pages with four to six noises each, the same with control fetches, and
sites whose template changes. Every visit goes through the code that the crawl uses (`HostJudge`). *Event
recall* asks that the true difference itself is counted, not that something else raised the alarm. Rules are
changed by looking at the halves `dev` and `more` only; `held` is for reports.
"""

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.refresh.allocation import ControlBudget
from fieldmouse.refresh.change import judge_change, judge_control, same_copy
from fieldmouse.refresh.diff_entries import DiffEntry
from fieldmouse.refresh.noise import HostNoise, PageNoise, VisitEvidence
from fieldmouse.settings import RefreshSettings
from fieldmouse.types import StoredCopy

from . import floors
from .progress_bar import shown
from .sites.content import TrueChange
from .sites.everyday_sites import PARTS, EverydaySite, everyday_sites
from .sites.fetches import Fetch, Visit
from .sites.visits import ALL_NOISES, HALVES, MadeSite, made_sites

REVISITS = (1, 3, 5, 8)
# Noises that stand still for hours, so that no control fetch shows them.
SLOW = (
    "daily",
    "popular",
    "build_mark",
    "deploys",
    "forecast",
    "greeting",
    "opened",
    "shop_rating",
    "totals",
)
LEARNED = 5  # the revisit from which the figures of kinds and templates are made

CUT = 60  # characters of a text that is gone, which entries hold whole

NOTHING = Fetch("", 0.0, b"", (), "", "")

Site = MadeSite | EverydaySite

_WORD = re.compile(r"\w+")


class Told(NamedTuple):
    """What was said of one visit."""

    changed: bool
    counted: tuple[str, ...]  # the old and the new texts that count as changed
    controls: int = 0  # control fetches made


class Seen(NamedTuple):
    """A revisit, what is true of it and what was said."""

    site: Site
    visit: Visit
    told: Told

    @property
    def found(self) -> bool:
        """Whether the true change itself is among what counts."""
        return self.visit.change is not None and counts(self.visit.change, self.told.counted)


# --- the judges ------------------------------------------------------------------------------------------


class HostJudge:
    """What the crawl says of the visits to one host, from the code that the crawl calls."""

    def __init__(self, *, controls: ControlBudget | None, settings: RefreshSettings | None = None) -> None:
        self.controls = controls
        self.settings = settings or RefreshSettings()
        self.noise: HostNoise | None = None
        self.pages: dict[str, PageNoise] = {}
        self._last: dict[int, StoredCopy] = {}

    def told(self, visit: Visit) -> Told | None:
        """Judge a visit and learn from it; None at the first one."""
        now, before = self._copy(visit.fetch), self._last.get(visit.page)
        self._last[visit.page] = now
        if before is None:
            return None
        url = visit.fetch.url
        page = self.pages.get(url, PageNoise())
        if now.content == before.content:
            verdict = same_copy(now, page, url)
        else:
            verdict = judge_change(before, now, page, self.noise or HostNoise(), self.settings, url=url)
        self.pages[url] = verdict.page
        if verdict.evidence is not None and (self.noise or verdict.evidence.events):
            self.noise = self.noise or HostNoise()
            self.noise.learn(verdict.evidence)
        if self.controls is not None:
            self.controls.visits += 1
        wanted = verdict.control and self.noise is not None and self.controls is not None
        if not wanted or self.noise is None or self.controls is None or not self.controls.take():
            return Told(verdict.changed, _texts(verdict.entries, verdict.evidence))
        again = self._copy(visit.control)
        found = judge_control(
            now,
            again if again.content != now.content else None,
            (verdict.size, verdict.to_json()),
            verdict.page,
            self.settings,
        )
        self.pages[url] = found.page
        self.noise.learn_control(url, found.noisy, found.calm)
        self._last[visit.page] = again
        return Told(found.verdict.changed, _texts(found.verdict.entries, verdict.evidence), 1)

    def _copy(self, fetch: Fetch) -> StoredCopy:
        facts = read(fetch.html, content_type="text/html")
        return StoredCopy(content=fetch.html, index=facts.index, charset=facts.charset, time=fetch.time)


def _texts(entries: Sequence[DiffEntry], evidence: VisitEvidence | None) -> tuple[str, ...]:
    """What counts: the texts, which entries hold cut, and the labels of rows that came or went."""
    whole = {
        (one.addresses, one.new.key if one.new else one.texts[0][:CUT]): one.texts
        for one in (evidence.events if evidence else ())
    }
    counted = [one for one in entries if one.counted]
    keys = [(one.at, one.key if one.new else one.old[:CUT]) for one in counted]
    return tuple(
        text
        for key, one in zip(keys, counted, strict=True)
        for text in (*whole.get(key, (one.old, one.new)), "" if one.old and one.new else one.label)
        if text
    )


class DigestJudge:
    """The plain way: any difference of the visible text is a change."""

    def __init__(self, *, controls: ControlBudget | None) -> None:
        del controls
        self._last: dict[int, str] = {}

    def told(self, visit: Visit) -> Told | None:
        """Judge a visit; None at the first one."""
        facts = read(visit.fetch.html, content_type="text/html")
        text = visible_text(visit.fetch.html, facts.index, facts.charset)
        before = self._last.get(visit.page)
        self._last[visit.page] = text
        if before is None:
            return None
        return Told(before != text, (before, text) if before != text else ())


def counts(true: TrueChange, counted: Iterable[str]) -> bool:
    """Whether a text that counts holds the old or the new words of a true change."""
    wanted = [_WORD.findall(text.lower()) for text in (true.old, true.new) if text]
    for text in counted:
        words = _WORD.findall(text.lower())
        for some in wanted:
            if sum(map(len, some)) > 12:  # long enough to be found whatever stands between the words
                if "".join(some) in "".join(words):
                    return True
            elif any(words[at : at + len(some)] == some for at in range(len(words) - len(some) + 1)):
                return True
    return False


# --- figures ---------------------------------------------------------------------------------------------


class Way(NamedTuple):
    """A way of telling changes."""

    name: str
    judge: Callable[..., Any]
    control: bool = False


WAYS = (Way("digest", DigestJudge), Way("ours", HostJudge), Way("ours with control", HostJudge, control=True))


def played(sites: Sequence[Site], ways: Sequence[Way], label: str) -> dict[str, list[Seen]]:
    """All revisits of some sites as each way tells them, in the order of time as a crawl makes them.

    Every site has judges of its own; all sites share the budget of control fetches, as in a crawl.
    """
    found: dict[str, list[Seen]] = {way.name: [] for way in ways}
    settings = RefreshSettings()
    budgets = [
        ControlBudget(settings.control_share, settings.budget) if way.control else None for way in ways
    ]
    judges = [
        [(found[way.name], way.judge(controls=budget)) for way, budget in zip(ways, budgets, strict=True)]
        for _ in sites
    ]
    visits = merge(*(_timed(n, site) for n, site in enumerate(sites)))
    for _, n, visit in shown(visits, sum(site.pages * site.visits for site in sites), label):
        for seen, host in judges[n]:
            if (told := host.told(visit)) is not None:
                small = visit._replace(fetch=visit.fetch._replace(html=b""), control=NOTHING)
                seen.append(Seen(sites[n], small, told))
    return found


def _timed(n: int, site: Site) -> Iterator[tuple[float, int, Visit]]:
    """The visits of a site with what they are sorted by."""
    return ((visit.fetch.time, n, visit) for visit in site)


def share(part: int, whole: int) -> float | None:
    """A share; None of nothing."""
    return round(part / whole, 4) if whole else None


def summed(some: Sequence[Seen]) -> dict[str, float | None]:
    """Recall and precision of some revisits."""
    true = [one for one in some if one.visit.change]
    alarms = [one for one in some if one.told.changed]
    right = sum(one.visit.change is not None for one in alarms)
    precision, recall = share(right, len(alarms)), share(right, len(true))
    return {
        "event_recall": share(sum(one.found for one in true), len(true)),
        "recall": recall,
        "precision": precision,
        "f1": share(2 * right, len(true) + len(alarms)),
    }


def figures(some: Sequence[Seen], visits: int) -> dict[str, Any]:
    """The figures of one scenario."""
    first = [one for one in some if one.visit.number == 1]
    found: dict[str, Any] = summed(some)
    found["event_recall_first"] = summed(first)["event_recall"]
    for number in REVISITS:
        at = [one for one in some if one.visit.number == number]
        found[f"precision_{number}"] = summed(at)["precision"]
    late = [one for one in some if one.visit.number >= LEARNED]
    found["precision_late"] = summed(late)["precision"]
    swift = [one for one in late if not set(SLOW) & set(one.site.noises)]
    found["precision_late_without_slow"] = summed(swift)["precision"]
    found["extra_fetches"] = share(sum(one.told.controls for one in some), visits)
    return found


def by(some: Sequence[Seen], name: str) -> dict[str, Any]:
    """Event recall over all revisits, and precision of the later ones, for each kind or template."""
    found = {}
    for value in sorted({str(getattr(one.site, name)) for one in some}):
        part = [one for one in some if getattr(one.site, name) == value]
        late = [one for one in part if one.visit.number >= LEARNED]
        found[value] = {
            "event_recall": summed(part)["event_recall"],
            "precision_late": summed(late)["precision"],
        }
    return found


def by_noise(some: Sequence[Seen]) -> dict[str, Any]:
    """How often a later visit without a true change rang, on sites with each noise."""
    found = {}
    for name in ALL_NOISES:
        calm = [
            one for one in some
            if name in one.site.noises and not one.visit.change and one.visit.number >= LEARNED
        ]  # fmt: skip
        found[name] = share(sum(one.told.changed for one in calm), len(calm))
    return found


def redesigned(some: Sequence[Seen]) -> dict[str, float | None]:
    """What a new template of the whole host did at the visits that found it."""
    at = [one for one in some if one.visit.redesigned and not one.visit.change]
    hosts = {one.site.name for one in at}
    return {
        "called_changed": share(sum(one.told.changed for one in at), len(at)),
        "changed_pages_a_host": share(sum(one.told.changed for one in at), len(hosts)),
        **{key: value for key, value in summed(some).items() if key == "event_recall"},
    }


def sites_of(asked: argparse.Namespace, *, noises: Sequence[str] | None, **more: Any) -> list[Site]:
    """The sites of a half, or a sample of them."""
    common: dict[str, Any] = {"noises": noises, "rounds": asked.rounds, **more}
    if asked.half in PARTS:
        found: Iterable[Site] = () if "redesign" in more else everyday_sites(asked.half, asked.seed, **common)
    else:
        found = made_sites(asked.half, asked.seed, pages=asked.pages, **common)
    return list(islice(found, 0, None, asked.every))


def measured(asked: argparse.Namespace, noises: Sequence[str] | None) -> dict[str, Any]:
    """All scenarios of a half."""
    calm = sites_of(asked, noises=(), changing=0.7)
    noisy = sites_of(asked, noises=noises)
    moved = sites_of(asked, noises=(), redesign=4, changing=0.2)
    visits = sum(site.pages * site.visits for site in noisy)
    found: dict[str, Any] = {"half": asked.half, "seed": asked.seed, "sites": len(noisy)}
    quiets, louds, news = (
        played(calm, WAYS, "no noise"),
        played(noisy, WAYS, "noise"),
        played(moved, WAYS, "redesign"),
    )
    for name in quiets:
        quiet, loud, new = quiets[name], louds[name], news[name]
        found[name] = {
            "noiseless": figures(quiet, visits),
            "noise": figures(loud, visits),
            "redesign": redesigned(new),
            "noiseless_by_kind": by(quiet, "kind"),
            "by_kind": by(loud, "kind"),
            "by_template": by(loud, "template"),
            "by_language": by(loud, "language"),
            "false_alarms_by_noise": by_noise(loud),
        }
    return found


def errors(sites: Sequence[Site], way: Way) -> Iterator[str]:
    """True changes that were missed, and alarms without one after the first visits, with what counted."""
    for one in played(sites, [way], "errors")[way.name]:
        where = f"{one.visit.fetch.url} visit {one.visit.number}"
        if one.visit.change and not one.found:
            yield f"missed: {where}: {one.visit.change}; counted: {one.told.counted}"
        elif one.told.changed and not one.visit.change and one.visit.number >= LEARNED:
            yield f"alarm: {where}: {', '.join(one.site.noises)}; counted: {one.told.counted}"


def named(found: dict[str, Any]) -> dict[str, float]:
    """The figures that floors are about."""
    half = found["half"]
    figures_: dict[str, float] = {}
    for way, mark in (("ours", "plain"), ("ours with control", "control")):
        if way in found:
            calm, loud = found[way]["noiseless"], found[way]["noise"]
            figures_ |= {
                f"changes.{half}_{mark}_noiseless_recall_first": calm["event_recall_first"],
                f"changes.{half}_{mark}_recall": loud["event_recall"],
                f"changes.{half}_{mark}_precision_5": loud["precision_5"],
            }
    return {name: value for name, value in figures_.items() if value is not None}


def lines(found: dict[str, Any]) -> Iterator[str]:
    """The figures for people."""
    yield f"half {found['half']}, seed {found['seed']}, {found['sites']} sites"
    for way in ("digest", "ours", "ours with control"):
        for scenario in ("noiseless", "noise", "redesign"):
            told = " ".join(f"{key} {_figure(value)}" for key, value in found[way][scenario].items())
            yield f"{way:18} {scenario:10} {told}"
        if way != "digest":
            for table in ("noiseless_by_kind", "by_kind", "by_template", "by_language"):
                for name, row in found[way][table].items():
                    told = " ".join(f"{key} {_figure(value)}" for key, value in row.items())
                    yield f"    {table:18} {name:20} {told}"
            alarms = " ".join(f"{k} {_figure(v)}" for k, v in found[way]["false_alarms_by_noise"].items())
            yield f"    false alarms with  {alarms}"


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures, and write them to a file if one is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--half", choices=(*HALVES, *PARTS), default="dev")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=1, help="sites of each kind and template")
    parser.add_argument("--every", type=int, default=1, help="of the sites take only each of this number")
    parser.add_argument("--pages", type=int, default=6, help="pages of each site")
    parser.add_argument("--noises", help=f"fixed noises in place of drawn ones, of: {', '.join(ALL_NOISES)}")
    parser.add_argument("--show", type=int, default=0, help="print so many errors of dev or more instead")
    parser.add_argument("--control", action="store_true", help="with --show: make control fetches")
    parser.add_argument("--check", action="store_true", help="fail when a figure is worse than its floor")
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args(arguments)
    noises = tuple(asked.noises.split(",")) if asked.noises else None
    if unknown := set(noises or ()) - set(ALL_NOISES):
        parser.error(f"no such noise: {', '.join(sorted(unknown))}")
    if asked.show:
        if asked.half not in ("dev", "more"):
            parser.error("--show is for dev and more: rules are not made by looking at the others")
        way = WAYS[2] if asked.control else WAYS[1]
        print(*islice(errors(sites_of(asked, noises=noises), way), asked.show), sep="\n")
        return 0
    found = measured(asked, noises)
    print(*lines(found), sep="\n")
    if asked.json:
        asked.json.write_text(json.dumps({"figures": named(found), **found}, indent=1), encoding="utf-8")
    worse = floors.compare(named(found), floors.load()) if asked.check else []
    print(*worse, sep="\n", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
