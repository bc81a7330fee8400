"""Archives for the tests of this folder, filled without any network."""

from pathlib import Path
from typing import Any

from fieldmouse.page.read import read, static_features
from fieldmouse.service.setup import estimator
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store.sqlite import crawl_store
from fieldmouse.store.sqlite.crawl_store import Store
from fieldmouse.types import Finding, OutLink, ParsedPage, Response, Ticket
from tests.store.answers import BEGAN, answer


def make(folder: Path, **overrides: Any) -> Settings:
    """Make an archive; its settings."""
    crawl_store.create(folder, "", BEGAN)
    return with_overrides(Settings(), {"archive.min_free": 0, **overrides})


def opened(folder: Path, settings: Settings, worker: str = "w0", *, join: bool = False) -> Store:
    return Store(folder, settings, estimator(settings), now=BEGAN, worker=worker, join=join)


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
    """A visit that brought an answer."""
    response = answer(body, url=url, began=at, status=status, headers=headers)
    host = url.split("/")[2]
    return Finding(
        ticket=Ticket(url=url, host=host), outcome=response, kept=status != 304,
        reading=reading(response) if status == 200 else None, inside=inside, outside=outside,
    )  # fmt: skip


def sightings(host: str, count: int, *, wanted: bool = True, start: int = 0) -> tuple[OutLink, ...]:
    return tuple(OutLink(host, f"http://{host}/{n}", wanted) for n in range(start, start + count))
