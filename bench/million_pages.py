"""An archive of a million made-up pages with text: `python -m bench.million_pages --folder DIR`.

Everything goes through the store's own doors: visits through `commit`, with WARC records, tag index, plans,
judgements and classes; labels through `put`; texts through `put_documents`, with the index of the search.
Pages have the frame of their host and a text of made-up words that follow Zipf's law. One host has a
twentieth of all pages; the others follow Zipf's law too. A tenth of the pages changed once, a fifth was
visited again without a change. The visits lie in the ninety days before `now`. The same seed makes the same
archive.
"""

import argparse
import itertools
import json
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from fieldmouse.crawl.guide_setup import topic_file
from fieldmouse.files.warc_record import payload_digest
from fieldmouse.focus.topic import Keyword, Topic
from fieldmouse.focus.topic import save as save_topic
from fieldmouse.jobs.label_archive import save_classes
from fieldmouse.labels.classes import ClassList, PageClass
from fieldmouse.page.read import read, static_features
from fieldmouse.refresh.diff_entries import DiffEntry, entries_to_json
from fieldmouse.report.archive_snapshot import store_snapshot
from fieldmouse.service.setup import estimator
from fieldmouse.settings import Settings, as_toml, with_overrides
from fieldmouse.store import create, open_actions, open_cleaning, open_store
from fieldmouse.store.cleaning_contract import BandedFingerprint, CleaningStore, FingerprintRow
from fieldmouse.store.contract import Store
from fieldmouse.store.label_contract import LabelRow
from fieldmouse.store.page_records import DocumentRow
from fieldmouse.types import (
    Change,
    Finding,
    PageClasses,
    ParsedPage,
    Response,
    Ticket,
    TopicJudgement,
    VisitPlan,
)
from fieldmouse.units import DAY, HOUR

BATCH = 1000
DAYS = 90  # in which the visits lie
TOPIC, CLASSES = "metals", "business"
CLASS_NAMES = ("price list", "news", "product", "report", "legal")
LANGUAGES = ("en", "en", "en", "de", "fr", "sv")
SYLLABLES = (
    *("ba", "be", "bi", "co", "da", "de", "fi", "ga", "ka", "la", "li", "lo", "ma", "mi", "na"),
    *("no", "pa", "ra", "ri", "sa", "se", "ta", "ti", "to", "ul", "va", "ve", "xi", "zo"),
)


@dataclass(frozen=True, slots=True)
class ArchivePlan:
    """How large an archive."""

    pages: int = 1_000_000
    hosts: int = 5_000
    words: int = 260  # of the text of a page, on average
    seed: int = 7


class MadePage(NamedTuple):
    """A page before its first visit."""

    number: int
    host: str
    url: str
    title: str
    text: str
    price: int


