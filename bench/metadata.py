"""Structured data of pages: what is found, what it costs beside cleaning, and beside extruct.

    python -m bench.metadata --data DIR

`DIR` holds `main_content/trafilatura_eval.jsonl.zst`. Times are of the processor, in one process.
"""

import argparse
import io
import json
import time
from collections import Counter
from pathlib import Path

import extruct
import zstandard

from fieldmouse.page.metadata import page_metadata
from fieldmouse.page.read import read
from fieldmouse.page.tokens import Document
from fieldmouse.templates.strip import Stripper

NOW = 1_790_000_000.0


def main() -> None:
    """Measure, and print a line for each figure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    path = parser.parse_args().data / "main_content" / "trafilatura_eval.jsonl.zst"
    seconds: Counter[str] = Counter()
    found: Counter[str] = Counter()
    stripper = Stripper()
    page_metadata(
        b"<meta name=author content=x>", "utf-8", url="http://a.test/", time=NOW
    )  # loads the parser
    with path.open("rb") as file:
        reader = zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(file)
        for line in io.TextIOWrapper(reader, "utf-8"):
            row = json.loads(line)
            content, url = row["html"].encode("utf-8", "replace"), row["url"] or "http://a.test/"
            began = time.process_time()
            facts = read(content, content_type="text/html; charset=utf-8")
            stripper.strip(Document(content=content, index=facts.index, charset="utf-8", url=url)).text()
            cleaned = time.process_time()
            said = page_metadata(content, "utf-8", url=url, time=NOW)
            ended = time.process_time()
            try:
                extruct.extract(row["html"], base_url=url, syntaxes=["json-ld", "microdata", "opengraph"])
            except (ValueError, LookupError, AssertionError):
                found["pages that extruct fails on"] += 1
            seconds.update(
                {"read and strip": cleaned - began, "metadata": ended - cleaned,
                 "extruct": time.process_time() - ended}
            )  # fmt: skip
            found["pages"] += 1
            found["bytes"] += len(content)
            found.update(name for name, value in said._asdict().items() if value is not None)
    for name, value in seconds.items():
        print(f"{name}: {1000 * value / found['pages']:.2f} ms a page")
    for name, count in found.items():
        print(f"{name}: {count:,}")


if __name__ == "__main__":
    main()
