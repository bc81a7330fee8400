"""Answers of servers, made up for the tests of this folder."""

import itertools
from collections.abc import Callable
from pathlib import Path

from fieldmouse.files.warc_writer import WarcInfo, WarcWriter
from fieldmouse.types import Response

BEGAN = 1_763_247_309.123456  # 2025-11-15T22:55:09.123456Z
REQUEST = b"GET / HTTP/1.1\r\nHost: example.org\r\n\r\n"


def counted_ids() -> Callable[[], str]:
    numbers = itertools.count(1)
    return lambda: f"00000000-0000-4000-8000-{next(numbers):012}"


def answer(
    body: bytes = b"<p>Hi</p>",
    *,
    head: bytes | None = None,
    headers: tuple[tuple[str, str], ...] = (("content-type", "text/html"),),
    status: int = 200,
    url: str = "https://example.org/",
    truncated: str = "",
    began: float = BEGAN,
) -> Response:
    if head is None:
        lines = "".join(f"{name.title()}: {value}\r\n" for name, value in headers)
        head = f"HTTP/1.1 {status} OK\r\n{lines}\r\n".encode("latin-1")
    return Response(
        url=url,
        status=status,
        head=head,
        headers=headers,
        body=body,
        content=body,
        request=REQUEST,
        address="192.0.2.7",
        began=began,
        took=0.25,
        truncated=truncated,
    )


def writer(folder: Path, size: int = 1 << 30) -> WarcWriter:
    info = WarcInfo(software="fieldmouse/0", operator="Ann", robots="obey", contact="ann@example.org")
    return WarcWriter(folder, prefix="test", worker="w0", size=size, info=info, ids=counted_ids())