class MadeArchive:
    """Makes pages, and visits of them."""

    def __init__(self, plan: ArchivePlan, now: float) -> None:
        self.plan = plan
        self.now = now
        self.dice = random.Random(plan.seed)
        self.vocabulary = [
            "".join(self.dice.choices(SYLLABLES, k=self.dice.choice((2, 2, 3, 3, 4)))) for _ in range(40_000)
        ]
        self.weights = list(itertools.accumulate(1 / (rank + 5) for rank in range(len(self.vocabulary))))
        self.host_weights = list(itertools.accumulate(1 / (rank + 30) for rank in range(plan.hosts - 1)))

    def pages(self) -> Iterator[MadePage]:
        """Every page; page n has the id n in the archive."""
        for number in range(1, self.plan.pages + 1):
            rank = 0
            if number % 20:
                rank = 1 + self.dice.choices(range(self.plan.hosts - 1), cum_weights=self.host_weights)[0]
            host = f"www.site-{rank:05}.example"
            size = int(self.plan.words * self.dice.uniform(0.3, 1.7))
            words = self.dice.choices(self.vocabulary, cum_weights=self.weights, k=size)
            text = " ".join(
                f"{' '.join(words[at : at + 14]).capitalize()}." for at in range(0, len(words), 14)
            )
            title = " ".join(words[:6]).title()
            url = f"https://{host}/{words[0]}/{number}"
            yield MadePage(number, host, url, title, text, self.dice.randrange(100, 9000))

    def first_visit(self, page: MadePage, at: float) -> Finding:
        """The visit that stores a page."""
        change = Change(known_by="first", new_version=True)
        finding = self._visit(page, at, page.price, change, refresh=False)
        rate = self.dice.choice((0.01, 0.05, 0.2, 1.0))
        score = self.dice.betavariate(2, 1)
        finding.judged = TopicJudgement(
            TOPIC, "ridge", score, int(score <= 0.5), ("steel +2.1", "price +1.0")
        )
        if page.number % 2:
            chance = self.dice.uniform(0.4, 1.0)
            finding.classes = PageClasses(CLASSES, ((self.dice.choice(CLASS_NAMES), chance),))
        finding.private = page.number % 1000 == 0
        due = self.now + self.dice.uniform(-0.02, 1) * 30 * DAY
        finding.plan = VisitPlan(due=due, rate=rate, shape=3.0, group=-1, predictor="made", reasons="made up")
        return finding

    def change_visit(self, page: MadePage, at: float) -> Finding:
        """A visit that finds another price."""
        price = page.price + self.dice.choice((-31, -7, 12, 44))
        entry = DiffEntry(
            "html>body>main>p", "Price", f"€{page.price}", f"€{price}", "number", "", 1, (1,), 9, 9
        )
        change = Change(
            known_by="digest", new_version=True, changed=True, size=0.01, kinds=("numbers",),
            diff=entries_to_json([entry]), gap=10 * DAY,
        )  # fmt: skip
        return self._visit(page, at, price, change, refresh=True)

    def _visit(self, page: MadePage, at: float, price: int, change: Change, *, refresh: bool) -> Finding:
        body = page_html(page, price)
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n"
        answer = Response(
            url=page.url, status=200, head=head, headers=(("content-type", "text/html; charset=utf-8"),),
            body=body, content=body, request=b"GET / HTTP/1.1\r\n\r\n", address="192.0.2.7",
            began=at, took=0.2,
        )  # fmt: skip
        facts = read(body, content_type="text/html; charset=utf-8")
        features = static_features(facts, has_last_modified=False, depth=2, url=page.url)
        reading = ParsedPage(
            index=facts.index, charset="utf-8", title=page.title,
            language=LANGUAGES[page.number % len(LANGUAGES)], text_digest=facts.text_digest,
            features=features,
        )  # fmt: skip
        ticket = Ticket(url=page.url, host=page.host, depth=2, via="made", refresh=refresh)
        digest = payload_digest(body)
        change = Change(**{name: getattr(change, name) for name in Change.__slots__} | {"digest": digest})
        return Finding(ticket=ticket, outcome=answer, change=change, reading=reading)

    def labels(self) -> Iterator[LabelRow]:
        """A label, or a class that is not sure enough for one, of every fifth page."""
        for number in range(5, self.plan.pages + 1, 5):
            chance = round(self.dice.uniform(0.3, 1.0), 4)
            name = self.dice.choice(CLASS_NAMES)
            yield LabelRow(number, "", name, chance, chance > 0.6, "title: steel, price", self.now)

    def unchanged_visit(self, page: MadePage, at: float) -> Finding:
        """A visit that is answered with a 304."""
        answer = Response(
            url=page.url, status=304, head=b"HTTP/1.1 304 Not Modified\r\n\r\n", headers=(), body=b"",
            content=b"", request=b"GET / HTTP/1.1\r\n\r\n", address="192.0.2.7", began=at, took=0.1,
        )  # fmt: skip
        ticket = Ticket(url=page.url, host=page.host, refresh=True)
        return Finding(ticket=ticket, outcome=answer, change=Change(known_by="304", gap=10 * DAY))


def page_html(page: MadePage, price: int) -> bytes:
    """The page in the frame of its host."""
    menu = "".join(
        f'<li class="item item-{n}"><a href="/section/{n}/index.html">{page.host} section {n}</a></li>'
        for n in range(24)
    )
    paragraphs = "".join(f"<p>{part}.</p>" for part in page.text.split(".") if part.strip())
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{page.title}</title>"
        f"<link rel=stylesheet href=/style.css></head><body><header><h2>{page.host}</h2><nav><ul>{menu}"
        f"</ul></nav></header><main><h1>{page.title}</h1><p>Price: €{price}</p>{paragraphs}</main>"
        f"<footer><ul>{menu}</ul><p>All rights reserved by {page.host}, since 1998.</p></footer></body>"
    ).encode()


