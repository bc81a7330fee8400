"""Labels and values that no element joins are paired by their looks, or as sibling pages share the labels."""

import pytest

from fieldmouse.page.tokens import Document
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Stripper

LABELS = ("Price", "In stock", "Chairman", "Rooms")
PROSE = "<p>The house stands in a quiet street, with a view over the river, and was built by the town.</p>"


def values(number):
    return f"{number * 17} EUR", str(number + 3), f"Anna {'ABCDEFGH'[number]}. Weber", str(number * 5 + 1)


def each(form, number=1):
    return "".join(form.format(key, value) for key, value in zip(LABELS, values(number), strict=True))


def sheet(facts, number=1, prose=1):
    text = PROSE.replace("town", f"town in {1900 + number}") * prose
    page = f"<body><h1>House {number}</h1><main>{text}{facts}</main>"
    return Document.of(page.encode(), "text/html", f"http://a.example/house/{number}")


def lines(facts, prose=1):
    return Stripper().strip(sheet(facts, prose=prose)).text().split("\n")


EXPECTED = [f"{key}: {value}" for key, value in zip(LABELS, values(1), strict=True)]


@pytest.mark.parametrize(
    "facts",
    [
        f"<div><div class=k>{each('<div>{0}</div>')}</div><div class=v>{each('<div>{1}</div>')}</div></div>",
        f"<ul class=keys>{each('<li>{0}</li>')}</ul><ul class=values>{each('<li>{1}</li>')}</ul>",
        f"<dl>{each('<dt>{0}</dt>')}{each('<dd>{1}</dd>')}</dl>",
        f"<table><tr>{each('<td><b>{0}</b></td>')}</tr><tr>{each('<td>{1}</td>')}</tr></table>",
        f"<table>{each('<tr><td class=h>{0}</td></tr><tr><td>{1}</td></tr>')}</table>",
        each("<p><strong>{0}</strong></p><p>{1}</p>"),
        f"<div>{each('<a href=/{0}><div>{0}</div><div>{1}</div></a>')}</div>",
        f"<section class=dinner-menu>{each('<div><h4>{0}</h4><span>{1}</span></div>')}</section>",
    ],
    ids=["columns", "lists", "terms first", "bold row", "rows in turn", "bold lines", "tiles", "dishes"],
)
@pytest.mark.parametrize("prose", [1, 12])
def test_labels_stand_with_their_values(facts, prose):
    found = Stripper().strip(sheet(facts, prose=prose))
    assert [one for one in found.text().split("\n") if one in EXPECTED] == EXPECTED
    assert {f"{one.label}: {one.value}" for one in found.facts} >= set(EXPECTED)


def test_lines_of_one_element_stay_together_if_sibling_pages_have_some_of_them():
    pages = [
        sheet(f"<p>{each('<b>{0}</b><br>{1}<br><br>', number)}<b>Country</b><br>Belgium<br><br></p>", number)
        for number in range(1, 7)
    ]
    stripper = Stripper(distil("a.example", pages).templates)
    assert "Country Belgium" in stripper.strip(pages[0]).text().split("\n")


FLAT = "<div><div><p>{0}</p></div></div><div><div><p>{1}</p></div></div>"


def test_what_sibling_pages_share_is_the_label_where_both_look_alike():
    pages = [sheet(each(FLAT, number), number) for number in range(1, 7)]
    stripper = Stripper(distil("a.example", pages).templates)
    assert stripper.strip(pages[0]).text().split("\n")[-4:] == EXPECTED
    assert not set(EXPECTED) & set(lines(each(FLAT)))  # alone, nobody can tell


@pytest.mark.parametrize(
    "page",
    [
        f"<div class=half>{each('<div>{0}</div>')}</div><div class=half>{each('<div>{1}</div>')}</div>",
        f"<ul class=menu>{each('<li><a href=/{0}>{0}</a></li><li><a href=/{0}/all>{1}</a></li>')}</ul>",
        "".join(f"<p><b>{key}</b></p><p>It was said that nothing is known.</p>" for key in LABELS),
    ],
    ids=["a list in two columns", "a menu", "small headings and sentences"],
)
def test_what_only_looks_alike_is_not_paired(page):
    assert not [one for one in lines(page) if one.startswith(tuple(f"{key}: " for key in LABELS))]


def test_the_footer_has_no_facts_though_nothing_in_it_is_a_link():
    page = f"{PROSE * 3}<footer class=menu>{each('<div><span>{0}</span><span>{1}</span></div>')}</footer>"
    assert not Stripper().strip(sheet(page)).facts


def test_linked_titles_of_entries_are_content_with_their_texts():
    entries = "".join(
        f"<tr><td><a href=/n/{n}>Storm number {n} takes the roofs of a street</a>"
        f"<div>After {n} hours the wind was gone, and people could see what was left.</div></td></tr>"
        for n in range(1, 6)
    )
    text = lines(f"<table>{entries}</table>", prose=0)
    assert [one for one in text if one.startswith("Storm")] == [
        f"Storm number {n} takes the roofs of a street" for n in range(1, 6)
    ]


def test_an_alt_that_repeats_the_text_beside_it_is_no_label():
    items = "".join(
        f"<li><a href=/{n}><img src=x alt='Oak lamp {n}'></a><div>Oak lamp {n}</div><div>{n} EUR</div></li>"
        for n in (1, 2, 3)
    )
    found = Stripper().strip(sheet(f"<ul>{items}</ul>", prose=0))
    assert [tuple(one) for one in found.facts] == [(f"Oak lamp {n}", f"{n} EUR") for n in (1, 2, 3)]


def test_a_sign_is_no_value():
    rows = "".join(
        f"<tr><td>{key}</td><td>{at}</td></tr>" for key, at in zip(LABELS, ("*", "|", "–", "8"), strict=True)
    )
    found = Stripper().strip(sheet(f"<table>{rows}</table>", prose=0))
    assert [tuple(one) for one in found.facts] == [(LABELS[2], "–"), (LABELS[3], "8")]


@pytest.mark.parametrize(
    "item", ["<b>Where is it</b>?", "<b>Look first</b>. Then leap.", "<b>„</b>Never“", "Do this first:"]
)
def test_emphasised_words_of_a_sentence_are_no_labels(item):
    found = Stripper().strip(sheet(f"<ul>{f'<li>{item}</li>' * 3}<li><b>Price</b> 8</li></ul>", prose=0))
    text = item.replace("<b>", "").replace("</b>", "")
    assert [tuple(one) for one in found.facts] == [("", text)] * 3 + [("Price", "8")]


def test_buttons_that_unfold_the_rest_of_their_entries_are_labels():
    form = "<div class=entry><button class=head>{0}</button><div class=body>{1}</div></div>"
    assert set(EXPECTED) <= set(lines(each(form)))
    same = "".join(f"<div class=entry><button>Like</button><div>{key}</div></div>" for key in LABELS)
    assert not [one for one in lines(same) if "Like" in one]


def test_a_fact_below_the_heading_stays_where_all_content_is_in_widgets():
    page = (
        "<div class=widget-wrap><h1>Rates</h1><div><div><p>Until</p></div><div><p>1 December</p></div></div>"
    )
    rows = "".join(f"<tr><td>{key}</td><td>{at}</td><td>{at}</td></tr>" for at, key in enumerate(LABELS))
    document = Document.of(f"{page}<table>{rows}</table></div>".encode(), "text/html", "http://a.example/")
    assert "Until: 1 December" in Stripper().strip(document).text().split("\n")
