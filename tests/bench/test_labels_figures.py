"""The floors of labels are about figures that the benchmark has, and a small run is not held against them."""

from bench import floors
from bench.labels import MILLION, PARTS, named


def test_a_floor_names_a_part_and_a_figure() -> None:
    mine = [name for name in floors.load() if name.startswith("labels.")]
    assert mine
    assert {name.split(".")[1] for name in mine} <= {*PARTS}


def test_fewer_names_than_a_million_have_no_floor() -> None:
    results = {"million": {"cpu_us_a_name": 900.0}, "split": {"learned.right": 0.5}}
    assert named(results, 1000).keys() == {"labels.million_1000.cpu_us_a_name", "labels.split.learned.right"}
    assert "labels.million.cpu_us_a_name" in named(results, MILLION)
    assert len(floors.compare(named(results, MILLION), floors.load())) >= 1
