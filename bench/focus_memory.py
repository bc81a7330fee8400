"""What a guide holds after a million links: `python -m bench.focus_memory`, in half a minute.

The links are made up, each address new, a hundred a page on 5,000 hosts; a page in between is judged as in a
crawl. Prints one JSON object: megabytes held after each 200,000 links, what it takes to store and to read.
"""

import argparse
import json
import random
import resource
import time
from pathlib import Path

from fieldmouse.focus.guide import Guide, Limits
from fieldmouse.focus.topic import Examples, build
from fieldmouse.focus.wordnet import load
from fieldmouse.focus.words import page_text
from fieldmouse.types import Link

PER_PAGE, HOSTS, WORDS = 100, 5000, 20_000


def held() -> float:
    """Megabytes of this process now."""
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    return round(pages * resource.getpagesize() / 1e6, 1)


def page_links(rng: random.Random, words: list[str], page: int) -> list[Link]:
    """The links of a page, none of them known."""
    found = []
    for n in range(PER_PAGE):
        folder, name, *said = rng.choices(words, k=16)
        url = f"http://h{rng.randrange(HOSTS)}.test/{folder}/{name}-{page}-{n}.html"
        found.append(Link(url, "a", False, " ".join(said[:4]), tuple(said[4:9]), tuple(said[9:])))
    return found


def main() -> None:
    """Judge links, and look at the memory."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--links", type=int, default=1_000_000)
    parser.add_argument("--remember", type=int, default=Limits().remember)
    asked = parser.parse_args()
    rng, wordnet = random.Random(1), load()
    words = ["".join(rng.choices("abcdefghij", k=6)) for _ in range(WORDS)]
    examples = Examples(["stock market shares price " * 20], ["pizza oven flour " * 20])
    topic = build("stock market", examples, background=wordnet.background)
    guide = Guide(topic, wordnet, limits=Limits(remember=asked.remember))
    after: dict[int, float] = {0: held()}
    began = time.process_time()
    for page in range(asked.links // PER_PAGE):
        _, parent = guide.saw(f"http://p.test/{page}", page_text(" ".join(rng.choices(words, k=80))))
        guide.leads(parent, page_links(rng, words, page))
        if (page + 1) * PER_PAGE % 200_000 == 0:
            after[(page + 1) * PER_PAGE] = held()
    judged = time.process_time()
    data = guide.to_bytes()
    stored = time.process_time()
    again = Guide.from_bytes(data, wordnet)
    figures = {
        "megabytes_after": after,
        "remembered": len(again.pending),
        "link_us_with_its_making": round((judged - began) / asked.links * 1e6, 1),
        "stored_megabytes": round(len(data) / 1e6, 2),
        "store_seconds": round(stored - judged, 2),
        "read_seconds": round(time.process_time() - stored, 2),
    }
    print(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
