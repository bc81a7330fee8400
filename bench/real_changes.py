"""Changed words of real pages: `python -m bench.real_changes --data DIR [--pages N] [--show N]`.

DIR holds the `*.jsonl.zst` sets of pages with their main content. In each page some texts of the main content
are changed, one at a time: a word, a number, the headline, or an item of a list that goes. Each is a second
visit without any history, judged by the code that the crawl uses. Every one of them must count as a change.
"""

import argparse
import html
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse.page.read import read
from fieldmouse.refresh.change import judge_change
from fieldmouse.refresh.noise import HostNoise, PageNoise
from fieldmouse.settings import RefreshSettings
from fieldmouse.types import StoredCopy
from fieldmouse.units import DAY

from .templates_content import read_rows, source

KINDS = ("word", "number", "headline", "item")
FETCHED = 1_000_000_000.0
LARGEST, CHANGES = 600_000, 6
LEAST = 4  # words of a text: shorter ones stand in menus too
SNIPPET = 200  # characters of a piece of the main content, where not all of it is known
NEW_WORDS = ("Barnaby", "liquidated", "Oslo", "closed", "Quentin")
_UNSEEN = re.compile(
    r"<(script|style|noscript|template|head|select|textarea|svg|iframe)\b.*?</\1\s*>|<!--.*?-->",
    re.DOTALL | re.IGNORECASE,
)
_TEXT = re.compile(r">([^<>]{3,300})<")
_HEADLINE = re.compile(r"<h1\b[^>]*>(?:\s*<[^/h][^>]*>)?\s*([^<>]{3,300})<", re.IGNORECASE)
_ITEM = re.compile(r"<li\b[^>]*>([^<>]{3,300})</li>", re.IGNORECASE)
_ENTITY = re.compile(r"&#?\w+;")
_NUMBER, _WORD = re.compile(r"\d+"), re.compile(r"(?<![&\w])[^\W\d_]{4,}(?![;\w])")


class Edit(NamedTuple):
    """A page with one text changed."""

    kind: str
    page: str
    old: str
    new: str


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the share of changes that count, by set and kind."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--data", type=Path, required=True, help="folder of *.jsonl.zst")
    options.add_argument("--pages", type=int, default=400, help="pages of a set")
    options.add_argument("--seed", type=int, default=1, help="random seed")
    options.add_argument("--show", type=int, default=0, help="missed changes to print")
    given = options.parse_args(arguments)
    made, counted, missed = Counter[str](), Counter[str](), list[str]()
    for file in sorted(given.data.rglob("*.jsonl.zst")):
        rng = random.Random(given.seed)
        for row in islice(read_rows(file), given.pages):
            for kind, old, new, note in judged(row, rng):
                for name in (file.name.partition(".")[0], kind, "all"):
                    made[name] += 1
                    counted[name] += not note
                if note:
                    missed.append(f"{row.get('url') or row['id']}: {old!r} -> {new!r}: {note}")
    shares = {name: {"changes": n, "counted": round(counted[name] / n, 4)} for name, n in made.items()}
    print(json.dumps(shares, indent=1))
    for line in missed[: given.show]:
        print(line, file=sys.stderr)


def judged(row: dict[str, Any], rng: random.Random) -> Iterator[tuple[str, str, str, str]]:
    """Kind, old and new text of some changes of a page; the note of those that do not count."""
    page = source(row)
    if len(page) > LARGEST:
        return
    copy, settings = _copy(page, FETCHED), RefreshSettings()
    for edit in edits(page, _gold(row), rng):
        verdict = judge_change(
            copy, _copy(edit.page, FETCHED + DAY), PageNoise(), HostNoise(), settings, url="http://a.test/"
        )
        yield edit.kind, edit.old, edit.new, "" if verdict.changed else verdict.note


def edits(page: str, gold: Sequence[str], rng: random.Random) -> Iterator[Edit]:
    """Some changes of the main content of a page."""
    unseen = [found.span() for found in _UNSEEN.finditer(page)]

    def content(pattern: re.Pattern[str]) -> list[re.Match[str]]:
        found = [
            one for one in pattern.finditer(page)
            if len(_plain(one[1]).split()) >= LEAST and not any(a <= one.start() < b for a, b in unseen)
        ]  # fmt: skip
        alike = Counter(_plain(one[1]) for one in found)
        once = [(_plain(one[1]), one) for one in found if alike[_plain(one[1])] == 1]
        return [one for text, one in once if any(text in g or (len(g) < SNIPPET and g in text) for g in gold)]

    def replaced(kind: str, text: re.Match[str], part: re.Match[str], new: str) -> Edit:
        changed = text[1][: part.start()] + new + text[1][part.end() :]
        start, end = text.span(1)
        return Edit(kind, page[:start] + changed + page[end:], _plain(text[1]), _plain(changed))

    texts = content(_TEXT)
    for text in rng.sample(texts, min(CHANGES, len(texts))):
        bare = _ENTITY.sub(lambda entity: "_" * len(entity[0]), text[1])
        if words := list(_WORD.finditer(bare)):
            yield replaced("word", text, rng.choice(words), rng.choice(NEW_WORDS))
        if numbers := list(_NUMBER.finditer(bare)):
            number = rng.choice(numbers)
            yield replaced("number", text, number, str(int(number[0]) + rng.choice((1, 2, 10))))
    for text in content(_HEADLINE)[:1]:
        if words := list(_WORD.finditer(_ENTITY.sub(lambda entity: "_" * len(entity[0]), text[1]))):
            yield replaced("headline", text, rng.choice(words), rng.choice(NEW_WORDS))
    items = content(_ITEM)
    for item in rng.sample(items, min(2, len(items))):
        yield Edit("item", page[: item.start()] + page[item.end() :], _plain(item[1]), "")


def _gold(row: dict[str, Any]) -> list[str]:
    """Texts of the main content."""
    return [_plain(row["gold"])] if row.get("gold") else [_plain(one) for one in row.get("with") or ()]


def _plain(text: str) -> str:
    return " ".join(html.unescape(text).split())


def _copy(page: str, at: float) -> StoredCopy:
    content = page.encode("utf-8", "replace")
    index = read(content, content_type="text/html; charset=utf-8").index
    assert index is not None
    return StoredCopy(content=content, index=index, charset="utf-8", time=at)


if __name__ == "__main__":
    main()
