"""Compact storage of pages with a dictionary of their host; restores them byte for byte.

A host has one zstd dictionary, made of its templates and a few of its pages. Each page is one frame with the
digest of its dictionary. Why not templates alone: docs/decisions/template-storage.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import xxhash
import zstandard

from .template import Templates

LEVEL = 9  # higher levels take much more time and save little
MAX_DICTIONARY = 512 * 1024  # bytes; enough for several large pages
MAX_CONTENT = 1024 * 1024 * 1024  # bytes a page may unpack to

_MAGIC = b"FMpg1"
_DICTIONARY_MAGIC = b"FMdi1"


@dataclass(frozen=True, slots=True)
class Dictionary:
    """The dictionary of a host. It never changes; another one has another digest."""

    data: bytes = b""

    @property
    def digest(self) -> bytes:
        """Eight bytes that identify it in every packed page."""
        return xxhash.xxh3_64_digest(self.data)

    def to_bytes(self) -> bytes:
        """The stored form."""
        packer = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        return _DICTIONARY_MAGIC + packer.compress(self.data)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Dictionary":
        """Read what `to_bytes` wrote; ValueError when it is damaged or something else."""
        if not data.startswith(_DICTIONARY_MAGIC):
            raise ValueError("this is not a dictionary, or one of another release")
        return cls(_unpacked(zstandard.ZstdDecompressor(), data[len(_DICTIONARY_MAGIC) :]))


def dictionary(templates: Templates, samples: Sequence[Sequence[bytes]]) -> Dictionary:
    """Make a dictionary from the templates of a host and pages of each group, the largest groups first.

    It holds templates up to half its size, then a page of each group in turn, small ones first. The most
    frequent parts are last, where zstd needs the fewest bits to refer to them.
    """
    parts: list[bytes] = []
    room = MAX_DICTIONARY // 2
    for one in templates.all:
        if 0 < one.size <= room:
            parts.append(b"".join(one.raws))
            room -= one.size
    room += MAX_DICTIONARY - MAX_DICTIONARY // 2
    queues = [sorted(pages, key=len) for pages in samples]
    for turn in range(max(map(len, queues), default=0)):
        for pages in queues:
            if turn < len(pages) and 0 < len(pages[turn]) <= room:
                parts.append(pages[turn])
                room -= len(pages[turn])
    return Dictionary(b"".join(reversed(parts)))


class Packer:
    """Packs and restores the pages of one host."""

    def __init__(self, using: Dictionary | None = None, level: int = LEVEL) -> None:
        self.dictionary = using or Dictionary()
        data = self.dictionary.data
        kind = zstandard.DICT_TYPE_RAWCONTENT
        known = zstandard.ZstdCompressionDict(data, dict_type=kind) if len(data) >= 8 else None
        self._packer = zstandard.ZstdCompressor(level=level, dict_data=known, write_checksum=True)
        self._unpacker = zstandard.ZstdDecompressor(dict_data=known)
        self._head = _MAGIC + self.dictionary.digest

    def pack(self, content: bytes) -> bytes:
        """The packed form of a page."""
        return self._head + self._packer.compress(content)

    def restore(self, packed: bytes) -> bytes:
        """The page that was packed, byte for byte; ValueError if it is damaged or has another dictionary."""
        if not packed.startswith(_MAGIC):
            raise ValueError("this is not a packed page, or one of another release")
        if not packed.startswith(self._head):
            raise ValueError("this page was packed with another dictionary")
        return _unpacked(self._unpacker, packed[len(self._head) :])


def _unpacked(unpacker: zstandard.ZstdDecompressor, data: bytes) -> bytes:
    try:
        size = zstandard.frame_content_size(data)
        if not 0 <= size <= MAX_CONTENT:
            raise ValueError("the packed data is damaged: it has no size")
        plain = unpacker.decompress(data, read_across_frames=False, allow_extra_data=False)
    except zstandard.ZstdError as error:
        raise ValueError(f"the packed data is damaged: {error}") from None
    if len(plain) != size:
        raise ValueError("the packed data is damaged: its size is wrong")
    return plain
