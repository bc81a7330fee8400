"""A small made-up history in the common format, so that tests need no recorded one."""

import csv
import gzip
import io
import json
import random
from datetime import UTC, datetime, timedelta

import zstandard

META = [
    *("site", "page", "url", "first_seen", "last_seen", "last_change", "deleted", "window_start"),
    *("window_end", "n_changes", "n_content_changes", "fetcher"),
]
CHANGES = [
    *("site", "page", "change_time", "kind", "content_changed"),
    *("bytes", "pages_in_commit", "lines_added", "lines_deleted"),
]
START, END = datetime(2020, 1, 1, tzinfo=UTC), datetime(2022, 1, 1, tzinfo=UTC)


def stamp(moment):
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def packed(path, columns, rows):
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    path.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


def history(folder, *, sites=8, pages=12, seed=1, labels=True):
    """Sites whose folders change together now and then; a third of the pages never change."""
    rng = random.Random(seed)
    meta, changes, html = [], [], []
    days = (END - START).days
    for s in range(sites):
        site = f"s{s}.example"
        bursts = sorted(rng.uniform(0, days) for _ in range(6))
        for p in range(pages):
            page = f"{'news' if p % 3 == 0 else 'docs'}/p{p}.html"
            rate = (0.2, 0.01, 0.0)[p % 3]
            times = [d for d in bursts if p % 3 != 2 and rng.random() < 0.8]
            at = rng.expovariate(rate) if rate else days
            while at < days:
                times.append(at)
                at += rng.expovariate(rate)
            changes.append((site, page, stamp(START), "A", "", 100, "", "", ""))
            for moment in sorted(times):
                label = str(int(rng.random() < 0.5)) if labels else ""
                when = stamp(START + timedelta(days=moment))
                changes.append((site, page, when, "M", label, 100, "", "", ""))
            meta.append(
                (
                    site,
                    page,
                    f"https://{site}/{page}",
                    stamp(START),
                    stamp(END),
                    "",
                    0,
                    "",
                    stamp(END),
                    len(times),
                    "",
                    "",
                )
            )
            links = "".join(f"<a href=/{k}>l</a>" for k in range(30 if p % 3 == 0 else 2))
            html.append({"site": site, "page": page, "url": "", "html": f"<p>{'word ' * (p + 5)}</p>{links}"})
    packed(folder / "pages_meta.csv.gz", META, meta)
    packed(folder / "changes.csv.gz", CHANGES, changes)
    lines = "".join(json.dumps(row) + "\n" for row in html).encode()
    (folder / "pages.jsonl.zst").write_bytes(zstandard.compress(lines))
    return folder
