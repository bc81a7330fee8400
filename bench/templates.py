"""What templates are worth: `python -m bench.templates --data DIR --hosts DIR`.

`--data` is a folder of pages with gold main text (`*.jsonl.zst`; those with a host and year are distilled by
site, all others are taken alone); `--hosts` a folder with a folder of HTML files for each host. Prints one
JSON object: main-content precision, recall and F1 beside other tools where these are installed; bytes saved
for each host beside gzip, zstd, zstd with a trained dictionary, and copying parts of a template; how many
pages a template needs; milliseconds of processor time; and whether every page came back byte for byte.
"""

import argparse
import collections
import html
import io
import json
import random
import re
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

from bench.templates_copying import Copier
from fieldmouse.templates.align import Consensus, blocks, consensus, majority
from fieldmouse.templates.compact import LEVEL, Packer
from fieldmouse.templates.distil import distil, sampled
from fieldmouse.templates.strip import Stripper
from fieldmouse.templates.tokens import Document, Keys, tokenise
from fieldmouse.templates.view import figures

Row = dict[str, Any]
Tool = Callable[[Row], str]

_WORD = re.compile(r"\w+")


# --- pages -----------------------------------------------------------------------------------------------


def read_rows(file: Path) -> Iterator[Row]:
    """Pages with gold text, one JSON object a line."""
    with file.open("rb") as raw:
        plain = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(raw, read_across_frames=True)
        for line in io.TextIOWrapper(plain, encoding="utf-8"):
            yield json.loads(line)


def page_of(row: Row) -> Document:
    """The page of a row, without the line that CleanEval put in front."""
    address = row["url"] or row["id"]
    return Document.of(source(row).encode("utf-8", "replace"), "text/html; charset=utf-8", address)


def source(row: Row) -> str:
    """The HTML of a row."""
    return re.sub(r"\A<text id=[^\n]*\n", "", row["html"])


def gold_text(row: Row) -> str:
    """The gold text, without marks and without readers' comments."""
    gold: str = row["gold"] or ""
    if row["gold_kind"] == "marked":
        return re.sub(r"</?[phl]>", " ", re.sub(r"\A\s*URL:[^\n]*", "", gold), flags=re.IGNORECASE)
    if row["gold_kind"] == "html":
        gold = re.sub(r"<(script|style)\b.*?</\1>", " ", gold, flags=re.DOTALL)
        return html.unescape(re.sub(r"<[^>]*>", " ", gold))
    return re.split(r"\n[^\n]*!@#\$%\^&\*[^\n]*COMMENT", gold, flags=re.IGNORECASE)[0]


def words(text: str) -> list[str]:
    """Words in lower case."""
    return _WORD.findall(text.lower())


def host_pages(folder: Path, limit: int) -> list[Document]:
    """Up to `limit` pages of a host, the same ones each time."""
    files = sorted(file for ending in ("html", "htm") for file in folder.rglob(f"*.{ending}"))
    chosen = sorted(random.Random(1).sample(files, min(limit, len(files))))
    return [Document.of(file.read_bytes(), "", file.relative_to(folder).as_posix()) for file in chosen]


# --- main content ----------------------------------------------------------------------------------------


def quality(text: str, gold: str) -> tuple[float, float, float]:
    """Precision, recall and F1 over words, each counted as often as it stands there."""
    found, wanted = collections.Counter(words(text)), collections.Counter(words(gold))
    if not found or not wanted:
        return (float(not found and not wanted),) * 3
    common = (found & wanted).total()
    return common / found.total(), common / wanted.total(), 2 * common / (found.total() + wanted.total())


def snippet_quality(texts: Sequence[str], rows: Sequence[Row]) -> tuple[float, float, float]:
    """The same over snippets that must be kept and snippets that must go, over all pages together."""
    kept = lost = wrong = 0
    for text, row in zip(texts, rows, strict=True):
        flat = " ".join(text.split())
        good = [" ".join(one.split()) in flat for one in row["with"] or ()]
        kept, lost = kept + sum(good), lost + len(good) - sum(good)
        wrong += sum(" ".join(one.split()) in flat for one in row["without"] or ())
    return kept / max(1, kept + wrong), kept / max(1, kept + lost), 2 * kept / max(1, 2 * kept + wrong + lost)


