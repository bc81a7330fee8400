"""Labels of pages for the evaluation of a crawl: URLs with yes or no, or with subjects.

A page may have several subjects. Pages of `Science.Biology` are of `Science` too.
"""

import csv
import io
from collections.abc import Callable, Iterator
from typing import NamedTuple

from fieldmouse.errors import UsageError

YES = frozenset({"1", "yes", "true", "relevant", "y", "+"})
NO = frozenset({"0", "no", "false", "irrelevant", "n", "-"})

# Names of the columns; without a heading, the URL is the cell that looks like one.
ADDRESS = ("url", "uri", "address", "page")
LABEL = ("label", "category", "subject", "topic", "class", "relevant")
NAMED = 8  # labels in an error message


class Row(NamedTuple):
    """A line of the file."""

    number: int
    url: str
    label: str


class Labels:
    """The rows of a file."""

    def __init__(self, text: str, where: str = "the labels") -> None:
        self.where = where
        self.rows = list(_rows(text, where))
        if not self.rows:
            raise UsageError(f"{where}: there is no label in it")
        self.plain = self.rows[0].label.lower() in YES | NO  # or subjects

    def targets(self, canon: Callable[[str], str | None], subject: str = "") -> frozenset[str]:
        """Canonical URLs of pages labelled yes, or with a subject."""
        asked = _same(subject)
        found: dict[str, bool] = {}
        for row in self.rows:
            url = canon(row.url)
            if url is None:
                raise UsageError(f"{self.where}, line {row.number}: {row.url!r} is no address")
            wanted = self._yes(row) if self.plain else _within(_same(row.label), asked)
            if self.plain and found.get(url, wanted) is not wanted:
                raise UsageError(f"{self.where}, line {row.number}: {url} is labelled both yes and no")
            found[url] = found.get(url, False) or wanted
        targets = frozenset(url for url, wanted in found.items() if wanted)
        if not (self.plain or targets):
            raise UsageError(self._unknown(subject))
        return targets

    def _yes(self, row: Row) -> bool:
        word = row.label.lower()
        if word not in YES | NO:
            raise UsageError(f"{self.where}, line {row.number}: expected yes or no, not {row.label!r}")
        return word in YES

    def _unknown(self, subject: str) -> str:
        names = sorted({row.label for row in self.rows})
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        said = f"no page has the subject {subject!r}" if subject else "it holds subjects, not yes and no"
        return f"{self.where}: {said}; say which with --subject: {', '.join(names[:NAMED])}{more}"


def _rows(text: str, where: str) -> Iterator[Row]:
    """The rows; the heading or the first line determines the columns."""
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    lines = csv.reader(io.StringIO(text), delimiter=next((sign for sign in "\t,;" if sign in first), ","))
    places: tuple[int, int] | None = None
    try:
        for number, row in enumerate(lines, 1):
            if not row or not any(row) or row[0].startswith("#"):
                continue
            if places is None:
                places, heading = _places([cell.strip().lower() for cell in row])
                if heading:
                    continue
            if len(row) <= max(places) or not row[places[1]].strip():
                raise UsageError(f"{where}, line {number}: expected url,label, not {','.join(row)!r}")
            yield Row(number, row[places[0]].strip(), row[places[1]].strip())
    except csv.Error as error:
        raise UsageError(f"{where} cannot be read as CSV: {error}") from None


def _places(cells: list[str]) -> tuple[tuple[int, int], bool]:
    """The columns of URL and label, and whether these cells are a heading."""
    url = next((n for name in ADDRESS for n, cell in enumerate(cells) if cell == name), None)
    if url is not None:
        named = next((n for name in LABEL for n, cell in enumerate(cells) if cell == name), None)
        return (url, named if named is not None else 1 - min(url, 1)), True
    url = next((n for n, cell in enumerate(cells) if "://" in cell), 0)
    return (url, 1 if url == 0 else 0), False


def _same(name: str) -> str:
    """A subject in the form that is compared: `Sports_and games` is `sports and games`."""
    return " ".join(name.replace("_", " ").casefold().split())


def _within(label: str, asked: str) -> bool:
    """Whether a label is the requested subject or lies below it."""
    return bool(asked) and f".{asked}." in f".{label}."
