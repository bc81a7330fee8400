"""The pure middle of a visit: what an answer says, without clock, network or memory of other pages."""

from dataclasses import dataclass

from fieldmouse.focus.page_words import sheet
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.page.head import feeds
from fieldmouse.page.read import Facts, read, static_features
from fieldmouse.settings import Settings
from fieldmouse.types import ParsedPage, Redirect, Response, Ticket
from fieldmouse.urls import Canon
from fieldmouse.web.http_headers import x_robots

from .link_scoring import GuidedPage, TopicFocus
from .page_redirects import followed, moves

REDIRECTS = frozenset({301, 302, 303, 307, 308})

LONGEST_TITLE = 500

HTML = frozenset({"text/html", "application/xhtml+xml"})


@dataclass(frozen=True, slots=True)
class Rules:
    """What does not change while a crawl runs."""

    settings: Settings
    canon: Canon
    scope: CrawlScope
    focus: TopicFocus | None = None  # who judges pages and links by a topic

    @property
    def agent(self) -> str:
        """The name robots.txt files and robots tags call us by."""
        return self.settings.crawl.product_token


@dataclass(frozen=True, slots=True, kw_only=True)
class Studied:
    """What one answer says."""

    kept: bool
    reading: ParsedPage | None = None
    links: list[str]
    page: GuidedPage | None = None  # its words and where its links stand in them, for a focused crawl
    target: str = ""  # where a redirect leads that is followed
    redirects: tuple[Redirect, ...] = ()
    feeds: tuple[str, ...] = ()
    note: str = ""


def study(ticket: Ticket, answer: Response, rules: Rules) -> Studied:
    """Read an answer: its links, where it sends us, whether its body is worth keeping."""
    if answer.status in REDIRECTS and (place := answer.header("location")):
        target = rules.canon(_latin_as_utf8(place), ticket.url) or ""
        note = f"redirects to {target}" if target else f"redirects to {place!r}, which is no address"
        moved = (Redirect("http", target),) if target and target != ticket.url else ()
        return Studied(kept=True, links=[], target=target, redirects=moved, note=note)
    if not 200 <= answer.status < 300:
        return Studied(kept=answer.status != 304, links=[])
    if not rules.scope.keeps(answer.mime):
        return Studied(kept=False, links=[], note=f"scope: media type {answer.mime} is not kept")
    if not _is_html(answer):
        return Studied(kept=True, links=[])
    return _study_html(ticket, answer, rules)


def _study_html(ticket: Ticket, answer: Response, rules: Rules) -> Studied:
    facts = read(answer.content, content_type=answer.header("content-type"), agent=rules.agent)
    said = x_robots([v for k, v in answer.headers if k == "x-robots-tag"], rules.agent)
    manners = rules.settings.manners
    follow = not (manners.obey_nofollow and (facts.nofollow or said.nofollow))
    keep = not (manners.obey_noindex and (facts.noindex or said.noindex))
    base = (rules.canon(facts.base, ticket.url) or ticket.url) if facts.base else ticket.url
    named = feeds(answer.content, facts.charset)
    values = [h.value for h in facts.hrefs if not (h.nofollow and manners.obey_nofollow)] if follow else []
    moved = moves(ticket.url, answer, facts, rules.canon)
    urls = rules.canon.resolved(base, values)
    return Studied(
        kept=keep,
        reading=_reading(facts, ticket, answer) if keep else None,
        links=list(dict.fromkeys(urls.values())),
        page=GuidedPage(sheet(answer.content, facts), urls) if rules.focus is not None else None,
        target=followed(moved),
        feeds=tuple(rules.canon.links(base, named)) if named else (),
        redirects=moved,
        note="" if keep else "robots: noindex",
    )


def _reading(facts: Facts, ticket: Ticket, answer: Response) -> ParsedPage:
    return ParsedPage(
        index=facts.index,
        charset=facts.charset,
        title=facts.title[:LONGEST_TITLE],
        language=facts.language,
        text_digest=facts.text_digest,
        features=static_features(
            facts, has_last_modified=bool(answer.header("last-modified")), depth=ticket.depth, url=ticket.url
        ),
    )


def _is_html(answer: Response) -> bool:
    return answer.mime in HTML or (not answer.mime and answer.content[:512].lstrip()[:1] == b"<")


def _latin_as_utf8(location: str) -> str:
    """Header values arrive as latin-1; a location with raw UTF-8 in it means UTF-8."""
    if location.isascii():
        return location
    try:
        return location.encode("latin-1").decode("utf-8")
    except (UnicodeDecodeError, UnicodeEncodeError):
        return location
