"""The agreement of evidence tells archives whose labels are right from those where they are not."""

from collections import Counter

import numpy as np

from fieldmouse.labels.agreement import Votes, agreement
from fieldmouse.labels.labeller import Labeller, PageLabels
from tests.labels.sites import class_list, evidence

KINDS, CLASSES = 4, 6


def measured(right: float, none: float, pages: int = 600, seed: int = 1) -> float:
    """The agreement where votes are right so often, and a share of the pages is of none of the classes."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, CLASSES, pages)
    kinds = []
    for _ in range(KINDS):
        good = (rng.random(pages) < right) & (np.arange(pages) >= none * pages)
        vote = np.where(good, truth, rng.integers(0, CLASSES, pages))
        scores = np.zeros((pages, CLASSES))
        scores[np.arange(pages), vote] = rng.random(pages) + good
        scores[rng.random(pages) < 0.2] = 0.0  # no keyword
        kinds.append(Votes.of(scores, 1.0))
    return float(agreement(kinds, truth, CLASSES).mean())


def test_agreement_grows_with_right_votes_and_falls_with_pages_of_no_class() -> None:
    assert measured(0.9, 0.0) > measured(0.7, 0.0) > measured(0.5, 0.0)
    assert measured(0.8, 0.0) > measured(0.8, 0.3) > measured(0.8, 0.6)
    assert measured(1.0, 0.0) > 0.8 * (1 - 1 / CLASSES)
    assert measured(0.0, 0.0) < 0.4


def test_votes_for_one_class_alone_agree_without_proving_anything() -> None:
    """Nine votes of ten are for one class on every page, and no page decides which."""
    rng = np.random.default_rng(2)
    kinds = []
    for _ in range(KINDS):
        vote = np.where(rng.random(600) < 0.9, 0, rng.integers(1, CLASSES, 600))
        kinds.append(Votes.of(np.eye(CLASSES)[vote] * rng.uniform(1, 2, (600, 1)), 1.0))
    found = agreement(kinds, np.zeros(600, np.int64), CLASSES)[0]
    assert found < 0.25
    assert found < measured(0.7, 0.0)


def test_a_class_is_told_although_the_keywords_of_another_are_on_most_pages() -> None:
    """A tenth of the pages is of class 1, and all evidence knows; class 0 is voted for at random."""
    rng = np.random.default_rng(4)
    truth = np.where(np.arange(600) < 60, 1, 0)
    kinds = []
    for _ in range(KINDS):
        vote = np.where(truth == 1, 1, np.where(rng.random(600) < 0.8, 0, rng.integers(0, CLASSES, 600)))
        kinds.append(Votes.of(np.eye(CLASSES)[vote] * rng.uniform(1, 2, (600, 1)), 1.0))
    found = agreement(kinds, truth, CLASSES)
    assert found[1] > 2 * found[0]


def test_evidence_without_a_vote_is_no_evidence() -> None:
    silent = Votes.of(np.zeros((50, CLASSES)), 1.0)
    assert set(silent.classes) == {-1}
    assert 0.0 < agreement([silent] * KINDS, np.zeros(50, np.int64), CLASSES)[0] < 0.5


def test_pages_of_no_class_make_all_labels_less_sure() -> None:
    """Half of the archive has keywords at random, another in each field, and no words of a class."""
    pages, _ = evidence(240)
    rng, terms = np.random.default_rng(1), sorted(class_list().terms)
    fields = ("name", "title", "content")
    others = [
        page._replace(
            **{one: Counter((terms[rng.integers(len(terms))], f"x{rng.integers(50)}")) for one in fields}
        )
        for page in pages
    ]

    def sure(found: list[PageLabels]) -> float:
        """The mean probability of the best classes of the first pages."""
        return float(np.mean([one.best.probability for one in found[:240] if one.best]))

    alone, mixed = Labeller(class_list()).label(pages), Labeller(class_list()).label([*pages, *others])
    assert sure(alone) > 0.9
    assert sure(mixed) < sure(alone) - 0.05
