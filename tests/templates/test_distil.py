"""Groups, templates and drift."""

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.page.tokens import Document, Keys, Kind, start_tags, tokenise
from fieldmouse.settings import TemplateSettings as Settings
from fieldmouse.templates.distil import distil, sampled
from fieldmouse.templates.strip import Drift, Stripper
from fieldmouse.templates.template import Profile, Templates, nearest, profile, shape
from tests.page.hostile import GOOD, damaged, soup

from .site import FOOT, HEAD, WORDS, article, articles, document, listings


def texts(template):
    pairs = zip(template.raws, template.kinds, strict=True)
    return [raw.decode().strip() for raw, kind in pairs if kind == Kind.TEXT]


def test_the_template_is_what_was_written_into_every_page():
    (template,) = distil("port.example", articles(16)).templates.all
    assert texts(template) == [
        *("Home", "News", "About us"),
        *("Port Authority, Quay 1.", "Terms"),
    ]
    assert template.pages == 16
    assert template.typical > 0.95


@pytest.mark.parametrize("count", [2, 3, 5, 8, 16, 40])
def test_tokens_of_a_hand_made_template_are_found(count):
    """Precision and recall against the template the site was made with."""
    (template,) = distil("port.example", articles(count)).templates.all
    keys = Keys()
    frame = (HEAD + FOOT).format(title="", seed="", up="")
    wanted = set(tokenise(document("", frame.encode()), keys).keys)
    found = set(template.keys(keys))
    extra = {"<h1>", "</h1>", "<p>", "</p>", '<div class="story">', "</div>"}
    allowed = wanted | {keys.tag(one.encode()) for one in extra}
    unstable = {keys.text(b'track("")', Kind.HIDDEN)}
    assert wanted - found <= unstable
    assert found <= allowed


def test_pages_of_two_moulds_get_two_templates():
    pages = [one for pair in zip(articles(12), listings(12), strict=True) for one in pair]
    templates = distil("port.example", pages).templates
    assert len(templates.all) == 2
    stripper = Stripper(templates)
    chosen = [stripper.strip(page).template for page in pages]
    assert len({*chosen[::2]}) == len({*chosen[1::2]}) == 1
    assert chosen[0] != chosen[1]


def test_the_order_of_pages_does_not_matter():
    pages = articles(40)
    shuffled = random.Random(1).sample(pages, len(pages))
    assert distil("h", pages).templates == distil("h", shuffled).templates


def test_at_most_so_many_pages_are_held():
    (sample,) = sampled(iter(articles(40)), limit=8, groups=4)
    assert len(sample.pages) == 8
    assert sample.seen == 40
    urls = [one.url for one in sample.chosen()]
    assert urls == sorted(urls)


def test_one_page_and_none_and_the_same_page_twice_have_no_template():
    url, content, _ = article(1)
    assert distil("h", []).templates.all == ()
    assert distil("h", [document(url, content)]).templates.all == ()
    twice = [document(url, content), document(url + "?again", content)]
    assert distil("h", twice).templates.all == ()


@pytest.mark.parametrize(("setting", "pages"), [(2, 2), (7, 4), (16, 16), (64, 40)])
def test_how_many_pages_are_aligned_can_be_set(setting, pages):
    (template,) = distil("h", articles(40), using=Settings(pages=setting)).templates.all
    assert template.pages == pages


def test_more_moulds_than_groups_leave_some_pages_out():
    (sample,) = sampled([*articles(3), *listings(3)], limit=4, groups=1)
    assert sample.seen == 3


def test_templates_are_saved_and_loaded_whole():
    templates = distil("port.example", [*articles(4), *listings(4)], version=7).templates
    data = templates.to_bytes()
    again = Templates.from_bytes(data)
    assert again == templates
    assert (templates.host, templates.version) == ("port.example", 7)
    assert again.to_bytes() == templates.to_bytes()


def test_other_templates_have_another_name():
    one, other = (distil("h", articles(4, folder=folder)).templates for folder in ("news", "sport"))
    assert one != distil("h", articles(4), version=2).templates
    assert one.all[0].raws == other.all[0].raws  # the same frame
    assert one != other


def test_damaged_templates_are_refused():
    data = distil("h", articles(4)).templates.to_bytes()
    chance = random.Random(5)
    for _ in range(60):
        place = chance.randrange(len(data))
        broken = data[:place] + bytes([data[place] ^ (1 << chance.randrange(8))]) + data[place + 1 :]
        with pytest.raises(ValueError):  # noqa: PT011
            Templates.from_bytes(broken)
    for cut in (0, 3, 20, len(data) - 1):
        with pytest.raises(ValueError):  # noqa: PT011
            Templates.from_bytes(data[:cut])


# --- groups ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("http://a.example/news/12/x.html", "http://a.example/news/345/y.html"),
        ("http://a.example/p?id=1&s=2", "http://a.example/p?s=9&id=3"),
    ],
)
def test_addresses_of_the_same_shape(one, other):
    assert shape(one) == shape(other)


def test_addresses_of_other_shapes_and_none():
    assert shape("http://a.example/news/1.html") != shape("http://a.example/shop/1.html")
    assert shape("http://[bad") == ""


