"""Words of real pages by `text_blocks` and by a DOM parser: `python -m bench.glue --data DIR`.

DIR holds `*.jsonl.zst` files of pages. A word is glued when the DOM has no such word but has both of its
parts. The DOM itself glues elements that only their style parts; we part them, which counts as words lost and
added. Prints one JSON object: pages, pages with glued words, pages on which the walk in C and the one in
Python differ, the share of words lost and added, and the time of each walk.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from fieldmouse.page import tags
from fieldmouse.page.blocks import BLOCKS, text_blocks
from fieldmouse.page.marks import ALT

from .templates_content import page_of, read_rows

# Elements without visible text.
UNSEEN = {
    "audio", "canvas", "iframe", "noembed", "noframes", "noscript", "object", "script", "style", "svg",
    "template", "title", "video",
}  # fmt: skip
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
# With scripts, which a parser without them does not know to be raw text.
_NOSCRIPT = re.compile(r"<noscript\b[^>]*>.*?</noscript\s*>", re.IGNORECASE | re.DOTALL)


def dom_words(page: str, *, images: bool = False) -> list[str]:
    """The visible words of a page by a parser that follows the HTML standard; or those of its images."""
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(_NOSCRIPT.sub("", page))
    if images:
        return " ".join(one.attributes.get("alt") or "" for one in tree.css("img")).split()
    return "".join(_texts(tree.root)).split() if tree.root else []


def _texts(root: Any) -> Iterator[str]:
    """Text nodes in document order, with spaces where block elements begin and end."""
    waiting: list[Any] = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, str):
            yield node
        elif node.tag == "-text":
            yield node.text_content or ""
        elif not unseen(node):
            edge = " " if ends_block(node.tag or "") else ""
            waiting += (edge, *reversed(list(node.iter(include_text=True))), edge)


def ends_block(name: str) -> bool:
    """Whether words before and after such a tag are apart."""
    return name.encode("utf-8", "replace") in BLOCKS or name in ("br", "input", "label") or "-" in name[1:]


def unseen(node: Any) -> bool:
    """Whether an element is hidden."""
    if node.tag in UNSEEN:
        return True
    if node.tag in ("html", "body", "-text"):
        return False
    found = node.attributes
    hidden = "hidden" in found and (found["hidden"] or "").lower() != "until-found"
    return hidden or bool(_HIDING.search(found.get("style") or ""))


def own_words(content: bytes, charset: str = "utf-8") -> list[str]:
    """The words of `text_blocks` without those of images."""
    found = text_blocks(content, tags.index(content), charset)
    return [word for block in found.blocks if not block.marks & ALT for word in block.text.split()]


def glued(ours: Sequence[str], theirs: Sequence[str], images: Sequence[str]) -> list[str]:
    """Words of ours that are two words of theirs; words of images are not, nor parts of words we parted."""
    known, others = set(theirs), set(images)
    parted = known.difference(ours)
    return [
        word
        for word in dict.fromkeys(ours)
        if word not in known
        and word not in others
        and any(word[:place] in known and word[place:] in known for place in range(1, len(word)))
        and not any(word in one for one in parted)
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare all pages of a folder; 1 if a page has glued words or the engines differ on it."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.glue", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="a folder of *.jsonl.zst files of pages")
    parser.add_argument("--show", type=int, default=0, help="pages to print with their glued words")
    given = parser.parse_args(arguments)
    result: dict[str, dict[str, float]] = {}
    for file in sorted(given.data.glob("*.jsonl.zst")):
        pages = with_glue = differ = lost = added = total = 0
        seconds = [0.0] * len(tags.ENGINES)
        for row in read_rows(file):
            document = page_of(row)
            walks = []
            for place, engine in enumerate(tags.ENGINES):
                began = time.process_time()
                walks.append(text_blocks(document.content, document.index, document.charset, engine))
                seconds[place] += time.process_time() - began
            found = walks[0]
            differ += found != walks[-1]
            ours = [word for block in found.blocks if not block.marks & ALT for word in block.text.split()]
            text = document.content.decode("utf-8", "replace")
            theirs = dom_words(text)
            bad = glued(ours, theirs, dom_words(text, images=True))
            pages, with_glue, total = pages + 1, with_glue + bool(bad), total + len(theirs)
            less, more = Counter(theirs) - Counter(ours), Counter(ours) - Counter(theirs)
            lost, added = lost + less.total(), added + more.total()
            if given.show and (bad or less.total() > 0.05 * len(theirs)):
                print(row["id"], bad[:5], less.most_common(8), more.most_common(8))
        result[file.name.partition(".")[0]] = {
            "pages": pages,
            "pages_with_glue": with_glue,
            "words_lost": round(lost / (total or 1), 5),
            "words_added": round(added / (total or 1), 5),
            "engines_differ": differ,
            "ms_per_page": round(1000 * seconds[0] / (pages or 1), 3),
            "ms_per_page_in_python": round(1000 * seconds[-1] / (pages or 1), 2),
        }
    print(json.dumps(result, indent=1))
    return int(any(one["pages_with_glue"] or one["engines_differ"] for one in result.values()))


if __name__ == "__main__":
    sys.exit(main())
