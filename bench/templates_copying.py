"""Storing a page as parts copied from its template and literal bytes: the way that was not taken.

A page becomes runs (literal bytes before, tokens of the template skipped, tokens copied) and, after them, the
literal bytes, all packed by zstd. A token is copied only where its bytes are those of the template.
"""

from itertools import pairwise
from typing import NamedTuple

import zstandard

from fieldmouse.page.tokens import Document, Keys, Tokens, tokenise
from fieldmouse.templates.align import common_runs
from fieldmouse.templates.page_packing import LEVEL
from fieldmouse.templates.template import Templates, profile


class Copy(NamedTuple):
    """A run of tokens taken from the template."""

    token: int  # of the template
    place: int  # token of the page
    size: int


class Copier:
    """Packs and restores the pages of one host."""

    def __init__(self, templates: Templates) -> None:
        self.templates = templates
        self.keys = Keys()
        self.sequences = [one.keys(self.keys) for one in templates.all]
        self.keys.close()
        self.overhead = len(templates.to_bytes())

    def pack(self, page: Document) -> bytes:
        """A page, small; one without a template, or in a wide character set, is literal as a whole."""
        tokens = tokenise(page, self.keys)
        chosen = self.templates.choose(profile(tokens.begun, page.url)) if self.sequences else -1
        if chosen < 0 or tokens.body != page.content:
            return zstandard.compress(numbers(0) + page.content, LEVEL)
        runs, literals = self.runs(chosen, tokens)
        return zstandard.compress(numbers(chosen + 1, len(runs) // 3) + numbers(*runs) + literals, LEVEL)

    def runs(self, chosen: int, tokens: Tokens) -> tuple[list[int], bytes]:
        """Three numbers for each run, and the literal bytes."""
        found = [*self.copies(chosen, tokens), Copy(0, len(tokens), 0)]
        runs: list[int] = []
        literals = bytearray()
        for before, now in pairwise([Copy(0, 0, 0), *found]):
            literal = tokens.body[tokens.starts[before.place + before.size] : tokens.starts[now.place]]
            literals += literal
            if now.size:
                runs += [len(literal), now.token - before.token - before.size, now.size]
        return runs, bytes(literals)

    def copies(self, chosen: int, tokens: Tokens) -> list[Copy]:
        """The runs whose bytes are equal."""
        raws = self.templates.all[chosen].raws
        found: list[Copy] = []
        for a, b, size in common_runs(self.sequences[chosen], tokens.keys):
            for token, place in zip(range(a, a + size), range(b, b + size), strict=True):
                if raws[token] != tokens.raw(place):
                    continue
                last = found[-1] if found else Copy(-1, -1, 0)
                if (last.token + last.size, last.place + last.size) == (token, place):
                    found[-1] = last._replace(size=last.size + 1)
                else:
                    found.append(Copy(token, place, 1))
        return found

    def restore(self, packed: bytes) -> bytes:
        """The page."""
        plain = zstandard.decompress(packed)
        (chosen,), place = read_numbers(plain, 0, 1)
        if not chosen:
            return plain[place:]
        (count,), place = read_numbers(plain, place, 1)
        runs, place = read_numbers(plain, place, 3 * count)
        raws, token, out = self.templates.all[chosen - 1].raws, 0, bytearray()
        for literal, skip, copied in zip(runs[::3], runs[1::3], runs[2::3], strict=True):
            out += plain[place : place + literal] + b"".join(raws[token + skip : token + skip + copied])
            place, token = place + literal, token + skip + copied
        return bytes(out + plain[place:])


def numbers(*values: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    out = bytearray()
    for value in values:
        rest = value
        while rest > 127:
            out.append(rest & 127 | 128)
            rest >>= 7
        out.append(rest)
    return bytes(out)


def read_numbers(data: bytes, place: int, count: int) -> tuple[list[int], int]:
    """So many numbers, and where they end."""
    found = []
    for _ in range(count):
        value = shift = 0
        while data[place] > 127:
            value |= (data[place] & 127) << shift
            place, shift = place + 1, shift + 7
        found.append(value | data[place] << shift)
        place += 1
    return found, place