def scored(rows: Sequence[Row], tool: Tool) -> dict[str, float]:
    """How good and how fast a tool is on some pages."""
    began = time.process_time()
    texts = [tool(row) for row in rows]
    spent = time.process_time() - began
    if rows[0]["gold"] is None:
        result = snippet_quality(texts, rows)
    else:
        each = [quality(text, gold_text(row)) for text, row in zip(texts, rows, strict=True)]
        result = tuple(sum(column) / len(each) for column in zip(*each, strict=True))
    figures = dict(zip(("precision", "recall", "f1"), (round(one, 4) for one in result), strict=True))
    return {**figures, "ms": round(spent / len(rows) * 1000, 1)}


def alone() -> Tool:
    """Each page judged by its form only."""
    stripper = Stripper()
    return lambda row: stripper.strip(page_of(row)).text()


def by_site(rows: Sequence[Row], *, main: bool) -> Tool:
    """Each page with the templates of its site and year."""
    sites: dict[tuple[str, Any], list[Document]] = collections.defaultdict(list)
    for row in rows:
        sites[row["host"], row["year"]].append(page_of(row))
    strippers = {site: Stripper(distil(site[0], pages).templates) for site, pages in sites.items()}
    return lambda row: strippers[row["host"], row["year"]].strip(page_of(row)).text(main=main)


def peers() -> dict[str, Tool]:
    """Other tools, where they are installed."""
    found: dict[str, Tool] = {}
    try:
        import trafilatura  # type: ignore[import-not-found,unused-ignore]

        found["trafilatura"] = lambda row: trafilatura.extract(source(row)) or ""
    except ImportError:
        pass
    try:
        from resiliparse.extract.html2text import (  # type: ignore[import-not-found,unused-ignore]
            extract_plain_text,
        )

        found["resiliparse"] = lambda row: extract_plain_text(source(row), main_content=True)
    except ImportError:
        pass
    try:
        import justext  # type: ignore[import-not-found,unused-ignore]

        stop = frozenset(word for name in justext.get_stoplists() for word in justext.get_stoplist(name))
        found["jusText"] = lambda row: "\n".join(
            one.text for one in justext.justext(source(row).encode(), stop) if not one.is_boilerplate
        )
    except ImportError:
        pass
    return found


def content_figures(file: Path, limit: int, *, unseen: bool) -> dict[str, Any]:
    """All tools on one set; on sets that taught the weights only the half that did not."""
    from bench.templates_fit import SHARES, teaches

    name = file.name.partition(".")[0]
    rows = [row for row in read_rows(file) if not (unseen and name in SHARES and teaches(row))][:limit]
    if not rows:
        return {}
    tools = {"form alone": alone(), **peers()}
    if "year" in rows[0]:
        tools = {
            "template": by_site(rows, main=False),
            "template and form": by_site(rows, main=True),
            **tools,
        }
    return {"pages": len(rows), **{tool: scored(rows, run) for tool, run in tools.items()}}


# --- storage ---------------------------------------------------------------------------------------------


def saved(sizes: int, whole: int) -> float:
    """Per cent of the bytes that are not needed any more."""
    return round(100 * (1 - sizes / whole), 1) if whole else 0.0


def trained(pages: Sequence[Document]) -> tuple[zstandard.ZstdCompressor, int]:
    """A dictionary trained by zstd on the same samples, at work, and its size, packed."""
    plain = zstandard.ZstdCompressor(level=LEVEL)
    samples: list[bytes | bytearray | memoryview[int]]
    samples = [one.content for sample in sampled(pages, limit=16, groups=32) for one in sample.chosen()]
    try:
        known = zstandard.train_dictionary(112_640, samples, level=LEVEL)
    except zstandard.ZstdError:  # too few samples
        return plain, 0
    return zstandard.ZstdCompressor(level=LEVEL, dict_data=known), len(plain.compress(known.as_bytes()))


