"""Makes `fieldmouse/focus/wordnet.dat` out of WordNet 3.0: `python -m scripts.make_wordnet DICT`.

DICT is the folder of WordNet's own files (`index.noun`, `data.noun`, ...). Two things are kept, as stems:
for each word up to three synonyms of its most usual sense, of one part of speech and never a wider word;
and in how many of the 117,659 glosses each stem stands, which tells common words from telling ones.
"""

import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import zstandard

from fieldmouse.focus.words import Stems, stem, words

TARGET = Path(__file__).parents[1] / "fieldmouse" / "focus" / "wordnet.dat"
PARTS = ("noun", "verb", "adj", "adv")
SYNONYMS = 3
LEAST = 2  # glosses a stem must stand in to be kept

NOTICE = """\
# Made from WordNet 3.0 by scripts/make_wordnet.py.
# WordNet 3.0 Copyright 2006 by Princeton University. All rights reserved.
# Free to use, copy, modify and distribute with this notice; no warranty. The whole licence is in NOTICE.
"""


class Sense(NamedTuple):
    """One meaning of a word."""

    tagged: int  # how many senses of the word were met in tagged texts; more for the usual part of speech
    part: str
    offset: str


def lines(file: Path) -> Iterator[str]:
    """The lines of a WordNet file without the licence at its head."""
    for line in file.read_text("utf-8").splitlines():
        if not line.startswith("  "):
            yield line


def synsets(folder: Path, part: str) -> Iterator[tuple[str, list[str], str]]:
    """Each synset as its offset, its words and its gloss."""
    for line in lines(folder / f"data.{part}"):
        facts, _, gloss = line.partition(" | ")
        fields = facts.split()
        names = [re.sub(r"\(.*\)", "", one).lower() for one in fields[4 : 4 + 2 * int(fields[3], 16) : 2]]
        yield fields[0], names, gloss


def usual_senses(folder: Path) -> dict[str, Sense]:
    """For each single word its first sense in its most usual part of speech; nouns win when equal."""
    found: dict[str, Sense] = {}
    for part in PARTS:
        for line in lines(folder / f"index.{part}"):
            fields = line.split()
            word, count = fields[0], int(fields[2])
            if word.isascii() and word.isalpha():
                sense = Sense(int(fields[-count - 1]), part, fields[-count])
                if word not in found or sense.tagged > found[word].tagged:
                    found[word] = sense
    return found


def synonyms(folder: Path) -> dict[str, list[str]]:
    """Stems and the stems of their synonyms, at most three each."""
    groups = {(part, offset): names for part in PARTS for offset, names, _ in synsets(folder, part)}
    table: dict[str, list[str]] = {}
    for word, sense in sorted(usual_senses(folder).items(), key=lambda pair: (len(pair[0]), pair[0])):
        if (root := stem(word)) in table:
            continue  # the shortest word of a family speaks for it: "market", not "marketer"
        others = [one for one in groups[sense.part, sense.offset] if one.isascii() and one.isalpha()]
        table[root] = [term for term in dict.fromkeys(map(stem, others)) if term != root]
    return {term: kin[:SYNONYMS] for term, kin in sorted(table.items()) if kin}


def gloss_counts(folder: Path) -> tuple[int, dict[str, int]]:
    """How many glosses there are, and in how many each stem stands."""
    stems, total, seen = Stems(), 0, Counter[str]()
    for part in PARTS:
        for _, names, gloss in synsets(folder, part):
            total += 1
            text = " ".join((*names, gloss)).replace("_", " ")
            seen.update({term for word in words(text) if (term := stems[word])})
    return total, {term: n for term, n in sorted(seen.items()) if n >= LEAST}


def main(folder: Path) -> None:
    """Write the file."""
    total, glosses = gloss_counts(folder)
    text = NOTICE + f"{total}\n"
    text += "".join(f"{term} {n}\n" for term, n in glosses.items()) + "\n"
    text += "".join(f"{term} {' '.join(kin)}\n" for term, kin in synonyms(folder).items())
    TARGET.write_bytes(zstandard.ZstdCompressor(level=19).compress(text.encode()))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
