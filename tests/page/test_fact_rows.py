"""Facts: which elements hold rows, and the labels and values in them."""

import pytest

from fieldmouse.page.fact_rows import containers, lone_facts
from fieldmouse.page.fact_texts import fact_rows, line
from fieldmouse.page.main_content import judged_blocks
from fieldmouse.page.marks import MENU
from fieldmouse.page.tokens import Document


def seen(html):
    page = Document.of(html.encode(), "text/html; charset=utf-8")
    return judged_blocks(page.content, page.index, page.charset)


def kinds(html):
    return [(one.kind, len(one.rows)) for one in containers(seen(html)) if not one.framed]


def facts(html):
    page = seen(html)
    return [tuple(row) for one in containers(page) if not one.framed for row in fact_rows(page, one)]


def lines(html):
    page = seen(html)
    return [line(page, row) for one in containers(page) for row in one.rows]


ROWS = [("Price", "12.50 €"), ("Stock", "3"), ("Colour", "dark blue")]


@pytest.mark.parametrize(
    ("frame", "row"),
    [
        ("<table>{}</table>", "<tr><th>{}</th><td>{}</td></tr>"),
        ("<table>{}</table>", "<tr><td>{}:<td><p>{}</p>"),
        ("<dl>{}</dl>", "<dt>{}<dd>{}"),
        ("<dl>{}</dl>", "<div><dt>{}</dt><dd>{}</dd></div>"),
        ("<ul>{}</ul>", "<li><b>{}</b> {}</li>"),
        ("<ul>{}</ul>", "<li><b>{}</b><span>{}</span></li>"),
        ("<ul>{}</ul>", "<li><span class=key>{}</span><span class=value>{}</span></li>"),
        ("<div>{}</div>", "<div class=i><h3><button>{}</button></h3><div role=region><p>{}</p></div></div>"),
        ("<div>{}</div>", "<button class=fold>{}</button><div class=panel><p>{}</p></div>"),
        ("<div>{}</div>", "<details><summary>{}</summary>{}</details>"),
        ("<ul>{}</ul>", "<li>{}: {}</li>"),
        ("<div>{}</div>", '<div class="row"><div class="k">{}</div><div class="v">{}</div></div>'),
        ("<div>{}</div>", '<p><strong>{}</strong> {}</p>'),
        ("<section>{}</section>", '<div class="k">{}</div><div class="v">{}</div>'),
        ('<aside><div class="tab-pane"><dl>{}</dl></div></aside>', "<dt>{}<dd>{}"),
        ("<div>{}</div>", "<div class=x><div class=x-header>{}</div><div class=x-footer>{}</div></div>"),
        ("<div>{}</div>", "<div class=cell><b>{}</b></div><div class=cell>{}</div>"),
        ("<ul>{}</ul>", "<li><div><div>{}</div></div><div><div>{}</div></div></li>"),
        ("<div><img src=x>{}<hr><p>The end of it.</p></div>", "<h4>{}</h4><p>{}</p>"),
        ("<form><table>{}</table></form>", "<tr><th>{}</th><td>{}</td></tr>"),
        ("<div role=grid>{}</div>", "<a-b role=row><span role=rowheader>{}</span><b-c role=cell>{}</a-b>"),
        ("<div>{}</div>", '<div class="col-4">{}</div><div class="col-8">{}</div>'),
        ("<div>{}</div>", "<h5>{}</h5>{}"),
    ],
)  # fmt: skip
def test_labels_and_values_are_found_however_they_are_written(frame, row):
    html = "<h1>Thing</h1>" + frame.format("".join(row.format(*one) for one in ROWS))
    assert facts(html) == ROWS
    said = [one.replace(":", "") for one in lines(html)]
    assert said == [f"{label} {value}" for label, value in ROWS], "label and value are on one line"


