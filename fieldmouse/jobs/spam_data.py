"""Labelled texts for spam models, from CSV (commas, semicolons, tabs) or JSON lines, plain or packed.

A text, its label and its source are found by the names of the columns. Texts of one source (a host, a video)
are never split between training and test.
"""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse.errors import ImportFailed, UsageError
from fieldmouse.files.text_lines import CsvRows, TextLines
from fieldmouse.page.read import read
from fieldmouse.page.tokens import Document
from fieldmouse.spam.scores import from_percentile
from fieldmouse.templates.strip import Stripper

TEXT = ("text", "content", "comment", "main_text", "body", "message", "html")
LABEL = ("label", "spam", "is_spam", "class", "category", "target", "kind", "labels", "percentile", "score")
SOURCE = ("source", "host", "domain", "video", "site", "user", "author", "set")
YES = frozenset({"1", "1.0", "true", "yes", "y", "spam"})
NO = frozenset(
    {"0", "0.0", "-1", "false", "no", "n", "ham", "clean", "legitimate"}
    | {"notspam", "not spam", "not_spam", "nonspam", "non-spam"}
)
LARGEST_FIELD = 10_000_000


class LabelledText(NamedTuple):
    """A text, the share of spam in it, and where it is from."""

    text: str
    label: float
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Columns:
    """The names of the columns; found by usual names where empty."""

    text: str = ""
    label: str = ""
    source: str = ""
    spam: tuple[str, ...] = ()  # labels that mean spam; all others do not


@dataclass(slots=True)
class LabelledTexts:
    """The texts of a file, and how many rows were left out, by reason."""

    rows: list[LabelledText] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)

    def leave_out(self, reason: str) -> None:
        """Count a row that cannot be used."""
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


def read_labelled(path: Path, columns: Columns, most: float) -> LabelledTexts:
    """The labelled texts of a file; `most` is the end of the scale of a column `score`.

    Labels are words, or 0 and 1. A column `score` has scores of our direction, `percentile` has Waterloo's.
    """
    found = LabelledTexts()
    with path.open("rb") as file:
        lines = TextLines(file)
        chosen: tuple[str, str, str] | None = None
        for row in _rows(path, lines, found):
            if chosen is None:
                chosen = _columns(path, row, columns)
            text, label, source = (row.get(name, "") for name in chosen)
            if isinstance(text, str) and chosen[0] == "html":
                text = main_text(text)
            if not isinstance(text, str) or not text.strip():
                found.leave_out("no text")
                continue
            share = _share(label, chosen[1], columns.spam, most)
            if share is None:
                found.leave_out(
                    "no label, or one that means neither spam nor not: say with --spam which means spam"
                )
                continue
            found.rows.append(LabelledText(text, share, str(source or "")))
    if lines.too_long:
        found.left_out["line too long"] = lines.too_long
    if lines.problem:
        found.left_out[f"the rest of the file is damaged at {lines.problem}"] = 1
    spam = sum(one.label > 0.5 for one in found.rows)
    if not 0 < spam < len(found.rows):
        reasons = "; ".join(f"{n} rows: {reason}" for reason, n in found.left_out.items())
        texts = f"{spam} of {len(found.rows)} usable texts are spam; both classes are needed"
        if not found.rows:
            texts = "no labelled text; give CSV or JSON lines with the columns text (or html) and label"
        raise ImportFailed(f"{path}: {texts}" + (f" ({reasons})" if reasons else ""))
    return found


def main_text(source: str) -> str:
    """The main text of a page by its form alone."""
    content = source.encode("utf-8", "replace")
    facts = read(content, content_type="text/html; charset=utf-8")
    page = Document(content=content, index=facts.index, charset=facts.charset, url="")
    return Stripper().strip(page).text()


def _rows(path: Path, lines: TextLines, found: LabelledTexts) -> Iterator[Mapping[str, Any]]:
    """The rows of a file by the names of their columns, in lower case."""
    text = lines.text()
    first = next(text, "")
    if first.lstrip().startswith("{"):
        for line in chain([first], text):
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if isinstance(row, dict):
                yield {name.lower(): value for name, value in row.items()}
            elif line.strip():
                found.leave_out("not JSON")
        return
    labelled = first.partition("\t")[0].strip().lower() in YES | NO  # label, tab, text, without a head
    separator = "\t" if labelled else max(",;\t", key=first.count)
    tabs = separator == "\t"
    dialect: dict[str, Any] = {"delimiter": separator} | ({"quoting": csv.QUOTE_NONE} if tabs else {})
    rows: Iterator[list[str]] = iter(CsvRows(chain([first], text), LARGEST_FIELD, **dialect))
    try:
        head = next(rows, [])
        names = [one.strip().lower() for one in head]
        if labelled and len(names) == 2:
            names, rows = ["label", "text"], chain([head], rows)
        for row in rows:
            if len(row) == len(names):
                yield dict(zip(names, row, strict=True))
            elif row:
                found.leave_out("other number of columns than the first line")
    except csv.Error as error:
        raise ImportFailed(f"{path} is not CSV: {error}") from None


def _columns(path: Path, row: Mapping[str, Any], asked: Columns) -> tuple[str, str, str]:
    """The names of the columns of text, label and source."""

    def one(name: str, usual: Sequence[str], option: str) -> str:
        if name and name.lower() not in row:
            raise UsageError(f"{path} has no column {name!r}; it has {', '.join(row)}")
        found = name.lower() or next((usual_name for usual_name in usual if usual_name in row), "")
        if not found and option:
            raise UsageError(
                f"{path} has no column for the {option}: name it with --{option}. It has {', '.join(row)}"
            )
        return found

    return one(asked.text, TEXT, "text"), one(asked.label, LABEL, "label"), one(asked.source, SOURCE, "")


def _share(label: Any, column: str, spam: tuple[str, ...], most: float) -> float | None:
    """How much of the text is spam, from 0 to 1; None for a label that says nothing."""
    if spam:
        each = label if isinstance(label, list) else [label]
        return float(any(str(one) in spam for one in each)) if each != [""] else None
    word = str(int(label) if isinstance(label, bool) else label).strip().lower()
    if column in ("percentile", "score"):
        try:
            number = float(word)
        except ValueError:
            return None
        if column == "percentile":
            return float(from_percentile(number))
        return number / most if 0 <= number <= most else None
    return 1.0 if word in YES else 0.0 if word in NO else None
