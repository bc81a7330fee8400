"""Makes `fieldmouse/labels/subjects.dat` out of WordNet 3.0: `python -m scripts.make_class_words DICT`.

DICT is the folder of WordNet's own files (`index.noun`, `data.noun`, ...). For each noun that may name a
class of pages, one word or two, it keeps other nouns that pages of the class are likely to use: words that
mean the same, narrower words, words that WordNet files under the subject, and the telling words of its
definition; of each kind the commonest. A word counts only in its usual sense: `see` is no insurance, although
one may see to something.
"""

import lzma
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from fieldmouse.focus.words import words
from fieldmouse.labels.split import EVERYDAY_BIN, read_words, unpacked_words

from .make_wordnet import NOTICE, PARTS, lines, usual_senses

TARGET = Path(__file__).parents[1] / "fieldmouse" / "labels" / "subjects.dat"
SENSES = 2  # of a name, the most usual ones
# Pointers of WordNet: to narrower words and instances, to what is filed under a subject, to derived words.
NARROWER, FILED, DERIVED = "~", "-c", "+"
MOST = {"same": 8, "narrower": 24, "subject": 16, "definition": 6}
LEAST_OF_PHRASE = 2  # words that a subject of two words must have
PHRASE_RARER = 4  # in bins of `words.dat`: a phrase is rarer than the rarer one of its words
LEVELS = 2  # of narrower words
COMMON_GLOSSES = 150  # a word in more definitions than this says little


class Synset(NamedTuple):
    """A meaning: its words, what it points to, and its definition."""

    names: tuple[str, ...]
    pointers: tuple[tuple[str, str], ...]  # kind, offset; to nouns only
    gloss: str


def nouns(folder: Path) -> dict[str, Synset]:
    """The synsets of nouns by offset."""
    found = {}
    for line in lines(folder / "data.noun"):
        facts, _, gloss = line.partition(" | ")
        fields = facts.split()
        count = int(fields[3], 16)
        names = tuple(one.lower().replace("_", " ") for one in fields[4 : 4 + 2 * count : 2])
        rest = fields[4 + 2 * count + 1 :]
        pointers = tuple((rest[at], rest[at + 1]) for at in range(0, len(rest) - 3, 4) if rest[at + 2] == "n")
        found[fields[0]] = Synset(names, pointers, gloss.partition(";")[0].partition('"')[0])
    return found


def everyday() -> dict[str, int]:
    """Words that people use, and how common they are."""
    return {word: english for word, english, _ in unpacked_words(read_words()) if english >= EVERYDAY_BIN}


class Subjects:
    """Finds the words of a subject."""

    def __init__(self, folder: Path) -> None:
        self.synsets, self.known = nouns(folder), everyday()
        self.usual = usual_senses(folder)
        self.senses = {
            fields[0].replace("_", " "): fields[-int(fields[2]) :]
            for fields in (line.split() for line in lines(folder / "index.noun"))
        }
        self.glosses: Mapping[str, int] = self._gloss_counts(folder)

    def _gloss_counts(self, folder: Path) -> dict[str, int]:
        found: dict[str, int] = defaultdict(int)
        for part in PARTS:
            for line in lines(folder / f"data.{part}"):
                for word in set(words(line.partition(" | ")[2])):
                    found[word] += 1
        return found

    def fits(self, name: str, offset: str) -> bool:
        """Whether a word is common, and this its usual sense."""
        parts = name.split(" ")
        if len(parts) > 2 or not all(one.isalpha() and one in self.known for one in parts):
            return False
        if len(parts) == 2:
            return self.senses[name][0] == offset
        usual = self.usual.get(name)
        return usual is not None and (usual.part, usual.offset) == ("noun", offset)

    def below(self, offset: str, kind: str, levels: int) -> Iterator[str]:
        """Words that a meaning points to, the nearest first."""
        level = [offset]
        for _ in range(levels):
            level = [to for one in level for sign, to in self.synsets[one].pointers if sign[:2] == kind]
            for one in level:
                yield from (name for name in self.synsets[one].names if self.fits(name, one))

    def of(self, name: str) -> dict[str, list[str]]:
        """Words of a subject by the reason for them."""
        found: dict[str, list[str]] = {kind: [] for kind in MOST}
        for offset in self.senses[name][:SENSES]:
            meaning = self.synsets[offset]
            found["same"] += [one for one in meaning.names if self.fits(one, offset)]
            found["same"] += self.below(offset, DERIVED, 1)
            found["narrower"] += self.below(offset, NARROWER, LEVELS)
            found["subject"] += self.below(offset, FILED, 1)
        first = self.synsets[self.senses[name][0]]
        telling = [one for one in dict.fromkeys(words(first.gloss)) if self.glosses[one] <= COMMON_GLOSSES]
        found["definition"] += [
            one for one in telling if one in self.known and self.usual.get(one, ("", ""))[1] == "noun"
        ]
        return {kind: self._distinct(name, found[kind], MOST[kind]) for kind in MOST}

    def _distinct(self, name: str, some: Iterable[str], most: int) -> list[str]:
        """The commonest words of a list; a phrase with the name itself adds nothing to it."""
        own = set(name.split(" "))
        others = (one for one in dict.fromkeys(some) if not own & set(one.split(" ")))
        return sorted(others, key=self._rarity)[:most]

    def _rarity(self, name: str) -> int:
        parts = name.split(" ")
        return PHRASE_RARER * (len(parts) - 1) - min(self.known[part] for part in parts)


def main(folder: Path) -> None:
    """Write the file: for each name a line with its words by kind."""
    subjects = Subjects(folder)
    rows = []
    for name in sorted(subjects.senses):
        parts = name.split(" ")
        if len(parts) > 2 or not all(one.isalpha() and one in subjects.known for one in parts):
            continue
        found = subjects.of(name)
        related = sum(len(some) for kind, some in found.items() if kind != "definition")
        if related >= LEAST_OF_PHRASE or (len(parts) == 1 and any(found.values())):
            rows.append("\t".join((name, *(",".join(found[kind]) for kind in MOST))))
    text = NOTICE.replace("make_wordnet", "make_class_words") + "\n" + "\n".join(rows) + "\n"
    TARGET.write_bytes(lzma.compress(text.encode(), preset=9 | lzma.PRESET_EXTREME))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
