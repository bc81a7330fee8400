"""What an engine has to know about texts: how they are stored, indexed and searched."""

from typing import Any, Protocol


class TextIndex(Protocol):
    """The full-text index of an engine."""

    def stored(self, text: str) -> Any:
        """A main text as the column `page_text.data` has it."""

    def add(self, page: int, title: str, text: str) -> None:
        """Index a page whose text was just stored. Inside a transaction."""

    def expression(self, words: str) -> str:
        """What a user typed, as the index wants it."""

    def snippet(self, found: str, words: str, tokens: int) -> str:
        """What `search_hit` gave as a snippet, with marks around the words that were found."""

    def rebuild(self) -> None:
        """Rebuild the index of all texts. Inside a transaction."""
