"""Content as text and as HTML, and the evidence by which passages are judged."""

import re
from html.parser import HTMLParser

import pytest

from fieldmouse.page import reference_scanner, tags
from fieldmouse.page.excerpt import safe_address
from fieldmouse.page.main_content import NAMES, Weights, evidence, judged_blocks, scores, weights
from fieldmouse.page.tokens import Document, own_texts, start_tags
from fieldmouse.templates.distil import distil
from fieldmouse.templates.strip import Stripper
from fieldmouse.templates.template import page_profile, profile
from tests.page.hostile import GOOD, damaged, soup
from tests.page.structured import structured

from .site import article, articles, document, listing

STORY = "<p>In the old harbour, a boat was found on Monday, which had been missing for years.</p>" * 8


def content_text(page, templates=None, *, main=True):
    return Stripper(templates).strip(page).text(main=main)


def content_html(page, templates=None, *, main=True):
    return Stripper(templates).strip(page).html(main=main)


def found(page):
    page = document("", page.encode())
    return judged_blocks(page.content, page.index, page.charset)


# --- content ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 50])
def test_the_content_is_the_article(number):

    templates = distil("port.example", articles(16)).templates
    url, content, own = article(number)
    assert content_text(document(url, content), templates).split("\n") == own
    assert content_text(document(url, content), templates, main=False).split("\n") == own


def test_names_of_entries_stay_though_they_are_links():
    rows = "".join(
        f"<tr><td>{key}</td><td>{at}</td></tr>" for at, key in enumerate(("Price", "Stars", "Left"))
    )
    items = "".join(
        f"<tr><td><a href=/{name}>{name} Inn</a><table>{rows}</table></td></tr>"
        for name in ("Red", "Old", "New")
    )
    text = content_text(document("http://a.example/", f"<h1>Inns</h1><table>{items}</table>".encode()))
    assert [one for one in text.split("\n") if "Inn" in one] == ["Inns", "Red Inn", "Old Inn", "New Inn"]


def test_the_heading_that_is_the_title_is_content():
    page = f"<title>A boat - Port</title><div class=banner><h1>A boat</h1></div><div>{STORY}</div>"
    assert content_text(document("http://a.example/", page.encode())).startswith("A boat\n")


def test_what_readers_said_is_no_part_of_the_text():
    said = "<p>I was there, in the harbour, when it was found, and it was not a boat, but a ship.</p>" * 9
    page = f"<h1>A boat</h1><div>{STORY}</div><h3>Remarks</h3><div id=comments>{said}</div>"
    text = content_text(document("http://a.example/", page.encode()))
    assert "missing for years" in text
    assert "but a ship" not in text
    assert "Remarks" not in text
    forum = f"<h1>A boat</h1><div id=comments>{said}</div>"
    assert "but a ship" in content_text(document("http://a.example/", forum.encode()))


def test_the_lead_between_the_heading_and_the_text_is_content():
    lead = "The boat was found in the harbour of Kelby, after years of searching."
    page = (
        f"<h1>A boat</h1><header class=teaser><p>{lead}</p></header><div>12 May 2027</div><div>{STORY}</div>"
    )
    assert lead in content_text(document("", page.encode())).split("\n")


@pytest.mark.parametrize("kind", ["heading in the path, name of a style", "a heading that is the lead"])
def test_a_lead_stands_near_the_text_wherever_the_heading_is(kind):
    lead = "The boat was found in the harbour of Kelby, after years of searching, with nobody aboard."
    if kind == "a heading that is the lead":
        page = (
            f"<h1>A boat</h1><article><h2>{lead}</h2><ul class=share>{'<li><a href=/s>Section</a>' * 4}</ul>"
        )
    else:
        page = "<nav><ol><li><a href=/>News</a></li><li><h1>A boat</h1></li></ol></nav>"
        page += "".join(f"<div><a href=/{n}>Section number {n}</a></div>" for n in range(20))
        page += f"<div class=box-bottom><p>{lead}</p></div><article>"
    text = content_text(document("", f"{page}{STORY}</article>".encode()))
    assert lead in text.split("\n")
    assert "Section" not in text


