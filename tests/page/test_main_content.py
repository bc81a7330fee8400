"""What C and Python find in a page is the same: evidence, decisions, containers of facts, own blocks."""

import random
from collections import Counter

import numpy as np
import pytest

from fieldmouse.page import reference_scanner, tags
from fieldmouse.page.block_kinds import BlockKinds, block_kinds
from fieldmouse.page.fact_rows import containers
from fieldmouse.page.main_content import (
    NAMES,
    evidence,
    judge,
    judged_blocks,
    title_words,
    weights,
    words_of,
)
from fieldmouse.page.tokens import Document

from .hostile import GOOD, damaged, soup
from .structured import structured

pytestmark = pytest.mark.skipif(len(tags.ENGINES) < 2, reason="built without a compiler")


def pages():
    for seed in range(250):
        yield structured(seed)
    for seed in range(60):
        yield damaged(structured(1000 + seed), seed)
        yield soup(seed)
        yield damaged(GOOD, seed)


def found(content, charset="utf-8"):
    page = Document.of(content, f"text/html; charset={charset}")
    return judged_blocks(page.content, page.index, page.charset)


def test_rows_of_evidence_are_equal():
    blocks = 0
    for content in pages():
        page = found(content)
        rows = evidence(page)
        packed = tags.engine.evidence(page.elements, page.blocks, title_words(page), words_of)
        made = np.frombuffer(packed).reshape(rows.shape)
        wrong = [NAMES[column] for column in np.flatnonzero((np.abs(rows - made) > 1e-12).any(axis=0))]
        assert not wrong, (wrong, content)
        blocks += len(rows)
    assert blocks > 5000


WORDS = "Über ÜBER äpfel¶ ÄPFEL die—Birnen ½ µm ŁÓDŹ łódź ÉÑ × и Ж 日本 ß birnen’s ² ª".split(" ")  # noqa: SIM905


@pytest.mark.parametrize("word", WORDS)
def test_words_of_the_title_are_found_outside_ascii(word):
    page = found(f"<title>{' '.join(WORDS)} and</title><p>the {word.lower()} {word.upper()}x{word}".encode())
    packed = tags.engine.evidence(page.elements, page.blocks, title_words(page), words_of)
    assert np.array_equal(np.frombuffer(packed).reshape(1, -1), evidence(page))


def test_decisions_are_equal():
    chosen = 0
    for content in pages():
        page = found(content)
        if page.blocks:
            made = judge(page, weights())
            assert made == judge(page, weights(), reference_scanner), content
            chosen += sum(made)
    assert chosen > 500


def test_kinds_are_equal():
    seen = Counter[str]()
    for content in [*pages(), KINDS_OF_BLOCKS]:
        page = found(content)
        made = block_kinds(page)
        assert made == block_kinds(page, reference_scanner), content
        seen += Counter({name: len(some) for name, some in made._asdict().items() if name != "has_figure"})
        seen["figures"] += made.has_figure
    assert min(seen.values()) > 0
    assert len(seen) == len(BlockKinds._fields)


KINDS_OF_BLOCKS = b"""<h1>A house</h1><h2>Rooms</h2><div>one<br>two<br>three</div>
<div class=comments>Well said.</div><figure><img alt="a picture"></figure><td>bare<p>x</p>bare<p>y</p>bare"""


def test_a_block_of_no_element_is_refused():
    page = found(structured(3))
    block = page.blocks[0]._replace(element=len(page.elements))
    with pytest.raises(ValueError, match="in an element"):
        block_kinds(page._replace(blocks=[block]))


def test_containers_are_equal():
    kinds = set()
    for content in pages():
        page = found(content)
        made = containers(page)
        assert made == containers(page, reference_scanner), content
        kinds.update(one.kind for one in made)
    assert kinds == {"table", "dl", "pair", "rep", "index"}


@pytest.mark.parametrize("name", ["div", "p", "li", "dt", "td"])
def test_many_children_take_linear_time(name):
    chance = random.Random(1)
    rows = (f'<{name} class="k{chance.randrange(10**6)}"><b>x</b> y</{name}>' for _ in range(19_000))
    page = found(f"<ul>{''.join(rows)}</ul>".encode())
    assert len(page.blocks) == 19_000
    assert len(containers(page)) <= 1


def test_weights_of_another_length_are_refused():
    page = found(structured(3))
    packed = list(weights().packed)
    packed[0] = packed[0][:-8]
    with pytest.raises(ValueError, match="do not fit"):
        tags.engine.judge(page.elements, page.blocks, [], words_of, *packed)
