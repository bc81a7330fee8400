"""Lines of a text file that may be packed (gzip, zstd), damaged, or no text at all; one line at a time."""

import csv
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from .decompress import Damage, unpacked

LONGEST = 4 * 1024 * 1024  # bytes of a line; a longer one is skipped


class TextLines:
    """The lines of a file, in order, and what could not be read."""

    def __init__(self, file: BinaryIO, longest: int = LONGEST) -> None:
        """Look at the first bytes to see how the file is packed."""
        self._stream = unpacked(file)
        self.longest = longest
        self.too_long = 0  # lines that were skipped
        self.problem = ""  # why the rest of the file could not be read

    @property
    def position(self) -> int:
        """How many bytes of the file, as it is packed, lie behind us."""
        return self._stream.source.position

    def __iter__(self) -> Iterator[bytes]:
        """Each line with its line end."""
        skipping = False
        while True:
            before = self._stream.consumed
            try:
                line = self._stream.line(self.longest)
            except Damage as damage:
                if self._stream.consumed == before:  # nothing more can be unpacked
                    self.problem = f"byte {damage.position}: {damage.reason}"
                    return
                self.too_long += not skipping
                skipping = True  # to the end of this line
                continue
            if not line:
                return
            if not skipping:
                yield line
            skipping = False

    def text(self) -> Iterator[str]:
        """Each line as text: UTF-8, and what is not UTF-8 as it stands in latin-1."""
        for number, line in enumerate(self):
            data = line.removeprefix(b"\xef\xbb\xbf") if not number else line
            try:
                yield data.decode("utf-8")
            except UnicodeDecodeError:
                yield data.decode("latin-1")


class CsvRows:
    """Rows of CSV whose fields may be long. After an error the next row can be read.

    The limit of the csv module is that of the whole process, so it is put back after each row.
    """

    def __init__(self, lines: Iterable[str], longest: int = LONGEST, **dialect: Any) -> None:
        self._rows = csv.reader(lines, **dialect)
        self._longest = longest

    def __iter__(self) -> Iterator[list[str]]:
        return self

    def __next__(self) -> list[str]:
        before = csv.field_size_limit(self._longest)
        try:
            return next(self._rows)
        finally:
            csv.field_size_limit(before)
