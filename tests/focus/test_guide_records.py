"""What became of pages with the same host, folder or words."""

import json

from hypothesis import given
from hypothesis import strategies as st

from fieldmouse.focus.guide import Records


def told() -> Records:
    records = Records(100)
    for _ in range(20):
        records.add(("picture", "site"), 0.02)
        records.add(("coot", "site"), 0.9)
    return records


def test_what_turned_out_well_is_above_what_did_not() -> None:
    records = told()
    assert records.of("coot") > 0.5 > -0.5 > records.of("picture")
    assert abs(records.of("site")) < 0.05


def test_what_was_never_met_says_nothing() -> None:
    assert Records(100).of("coot") == 0.0
    assert told().of("owl") == 0.0


def test_one_page_says_little() -> None:
    records = told()
    records.add(("swan",), 0.9)
    assert 0 < records.of("swan") < records.of("coot") / 2


def test_the_rarest_and_oldest_are_forgotten_first() -> None:
    records = Records(10)
    for n in range(40):
        records.add(("often", f"once{n}"), 1.0)
    assert {"often", "once39"} <= records.sums.keys()
    assert "once0" not in records.sums
    assert len(records.sums) <= 10


@given(
    st.lists(st.tuples(st.lists(st.sampled_from("abcdef")), st.floats(0, 1)), max_size=60),
    st.sampled_from("abcdefg"),
)
def test_any_pages_give_a_number_in_bounds_that_survives_saving(
    pages: list[tuple[list[str], float]], asked: str
) -> None:
    records, copy = Records(4), Records(4)
    for things, relevance in pages:
        records.add(things, relevance)
    copy.restore(json.loads(json.dumps(records.state())))
    assert -1 <= records.of(asked) <= 1
    assert abs(copy.of(asked) - records.of(asked)) < 0.01
