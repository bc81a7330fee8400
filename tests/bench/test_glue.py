"""Glued words are found, and words of images are not taken for them."""

import json

import pytest
import zstandard

pytest.importorskip("selectolax.lexbor")

from bench import glue


def test_a_folder_of_pages(tmp_path, capsys):
    pages = ["<p>The <b>quick</b> <i>brown</i> <a href=x>fox</a>", "<p>a<p>b", "<table><td>1<td>2"]
    rows = [{"id": str(place), "url": "", "html": page} for place, page in enumerate(pages)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "some.jsonl.zst").write_bytes(zstandard.compress(lines.encode()))
    assert glue.main(["--data", str(tmp_path)]) == 0
    found = json.loads(capsys.readouterr().out)["some"]
    assert (found["pages"], found["pages_with_glue"], found["engines_differ"]) == (3, 0, 0)
    assert found["words_lost"] == found["words_added"] == 0


def test_glued_words():
    theirs, images = ["quick", "brown", "fox"], ["quickfox"]
    assert glue.glued(["quickbrown", "quick", "quickfox", "foxes"], theirs, images) == ["quickbrown"]


def test_parts_of_words_that_the_dom_glues_are_not_glued():
    assert glue.glued(["Home", "31g"], ["HomeContact", "31gProtein:", "Contact", "31", "g"], []) == []
    assert glue.glued(["31g"], ["31", "g"], []) == ["31g"]
