"""The parts of the bench: which data is found, which parts are run, and how they are called."""

import json
from pathlib import Path

import pytest

from bench.__main__ import main, options
from bench.parts import PARTS, Data, called, chosen, search


def sets(folder: Path) -> Path:
    """A folder of data sets, as far as their names go."""
    for name in (
        "changes/one/changes.csv.gz", "changes/two/changes.csv.gz", "changes/two/pairs.jsonl.zst",
        "replay/replay.jsonl.zst", "web/links.tsv.zst", "main_content/a.jsonl.zst",
        "homepages2018/pages.jsonl.zst", "domains/segmentation_eval.tsv.gz",
    ):  # fmt: skip
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    return folder


def test_data_is_known_by_its_files(tmp_path: Path) -> None:
    folder, bench = sets(tmp_path / "sets"), tmp_path / "bench"
    bench.mkdir()
    (bench / "ns.sh").touch()
    given = options(["--data", str(bench), "--data", str(folder)])
    assert search(given) == Data(
        bench=bench,
        histories=folder / "changes",
        fetches=(folder / "changes/two", folder / "replay"),
        labelled=folder / "web",
        gold=folder / "main_content",
        homes=folder,
        names=folder,
    )
    assert chosen(None, search(given)) == list(PARTS)


def test_without_data_the_parts_that_need_none_are_run() -> None:
    assert chosen(None, search(options([]))) == [
        "scale", "clients", "live", "changes", "parked", "templates", "fact_recall",
    ]  # fmt: skip


@pytest.mark.parametrize("part", ["crawl", "pipeline", "workers", "page", "refresh", "noise", "focus"])
def test_a_part_without_its_data_says_what_it_needs(part: str) -> None:
    with pytest.raises(SystemExit, match=f"{part} needs --data DIR with"):
        chosen([part], Data())


def test_folders_with_nothing_in_them_are_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="holds nothing that can be measured"):
        search(options(["--data", str(tmp_path)]))
    with pytest.raises(SystemExit, match="is no folder"):
        search(options(["--data", str(tmp_path / "none")]))


def test_sizes_are_passed_on(tmp_path: Path) -> None:
    given = options(
        ["--history=one", "--each=3", "--topics=1", "--websites=9", "--data", str(sets(tmp_path))]
    )
    data = search(given)
    assert called("refresh", given, data) == ["--data", str(tmp_path / "changes"), "--only", "one"]
    assert called("noise", given, data)[2:] == ["--each", "3"]
    assert called("focus", given, data) == ["--data", str(tmp_path / "web"), "--topics=1"]
    assert called("parked", given, data) == ["--json", "--data", str(tmp_path), "--websites=9"]
    assert called("templates", given, data) == ["--data", str(tmp_path / "main_content")]
    assert called("clients", given, data) == []


def test_a_part_that_fails_is_named_and_the_figures_are_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.json"
    assert main(["--only", "live", "--snapshots", str(tmp_path / "none"), "--out", str(out)]) == 1
    told = capsys.readouterr()
    assert "live failed: -m bench.live --snapshots=" in told.err
    assert json.loads(told.out) == json.loads(out.read_text("utf-8"))["figures"] == {}
