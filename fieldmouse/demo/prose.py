"""Fills the demo's texts with names and weather: the same seed and page always give the same words."""

import random
import re
import tomllib
from importlib import resources
from typing import Any


class Prose:
    """The texts of the town, and a way to fill the blanks in them."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.texts: dict[str, Any] = tomllib.loads(
            resources.files(__package__).joinpath("town.toml").read_text("utf-8")
        )

    def fill(self, key: str, *texts: str) -> list[str]:
        """The texts of the page `key`, filled: `{boat}` is the same boat throughout, `{boat2}` another."""
        # Not a secret, only a choice that must come out the same every time.
        chance = random.Random(f"{self.seed}/{key}")  # noqa: S311
        drawn = {kind: chance.sample(words, len(words)) for kind, words in self.texts["words"].items()}

        def word(blank: re.Match[str]) -> str:
            return str(drawn[blank[1]][int(blank[2] or 1) - 1])

        return [_sentence(re.sub(r"\{([a-z]+)(\d?)\}", word, text)) for text in texts]

    def story(self, key: str, title: str, texts: list[str]) -> tuple[str, list[str]]:
        """A title and paragraphs that belong together."""
        first, *rest = self.fill(key, title, *texts)
        return first, rest


def _sentence(text: str) -> str:
    """A filled blank may open a sentence in lower case."""
    return re.sub(r"(?:^|(?<=[.!?] ))[a-z]", lambda match: match[0].upper(), text)
