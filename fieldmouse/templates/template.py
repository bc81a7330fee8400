"""Templates as they are kept: immutable, numbered, with a digest; as bytes, loaded whole or not at all."""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import xxhash
import zstandard

from fieldmouse.page.tokens import Keys

from .align import blocks
from .group import Profile, nearest

MAGIC = b"FMtpl1\n"
MAX_BYTES = 512 * 1024 * 1024  # that saved templates may unpack to

_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """What more than half of some pages have in common, token by token."""

    number: int  # of the group, within its host and version
    profile: Profile  # of the page that began the group
    raws: tuple[bytes, ...]  # each token as one of the pages has it
    kinds: bytes
    counts: tuple[int, ...]  # pages that have it
    pages: int  # that were aligned
    typical: float  # share of these tokens that the middle one of those pages has

    @property
    def digest(self) -> str:
        """Tells one template from another, whatever it is called."""
        parts = (b"%d " % len(raw) + raw for raw in self.raws)
        return xxhash.xxh3_128_hexdigest(b"".join(parts) + self.kinds)

    @property
    def size(self) -> int:
        """Bytes of its tokens."""
        return sum(map(len, self.raws))

    def keys(self, keys: Keys) -> list[int]:
        """Its tokens as numbers."""
        return [keys.of(raw, kind) for raw, kind in zip(self.raws, self.kinds, strict=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Templates:
    """All templates of a host, from one distillation."""

    host: str
    version: int  # rises with each distillation
    all: tuple[Template, ...]

    @property
    def id(self) -> str:
        """Names these templates for ever: they do not change."""
        return f"{self.host}/{self.version}/{xxhash.xxh3_64_hexdigest(self.to_bytes())}"

    def choose(self, page: Profile) -> int:
        """The place in `all` of the template that a page was made with, or -1."""
        return nearest(page, [one.profile for one in self.all])

    def to_bytes(self) -> bytes:
        """As a file; `from_bytes` gives the same back."""
        head = {"host": self.host, "version": self.version, "templates": [_head(one) for one in self.all]}
        text = json.dumps(head, sort_keys=True).encode()
        raws = b"".join(raw for one in self.all for raw in one.raws)
        packer = zstandard.ZstdCompressor(level=9, write_checksum=True)
        return MAGIC + packer.compress(_LENGTH.pack(len(text)) + text + raws)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Templates":
        """Read what `to_bytes` wrote; ValueError when it is damaged or something else."""
        if not data.startswith(MAGIC):
            raise ValueError("these are no templates, or those of another release")
        try:
            plain = zstandard.ZstdDecompressor().decompress(data[len(MAGIC) :], max_output_size=MAX_BYTES)
            return _parsed(plain)
        except (zstandard.ZstdError, KeyError, TypeError, struct.error, UnicodeDecodeError) as error:
            raise ValueError(f"the templates are damaged: {error}") from None


def _head(one: Template) -> dict[str, Any]:
    return {
        "number": one.number,
        "tags": sorted(one.profile.tags),
        "shape": one.profile.shape,
        "kinds": one.kinds.hex(),
        "counts": one.counts,
        "lengths": [len(raw) for raw in one.raws],
        "pages": one.pages,
        "typical": one.typical,
    }


def _parsed(plain: bytes) -> Templates:
    (size,) = _LENGTH.unpack_from(plain)
    place = _LENGTH.size + size
    head = json.loads(plain[_LENGTH.size : place])
    found = []
    for one in head["templates"]:
        raws, place = _sliced(plain, place, one["lengths"])
        found.append(_template(one, raws))
    if place != len(plain):
        raise ValueError("the templates are damaged: their length is wrong")
    return Templates(host=head["host"], version=head["version"], all=tuple(found))


def _sliced(plain: bytes, place: int, lengths: Sequence[int]) -> tuple[tuple[bytes, ...], int]:
    raws = []
    for length in lengths:
        raws.append(plain[place : place + length])
        place += length
    return tuple(raws), place


def _template(one: dict[str, Any], raws: tuple[bytes, ...]) -> Template:
    kinds = bytes.fromhex(one["kinds"])
    if not len(kinds) == len(raws) == len(one["counts"]):
        raise ValueError("the templates are damaged: their parts do not fit")
    return Template(
        number=one["number"],
        profile=Profile(frozenset(one["tags"]), one["shape"]),
        raws=raws,
        kinds=kinds,
        counts=tuple(one["counts"]),
        pages=one["pages"],
        typical=one["typical"],
    )


def share(template: Sequence[int], page: Sequence[int]) -> float:
    """The share of a template's tokens that a page has, in their order."""
    return sum(one.size for one in blocks(template, page)) / len(template) if template else 0.0
