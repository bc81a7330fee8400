"""What is added up of words: the same in C and in Python, whatever the table makes on the way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fieldmouse.page.tags import ENGINES
from fieldmouse.page.totals import plain_totals, totals

quick = pytest.mark.skipif(not hasattr(ENGINES[0], "totals"), reason="built without a compiler")
number = st.floats(-1e6, 1e6)
words = st.sampled_from(["stock", "market", "tea", "börse", "", "x"])


class Table(dict[str, tuple[str, float, float, float]]):
    """Makes its rows when they are asked for."""

    def __missing__(self, word):
        size = len(word) / 7
        self[word] = (word[:3], size, size * size, -size)
        return self[word]


def test_each_column_is_added_and_opinions_are_weighed():
    table = {"tea": ("te", 2.0, 4.0, 1.0), "cup": ("cu", 3.0, 9.0, 0.0)}
    for add in {totals, plain_totals}:
        assert add(["tea", "cup", "tea"], table, {"te": 0.5}) == (17.0, 2.0, 2.0)
        assert add((), table, {}) == (0.0, 0.0, 0.0)


@quick
@given(st.lists(words), st.dictionaries(words, number))
def test_both_are_equal(found, opinions):
    assert totals(found, Table(), opinions) == plain_totals(found, Table(), opinions)


@quick
def test_what_goes_wrong_inside_is_told():
    with pytest.raises(KeyError):
        totals(["tea"], {}, {})
    with pytest.raises(TypeError):
        totals(["tea"], {"tea": ("tea", 1.0)}, {})
    with pytest.raises(TypeError):
        totals(["tea"], {"tea": ("tea", "much", 1.0, 1.0)}, {"tea": 1.0})
