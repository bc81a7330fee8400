"""Makes `fieldmouse/labels/words.dat` out of the data of wordfreq: `python -m scripts.make_name_words`.

It needs `pip install wordfreq==3.1.1` in the environment that runs it. English words come with how common
they are, and the common words of 17 other languages in Latin letters; accents and apostrophes are folded
away. The file is a text of words with the same frequencies in groups, as `_split.c` reads it, packed with xz.
"""

import lzma
import math
import unicodedata
from collections import defaultdict
from pathlib import Path

TARGET = Path(__file__).parents[1] / "fieldmouse" / "labels" / "words.dat"
OTHERS = "de fr es it pt nl pl sv da nb fi cs hu ro tr id ca".split()  # noqa: SIM905
LEAST_ENGLISH, LEAST_OTHER = 1.3, 4.0  # on the Zipf scale: the logarithm of uses in a thousand million words
LONGEST = 20

NOTICE = """\
# Made from wordfreq 3.1.1 by scripts/make_name_words.py. wordfreq: Robyn Speer, doi:10.5281/zenodo.7199437.
# This file is under the Creative Commons Attribution-ShareAlike 4.0 licence (CC BY-SA 4.0); see NOTICE.
"""


def folded(word: str) -> str:
    """A word in the letters of a domain name; empty if it has others."""
    word = word.casefold().replace("'", "").replace("\u2019", "").replace("ß", "ss").replace("ø", "o")
    word = word.replace("ł", "l").replace("æ", "ae").replace("œ", "oe").replace("ı", "i")
    bare = "".join(one for one in unicodedata.normalize("NFKD", word) if not unicodedata.combining(one))
    return bare if bare.isascii() and bare.isalpha() and len(bare) <= LONGEST else ""


def half_zipf(frequency: float) -> int:
    """How common a word is: steps of half a power of ten, 1 and above."""
    return math.floor(2 * (math.log10(frequency) + 9)) + 1


def main() -> None:
    """Write the file."""
    from wordfreq import get_frequency_dict

    bins: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for place, language, least in ((0, "en", LEAST_ENGLISH), *((1, one, LEAST_OTHER) for one in OTHERS)):
        sums: dict[str, float] = defaultdict(float)
        for word, frequency in get_frequency_dict(language, "best").items():
            if frequency >= 10 ** (least - 9) and (bare := folded(word)):
                sums[bare] += frequency
        for word, frequency in sums.items():
            bins[word][place] = max(bins[word][place], half_zipf(frequency))
    groups: dict[tuple[int, int], list[str]] = defaultdict(list)
    for word, (english, other) in bins.items():
        groups[english, other].append(word)
    parts = []
    for (english, other), members in sorted(groups.items()):
        parts.append(f"\x01{chr(32 + english)}{chr(32 + other)}")
        before = ""
        for word in sorted(members):
            shared = next(
                (n for n, (a, b) in enumerate(zip(before, word, strict=False)) if a != b),
                min(len(before), len(word)),
            )
            parts.append(chr(32 + shared) + word[shared:])
            before = word
    text = NOTICE + "\n" + "".join(parts)
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]
    TARGET.write_bytes(lzma.compress(text.encode(), filters=filters))
    print(f"{len(bins)} words, {TARGET.stat().st_size} bytes")  # noqa: T201


if __name__ == "__main__":
    main()
