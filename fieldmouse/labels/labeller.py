"""Labels for pages from the keywords of classes: the published pipeline, and the default.

The published pipeline (Genovese and Geraci 2018) uses the name: it is split by a dictionary, the classes are
ranked by seven measures, and two filters leave out names that do not fit their page, and labels that are weak
or ambiguous. The default uses the name and the page: keywords in the name, title, description, headings and
content give each class a score; the pages with the clearest scores teach a classifier, which knows more
words; both together decide. A label comes with the probability that it is right, which depends on how far
the evidence of all pages agrees.
"""

import math
import random
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from fieldmouse.learn.calibration import log_odds

from .agreement import Votes, agreement
from .classes import ClassList
from .evidence import FIELDS, PageEvidence
from .measures import ClassRanker, cosine
from .page_classifier import Array, PageClassifier, fit_near

# --- the published pipeline ---


class Filters(NamedTuple):
    """The thresholds of the published pipeline, chosen by `bench/labels.py` on names it did not report on."""

    coherence: float = 0.0  # least cosine of the name and the text of the page; above it
    weakness: float = 0.25  # least membership
    ambiguity: float = 0.2  # membership that only one class may exceed


DEFAULT_FILTERS = Filters()


class AssignedLabel(NamedTuple):
    """A class of a page."""

    name: str
    probability: float  # for the published pipeline the membership
    evidence: tuple[str, ...]


class PageLabels(NamedTuple):
    """The labels of a page; without any, what was the best class, and why it was not taken."""

    labels: tuple[AssignedLabel, ...]
    best: AssignedLabel | None = None
    reason: str = ""


def label_published(
    ranker: ClassRanker, classes: ClassList, page: PageEvidence, filters: Filters = DEFAULT_FILTERS
) -> PageLabels:
    """The label of a page by its name; `content` of the evidence is used for coherence, if there is any."""
    if not page.words or not page.probability:
        return PageLabels((), None, "the name cannot be split into words")
    if not ranker.idf.keys() & page.name.keys():
        return PageLabels((), None, f"weak: no keyword in name {' '.join(page.words)}")
    ranks = ranker.rank(page.name)
    place = min(range(len(ranks)), key=lambda one: (ranks[one].mean_rank, -ranks[one].membership))
    best = ranks[place]
    written = classes.classes[place].written
    shared = sorted(written[one] for one in page.name if one in written)
    said = f"name {' '.join(page.words)}: {', '.join(shared)}"
    found = AssignedLabel(classes.names[place], best.membership, (said, f"mean rank {best.mean_rank:.2f}"))
    if best.membership < filters.weakness:
        return PageLabels((), found, f"weak: membership {best.membership:.2f}")
    strong = sum(one.membership > filters.ambiguity for one in ranks)
    if strong != 1:
        return PageLabels(
            (), found, f"ambiguous: {strong} classes have a membership over {filters.ambiguity:g}"
        )
    if page.content and cosine(page.name, page.content) <= filters.coherence:
        return PageLabels((), found, "the page does not use the words of its name")
    return PageLabels((found,), found)


# --- the default ---

FIELD_WEIGHTS = (4.0, 3.0, 2.0, 2.0, 1.5)  # of keywords in the name, title, meta, headings, content
LITTLE, STRONG = 3.0, 10.0  # scores of the best class that count half: for its pull, and for its lead
SEED_SHARE = 0.5  # of the pages with keywords that teach the classifier: the clearest
LEAST_SEEDS = 30  # pages; with fewer the keywords decide alone
LEAST_OF_CLASS = 5  # the clearest pages of a class teach in any case, or half of them if there are fewer
KEYWORD_PULL = 4.0  # the weight of keywords against the words that the classifier learned
SECOND = (
    0.5  # a further class needs this probability by itself, and this share of the keyword score of the first
)
HEAVIEST = 6.0  # the weights of a list are scaled so that its heaviest keyword has this one
LEAST_PROBABILITY = 0.5  # of a label, whatever accuracy is wanted
ACCURACY = 0.9  # of the labels that the default threshold aims at

