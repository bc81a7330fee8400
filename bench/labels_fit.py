"""The constants of the accuracy of labels: `python -m bench.labels_fit --data DIR`.

The log odds of a right label are a sum of its lead, of the agreement of the archive's evidence for its
class, and of a constant (`fieldmouse/labels/labeller.py`). They are fitted to the half of the home pages that
rules were chosen by, with the shipped list, and to the list `twelve`; each with and without pages of none of
the classes. So is the number of pages that an agreement is shrunk by (`agreement.SHRUNK`): by the likelihood
of one of the two with constants that were fitted to the other. As an archive may be small, random halves and
quarters of these count as archives too. Every archive counts the same.
"""

import argparse
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from fieldmouse.labels.classes import ClassList, load_classes
from fieldmouse.labels.evidence import EvidenceReader, PageEvidence
from fieldmouse.labels.labeller import AGREEMENTS, Labeller
from fieldmouse.labels.split import NameSplitter
from fieldmouse.learn.calibration import fit_logistic, log_odds

from .labels import evidence_of, held_out, home_pages
from .labels_lists import labelled_lists

SHARES, DRAWS = (0.5, 0.25), 3

Archive = tuple[str, ClassList, list[PageEvidence], list[set[str]]]


def archives(data: Path) -> Iterator[Archive]:
    """Labelled pages, whole and in random parts."""
    rng = random.Random(9)
    for name, classes, pages, gold in _wholes(data):
        known = [place for place, one in enumerate(gold) if one]
        for kind, places in (("closed", known), ("mixed", list(range(len(pages))))):
            parts = [places] + [
                rng.sample(places, int(share * len(places))) for share in SHARES for _ in range(DRAWS)
            ]
            for part in parts:
                some = sorted(part)
                yield f"{name} {kind}", classes, [pages[one] for one in some], [gold[one] for one in some]


def _wholes(data: Path) -> Iterator[Archive]:
    classes = load_classes("business")
    listed = home_pages(data / "homepages2018" / "labelled_homepages.jsonl.zst")
    seen = [one for one in listed if not held_out(one.domain)]
    pages = evidence_of(seen, EvidenceReader(classes, NameSplitter()))
    yield "business", classes, pages, [one.gold for one in seen]
    yield from ((name, some, *labelled) for name, some, labelled in labelled_lists(data, ("twelve",)))


def main() -> None:
    """Fit, and print the constants."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    inputs, results, weights = [], [], []
    for kind, classes, pages, gold in archives(parser.parse_args().data):
        labeller = Labeller(classes)
        scored = labeller.score(pages)
        agreed = labeller.agreed(pages, scored)
        best = [classes.names[one.order[0]] for one in scored]
        right = np.array([float(name in names) for name, names in zip(best, gold, strict=True)])
        odds = log_odds(agreed.clip(*AGREEMENTS))[[one.order[0] for one in scored]]
        inputs.append(np.column_stack([[one.lead for one in scored], odds]))
        results.append(right)
        weights.append(np.full(len(scored), 1 / len(scored)))
        print(
            f"{kind:18} {len(pages):5} pages, agreement {agreed.mean():.3f}, right {right.mean():.3f}",
            flush=True,
        )
    every = np.concatenate(weights)
    constants = fit_logistic(
        np.concatenate(inputs), np.concatenate(results), every / every.mean(), np.zeros(3)
    )
    print("shift {:.3f}, scale {:.3f}, slope {:.3f}".format(*constants))


if __name__ == "__main__":
    main()
