"""A name server for the demo: it knows a few names and denies all others.

It answers A and NS queries, and every other type with an empty answer (RFC 1035, 2308).
"""

import asyncio
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import cast

A, NS, CLASS_IN = 1, 2, 1
AUTHORITATIVE, NO_SUCH_NAME, BAD_FORMAT = 0x8400, 3, 1
TTL = 60
HEADER = struct.Struct("!HHHHHH")
QUESTION = struct.Struct("!HH")
RECORD = struct.Struct("!HHIH")
POINTER_TO_QUESTION = b"\xc0\x0c"  # the name of the answer is that of the question


@dataclass(frozen=True, slots=True)
class Zone:
    """Addresses of names, and name servers of domains."""

    addresses: Mapping[str, str]
    servers: Mapping[str, str]

    def answer(self, query: bytes) -> bytes:
        """The reply to one datagram; empty for anything but a question."""
        if len(query) < HEADER.size or query[2] & 0x80:
            return b""
        try:
            name, end = _read_name(query, HEADER.size)
            kind, _ = QUESTION.unpack_from(query, end)
        except (struct.error, ValueError, IndexError):
            return _reply(query, b"", b"", BAD_FORMAT)
        question = query[HEADER.size : end + QUESTION.size]
        data = b""
        if kind == A and name in self.addresses:
            data = IPv4Address(self.addresses[name]).packed
        if kind == NS and name in self.servers:
            data = packed_name(self.servers[name])
        if data:
            data = POINTER_TO_QUESTION + RECORD.pack(kind, CLASS_IN, TTL, len(data)) + data
        # A name exists if it is known, or if a known name ends with it.
        known = any(f".{one}".endswith(f".{name}") for one in (*self.addresses, *self.servers))
        return _reply(query, question, data, 0 if known else NO_SUCH_NAME)


def _read_name(packet: bytes, at: int) -> tuple[str, int]:
    """The name at a place in a packet, in lower case, and where it ends."""
    labels = []
    while length := packet[at]:
        if length > 63 or at + length >= len(packet):
            raise ValueError("a question has no pointers, and its labels end within it")
        labels.append(packet[at + 1 : at + 1 + length].decode("latin-1").lower())
        at += 1 + length
    return ".".join(labels), at + 1


def packed_name(name: str) -> bytes:
    """A name in the format of a packet."""
    return b"".join(bytes([len(label)]) + label.encode("ascii") for label in name.split(".")) + b"\0"


def _reply(query: bytes, question: bytes, record: bytes, code: int) -> bytes:
    number, flags, *_ = HEADER.unpack_from(query)
    repeated = flags & 0x7900  # the opcode and "recursion desired" are returned as received
    head = HEADER.pack(number, AUTHORITATIVE | repeated | code, bool(question), bool(record), 0, 0)
    return head + question + record


class NameServer(asyncio.DatagramProtocol):
    """Answers datagrams from a zone."""

    def __init__(self, zone: Zone) -> None:
        self.zone = zone

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport for replies."""
        self.transport = cast("asyncio.DatagramTransport", transport)

    def datagram_received(self, data: bytes, addr: tuple[str | int, int]) -> None:
        """Reply to a question."""
        if reply := self.zone.answer(data):
            self.transport.sendto(reply, addr)