@pytest.mark.parametrize("head", ["", "<div class=h>Line</div><div class=h>To</div><div class=h>At</div>"])
def test_cells_without_row_elements(head):
    rows = [("S1", "Ashbourne", "07:10"), ("S2", "Corley", "07:15"), ("S3", "Eastham", "08:00")]
    cells = "".join(f"<div class=n>{a}</div><div class=c>{b}</div><div class=c>{c}</div>" for a, b, c in rows)
    html = f"<h1>Departures</h1><div class=grid>{head}{cells}</div>"
    assert lines(html)[-3:] == [f"{a}: {b} | {c}" for a, b, c in rows]
    if head:
        assert facts(html)[:2] == [("S1 | To", "Ashbourne"), ("S1 | At", "07:10")]
    # A row with an empty cell: its values have no column, because it is not known which one is empty.
    html = html.replace("<div class=c>07:15</div>", "<div class=c></div>")
    assert ("S2", "Corley") in facts(html)
    assert (
        kinds("<div>" + "<h3>Name</h3><p>One long story, told.</p><p>Another one.</p>" * 2 + "</div>") == []
    )


def test_headings_number_the_columns_of_cells_without_row_elements():
    heads = "".join(f'<div class="bold line">{one}</div>' for one in ("Line", "To", "At"))
    cells = ["S1", "Ashbourne", "07:10", "S2", "Corley", "07:15"]
    html = "<div class=grid>" + heads + "".join(f"<div class=line>{one}</div>" for one in cells) + "</div>"
    assert facts(html) == [
        ("S1 | To", "Ashbourne"), ("S1 | At", "07:10"), ("S2 | To", "Corley"), ("S2 | At", "07:15"),
    ]  # fmt: skip
    assert lines(html)[1:] == ["S1: Ashbourne | 07:10", "S2: Corley | 07:15"]
    assert "table" not in dict(kinds(html.replace("07:15</div>", "07:15</div><div class=line>S3</div>")))


def test_headings_of_groups_of_facts_are_no_labels():
    sections = [f"<section><h3>{a}</h3><p>{b}</p></section>" for a, b in ROWS]
    groups = [f"<h2>Group {size}</h2>{''.join(sections[:size])}" for size in (3, 1, 2)]
    found = facts(f"<div>{''.join(groups)}</div>")
    assert [one for one in found if one[0]] == [*ROWS, *ROWS[:1], *ROWS[:2]]


def test_two_rows_in_turn_by_their_classes():
    pair = '<div class="col-4">{}</div><div class="col-8">{}</div>'
    html = f"<div>{pair.format('Contact', 'A. Fox')}{pair.format('Phone', '020 1234')}</div>"
    assert facts(html) == [("Contact", "A. Fox"), ("Phone", "020 1234")]
    assert not any(label for label, _ in facts(html.replace("col-8", "col-4")))


def test_rows_with_a_name_of_their_own_and_two_rows():
    row = '<div id="{0}-row" class="{0}"><div class="l">{0}</div><div class="v">{1}</div></div>'
    assert facts("<div>" + "".join(row.format(*one) for one in ROWS) + "</div>") == ROWS
    for first, second in (("l", "v"), ("col-4", "col-8")):
        row = f'<div class="row"><div class="{first}">{{}}</div><div class="{second}">{{}}</div></div>'
        assert facts("<div>" + "".join(row.format(*one) for one in ROWS[:2]) + "</div>") == ROWS[:2]
    row = "<div class=x><p>A sentence.</p><p>two</p></div>"
    assert facts(f"<div>{row}{row}</div>") == []


def test_a_heading_row_names_the_columns():
    html = (
        "<table><tr><th>Stop<th>Departs<th>Platform<tr><td>Ghent<td>10:04<td>3<tr><td>Bruges<td><td>7</table>"
    )
    assert facts(html) == [
        ("Ghent | Departs", "10:04"), ("Ghent | Platform", "3"), ("Bruges | Platform", "7"),
    ]  # fmt: skip
    assert lines(html) == ["Stop | Departs | Platform", "Ghent | 10:04 | 3", "Bruges: 7"]


def test_two_labels_in_a_row_are_two_facts():
    row = "<tr><th>A{0}<td>{0}<th>B{0}<td>{0}{0}"
    assert facts(f"<table>{row.format(1)}{row.format(2)}</table>") == [
        ("A1", "1"), ("B1", "11"), ("A2", "2"), ("B2", "22"),
    ]  # fmt: skip
    assert facts(f"<table>{row.format(1)}</table>") == [("A1", "1"), ("B1", "11")]
    assert lines(f"<table>{row.format(1)}</table>") == ["A1: 1 | B1: 11"]
    assert facts("<table><tr><th>A<td>1<th>B<th>2</table>") == []


