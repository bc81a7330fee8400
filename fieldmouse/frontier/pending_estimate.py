"""How many pages of a host have been named by others: a Bloom filter per host, and what it tells.

A host that is not open has no list of its addresses, only this sketch of some hundred bytes. The paper
counts the addresses the filter had not seen (`count`). That undercounts once the filter is fuller than
planned, so hosts are ordered by what the number of set bits tells instead (`estimate`).
"""

import math
import struct
from collections.abc import Iterable

from xxhash import xxh3_128_intdigest

from fieldmouse.settings import FrontierSettings

_LOW = (1 << 64) - 1
_HEAD = struct.Struct("<BBII")  # version, hash functions, bits, count
_VERSION = 1


def dimensions(capacity: int, error: float) -> tuple[int, int]:
    """Bits and hash functions of a filter that errs at this rate when it holds `capacity` addresses."""
    bits = math.ceil(-capacity * math.log(error) / math.log(2) ** 2)
    return max(8, bits), max(1, round(bits / capacity * math.log(2)))


class UrlSketch:
    """A set of addresses that forgets which, but not how many.

    Addresses must be canonical, or one page counts as several. What is stored carries its own
    dimensions, so sketches outlive a change of the settings.
    """

    __slots__ = ("_bits", "bits", "count", "hashes")

    def __init__(self, capacity: int = 137, error: float = 0.01) -> None:
        self.bits, self.hashes = dimensions(capacity, error)
        self.count = 0  # addresses that were new when they were added
        self._bits = bytearray((self.bits + 7) // 8)

    @classmethod
    def sized(cls, limits: FrontierSettings) -> "UrlSketch":
        """An empty sketch of the size the settings ask for."""
        return cls(limits.sketch_urls, limits.sketch_error)

    def add(self, url: str) -> bool:
        """Add an address; whether it was new."""
        return self.add_many((url,)) == 1

    def add_many(self, urls: Iterable[str]) -> int:
        """Add addresses; how many were new."""
        return len(self.fresh(urls))

    def fresh(self, urls: Iterable[str]) -> list[str]:
        """Add addresses; those that were new."""
        # One function with all in local names: this runs for every link to another host.
        set_bits, bits, hashes = self._bits, self.bits, range(self.hashes)
        fresh = []
        for url in urls:
            value = xxh3_128_intdigest(url.encode())
            at, step = (value & _LOW) % bits, (value >> 64) % bits
            new = False
            for turn in hashes:
                mark = 1 << (at & 7)
                if not set_bits[at >> 3] & mark:
                    set_bits[at >> 3] |= mark
                    new = True
                step += turn  # an even step keeps to a part of the filter: change it as we go
                at = (at + step) % bits
            if new:
                fresh.append(url)
        self.count += len(fresh)
        return fresh

    def __contains__(self, url: str) -> bool:
        """Whether an address was probably added; never wrong about one that was."""
        value = xxh3_128_intdigest(url.encode())
        at, step = (value & _LOW) % self.bits, (value >> 64) % self.bits
        for turn in range(self.hashes):
            if not self._bits[at >> 3] & (1 << (at & 7)):
                return False
            step += turn
            at = (at + step) % self.bits
        return True

    @property
    def filled(self) -> int:
        """Bits that are set."""
        return int.from_bytes(self._bits, "little").bit_count()

    def estimate(self) -> float:
        """How many different addresses were added, judged by the bits that are set."""
        return estimated(self.filled, self.bits, self.hashes)

    def to_bytes(self) -> bytes:
        """The sketch as it is stored."""
        return _HEAD.pack(_VERSION, self.hashes, self.bits, self.count) + self._bits

    @classmethod
    def from_bytes(cls, data: bytes) -> "UrlSketch":
        """A stored sketch; ValueError when it is none."""
        if len(data) < _HEAD.size:
            raise ValueError("too short for a sketch")
        version, hashes, bits, count = _HEAD.unpack_from(data)
        if version != _VERSION or not hashes or not bits or len(data) != _HEAD.size + (bits + 7) // 8:
            raise ValueError("not a sketch, or one of another version")
        sketch = cls.__new__(cls)
        sketch.hashes, sketch.bits, sketch.count = hashes, bits, count
        sketch._bits = bytearray(data[_HEAD.size :])
        return sketch


def estimated(filled: int, bits: int, hashes: int) -> float:
    """Addresses in a filter with so many bits set; a full one gives the largest value it can tell."""
    clear = max(bits - filled, 0.5) / bits
    return 0.0 - bits / hashes * math.log(clear)


def pending(limits: FrontierSettings, in_degree: int, sketch: UrlSketch | None) -> float:
    """The place of a host in the queue: its estimated pending pages, by the estimator that was chosen."""
    if limits.estimator == "in-degree" or sketch is None:
        return float(in_degree)
    return sketch.estimate()
