"""A name server for the demo: it knows a few names, answers with addresses, and denies all others.

Only what a resolver asks one for: A, NS and, with an empty answer, every other type (RFC 1035, 2308).
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
BACK_TO_QUESTION = b"\xc0\x0c"  # a pointer: the name of the answer is that of the question


@dataclass(frozen=True, slots=True)
class Zone:
    """Names with their addresses, and name servers of domains."""

    addresses: Mapping[str, str]
    servers: Mapping[str, str]

    def answer(self, query: bytes) -> bytes:
        """The reply to one datagram, or nothing for one that is no question."""
        if len(query) < HEADER.size or query[2] & 0x80:
            return b""
        try:
            name, end = _name(query, HEADER.size)
            kind, _ = QUESTION.unpack_from(query, end)
        except (struct.error, ValueError, IndexError):
            return _reply(query, b"", [], BAD_FORMAT)
        question = query[HEADER.size : end + QUESTION.size]
        known = any(_within(one, name) for one in [*self.addresses, *self.servers])
        return _reply(query, question, self._records(name, kind), 0 if known else NO_SUCH_NAME)

    def _records(self, name: str, kind: int) -> list[bytes]:
        data = b""
        if kind == A and name in self.addresses:
            data = IPv4Address(self.addresses[name]).packed
        if kind == NS and name in self.servers:
            data = packed_name(self.servers[name])
        return [BACK_TO_QUESTION + RECORD.pack(kind, CLASS_IN, TTL, len(data)) + data] if data else []


def _within(name: str, domain: str) -> bool:
    return name == domain or name.endswith(f".{domain}")


def _name(packet: bytes, at: int) -> tuple[str, int]:
    """The name at a place in a packet, in lower case, and where it ends."""
    labels = []
    while length := packet[at]:
        if length > 63 or at + length >= len(packet):
            raise ValueError("a question has no pointers, and its labels end within it")
        labels.append(packet[at + 1 : at + 1 + length].decode("latin-1").lower())
        at += 1 + length
    return ".".join(labels), at + 1


def packed_name(name: str) -> bytes:
    """A name as it stands in a packet."""
    return b"".join(bytes([len(label)]) + label.encode("ascii") for label in name.split(".")) + b"\0"


def _reply(query: bytes, question: bytes, records: list[bytes], code: int) -> bytes:
    number, flags, *_ = HEADER.unpack_from(query)
    wish = flags & 0x7900  # the opcode and "recursion desired" are given back as they came
    head = HEADER.pack(number, AUTHORITATIVE | wish | code, bool(question), len(records), 0, 0)
    return head + question + b"".join(records)


class NameServer(asyncio.DatagramProtocol):
    """Answers datagrams from a zone."""

    def __init__(self, zone: Zone) -> None:
        self.zone = zone

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the way back."""
        self.transport = cast("asyncio.DatagramTransport", transport)  # by its kind, if not by its class

    def datagram_received(self, data: bytes, addr: tuple[str | int, int]) -> None:
        """Answer, if there is an answer."""
        if reply := self.zone.answer(data):
            self.transport.sendto(reply, addr)
