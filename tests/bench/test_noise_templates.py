"""Pages compared without their template: what the template has is beside the content."""

from bench.noise_templates import Compared, Visit, bare
from fieldmouse.page.compared_lines import compared_lines
from fieldmouse.page.read import read
from fieldmouse.page.tokens import Document
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Stripper

BANNER = "The harbour office of the town is open to everybody from eight in the morning until noon each day"


def document(own: str) -> Document:
    body = f"<body><h1>Quay</h1><p>{BANNER}.</p><div><p>{own}</p></div><p>Written by the harbour office</p>"
    facts = read(body.encode())
    return Document(content=body.encode(), index=facts.index, charset=facts.charset)


STORIES = [
    f"The {boat} came in at dawn with {fish}, and nobody on the whole quay had ever seen so many of them"
    for boat, fish in (("Amber", "herring"), ("Birch", "cod"), ("Cobalt", "eels"), ("Damson", "crabs"))
]


def test_the_template_is_beside() -> None:
    pages = [document(own) for own in STORIES]
    stripper = Stripper(distil("", pages).templates)
    found = compared_lines(pages[0].content, pages[0].index, pages[0].charset)
    assert BANNER in found.content
    without = bare(found, stripper, pages[0])
    assert BANNER not in without.content
    assert BANNER in without.other
    assert STORIES[0] in without.content


def test_both_ways_see_a_change() -> None:
    compared = Compared()
    visits = [Visit(f"2024-06-0{day}T00:00:00Z", page, int(page == "a" and day == 3), document(own))
              for day in (1, 2, 3)
              for page, own in (("a", STORIES[day // 3]), ("b", STORIES[2]), ("c", STORIES[3]))]  # fmt: skip
    compared.site(visits)
    assert [dict(counts) for counts in compared.counts.values()] == [{"tn": 5, "tp": 1}] * 2
