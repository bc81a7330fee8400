from collections.abc import Callable
from typing import TypeVar

from fieldmouse.types import Href, Tag

from .blocks import Element, TextBlock
from .fact_rows import Container, Row
from .reference_scanner import Picked, TokenLists

_Run = TypeVar("_Run")

def scan(body: bytes, /) -> tuple[bytes, bool]: ...
def unpack(data: bytes, wide: bool, kind: type[Tag], /) -> list[Tag]: ...
def to_columns(data: bytes, wide: bool, /) -> bytes | None: ...
def from_columns(columns: bytes, wide: bool, /) -> bytes: ...
def pick(
    body: bytes, data: bytes, wide: bool, agent: bytes, kind: type[Href], leaving: bool = False, /
) -> Picked | None: ...
def base32(data: bytes, /) -> str: ...
def head_tags(body: bytes, data: bytes, wide: bool, /) -> tuple[list[bytes], bool] | None: ...
def words_in(body: bytes, table: bytes, words: tuple[bytes, ...], /) -> bytes: ...
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
def tag_hashes(
    body: bytes, data: bytes, wide: bool, hashing: Callable[[bytes], int], /
) -> list[int] | None: ...
def runs(a: list[int], b: list[int], max_cells: int, run: type[_Run], /) -> list[_Run]: ...
def majority(
    pages: list[list[int]], max_cells: int, /
) -> tuple[list[int], list[int], list[tuple[int, int]]]: ...
def matcher(
    templates: list[tuple[tuple[bytes, ...], bytes, list[int], str]], hashing: Callable[[bytes], int], /
) -> object: ...
def match(
    matcher: object, body: bytes, data: bytes, wide: bool, shape: str, near: float, same: float, /
) -> tuple[int, int, bytes, bytes, bytes] | None: ...
def own_texts(body: bytes, starts: memoryview, kinds: bytes, shared: bytes, most: int, /) -> bytes: ...
def small_text(raw: bytes, /) -> bytes | None: ...
def sketch(
    text: bytes, find: Callable[[bytes], list[bytes]], hashing: Callable[[bytes], int], /
) -> bytes: ...
def containers(
    elements: list[Element], blocks: list[TextBlock], row: type[Row], container: type[Container], /
) -> list[Container]: ...
def kinds(
    elements: list[Element], blocks: list[TextBlock], remarks: int, /
) -> tuple[*tuple[list[int], list[bool]], *tuple[list[int], ...], bool]: ...
def unshared(blocks: list[TextBlock], starts: memoryview, shared: bytes, /) -> bytes: ...
def evidence(
    elements: list[Element], blocks: list[TextBlock], title: list[str], find: Callable[[str], list[str]], /
) -> bytes: ...
def judge(
    elements: list[Element],
    blocks: list[TextBlock],
    title: list[str],
    find: Callable[[str], list[str]],
    values: bytes,
    bias: float,
    features: bytes,
    cuts: bytes,
    leaves: bytes,
    depth: int,
    base: float,
    least: float,
    /,
) -> bytes: ...
def visible(
    body: bytes,
    data: bytes,
    wide: bool,
    codec: str,
    text_of: Callable[[bytes, str], str],
    value_of: Callable[[bytes, str], str],
    reference: Callable[[bytes], str],
    words: bytes,
    utf8: bool,
    table: str | None,
    /,
) -> tuple[int, int, str]: ...