def test_a_table_around_a_value_is_its_look():
    value = "<table><tr><td>{}</td></tr></table>"
    html = f"<table><tr><td>Price<td>{value.format(12)}<tr><td>Stock<td>{value.format('none')}</table>"
    assert facts(html) == [("Price", "12"), ("Stock", "none")]
    two = "<table><tr><td>12<td>13</table>"
    assert facts(f"<table><tr><td>Menu<td>{two}<tr><td>Text<td>{two}</table>") == []


@pytest.mark.parametrize(
    ("html", "found"),
    [
        ("<table><tr><td>menu<td>text</table>", []),  # one row: layout
        ("<table><tr><td><h2>News</h2>a<td>b<tr><td>c<td>d</table>", []),
        ("<table><tr><td>a<td>b<tr><td>" + "long text " * 99 + "<td>d</table>", []),
        ("<nav><dl><dt>a<dd>b</dl></nav>", []),
        ("<div class=footer><dl><dt>a<dd>b</dl></div>", []),
        ("<ol class=comments><li><b>Ann</b> yes<li><b>Bob</b> no<li><b>Cyd</b> so</ol>", []),
        ("<ul><li>one thing<li>two things<li>three things</ul>", [("rep", 3)]),
        ("<aside><ul><li>one thing<li>two things<li>three things</ul></aside>", []),
        ("<ul><li><a href=x>Home</a><li><a href=y>Shop</a><li><a href=z>Help</a></ul>", []),
        ("<p>A sentence is here.</p><p>Another <b>one</b> is here.</p><p>And a third.</p>", []),
        ("<dl><dt><a href=x>all links</a><dd><a href=x>and nothing else</a></dl>", []),
        (
            "<dl><dt>Price<dd>12<dd><a href=x>Edit price</a><dt>Size<dd>7<dd><a href=x>Edit size</a></dl>",
            [("dl", 2)],
        ),
        ("<dl><dt>More<dd><a href=x>One thing</a><dt>Less<dd><a href=y>Other thing</a></dl>", []),
        ("<table><tr><th>Status<td>open</table>", [("table", 1)]),
        ("<font><b>Price:</b> 12<br><b>Stock:</b> none<br>Seat: here</font>", [("lines", 1)]),
        ("<p>In 1900: a start<br>of a poem<br>with lines<br>and more</p>", []),
        # Areas to click on: the link goes around several passages.
        ("<ul>" + "<li><a href=x><h3>Lamp</h3><div>Price 12 in stock</div></a>" * 3 + "</ul>", [("rep", 3)]),
    ],
)
def test_what_is_a_container_and_what_is_not(html, found):
    assert kinds(html) == found


def test_headlines_are_an_index():
    item = "<li><a href=/{0}>The harbour was closed for the {0}th time</a></li>"
    html = f"<h1>News</h1><ul>{''.join(map(item.format, range(5)))}</ul>"
    assert kinds(html) == [("index", 5)]


def test_paragraphs_that_are_links_one_after_the_other_are_an_index():
    link = "<p><b><a href=/{0}>A headline that is long enough, number {0}</a></b></p>"
    links = [link.format(number) for number in range(4)]
    assert kinds(f"<div>{''.join(links)}</div>") == [("index", 4)]
    between = "<p>A sentence that stands between two links to other articles.</p>"
    assert kinds(f"<div>{between.join(links)}</div>") == []


def test_a_picture_before_each_text_makes_a_list_of_a_table():
    row = "<tr><td><img src=dot.gif><td>{}"
    assert kinds("<table>" + "".join(map(row.format, ("One thing", "Two things", "Three"))) + "</table>") == [
        ("rep", 3)
    ]
    assert kinds("<table><tr><td>One thing<tr><td>Two things<tr><td>Three</table>") == []


@pytest.mark.parametrize(("colon", "told"), [("：", True), (":", True), (": ", True), ("/", False)])
def test_languages_without_spaces_have_none_after_a_colon(colon, told):
    rows = [("价格", "12.50元"), ("库存", "3"), ("颜色", "蓝色")]
    html = "<br>".join(f"{label}{colon}{value}" for label, value in rows)
    assert facts(f"<h1>商品</h1><p>{html}</p>") == (rows if told else [])
    assert facts("<p>In use since<br>opens 07:10<br>closes 18:30<br>closed 12:00</p>") == []
    items = "".join(f"<li>{label}{colon}{value}</li>" for label, value in rows)
    assert facts(f"<h1>商品</h1><ul>{items}</ul>") == (
        rows if told else [("", f"{label}{colon}{value}") for label, value in rows]
    )


