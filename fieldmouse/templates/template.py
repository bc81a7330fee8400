"""The templates of a host: tag profiles that group its pages, and templates as they are stored.

One site has several templates. Pages are compared by their tag profile: the set of the names and classes of
their start tags. A long article and a short one have nearly the same set. A page joins the group with the
most similar profile, if it is similar enough; pages with URLs of the same form may differ a little more.
Layouts of one site share its header and footer, so groups are formed by a stricter measure than a page needs
later to be given a template.

Templates are immutable and numbered; as bytes they are loaded whole or not at all.
"""

import json
import re
import struct
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from urllib.parse import urlsplit

import xxhash
import zstandard

from fieldmouse.page import reference_scanner, tags
from fieldmouse.page.charset import octets
from fieldmouse.page.tags import attributes
from fieldmouse.page.tokens import MEMO_BYTES, Document, Keys, fitting_indexes, start_tags

NEAR = 0.5  # share of tags that two profiles must have in common
NEAR_SAME_SHAPE = 0.35  # ... if their URLs have the same form
JOINS = 0.65  # the same for pages that a template is made from
JOINS_SAME_SHAPE = 0.5
MAX_PROFILE = 400  # tags of a profile: those with the smallest hashes

MEMO = 10_000  # cached tags: menus are on every page

_DIGITS = re.compile(r"\d+")
_DIGIT = re.compile(rb"[0-9]")
_NAME = re.compile(rb"<([^\t\n\f\r />]+)")

MAGIC = b"FMtpl1\n"
MAX_BYTES = 512 * 1024 * 1024  # that saved templates may unpack to

_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, slots=True)
class Profile:
    """The start tags of a page and the form of its URL."""

    tags: frozenset[int]  # hashes of name and classes
    shape: str  # of its URL

    def similarity(self, other: "Profile") -> float:
        """The share of tags in common, from 0 to 1."""
        if not self.tags and not other.tags:
            return 1.0
        common = len(self.tags & other.tags)
        return common / (len(self.tags) + len(other.tags) - common)


def page_profile(document: Document, engine: ModuleType = tags.engine) -> Profile:
    """The profile of a page."""
    found: list[int] | None = None
    if engine is not reference_scanner:
        body, _ = octets(document.content, document.charset)
        hashing = xxhash.xxh3_64_intdigest
        for index in fitting_indexes(document, body):
            found = engine.tag_hashes(body, index.data, index.wide, hashing)
            if found is not None:
                break
    if found is None:
        return profile(start_tags(document), document.url)
    return Profile(frozenset(found), shape(document.url))


def profile(begun: Collection[bytes], url: str) -> Profile:
    """The profile of a page from its different start tags."""
    marks = {_known_hash(raw) if len(raw) <= MEMO_BYTES else _tag_hash(raw) for raw in begun}
    if len(marks) > MAX_PROFILE:
        marks = set(sorted(marks)[:MAX_PROFILE])
    return Profile(frozenset(marks), shape(url))


def _tag_hash(raw: bytes) -> int:
    """The hash of a start tag's name and classes; classes with numbers mostly belong to one page."""
    found = _NAME.match(raw)
    name = found[1].lower() if found else b""
    if b"class" not in raw.lower():
        return xxhash.xxh3_64_intdigest(name)
    classes = (attributes(raw[1 + len(name) :]) or {}).get(b"class", b"")
    stable = sorted(
        one for one in classes.split() if one.isalpha() or (b"-" in one and not _DIGIT.search(one))
    )
    return xxhash.xxh3_64_intdigest(b" ".join((name, *stable)))


_known_hash = lru_cache(MEMO)(_tag_hash)


def shape(url: str) -> str:
    """The form of a URL: without its last segment, numbers and values of parameters."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    folders, _, last = parts.path.rpartition("/")
    names = sorted(one.partition("=")[0] for one in parts.query.split("&") if one)
    ending = last.rpartition(".")[2] if "." in last else ""
    return _DIGITS.sub("0", f"{folders}/{ending}?{'&'.join(names)}")


def nearest(page: Profile, leaders: Sequence[Profile], *, joins: bool = False) -> int:
    """The number of the group with the most similar leader; -1 if none is similar enough."""
    near, same = (JOINS, JOINS_SAME_SHAPE) if joins else (NEAR, NEAR_SAME_SHAPE)
    best, place = 0.0, -1
    for number, leader in enumerate(leaders):
        similarity = page.similarity(leader)
        enough = same if page.shape == leader.shape else near
        if similarity >= enough and similarity > best:
            best, place = similarity, number
    return place


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

    def choose(self, page: Profile) -> int:
        """The place in `all` of the template of a page, or -1."""
        return nearest(page, [one.profile for one in self.all])

    def to_bytes(self) -> bytes:
        """The stored form."""
        heads = [
            {
                "number": one.number,
                "tags": sorted(one.profile.tags),
                "shape": one.profile.shape,
                "kinds": one.kinds.hex(),
                "counts": one.counts,
                "lengths": [len(raw) for raw in one.raws],
                "pages": one.pages,
                "typical": one.typical,
            }
            for one in self.all
        ]
        head = {"host": self.host, "version": self.version, "templates": heads}
        text = json.dumps(head, sort_keys=True).encode()
        raws = b"".join(raw for one in self.all for raw in one.raws)
        packer = zstandard.ZstdCompressor(level=9, write_checksum=True)
        return MAGIC + packer.compress(_LENGTH.pack(len(text)) + text + raws)

    @classmethod
    def from_bytes(cls, data: bytes) -> "Templates":
        """Read what `to_bytes` wrote; ValueError when it is damaged or something else."""
        if not data.startswith(MAGIC):
            raise ValueError("these are not templates, or those of another release")
        try:
            plain = zstandard.ZstdDecompressor().decompress(data[len(MAGIC) :], max_output_size=MAX_BYTES)
            (size,) = _LENGTH.unpack_from(plain)
            place = _LENGTH.size + size
            head = json.loads(plain[_LENGTH.size : place])
            found = []
            for one in head["templates"]:
                raws = []
                for length in one["lengths"]:
                    raws.append(plain[place : place + length])
                    place += length
                kinds = bytes.fromhex(one["kinds"])
                if not len(kinds) == len(raws) == len(one["counts"]):
                    raise ValueError("the templates are damaged: their parts do not fit")
                found.append(
                    Template(
                        number=one["number"],
                        profile=Profile(frozenset(one["tags"]), one["shape"]),
                        raws=tuple(raws),
                        kinds=kinds,
                        counts=tuple(one["counts"]),
                        pages=one["pages"],
                        typical=one["typical"],
                    )
                )
            if place != len(plain):
                raise ValueError("the templates are damaged: their length is wrong")
            return cls(host=head["host"], version=head["version"], all=tuple(found))
        except (zstandard.ZstdError, KeyError, TypeError, struct.error, UnicodeDecodeError) as error:
            raise ValueError(f"the templates are damaged: {error}") from None
