"""Hosts and pages that nobody wishes for: how long they take, and how much memory. Nothing may raise."""

import random
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from bench.templates_furniture import style
from bench.templates_made import KINDS, page
from fieldmouse.page.tokens import Document
from fieldmouse.templates.distil import distil
from fieldmouse.templates.page_packing import Packer
from fieldmouse.templates.strip import Stripper

BIG = 20_000_000
PAGES = 1000
# A process of its own, so that its peak is that of the work and not of what was measured before.
_PEAK = """
import resource
from bench.templates_hard import PAGES, site
from fieldmouse.templates.distil import distil
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
distil("big.test", site(PAGES))
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


def site(count: int, seed: int = 3) -> Iterator[Document]:
    """Pages of one made-up site, all kinds of them."""
    chance = random.Random(seed)
    using = style(chance)
    kinds, often = zip(*KINDS, strict=True)
    for number in range(count):
        body = page(using, chance.choices(kinds, often)[0], chance).html.encode()
        yield Document.of(body, "text/html; charset=utf-8", f"http://big.test/{number % 9}/{number}.html")


def big_page() -> bytes:
    """One page of 20 MB."""
    row = "".join(
        f"<tr><td>{number}</td><td><a href=/x/{number}>row {number}</a></td></tr>\n" for number in range(1000)
    )
    return (b"<table>" + row.encode() * (BIG // len(row) + 1))[:BIG]


def binary() -> bytes:
    """A picture that says it is HTML."""
    return random.Random(5).randbytes(2_000_000)


def cases() -> dict[str, Callable[[], list[bytes]]]:
    """Hosts by what is wrong with them."""
    plain = [one.content for one in site(6)]
    return {
        "20 MB page": lambda: [*plain, big_page()],
        "binary": lambda: [*plain, binary(), binary()[:50_000]],
        "one page": lambda: plain[:1],
        "identical pages": lambda: plain[:1] * 20,
        "empty pages": lambda: [b"", b" ", b"<", b"<html>"],
    }


def hard_figures() -> dict[str, dict[str, Any]]:
    """Seconds to distil and to strip, and whether all pages came back."""
    return {name: _tried(make()) for name, make in cases().items()}


def _tried(contents: list[bytes]) -> dict[str, Any]:
    pages = [Document.of(one, "text/html", f"http://hard.test/{n}") for n, one in enumerate(contents)]
    began = time.process_time()
    templates, dictionary = distil("hard.test", pages)
    distilled = time.process_time()
    stripper, packer = Stripper(templates), Packer(dictionary)
    for one in pages:
        stripper.strip(one).text()
    stripped = time.process_time()
    back = sum(packer.restore(packer.pack(one)) == one for one in contents)
    return {
        "pages": len(pages),
        "templates": len(templates.all),
        "distil s": round(distilled - began, 2),
        "strip s": round(stripped - distilled, 2),
        "restored": back,
    }


def large_host() -> dict[str, float]:
    """A host of a thousand pages: seconds to distil, of processor time, and MB more than before."""
    pages = list(site(PAGES))
    began = time.process_time()
    distil("big.test", pages)
    spent = time.process_time() - began
    done = subprocess.run([sys.executable, "-c", _PEAK], check=True, stdout=subprocess.PIPE, text=True)
    size = sum(len(one.content) for one in pages) / PAGES
    return {
        "pages": PAGES,
        "KB a page": round(size / 1024, 1),
        "distil s": round(spent, 2),
        "peak MB": float(done.stdout),
    }
