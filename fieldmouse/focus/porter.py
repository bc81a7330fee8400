"""Porter's suffix stripping (1980), as the focused crawler of Safran et al. 2012 asks for it.

The stem need not be a word; it only has to be the same for words of one family. Words of one or two
letters, and words with other letters than a-z, stay as they are: the rules know English only.
"""

VOWELS = frozenset("aeiou")
_LETTERS = {n: "v" if chr(n) in VOWELS else "c" for n in range(ord("a"), ord("z") + 1)}

_STEP2 = {
    "ational": "ate", "tional": "tion", "enci": "ence", "anci": "ance", "izer": "ize", "abli": "able",
    "alli": "al", "entli": "ent", "eli": "e", "ousli": "ous", "ization": "ize", "ation": "ate",
    "ator": "ate", "alism": "al", "iveness": "ive", "fulness": "ful", "ousness": "ous", "aliti": "al",
    "iviti": "ive", "biliti": "ble",
}  # fmt: skip
_STEP3 = {
    "icate": "ic", "ative": "", "alize": "al", "iciti": "ic", "ical": "ic", "ful": "", "ness": "",
}  # fmt: skip
_STEP4 = dict.fromkeys(
    "al ance ence er ic able ible ant ement ment ent ion ou ism ate iti ous ive ize".split(),  # noqa: SIM905
    "",
)


_STEPS = tuple((rules, tuple(rules), least) for rules, least in ((_STEP2, 0), (_STEP3, 0), (_STEP4, 1)))


def stem(word: str) -> str:
    """The stem of a lower-case word."""
    if len(word) < 3 or not (word.isascii() and word.isalpha()):
        return word
    word = _past(_plural(word))
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    for rules, endings, least in _STEPS:
        if word.endswith(endings):  # most words end in none of them
            word = _replaced(word, rules, least)
    return _tidied(word)


def _shape(word: str) -> str:
    """A letter for each letter: v for a vowel, c for a consonant; y is a vowel after a consonant."""
    if "y" not in word:
        return word.translate(_LETTERS)
    shape = ""
    for letter in word:
        vowel = letter in VOWELS or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(word: str) -> int:
    """How often a consonant follows a vowel: Porter's m."""
    return _shape(word).count("vc")


def _short(word: str) -> bool:
    """Ends consonant, vowel, consonant, the last not w, x or y: Porter's *o."""
    return _shape(word).endswith("cvc") and word[-1] not in "wxy"


def _plural(word: str) -> str:
    if word.endswith(("sses", "ies")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith("ss") else word


def _past(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for ending in ("ed", "ing"):
        if word.endswith(ending):
            base = word[: -len(ending)]
            return _mended(base) if "v" in _shape(base) else word
    return word


def _mended(base: str) -> str:
    """What is left of a verb without its -ed or -ing, made a word again."""
    if base.endswith(("at", "bl", "iz")):
        return base + "e"
    if base[-1:] == base[-2:-1] and _shape(base).endswith("cc") and base[-1] not in "lsz":
        return base[:-1]
    return base + "e" if _measure(base) == 1 and _short(base) else base


def _replaced(word: str, rules: dict[str, str], least: int) -> str:
    """Replace the longest ending that a rule knows, if what stays before it measures more than `least`."""
    for size in range(min(7, len(word) - 1), 1, -1):
        ending = word[-size:]
        if ending in rules:
            base = word[:-size]
            allowed = ending != "ion" or base.endswith(("s", "t"))
            return base + rules[ending] if allowed and _measure(base) > least else word
    return word


def _tidied(word: str) -> str:
    """Without a last e or a doubled l that carries nothing."""
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _short(word[:-1])):
            word = word[:-1]
    return word[:-1] if word.endswith("ll") and _measure(word) > 1 else word