def build(folder: Path, plan: ArchivePlan, now: float) -> dict[str, float]:
    """Make the archive; what it took."""
    settings = with_overrides(
        Settings(), {"archive.min_free": 0, "focus.topic": TOPIC, "refresh.budget": 50_000.0}
    )
    create(folder, as_toml(settings), now - DAYS * DAY)
    began = time.process_time()
    made = MadeArchive(plan, now)
    cleaning = open_cleaning(folder)
    versions = itertools.count(1)
    with open_store(folder, settings, estimator(settings), now=now - DAYS * DAY) as store:
        names = [f"www.site-{rank:05}.example" for rank in range(plan.hosts)]
        store.seed({name: [f"https://{name}/"] for name in names}, now - DAYS * DAY)
        for batch in batched(made.pages(), BATCH):
            _store_batch(store, cleaning, made, batch, versions)
            if batch[-1].number % 50_000 == 0:
                print(f"{batch[-1].number:,} pages, {time.process_time() - began:,.0f} s", flush=True)
        store.labels.put(CLASSES, made.labels())
    cleaning.close()
    save_lists(folder)
    snapshot = store_snapshot(folder, settings, now)
    actions = open_actions(folder)
    for hours in range(24 * DAYS, 0, -1):
        actions.put_snapshot(snapshot._replace(time=now - hours * HOUR))
    actions.close()
    return {
        "pages": plan.pages,
        "cpu_seconds": round(time.process_time() - began),
        "snapshot_s": snapshot.took,
    }


def save_lists(folder: Path) -> None:
    """The files of the classes and of the topic, as their commands leave them."""
    names = [PageClass(name=name, keywords=dict.fromkeys(name.split(), 1.0)) for name in CLASS_NAMES]
    save_classes(folder, ClassList(name=CLASSES, classes=tuple(names)))
    words = tuple(Keyword(word, word, 1.0) for word in ("steel", "coil", "metal"))
    file = topic_file(folder, TOPIC)
    file.parent.mkdir(exist_ok=True)
    save_topic(Topic(name=TOPIC, keywords=words), file)


def _store_batch(
    store: Store,
    cleaning: CleaningStore,
    made: MadeArchive,
    batch: Sequence[MadePage],
    versions: Iterator[int],
) -> None:
    """First visits, texts and later visits of a batch."""
    start = made.now - DAYS * DAY + 0.7 * DAYS * DAY * batch[0].number / made.plan.pages
    store.commit([made.first_visit(page, start + n) for n, page in enumerate(batch)], start)
    newest = {page.number: next(versions) for page in batch}
    changed = [page for page in batch if page.number % 10 == 3]
    same = [page for page in batch if page.number % 10 in (5, 8)]
    late = start + 0.3 * DAYS * DAY * (0.9 + 0.1 * made.dice.random())
    store.commit([made.change_visit(page, late + n) for n, page in enumerate(changed)], late)
    newest |= {page.number: next(versions) for page in changed}
    store.commit([made.unchanged_visit(page, late + n) for n, page in enumerate(same)], late)
    with cleaning.transaction():
        for page in batch:
            row = FingerprintRow(page.number, page.url, page.number.to_bytes(8, "big"), b"", "")
            cleaning.fingerprints.put([BandedFingerprint(row, newest[page.number], ())])
        cleaning.put_documents(
            DocumentRow(page.number, newest[page.number], page.title, page.text, spam_score=page.number % 60)
            for page in batch
        )


def batched(pages: Iterator[MadePage], size: int) -> Iterator[list[MadePage]]:
    """Lists of a size."""
    while found := list(itertools.islice(pages, size)):
        yield found


def main(arguments: Sequence[str] | None = None) -> None:
    """Make an archive, and print what it took."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    plan = ArchivePlan()
    parser.add_argument(
        "--folder", type=Path, required=True, help="where the archive goes; it must not exist"
    )
    parser.add_argument("--pages", type=int, default=plan.pages)
    parser.add_argument("--hosts", type=int, default=plan.hosts)
    options = parser.parse_args(arguments)
    print(json.dumps(build(options.folder, ArchivePlan(options.pages, options.hosts), time.time())))


if __name__ == "__main__":
    main()
