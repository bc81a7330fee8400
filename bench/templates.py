"""What templates are worth: `python -m bench.templates [--data DIR] [--hosts DIR] ...`.

Without options: the demo's web, whose templates are known; hard cases; a host of a thousand pages; alignment.
`--data` is a folder of pages with gold main text (`*.jsonl.zst`; pages of a site that has several are also
distilled by site), `--manuals` the docs web of a bench folder, `--terms` a folder of terms of use with their
text, `--homes` a file of home pages, `--hosts` a folder with a folder of HTML files for each host. Prints one
JSON object: main-content precision, recall and F1 beside other tools where these are installed; bytes saved
for each host beside gzip, zstd, zstd with a trained dictionary, and copying parts of a template; how many
pages a template needs; milliseconds of processor time; and whether every page came back byte for byte.
"""

import argparse
import json
import random
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import zstandard

from bench.templates_content import Row, content_figures, page_of, read_rows, sites, terms
from bench.templates_copying import Copier
from bench.templates_gold import token_figures
from bench.templates_hard import hard_figures, large_host
from bench.templates_manuals import manuals, teaches
from fieldmouse.page.tokens import Document, Keys, tokenise
from fieldmouse.templates.align import Consensus, common_runs, consensus, majority
from fieldmouse.templates.distil import distil, sampled
from fieldmouse.templates.page_packing import LEVEL, Packer
from fieldmouse.templates.strip import Stripper
from fieldmouse.templates.view import figures

FEWEST = 8  # home pages of a service that are told of


def host_pages(folder: Path, limit: int) -> list[Document]:
    """Up to `limit` pages of a host, the same ones each time."""
    files = sorted(file for ending in ("html", "htm") for file in folder.rglob(f"*.{ending}"))
    chosen = sorted(random.Random(1).sample(files, min(limit, len(files))))
    return [Document.of(file.read_bytes(), "", file.relative_to(folder).as_posix()) for file in chosen]


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
        "template share": round(100 * found.shared_bytes / (found.bytes or 1), 1),
        "saved": saved(found.packed_bytes + len(dictionary.to_bytes()), whole),
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
    runs = common_runs(found.keys, wanted.keys)
    common = sum(sizes[key] for a, _, size in runs for key in found.keys[a : a + size])
    whole = sum(sizes[key] for one in (found, wanted) for key in one.keys)
    return round(2 * common / max(1, whole), 4)


def by_pages(pages: Sequence[Document]) -> dict[str, Any]:
    """How near the template of t pages comes to that of 64, and with pages in another order."""
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
        common_runs(a, b)
        best = min(best, time.process_time() - began)
    return round(best * 1000, 2)


# --- everything ------------------------------------------------------------------------------------------


def gold_sets(given: argparse.Namespace) -> Iterator[tuple[str, list[Row]]]:
    """Pages with gold text, by set. None of them taught the weights; manuals that did are left out."""
    for file in sorted(given.data.glob("*.jsonl.zst")) if given.data else ():
        rows = list(read_rows(file))
        # All pages of a site, or a few of each: what is cut off must not leave sites without company.
        yield file.name.partition(".")[0], rows if "year" in rows[0] else rows[: given.limit]
    if given.manuals:
        yield "manuals", [row for row in manuals(given.manuals) if not teaches(row)]
    if given.terms:
        yield "terms", list(terms(given.terms))[: given.limit]


def home_figures(file: Path, limit: int) -> dict[str, Any]:
    """Home pages, which have no gold text: time, what is left, and whether they come back byte for byte.

    There is one of each host, so bytes saved are told for what one service serves under many names.
    """
    rows = list(read_rows(file))
    pages = [_home(row) for row in rows[:limit]]
    served: dict[str, list[Document]] = {}
    for row in rows:
        served.setdefault(row.get("template") or "", []).append(_home(row))
    stripper, packer = Stripper(), Packer()
    began = time.process_time()
    texts = [stripper.strip(one).text() for one in pages]
    spent = time.process_time() - began
    return {
        "pages": len(pages),
        "ms": round(spent / max(1, len(pages)) * 1000, 1),
        "with text": sum(bool(one) for one in texts),
        "restored": sum(packer.restore(packer.pack(one.content)) == one.content for one in pages),
        "services": {
            name: storage(name, some) for name, some in served.items() if name and len(some) >= FEWEST
        },
    }


def _home(row: Row) -> Document:
    return page_of({"url": "", "id": row["domain"], "html": row["html"]})


def site_storage(rows: Sequence[Row]) -> dict[str, Any]:
    """Bytes saved for the sites of a set."""
    each = {site: storage(site, pages) for site, pages in sites(rows).items()}
    names = ("saved", "gzip", "zstd", "zstd trained", "copying", "template share")
    mean = {name: round(sum(one[name] for one in each.values()) / len(each), 1) for name in names}
    return {
        "sites": len(each),
        "pages": sum(one["pages"] for one in each.values()),
        "restored": sum(one["restored"] for one in each.values()),
        **mean,
        "least saved": min(one["saved"] for one in each.values()),
        "most saved": max(one["saved"] for one in each.values()),
    }


def own_figures() -> dict[str, Any]:
    """What needs no data."""
    return {
        "align 5000 tokens ms": alignment_ms(),
        "demo tokens": token_figures(),
        "hard": hard_figures(),
        "large host": large_host(),
    }


def given_figures(given: argparse.Namespace) -> dict[str, Any]:
    """What the data says."""
    found: dict[str, Any] = {}
    for name, rows in gold_sets(given):
        found.setdefault("content", {})[name] = content_figures(rows)
        if "year" in rows[0]:
            found.setdefault("storage", {})[name] = site_storage(rows)
    if given.homes:
        found["homes"] = {file.name: home_figures(file, given.limit) for file in given.homes}
    for folder in sorted(given.hosts.iterdir()) if given.hosts else ():
        pages = host_pages(folder, given.limit) if folder.is_dir() else []
        if len(pages) > 1:
            found.setdefault("hosts", {})[folder.name] = storage(folder.name, pages) | by_pages(pages)
    return found


def options(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="a folder of pages with gold text")
    parser.add_argument("--manuals", type=Path, help="the docs web of a bench folder")
    parser.add_argument("--terms", type=Path, help="a folder of terms of use with their text")
    parser.add_argument("--homes", type=Path, action="append", default=[], help="a file of home pages")
    parser.add_argument("--hosts", type=Path, help="a folder with a folder of HTML files for each host")
    parser.add_argument("--limit", type=int, default=200, help="pages of a set or host")
    return parser.parse_args(arguments)


def main() -> None:
    """Measure."""
    print(json.dumps(own_figures() | given_figures(options()), indent=2))


if __name__ == "__main__":
    main()
