"""Links with the evidence around them."""

import time
from urllib.parse import urljoin

from fieldmouse.page.links import AROUND, links
from fieldmouse.page.read import read, static_features
from fieldmouse.types import Features

from .hostile import GOOD, REPEATED, damaged


def found(page, **options):
    return links(page, read(page, **options), lambda value: urljoin("http://example.com/dir/", value))


def test_anchors():
    page = b"""<a href=1> One  <b>t</b>wo </a><a href=2><img alt="A picture"></a><a href=3><img alt=n>Text</a>
    <a href=4>open <a href=5>next</a><a name=x>no</a><area href=6 alt=Area><iframe src=7></iframe>
    <a href=8>&lt;8&gt;<p>block</p>x</a><a href=9>"""
    assert [(link.url[-1], link.kind, link.anchor) for link in found(page)] == [
        ("1", "a", "One two"),
        ("2", "a", "A picture"),
        ("3", "a", "Text"),
        ("4", "a", "open"),
        ("5", "a", "next"),
        ("6", "area", "Area"),
        ("7", "frame", ""),
        ("8", "a", "<8> block x"),
        ("9", "a", ""),
    ]


def test_words_around_without_stop_words():
    (link,) = found(
        b"<p>The Quick br<b>own</b> fox, 4 x</p><a href=y>an anchor</a><p>jumps over the dog's back"
    )
    assert link.before == ("quick", "brown", "fox")
    assert link.anchor == "an anchor"
    assert link.after == ("jumps", "dog's", "back")


def test_twenty_words_on_each_side_nearest_kept():
    words = [f"word{i}" for i in range(50)]
    text = " ".join(words).encode()
    (link,) = found(b"<p>" + text + b"</p><a href=y>z</a>" + text)
    assert link.before == tuple(words[-AROUND:])
    assert link.after == tuple(words[:AROUND])


def test_other_links_count_as_words_around():
    first, second = found(b"<a href=1>alpha</a> and <a href=2>beta</a>")
    assert (first.before, first.after) == ((), ("beta",))
    assert (second.before, second.after) == (("alpha",), ())


def test_scripts_are_no_evidence_and_other_alphabets_are():
    page = "<script>secret</script>мир и <a href=x>y</a><!-- hidden --> 東京".encode("utf-16")
    (link,) = found(page)
    assert (link.before, link.after) == (("мир",), ("東京",))


def test_addresses_that_cannot_be_joined_are_left_out():
    facts = read(b"<a href=keep>a</a><a href=drop rel=nofollow>b</a>")
    kept = links(b"<a href=keep>a</a><a href=drop rel=nofollow>b</a>", facts, {"keep": "K"}.get)
    assert [(link.url, link.nofollow) for link in kept] == [("K", False)]


def test_every_address_of_a_damaged_page_becomes_a_link():
    for seed in range(200):
        page = damaged(GOOD, seed)
        facts = read(page)
        assert [link.kind for link in links(page, facts, str)] == [href.kind for href in facts.hrefs]


def test_time_is_linear():
    for piece in (*REPEATED, b"<a href=x>y ", b"<a href=x><img alt=z>"):
        page = piece * (60_000 // len(piece))
        began = time.process_time()
        found(page, content_type="text/html; charset=utf-8")
        assert time.process_time() - began < 3.0, piece


def test_static_features():
    facts = read(GOOD)
    features = static_features(facts, has_last_modified=True, depth=2, url="https://example.com/a/b/c.html")
    assert features == Features(
        links=6,
        emails=2,
        images=1,
        text_bytes=facts.text_bytes,
        has_last_modified=True,
        depth=2,
        directory_level=2,
    )
