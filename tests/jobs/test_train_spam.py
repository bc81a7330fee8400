"""Labelled texts are read from files of several forms, and learners are compared by source."""

import gzip
import json
import random
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldmouse.cli import cli
from fieldmouse.errors import FieldmouseError, ImportFailed, UsageError
from fieldmouse.jobs.spam_data import Columns, LabelledText, main_text, read_labelled
from fieldmouse.jobs.train_spam import make_folds
from fieldmouse.learn.ngram_linear import NgramLinear

NAMES = Columns()


def written(tmp_path: Path, text: str, name: str = "data.csv") -> Path:
    file = tmp_path / name
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('video,content,spam\nA,buy,1\nB,"two\nlines",0\n', [("buy", 1, "A"), ("two\nlines", 0, "B")]),
        ("ham\tsee you\nspam\twin \"now\n", [("see you", 0, ""), ('win "now', 1, "")]),
        ('{"text": "a", "spam": true, "host": "x"}\n{"text": "b", "spam": 0}', [("a", 1, "x"), ("b", 0, "")]),
        ("comment,score\nbad,256\ngood,0\nhalf,64\n", [("bad", 1, ""), ("good", 0, ""), ("half", 0.25, "")]),
        ("text,percentile\nbad,69\ngood,70\n", [("bad", 1, ""), ("good", 0, "")]),
        ('\ufeffVideo;Comment;Class\nA;"buy; now";1\nB;hi;-1\n', [("buy; now", 1, "A"), ("hi", 0, "B")]),
        ("ham\tsee you, then, or not\nspam\twin\n", [("see you, then, or not", 0, ""), ("win", 1, "")]),
        ('{"Text": "a", "Is_Spam": true}\n{"Text": "b", "Is_Spam": false}', [("a", 1, ""), ("b", 0, "")]),
    ],
)  # fmt: skip
def test_usual_forms_are_read(tmp_path: Path, text: str, expected: list[tuple[str, float, str]]) -> None:
    assert read_labelled(written(tmp_path, text), NAMES, 256).rows == expected
    packed = tmp_path / "data.gz"
    packed.write_bytes(gzip.compress(text.encode()))
    assert read_labelled(packed, NAMES, 256).rows == expected


def test_columns_and_labels_can_be_named(tmp_path: Path) -> None:
    rows = [{"x": "a", "tags": ["news"]}, {"x": "b", "tags": ["bets", "news"]}, {"x": "c", "tags": []}]
    file = written(tmp_path, "".join(json.dumps(row) + "\n" for row in rows))
    found = read_labelled(file, Columns(text="x", label="tags", spam=("bets",)), 99)
    assert [one.label for one in found.rows] == [0, 1, 0]
    file = written(tmp_path, "Remark,Verdict\na,bad\nb,good\n")
    found = read_labelled(file, Columns(text="Remark", label="Verdict", spam=("bad",)), 256)
    assert [one.label for one in found.rows] == [1, 0]


def test_pages_are_reduced_to_their_main_text() -> None:
    story = "The ferry was late again today, because the captain had lost his boots in the fog. " * 5
    page = f"<html><body><nav><a href=/>Home</a> <a href=/x>More</a></nav><p>{story}</p></body></html>"
    assert main_text(page).strip().startswith("The ferry was late")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("a,b\n1,2\n", UsageError, "no column for the text: name it with --text. It has a, b"),
        ("text,b\n1,2\n", UsageError, "no column for the label"),
        ("text,label\nx,1\ny,1\n", ImportFailed, "2 of 2 usable texts are spam; both classes are needed"),
        ("text,label\nx,perhaps\n,1\n", ImportFailed, r"1 rows: no label, .*; 1 rows: no text"),
        ("", ImportFailed, "no labelled text; give CSV or JSON lines"),
        ('{"text": "x", "label": 1}\n{oops\n', ImportFailed, "1 rows: not JSON"),
        ("text,label\nx,1,3\ny,0\nz,1\n\0,0\n", None, ""),
    ],
)
def test_what_cannot_be_used_is_said(
    tmp_path: Path, text: str, error: type[FieldmouseError] | None, message: str
) -> None:
    file = written(tmp_path, text)
    if error is None:
        assert read_labelled(file, NAMES, 99).left_out == {"other number of columns than the first line": 1}
        return
    with pytest.raises(error, match=message):
        read_labelled(file, NAMES, 99)


def test_a_damaged_file_gives_what_it_can(tmp_path: Path) -> None:
    lines = "".join(f"text {n % 7} {n},{n % 2},{n}\n" for n in range(3000))
    data = gzip.compress(f"text,label,source\n{lines}".encode())
    file = tmp_path / "cut.csv.gz"
    file.write_bytes(data[: len(data) // 2])
    found = read_labelled(file, NAMES, 99)
    assert 100 < len(found.rows) < 3000
    assert any("damaged" in reason for reason in found.left_out)


def test_a_source_is_never_split() -> None:
    rows = [LabelledText(f"t{n}", n % 2, f"s{n % 25}") for n in range(200)]
    parts, how = make_folds(rows, 10, 1)
    assert how == "10 folds at random, 25 sources"
    assert sorted(at for part in parts for at in part) == list(range(200))
    where = {}
    for number, part in enumerate(parts):
        for at in part:
            assert where.setdefault(rows[at].source, number) == number
    assert make_folds([LabelledText("a", 1, "x"), LabelledText("b", 0, "y")] * 10, 10, 1)[1].startswith(
        "2 folds"
    )
    with pytest.raises(UsageError, match="too few for 10 folds"):
        make_folds(rows[:12], 10, 1)


def test_equal_texts_are_together_without_sources() -> None:
    rows = [LabelledText(f"text {n % 30}", n % 2, "") for n in range(90)]
    parts, _ = make_folds(rows, 5, 1)
    for part in parts:
        texts = {rows[at].text for at in part}
        assert sum(row.text in texts for row in rows) == len(part)


def test_the_command_prints_the_table_and_writes_a_model(tmp_path: Path) -> None:
    rng = random.Random(1)
    lines = ["source,text,label"]
    for n in range(60):
        words = ["win", "cash", "visit"] if n % 2 else ["rain", "ferry", "bread"]
        lines.append(f"s{n % 3},{' '.join(rng.choices([*words, 'the', 'and'], k=6))} {n},{n % 2}")
    file = written(tmp_path, "\n".join(lines))
    target = tmp_path / "new" / "model.dat"
    done = CliRunner().invoke(cli, ["train", "comment-spam", str(file), "--output", str(target), "--quiet"])
    assert done.exit_code == 0, done.output
    assert "60 texts, 30 spam (50.0%); 3 folds, one for each source" in done.output
    for learner in (
        r"Vowpal Wabbit +4",
        r"words +4",
        r"words\+chars 2-5 +4",
        r"like fastText +4",
        "shipped, adapted",
    ):
        assert re.search(f"\n{learner} ", done.output), learner
    assert NgramLinear.from_file(target).score("win cash") > 0.5
    assert "3 folds" in NgramLinear.from_file(target).card().training.data