def test_all_posts_of_a_thread_are_content_if_one_is():
    said = ["It works, if you wait long enough, and if nobody touches it in between, so please wait.", "No."]
    said += ["Thank you, that was it, and I had not thought of it before you wrote.", "You are welcome."]
    posts = "".join(
        f"<div class=reply><div class=who>Somebody</div><div><p>{one}</p></div></div>" for one in said
    )
    page = f"<title>A question</title><h1>A question</h1><div class=thread>{posts}</div>"
    text = content_text(document("http://a.example/", page.encode()))
    assert [one for one in said if one not in text] == []


def test_a_heading_that_is_the_title_stays_though_sibling_pages_have_it():
    pages = [
        f"<title>Open positions - Town</title><p>Town</p><h1>Open positions</h1><p>{name}, {name}, and more "
        f"of what {name} is about, as it was told by {name} and by others in the town of {name}.</p>"
        for name in ("Ashbourne", "Brackwell", "Corley", "Denmouth", "Eastham", "Farrow")
    ]
    documents = [
        Document.of(one.encode(), "text/html", f"http://a.test/{at}") for at, one in enumerate(pages)
    ]
    stripper = Stripper(distil("a.test", documents).templates)
    assert [stripper.strip(one).text().split("\n")[0] for one in documents] == ["Open positions"] * 6


def test_behind_an_article_only_sentences_and_facts_are_part_of_it():
    tail = "<div class=x><div>Most read today</div></div><div class=x><div><b>Contact</b> Ann Lee</div></div>"
    page = f"<title>Boats</title><h1>Boats</h1><div>{STORY}<p>Our own people</p></div>{tail}"
    text = content_text(document("http://a.example/", page.encode()))
    assert "Most read today" not in text
    assert "Our own people" in text
    little = content_text(document("http://a.example/", f"<h1>Boats</h1>{tail}".encode()))
    assert "Most read today" in little


def test_a_passage_that_is_a_link_leads_elsewhere():
    pointer = "<p><a href=/2>Read here about another boat of the old harbour</a></p>"
    text = content_text(document("", f"<h1>A boat</h1><article>{STORY}{pointer}{STORY}</article>".encode()))
    assert "another boat" not in text
    assert text.count("old harbour") == 16


def test_the_heading_of_an_entry_that_links_to_itself_is_content_if_it_is_the_title_of_the_page():
    page = "<title>Harbour news: A boat in the harbour</title><h1><a href=/>Harbour news</a></h1>"
    page += f"<h3><a href=/boat>A boat in the harbour</a></h3><div>12 May</div><div>{STORY}</div>"
    page += "<h3><a href=/x>A ship</a></h3>"
    lines = content_text(document("", page.encode())).split("\n")
    assert "A boat in the harbour" in lines
    assert "A ship" not in lines


def test_lists_of_headlines_beside_each_other_are_the_content_of_a_front_page():
    top = "".join(
        f"<li><a href=/{n}>Ferry {n} is late again</a><p>It waits at the quay of {n}.</p></li>"
        for n in range(5)
    )
    more = "".join(f"<li><a href=/x{n}>Council of Kelby votes on tax {n}</a></li>" for n in range(4))
    menu = "".join(f"<li><a href=/m{n}>Part {n}</a></li>" for n in range(6))
    lists = f"<h1>Kelby today</h1><ul>{top}</ul><h2>More</h2><ul>{more}</ul>"
    page = f"<nav><ul>{menu}</ul></nav><main>{lists}</main>"
    lines = content_text(document("", page.encode())).split("\n")
    assert [one for one in lines if "Council" in one] == [
        f"Council of Kelby votes on tax {n}" for n in range(4)
    ]
    assert not any(one.startswith("Part") for one in lines)