# Log odds of a right label from the lead of the best class: scale and shift, fitted to home pages that the
# figures in docs/reference/labels.md are not from. Without a classifier; answers of a person replace them.
CALIBRATION = (7.0, -1.0)
OPEN_CALIBRATION = (6.6, -2.5)  # the same where half of the pages are of none of the classes
# With a classifier the shift depends on the log odds of the agreement. Fitted by `bench/labels_fit.py` to two
# lists of classes, each with and without pages of none of them, on archives of 70 to 1,200 pages. The shift
# is 0.2 lower than fitted: it is off by about so much from archive to archive, and too many labels are worse
# than too few.
AGREED_SCALE, AGREED_SHIFT, AGREED_SLOPE = 0.42, 0.68, 1.84
AGREEMENTS = (0.01, 0.99)  # least and most
COMPARED = 1500  # pages that the agreement is measured on
DIVISIONS, PARTS = 3, 4  # of these pages; a part is judged by a classifier that the others teach


class ScoredPage(NamedTuple):
    """How clearly a page belongs to its best class."""

    order: tuple[int, ...]  # classes, the best first
    lead: float  # of the best over the next class that the page is not of
    together: int  # how many of the first classes the page is of
    evidence: tuple[tuple[str, ...], ...]  # of these


class Labeller:
    """Labels many pages together, since the clear ones teach what to look for in the others."""

    def __init__(
        self, classes: ClassList, *, open_world: bool = False, stems: Mapping[str, str] | None = None
    ) -> None:
        """`stems` by word spell the learned words of the evidence; without them their stems are shown."""
        self.classes = classes
        self._stems = stems or {}
        self._calibration = OPEN_CALIBRATION if open_world else CALIBRATION
        self.learner: PageClassifier | None = None
        self._spellings: dict[str, str] = {}  # by stem, made when the first is needed
        self._written = [one.written for one in classes.classes]
        scale = HEAVIEST / max(max(one.terms.values()) for one in classes.classes)
        self._weights: dict[str, list[tuple[int, float]]] = {}  # classes of a term with its weight in each
        for number, one in enumerate(classes.classes):
            for term, weight in one.terms.items():
                self._weights.setdefault(term, []).append((number, scale * weight))

    def keyword_scores(self, page: PageEvidence) -> Array:
        """The weight of the keywords of each class in the fields of a page: a row for each field."""
        scores = np.zeros((len(FIELDS), len(self.classes.classes)))
        for place, (terms, factor) in enumerate(zip(page.fields(), FIELD_WEIGHTS, strict=True)):
            if not terms:
                continue
            # The longer a text, the less a word in it says; a name says as much as its reading is sure.
            share = factor * page.probability if place == 0 else factor / math.log(2 + sum(terms.values()))
            for term in sorted(self._weights.keys() & terms.keys()):
                for number, weight in self._weights[term]:
                    scores[place, number] += share * weight * math.log1p(terms[term])
        return scores

    def score(
        self, pages: Sequence[PageEvidence], answers: Mapping[int, frozenset[int]] | None = None
    ) -> list[ScoredPage]:
        """Every page with its best classes; `answers` are the classes that a person gave to some pages."""
        known = answers or {}
        keywords = np.array([self.keyword_scores(page).sum(axis=0) for page in pages]).reshape(
            len(pages), len(self.classes.classes)
        )
        top = keywords.max(axis=1, initial=0.0)
        pulls = keywords / (top[:, None] + LITTLE)
        totals, chances = pulls, np.zeros_like(pulls)
        lessons = _seeds(pulls)
        self.learner = None
        if lessons:
            lessons.update(known)
            self.learner = PageClassifier(classes=self.classes.names)
            self.learner.fit_sets([pages[one] for one in lessons], list(lessons.values()))
            odds = np.array([self.learner.odds(page) for page in pages])
            chances = 1 / (1 + np.exp(-odds))
            totals = odds + KEYWORD_PULL * pulls
        found = []
        for place, page in enumerate(pages):
            order = tuple(np.argsort(-totals[place], kind="stable").tolist())
            together = 1
            while (
                together < len(order)
                and chances[place, order[together]] >= SECOND
                and keywords[place, order[together]] >= SECOND * top[place] > 0
            ):
                together += 1
            last = totals[place, order[together - 1]]
            rest = totals[place, order[together]] if together < len(order) else 0.0
            # A lead from few keywords says less, and one without any nothing but what the classifier learned.
            lead_now = float(last - rest) * top[place] / (top[place] + STRONG)
            evidence = tuple(self._evidence(page, one) for one in order[:together])
            found.append(ScoredPage(order, float(lead_now), together, evidence))
        return found

    def agreed(self, pages: Sequence[PageEvidence], scored: Sequence[ScoredPage]) -> Array:
        """How far the evidence of pages with keywords is for their best class, for each class."""
        scores = [self.keyword_scores(page) for page in pages]
        chosen = [place for place, one in enumerate(scores) if one.any()]
        if len(chosen) > COMPARED:
            chosen = sorted(random.Random(1).sample(chosen, COMPARED))  # noqa: S311
        fields = np.array([scores[one] for one in chosen])
        everything = fields.sum(axis=1)
        lessons = _seeds(everything / (everything.max(axis=1)[:, None] + LITTLE))
        keywords = self.classes.terms
        others = [pages[one].without(keywords) for one in chosen]
        odds, rng = np.zeros_like(everything), np.random.default_rng(1)
        for _ in range(DIVISIONS):
            parts = rng.integers(0, PARTS, len(others))
            for part in range(PARTS):
                taught = {one: names for one, names in lessons.items() if parts[one] != part}
                learner = PageClassifier(classes=self.classes.names)
                learner.fit_sets([others[one] for one in taught], list(taught.values()))
                for one in np.flatnonzero(parts == part).tolist():
                    odds[one] += learner.odds(others[one])
        head = fields[:, 1:4].sum(axis=1)  # title, meta, headings
        kinds = [Votes.of(one, LITTLE) for one in (fields[:, 0], head, fields[:, 4])]
        best = np.array([scored[one].order[0] for one in chosen])
        return agreement([*kinds, Votes.of(odds, 0.0)], best, len(self.classes.classes))

    def _evidence(self, page: PageEvidence, number: int) -> tuple[str, ...]:
        """The keywords of a class by field, and what the classifier adds."""
        weights, written = self.classes.classes[number].terms, self._written[number]
        said = []
        for name, terms in zip(FIELDS, page.fields(), strict=True):
            found = sorted((one for one in terms if one in weights), key=lambda one: (-weights[one], one))
            if found:
                said.append(f"{name}: {', '.join(written[one] for one in found[:4])}")
        if self.learner is not None:
            learned = (one.rpartition(" ") for one in self.learner.reasons(page, number)[:3])
            said.append(f"learned words: {', '.join(f'{self._spelt(t)} {w}' for t, _, w in learned)}")
        return tuple(said)

    def _spelt(self, term: str) -> str:
        """A word that has this stem, the shortest of those that were met."""
        if self._stems and not self._spellings:
            for word, root in sorted(self._stems.items(), key=lambda pair: (len(pair[0]), pair[0])):
                self._spellings.setdefault(root, word)
        return self._spellings.get(term, term)

    def label(
        self,
        pages: Sequence[PageEvidence],
        answers: Mapping[int, frozenset[int]] | None = None,
        *,
        least: float | None = None,
        accuracy: float = ACCURACY,
    ) -> list[PageLabels]:
        """Labels of pages; a label needs the probability `least`, by default one that meets the accuracy."""
        known = answers or {}
        untaught = self.score(pages)
        scale, shifts = self._calibrated(pages, untaught, known)
        scored = self.score(pages, known) if known else untaught
        best = [one.order[0] for one in scored]
        chances = self.chances(np.array([one.lead for one in scored]), (scale, shifts[best]))
        bar = threshold(chances, accuracy) if least is None else least
        found = []
        for one, chance in zip(scored, chances.tolist(), strict=True):
            labels = tuple(
                AssignedLabel(self.classes.names[number], chance, said)
                for number, said in zip(one.order, one.evidence, strict=False)
            )
            if not labels[0].evidence:
                found.append(PageLabels((), None, "no keyword of any class, and no learned word"))
            elif chance >= bar:
                found.append(PageLabels(labels, labels[0]))
            else:
                found.append(PageLabels((), labels[0], f"not sure enough: {chance:.2f} below {bar:.2f}"))
        return found

    def _calibrated(
        self,
        pages: Sequence[PageEvidence],
        untaught: Sequence[ScoredPage],
        answers: Mapping[int, frozenset[int]],
    ) -> tuple[float, Array]:
        """Scale of the leads and shift of each class: by agreement, and by answers if there are enough.

        The leads are those before the answers taught anything: of its own lessons a classifier is too sure.
        """
        scale, shift = self._calibration
        shifts = np.full(len(self.classes.classes), shift)
        if self.learner is not None:
            scale = AGREED_SCALE
            shifts = AGREED_SHIFT + AGREED_SLOPE * log_odds(self.agreed(pages, untaught).clip(*AGREEMENTS))
        if len(answers) < LEAST_SEEDS:
            return scale, shifts
        best = [untaught[one].order[0] for one in answers]
        leads = np.array([untaught[one].lead for one in answers])
        right = np.array([float(untaught[one].order[0] in names) for one, names in answers.items()])
        change, further = fit_near(scale * leads, right, shifts[best])
        return scale * change, shifts + further

    def chances(self, leads: Array, calibration: tuple[float, Array | float] | None = None) -> Array:
        """The probability that each best class is right."""
        scale, shift = calibration or self._calibration
        found: Array = 1 / (1 + np.exp(-np.clip(scale * leads + shift, -30, 30)))
        return found