def test_lines_are_rows():
    page = seen("<font><b>Price:</b> 12<br><b>Stock:</b> none<br>as it is<br>Seat: here</font>")
    (found,) = containers(page)
    assert fact_rows(page, found) == [("Price", "12"), ("Stock", "none"), ("", "as it is"), ("Seat", "here")]
    assert line(page, found.rows[0]).split("\n") == ["Price: 12", "Stock: none", "as it is", "Seat: here"]


@pytest.mark.parametrize(
    ("html", "rows"),
    [
        ("<div><div>Status<b></b></div><div>delayed</div></div>", [("Status", "delayed")]),
        ("<section><h4>Status</h4><p>delayed</p></section>", [("Status", "delayed")]),
        ("<div>Status: <span>delayed</span></div>", [("Status", "delayed")]),
        ("<div>Status</div><div>delayed</div><div>today</div>", []),
        ("<div><div>Status<b></b></div><div><a href=x>delayed</a></div></div>", []),
        ("<p>It is late.</p>", []),
    ],
)
def test_a_fact_may_stand_alone_below_the_heading(html, rows):
    page = seen(f"<main><h1>Line 7</h1>{html}</main><p>")
    found = lone_facts(page, 0, MENU)
    assert [row for one in found for row in fact_rows(page, one)] == rows


def test_any_nesting_is_taken():
    deep = "<div>" * 999 + "a" + "</div>" * 999
    for html in ("", "<table>" * 300 + "x", "<dl><dd>a</dl>", "<tr><td>a", deep):
        facts(html)


HEADLINES = [f"Council of Kelby votes on lamp tax number {n}" for n in range(4)]


def test_headlines_in_a_table_are_an_index_and_a_menu_in_a_table_is_none():
    rows = "".join(f"<tr><td>{n}</td><td><a href=/{n}>{one}</a></td></tr>" for n, one in enumerate(HEADLINES))
    assert kinds(f"<table>{rows}</table>") == [("index", 4)]
    menu = "".join(f"<tr><td><a href=/{one}>{one}</a></td></tr>" for one in ("Home", "News", "Shop", "Help"))
    assert kinds(f"<table>{menu}</table>") == []


def test_a_feed_by_its_role_is_a_list_and_no_box_of_feeds():
    posts = "".join(
        f"<div role=article><div><a href=/{n}>{one}</a></div></div>" for n, one in enumerate(HEADLINES)
    )
    assert kinds(f"<div role=feed>{posts}</div>") == [("index", 4)]
    assert kinds(f"<div class=feed>{posts}</div>") == []


def test_lists_of_facts_beside_each_other_are_no_rows():
    """Three accordions in one element: each is a list of its own."""
    item = "<div class=item><h3>{} {}</h3><p>{}</p></div>"
    lists = "".join(
        f"<div class=acc>{''.join(item.format(key, n, value) for key, value in ROWS)}</div>" for n in range(3)
    )
    assert kinds(f"<main>{lists}</main>") == [("pair", 3)] * 3


def test_labels_above_their_values():
    table = "<table><tr><th>Price</th><th>Stock:</th></tr><tr><td>12 €</td><td>3</td></tr></table>"
    assert facts(table) == [("Price", "12 €"), ("Stock", "3")]
    rows = table.replace("</table>", "<tr><td>14 €</td><td>5</td></tr></table>")
    assert facts(rows) == [("12 € | Stock", "3"), ("14 € | Stock", "5")]


@pytest.mark.parametrize("page", ["<form>{}</form>", "<div>{}</div>", "<p>Text</p>{}<p>Text</p>"])
def test_buttons_that_unfold_nothing_are_no_content(page):
    buttons = "".join(f"<button class=b>{one}</button>" for one in ("Buy", "Share", "Print"))
    assert not {"Buy", "Share", "Print"} & {one.text for one in seen(page.format(buttons)).blocks}
