"""A name server for the demo: it knows a few names and denies all others.

It answers A and NS queries, and every other type with an empty answer (RFC 1035, 2308).
"""

import asyncio
import struct
from collections.abc import Mapping
from ipaddress import IPv4Address
from typing import cast

A, NS, CLASS_IN = 1, 2, 1
AUTHORITATIVE, NO_SUCH_NAME, BAD_FORMAT = 0x8400, 3, 1
TTL = 60
HEADER = struct.Struct("!HHHHHH")
QUESTION = struct.Struct("!HH")
RECORD = struct.Struct("!HHIH")
POINTER_TO_QUESTION = b"\xc0\x0c"  # the name of the answer is that of the question


class NameServer(asyncio.DatagramProtocol):
    """Answers datagrams from the addresses of names and the name servers of domains."""

    def __init__(self, addresses: Mapping[str, str], servers: Mapping[str, str]) -> None:
        self.addresses = addresses
        self.servers = servers

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport for replies."""
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str | int, int]) -> None:
        """Reply to a question."""
        if reply := self.answer(data):
            self.transport.sendto(reply, addr)

    def answer(self, query: bytes) -> bytes:
        """The reply to one datagram; empty for anything but a question."""
        if len(query) < HEADER.size or query[2] & 0x80:
            return b""
        number, flags, *_ = HEADER.unpack_from(query)
        flags = flags & 0x7900 | AUTHORITATIVE  # the opcode and "recursion desired" as received
        labels, at = [], HEADER.size
        try:
            while length := query[at]:
                labels.append(query[at + 1 : at + 1 + length].decode("latin-1").lower())
                at += 1 + length
            kind, _ = QUESTION.unpack_from(query, at + 1)
        except (struct.error, IndexError):
            return HEADER.pack(number, flags | BAD_FORMAT, 0, 0, 0, 0)
        name, question = ".".join(labels), query[HEADER.size : at + 1 + QUESTION.size]
        data = b""
        if kind == A and name in self.addresses:
            data = IPv4Address(self.addresses[name]).packed
        if kind == NS and name in self.servers:
            data = packed_name(self.servers[name])
        record = POINTER_TO_QUESTION + RECORD.pack(kind, CLASS_IN, TTL, len(data)) + data if data else b""
        # A name exists if it is known, or if a known name ends with it.
        known = any(f".{one}".endswith(f".{name}") for one in (*self.addresses, *self.servers))
        flags |= 0 if known else NO_SUCH_NAME
        return HEADER.pack(number, flags, 1, bool(data), 0, 0) + question + record


def packed_name(name: str) -> bytes:
    """A name in the format of a packet."""
    return b"".join(bytes([len(label)]) + label.encode("ascii") for label in name.split(".")) + b"\0"
