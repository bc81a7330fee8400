"""The measurements themselves: they run, and what was not taken works as well."""

import json

import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.templates import alignment_ms, given_figures, host_pages, options
from bench.templates_content import gold_text, quality, snippet_quality
from bench.templates_copying import Copier, numbers, read_numbers
from fieldmouse.templates.distil import distil
from tests.page.hostile import damaged

from .site import article, articles, document

COPIER = Copier(distil("port.example", articles(16)).templates)


def test_measuring_a_host_and_a_set(tmp_path):
    for number in range(40):
        file = tmp_path / "hosts" / "port" / f"{number}.html"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(article(number)[1])
    rows = [
        {"id": str(n), "url": "", "host": "port", "year": 2005, "gold_kind": "text",
         "gold": "\n".join(article(n)[2]), "html": article(n)[1].decode()}
        for n in range(8)
    ]  # fmt: skip
    (tmp_path / "site.jsonl.zst").write_bytes(zstandard.compress("\n".join(map(json.dumps, rows)).encode()))
    given = options(["--data", str(tmp_path), "--hosts", str(tmp_path / "hosts"), "--limit", "40"])
    found = given_figures(given)
    port = found["hosts"]["port"]
    assert port["pages"] == port["restored"] == port["copies restored"] == 40
    assert port["t=16"] > 0.95
    assert port["saved"] > port["gzip"]
    assert found["content"]["site"]["sites"]["template"]["f1"] == 1.0
    assert found["storage"]["site"]["restored"] == 8
    assert alignment_ms() < 20


def test_quality_counts_words():
    assert quality("a b c", "a b d") == (2 / 3, 2 / 3, 2 / 3)
    assert quality("", "") == (1.0, 1.0, 1.0)
    assert quality("a", "") == (0.0, 0.0, 0.0)


def test_snippets():
    row = {"with": ["in  it", "gone"], "without": ["menu", "ad"]}
    assert snippet_quality(["this is in it, and menu"], [row]) == (0.5, 0.5, 0.5)


def test_gold_texts_of_all_kinds():
    assert gold_text({"gold_kind": "marked", "gold": "URL: x\n<p>One<h>Two"}).split() == ["One", "Two"]
    assert gold_text({"gold_kind": "html", "gold": "<p>a &amp; b</p>"}).split() == ["a", "&", "b"]
    assert gold_text({"gold_kind": "text", "gold": "a\n!@#$%^&*() COMMENTS\nb"}) == "a"


def test_a_folder_without_pages(tmp_path):
    assert host_pages(tmp_path, 10) == []


@given(st.lists(st.integers(0, 2**40), max_size=20))
@settings(deadline=None, max_examples=50)
def test_numbers_come_back(values):
    data = numbers(*values)
    assert read_numbers(data, 0, len(values)) == (values, len(data))


@given(st.integers(0, 10**6))
@settings(deadline=None, max_examples=100)
def test_copied_pages_come_back(seed):
    page = document("http://port.example/news/1.html", damaged(article(seed)[1], seed))
    assert COPIER.restore(COPIER.pack(page)) == page.content
