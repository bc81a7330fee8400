"""A labelled web served over HTTP, and real focused crawls of it: `python -m bench.focus_served --data DIR`.

Pages are served at their paths on loopback, those without HTML made from their title, text and links; the
subject index and the line that names a page's subjects are left out, and links that lead out of the web are
taken off, so that every program sees the same closed web. With `--only-serve` that is all, until Ctrl-C.

Otherwise each learner crawls each topic with `fieldmouse crawl --topic` into an archive of its own under
`--out`, from the seeds that `bench.focus` draws, and the archives are measured by the
subject index; archives that are there already are measured as they are. Prints a line for each crawl on
stderr, with the harvest after 250, 500 and 1,000 pages, F1 and AUC of the page judge, the true harvest and
the bounds that `status` states; then one JSON object. `--figure` draws Figure 7. A `labels.csv` for
`fieldmouse evaluate crawl --labels` stands beside the archives of each topic.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from html import escape
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from fieldmouse.focus.evaluation import Curve, curve, draw
from fieldmouse.learn.ranking_metrics import measure
from fieldmouse.library import open as opened

from .focus import PAGES, Plan, Start, begin, harvest_at, told
from .labelled import SITE, Web, chosen, kept, leads, resolve, sheets
from .watched_guide import f1

LEARNERS = ("bfs", "nb2", "nb4", "nb4-updatable", "best-first", "sarsa", "online")
# What stands before, a quotation mark if there is one, and where it leads.
HREF = re.compile(
    r"""(<(?:a|area|link)\b[^>]*?\s)href\s*=\s*(["'])?((?(2).*?(?=\2)|[^\s>"']+))(?(2)\2)""", re.IGNORECASE
)
SETTINGS = {
    "manners.delay": "0",
    "manners.ip_delay": "0",
    "manners.obey_nofollow": "false",
    "manners.obey_noindex": "false",  # some of the pages say so, and would not be stored
    "frontier.depth": "100",
    "frontier.pages_per_host": "100000",
    "scope.traps": "false",
    "templates.automatic": "false",  # cleaning after a crawl changes nothing of what is measured
}
MORE = 50  # requests beside the seeds that may bring no page; what is beyond `--pages` is not measured
ENOUGH = 14  # exit code of a crawl that has its pages


def bodies(folder: Path) -> dict[str, bytes]:
    """Every page by its path."""
    pages, stubs = sheets(folder)
    paths = pages.keys() | stubs.keys()
    found = {path: closed(path, html, paths) for path, html in pages.items()}
    rows: dict[str, list[str]] = {path: [] for path in stubs}
    for src, dst, anchor in leads(folder, stubs, paths):
        rows[src].append(f'<li><a href="{root(dst)}">{escape(anchor)}</a>')
    return found | {path: stub(one, rows[path]) for path, one in stubs.items()}


def root(path: str) -> str:
    """The address of a page from the root; a percent sign of the path itself is told twice."""
    return "/" + quote(path, safe="/!$&'()*+,;=:@~")


def closed(path: str, html: str, paths: AbstractSet[str]) -> bytes:
    """A page whose links all stay in the web, however they were written."""

    def kept_href(found: re.Match[str]) -> str:
        target = resolve(path, found[3], paths)
        return f'{found[1]}href="{root(target)}"' if target else found[1]

    return HREF.sub(kept_href, html).encode()


def stub(one: dict[str, Any], rows: Sequence[str]) -> bytes:
    """A page made from what is known of it."""
    title, text = escape(one["title"]), escape(one.get("text") or "")
    head = f'<!doctype html><meta charset="utf-8"><title>{title}</title>'
    return f"{head}<p>{text}</p><ul>{''.join(rows)}</ul>\n".encode()


class Handler(BaseHTTPRequestHandler):
    """Answers with pages."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each body waits 40 ms for the head's receipt
    pages: dict[str, bytes]

    def do_GET(self) -> None:
        """A page, or 404."""
        path = self.path.partition("?")[0].lstrip("/")
        body = self.pages.get(unquote(path))
        self.send_response(200 if body else 404)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write(body or b"")

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing is written for each request."""


def serve(pages: dict[str, bytes], port: int) -> ThreadingHTTPServer:
    """A server that runs in threads of this process."""
    server = ThreadingHTTPServer(("127.0.0.1", port), type("Served", (Handler,), {"pages": pages}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def fieldmouse(folder: Path, *words: str) -> None:
    """Run the command, its words kept beside the archive."""
    program = str(Path(sys.executable).with_name("fieldmouse"))
    options = [part for name, value in SETTINGS.items() for part in ("-s", f"{name}={value}")]
    more = options if words[0] == "crawl" else []
    with folder.with_suffix(".log").open("ab") as log:
        done = subprocess.run(
            [program, "-C", str(folder), *words, *more], stdout=log, stderr=log, check=False
        )
    if done.returncode not in (0, ENOUGH):
        raise SystemExit(f"fieldmouse {words[0]} ended with {done.returncode}; see {log.name}")


def crawl(start: Start, learner: str, folder: Path, site: str, pages: int) -> None:
    """One real crawl; its seeds are requests too."""
    program = str(Path(sys.executable).with_name("fieldmouse"))
    folder.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run([program, "init", str(folder)], check=True, stdout=subprocess.DEVNULL)
    settings = '[crawl]\ncontact = "bench@web.test"\n[web]\nallow_addresses = ["127.0.0.0/8"]\n'
    (folder / "fieldmouse.toml").write_text(settings, "utf-8")
    name = start.name.rpartition(".")[2].replace("_", " ")
    examples = [part for url in start.relevant for part in ("--example", served(url, site))]
    off = [part for url in start.irrelevant for part in ("--off", served(url, site))]
    fieldmouse(folder, "topic", "build", *examples, *off, "--", name)
    limits = ("--pages", str(pages + MORE + len(start.relevant) + len(start.irrelevant)), "--quiet")
    fieldmouse(folder, "crawl", f"--topic={name}", "--learner", learner, *limits)


def served(url: str, site: str) -> str:
    """Where a page is served."""
    return site + root(url.removeprefix(SITE)).lstrip("/")


class Measured(NamedTuple):
    """A crawl by the subject index; its seeds count for nothing but the harvest that is told."""

    curve: Curve
    harvest: dict[int, float]  # after so many pages
    f1: float
    auc: float
    told: tuple[float, float] | None  # bounds of the harvest
    true: float  # harvest of all pages judged


def measured(folder: Path, start: Start, pages: int) -> Measured:
    """Read the archive of a crawl."""
    with opened(folder) as archive:
        found = [SITE + unquote(urlsplit(page.url).path.lstrip("/")) for page in archive.pages()]
        (one,) = archive.harvests()
        judged = [
            (page.score, SITE + unquote(urlsplit(page.url).path.lstrip("/")))
            for page in archive.reader.topic_pages(one.topic)
        ]
    seeds = {*start.relevant, *start.irrelevant}
    fresh = [url for url in dict.fromkeys(found) if url not in seeds][:pages]
    scores = {url: score for score, url in judged if url not in seeds}
    truth = [float(url in start.targets) for url in scores]
    return Measured(
        curve(fresh, start.targets, len(start.relevant), pages),
        harvest_at(fresh, start.targets, pages),
        f1(list(scores.values()), truth),
        round(measure(list(scores.values()), truth).auc, 3),
        (one.share_low, one.share_high) if one.share_low is not None and one.share_high is not None else None,
        round(sum(url in start.targets for _, url in judged) / max(len(judged), 1), 3),
    )


def labels(start: Start, site: str) -> Iterator[str]:
    """The judge as `fieldmouse evaluate crawl` reads it."""
    yield "url,label\n"
    for url in sorted(start.targets):
        yield f'"{served(url, site)}",yes\n'


class Crawls(NamedTuple):
    """Which crawls are run on a web, and where their archives go."""

    out: Path
    topics: Sequence[str]
    learners: Sequence[str]
    draws: Sequence[int] = (1,)
    pages: int = PAGES


def runs(web: Web, site: str, what: Crawls) -> Iterator[tuple[str, str, Measured]]:
    """Every learner on every topic, from every draw of seeds."""
    for draw_number in what.draws:
        for name in what.topics:
            start = begin(web, name, Plan(what.pages, draw=draw_number))
            place = what.out / f"draw{draw_number}" / name
            for learner in what.learners:
                folder = place / learner
                if not (folder / "done").exists():
                    shutil.rmtree(folder, ignore_errors=True)  # of a crawl that was stopped
                    crawl(start, learner, folder, site, what.pages)
                    (folder / "done").touch()
                (place / "labels.csv").write_text("".join(labels(start, site)), "utf-8")
                yield name, learner, measured(folder, start, what.pages)


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, help="keep the web as read in this file")
    parser.add_argument("--out", type=Path, help="folder for the archives")
    parser.add_argument("--only-serve", action="store_true", help="serve until Ctrl-C, and crawl nothing")
    parser.add_argument("--port", type=int, default=8907)
    parser.add_argument("--topics", type=int, help="the first so many held-out topics only")
    parser.add_argument("--topic", action="append", help="a topic by name, instead of those held out")
    parser.add_argument("--learner", action="append", help="instead of all")
    parser.add_argument("--draw", type=int, action="append", help="draws other seeds; 1 unless given")
    parser.add_argument("--pages", type=int, default=PAGES)
    parser.add_argument("--figure", type=Path)
    asked = parser.parse_args()
    if not asked.only_serve and asked.out is None:
        parser.error("--out says where the archives go; or give --only-serve")
    return asked


def main() -> None:
    """Serve, crawl, measure."""
    asked = options()
    server = serve(bodies(asked.data), asked.port)
    site = f"http://127.0.0.1:{server.server_port}/"
    if asked.only_serve:
        print(site, flush=True)
        threading.Event().wait()
    web = kept(asked.data, asked.cache)
    topics = asked.topic or chosen(web, "final")[: asked.topics]
    what = Crawls(asked.out, topics, asked.learner or LEARNERS, asked.draw or [1], asked.pages)
    found: dict[str, list[Measured]] = {}
    for name, learner, one in runs(web, site, what):
        found.setdefault(learner, []).append(one)
        print(json.dumps({"topic": name, "learner": learner, **one._asdict()}), file=sys.stderr, flush=True)
    curves = {learner: [one.curve for one in group] for learner, group in found.items()}
    means = {
        learner: {mark: round(fmean(one.harvest[mark] for one in group), 4) for mark in group[0].harvest}
        for learner, group in found.items()
    }
    print(json.dumps({"harvest": means, **told(curves)}, indent=1))
    if asked.figure:
        asked.figure.write_text(draw(curves), "utf-8")


if __name__ == "__main__":
    main()
