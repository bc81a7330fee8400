"""Estimates the pending pages of a host that is not open, from a Bloom filter of the URLs that link to it.

The filter takes a few hundred bytes instead of a list of URLs. The paper counts the URLs that were new to the
filter (`count`). That is too low once the filter is fuller than planned, so hosts are ordered by the number
of set bits instead (`estimate`).
"""

import math
import struct
from collections.abc import Iterable

from xxhash import xxh3_128_intdigest

_LOW = (1 << 64) - 1
_HEAD = struct.Struct("<BBII")  # version, hash functions, bits, count
_VERSION = 1


class UrlSketch:
    """A Bloom filter of canonical URLs that estimates how many were added.

    The stored form carries its own dimensions, so a sketch survives a change of the settings.
    """

    __slots__ = ("_bits", "bits", "count", "hashes")

    def __init__(self, capacity: int = 137, error: float = 0.01) -> None:
        """An empty filter with this false-positive rate when it holds `capacity` URLs."""
        bits = math.ceil(-capacity * math.log(error) / math.log(2) ** 2)
        self.bits, self.hashes = max(8, bits), max(1, round(bits / capacity * math.log(2)))
        self.count = 0  # URLs that were new when they were added
        self._bits = bytearray((self.bits + 7) // 8)

    def add(self, urls: Iterable[str]) -> list[str]:
        """Add URLs; returns those that were new."""
        # All in local names: this runs for every link to another host.
        set_bits, bits, hashes = self._bits, self.bits, range(self.hashes)
        new_urls = []
        for url in urls:
            value = xxh3_128_intdigest(url.encode())
            at, step = (value & _LOW) % bits, (value >> 64) % bits
            new = False
            for turn in hashes:
                mark = 1 << (at & 7)
                if not set_bits[at >> 3] & mark:
                    set_bits[at >> 3] |= mark
                    new = True
                step += turn  # a constant even step would reach only a part of the filter
                at = (at + step) % bits
            if new:
                new_urls.append(url)
        self.count += len(new_urls)
        return new_urls

    def estimate(self) -> float:
        """The number of different URLs added, estimated from the set bits."""
        return estimated(int.from_bytes(self._bits, "little").bit_count(), self.bits, self.hashes)

    def to_bytes(self) -> bytes:
        """The stored form."""
        return _HEAD.pack(_VERSION, self.hashes, self.bits, self.count) + self._bits

    @classmethod
    def from_bytes(cls, data: bytes) -> "UrlSketch":
        """A stored sketch; raises ValueError for anything else."""
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
    """The number of URLs in a filter with `filled` set bits; finite for a full filter."""
    clear = max(bits - filled, 0.5) / bits
    return 0.0 - bits / hashes * math.log(clear)
