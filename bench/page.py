"""What finding, storing and reading back the tags of a page costs: `python -m bench.page --data DIR`.

Prints one JSON object. Times are processor time, the best of several rounds over the same pages, so that a
busy machine disturbs them little; pages are taken evenly from all HTML files below the folder.
"""

import argparse
import json
import random
import time
from collections.abc import Callable, Sequence
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

import zstandard

from fieldmouse.page import reference_scanner, tags
from fieldmouse.page.read import read
from fieldmouse.types import Tag, TagIndex

CONTENT_TYPE = "text/html; charset=utf-8"


def load(folder: Path, limit: int) -> list[bytes]:
    """Up to `limit` pages, the same ones each time."""
    files = sorted(file for ending in ("html", "htm") for file in folder.rglob(f"*.{ending}"))
    chosen = random.Random(1).sample(files, min(limit, len(files)))
    return [file.read_bytes() for file in chosen]


def per_page(work: Callable[[Any], object], items: Sequence[Any], rounds: int) -> float:
    """Microseconds of processor time for one item."""
    best = float("inf")
    for _ in range(rounds):
        began = time.process_time()
        for item in items:
            work(item)
        best = min(best, time.process_time() - began)
    return round(best / len(items) * 1e6, 1)


def engine_times(engine: ModuleType, pages: list[bytes], rounds: int) -> dict[str, float]:
    """Finding, unpacking, and the whole reading with and without a stored index."""
    indexes = [TagIndex(*engine.scan(page)) for page in pages]
    both = list(zip(pages, indexes, strict=True))
    found = {
        "tokenize_us": per_page(engine.scan, pages, rounds),
        "unpack_us": per_page(lambda index: engine.unpack(*index, Tag), indexes, rounds),
        "read_us": per_page(
            lambda page: read(page, content_type=CONTENT_TYPE, agent="", engine=engine), pages, rounds
        ),
        "read_with_index_us": per_page(
            lambda one: read(one[0], content_type=CONTENT_TYPE, index=one[1], agent="", engine=engine),
            both,
            rounds,
        ),
    }
    found["parse_again_over_stored"] = round(found["read_us"] / found["read_with_index_us"], 2)
    return found


def sizes(pages: list[bytes]) -> dict[str, float]:
    """Bytes a tag takes, packed and otherwise; the compressor sees one page at a time, as the store would."""
    squeeze = zstandard.ZstdCompressor(level=3).compress
    count = packed = packed_zstd = raw_zstd = 0
    for page in pages:
        index = tags.index(page)
        raw = b"".join(reference_scanner.WIDE.pack(*tag) for tag in tags.unpack(index))
        count += len(raw) // reference_scanner.WIDE.size
        packed += len(index.data)
        packed_zstd += len(squeeze(index.data))
        raw_zstd += len(squeeze(raw))
    return {
        "tags_per_page": round(count / len(pages), 1),
        "packed": round(packed / count, 2),
        "raw": reference_scanner.WIDE.size,
        "packed_zstd": round(packed_zstd / count, 2),
        "raw_zstd": round(raw_zstd / count, 2),
    }


class _Hrefs(HTMLParser):
    """The standard library's parser, collecting the same addresses."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str | None] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note where a link goes."""
        if tag == "a":
            self.found += [value for name, value in attrs if name == "href"]


def standard_library(pages: list[bytes]) -> float:
    """Microseconds for a page, links only; one round, for it is slow."""
    return per_page(lambda page: _Hrefs().feed(page.decode("utf-8", "replace")), pages, 1)


def peers(pages: list[bytes], rounds: int) -> dict[str, float]:
    """The same work by a tree-building parser, where one is installed."""
    try:
        from selectolax.lexbor import LexborHTMLParser  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return {}

    def parse(page: bytes) -> object:
        tree = LexborHTMLParser(page)
        return [node.attributes.get("href") for node in tree.css("a[href]")], tree.text()

    return {"selectolax_links_and_text_us": per_page(parse, pages, rounds)}


def measure(pages: list[bytes], rounds: int) -> dict[str, Any]:
    """All figures."""
    facts = [read(page) for page in pages]
    engines = {
        "python": engine_times(reference_scanner, pages[: max(1, len(pages) // 4)], max(1, rounds // 3))
    }
    if tags.engine is not reference_scanner:
        engines["c"] = engine_times(tags.engine, pages, rounds)
    return {
        "pages": len(pages),
        "mean_bytes": round(sum(map(len, pages)) / len(pages)),
        "links_per_page": round(sum(one.links for one in facts) / len(pages), 1),
        "engines": engines,
        "bytes_per_tag": sizes(pages),
        "peers": {"html_parser_links_us": standard_library(pages[:50]), **peers(pages, rounds)},
    }


def main() -> None:
    """Measure the pages of a folder."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="a folder of HTML files")
    parser.add_argument("--limit", type=int, default=400, help="pages measured")
    parser.add_argument("--rounds", type=int, default=7, help="rounds, of which the best counts")
    options = parser.parse_args()
    pages = load(options.data, options.limit)
    if not pages:
        parser.error(f"there is no HTML file in {options.data}")
    print(json.dumps(measure(pages, options.rounds), indent=2))


if __name__ == "__main__":
    main()