def storage(host: str, pages: Sequence[Document]) -> dict[str, Any]:
    """Bytes saved for one host in several ways; dictionaries and templates count as bytes."""
    began = time.process_time()
    templates, dictionary = distil(host, pages)
    distilled = time.process_time() - began
    plain = zstandard.ZstdCompressor(level=LEVEL)
    learned, size = trained(pages)
    packer, copier = Packer(dictionary), Copier(templates)
    contents = [one.content for one in pages]
    whole = sum(map(len, contents))
    copied = [copier.pack(one) for one in pages]
    began = time.process_time()
    packed = [packer.pack(one) for one in contents]
    spent = time.process_time() - began
    found = figures(templates, dictionary, pages)
    return {
        "pages": len(pages),
        "bytes": whole,
        "templates": len(templates.all),
        "template bytes": found.template_bytes,
        "template share": round(100 * found.template_share, 1),
        "saved": saved(found.packed_bytes, whole),
        "gzip": saved(sum(len(zlib.compress(one, 6)) for one in contents), whole),
        "zstd": saved(sum(len(plain.compress(one)) for one in contents), whole),
        "zstd trained": saved(size + sum(len(learned.compress(one)) for one in contents), whole),
        "copying": saved(copier.overhead + sum(map(len, copied)), whole),
        "restored": sum(packer.restore(a) == b for a, b in zip(packed, contents, strict=True)),
        "copies restored": sum(copier.restore(a) == b for a, b in zip(copied, contents, strict=True)),
        "distil ms": round(distilled / len(pages) * 1000, 2),
        "pack ms": round(spent / len(pages) * 1000, 2),
    }


# --- alignment -------------------------------------------------------------------------------------------


def agreement(found: Consensus, wanted: Consensus, sizes: Mapping[int, int]) -> float:
    """F1 of the bytes of one template against another's; by tokens, many a stray `<p>` would count."""
    runs = blocks(found.keys, wanted.keys)
    common = sum(sizes[key] for a, _, size in runs for key in found.keys[a : a + size])
    whole = sum(sizes[key] for one in (found, wanted) for key in one.keys)
    return round(2 * common / max(1, whole), 4)


def by_pages(pages: Sequence[Document]) -> dict[str, Any]:
    """How near the template of t pages comes to that of 64; pruned; and with pages in another order."""
    samples = max(sampled(pages, limit=64, groups=32), key=lambda one: len(one.pages))
    documents = samples.chosen()
    if len(documents) < 32:
        return {}
    keys = Keys()
    cut = [tokenise(one, keys) for one in documents]
    tokens = [one.keys for one in cut]
    sizes = {key: len(one.raw(place)) for one in cut for place, key in enumerate(one.keys)}
    wanted = majority(consensus(tokens))
    chance = random.Random(4)
    picks = {t: sorted(chance.sample(range(len(tokens)), t)) for t in (2, 4, 8, 16, 32)}
    found = {t: majority(consensus([tokens[i] for i in places])) for t, places in picks.items()}
    sixteen = [tokens[i] for i in picks[16]]
    shuffled = [majority(consensus(chance.sample(sixteen, 16))) for _ in range(3)]
    return {
        **{f"t={t}": agreement(one, wanted, sizes) for t, one in found.items()},
        "pruned": agreement(majority(consensus(sixteen, prune=True)), found[16], sizes),
        "other orders": min(agreement(one, found[16], sizes) for one in shuffled),
    }


def alignment_ms(size: int = 5000) -> float:
    """Milliseconds to align two pages of so many tokens, a third of them changed."""
    chance = random.Random(7)
    a = [int(chance.paretovariate(0.8)) % 2500 for _ in range(size)]
    b = [one if chance.random() < 0.7 else chance.randrange(2500) for one in a]
    best = float("inf")
    for _ in range(7):
        began = time.process_time()
        blocks(a, b)
        best = min(best, time.process_time() - began)
    return round(best * 1000, 2)


def measure(data: Path | None, hosts: Path | None, limit: int, *, unseen: bool) -> dict[str, Any]:
    """All figures."""
    found: dict[str, Any] = {"align 5000 tokens ms": alignment_ms()}
    if data:
        files = sorted(data.glob("*.jsonl.zst"))
        found["content"] = {
            file.name.partition(".")[0]: content_figures(file, limit, unseen=unseen) for file in files
        }
    for folder in sorted(hosts.iterdir()) if hosts else ():
        pages = host_pages(folder, limit) if folder.is_dir() else []
        if pages:
            found.setdefault("hosts", {})[folder.name] = storage(folder.name, pages) | by_pages(pages)
    return found


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder of pages with gold text")
    parser.add_argument("--hosts", type=Path, help="a folder with a folder of HTML files for each host")
    parser.add_argument("--limit", type=int, default=200, help="pages of a set or host")
    parser.add_argument("--unseen", action="store_true", help="of the sets that taught, only the other half")
    options = parser.parse_args()
    if not options.data and not options.hosts:
        parser.error("give --data or --hosts, or both")
    print(json.dumps(measure(options.data, options.hosts, options.limit, unseen=options.unseen), indent=2))


if __name__ == "__main__":
    main()
