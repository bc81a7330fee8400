"""The full-text index of SQLite, FTS5. It reads texts from the tables itself: words are stored once."""

from collections.abc import Iterator

from fieldmouse.store.relational.database import Database
from fieldmouse.store.relational.search_text import SearchTerm, packed, parsed_words, searchable
from fieldmouse.store.relational.text_index import TextIndex


class Fts5Index(TextIndex):
    """The index of one connection."""

    def __init__(self, db: Database) -> None:
        self.db = db

    def stored(self, text: str) -> bytes:
        return packed(text)

    def add(self, page: int, title: str, text: str) -> None:
        try:
            encoded = text.encode()
        except UnicodeEncodeError:  # half a surrogate is none in the table
            encoded = text.encode("utf-8", "replace")
            text = encoded.decode()
        self.db.run("index_page", page=page, title=searchable(title), content=searchable(text, encoded))

    def expression(self, words: str) -> str:
        return match_expression(words)

    def snippet(self, found: str, words: str, tokens: int) -> str:  # noqa: ARG002
        return found

    def rebuild(self) -> None:
        self.db.run("rebuild_index")


def match_expression(words: str) -> str:
    """What a user typed as an expression of FTS5: all words, "phrases", begin*, -without, OR."""

    def written(terms: tuple[SearchTerm, ...]) -> str:
        return " OR ".join(f'"{one.text}"{"*" if one.prefix else ""}' for one in terms)

    wanted, unwanted = parsed_words(words)
    parts = [f"({written(terms)})" if len(terms) > 1 else written(terms) for terms in wanted]
    expression = " AND ".join(parts)
    return f"({expression}) NOT ({written(unwanted)})" if unwanted else expression


def index_pages(structure: bytes) -> int:
    """How many pages the parts of the index have: `structure` is the record of FTS5 that lists them."""

    def numbers() -> Iterator[int]:
        value = size = 0
        for byte in structure[8 if wide else 4 :]:
            size += 1
            value = value << 8 | byte if size == 9 else value << 7 | byte & 127
            if byte < 128 or size == 9:
                yield value
                value = size = 0

    wide = structure[4:8] == b"\xff\x00\x00\x01"  # a later form, with five more numbers for each part
    number, pages = numbers(), 0
    levels, _, _ = (next(number) for _ in range(3))
    for _ in range(levels):
        next(number)
        for _ in range(next(number)):
            _, first, last = (next(number) for _ in range(3))
            pages += last - first + 1
            for _ in range(5 if wide else 0):
                next(number)
    return pages
