"""A visit as a frame of a pack: its records side by side, a compressed body as content with the way back."""

import re
import struct

import zstandard

from fieldmouse.errors import ArchiveDamaged

from .gzip_recipe import Recipe

LEVEL = 9  # above it, time grows fast and pages hardly shrink

_COUNT = struct.Struct("<BB")  # records, and bytes of the recipe
_LENGTH = struct.Struct("<I")
_BODY = struct.Struct("<II")  # where the content begins in the first record, and its length

_CODING = re.compile(rb"(?im)^(?=content-encoding[ \t]*:)")
_CONTENT_LENGTH = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*(\d+)")


class Sealer:
    """Makes frames against one dictionary."""

    def __init__(self, dictionary: bytes) -> None:
        self._packer = zstandard.ZstdCompressor(
            level=LEVEL, dict_data=_known(dictionary), write_checksum=True
        )

    def seal(self, records: list[bytes], found: tuple[bytes, Recipe] | None, body: int) -> bytes:
        """Records in one frame; `found` is the content of the first one's body, of `body` bytes."""
        recipe = b""
        if found is not None:
            content, way = found
            begin = len(records[0]) - body - 4
            recipe = _BODY.pack(begin, len(content)) + way.to_bytes()
            records = [records[0][:begin] + content + records[0][begin + body :], *records[1:]]
        lengths = b"".join(_LENGTH.pack(len(one)) for one in records)
        return self._packer.compress(
            b"".join((_COUNT.pack(len(records), len(recipe)), lengths, recipe, *records))
        )


def unpacker(dictionary: bytes) -> zstandard.ZstdDecompressor:
    """Opens what was sealed against a dictionary."""
    return zstandard.ZstdDecompressor(dict_data=_known(dictionary))


def _known(dictionary: bytes) -> zstandard.ZstdCompressionDict | None:
    if len(dictionary) < 8:  # zstd knows none that short
        return None
    return zstandard.ZstdCompressionDict(dictionary, dict_type=zstandard.DICT_TYPE_RAWCONTENT)


def opened_frame(machine: zstandard.ZstdDecompressor, frame: bytes, where: str) -> list[bytes]:
    """The records of a frame, as they were."""
    try:
        plain = machine.decompress(frame, read_across_frames=False, allow_extra_data=False)
        count, size = _COUNT.unpack_from(plain)
        place = _COUNT.size + count * _LENGTH.size
        lengths = [_LENGTH.unpack_from(plain, _COUNT.size + n * _LENGTH.size)[0] for n in range(count)]
        recipe, place = plain[place : place + size], place + size
        if place + sum(lengths) != len(plain):
            raise ArchiveDamaged(f"{where}: the lengths in the frame are wrong")
        records = []
        for length in lengths:
            records.append(plain[place : place + length])
            place += length
        return [_recoded(records[0], recipe), *records[1:]] if recipe else records
    except (zstandard.ZstdError, struct.error) as error:
        raise ArchiveDamaged(f"{where}: the frame is broken ({error})") from None


def _recoded(record: bytes, data: bytes) -> bytes:
    """A record with its body compressed again; plain, and saying so, when that cannot be had any more."""
    begin, length = _BODY.unpack_from(data)
    content, end = record[begin : begin + length], record[begin + length :]
    body = Recipe.from_bytes(data[_BODY.size :]).apply(content)
    if body is not None:
        return record[:begin] + body + end
    head, _, http = record[:begin].partition(b"\r\n\r\n")
    http = _CONTENT_LENGTH.sub(b"Content-Length: %d" % length, _CODING.sub(b"X-Crawler-", http))
    head = _CONTENT_LENGTH.sub(b"Content-Length: %d" % (len(http) + length), head)
    return head + b"\r\n\r\n" + http + content + end
