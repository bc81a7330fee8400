"""The labels of pages: what a store offers, and the rows."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Protocol

from fieldmouse.types import PageClasses


class LabelRow(NamedTuple):
    """A class of a page by the labeller, or the best class of a page that it was not sure of."""

    page: int
    url: str
    name: str
    probability: float
    chosen: bool  # False: not sure enough for a label
    evidence: str  # lines
    time: float


class LabelAnswer(NamedTuple):
    """What a person said of a page: its classes, or none of them."""

    page: int
    names: tuple[str, ...]


class Labels(Protocol):
    """Labels of pages by lists of classes, answers of a person, and classes by a trained classifier."""

    def lists(self) -> list[tuple[str, int]]:
        """The lists that pages were labelled by, the last one first, with the number of labels."""

    def put(self, classes: str, rows: Iterable[LabelRow]) -> None:
        """Replace the labels of a list, all or nothing; answers stay."""

    def all(self, classes: str) -> Iterator[LabelRow]:
        """Every row of a list, by page, the best class of each first."""

    def uncertain(self, classes: str, most: int) -> list[LabelRow]:
        """Pages that no person answered: those with the least certain class first."""

    def drawn(self, classes: str, most: int) -> list[LabelRow]:
        """Labelled pages that no person answered, in an order that has nothing to do with them."""

    def answers(self, classes: str) -> list[LabelAnswer]:
        """What persons said, by page."""

    def answer(self, classes: str, answer: LabelAnswer, now: float) -> None:
        """Store what a person said of a page; it replaces an earlier answer."""

    def drop_answer(self, classes: str, page: int) -> None:
        """Take back what a person said of a page."""

    def put_classes(self, rows: Sequence[tuple[int, PageClasses]], now: float) -> None:
        """Store the classes of pages by a trained classifier."""

    def classes_of(self, page: int) -> list[PageClasses]:
        """The classes of a page by trained classifiers, one entry a list."""

    def class_counts(self, classes: str) -> list[tuple[str, int]]:
        """How many pages are of each class by the trained classifier, the largest first."""

    def class_names(self) -> list[str]:
        """The classes that pages have, by any list, from labels or by a trained classifier."""

    def pages_of(self, classes: str, name: str) -> Iterator[str]:
        """The URLs of the pages of a class by the trained classifier, in the order of first visits."""
