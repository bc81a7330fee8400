"""Which of a few dozen words stand in a page: one pass over it in C, instead of a search for each."""

from collections.abc import Iterable
from types import ModuleType

from . import tags


class WordFilter:
    """Looks for words of two bytes or more, as they are written."""

    def __init__(self, words: Iterable[bytes]) -> None:
        self.words = tuple(sorted(set(words)))
        table = bytearray(65536)
        for number, word in reversed(list(enumerate(self.words, 1))):
            table[word[0] << 8 | word[1]] = number
        self._table = bytes(table)

    def found(self, body: bytes, engine: ModuleType = tags.engine) -> set[bytes]:
        """The words that stand in a page."""
        there = engine.words_in(body, self._table, self.words)
        return {word for word, is_there in zip(self.words, there, strict=True) if is_there}
