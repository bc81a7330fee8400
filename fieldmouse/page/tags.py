"""The tag index: the place of every tag of a page, found once, stored packed, and read instead of parsing.

Offsets count bytes of the content after its transfer and content codings were undone. See
`docs/reference/tag-index.md` for what counts as a tag, and the format.
"""

from collections.abc import Callable, Sequence
from types import ModuleType

from fieldmouse.types import Tag, TagIndex

from . import reference_scanner

try:
    from . import _scan
except ImportError:  # built without a compiler: the same results, slower
    ENGINES: tuple[ModuleType, ...] = (reference_scanner,)
else:
    # The build of an older checkout has no `base32`.
    ENGINES = (_scan, reference_scanner) if hasattr(_scan, "base32") else (reference_scanner,)

# The one place that chooses between C and Python.
engine: ModuleType = ENGINES[0]
attributes: Callable[[bytes], dict[bytes, bytes] | None] = engine.attributes


def index(body: bytes) -> TagIndex:
    """Find the tags of a page. Takes any bytes and never raises."""
    return TagIndex(*engine.scan(body))


def pack(tags: Sequence[Tag]) -> TagIndex:
    """Store tags as an index; names of more than fifteen bytes count as fifteen."""
    return TagIndex(*reference_scanner.pack(tags))


def unpack(index: TagIndex) -> list[Tag]:
    """All tags of an index in document order; ValueError if it is damaged."""
    tags: list[Tag] = engine.unpack(index.data, index.wide, Tag)
    return tags