def _seeds(pulls: Array) -> dict[int, frozenset[int]]:
    """The pages with the clearest keywords, and their class; none if there are too few."""
    known = np.flatnonzero(pulls.max(axis=1, initial=0.0) > 0)
    if len(known) < 2 * LEAST_SEEDS or pulls.shape[1] < 2:
        return {}
    ordered = np.sort(pulls, axis=1)
    lead, best = ordered[:, -1] - ordered[:, -2], pulls.argmax(axis=1)
    cut = float(np.quantile(lead[known], 1 - SEED_SHARE))
    chosen = dict[int, frozenset[int]]()
    for number in range(pulls.shape[1]):
        clearest = sorted(known[best[known] == number].tolist(), key=lambda one: -lead[one])
        least = min(LEAST_OF_CLASS, -(-len(clearest) // 2))
        for place, one in enumerate(clearest):
            if place < least or lead[one] >= cut:
                chosen[one] = frozenset({number})
    return dict(sorted(chosen.items()))


def threshold(chances: Array, accuracy: float) -> float:
    """The lowest probability at which the labels above it are right so often, if they are calibrated."""
    if not len(chances):
        return 1.0
    ordered = np.sort(chances)[::-1]
    means = np.cumsum(ordered) / np.arange(1, len(ordered) + 1)
    ends = np.append(ordered[1:] < ordered[:-1], True)  # equal ones are labelled together
    enough = np.flatnonzero((means >= accuracy) & ends)
    return max(LEAST_PROBABILITY, float(ordered[enough[-1]])) if len(enough) else 1.0
