"""Small zstd frames: texts and tag indexes.

Setting up a machine costs more than such a frame, so each thread keeps one.
"""

import threading

import zstandard

LEVEL = 3


class _Machines(threading.local):
    """The machines of one thread; they hold nothing between two frames."""

    def __init__(self) -> None:
        self.packer = zstandard.ZstdCompressor(level=LEVEL)
        self.unpacker = zstandard.ZstdDecompressor()


_machines = _Machines()


def packed(data: bytes) -> bytes:
    """The bytes as one frame."""
    return _machines.packer.compress(data)


def unpacked(frame: bytes, most: int = 0) -> bytes:
    """The bytes of one frame, at most `most` if it does not say how many; ZstdError when it is damaged."""
    return _machines.unpacker.decompress(frame, max_output_size=most)
