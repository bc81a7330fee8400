"""The country that an address was assigned to, by a table from the user.

Two formats are read, also compressed with gzip: the statistics files of the address registries, with lines
`ripencc|DE|ipv4|193.0.0.0|2048|...` (their `delegated-...-extended-latest`, one after the other), and lines
`193.0.0.0,193.0.7.255,DE`, as databases of addresses are sold and given away.
"""

import gzip
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from pathlib import Path
from typing import NamedTuple

from fieldmouse.errors import ConfigError

BITS = {"ipv4": 32, "ipv6": 128}


class AddressRange(NamedTuple):
    """Addresses of one country."""

    version: int  # of the protocol: 4 or 6
    first: int
    last: int
    country: str


class AddressCountries:
    """Looks up countries by address."""

    def __init__(self, ranges: Iterable[AddressRange]) -> None:
        self._ranges = sorted(ranges)
        self._starts = [(one.version, one.first) for one in self._ranges]

    @classmethod
    def read(cls, path: Path) -> "AddressCountries":
        """Read a table; ConfigError if it is none."""
        try:
            with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as file:
                found = cls(_ranges(path, file))
        except (OSError, UnicodeDecodeError, EOFError) as error:
            raise ConfigError(f"cluster.country_table: {path} cannot be read: {error}") from None
        if not found._ranges:
            raise ConfigError(f"cluster.country_table: {path} has no line that gives addresses a country")
        return found

    def country(self, address: str) -> str:
        """Two capital letters; empty if the table does not tell."""
        try:
            wanted = ip_address(address)
        except ValueError:
            return ""
        at = bisect_right(self._starts, (wanted.version, int(wanted))) - 1
        if at < 0:
            return ""
        found = self._ranges[at]
        return found.country if found.version == wanted.version and int(wanted) <= found.last else ""


def _ranges(path: Path, lines: Iterable[str]) -> Iterator[AddressRange]:
    """The ranges of a table. Comments, heads, sums and what is not addresses are passed over."""
    for number, line in enumerate(lines, 1):
        text = line.strip()
        try:
            if text.startswith("#"):
                continue
            if "|" in text:
                part = text.split("|")
                if len(part) < 7 or part[2] not in BITS or len(part[1]) != 2:
                    continue
                first = ip_address(part[3])
                size = int(part[4]) if first.version == 4 else 1 << (128 - int(part[4]))
                yield AddressRange(first.version, int(first), int(first) + size - 1, part[1].upper())
            elif text.count(",") >= 2:
                start, end, country = (one.strip(' "') for one in text.split(",")[:3])
                first, last = ip_address(start), ip_address(end)
                if len(country) == 2 and country.isalpha():
                    yield AddressRange(first.version, int(first), int(last), country.upper())
        except ValueError as error:
            raise ConfigError(f"cluster.country_table: line {number} of {path}: {error}") from None