def test_the_nearest_group_wins_and_far_ones_do_not_count():
    leaders = [Profile(frozenset({1, 2, 3, 4}), "a"), Profile(frozenset({1, 2, 3, 9}), "b")]
    assert nearest(Profile(frozenset({1, 2, 3, 9}), "a"), leaders) == 1
    assert nearest(Profile(frozenset({7, 8}), "a"), leaders) == -1
    assert nearest(Profile(frozenset({1, 2, 8, 7}), "b"), leaders) == -1
    assert nearest(Profile(frozenset({1, 2, 8}), "b"), leaders) == 1
    assert nearest(Profile(frozenset(), ""), []) == -1


def test_numbers_in_classes_do_not_make_another_mould():
    def seen(number):
        page = document("", f'<body class="post-{number} page"><p class=x{number}>a</p></body>'.encode())
        return profile(start_tags(page), "")

    assert seen(1) == seen(27)


# --- drift -----------------------------------------------------------------------------------------------


def after(pages, templates):
    stripper, drift = Stripper(templates), Drift()
    for page in pages:
        drift = drift.seen(stripper.strip(page), templates)
    return drift


def test_more_pages_of_the_same_mould_are_no_drift():
    templates = distil("h", articles(16)).templates
    assert not after(articles(30, folder="sport"), templates).due


def test_a_redone_site_is_drift():
    templates = distil("h", articles(16)).templates
    redone = [
        document(
            page.url,
            b'<body><nav><a href="x">Start</a></nav><p>'
            + " ".join(random.Random(number).choices(WORDS, k=30)).encode()
            + b"</p><div class=story><div class=footer><div class=nav><ul><li><h1><style></style>",
        )
        for number, page in enumerate(articles(12))
    ]
    assert after(redone, templates).due
    assert not after(redone[:7], templates).due  # too few to tell


def test_a_new_part_of_the_site_is_drift():
    templates = distil("h", articles(16)).templates
    assert after(listings(12), templates).due


# --- bad input -------------------------------------------------------------------------------------------


@given(st.lists(st.binary(max_size=200), max_size=6))
@settings(deadline=None, max_examples=60)
def test_any_bytes_can_be_distilled_and_stripped(contents):
    pages = [Document.of(content, url=str(number)) for number, content in enumerate(contents)]
    templates = distil("h", pages).templates
    assert Templates.from_bytes(templates.to_bytes()) == templates
    for page in pages:
        stripped = Stripper(templates).strip(page)
        assert isinstance(stripped.text(), str)
        assert isinstance(stripped.html(), str)


def test_damaged_pages_can_be_distilled_and_stripped():
    pages = [document(str(seed), damaged(GOOD, seed) + soup(seed)) for seed in range(24)]
    stripper = Stripper(distil("h", pages).templates)
    for page in pages:
        stripper.strip(page).html()


def test_a_page_of_20_mb_among_others():
    chance = random.Random(2)
    row = b"<tr><td>%d</td><td class=a>" + b"some text in a cell, and more of it. " * 30 + b"</td></tr>\n"
    huge = b"<html><body><table>" + b"".join(row % chance.randrange(10**9) for _ in range(18_000))
    assert len(huge) > 20_000_000
    page = document("http://port.example/huge", huge)
    templates = distil("h", [*articles(4), page]).templates
    began = time.process_time()
    stripped = Stripper(templates).strip(page)
    assert stripped.template == -1
    assert len(stripped.text()) > 15_000_000
    assert time.process_time() - began < 20


def test_pages_of_very_many_tags_teach_nothing_but_are_stripped():
    pages = [document(str(number), b"<p>%d<b>" % number * 60_000) for number in range(3)]
    assert distil("h", pages).templates.all == ()
    assert Stripper(None).strip(pages[0]).text(main=False)


def test_a_few_pages_that_are_copies_of_one_another_are_no_template():
    url, content, own = article(1, paragraphs=40)
    pages = [document(f"{url}?{n}", content.replace(b"so they say", b"so %d say" % n, 1)) for n in range(3)]
    templates = distil("h", pages).templates
    assert templates.all == ()
    assert own[2] in Stripper(templates).strip(pages[0]).text()
    assert len(distil("h", [*pages, *articles(8)]).templates.all) == 1, "among others they do no harm"


def test_layouts_that_share_head_and_foot_are_kept_apart():
    """Likely enough to be given each other's template, but not to teach one together."""
    one, two = Profile(frozenset(range(10)), "/a"), Profile(frozenset(range(3, 13)), "/b")
    assert nearest(one, [two]) == 0
    assert nearest(one, [two], joins=True) == -1
    assert nearest(one, [Profile(two.tags, "/a")], joins=True) == 0


def test_memory_is_bounded():
    pages = articles(40)
    size = max(len(one.content) for one in pages)
    (sample,) = sampled(pages, limit=16, groups=32, most=5 * size)
    assert sample.seen == 40
    assert 0 < sample.held <= 5 * size


def test_when_there_are_enough_groups_a_page_joins_the_nearest():
    pages = [*articles(4), *listings(4)]
    assert [one.seen for one in sampled(pages, limit=16, groups=1)] == [4]
    assert [one.seen for one in sampled(pages, limit=16, groups=2)] == [4, 4]