def test_headlines_below_the_heading_of_a_page_are_its_content_whatever_stands_beside_them():
    links = "".join(f"<li><a href=/{at}>Ferry to the island number {at} is late again</a>" for at in range(4))
    facts = "".join(
        f"<tr><td>Office of the company in the town {at}<td>open until {at} o'clock" for at in range(9)
    )
    page = f"<h1>News</h1><p>All of today.</p><ul>{links}</ul><div><table>{facts}</table></div>"
    assert "island number 3" in content_text(document("http://a.example/", page.encode()))


def test_labels_above_their_values_stand_with_them_in_the_text():
    table = "<table><tr><th>Price</th><th>Stock</th></tr><tr><td>12 €</td><td>3</td></tr></table>"
    text = content_text(document("", f"<h1>Lamp</h1>{table}".encode()))
    assert text.split("\n") == ["Lamp", "Price: 12 €", "Stock: 3"]


def test_a_page_of_one_fact():
    pages = []
    for line, state in enumerate(("late", "late", "late", "on time", "late", "late", "late", "late")):
        page = (
            f"<title>Line {line} - Trains</title><nav><a href=/>Home</a> <a href=/a>About us</a></nav>"
            f"<h1>Line {line}</h1><div><div>Status</div><div>{state}</div></div><footer>Trains Ltd</footer>"
        )
        pages.append(document(f"http://a.example/{line}", page.encode()))
    for templates in (None, distil("a.example", pages).templates):
        for line, state in ((3, "on time"), (5, "late")):
            found = Stripper(templates).strip(pages[line])
            assert found.text() == f"Line {line}\nStatus: {state}"
            assert found.facts == [("Status", state)]


def test_the_title_of_a_page_without_headings_is_content():
    rows = "".join(f"<b>{key}:</b> {at}<br>" for at, key in enumerate(("Price", "Stars", "Left")))
    page = f"<title>Red Inn - Inns</title><center><font size=5>Red Inn</font></center><font>{rows}</font>"
    text = content_text(document("http://a.example/", page.encode()))
    assert text.split("\n") == ["Red Inn", "Price: 0", "Stars: 1", "Left: 2"]


def test_a_page_alone_is_judged_by_its_form():
    url, content, own = article(3)
    text = content_text(document(url, content))
    assert all(one in text for one in own[1:])
    assert "About us" not in text
    assert "About us" in content_text(document(url, content), main=False)


def test_when_nothing_is_good_everything_is_kept():
    assert content_text(document("", b"<p><a href=x>only a link</a></p>")) == "only a link"


SAID = "<p>In the old harbour, a boat was found on Monday, which had been missing for years.</p>"


@pytest.mark.parametrize(
    ("html", "said"),
    [
        ("<head><title>t</title>" + SAID, "In the old harbour"),
        ("<head><noscript><link href=x>" + SAID, "In the old harbour"),
        ("<title>A title" + SAID, "In the old harbour"),
        ("<form><textarea>note" + SAID, "In the old harbour"),
        ("<select><option>One<option>Two" + SAID, "In the old harbour"),
        ("<svg><title>icon</title>" + SAID, "In the old harbour"),
        ("<iframe src=x>" + SAID, "In the old harbour"),
        ("<frameset><frame src=a></frameset><body>" + SAID, "In the old harbour"),
        ("<div>" * 3000 + SAID, "In the old harbour"),
        ("<nav><ul><li><a href=a>Home</a></ul></nav>", "Home"),
        ("<footer>Company, 12 Street</footer>", "12 Street"),
        ("<div class=comments><div class=comment><p>I like it, it is good.</p></div></div>", "I like it"),
        ("<form><label>Name <input></label></form>", "Name"),
        ("<button>Start</button>", "Start"),
        ("<table>stray text in a table<tr><td>1<td>2</table>", "stray text"),
        ("<h1>x</h1><dl><dt>Colour<dd>red<dd>blue<dt>Size<dd>M<dd>L</dl>", "Colour: red | blue\nSize: M | L"),
        ("<h1>x</h1><table><tr><th rowspan=2>Red<td>S<td>3<tr><td>L<td>4</table>", "Red: S | 3\nL: 4"),
        ("<h1>x</h1><table><tr><th colspan=2>Data<tr><td>Price<td>3<tr><td>Stock<td>4</table>", "Price: 3"),
        ("<table><tr><td><table><tr><td>Price<td>3<tr><td>Stock<td>4</table></table>", "Price: 3\nStock: 4"),
        ("<h1>商品</h1><p>价格：12.50元<br>库存：3<br>颜色：蓝色</p>", "价格：12.50元\n库存：3"),
    ],
)  # fmt: skip
def test_what_can_be_read_is_content_on_any_page(html, said):
    assert said in content_text(document("http://a.example/", html.encode()))


