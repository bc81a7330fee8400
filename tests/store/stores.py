"""Archives for the tests of this folder, filled without any network."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from fieldmouse.crawl.study import Rules, Studied, study
from fieldmouse.files.warc_record import payload_digest
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.page.read import read, static_features
from fieldmouse.refresh.noise import HostNoise
from fieldmouse.refresh.planner import Planner
from fieldmouse.service.setup import estimator
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store import create, open_store
from fieldmouse.store.contract import Store
from fieldmouse.types import Change, Finding, OutLink, ParsedPage, Response, Ticket
from fieldmouse.urls import Canon
from tests.store.answers import BEGAN, answer


def make(folder: Path, server: str = "", **overrides: Any) -> Settings:
    """Make an archive, in a file or on a server; its settings."""
    create(folder, f'[archive]\nstore = "{server}"\n' if server else "", BEGAN)
    return with_overrides(Settings(), {"archive.min_free": 0, **overrides})


def opened(folder: Path, settings: Settings, worker: str = "w0", *, join: bool = False) -> Store:
    return open_store(folder, settings, estimator(settings), now=BEGAN, worker=worker, join=join)


def reading(response: Response) -> ParsedPage:
    facts = read(response.content, content_type="text/html")
    features = static_features(facts, has_last_modified=False, depth=0, url=response.url)
    return ParsedPage(
        index=facts.index, charset=facts.charset, title=facts.title, language=facts.language,
        text_digest=facts.text_digest, features=features,
    )  # fmt: skip


def found(
    url: str = "http://a.test/",
    body: bytes = b"<title>A</title><p>Hi",
    *,
    at: float = BEGAN,
    status: int = 200,
    headers: tuple[tuple[str, str], ...] = (("content-type", "text/html"),),
    inside: tuple[Ticket, ...] = (),
    outside: tuple[OutLink, ...] = (),
) -> Finding:
    """A first visit that brought an answer; `revisit` makes a later one of it."""
    response = answer(body, url=url, began=at, status=status, headers=headers)
    host = url.split("/")[2]
    digest = payload_digest(body) if status != 304 else ""
    change = Change(known_by="status", digest=digest, misses=1)
    if 200 <= status < 300:
        change = Change(known_by="first", digest=digest, new_version=True)
    return Finding(
        ticket=Ticket(url=url, host=host), outcome=response, change=change,
        reading=reading(response) if status == 200 else None, inside=inside, outside=outside,
    )  # fmt: skip


def studied(store: Store, finding: Finding, planner: Planner | None = None, *, read: bool = True) -> Studied:
    """Recall what is known of a page and study a visit, as the crawl does."""
    rules = Rules(store.settings, Canon(), CrawlScope(store.settings.scope, ["a.test"]), planner=planner)
    ticket, outcome, noise = finding.ticket, finding.outcome, _noise(store, finding.ticket.host)
    past = store.recall(ticket.url, outcome, compared=planner is not None, noisy=noise is not None)
    return study(ticket, outcome, past, rules, noise=noise, read=read)


def _noise(store: Store, host: str) -> HostNoise | None:
    row = store.db.one("noise", host=host)
    return HostNoise.loaded(row[0]) if row else None


def revisit(store: Store, finding: Finding, planner: Planner | None = None, *, read: bool = True) -> Finding:
    """A finding with what the study of the visit says; what it shows of the host's noise is stored."""
    one, _, verdict, _ = studied(store, finding, planner, read=read)
    noise = _noise(store, finding.ticket.host)
    if verdict is not None and verdict.evidence is not None and (noise or verdict.evidence.events):
        noise = noise or HostNoise()
        noise.learn(verdict.evidence)
        store.db.many("put_noise", [(finding.ticket.host, noise.saved())])
    return replace(
        finding, change=one.change, plan=one.plan, fresh=one.fresh, reading=one.reading,
        page_noise=one.page_noise,
    )  # fmt: skip


def visited(store: Store, findings: Iterable[Finding], now: float, planner: Planner | None = None) -> None:
    """Commit visits one after the other, each compared with those before it."""
    for finding in findings:
        store.commit([revisit(store, finding, planner)], now)


def outlinks(host: str, count: int, *, wanted: bool = True, start: int = 0) -> tuple[OutLink, ...]:
    return tuple(OutLink(host, f"http://{host}/{n}", wanted) for n in range(start, start + count))
