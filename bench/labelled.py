"""A labelled web, read into memory: what `bench.focus` crawls and `bench.focus_served` serves.

DIR holds `pages.jsonl.zst` (path, kind, title, html), `links.tsv.zst` (src, dst, anchor), `categories.tsv.gz`
(path, category) and, if there are any, pages without HTML in `image_pages.jsonl.zst`. Columns are found by
their headings. The judge is the subject index of the web itself, which no learner sees: index pages are left
out, and so is the line of each page that names its subjects.
"""

import gzip
import io
import json
import pickle
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from html import unescape
from pathlib import Path
from posixpath import dirname, normpath
from posixpath import join as joined
from typing import Any, NamedTuple
from urllib.parse import unquote

import zstandard

from fieldmouse.page.links import links
from fieldmouse.page.read import read
from fieldmouse.page.text import visible_text
from fieldmouse.types import Link

LEAST = 40  # pages a topic must have
SHARED = 0.25  # of a held-out topic may also be of subjects that were looked at

# Subjects whose crawls were looked at while the default was made, with all that is below them. A figure
# may only be drawn from the others; on another web all are others.
LOOKED_AT = frozenset(
    {"Citizenship", "Design_and_Technology", "Everyday_life", "Geography", "History"}
    | {"IT", "Language_and_literature", "Music", "Religion", "Science"}
)
SITE = "http://web.test/"

# The subject index tells the judge's labels to whoever reads it.
INDEX = ("index", "other")
SUBJECTS = re.compile(r'<h3 id="siteSub">.*?</h3>', re.DOTALL)


class Web(NamedTuple):
    """A web in memory."""

    texts: dict[str, str]
    links: dict[str, list[Link]]
    subjects: dict[str, set[str]]
    stubs: set[str]


def lines(file: Path) -> Iterator[str]:
    """The lines of a packed file."""
    opened = file.open("rb")
    unpack = zstandard.ZstdDecompressor(max_window_size=2**27)
    with opened, unpack.stream_reader(opened, read_across_frames=True) as stream:
        yield from io.TextIOWrapper(stream, "utf-8")


def load(folder: Path) -> Web:
    """Read a labelled web."""
    pages, stubs = sheets(folder)
    paths = pages.keys() | stubs.keys()
    web = Web({}, {}, subjects(folder), {SITE + path for path in stubs})
    for path, html in pages.items():
        add_page(web, path, html, paths)
    add_stubs(web, folder, stubs, paths)
    return web


def sheets(folder: Path) -> tuple[dict[str, str], dict[str, Any]]:
    """The HTML of pages without the line that names their subjects, and pages without HTML, both by path."""
    rows = map(json.loads, lines(folder / "pages.jsonl.zst"))
    pages = {one["path"]: one["html"] for one in rows if one.get("kind") not in INDEX and one["html"]}
    stub_file = folder / "image_pages.jsonl.zst"
    stubs = map(json.loads, lines(stub_file)) if stub_file.exists() else ()
    return {path: SUBJECTS.sub("", html) for path, html in pages.items()}, {one["path"]: one for one in stubs}


def table(rows: Iterable[str], *names: str) -> Iterator[tuple[str, ...]]:
    """Columns of a file with tabs, by the names in its heading, or in this order if none has such a name."""
    found = iter(rows)
    heading = next(found, "").rstrip("\n").split("\t")
    known = [heading.index(name) if name in heading else place for place, name in enumerate(names)]
    for row in found:
        cells = row.rstrip("\n").split("\t") + [""] * len(names)
        yield tuple(cells[place] for place in known)


def leads(folder: Path, stubs: Iterable[str], paths: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """The links of pages without HTML: from, to, anchor."""
    mine, known = set(stubs), set(paths)
    for src, dst, anchor in table(lines(folder / "links.tsv.zst"), "src", "dst", "anchor"):
        if src in mine and dst in known:
            yield src, dst, anchor


def add_page(web: Web, path: str, html: str, paths: AbstractSet[str]) -> None:
    """A page with its text and its links, as the crawl reads them."""
    content = html.encode()
    facts = read(content, content_type="text/html; charset=utf-8")

    def absolute(href: str) -> str | None:
        found = resolve(path, href, paths)
        return SITE + found if found else None

    web.texts[SITE + path] = visible_text(content, facts.index, facts.charset)
    web.links[SITE + path] = links(content, facts, absolute)


def resolve(path: str, href: str, paths: AbstractSet[str]) -> str | None:
    """The page of the web that a link leads to, unless it is the page itself.

    A link may be relative, begin at the root, or name a host, which a path may begin with.
    """
    plain = unescape(href).partition("#")[0]
    if "://" in plain or plain.startswith("//"):
        host, _, place = plain.partition("//")[2].partition("/")
        places = [f"{host}/{place}", place]
    elif plain.startswith("/"):
        places = [plain.lstrip("/"), f"{path.partition('/')[0]}{plain}"]
    else:
        places = [joined(dirname(path), plain)]
    named = (one for place in places for one in (normpath(place), unquote(normpath(place)), place))
    return next((one for one in named if one in paths and one != path), None)


def add_stubs(web: Web, folder: Path, stubs: dict[str, Any], paths: AbstractSet[str]) -> None:
    """Pages without HTML are made from their title, text and links."""
    for one in stubs.values():
        web.texts[SITE + one["path"]] = f"{one['title']}\n{one.get('text') or ''}"
        web.links[SITE + one["path"]] = []
    for src, dst, anchor in leads(folder, stubs, paths):
        web.links[SITE + src].append(Link(SITE + dst, "a", False, anchor, (), ()))


def subjects(folder: Path) -> dict[str, set[str]]:
    """Each subject, wide and narrow, with its pages."""
    found: dict[str, set[str]] = defaultdict(set)
    with gzip.open(folder / "categories.tsv.gz", "rt", encoding="utf-8") as rows:
        for path, subject in table(rows, "path", "category"):
            parts = subject.split(".")
            for n in range(1, len(parts) + 1):
                found[".".join(parts[:n])].add(SITE + path)
    return dict(found)


def chosen(web: Web, split: str) -> list[str]:
    """The narrowest subjects with enough pages; all that are in the split, so that nobody can choose.

    A wide subject is taken when none within it is large enough. Held out are subjects that neither lie in
    one that was looked at nor share more than a few pages with one under another name; on a web where none
    is left, nobody looked at any, and all are held out.
    """
    sizes = {name: len(pages & web.texts.keys()) for name, pages in web.subjects.items()}
    large = sorted(name for name, size in sizes.items() if LEAST <= size <= len(web.texts) // 8)
    narrow = [name for name in large if not any(other.startswith(name + ".") for other in large)]
    seen = {url for name in LOOKED_AT for url in web.subjects.get(name, ())}
    if split == "development":
        return [name for name in narrow if name.partition(".")[0] in LOOKED_AT]
    held = [name for name in narrow if len(web.subjects[name] & seen) < SHARED * sizes[name]]
    return narrow if split == "all" else held or narrow


def without_stubs(web: Web) -> Web:
    """The same web without the pages that have no HTML, to see how much of a lead is knowing junk."""
    texts = {url: text for url, text in web.texts.items() if url not in web.stubs}
    found = {url: [one for one in web.links[url] if one.url in texts] for url in texts}
    return Web(texts, found, web.subjects, set())


def kept(folder: Path, cache: Path | None) -> Web:
    """The web, from the cache when there is one: reading takes a minute."""
    if cache and cache.exists():
        return Web(*pickle.loads(cache.read_bytes()))
    web = load(folder)
    if cache:
        cache.write_bytes(pickle.dumps(tuple(web)))
    return web
