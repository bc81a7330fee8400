"""What a crawl is set up from: its guard, its scope, its canonical addresses, its estimate of hosts."""

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from contextlib import suppress
from typing import Any

from fieldmouse.crawl.guide_setup import focusing
from fieldmouse.crawl.study import Rules
from fieldmouse.errors import ConfigError
from fieldmouse.exits import Exit
from fieldmouse.frontier.pending_estimate import UrlSketch
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.gc_tuning import rare_collection
from fieldmouse.jobs.train import host_ranks, load, static_prediction
from fieldmouse.refresh.planner import Planner
from fieldmouse.refresh.rates import prior_from_text
from fieldmouse.settings import Settings
from fieldmouse.store.contract import Estimate, Store
from fieldmouse.urls import Canon, host_key
from fieldmouse.web.guard import Guard


def estimator(settings: Settings) -> Estimate:
    """How a host's pending pages are estimated: from a sketch of its addresses, or from who links to it."""
    limits = settings.frontier
    empty = UrlSketch(limits.sketch_urls, limits.sketch_error).to_bytes()

    def estimate(stored: bytes, urls: Sequence[str], in_hosts: int) -> tuple[bytes, float, Sequence[str]]:
        sketch = UrlSketch.from_bytes(stored or empty)
        fresh = sketch.add(urls)
        pending = float(in_hosts) if limits.estimator == "in-degree" else sketch.estimate()
        return sketch.to_bytes(), pending, fresh

    return estimate


def planner(store: Store, settings: Settings) -> Planner:
    """The planner of this archive, with the price and the rates learned so far."""
    price = store.schedule.fetch_price()
    return Planner(
        settings,
        price=price.price if price else None,
        pages=store.schedule.scheduled_count(),
        static_prediction=static_prediction(load(store.folder), lambda: host_ranks(store.host_links())),
        rate_prior=prior_from_text(store.schedule.rate_prior()),
    )


def check_contact(settings: Settings) -> None:
    """Nobody visits the public Web without saying who they are."""
    crawl = settings.crawl
    if not crawl.contact and not crawl.user_agent and not settings.web.allow_addresses:
        raise ConfigError(
            "set crawl.contact to a web page or e-mail address where site owners reach you "
            "(in fieldmouse.toml, with FIELDMOUSE_CRAWL_CONTACT, or with --contact); "
            "the public Web is not crawled anonymously"
        )


def guard(settings: Settings) -> Guard:
    """The guard of a crawl: an anonymous one may only visit the networks it was explicitly allowed."""
    anonymous = not settings.crawl.contact and not settings.crawl.user_agent
    return Guard(settings.web.allow_addresses, public=not anonymous)


def canon(settings: Settings) -> Canon:
    """The canonical form of addresses under these settings."""
    return Canon(drop=settings.scope.drop_params, keep=settings.scope.keep_params)


def sort_seeds(seeds: Iterable[str], form: Canon) -> tuple[dict[str, list[str]], list[str]]:
    """Seeds by host, and those that are no addresses."""
    by_host: dict[str, list[str]] = {}
    bad = []
    for text in seeds:
        url = form(text if "://" in text else f"http://{text}")
        if url is None:
            bad.append(text)
        else:
            by_host.setdefault(host_key(url), []).append(url)
    return by_host, bad


def rules(
    store: Store, settings: Settings, *, planner: Planner | None = None, focused: bool = False
) -> Rules:
    """What holds for a whole crawl of this archive; `focused` ones keep to the topic that is set, if any."""
    focus = focusing(store, settings) if focused else None
    return Rules(settings, canon(settings), CrawlScope(settings.scope, store.seed_hosts()), focus, planner)


def run_loop(work: Coroutine[Any, Any, Exit]) -> Exit:
    """Run on uvloop where it exists."""
    factory = None
    with suppress(ImportError):
        import uvloop

        factory = uvloop.new_event_loop
    with rare_collection(), asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)
