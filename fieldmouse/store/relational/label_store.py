"""Labels of pages, answers of a person, and classes by a trained classifier."""

from collections.abc import Iterable, Iterator, Sequence

from fieldmouse.store.label_contract import LabelAnswer, LabelRow, Labels
from fieldmouse.types import PageClasses

from .database import Database, repeatable


class SqlLabels(Labels):
    """The contract's Labels."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def lists(self) -> list[tuple[str, int]]:
        return list(self.db.rows("label_lists"))

    @repeatable
    def put(self, classes: str, rows: Iterable[LabelRow]) -> None:
        with self.db.transaction():
            self.db.run("drop_labels", classes=classes)
            self.db.many(
                "put_label",
                (
                    (classes, one.page, one.name, one.probability, one.chosen, one.evidence, one.time)
                    for one in rows
                ),
            )

    def all(self, classes: str) -> Iterator[LabelRow]:
        return map(_label, self.db.rows("labels", classes=classes))

    def uncertain(self, classes: str, most: int) -> list[LabelRow]:
        return list(map(_label, self.db.rows("uncertain_labels", classes=classes, most=most)))

    def drawn(self, classes: str, most: int) -> list[LabelRow]:
        return list(map(_label, self.db.rows("drawn_labels", classes=classes, most=most)))

    def answers(self, classes: str) -> list[LabelAnswer]:
        found: dict[int, list[str]] = {}
        for page, name in self.db.rows("label_answers", classes=classes):
            found.setdefault(page, []).extend([name] if name else [])
        return [LabelAnswer(page, tuple(names)) for page, names in found.items()]

    @repeatable
    def answer(self, classes: str, answer: LabelAnswer, now: float) -> None:
        with self.db.transaction():
            self.db.run("drop_label_answer", classes=classes, page=answer.page)
            rows = [(classes, answer.page, name, now) for name in dict.fromkeys(answer.names or ("",))]
            self.db.many("put_label_answer", rows)

    @repeatable
    def drop_answer(self, classes: str, page: int) -> None:
        with self.db.transaction():
            self.db.run("drop_label_answer", classes=classes, page=page)

    @repeatable
    def put_classes(self, rows: Sequence[tuple[int, PageClasses]], now: float) -> None:
        with self.db.transaction():
            put_page_classes(self.db, [(page, one, now) for page, one in rows])

    def classes_of(self, page: int) -> list[PageClasses]:
        found: dict[str, list[tuple[str, float]]] = {}
        for classes, name, probability in self.db.rows("page_classes", page=page):
            found.setdefault(classes, []).extend([(name, probability)] if name else [])
        return [PageClasses(classes, tuple(pairs)) for classes, pairs in found.items()]

    def class_names(self) -> list[str]:
        return [row[0] for row in self.db.rows("class_names")]

    def class_counts(self, classes: str) -> list[tuple[str, int]]:
        return list(self.db.rows("class_counts", classes=classes))

    def pages_of(self, classes: str, name: str) -> Iterator[str]:
        rows = self.db.rows("pages_of_class", classes=classes, **{"class": name})
        return (url for (url,) in rows)


def put_page_classes(db: Database, rows: Sequence[tuple[int, PageClasses, float]]) -> None:
    """Write the classes of pages, given with their ids. Call inside a transaction."""
    db.many("drop_page_classes", [(page, one.classes) for page, one, _ in rows])
    db.many(
        "put_page_class",
        [
            (page, one.classes, name, probability, time)
            for page, one, time in rows
            for name, probability in (one.found or (("", 0.0),))
        ],
    )


def _label(row: tuple[int, str, str, float, int, str, float]) -> LabelRow:
    page, url, name, probability, chosen, evidence, time = row
    return LabelRow(page, url, name, probability, bool(chosen), evidence, time)
