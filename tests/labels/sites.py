"""Made-up sites of three classes, for the tests of labels."""

import random

from fieldmouse.labels.classes import ClassList, from_toml
from fieldmouse.labels.evidence import EvidenceReader, PageEvidence
from fieldmouse.labels.split import NameSplitter
from fieldmouse.page.read import read

CLASSES = """
[classes.games.keywords]
game = 5
"video game" = 4
play = 3
puzzle = 3
[classes.cooking.keywords]
recipe = 5
kitchen = 4
cook = 3
[classes.banking.keywords]
bank = 5
loan = 4
savings = 3
"""
KEYWORDS = {"games": ("game", "play", "puzzle"), "cooking": ("recipe", "kitchen", "cook")}
KEYWORDS["banking"] = ("bank", "loan", "savings")
# Words that are no keywords, but typical of the class.
TYPICAL = {"games": "dragon sword level arena", "cooking": "butter onion oven flour"}
TYPICAL["banking"] = "interest branch account mortgage"
COMMON = "home contact about welcome page terms privacy people year"


def class_list() -> ClassList:
    return from_toml(CLASSES, "three.toml")


def site(name: str, number: int, rng: random.Random, *, clear: bool) -> tuple[str, bytes]:
    """The host and the home page of a site; one that is not clear has no keyword but typical words."""
    said = rng.sample(TYPICAL[name].split(), 3) + rng.sample(COMMON.split(), 4)
    if clear:
        said += list(rng.sample(KEYWORDS[name], 2))
    rng.shuffle(said)
    host = f"{KEYWORDS[name][0]}place{number}.test" if clear else f"zorvex{number}.test"
    title = f"{KEYWORDS[name][1]} here" if clear else "welcome"
    return host, f"<title>{title}</title><h1>{said[0]}</h1><p>{' '.join(said * 2)}".encode()


def sites(count: int, seed: int = 1) -> list[tuple[str, bytes, str]]:
    """Sites with their classes, one in four without keywords."""
    rng = random.Random(seed)
    found = []
    for number in range(count):
        name = rng.choice(sorted(KEYWORDS))
        found.append((*site(name, number, rng, clear=number % 4 > 0), name))
    return found


def evidence(count: int, seed: int = 1) -> tuple[list[PageEvidence], list[str]]:
    using = EvidenceReader(class_list(), NameSplitter())
    made = sites(count, seed)
    return [using.page(host, html, read(html)) for host, html, _ in made], [name for *_, name in made]
