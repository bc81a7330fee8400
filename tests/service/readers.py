"""An archive that readers visit: pages fetched daily for 60 days, and who read them."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from fieldmouse import library
from fieldmouse.exits import Exit
from fieldmouse.store.submission_contract import ReaderVisit
from tests.crawl import webs
from tests.crawl.passing import DAY, Village, article

PAGES = 10
DAYS = 60
VISIT = (
    "INSERT INTO visit (page, time, status, trouble, changed, known_by, gap, took, size, note, digest) "
    "VALUES (?, ?, 200, '', ?, 'digest', ?, 0, 1, '', '')"
)


@contextmanager
def read_archive(folder: Path) -> Iterator[library.Archive]:
    """Pages fetched daily for 60 days; readers come five times as often on days after a change."""
    village = Village(home=article("Welcome to the quay.", tuple(f"/p{n}" for n in range(PAGES - 1))))
    village.pages |= {f"/p{n}": article(f"This is page {n} about boats.") for n in range(PAGES - 1)}
    with webs.web({"a.test": village}) as net:
        one = webs.archive(folder, net, audit=0.0)
        assert one.crawl([net.url("a.test")]).exit is Exit.DONE
    rng = np.random.default_rng(1)
    start = time.time() - DAYS * DAY
    with one.writing() as store:
        db = store.schedule.db.db  # type: ignore[attr-defined]
        db.execute("UPDATE visit SET time = time - ?", ((DAYS + 1) * DAY,))
        db.execute("UPDATE page SET first_seen = first_seen - ?", ((DAYS + 1) * DAY,))
        pages = db.execute("SELECT id, url FROM page WHERE version IS NOT NULL ORDER BY id").fetchall()
        visits = []
        for day in range(DAYS):
            for id_, url in pages:
                begin = start + day * DAY
                changed = bool(rng.random() < 0.3)
                db.execute(VISIT, (id_, begin + DAY, int(changed), DAY))
                for moment in rng.uniform(begin, begin + DAY, rng.poisson(10.0 if changed else 2.0)):
                    visits.append(ReaderVisit(f"reader {rng.integers(30)}", url, float(moment)))
        db.execute("UPDATE page SET last_visit = ?, due = ?", (start + DAYS * DAY, start + DAYS * DAY))
        db.commit()
        store.behaviour.add(visits)
    yield one
    one.close()
