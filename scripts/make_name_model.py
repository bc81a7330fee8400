"""Trains `fieldmouse/labels/names.dat`, the weights that split names into words.

`python -m scripts.make_name_model NAMES.tsv` reads names split by hand: a heading, then the name in small
letters, a tab, and its words. `--tune` trains on nine tenths and measures on the rest, without writing a
file. `words.dat` must exist: see `make_name_words`.
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import lzma
import math
import random
import time
from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from fieldmouse.labels import _split as engine  # type: ignore[attr-defined]
from fieldmouse.labels.split import SYMBOLS, read_words, unpacked_words

TARGET = Path(__file__).parents[1] / "fieldmouse" / "labels" / "names.dat"
LONGEST_NAME, LONGEST_WORD = 40, 20
SCALE = 64

# What the weights were trained with.
EPOCHS, BATCH, RATE, LAST_RATE, DROPOUT, FIRST_SQUARE = 4, 8, 0.06, 0.006, 0.3, 0.1
LEAST_WORD, LEAST_WINDOW = 2, 4  # a feature of letters has a weight if the names show it so often


class SplitName(NamedTuple):
    """A name and its words."""

    name: str
    words: tuple[str, ...]


def read_names(file: Path) -> list[SplitName]:
    """Names in the letters a-z with their words."""
    packed = file.read_bytes()
    text = (gzip.decompress(packed) if file.suffix == ".gz" else packed).decode()
    rows = list(csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    found = [SplitName(name, tuple(words.lower().split())) for name, words in rows]
    return [
        one for one in found if "".join(one.words) == one.name and one.name.isascii() and one.name.isalpha()
    ]


def spelling(words: bytes) -> bytes:
    """The cost of each letter after two others, from word types: those that are common count more."""
    counts = [Counter[tuple[int, ...]]() for _ in range(3)]
    contexts = [Counter[tuple[int, ...]]() for _ in range(3)]
    for word, english, _ in unpacked_words(words):
        zipf = (english - 0.5) / 2
        if zipf < 1.5:
            continue
        letters = [26, 26, *(ord(one) - 97 for one in word), 27]
        for place in range(2, len(letters)):
            for size in range(3):
                key = tuple(letters[place - size : place + 1])
                counts[size][key] += max(0.2, zipf - 1)  # type: ignore[assignment]
                contexts[size][key[:-1]] += max(0.2, zipf - 1)  # type: ignore[assignment]
    costs = array("H")
    for one in range(SYMBOLS):
        for two in range(SYMBOLS):
            for three in range(SYMBOLS):
                p = 1 / 27
                for size, key in enumerate(((three,), (two, three), (one, two, three))):
                    p = (counts[size][key] + 5 * p) / (contexts[size][key[:-1]] + 5)
                costs.append(round(-math.log(p) * 64))
    return costs.tobytes()


def train(names: Sequence[SplitName], words: bytes, costs: bytes, seed: int) -> np.ndarray:
    """Weights as signed bytes, one for each place of the table."""
    usable = [
        one for one in names if len(one.name) <= LONGEST_NAME and max(map(len, one.words)) <= LONGEST_WORD
    ]
    letters = "".join(one.name for one in usable).encode()
    golds = bytearray(len(letters))
    places = array("i", [0])
    for one in usable:
        at = places[-1]
        for word in one.words:
            at += len(word)
            golds[at - 1] = 1
        places.append(at)
    rng, order = random.Random(seed), array("i")  # noqa: S311
    for _ in range(EPOCHS):
        turn = list(range(len(usable)))
        rng.shuffle(turn)
        order.extend(turn)
    settings = (EPOCHS, BATCH, RATE, LAST_RATE, DROPOUT, FIRST_SQUARE, seed, LEAST_WORD, LEAST_WINDOW)
    model = engine.load(words, costs, b"", b"")
    raw = engine.train(model, letters, bytes(golds), places.tobytes(), order.tobytes(), settings)
    found = np.frombuffer(raw, "<f4") * SCALE
    return np.clip(np.round(found), -127, 127).astype(np.int8)


def packed(weights: np.ndarray) -> tuple[bytes, bytes, bytes]:
    """The places with a weight as 32 bit numbers, as gaps in bytes, and their weights."""
    places = np.flatnonzero(weights)
    gaps = np.diff(places, prepend=-1)
    said = bytearray()
    for gap in gaps.tolist():
        said += b"\xff" * (gap // 255) + bytes((gap % 255,))
    return places.astype("<u4").tobytes(), bytes(said), weights[places].tobytes()


def share_right(model: object, names: Iterable[SplitName]) -> float:
    """The share of the names that are split wholly right."""
    right = total = 0
    for one in names:
        ends, _ = engine.split(model, one.name.encode())
        gold = list(np.cumsum([len(word) for word in one.words]))
        right, total = right + (ends == gold), total + 1
    return right / total


def main() -> None:
    """Train, and write the file or measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", type=Path)
    parser.add_argument("--tune", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--data", default="google-research-datasets/common-crawl-domain-names, MIT licence")
    chosen = parser.parse_args()
    names, words = read_names(chosen.names), read_words()
    costs = spelling(words)

    def held_out(one: SplitName) -> bool:
        return hashlib.sha256(one.name.encode()).digest()[0] % 10 == 0

    began = time.monotonic()
    taught = [one for one in names if not held_out(one)]
    weights = train(taught, words, costs, chosen.seed)
    places, _, values = packed(weights)
    share = share_right(engine.load(words, costs, places, values), filter(held_out, names))
    print(f"{share:.4f} of {sum(map(held_out, names))} names held out, {time.monotonic() - began:.0f} s")  # noqa: T201
    if chosen.tune:
        return
    weights = train(names, words, costs, chosen.seed)
    places, gaps, values = packed(weights)
    card = {
        "purpose": "splits domain names into words, with a probability",
        "not_for": "names in other scripts; identifying people",
        "data": chosen.data,
        "words": "wordfreq 3.1.1, CC BY-SA 4.0",
        "licence": "CC BY-SA 4.0, as the words that it was trained with",
        "date": time.strftime("%Y-%m-%d"),
        "examples": len(names),
        "seed": chosen.seed,
        "figures": {"names_right_held_out": round(share, 4)},
    }
    head = json.dumps(card, ensure_ascii=False).encode() + b"\n"
    body = head + len(values).to_bytes(4, "little") + costs + len(gaps).to_bytes(4, "little") + gaps + values
    TARGET.write_bytes(lzma.compress(body, preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(values)} weights, {TARGET.stat().st_size} bytes")  # noqa: T201


if __name__ == "__main__":
    main()
