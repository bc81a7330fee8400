from collections.abc import Callable

from fieldmouse.types import Href, Tag

from .blocks import Element, TextBlock
from .reference_scanner import Picked, TokenLists

def scan(body: bytes, /) -> tuple[bytes, bool]: ...
def unpack(data: bytes, wide: bool, kind: type[Tag], /) -> list[Tag]: ...
def pick(body: bytes, data: bytes, wide: bool, agent: bytes, kind: type[Href], /) -> Picked | None: ...
def cut(
    body: bytes, data: bytes, wide: bool, links: list[int], bytewise: bool, small: Callable[[bytes], bytes], /
) -> bytes | None: ...
def tokens(
    body: bytes,
    data: bytes,
    wide: bool,
    tags: dict[bytes, int],
    numbers: dict[bytes, int],
    closed: bool,
    tag: Callable[[bytes], int],
    digest: Callable[[bytes], bytes],
    /,
) -> TokenLists | None: ...
def begun(body: bytes, data: bytes, wide: bool, /) -> set[bytes] | None: ...
def attributes(tail: bytes, /) -> dict[bytes, bytes] | None: ...
def tag_key(raw: bytes, /) -> bytes: ...
def blocks(
    body: bytes,
    data: bytes,
    wide: bool,
    codec: str,
    element: type[Element],
    block: type[TextBlock],
    text_of: Callable[[bytes, str], str],
    value_of: Callable[[bytes, str], str],
    reference: Callable[[bytes], str],
    words: bytes,
    utf8: bool,
    table: str | None,
    /,
) -> tuple[list[Element], list[TextBlock]]: ...
