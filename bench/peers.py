"""Fieldmouse and its peers on one web: how each is called, and one row of the table for each.

The peers are called exactly as the bench folder's registry says (no robots.txt, no delay, 64 requests at
once). Fieldmouse runs with everything on but delays: robots.txt, WARC records, tag index, crawl log, records
of every visit, crash safety. All are given the same list of endings not to follow.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from fieldmouse.jobs.check import check
from fieldmouse.store import open_reader
from fieldmouse.types import PageRecord

from .webs import ROOTS, Page, Webs, cost

OURS = "fieldmouse"

# What the registry calls them, and a part of their user agents (empty when it is nothing special).
KNOWN_AS = {"crawlee": "crawlee-parsel", "loop": "limit-crawl-raw2", "wget-warc": "wget"}
AGENTS = {OURS: "fieldmouse-bench", "scrapy": "pb-scrapy", "wget": "Wget/", "wget-warc": "Wget/"}

# wget as it is called for archives. The loop fetches, finds links and writes records, nothing else.
MORE = {"wget-warc": ["--warc-file=pages", "--warc-cdx"]}
WRITE_WARC = (OURS, "wget-warc", "loop")

# Full runs of these take many minutes.
LIMITS = {"scrapy": 3000, "crawlee": 1500}

# These know no limit, and always crawl a whole web.
UNLIMITED = ("wget", "wget-warc", "httrack")

SECONDS = 3600.0

# The peers look at neither robots.txt nor robots tags. We read and obey robots.txt, which forbids nothing
# here, and do as they do with tags, so that all have the same pages to find. None of them looks for templates
# and copies, which we do beside a crawl and after it; bench/templates.py measures that.
SETTINGS = {
    "crawl.user_agent": AGENTS[OURS],
    "crawl.requests": "64",
    "frontier.depth": "1000",
    "frontier.pages_per_host": "1000000",
    "manners.burst_parallel": "6",
    "manners.delay": "0",
    "manners.ip_delay": "0",
    "manners.obey_nofollow": "false",
    "manners.obey_noindex": "false",
    "manners.parallel": "6",
    "scope.allow": "test",
    "scope.traps": "false",
    "templates.automatic": "false",
    "web.allow_addresses": "127.0.0.0/8",
    "web.dns_servers": "127.0.0.53",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One program on one web."""

    peer: str
    web: str
    limit: int
    pages: int
    requests: int
    repeats: int
    seconds: float
    cpu: float
    peak_mb: float
    complete: float  # percent of the pages that can be reached
    warc: bool
    code: int
    load: float  # of the machine, when it began
    problems: tuple[str, ...] = ()  # ours: what is wrong with the archive

    @property
    def cpu_per_1000(self) -> float:
        """Seconds of processor time for a thousand pages."""
        return 1000 * self.cpu / max(1, self.pages)

    @property
    def pages_per_second(self) -> float:
        """By the clock; depends on what else the machine does."""
        return self.pages / self.seconds


def run(webs: Webs, peer: str, web: str, limit: int, scratch: Path) -> Row:
    """Crawl a web with one program."""
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    command, env = (
        (our_command(webs, web, limit, scratch), {})
        if peer == OURS
        else _peer(webs, peer, web, limit, scratch)
    )
    load, since = os.getloadavg()[0], webs.mark()
    took = cost(webs.inside(command), env, scratch, limit=SECONDS)
    asked = webs.asked(since, AGENTS.get(peer, ""))
    truth = webs.truth[web]
    found = Found(len(truth & asked.pages.keys()))
    if peer == OURS:
        found = verify(scratch / "archive", truth)
    return Row(
        peer=peer, web=web, limit=limit, pages=len(asked.pages), requests=asked.requests,
        repeats=asked.repeats, seconds=round(took.seconds, 2), cpu=round(took.cpu, 2),
        peak_mb=round(took.peak_mb), complete=round(100 * found.pages / len(truth), 2),
        warc=peer in WRITE_WARC, code=took.code, load=round(load, 1), problems=tuple(found.problems),
    )  # fmt: skip


def _peer(webs: Webs, peer: str, web: str, limit: int, scratch: Path) -> tuple[list[str], dict[str, str]]:
    """How the registry of the bench folder calls a peer."""
    arguments = (KNOWN_AS.get(peer, peer), web, ROOTS[web], limit, str(scratch))
    command, env = ask_registry(webs, f"registry.command(*{arguments!r})")
    more = {"PB_TMP": str(scratch), "PB_LIMIT": str(limit), "PB_WEB": web, "PB_ROOT": ROOTS[web]}
    return [*command, *MORE.get(peer, ())], {**env, **more, "PYTHONHASHSEED": "0"}


def our_command(webs: Webs, web: str, limit: int, scratch: Path, program: Path | None = None) -> list[str]:
    """How we are called; the archive is made before the clock starts."""
    program = program or Path(sys.executable).with_name("fieldmouse")
    subprocess.run([program, "init", scratch / "archive"], check=True, stdout=subprocess.DEVNULL)
    endings = ",".join(ask_registry(webs, "registry.DENY"))
    chosen = {**SETTINGS, "scope.deny_extensions": endings, "crawl.max_pages": str(limit)}
    options = [part for name, value in chosen.items() for part in ("-s", f"{name}={value}")]
    return [str(program), "-C", str(scratch / "archive"), "crawl", ROOTS[web], "--quiet", *options]


def ask_registry(webs: Webs, expression: str) -> Any:
    """Ask the bench folder's registry."""
    script = f"import json, registry; print(json.dumps({expression}))"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=webs.folder, check=True, capture_output=True, text=True
    )
    return json.loads(done.stdout)


@dataclass(frozen=True, slots=True)
class Found:
    """Pages that can be reached and were found, and what is wrong with them."""

    pages: int
    problems: Sequence[str] = ()


def verify(folder: Path, truth: frozenset[Page]) -> Found:
    """What of the truth is stored in an archive, each page once, in an archive that is whole."""
    stored: set[Page] = set()
    problems = list(check(folder).problems)
    with open_reader(folder) as reader:
        for record in reader.pages():
            if record.version is not None and record.status == 200:
                stored.add(served(record, truth))
            if record.visits != 1 or record.versions > 1:
                problems.append(f"{record.url}: {record.visits} visits, {record.versions} versions")
    return Found(len(stored & truth), problems)


def served(record: PageRecord, truth: frozenset[Page]) -> Page:
    """A page as the server resolves it: escapes undone, and the index of a folder by its name."""
    parts = urlsplit(record.url)
    page = (parts.netloc, unquote(parts.path))
    names = (f"{page[1]}{name}" for name in ("index.html", "index.htm", "index.xhtml"))
    return next((one for name in names if (one := (page[0], name)) in truth), page)
