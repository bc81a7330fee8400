"""Classes of pages: a name and a short list of weighted keywords each, in a TOML or CSV file.

A keyword is one word or a phrase such as `real estate`. Texts are matched by the stems of words; a phrase
also matches where its words are written as one, and a compound in a name where it is two words.
"""

import csv
import io
import math
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from fieldmouse.errors import UsageError
from fieldmouse.focus.words import Stems, stem, words
from fieldmouse.setting_values import to_toml

SHIPPED = ("business", "adult")
MOST_SHARED = 0.8  # of the keywords of a class that another class may have too


# Words that Porter's rules give the stem of another word.
UNSTEMMED = frozenset({"news", "international", "universal"})


class ClassStems(Stems):
    """Stems of words, but for words that are keywords in one form and on every page in another."""

    def __missing__(self, word: str) -> str:
        return word if word in UNSTEMMED else super().__missing__(word)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageClass:
    """A class and its keywords."""

    name: str
    keywords: Mapping[str, float]  # as they are written
    terms: Mapping[str, float] = field(init=False, compare=False)  # by stem
    written: Mapping[str, str] = field(init=False, compare=False)  # the heaviest keyword of each term
    ignored: tuple[str, ...] = field(init=False, compare=False)  # stop words, and words without letters

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise UsageError("a class has no name; write a table [classes.NAME] for each")
        terms: dict[str, float] = {}
        written: dict[str, str] = {}
        ignored: list[str] = []
        stems = ClassStems()
        for word, weight in self.keywords.items():
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not math.isfinite(weight):
                raise UsageError(
                    f"class {self.name!r}: the weight of {word!r} must be a number, not {weight!r}"
                )
            if weight <= 0:
                raise UsageError(f"class {self.name!r}: the weight of {word!r} must be above 0, not {weight}")
            term = keyword_term(word, stems)
            if not term:
                ignored.append(word)
            elif weight >= terms.get(term, 0.0):
                terms[term], written[term] = float(weight), word
        if ignored and not terms:
            raise UsageError(
                f"class {self.name!r}: {ignored[0]!r} is a stop word or has no letters; give other keywords"
            )
        for attribute, value in (("terms", terms), ("written", written), ("ignored", tuple(ignored))):
            object.__setattr__(self, attribute, value)


