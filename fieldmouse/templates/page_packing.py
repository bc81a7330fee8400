"""Pages kept small against what their host's pages have in common, and given back byte for byte.

Measured on real hosts, zstd with a dictionary made of a host's templates and a few of its pages beats
storing which parts of a template to copy (docs/decisions/template-storage.md), so that is what is kept: one
dictionary for a host, one frame for a page, each with the digest of the dictionary it needs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import xxhash
import zstandard

from .template import Templates

LEVEL = 9  # above it, time grows fast and pages hardly shrink
MAX_DICTIONARY = 512 * 1024  # bytes; large enough for some whole pages of a host of large ones
MAX_CONTENT = 1024 * 1024 * 1024  # bytes a page may unpack to

_MAGIC = b"FMpg1"
_DICTIONARY_MAGIC = b"FMdi1"


@dataclass(frozen=True, slots=True)
class Dictionary:
    """What a host's pages are packed against. It never changes; another one has another digest."""

    data: bytes = b""

    @property
    def digest(self) -> bytes:
        """Eight bytes that stand in every page packed with it."""
        return xxhash.xxh3_64_digest(self.data)

    def to_bytes(self) -> bytes:
        """As a file."""
        packer = zstandard.ZstdCompressor(level=LEVEL, write_checksum=True)
        return _DICTIONARY_MAGIC + packer.compress(self.data)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Dictionary":
        """Read what `to_bytes` wrote; ValueError when it is damaged or something else."""
        if not data.startswith(_DICTIONARY_MAGIC):
            raise ValueError("this is no dictionary, or one of another release")
        return cls(_unpacked(zstandard.ZstdDecompressor(), data[len(_DICTIONARY_MAGIC) :]))


def dictionary(templates: Templates, samples: Sequence[Sequence[bytes]]) -> Dictionary:
    """Out of the templates of a host and pages of each of its groups; the largest groups come first.

    What is met most should stand last, where zstd reaches it with the fewest bits.
    """
    room = MAX_DICTIONARY
    parts: list[bytes] = []
    for part in _parts(templates, samples):
        if part and len(part) <= room:
            parts.append(part)
            room -= len(part)
    return Dictionary(b"".join(reversed(parts)))


def _parts(templates: Templates, samples: Sequence[Sequence[bytes]]) -> Iterable[bytes]:
    """Templates up to half the room, then a page of each group in turn, small ones first."""
    room = MAX_DICTIONARY // 2
    for one in templates.all:
        if one.size <= room:
            room -= one.size
            yield b"".join(one.raws)
    queues = [sorted(pages, key=len) for pages in samples]
    for turn in range(max(map(len, queues), default=0)):
        yield from (pages[turn] for pages in queues if turn < len(pages))


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
        """A page, small."""
        return self._head + self._packer.compress(content)

    def restore(self, packed: bytes) -> bytes:
        """The page that was packed, byte for byte; ValueError when that cannot be had."""
        if not packed.startswith(_MAGIC):
            raise ValueError("this is no packed page, or one of another release")
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
