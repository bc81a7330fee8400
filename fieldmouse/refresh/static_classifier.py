"""Phase I: a page's group guessed when it is first seen, from what it looks like.

The seven features of the paper, and the two that it asks for as future work; each can be switched off.
"""

import random
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import NamedTuple

from fieldmouse.types import Features

from .static_learners import Card, Learner, Tree

# As the paper lists them, then in-links and PageRank of the host.
SEVEN = ("links", "emails", "has_last_modified", "text_bytes", "images", "depth", "directory_level")
OTHERS = ("in_links", "host_rank")
FEATURES = (*SEVEN, *OTHERS)
# Examples that features are tried on: more would take long, and tell no more.
MOST = 3000


class Looks(NamedTuple):
    """A page's features, and what other pages say of it."""

    features: Features
    in_links: int = 0
    host_rank: float = 0.0  # PageRank of its host in our own crawl


class Example(NamedTuple):
    """A page to learn from: its features, its group, and its site, that may be held out."""

    row: tuple[float, ...]
    group: int
    site: str


def row_of(looks: Looks, chosen: Sequence[str] = FEATURES) -> tuple[float, ...]:
    """The chosen features as numbers, in their order."""
    features = looks.features
    return tuple([float(getattr(looks if name in OTHERS else features, name)) for name in chosen])


def balanced(examples: Sequence[Example], seed: int) -> list[Example]:
    """As many of each group as of the smallest, as the paper trains, lest the largest drown the rest."""
    rng = random.Random(seed)  # noqa: S311
    groups: dict[int, list[Example]] = {}
    for example in examples:
        groups.setdefault(example.group, []).append(example)
    least = min((len(members) for members in groups.values()), default=0)
    return [example for _, members in sorted(groups.items()) for example in rng.sample(members, least)]


def split(
    examples: Sequence[Example], share: float, seed: int, *, by_site: bool = False
) -> tuple[list[Example], list[Example]]:
    """Examples to learn from and to test on: at random, or so that no site is in both."""
    rng = random.Random(seed)  # noqa: S311
    if not by_site:
        shuffled = rng.sample(list(examples), len(examples))
        cut = round(share * len(shuffled))
        return shuffled[:cut], shuffled[cut:]
    sites = sorted({example.site for example in examples})
    kept = set(rng.sample(sites, max(round(share * len(sites)), 1)))
    return [e for e in examples if e.site in kept], [e for e in examples if e.site not in kept]


def error_of(learner: Learner, tests: Sequence[Example]) -> float:
    """The share of examples put in a wrong group."""
    wrong = 0
    for example in tests:
        chances = learner.chances(example.row)
        wrong += max(range(len(chances)), key=lambda group: chances[group]) != example.group
    return wrong / len(tests) if tests else 0.0


def taught(learner: Learner, examples: Sequence[Example], card: Card) -> Learner:
    """A learner after learning from examples."""
    return learner.fit([example.row for example in examples], [example.group for example in examples], card)


def wrapper(
    examples: Sequence[Example], card: Card, seed: int, make: Callable[[], Learner] = Tree
) -> tuple[tuple[str, ...], float]:
    """The features with the least error, found by leaving out one after the other (Kohavi and John 1997).

    They are tried with the learner that will use them, taught evenly as it will be, and each group counts
    alike: else a feature that tells nothing would do, since most pages belong to one group.
    """
    chosen = list(range(len(card.features)))
    examples = random.Random(seed).sample(examples, MOST) if len(examples) > MOST else examples  # noqa: S311
    best = _tried(examples, card, chosen, seed, make)
    while len(chosen) > 1:
        tries = [([f for f in chosen if f != out], out) for out in chosen]
        errors = [(_tried(examples, card, left, seed, make), left) for left, _ in tries]
        error, left = min(errors, key=lambda one: one[0])
        if error > best:
            break
        best, chosen = error, left
    return tuple(card.features[place] for place in chosen), best


def _tried(
    examples: Sequence[Example], card: Card, chosen: list[int], seed: int, make: Callable[[], Learner]
) -> float:
    narrowed = [example._replace(row=tuple(example.row[place] for place in chosen)) for example in examples]
    train, tests = split(narrowed, 2 / 3, seed)
    features = tuple(card.features[place] for place in chosen)
    even = balanced(train, seed)
    if not even:
        return 1.0
    learner = taught(make(), even, Card(card.learner, features, card.centres, len(even)))
    groups = {example.group for example in tests}
    errors = [error_of(learner, [one for one in tests if one.group == group]) for group in groups]
    return fmean(errors) if errors else 1.0