def test_an_empty_page_has_no_content():
    for content in (b"", b"   ", b"<html></html>", b"\x00\xff\x89PNG\r\n"):
        page = Document.of(content)
        assert isinstance(content_text(page), str)
        assert isinstance(content_html(page), str)
    assert content_text(Document.of(b"<html></html>")) == ""


def test_content_as_html_keeps_structure_and_nothing_that_runs():
    templates = distil("port.example", articles(16)).templates
    url, content, own = article(2)
    page = content.replace(
        b"<p>",
        b'<p onclick="x()"><script>x()</script><a href="javascript:x()">so</a> <img src=a.png onerror=x> ',
        1,
    ).replace(
        b'</div><div class="footer"',
        b'<ul><li>First thing, of two.<li>Second &lt;b&gt; thing.</ul></div><div class="footer"',
    )
    out = Stripper(templates).strip(document(url, page)).html(main=False)
    assert f"<h1>{own[0]}</h1>" in out
    assert "<li>First thing, of two.</li>" in out
    assert "&lt;b&gt; thing." in out
    assert '<img src="a.png">' in out
    assert not re.search(r"script|onclick|onerror|class|About us|Quay", out)


class Balance(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):
        if tag not in ("img", "br", "hr", "wbr"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize(
    "page",
    [
        "<div><p>One text<div>two<p>three</div>four<ul><li>five<li>six</ul>",
        "<table><tr><td>a<td>b<tr><td>c</table><b>d<i>e</b>f</i>",
        "<p>x</div></p></b>y<section>z<p>w</section>",
    ],
)
def test_html_is_balanced(page):
    parser = Balance()
    out = content_html(document("", page.encode()), main=False)
    parser.feed(out)
    parser.close()
    assert parser.open == []
    assert content_text(document("", out.encode()), main=False) == content_text(
        document("", page.encode()), main=False
    )


@pytest.mark.parametrize(
    ("address", "safe"),
    [
        ("http://a/", True), ("/a:b", True), ("a.html", True), ("#x", True), ("mailto:a@b.example", True),
        ("javascript:x", False), (" java\nscript:x", False), ("JAVASCRIPT:x", False),
        ("data:text/html,x", False),
        ("\x01javascript:x", False), ("vbscript:x", False),
    ],
)  # fmt: skip
def test_addresses_that_run_something_are_dropped(address, safe):
    assert safe_address(address) is safe


@pytest.mark.parametrize(
    ("page", "text", "html"),
    [
        (
            "<p>One <b>quick</b> <i>brown</i><!-- x --> <a href=x>fox</a></p>",
            "One quick brown fox",
            '<p>One <b>quick</b> <i>brown</i> <a href="x">fox</a></p>\n',
        ),
        ("<p>Un<b>glued</b>ly</p>", "Unglued" + "ly", "<p>Un<b>glued</b>ly</p>\n"),
        (
            "<p>a <script>x()</script> <b>b</b>\n<i>c</i></p> <p>d</p>",
            "a b c\nd",
            "<p>a <b>b</b> <i>c</i></p>\n<p>d</p>\n",
        ),
        (
            "<pre>if x:\n    <b>y</b>\n        z\n</pre>",
            "if x:\n    y\n        z",
            "<pre>if x:\n    <b>y</b>\n        z\n</pre>\n",
        ),
        (
            "<div><div><a href=x>a</a></div><div><a href=y>b</a></div></div>",
            "a\nb",
            '<a href="x">a</a> <a href="y">b</a>',
        ),
        ("<p><b>a<br></b>b</p>", "a b", "<p><b>a</b><br>b</p>\n"),
        ("<td>a<center>b</center><form>c</form></td>", "a\nb\nc", "<td>a b c</td>\n"),
        ("<html><head><title>x</title><p>Hello <b>a</b> <i>b</i> c</p>", "Hello a b c", None),
    ],
)
def test_white_space_survives(page, text, html):
    assert content_text(document("", page.encode()), main=False) == text
    assert html in (None, content_html(document("", page.encode()), main=False))


# --- facts -----------------------------------------------------------------------------------------------

SHEET = (
    "<html><head><title>Item {n}</title></head><body><ul class=menu><li><a href=/>Home</a><li><a href=/s>Shop"
    "</a></ul><h1>Item {n}</h1>{intro}<table><tr><th>Country</th><td>Belgium</td></tr><tr><th>SKU</th>"
    "<td>AV-{n}</td></tr></table><div class=footer><p>Made in 2024. All rights are reserved, as always.</p>"
    "</div></body></html>"
)


def sheets(intro=""):
    pages = [SHEET.format(n=n, intro=intro).encode() for n in range(6)]
    return [document(f"http://shop.example/{n}", page) for n, page in enumerate(pages)]


def test_labels_and_values_that_other_pages_have_too_stay_with_the_facts_of_the_page():
    pages = sheets()
    for templates in (None, distil("shop.example", pages).templates):
        page = Stripper(templates).strip(pages[5])
        assert page.text().split("\n") == ["Item 5", "Country: Belgium", "SKU: AV-5"]
        assert page.facts == [("Country", "Belgium"), ("SKU", "AV-5")]
    assert page.template >= 0
    assert "Home" not in page.text(main=False)
    assert "Country: Belgium" in page.text(main=False)


def test_facts_that_every_page_has_are_template():
    same = []
    for number in range(8):
        own = "<p>" + " ".join(f"Word{number}{place}, and {place}." for place in range(30)) + "</p>"
        page = SHEET.format(n=number, intro=own).replace(f"AV-{number}", "AV")
        same.append(document(f"http://shop.example/{number}", page.encode()))
    page = Stripper(distil("shop.example", same).templates).strip(same[3])
    assert page.template >= 0
    assert page.facts == []
    assert "Belgium" not in page.text()
    assert "Word31" in page.text()


def test_the_facts_beside_a_long_text_are_given_apart():
    prose = "".join(
        f"<p>It was built in the {n}th year, with great care, and it has served, so far, for a long time. "
        "Nobody knows, or says, who made it, where, or for whom it was made.</p>"
        for n in range(9)
    )
    page = Stripper().strip(sheets(prose)[2])
    assert "great care" in page.text()
    assert ("SKU", "AV-2") in page.facts


# --- evidence --------------------------------------------------------------------------------------------


def test_evidence_has_a_name_each():
    page = found("<p>One, two. Three.</p><ul><li><a href=x>four</a></ul>")
    rows = evidence(page)
    assert [len(row) for row in rows] == [len(NAMES)] * 2
    assert len(set(NAMES)) == len(NAMES)
    assert len(weights().values) == len(NAMES)
    assert rows[1][NAMES.index("links")] == 1.0
    assert rows[1][NAMES.index("within list")] == 1.0
    assert rows[0][NAMES.index("in p")] == 1.0
    assert evidence(found("")).shape == (0, len(NAMES))
    assert len(scores(page, weights())) == 2


def test_text_gives_points_to_the_elements_around_it():
    long = "It rained, all day, and nobody came, not even the gulls, who had other things to do that day. "
    page = found(
        f"<h1>Rain</h1><div id=x><p>{long * 3}</p><p>{long * 3}</p></div><div id=y><p>{long}</p></div>"
        "<ul><li><a href=x>other</a></ul>"
    )
    rows = evidence(page)
    assert rows[:, NAMES.index("in top")].tolist() == [0, 1, 1, 0, 0]
    assert rows[:, NAMES.index("score of parent 1")].argmax() in (1, 2)
    assert rows[:, NAMES.index("h1 seen")].tolist() == [1] * 5
    assert rows[:, NAMES.index("after top")].tolist()[:3] == [0, 0, 0]
    assert rows[4, NAMES.index("after top")] > rows[3, NAMES.index("after top")] > 0


def test_weights_must_be_complete():
    with pytest.raises(KeyError):
        Weights.parsed('{"weights": {}, "bias": 0, "least": 0}')


# --- C and Python ----------------------------------------------------------------------------------------


@pytest.mark.skipif(len(tags.ENGINES) < 2, reason="built without a compiler")
def test_more_tags_than_are_remembered():
    templates = distil("port.example", articles(16)).templates
    quick, plain = Stripper(templates), Stripper(templates, engine=reference_scanner)
    pages = articles(6)
    for number, page in enumerate(pages):
        links = b"".join(b'<a href="/%d/%d">x</a>' % (number, link) for link in range(4000))
        url = f"http://port.example/{number}"
        long = document(url, page.content.replace(b"</body>", links + b"</body>"))
        for one in (page, long):
            found, other = quick.strip(one), plain.strip(one)
            assert (found.template, found.shared) == (other.template, other.shared)
            assert found.template == 0


@pytest.mark.skipif(len(tags.ENGINES) < 2, reason="built without a compiler")
def test_pages_are_stripped_alike():
    shop = [document(*listing(number)) for number in range(12)]
    templates = distil("port.example", [*articles(16), *shop]).templates
    assert len(templates.all) == 2
    quick, plain = Stripper(templates), Stripper(templates, engine=reference_scanner)
    pages = [*articles(30), *shop, Document.of(GOOD), Document.of(b"")]
    for seed in range(150):
        pages += [document("http://port.example/x", damaged(articles(1)[0].content, seed))]
        pages += [document("http://port.example/shop?page=3", damaged(shop[0].content, seed, 3))]
        pages += [Document.of(soup(seed)), Document.of(structured(seed))]
    seen = set()
    for page in pages:
        one, other = quick.strip(page), plain.strip(page)
        seen.add(one.template)
        assert (one.template, one.shared, one.matched) == (other.template, other.shared, other.matched)
        assert list(one.tokens.starts) == list(other.tokens.starts)
        assert bytes(one.tokens.kinds) == bytes(other.tokens.kinds)
        assert one.own == other.own
        assert one.text() == other.text()
        assert one.html() == other.html()
        for shared in (b"", one.shared):
            for most in (0, 1, 100, 10**6):
                assert own_texts(one.tokens, shared, most) == own_texts(other.tokens, shared, most)
        assert page_profile(page) == profile(start_tags(page), page.url)
    assert seen == {-1, 0, 1}


@pytest.mark.skipif(len(tags.ENGINES) < 2, reason="built without a compiler")
def test_classes_of_any_form_give_equal_profiles():
    classes = [
        "",
        "a",
        "b a",
        "x1 a",
        "a-b c-1 d_e",
        "B\x0ba\tc",
        " ".join(f"c{'x' * n}" for n in range(90)),
        "ä b",
    ]
    for one in classes:
        page = document("http://port.example/", f"<p class=\"{one}\" CLASS=z><P Class='{one}'><a><b".encode())
        assert page_profile(page) == profile(start_tags(page), page.url)


@pytest.mark.skipif(len(tags.ENGINES) < 2, reason="built without a compiler")
def test_an_index_of_another_page_is_made_again():
    templates = distil("port.example", articles(16)).templates
    page = articles(1)[0]
    wrong = Document(content=page.content, index=tags.index(b"<p>x</p>" * 99), charset="utf-8", url=page.url)
    assert Stripper(templates).strip(wrong).shared == Stripper(templates).strip(page).shared
