"""Why a URL was fetched, skipped or is pending: everything the archive stored about it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.settings import Settings
from fieldmouse.store.contract import StoreReader
from fieldmouse.store.post_contract import FirstMention
from fieldmouse.store.records import HostRecord, Judgement, Prediction
from fieldmouse.types import PageRecord, SavedGuide, Version, Visit
from fieldmouse.urls import Canon, domain_of, host_key, origin
from fieldmouse.web.robots import Robots

from .copies import describe
from .reader_status import reader_lines, sent_lines
from .wording import count

REDIRECTS = 5  # in a row, that lead from an address in a post to a page


@dataclass(frozen=True, slots=True)
class Signal:
    """How often validators, a sitemap or feeds were right about changes, and how often wrong."""

    source: str
    agreed: int
    misled: int


@dataclass(frozen=True, slots=True)
class LinkScore:
    """The score of a pending link by the guide of the last focused crawl, with its evidence."""

    topic: str
    learner: str
    score: float
    reasons: tuple[str, ...]  # strongest first
    level: int  # pages in a row off topic before it


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """Everything that explains one URL."""

    asked: str
    url: str  # canonical; empty for anything but http and https
    summary: str
    scope: str = ""  # why it is out of scope, or empty
    robots: str = ""  # the rule of robots.txt that applies, or empty
    skipped: str = ""  # why it was not followed, or empty
    waiting: bool = False
    page: PageRecord | None = None
    host: HostRecord | None = None
    visits: tuple[Visit, ...] = ()
    versions: tuple[Version, ...] = ()
    due: float | None = None
    rate: float | None = None  # estimated changes a day
    predictions: tuple[Prediction, ...] = ()
    signals: tuple[Signal, ...] = ()  # change signals of its host, and how reliable they are
    judgements: tuple[Judgement, ...] = ()  # by topic
    promise: LinkScore | None = None  # score of a pending link, by the last focused crawl
    spam: tuple[str, ...] = ()  # name servers, parking evidence and redirects
    copy: str = ""  # how it is a copy of another page, or empty
    copies: tuple[str, ...] = ()  # pages that are copies of it
    named: tuple[str, ...] = ()  # the post that named it first, and how often its host was named
    readers: tuple[str, ...] = ()  # what readers did with it, and what the schedule decided by that


def why(reader: StoreReader, settings: Settings, seed_hosts: list[str], address: str) -> Why:
    """Explain a URL."""
    canon = Canon(drop=settings.scope.drop_params, keep=settings.scope.keep_params)
    url = canon(address if "://" in address else f"http://{address}")
    if url is None:
        return Why(asked=address, url="", summary="not an http or https URL")
    page, host = reader.page(url), reader.host(host_key(url))
    skip = reader.skip(host.id, url) if host else None
    waiting = reader.waiting(host.id, url) if host else None
    due, rate = reader.due(page) if page else (None, None)
    forgotten = {one.url: one for one in reader.forgotten()}
    scope = CrawlScope(settings.scope, seed_hosts, forgotten).reject(url)
    robots = _robots(reader, settings, url)
    copy = reader.templates.copy_of(page.id) if page else None
    promise = _link_score(reader.guide(), url) if page is None else None
    skipped = skip[1] if skip else ""
    if not skip and promise and promise.level and waiting is None:
        # The crawl that abandoned it may have had another limit than the settings.
        outside = host is not None and host.state == "outside"
        if outside or 0 < settings.focus.level_limit <= promise.level:
            skipped = f"focus: {promise.level} pages off the topic in a row"
    visits = tuple(reader.visits(page)) if page else ()
    summary = _summary(page, host, skipped, waiting, scope or robots)
    named = tuple(_named(reader, url))
    if page is None and named and host is not None and host.state == "waiting" and not (skipped or scope):
        summary = f"pending: named in posts, and its host is waiting ({host.reason})"
    if (wish := forgotten.get(url)) is not None:
        summary = (
            f"forgotten on {_day(wish.time)}: {wish.versions} versions were erased; it is not visited again"
        )
    if host is not None and host.paused_at is not None:
        summary += f"; not visited: its host is paused since {_day(host.paused_at)}"
    failed = page is not None and page.version is None and page.trouble and visits
    return Why(
        asked=address,
        url=url,
        summary=f"{summary}: {visits[-1].note}" if failed and visits[-1].note else summary,
        scope=scope,
        robots=robots,
        skipped=skipped,
        waiting=waiting is not None,
        page=page,
        host=host,
        visits=visits,
        versions=tuple(reader.versions(page)) if page else (),
        due=due,
        rate=rate,
        predictions=tuple(reader.predictions(page)) if page else (),
        signals=tuple(Signal(*one) for one in reader.signals(host.name)) if host else (),
        judgements=tuple(_judgements(reader, page)) if page else (),
        promise=promise,
        spam=(*_content_spam(reader, page), *_spam(reader, url)),
        named=named,
        readers=(*sent_lines(reader, url), *(reader_lines(reader, settings, page) if page else ())),
        copy=describe(copy) if copy else "",
        copies=tuple(reader.templates.copies_of(page.id)) if page else (),
    )


def _robots(reader: StoreReader, settings: Settings, url: str) -> str:
    """The rule of robots.txt that applies, or empty."""
    if (record := reader.robots(origin(url))) is None:
        return ""
    rules = Robots.from_record(record, settings.crawl.product_token)
    if rules.verdict is False:  # there are no rules: it could not be fetched
        return rules.reason
    return f"robots.txt {'allows' if rules.allows(url) else 'forbids'} it ({rules.rule(url)})"


def _judgements(reader: StoreReader, page: PageRecord) -> Iterator[Judgement]:
    """What was said of a page for each topic, in words that people know."""
    found = reader.judgements(page.id)
    if not found:
        return
    from .evidence_words import page_evidence

    for one in found:
        yield replace(one, reasons=page_evidence(reader, page, one.reasons))


def _named(reader: StoreReader, url: str) -> Iterator[str]:
    """The post that named a page first, also as an address that redirects to it, such as a short one.

    Then how often and how lately its host was named.
    """
    names, known = [url], {url}
    found: list[tuple[FirstMention, str]] = []
    for _ in range(REDIRECTS):
        found += [(one, name) for name in names if (one := reader.posts.first_mention(name)) is not None]
        names = [one for name in names for one in reader.redirects.leading_to(name) if one not in known]
        known.update(names)
    if found:
        first, name = min(found, key=lambda one: one[0].time)
        who = f"by {first.author} " if first.author else ""
        short = f" as {name}" if name != url else ""
        words = first.words or "no words around it"
        yield f"first {who}on {_day(first.time)}{short}, in {first.source}: {words}"
        if first.posts > 1:
            yield f"in {count(first.posts, 'post')}, the last on {_day(first.last)}"
    if (host := reader.posts.host_mentions(host_key(url))) is not None:
        times = f"from {_day(host.first)} to {_day(host.last)}"
        yield (
            f"its host in {count(host.posts, 'post')} of {count(host.authors, 'author')}, {times}; "
            f"counts as {host.named:.1f} people today"
        )


def _day(time: float) -> str:
    return datetime.fromtimestamp(time, UTC).date().isoformat()


def _content_spam(reader: StoreReader, page: PageRecord | None) -> Iterator[str]:
    if page is not None and (found := reader.content_spam(page.id)) is not None:
        verdict = f"spam; {found.words}" if found.spam else "not spam"
        yield f"spam score of its main text {found.score} of 99: {verdict}"


def _spam(reader: StoreReader, url: str) -> Iterator[str]:
    """The name servers of the domain, the look of its home page, and its redirects."""
    domain = domain_of(url)
    if (root := reader.domains.get(domain)) is not None:
        servers, places = " ".join(root.name_servers), " ".join((*root.aliases, *root.addresses))
        yield f"{domain} has name servers {servers or 'unknown'} and resolves to {places or 'nothing'}"
    if (home := reader.domains.home(domain)) is not None and home.packed is not None and home.cues:
        yield f"its home page has a parking score of {home.score:.2f}: {', '.join(home.cues)}"
    for move in reader.redirects.of(url):
        sure = "" if move.certain else ", conditional"
        yield f"redirects to {move.target} ({move.kind}{sure})"
    ahead = {domain, *(domain_of(move.target) for move in reader.redirects.of(url))}
    for farm in filter(None, map(reader.redirects.farm, sorted(ahead))):
        yield f"{farm.domain} is redirect spam: {'; '.join(farm.reasons)}"


def _link_score(learned: SavedGuide | None, url: str) -> LinkScore | None:
    """The score of a link; None without a guide, or if the guide does not know the link."""
    if learned is None:
        return None
    from fieldmouse.focus.guide import Guide  # with WordNet, a tenth of a second
    from fieldmouse.focus.link_learner import level_of
    from fieldmouse.focus.wordnet import load

    guide = Guide.from_bytes(learned.data, load())
    if url not in guide.pending:
        return None
    verdict, level = guide.explain(url), level_of(guide.pending[url])
    return LinkScore(learned.topic, learned.learner, round(verdict.score, 4), verdict.reasons, level)


def _summary(
    page: PageRecord | None, host: HostRecord | None, skip: str, waiting: tuple[int, str] | None, rule: str
) -> str:
    """The answer in one sentence."""
    if page is not None and page.version is not None:
        known = {"seed": "a seed", "home page": "the home page of its host", "reader": "sent by a reader"}
        found = known.get(page.via, f"found on {page.via}")
        if page.via.startswith("post in "):
            found = f"named in a {page.via}"
        if page.trail == "I":
            found = f"imported from {page.via}"
        times = f"{count(page.visits, 'visit')}, {count(page.versions, 'version')}"
        return f"stored: {found}, {times}" if page.via else f"stored: {times}"
    if page is not None and page.trouble:
        return f"requested, failed: {page.trouble}"
    if page is not None:
        return f"requested: the server answered {page.status}"
    if waiting is not None:
        return f"pending at depth {waiting[0]}, found on {waiting[1]}"
    if skip.startswith("deferred"):
        return f"{skip}; some of these pages are visited each day"
    if skip:
        return f"not followed: {skip}"
    if rule.startswith("scope") or "forbids" in rule or "nothing may be fetched" in rule:
        return f"not followed: {rule}"
    if host is not None:
        return f"never seen; its host is {host.state} ({host.reason})"
    return "never seen, and its host is unknown"