def keyword_term(keyword: str, stems: Stems) -> str:
    """The term of a keyword; a phrase becomes one term without spaces."""
    parts = words(keyword)
    if len(parts) == 1:
        return stems[parts[0]]
    return stem("".join(parts))


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassList:
    """The classes that pages are sorted into."""

    name: str
    classes: tuple[PageClass, ...]
    warnings: tuple[str, ...] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if not self.classes:
            raise UsageError(f"{self.name} has no class; write a table [classes.NAME] for each")
        for one in self.classes:
            if not one.keywords:
                raise UsageError(
                    f"{self.name}: class {one.name!r} has no keywords; "
                    f"`label classes suggest {to_toml(one.name)}` proposes some"
                )
        seen: dict[tuple[str, ...], str] = {}
        for one in self.classes:
            key = tuple(sorted(one.terms))
            if key in seen:
                raise UsageError(
                    f"{self.name}: classes {seen[key]!r} and {one.name!r} have the same keywords; "
                    "join them, or give each words of its own"
                )
            seen[key] = one.name
        found = []
        if len(self.classes) == 1:
            found.append(
                "there is only one class: its measures compare it with nothing, so only pages with its "
                "keywords are labelled; a second class, for example `other`, makes the labels surer"
            )
        for place, one in enumerate(self.classes):
            if one.ignored:
                found.append(
                    f"class {one.name!r}: stop words and keywords without letters are ignored: "
                    + ", ".join(one.ignored[:5])
                    + (f" and {len(one.ignored) - 5} more" if len(one.ignored) > 5 else "")
                )
            for other in self.classes[place + 1 :]:
                shared = one.terms.keys() & other.terms.keys()
                if len(shared) > MOST_SHARED * min(len(one.terms), len(other.terms)):
                    found.append(
                        f"classes {one.name!r} and {other.name!r} share {len(shared)} keywords "
                        f"({', '.join(sorted(one.written[term] for term in shared)[:5])}): they will be hard "
                        "to separate"
                    )
        object.__setattr__(self, "warnings", tuple(found))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the classes, in their order."""
        return tuple(one.name for one in self.classes)

    @property
    def terms(self) -> frozenset[str]:
        """The terms of all classes."""
        return frozenset(term for one in self.classes for term in one.terms)

    @property
    def heads(self) -> frozenset[str]:
        """The first words of phrases."""
        parts = (words(keyword) for one in self.classes for keyword in one.keywords)
        return frozenset(said[0] for said in parts if len(said) > 1)


def term_counts(
    said: Sequence[str], known: AbstractSet[str], stems: Stems, heads: AbstractSet[str] | None = None
) -> Counter[str]:
    """The terms of words in their order; two neighbours that make a known compound count as that.

    `heads` are the words that a compound may begin with; None for any, as in names.
    """
    found: Counter[str] = Counter()
    last = ""
    for word in (*said, ""):
        if last and (heads is None or last in heads):
            joined = stem(last + word) if word else ""
            if joined in known and joined != last:
                found[joined] += 1
                last = ""
                continue
        if last and (term := stems[last]):
            found[term] += 1
        last = word
    return found


def joined_letters(said: Sequence[str]) -> list[str]:
    """Words of a name with runs of single letters joined: `s e o` is `seo`."""
    found: list[str] = []
    run = ""
    for one in (*said, ""):
        if len(one) == 1 and one.isalpha():
            run += one
            continue
        if run:
            found.append(run)
            run = ""
        if one:
            found.append(one)
    return found


def from_toml(text: str, where: str) -> ClassList:
    """Classes from TOML: `[classes.NAME]` with `keywords`, a table of weights or a list of words."""
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where} is not valid TOML: {error}") from None
    tables = found.pop("classes", {})
    name = found.pop("name", "") or Path(where).stem
    if found:
        raise UsageError(f"{where} has an unknown key {min(found)!r}; classes are tables [classes.NAME]")
    if not isinstance(name, str) or not isinstance(tables, dict):
        raise UsageError(f"{where}: name must be a string, and classes must be tables [classes.NAME]")
    return ClassList(name=name, classes=tuple(_class(one, table, where) for one, table in tables.items()))


def _class(name: str, table: Any, where: str) -> PageClass:
    keywords = table.get("keywords", {}) if isinstance(table, dict) else table
    if isinstance(table, dict) and (unknown := table.keys() - {"keywords"}):
        raise UsageError(f"{where}: [classes.{name}] has an unknown key {min(unknown)!r}; it needs keywords")
    if isinstance(keywords, list):
        keywords = dict.fromkeys(keywords, 1.0) if all(isinstance(one, str) for one in keywords) else None
    if not isinstance(keywords, dict):
        raise UsageError(f"{where}: the keywords of {name!r} must be a table of weights or a list of words")
    try:
        return PageClass(name=name, keywords=keywords)
    except UsageError as error:
        raise UsageError(f"{where}: {error}") from None


def from_csv(text: str, where: str) -> ClassList:
    """Classes from rows of class, keyword and weight; the weight and a heading may be left out.

    Columns are separated by what the first row has most of: comma, semicolon or tab. A weight may have a
    decimal comma.
    """
    tables: dict[str, dict[str, float]] = {}
    first = next((line for line in text.splitlines() if line.strip() and not line.startswith("#")), "")
    sign = max(",;\t", key=first.count)
    for number, row in enumerate(csv.reader(io.StringIO(text), delimiter=sign), 1):
        cells = [cell.strip() for cell in row]
        heading = [cell.casefold() for cell in cells[:2]] == ["class", "keyword"]
        if not any(cells) or cells[0].startswith("#") or (heading and not tables):
            continue
        if len(cells) < 2 or len(cells) > 3 or not cells[0]:
            raise UsageError(f"{where}, line {number}: expected class,keyword,weight, not {sign.join(row)!r}")
        keywords = tables.setdefault(cells[0], {})
        if not cells[1]:
            continue  # a class without a keyword is reported as such
        try:
            weight = float(cells[2].replace(",", ".")) if len(cells) == 3 and cells[2] else 1.0
        except ValueError:
            weight = math.nan
        if not 0.0 < weight < math.inf:
            raise UsageError(f"{where}, line {number}: the weight must be a number above 0, not {cells[2]!r}")
        keywords[cells[1]] = max(weight, keywords.get(cells[1], 0.0))
    classes = tuple(_class(name, {"keywords": keywords}, where) for name, keywords in tables.items())
    return ClassList(name=Path(where).stem, classes=classes)


def to_toml_text(found: ClassList) -> str:
    """Classes as a file that a person may edit."""
    lines = [f"name = {to_toml(found.name)}"]
    for one in found.classes:
        lines += ["", f"[classes.{to_toml(one.name)}.keywords]"]
        lines += [f"{to_toml(word)} = {weight!r}" for word, weight in one.keywords.items()]
    return "\n".join(lines) + "\n"


def load_classes(place: str) -> ClassList:
    """Classes from a file, or a shipped list by its name."""
    if place in SHIPPED:
        text = files(__package__).joinpath(f"{place}.toml").read_text("utf-8")
        return from_toml(text, place)
    try:
        text = Path(place).read_text("utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"{place} cannot be read: {error.strerror}; "
            f"give a file of classes, or a shipped list: {', '.join(SHIPPED)}"
        ) from None
    except UnicodeDecodeError:
        raise UsageError(f"{place} is not a text in UTF-8") from None
    return from_csv(text, place) if place.endswith((".csv", ".tsv")) else from_toml(text, place)
