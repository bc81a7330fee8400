"""Sums over columns: what is known of every term stands in arrays, and a text is the places it names there.

Numbers of terms travel as bytes of 32-bit integers and what belongs to them as bytes of doubles, so that
`_terms.c` can go through them without making an object of each. Here is the same in Python; a test holds the
two equal. A place beyond the end of a column counts as 0.
"""

from array import array
from types import ModuleType

try:
    from . import _terms
except ImportError:  # built without a compiler: the same results, slower
    engine: ModuleType | None = None
else:
    engine = _terms

Column = array  # of doubles, one for each term


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


def plain_dot(ids: bytes, values: bytes, column: "array[float]", start: float, /) -> float:
    """The sum of what a column says at each place, times a value."""
    total, most = start, len(column)
    for place, value in zip(numbers(ids), doubles(values), strict=True):
        if 0 <= place < most:
            total += column[place] * value
    return total


def plain_step(ids: bytes, values: bytes, column: "array[float]", gain: float, /) -> None:
    """Add a multiple of each value to a column."""
    most = len(column)
    for place, value in zip(numbers(ids), doubles(values), strict=True):
        if 0 <= place < most:
            column[place] += value * gain


def plain_raise_all(ids: bytes, column: "array[float]", gain: float, /) -> None:
    """Add the same to a column at each place."""
    most = len(column)
    for place in numbers(ids):
        if 0 <= place < most:
            column[place] += gain


if engine is None:
    dot, step, raise_all = plain_dot, plain_step, plain_raise_all
else:
    dot, step, raise_all = engine.dot, engine.step, engine.raise_all
