"""Sums over columns: what is known of every term stands in a row of numbers, and a text is the rows it names.

A row holds all of one term, as what is asked of a term is asked together and memory is slow. Numbers of terms
travel as bytes of 32-bit integers and what belongs to them as bytes of doubles, so that `_terms.c` can go
through them without making an object of each. Here is the same in Python; a test holds the two equal. A term
beyond the last row counts as 0.
"""

import math
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


SMALL = 0.01  # an error that is not worth a step

# A vector, whether it is relevant, and two factors of its steps.
FitExample = tuple[bytes, bytes, float, float, float]


def sigmoid(z: float) -> float:
    """From log-odds to a probability."""
    return 1 / (1 + math.exp(-z)) if z > -700 else 0.0


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


def plain_raise_all(ids: bytes, rows: "array[float]", column: int, gain: float, /) -> None:
    """Add the same to a column at each term."""
    most = len(rows)
    for one in numbers(ids):
        if 0 <= (place := WIDTH * one + column) < most:
            rows[place] += gain


def plain_clear(rows: "array[float]", column: int, /) -> None:
    """Set a column to 0."""
    rows[column::WIDTH] = array("d", bytes(len(rows) // WIDTH * 8))


def plain_fit(  # noqa: PLR0917  as in C
    examples: list[FitExample], rounds: int, size: float, rows: "array[float]", column: int, bias: float, /
) -> float:
    """Logistic regression over a column by some rounds of steps, each round's smaller; the new bias."""
    most = len(rows)
    for turn in range(rounds):
        for ids, values, relevant, weight, share in examples:
            error = relevant - sigmoid(plain_dot(ids, values, rows, column, bias))
            if abs(error) < SMALL:
                continue
            gain = size / (1 + 0.1 * turn) * weight * error * share
            for one, value in zip(numbers(ids), doubles(values), strict=True):
                if 0 <= (place := WIDTH * one + column) < most:
                    rows[place] += value * gain
            bias += 0.1 * gain
    return bias


if engine is None:
    dot, raise_all, clear, fit = plain_dot, plain_raise_all, plain_clear, plain_fit
else:
    dot, raise_all, clear, fit = engine.dot, engine.raise_all, engine.clear, engine.fit
