"""Pages of free manuals whose content stands in an element of its own, as pages with gold text.

The folder is the docs web of a bench folder (docs/how-to/bench.md): manuals of Debian packages, a folder for
each. Which element holds the content is what their makers say: `role=main`, `<main>`, or the names that
Doxygen, AsciiDoc, the Apache and Exim manuals and SELinux use. Manuals without such an element are left out.
"""

import hashlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fieldmouse.page.main_content import judged_blocks
from fieldmouse.page.tokens import Document, Keys, Kind, Tokens, tokenise

PAGES = 15  # of each manual
SMALL, LARGE = 2_000, 60_000  # bytes: no stubs, no whole books

_HOLDS = re.compile(
    rb"""<main\b|<\w+[^>]*\b(?:role=["']?main\b|class=["']contents["']"""
    rb"""|id=["'](?:page-content|content|docs-body)["'])""",
    re.IGNORECASE,
)
_NAME = re.compile(rb"</?([a-zA-Z][a-zA-Z0-9]*)")


def digest(text: str) -> int:
    """A number that does not change from run to run."""
    return hashlib.sha1(text.encode()).digest()[0]


def teaches(row: dict[str, Any]) -> bool:
    """Whether a manual is in the half that teaches; the other half is measured."""
    return bool(digest(row["host"]) % 2)


def manuals(folder: Path, limit: int = PAGES) -> Iterator[dict[str, Any]]:
    """Up to `limit` pages of each manual that says where its content stands."""
    for host in sorted(one for one in folder.iterdir() if one.is_dir()):
        files = [
            one
            for one in sorted(host.rglob("*.html"))
            if one.is_file() and SMALL <= one.stat().st_size <= LARGE
        ]
        random.Random(1).shuffle(files)
        found = 0
        for file in files[: 2 * limit]:
            row = _row(host.name, file.relative_to(host).as_posix(), file.read_bytes())
            found += bool(row)
            if row and found <= limit:
                yield row


def _row(host: str, path: str, content: bytes) -> dict[str, Any] | None:
    page = Document.of(content)
    tokens = tokenise(page, Keys())
    start, end = held(tokens)
    first, last = tokens.starts[start], tokens.starts[end]
    found = judged_blocks(page.content, page.index, page.charset)
    own = [one.text for one in found.blocks if first < one.spans[0][0] < last]
    gold = "\n".join(own)
    if len(gold) < 200:
        return None
    html = content.decode(page.charset, "replace")
    return {
        "id": path,
        "url": f"http://{host}/{path}",
        "host": host,
        "gold_kind": "text",
        "gold": gold,
        "html": html,
    }


def held(tokens: Tokens) -> tuple[int, int]:
    """The first and the last token of the element that holds the content; nothing when there is none."""
    for place, kind in enumerate(tokens.kinds):
        raw = tokens.raw(place)
        if kind == Kind.START and _HOLDS.match(raw):
            return place, _end(tokens, place)
    return 0, 0


def _end(tokens: Tokens, start: int) -> int:
    wanted, depth = _named(tokens.raw(start)), 0
    for place in range(start, len(tokens)):
        kind = tokens.kinds[place]
        if kind in (Kind.START, Kind.END) and _named(tokens.raw(place)) == wanted:
            depth += 1 if kind == Kind.START else -1
            if not depth:
                return place
    return len(tokens)


def _named(raw: bytes) -> bytes:
    found = _NAME.match(raw)
    return found[1].lower() if found else b""
