"""Sums over columns: what is known of every term stands in a row of numbers, and a text is the rows it names.

A row holds all of one term, as what is asked of a term is asked together and memory is slow. Numbers of terms
travel as bytes of 32-bit integers and what belongs to them as bytes of doubles, so that `_terms.c` can go
through them without making an object of each. Here is the same in Python; a test holds the two equal. A term
beyond the last row counts as 0.
"""

from array import array
from types import ModuleType

try:
    from . import _terms
except ImportError:  # built without a compiler: the same results, slower
    engine: ModuleType | None = None
else:
    engine = _terms

# The columns of a row: how telling a term is; its place among the topic's matches, counted from 1; what the
# page judge thinks of it; on how many pages it was met and how relevant they were; what the link judge thinks
# of it; how many links with it were followed and how relevant their pages were.
IDF, MATCH, OPINION, NAMED, NAMED_TOTAL, WORDS, FOLLOWED, FOLLOWED_TOTAL, WIDTH = range(9)


def numbers(ids: bytes) -> "array[int]":
    """Numbers of terms as an array."""
    found = array("i")
    found.frombytes(ids)
    return found


def doubles(values: bytes) -> "array[float]":
    """What belongs to them as an array."""
    found = array("d")
    found.frombytes(values)
    return found


def plain_dot(ids: bytes, values: bytes, rows: "array[float]", column: int, start: float, /) -> float:
    """The sum of what a column says of each term, times a value."""
    total, most = start, len(rows)
    for one, value in zip(numbers(ids), doubles(values), strict=True):
        if 0 <= (place := WIDTH * one + column) < most:
            total += rows[place] * value
    return total


def plain_step(ids: bytes, values: bytes, rows: "array[float]", column: int, gain: float, /) -> None:
    """Add a multiple of each value to a column."""
    most = len(rows)
    for one, value in zip(numbers(ids), doubles(values), strict=True):
        if 0 <= (place := WIDTH * one + column) < most:
            rows[place] += value * gain


def plain_raise_all(ids: bytes, rows: "array[float]", column: int, gain: float, /) -> None:
    """Add the same to a column at each term."""
    most = len(rows)
    for one in numbers(ids):
        if 0 <= (place := WIDTH * one + column) < most:
            rows[place] += gain


if engine is None:
    dot, step, raise_all = plain_dot, plain_step, plain_raise_all
else:
    dot, step, raise_all = engine.dot, engine.step, engine.raise_all
