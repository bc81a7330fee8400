"""The view is safe to open, and figures add up."""

import re

from fieldmouse.templates.distil import distil
from fieldmouse.templates.page_packing import Packer
from fieldmouse.templates.strip import Stripper
from fieldmouse.templates.view import MAX_SHOWN, figures, side_by_side

from .site import article, articles, document, listings


def view(content, templates=None, title="a page"):
    return side_by_side(
        Stripper(templates).strip(document("http://port.example/news/1.html", content)), title
    )


def test_the_template_is_grey_and_the_content_stands_beside():
    content = article(1)[1]
    out = view(content, distil("h", articles(16)).templates)
    grey = "".join(re.findall(r'<span class="t">(.*?)</span>', out, re.DOTALL))
    assert "About us" in grey
    assert article(1)[2][1] not in grey
    assert f"<p>{article(1)[2][1]}</p>" in out
    assert "% template" in out


def test_nothing_of_the_page_gets_into_the_view_as_markup():
    evil = (
        b'<script>alert(1)</script><p>x</p><img src=x onerror="y"></pre></span><!-- </pre> --><title></title>'
    )
    out = view(evil + b"<p>&lt;script&gt; as text, it is. And more of it.</p>", title="<b>&")
    for mark in ("<script", "<img", 'onerror="', "<!--", "<b>"):
        assert mark not in out
    assert out.count("</pre>") == 1
    assert "&lt;b&gt;&amp;" in out
    assert "default-src 'none'" in out


def test_a_huge_page_is_cut():
    out = view(b"<p>%s</p>" % (b"word " * 2000) * 300)
    assert len(out) < 3 * MAX_SHOWN + 3_100_000
    assert "cut here" in out


def test_figures_of_a_host():
    pages = [*articles(12), *listings(6)]
    templates, dictionary = distil("port.example", pages)
    found = figures(templates, dictionary, pages)
    packer = Packer(dictionary)
    assert found.templates == 2
    assert (found.pages, found.templated) == (18, 18)
    assert found.bytes == sum(len(page.content) for page in pages)
    assert found.packed_bytes == sum(len(packer.pack(p.content)) for p in pages)
    assert 0.1 < found.shared_bytes / found.bytes < 0.9
    assert 0 < found.packed_bytes < found.bytes


def test_figures_of_nothing():
    templates, dictionary = distil("h", [])
    found = figures(templates, dictionary, [])
    assert (found.pages, found.bytes, found.shared_bytes) == (0, 0, 0)
