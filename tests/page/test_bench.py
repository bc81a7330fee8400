"""The measurement itself: it runs, and its figures are of the right kind."""

from bench.page import load, measure

from .hostile import GOOD


def test_measuring_some_pages(tmp_path):
    for number in range(3):
        (tmp_path / f"{number}.html").write_bytes(GOOD * 20)
    figures = measure(load(tmp_path, 10), rounds=1)
    assert figures["pages"] == 3
    assert figures["mean_bytes"] == len(GOOD) * 20
    assert figures["bytes_per_tag"]["raw"] == 13
    assert 2 < figures["bytes_per_tag"]["packed"] < 6
    assert figures["engines"]["python"]["tokenize_us"] > 0


def test_a_folder_without_pages(tmp_path):
    assert load(tmp_path, 10) == []
