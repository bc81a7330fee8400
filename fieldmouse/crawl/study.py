"""The pure middle of a visit: read the answer, compare it with the last version, plan the next visit."""

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from fieldmouse import urls
from fieldmouse.files.warc_record import payload_digest
from fieldmouse.focus.words import page_words
from fieldmouse.frontier.page_novelty import TextUnits
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.page.blocks import text_blocks
from fieldmouse.page.head import feeds
from fieldmouse.page.read import LONGEST_TITLE, Facts, read, static_features
from fieldmouse.refresh.allocation import ControlBudget
from fieldmouse.refresh.change import (
    SAME,
    ChangeVerdict,
    ControlVerdict,
    judge_change,
    judge_control,
    same_copy,
)
from fieldmouse.refresh.noise import HostNoise, PageNoise
from fieldmouse.refresh.planner import GONE, Planner
from fieldmouse.settings import Settings
from fieldmouse.spam.page_frames import LITTLE
from fieldmouse.spam.redirects import READABLE, SOON, redirects
from fieldmouse.spam.script_redirects import may_redirect
from fieldmouse.types import (
    Change,
    Correction,
    Failure,
    Finding,
    KnownPage,
    Outcome,
    PageClasses,
    ParsedPage,
    Redirect,
    Response,
    StoredCopy,
    Ticket,
    VisitHistory,
)
from fieldmouse.units import DAY
from fieldmouse.urls import Canon
from fieldmouse.web.http_headers import x_robots

from .link_scoring import GuidedPage, TopicFocus

if TYPE_CHECKING:
    from .page_classes import PageSorter  # loads numpy

REDIRECTS = frozenset({301, 302, 303, 307, 308})

# A page that redirects within these seconds is followed as an HTTP redirect is.
AT_ONCE = 1.0

# The note of a page that asks not to be stored.
NOINDEX = "robots: noindex"

HTML = frozenset({"text/html", "application/xhtml+xml"})

# A larger share of linked words makes a block a link, whose text is no text of the page.
LINKED = 0.6

_CELLS = frozenset((b"td", b"th"))
# What a link to another host has: a scheme, two slashes, or what browsers read as such.
_leaves = re.compile(r"[:\\\t\n\r]|//").search
_image = re.compile(rb"<img\b[^>]{0,400}?\bsrc\s*=\s*[\"']?([^\"'\s>]{1,300})", re.IGNORECASE).findall

# The via of sitemaps, which are read when robots.txt is and have no plan of their own.
SITEMAP = "robots.txt"


