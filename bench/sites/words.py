"""The words of one language, and what can be made of them."""

import random
import tomllib
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de", "fr", "es", "ja")
LATER_LANGUAGES = ("ar", "en", "ru", "de", "ar", "ja", "fr", "es")  # of parts that came later


@lru_cache(maxsize=1)
def _tables() -> dict[str, Any]:
    """All files: the later ones have more labels, heads and values, and more languages."""
    found: dict[str, Any] = {}
    for name in ("words", "words_later", "words_strange"):
        file = Path(__file__).with_name(f"{name}.toml")
        for language, table in tomllib.loads(file.read_text("utf-8")).items():
            known = found.setdefault(language, {})
            for key, value in table.items():
                known[key] = known.get(key, {}) | value if isinstance(value, dict) else value
    return found


class Words:
    """Draws texts of one language; every draw takes its chance as an argument."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._table: dict[str, Any] = _tables()[language]
        self._shared: dict[str, Any] = _tables()["shared"]
        self.spaced: bool = self._table["spaced"]

    def __getitem__(self, key: str) -> Any:
        """A table or text of the language, else of all languages."""
        return self._table.get(key, self._shared.get(key))

    def label(self, key: str) -> str:
        """The label of a fact."""
        return str(self._table["labels"][key])

    def heading(self, key: str, chance: random.Random) -> str:
        """A heading of a page or of a part of it."""
        return self.fill(self._table["heads"][key], chance)

    def values(self, key: str) -> Any:
        """The values that a fact can have, or their pattern."""
        return self._table["values"][key]

    def fill(self, pattern: str, chance: random.Random) -> str:
        """A pattern with all its gaps filled."""
        place, other = chance.sample(self._table["places"], 2)
        last, other_last = chance.sample(self._table["last"], 2)
        return pattern.format(
            place=place,
            other=other,
            last=last,
            other_last=other_last,
            thing=chance.choice(self._table["things"]),
            name=chance.choice(self._shared["names"]),
            person=self.person(chance),
            n=chance.randint(3, 96),
            m=chance.randint(110, 980),
            day=chance.randint(1, 28),
            month=chance.choice(self._table["months"]),
            year=chance.randint(1921, 2019),
            amount=self.money(chance.randint(2, 900) * 100, 0),
        )

    def drawn(self, key: str, chance: random.Random) -> str:
        """One pattern of a list, filled."""
        return self.fill(chance.choice(self._table[key]), chance)

    def step(self, chance: random.Random) -> str:
        """A step of a recipe."""
        thing, other = chance.sample(self._table["ingredients"], 2)
        pattern: str = chance.choice(self._table["steps"])
        text = pattern.format(
            thing=thing, other=other, n=chance.randint(3, 55), m=chance.randrange(140, 240, 10)
        )
        return text[0].upper() + text[1:]

    def code(self, chance: random.Random) -> str:
        """A line of a program."""
        name = chance.choice(self._shared["names"]).lower()
        pattern: str = chance.choice(self._shared["code"])
        return pattern.format(name=name, n=chance.randint(2, 90), m=chance.randint(91, 400))

    def person(self, chance: random.Random) -> str:
        """A name."""
        first, last = chance.choice(self._table["first"]), chance.choice(self._table["last"])
        return f"{first} {last}" if self.spaced else f"{last}{first}"

    def join(self, sentences: list[str]) -> str:
        """Sentences as a paragraph."""
        return (" " if self.spaced else "").join(sentences)

    def number(self, value: float, decimals: int = 0) -> str:
        """A number as it is written in this language."""
        text = f"{value:,.{decimals}f}".replace(",", "_").replace(".", self._table["decimal"])
        return text.replace("_", self._table["thousands"])

    def money(self, value: float, decimals: int = 2) -> str:
        """An amount of money."""
        shown = self.number(value, 0 if self.language == "ja" else decimals)
        return str(self._table["money"].format(n=shown))

    def date(self, time: float) -> str:
        """The day of a time, in UTC."""
        moment = datetime.fromtimestamp(time, UTC)
        return str(
            self._table["date"].format(
                day=moment.day, month=self._table["months"][moment.month - 1], year=moment.year
            )
        )
