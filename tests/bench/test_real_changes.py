"""Changed words of real pages: each edit changes one text of the main content, and all of them count."""

import random

from bench.real_changes import KINDS, edits, judged

SAID = "The harbour master counted 12 boats last week and wrote to the mayor."
PAGE = (
    "<html><body><nav><a href=/>All the old boats here</a></nav><h1>Three boats were found at sea</h1>"
    f"<p>{SAID}</p><ul><li>Rope for the long winter</li><li>Oars for the small boats</li></ul></body></html>"
)
GOLD = f"Three boats were found at sea\n{SAID}\nRope for the long winter\nOars for the small boats"


def test_each_edit_changes_one_text_of_the_main_content() -> None:
    found = list(edits(PAGE, [GOLD.replace("\n", " ")], random.Random(1)))
    assert {one.kind for one in found} == set(KINDS)
    for one in found:
        assert one.old in PAGE
        assert one.page == PAGE.replace(f"<li>{one.old}</li>" if not one.new else one.old, one.new)


def test_changes_of_the_main_content_count() -> None:
    told = list(judged({"html": PAGE, "gold": GOLD}, random.Random(1)))
    assert len(told) >= len(KINDS)
    assert not [note for *_, note in told if note]