@dataclass(frozen=True, slots=True)
class Rules:
    """What holds for every page of a crawl."""

    settings: Settings
    canon: Canon
    scope: CrawlScope
    focus: TopicFocus | None = None  # judges pages and links by a topic
    planner: Planner | None = None  # plans visits; without one nothing is ever due
    controls: ControlBudget | None = None  # control fetches left; without one none is made
    sorter: "PageSorter | None" = None  # sorts pages into classes, and refuses some
    outside: bool = False  # links to other pages of the host are not wanted: an import follows nothing

    @property
    def agent(self) -> str:
        """The name that robots.txt files and robots tags call us by."""
        return self.settings.crawl.product_token


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What an answer says."""

    kept: bool  # its body belongs in the archive
    reading: ParsedPage | None = None
    links: list[str] = field(default_factory=list)
    words: GuidedPage | None = None  # its words and where its links stand in them, for a focused crawl
    target: str = ""  # where a redirect leads that is followed
    redirects: tuple[Redirect, ...] = ()
    feeds: tuple[str, ...] = ()
    classes: PageClasses | None = None
    text: TextUnits | None = None  # by which its URL pattern is credited; None on a refresh
    note: str = ""


class Studied(NamedTuple):
    """A visit as it is written, and what the host session does with it before."""

    finding: Finding
    content: Content
    verdict: ChangeVerdict | None = None  # what the host's noise is learned from, if anything
    control: ControlVerdict | None = None  # the same of a control fetch


def study(
    ticket: Ticket,
    outcome: Outcome,
    past: KnownPage | None,
    rules: Rules,
    *,
    noise: HostNoise | None = None,
    read: bool = True,
    content: Content | None = None,
) -> Studied:
    """Read an answer, compare it with what is known of the page, and plan the next visit.

    Pure: `past` was recalled before, `noise` is what is known of the host's noise. Without `read` the body
    is neither read nor kept: a sitemap, or an answer after which the page is requested again. `content` is
    what `read_answer` gave already.
    """
    if content is None and read and isinstance(outcome, Response):
        content = read_answer(ticket, outcome, rules)
    content = content or Content(kept=False)
    if ticket.control and past is not None and past.checked is not None:
        return _study_control(ticket, outcome, content, past, rules)
    change, verdict = compare(ticket, outcome, content, past, rules, noise=noise)
    planner = rules.planner if change.newest and ticket.via != SITEMAP else None
    finding = Finding(
        ticket=ticket,
        outcome=outcome,
        change=change,
        plan=planner.plan(_history(ticket, outcome, content, change, past)) if planner else None,
        fresh=planner.fresh(past.rate or 0.0, past.shape, max(0.0, change.gap) / DAY)
        if planner and past
        else None,
        reading=content.reading,
        redirects=content.redirects,
        classes=content.classes,
        page_noise=verdict.page.saved() if verdict and past and (past.noise or verdict.page.slots) else b"",
        note=content.note,
    )
    return Studied(finding, content, verdict)


def read_answer(ticket: Ticket, answer: Response, rules: Rules) -> Content:
    """What an answer says: its links, where it redirects, whether its body is kept."""
    if answer.status in REDIRECTS and (place := answer.header("location")):
        target = rules.canon(_latin_as_utf8(place), ticket.url) or ""
        note = f"redirects to {target}" if target else f"redirects to {place!r}, which is not an address"
        moved = (Redirect("http", target),) if target and target != ticket.url else ()
        return Content(kept=True, target=target, redirects=moved, note=note)
    if not 200 <= answer.status < 300:
        return Content(kept=answer.status != 304)
    mime = answer.mime
    if not rules.scope.keeps(mime):
        return Content(kept=False, note=f"scope: media type {mime} is not kept")
    if mime not in HTML and (mime or answer.content[:512].lstrip()[:1] != b"<"):
        return Content(kept=True)
    return _read_html(ticket, answer, rules)


def _read_html(ticket: Ticket, answer: Response, rules: Rules) -> Content:
    # To resolve an address costs several times as much as to see that it stays.
    leaving = rules.outside and rules.focus is None and rules.sorter is None
    facts = read(
        answer.content, content_type=answer.header("content-type"), agent=rules.agent, leaving=leaving
    )
    said = x_robots([v for k, v in answer.headers if k == "x-robots-tag"], rules.agent)
    manners = rules.settings.manners
    follow = not (manners.obey_nofollow and (facts.nofollow or said.nofollow))
    keep = not (manners.obey_noindex and (facts.noindex or said.noindex))
    base = (rules.canon(facts.base, ticket.url) or ticket.url) if facts.base else ticket.url
    named = feeds(answer.content, facts.charset)
    values = [
        h.value
        for h in (facts.hrefs if follow else ())
        if not (h.nofollow and manners.obey_nofollow)
        and not (h.kind == "canonical" and urls.same_page(rules.canon(h.value, base) or "", ticket.url))
    ]
    moved = _redirects_of(ticket.url, answer, facts, rules.canon)
    classes, note = None, "" if keep else NOINDEX
    if keep and rules.sorter is not None:
        classes = rules.sorter.sort(ticket.host, answer.content, facts)
        if note := rules.sorter.refuses(classes):
            keep = False
            values = values if rules.sorter.leads_on(ticket, classes) else []
    if rules.outside and rules.focus is None and base.startswith(urls.home(ticket.url)):
        values = _leaving(values)
    resolved = rules.canon.resolved(base, values)
    reading = None
    if keep:
        dated = bool(answer.header("last-modified"))
        reading = ParsedPage(
            index=facts.index,
            charset=facts.charset,
            title=facts.title[:LONGEST_TITLE],
            language=facts.language,
            text_digest=facts.text_digest,
            features=static_features(facts, has_last_modified=dated, depth=ticket.depth, url=ticket.url),
        )
    return Content(
        kept=keep,
        reading=reading,
        links=list(dict.fromkeys(resolved.values())),
        words=GuidedPage(page_words(answer.content, facts), resolved) if rules.focus is not None else None,
        target=next((one.url for one in moved if one.certain and one.delay <= AT_ONCE), ""),
        feeds=tuple(rules.canon.links(base, named)) if named else (),
        redirects=moved,
        classes=classes,
        text=page_text(answer.content, facts) if rules.settings.scope.traps and not ticket.refresh else None,
        note=note,
    )


def _leaving(values: list[str]) -> list[str]:
    """The links that may lead to another host; a pattern takes ten times as long as to look for signs."""
    together = "\0".join(values)
    if any(sign in together for sign in "\\\t\n\r"):
        return list(filter(_leaves, values))
    return [one for one in values if ":" in one or "//" in one]


def page_text(content: bytes, facts: Facts) -> TextUnits:
    """The texts of a page outside and inside links, and its images."""
    units: list[str] = []
    linked: list[str] = []
    page, row = text_blocks(content, facts.index, facts.charset), 0
    for block in page.blocks:
        if block.linked_words > LINKED * block.words:
            linked.append(block.text)
            continue
        parent, name, *_ = page.elements[block.element]
        if name not in _CELLS:
            row = 0
        elif parent == row:  # a row says who has what
            units[-1] += " " + block.text
            continue
        else:
            row = parent
        units.append(block.text)
    images = [found.decode("latin-1") for found in _image(content)] if facts.images else []
    return TextUnits(tuple(units), " ".join(linked), tuple(images))


def _redirects_of(url: str, answer: Response, facts: Facts, canon: Canon) -> tuple[Redirect, ...]:
    """The redirects of a page, each canonical address once and none to the page itself.

    Reading scripts costs more than the rest of the study, so it is done only where a redirect is possible:
    a page with much text uses neither scripts nor frames for one.
    """
    soon = facts.refresh_delay is not None or answer.header("refresh")
    if facts.text_bytes > READABLE:
        if not soon:
            return ()
        found = redirects(url, headers=answer.headers)
        if facts.refresh_delay is not None and facts.refresh_delay <= SOON:
            base = (urls.parse(facts.base, url) or url) if facts.base else url
            hrefs = (urls.parse(one.value, base) for one in facts.hrefs if one.kind == "refresh")
            found += [Redirect("meta", href, facts.refresh_delay) for href in hrefs if href]
    else:
        content = answer.content
        frames = b"<frame" in content or b"<FRAME" in content
        if not frames and facts.text_bytes <= 2 * LITTLE:  # what stands in `noframes` counts as text
            frames = b"<iframe" in content or b"<IFRAME" in content or b"<Iframe" in content
        if not (soon or frames or may_redirect(content)):
            return ()
        found = redirects(url, headers=answer.headers, content=content, facts=facts)
    kept: dict[str, Redirect] = {}
    for one in found:
        target = canon(one.url)
        if target is not None and target != url:
            kept.setdefault(target, one._replace(url=target))
    return tuple(kept.values())


def compare(
    ticket: Ticket,
    outcome: Outcome,
    content: Content,
    past: KnownPage | None,
    rules: Rules,
    *,
    noise: HostNoise | None,
) -> tuple[Change, ChangeVerdict | None]:
    """How an answer differs from the stored version, and the verdict that noise is learned from."""
    # A refresh is the newest visit, whatever the clock said at the last one.
    newest = past is None or ticket.refresh or outcome.began >= past.last_visit
    gap = outcome.began - past.last_found if past else 0.0
    misses = (past.misses if past else 0) + 1
    if isinstance(outcome, Failure):
        return Change(known_by="error", newest=newest, gap=gap, misses=misses), None
    if outcome.status == 304 and past and past.digest:
        change = Change(
            known_by="304", digest=past.digest, same_as=past.stored_at, why=SAME, newest=newest, gap=gap
        )
    elif not content.kept:
        return Change(known_by="status", newest=newest, gap=gap, misses=misses), None
    else:
        digest = payload_digest(outcome.body)
        if not 200 <= outcome.status < 300:
            return Change(known_by="status", digest=digest, newest=newest, gap=gap, misses=misses), None
        if past is None or not past.digest:
            return Change(known_by="first", digest=digest, new_version=True, newest=newest, gap=gap), None
        same_as = past.stored_at if digest == past.digest else past.same_at
        change = Change(
            known_by="digest", digest=digest, same_as=same_as, new_version=same_as is None, newest=newest,
            why=SAME if same_as is not None else "", gap=gap,
        )  # fmt: skip
    if not newest:
        return change, None
    page, now = content.reading, None
    if page is not None:
        now = StoredCopy(content=outcome.content, index=page.index, charset=page.charset, time=outcome.began)
    state = PageNoise.loaded(past.noise)
    if not change.new_version:
        # What changes seldom is not noise, so visits without a change are learned from where noise is known.
        seen = now or past.copy
        if noise is None or not noise.places or seen is None:
            return change, None
        return change, same_copy(seen, state, ticket.url)
    if now is None:
        return replace(change, changed=True, why="changed: its bytes differ"), None
    if past.copy is None:
        changed = page is None or page.text_digest != past.text_digest
        why = "changed: its text differs from a copy that cannot be compared" if changed else SAME
        return replace(change, changed=changed, why=why), None
    verdict = judge_change(
        past.copy, now, state, noise or HostNoise(), rules.settings.refresh,
        url=ticket.url, last_visit=past.last_found,
    )  # fmt: skip
    change = replace(
        change, changed=verdict.changed, why=verdict.note, size=verdict.size, kinds=verdict.kinds,
        diff=verdict.to_json(),
    )  # fmt: skip
    return change, verdict


def _study_control(
    ticket: Ticket, outcome: Outcome, content: Content, past: KnownPage, rules: Rules
) -> Studied:
    """Compare a second fetch within minutes with the visit before it; what differs between them is noise.

    Its answer is not stored, and it is no visit that shows whether the page has changed.
    """
    checked, page, found = past.checked, content.reading, None
    assert checked is not None
    change = Change(known_by="control", newest=False, gap=outcome.began - past.last_found)
    same = isinstance(outcome, Response) and 200 <= outcome.status < 300 and page is not None
    if same and page is not None and isinstance(outcome, Response):
        now = StoredCopy(content=outcome.content, index=page.index, charset=page.charset, time=outcome.began)
        differs = payload_digest(outcome.body) != past.digest
        if past.copy is not None or not differs:
            found = judge_control(
                past.copy or now, now if differs else None, (checked.size, checked.diff),
                PageNoise.loaded(past.noise), rules.settings.refresh,
            )  # fmt: skip
    finding = Finding(
        ticket=ticket, outcome=outcome, change=change, note="control fetch: no answer to compare"
    )
    content = Content(kept=False, links=content.links, words=content.words)
    if found is None:
        return Studied(finding, content)
    verdict = found.verdict
    finding.note, finding.page_noise = found.note, found.page.saved()
    if found.corrected or verdict.changed:
        finding.correction = Correction(
            checked.time, verdict.changed, verdict.size, verdict.kinds, verdict.to_json(), verdict.note
        )
    if not verdict.changed and rules.planner is not None and past.gaps:
        unchanged = replace(past, gaps=((past.gaps[0][0], False), *past.gaps[1:]))
        finding.plan = rules.planner.plan(
            replace(_history(ticket, outcome, content, change, unchanged), found=True, misses=0)
        )
    return Studied(finding, content, control=found)


def _history(
    ticket: Ticket, outcome: Outcome, content: Content, change: Change, past: KnownPage | None
) -> VisitHistory:
    """The visits of a page with this one, for its planner."""
    status = outcome.status if isinstance(outcome, Response) else 0
    gaps = past.gaps if past else ()
    if change.found and change.known_by != "first":
        gaps = ((change.gap / DAY, change.changed), *gaps)
    features = content.reading.features if content.reading else None
    if features is None and past is not None and past.features is not None:
        features = replace(past.features, depth=ticket.depth)
    return VisitHistory(
        url=ticket.url,
        host=ticket.host,
        time=outcome.began,
        found=change.found,
        status=status,
        misses=change.misses,
        gone=(past.gone if past else 0) + 1 if status in GONE else 0,
        gaps=gaps,
        features=features,
        weight=past.weight if past else 1.0,
        rate=past.rate if past else None,
    )


def _latin_as_utf8(location: str) -> str:
    """Header values arrive as latin-1; a location with raw UTF-8 in it means UTF-8."""
    if location.isascii():
        return location
    try:
        return location.encode("latin-1").decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        return location
