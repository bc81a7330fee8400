from collections.abc import Callable

from fieldmouse.types import Href, Tag

from .grammar import Picked

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
) -> tuple[list[int], bytearray, list[int], set[bytes]] | None: ...
def begun(body: bytes, data: bytes, wide: bool, /) -> set[bytes] | None: ...
