"""Archives for the tests of the dashboard, filled without any network: prices, hostile text, trouble."""

import time
from pathlib import Path
from typing import NamedTuple

from fieldmouse import library
from fieldmouse.jobs.build_topic import TopicRequest, build_topic
from fieldmouse.jobs.label_archive import LabelOrder, label_archive
from fieldmouse.labels.classes import load_classes
from fieldmouse.report.archive_snapshot import store_snapshot
from fieldmouse.service.setup import planner
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store import create
from fieldmouse.store.contract import Store
from fieldmouse.types import Change, Failure, Finding, Ticket, Trouble
from fieldmouse.units import DAY, HOUR
from tests.store.stores import found, opened, visited

SHOP, NEWS, ODD, DOWN = "http://shop.test", "http://news.test", "http://odd.test", "http://down.test"
HOSTILE = "<script>document.title='owned'</script><img src=http://192.0.2.9/x onerror=alert(1)>"
FOREIGN = "価格表 · قائمة الأسعار · Preisliste"
LONG = "Donaudampfschifffahrtsgesellschaftskapitän" * 12
COUNTER = "Seen so far"


class Filled(NamedTuple):
    """An archive, and when its last visit was."""

    folder: Path
    now: float


def price_list(day: int) -> bytes:
    rows = "".join(f"<tr><th>Coil, {size} mm</th><td>€{640 - 7 * day - size}</td></tr>" for size in (3, 6, 8))
    return (
        f"<title>Weekly prices</title><h1>Weekly prices</h1><p>Ex works, without freight.</p><table>{rows}"
        f"</table><p>{COUNTER}: {1000 + 37 * day}</p>"
    ).encode()


def news_page(day: int) -> bytes:
    items = "".join(f"<li>Plant {n} signs contract number {n}</li>" for n in range(day, day + 5))
    return f"<title>News</title><h1>News</h1><ul>{items}</ul>".encode()


def odd_page(day: int) -> bytes:
    """Escaped markup as text, several scripts, and a word without end."""
    text = HOSTILE.replace("<", "&lt;")
    return (
        f"<title>{text} {FOREIGN}</title><link rel=preconnect href=http://192.0.2.9/>"
        f"<meta http-equiv=refresh content='0;url=http://192.0.2.9/gone'>{HOSTILE}"
        f"<h1>{FOREIGN}</h1><p>{text} number {day}</p><p>{LONG}{day}</p>"
    ).encode()


def failed(url: str, at: float) -> Finding:
    failure = Failure(url=url, trouble=Trouble.CONNECT, detail="refused", began=at)
    return Finding(ticket=Ticket(url=url, host=url.split("/")[2]), outcome=failure, change=Change(misses=1))


def settings_of(**overrides: object) -> Settings:
    return with_overrides(Settings(), {"archive.min_free": 0, "refresh.budget": 50.0, **overrides})


def fill(store: Store, settings: Settings, start: float, days: int) -> None:
    plan = planner(store, settings)
    urls = {f"{SHOP}/prices": price_list, f"{NEWS}/": news_page, f"{ODD}/": odd_page}
    store.seed({url.split("/")[2]: [url] for url in (*urls, f"{DOWN}/")}, start)
    visited(store, [found(f"{DOWN}/", b"<title>Down</title><p>Here once.", at=start)], start, plan)
    for day in range(days):
        at = start + day * DAY
        visited(
            store, [found(url, body(day), at=at + n) for n, (url, body) in enumerate(urls.items())], at, plan
        )
        store_snapshot(store.folder, settings, at)
    last = start + (days - 1) * DAY
    visited(store, [found(f"{SHOP}/gone", b"no", status=404, at=last)], last, plan)
    visited(store, [failed(f"{DOWN}/x", last - 2 * HOUR)], last - 2 * HOUR)


TOPIC = "coil prices"


def reviewed(folder: Path) -> None:
    """Texts to search, labels to review, and a topic with its judgements, by the code of the commands."""
    with library.open(folder) as archive:
        list(archive.clean())
        request = TopicRequest(name=TOPIC, examples=(f"{SHOP}/prices",), off=(f"{NEWS}/",))
        build_topic(archive.reader, archive.canon, lambda _: b"", request)
        list(archive.classify(TOPIC))
        with archive.writing() as store:
            label_archive(store, LabelOrder(classes=load_classes("business")), time.time())


def filled(folder: Path, days: int = 6, now: float | None = None) -> Filled:
    """An archive that was refreshed daily until a minute before `now`."""
    now = now or time.time()
    settings = settings_of()
    create(folder, "", now - 9 * DAY)
    store = opened(folder, settings)
    try:
        fill(store, settings, now - (days - 1) * DAY - 60, days)
    finally:
        store.close()
    store_snapshot(folder, settings, now)
    return Filled(folder, now)
