"""The published pipeline and the default labeller."""

from collections import Counter

import numpy as np
import pytest

from fieldmouse.labels.evidence import EvidenceReader, PageEvidence
from fieldmouse.labels.labeller import DEFAULT_FILTERS, Filters, Labeller, label_published, threshold
from fieldmouse.labels.measures import ClassRanker
from fieldmouse.labels.split import DictionarySplitter
from fieldmouse.page.read import read
from tests.labels.sites import class_list, evidence

WORDS = ("game", "bank", "recipe", "loan", "my", "of", "tree", "kitchen", "night")


@pytest.fixture(scope="module")
def published() -> EvidenceReader:
    return EvidenceReader(class_list(), DictionarySplitter(WORDS))


def label(
    published: EvidenceReader, name: str, html: bytes = b"", filters: Filters = DEFAULT_FILTERS
) -> object:
    page = published.name(name)
    if html:
        page = published.page(name, html, read(html))
    classes = class_list()
    found = label_published(ClassRanker([one.terms for one in classes.classes]), classes, page, filters)
    return found.labels[0].name if found.labels else found.reason.partition(":")[0]


def test_the_published_pipeline_labels_a_name_that_says_what_it_is(published: EvidenceReader) -> None:
    assert label(published, "mybank.test") == "banking"
    assert label(published, "gamenight.test") == "games"


def test_the_published_pipeline_filters(published: EvidenceReader) -> None:
    assert label(published, "xqzbank.test") == "the name cannot be split into words"
    assert label(published, "treeofmytree.test") == "weak"
    assert label(published, "bankrecipe.test") in ("weak", "ambiguous")
    assert (
        label(published, "mybank.test", b"<p>A tree on a hill")
        == "the page does not use the words of its name"
    )
    assert label(published, "mybank.test", b"<p>The bank on a hill") == "banking"
    assert label(published, "mybank.test", filters=Filters(weakness=0.99)) == "weak"


def test_the_default_labels_pages_without_keywords_by_words_that_it_learned() -> None:
    pages, names = evidence(240)
    labeller = Labeller(class_list())
    found = labeller.label(pages)
    assert labeller.learner is not None
    right = [one.labels[0].name == name for one, name in zip(found, names, strict=True) if one.labels]
    assert len(right) > 0.7 * len(pages)
    assert sum(right) > 0.95 * len(right)
    scored = labeller.score(pages)
    plain = [place for place in range(0, 240, 4) if not pages[place].name.keys() & class_list().terms]
    best = [labeller.classes.names[scored[place].order[0]] == names[place] for place in plain]
    assert sum(best) > 0.9 * len(best)


def test_a_small_class_beside_a_large_one_is_found() -> None:
    """The clearer half of all pages has none of the small class: their pages use words of others too."""
    pages, names = evidence(240)
    mixed = Counter({"game": 1, "plai": 1})
    some = [
        (page if name == "games" else page._replace(content=page.content + mixed), name)
        for place, (page, name) in enumerate(zip(pages, names, strict=True))
        if name == "games" or (name == "cooking" and place % 8 == 1)
    ]
    found = Labeller(class_list()).label([page for page, _ in some], least=0.0)
    best = [
        one.best.name for one, (_, name) in zip(found, some, strict=True) if name == "cooking" and one.best
    ]
    assert len(best) >= 8
    assert best.count("cooking") > 0.8 * len(best)


def test_learned_words_are_spelt_out() -> None:
    pages, _ = evidence(120)
    stems = {"butter": "butter", "branches": "branch", "branch": "branch", "account": "account"}
    found = Labeller(class_list(), stems=stems | {"mortgages": "mortgag", "mortgage": "mortgag"}).label(pages)
    said = " ".join(text for one in found for label in one.labels for text in label.evidence)
    assert "mortgage " in said
    assert "mortgag " not in said


def test_every_label_has_evidence_and_what_is_not_labelled_has_a_reason() -> None:
    pages, _ = evidence(100)
    for one in Labeller(class_list()).label(pages, accuracy=0.99):
        assert one.labels or one.reason
        assert all(label.evidence and 0 <= label.probability <= 1 for label in one.labels)


def test_few_pages_are_labelled_by_keywords_alone() -> None:
    pages, names = evidence(8)
    labeller = Labeller(class_list())
    found = labeller.label(pages)
    assert labeller.learner is None
    assert [one.labels[0].name for one in found if one.labels]
    assert all(one.labels[0].name == name for one, name in zip(found, names, strict=True) if one.labels)
    assert not found[0].labels  # the site without keywords
    assert found[0].reason.startswith("no keyword")


def test_a_persons_answers_teach() -> None:
    pages, names = evidence(160, seed=3)
    classes = class_list()
    # In this archive, pages with the words of cooking are games: a person says so.
    said = {place: frozenset({0}) for place, name in enumerate(names) if name == "cooking" and place % 2}
    labeller = Labeller(classes)
    scored = labeller.score(pages, said)
    changed = [scored[p].order[0] == 0 for p, name in enumerate(names) if name == "cooking" and p % 4 == 0]
    assert sum(changed) > 0.7 * len(changed)


def test_answers_recalibrate() -> None:
    pages, names = evidence(160, seed=4)
    classes = class_list()

    def mean(answers: dict[int, frozenset[int]]) -> float:
        """Of the probabilities of pages without an answer."""
        found = Labeller(classes).label(pages, answers)[100:]
        return float(np.mean([one.best.probability for one in found if one.best]))

    right = {place: frozenset({classes.names.index(names[place])}) for place in range(100)}
    none = dict.fromkeys(range(100), frozenset[int]())
    half = {place: right[place] if place % 2 else none[place] for place in range(100)}
    assert mean(none) < mean(half) < mean(right)
    assert 0.25 < mean(half) < 0.75, "the answers taught, but they were judged before that"
    few = dict(list(none.items())[:20])
    assert mean(few) > 0.75


def test_empty_pages_and_one_class_do_not_fail() -> None:
    assert not Labeller(class_list()).label([PageEvidence()])[0].labels
    assert Labeller(class_list()).label([]) == []


def test_the_threshold_meets_the_accuracy() -> None:
    chances = np.array([0.99, 0.95, 0.9, 0.6, 0.2])
    assert threshold(chances, 0.9) == 0.9
    assert threshold(chances, 0.999) == 1.0
    assert threshold(chances, 0.0) == 0.5  # a label is more likely right than wrong
    assert threshold(np.array([0.99, 0.99, 0.6, 0.6, 0.6, 0.6]), 0.85) == 0.99  # equal ones go together
