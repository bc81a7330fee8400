import gzip

import pytest

from fieldmouse.errors import ImportFailed, UsageError
from fieldmouse.refresh.change_history import first_snapshots, load

from .made import CHANGES, META, history, packed


def test_a_history_is_read(tmp_path):
    found = load(history(tmp_path))
    assert len(found.pages) == 96
    assert found.meaning == "content"
    assert found.end - found.start == pytest.approx(731)
    assert all(list(times) == sorted(times) for times in found.changes)
    assert found.changes[2] == ()


def test_bytes_are_more_than_content(tmp_path):
    folder = history(tmp_path)
    content, every = load(folder, "content"), load(folder, "bytes")
    assert sum(map(len, content.changes)) < sum(map(len, every.changes))


def test_content_must_be_known(tmp_path):
    folder = history(tmp_path, labels=False)
    assert load(folder).meaning == "bytes"
    with pytest.raises(UsageError, match="does not distinguish"):
        load(folder, "content")
    with pytest.raises(UsageError, match="content or of bytes"):
        load(folder, "words")


def test_first_sights(tmp_path):
    sights = list(first_snapshots(history(tmp_path)))
    assert len(sights) == 96
    assert sights[0].html.startswith(b"<p>word")
    (tmp_path / "pages.jsonl.zst").unlink()
    assert list(first_snapshots(tmp_path)) == []


GOOD = ("s", "p", "", "2020-01-01T00:00:00Z", "2021-01-01T00:00:00Z", "", 0, "", "", 0, "", "")


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (("s", "p", "", "yesterday", *GOOD[4:]), "line 3: first_seen must be a time"),
        (("s", "p", "", "2020-01-01T00:00:00", *GOOD[4:]), "line 3: first_seen must be a time"),
        (("s", "p", "", "2022-01-01T00:00:00Z", *GOOD[4:]), "line 3: last_seen is before first_seen"),
        (GOOD[:5], "line 3: 12 columns expected"),
        ((*GOOD, "more"), "line 3: 12 columns expected"),
    ],
)
def test_a_bad_row_is_named(tmp_path, row, told):
    packed(tmp_path / "pages_meta.csv.gz", META, [GOOD, row])
    with pytest.raises(ImportFailed, match=told):
        load(tmp_path)


@pytest.mark.parametrize(
    ("row", "told"),
    [
        (("s", "p", "never", "M", "", "", "", "", ""), "line 2: change_time"),
        (("s", "q", "2020-02-01T00:00:00Z", "M", "", "", "", "", ""), "line 2: s q is not in pages_meta"),
        (("s", "p", "2020-02-01T00:00:00Z", "M", "yes", "", "", "", ""), "line 2: content_changed is"),
        (("s", "p", "2020-02-01T00:00:00Z", "X", "", "", "", "", ""), "line 2: kind is A, M or D"),
    ],
)
def test_a_bad_change_is_named(tmp_path, row, told):
    packed(tmp_path / "pages_meta.csv.gz", META, [GOOD])
    packed(tmp_path / "changes.csv.gz", CHANGES, [row])
    with pytest.raises(ImportFailed, match=told):
        load(tmp_path)


def test_no_pages_and_no_files(tmp_path):
    with pytest.raises(ImportFailed, match="does not exist"):
        load(tmp_path)
    packed(tmp_path / "pages_meta.csv.gz", META, [])
    with pytest.raises(ImportFailed, match="has no pages"):
        load(tmp_path)
    (tmp_path / "pages_meta.csv.gz").write_bytes(gzip.compress(b"who,what\n1,2\n"))
    with pytest.raises(ImportFailed, match="line 1: the first line must name"):
        load(tmp_path)
    (tmp_path / "pages_meta.csv.gz").write_bytes(b"not packed")
    with pytest.raises(ImportFailed, match="cannot be read"):
        load(tmp_path)


def test_damaged_html_is_named(tmp_path):
    import zstandard

    (tmp_path / "pages.jsonl.zst").write_bytes(zstandard.compress(b'{"site": 1}\n'))
    with pytest.raises(ImportFailed, match="line 1"):
        list(first_snapshots(tmp_path))
