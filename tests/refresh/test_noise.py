"""Noise is what was seen to come and go, or what the frame of a host does; a new text of a page never is."""

import json
import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.demo.hosts import tide_tables
from fieldmouse.demo.pages import Addresses, DemoHost, DemoTexts
from fieldmouse.page.tags import index
from fieldmouse.refresh.change import ComparedText, judged, reading
from fieldmouse.refresh.noise import FILLINGS, REMEMBERED, HostNoise, _mark, compared_text
from fieldmouse.types import StoredCopy

PROSE = "The ferry leaves the quay at dawn and comes back when all of the fish is sold, {} or not"


def page(name: str, banner: str = "") -> ComparedText:
    """A page with a text of its own in the frame of its host."""
    texts = [PROSE.format(f"{name} {n}") for n in range(4)]
    return reading(
        "\n".join(["Harbour office", *[banner] * bool(banner), "Opening hours", *texts, "Imprint"])
    )


def visited(noise: HostNoise, name: str, *seen: ComparedText) -> list[bool]:
    """Whether each visit to a page after the first one was told to be a change."""
    told = []
    for before, after in pairwise(seen):
        told.append(noise.judge(before, after, page=name).score > 0)
        noise.learn(before, after, name)
    return told


# --- guests ----------------------------------------------------------------------------------------------


def test_a_line_that_appeared_and_disappeared_before_is_noise() -> None:
    plain, notice = page("a"), page("a", "We use cookies")
    assert visited(HostNoise(), "/a", plain, notice, plain, notice, plain) == [True, True, False, False]


def test_alternating_banners_are_recurring_lines() -> None:
    turn = [page("a", f"Offer {name}") for name in ("one", "two", "three")]
    told = visited(HostNoise(), "/a", *turn * 3)
    assert told == [True] * 3 + [False] * 5


def test_a_robot_check_recurs_though_it_shares_no_line_with_the_page() -> None:
    noise, wall = HostNoise(), reading("Are you a robot?\nType what you see")
    assert visited(noise, "/a", page("a"), wall, page("a"), wall) == [True, True, False]
    assert "only noise" in noise.judge(wall, page("a"), page="/a").reasons[0]
    assert noise.judge(wall, page("b"), page="/a").score > 0


def test_a_recurring_line_of_one_page_is_a_change_on_another() -> None:
    noise = HostNoise()
    first, second = "Berth of the {0}\nFree\nLength of the {0}", "Berth of the {0}\nLength of the {0}"
    visited(noise, "/a", *(reading(text.format("punt")) for text in (first, second, first)))
    before, after = (reading(text.format("barge")) for text in (second, first))
    assert noise.judge(before, after, page="/b").score > 0


def test_a_change_next_to_a_recurring_line_is_a_change() -> None:
    noise = HostNoise()
    visited(noise, "/a", page("a"), page("a", "We use cookies"), page("a"))
    verdict = noise.judge(page("a"), page("other", "We use cookies"), page="/a")
    assert verdict.score > 0
    assert "cookies" not in " ".join(verdict.reasons)


# --- the frame -------------------------------------------------------------------------------------------


def framed(banners: list[str], names: str = "abc") -> tuple[HostNoise, list[list[bool]]]:
    """Pages of one host visited in turn, all with the same banner at a time; what was told of each visit."""
    noise, told = HostNoise(), []
    for before, after in pairwise(banners):
        told.append([visited(noise, f"/{n}", page(n, before), page(n, after))[0] for n in names])
    return noise, told


def test_a_banner_on_all_pages_is_noise_after_the_first_of_them() -> None:
    _, told = framed(["", "", "Spring sale"])
    assert told[1] == [True, False, False]


def test_where_the_frame_gets_new_lines_often_the_next_is_noise_at_once() -> None:
    banners = [f"Offer of {word}" for word in ["rope", "tar", "oars", "hemp", "sails", "pitch", "tallow"]]
    noise, told = framed(["", *banners])
    assert told[0] == [True, False, False]
    assert told[FILLINGS:] == [[False] * 3] * (len(told) - FILLINGS)
    assert noise.judge(page("a"), page("other"), page="/a").score > 0


def test_a_new_text_within_the_page_is_a_change_even_if_others_have_it() -> None:
    """A shared line only is noise between lines that are shared as well: prices are alike by chance."""
    noise, text = HostNoise(), "{0}\nPrice of {0}\n{1}\nAbout {0}\nThe {0} is a boat of some use\nImprint"
    for boat in ("dinghy", "punt", "barge"):
        for price in ("10", "12"):
            one = reading(text.format(boat, price))
            noise.learn(one, one, boat)
    before, after = (reading(text.format("punt", price)) for price in ("10", "12"))
    assert noise.judge(before, after, page="punt").score > 0


def test_a_page_of_shared_lines_has_no_frame() -> None:
    """Each page shows a window of one long list, as tide tables and lists of news do."""

    def window(first: int) -> ComparedText:
        return reading(
            "\n".join(["Almanac", *(f"Day {n}, high water {n * 50 % 745}" for n in range(first, first + 7))])
        )

    noise, told = HostNoise(), []
    for edition in range(1, 60):
        for every in range(1, 9):
            before, after = window((edition - 1) // every), window(edition // every)
            if before != after:
                told += visited(noise, f"/{every}", before, after)
    assert len(told) > 150
    assert all(told)


def test_a_page_that_changes_at_every_visit_changes() -> None:
    news = [
        reading(f"The Gull\nToday's news\nStory {n} of the day, and what came of it\nImprint")
        for n in range(40)
    ]
    assert all(visited(HostNoise(), "/", *news))


# --- nothing in common, nothing at all, and too much --------------------------------------------------------


def test_pages_without_a_line_in_common_differ() -> None:
    assert visited(HostNoise(), "/a", reading("News 1"), reading("Other"), reading("More")) == [True, True]


@pytest.mark.parametrize("text", ["", " \n\n ", "***\n---"])
def test_a_page_without_words(text: str) -> None:
    nothing, noise = reading(text), HostNoise()
    assert visited(noise, "/", nothing, nothing, page("a"), nothing, page("a")) == [False, True, True, False]
    assert visited(HostNoise(), "/", page("a"), nothing) == [True]


def test_a_page_of_one_line() -> None:
    assert visited(HostNoise(), "/", reading("one"), reading("one"), reading("two")) == [False, True]


def test_a_megabyte_of_text_takes_no_longer_than_its_length() -> None:
    draw = random.Random(1)
    words = [f"word{n}" for n in range(5000)]
    lines = [" ".join(draw.choices(words, k=10)) for _ in range(13_000)]
    noise, before = HostNoise(), reading("\n".join(lines))
    after = reading("\n".join(line if n % 3 else line[::-1] for n, line in enumerate(lines)))
    assert sum(map(len, lines)) > 900_000
    assert visited(noise, "/", before, after) == [True]
    assert len(noise.comings_) == len(noise.owners_) == REMEMBERED


# --- memory ----------------------------------------------------------------------------------------------

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=8).map("\n".join)
VISITS = st.lists(st.tuples(st.sampled_from(["/1", "/2", "/3"]), LINES, LINES), max_size=20)


def state(noise: HostNoise) -> tuple[object, ...]:
    return tuple(list(one.items()) for one in (noise.comings_, noise.owners_, noise.slots_))


@settings(max_examples=80, deadline=None, derandomize=True)
@given(VISITS)
def test_a_restart_between_visits_changes_nothing(visits: list[tuple[str, str, str]]) -> None:
    steady, restarted = HostNoise(), HostNoise()
    for name, before, after in visits:
        pair = reading(before), reading(after)
        assert steady.judge(*pair, page=name) == restarted.judge(*pair, page=name)
        steady.learn(*pair, name)
        restarted.learn(*pair, name)
        restarted = HostNoise.loaded(restarted.saved())
        assert state(steady) == state(restarted)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(VISITS)
def test_verdicts_are_consistent(visits: list[tuple[str, str, str]]) -> None:
    """Equal texts are never a change; what is told to be one differs also by the plain rule."""
    noise = HostNoise()
    for name, before, after in visits:
        old, new = reading(before), reading(after)
        assert noise.judge(old, old, page=name).score == 0
        verdict = noise.judge(old, new, page=name)
        assert verdict.reasons
        assert verdict.score == 0 or judged(old, new).score > 0
        noise.learn(old, new, name)


def test_memory_is_bounded_and_forgets_the_oldest() -> None:
    noise = HostNoise(remembered=64)
    for n in range(200):
        visited(noise, f"/{n}", page(str(n), f"Offer {n}"), page(str(n), f"Offer {n + 1}"))
    assert all(len(one) <= 64 for one in (noise.comings_, noise.owners_, noise.slots_))
    assert len(noise.saved()) < 64 * 6 * 11
    assert noise._elsewhere(_mark("Harbour office"), 1), "what is met at every visit stays"


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "[3]", '[3, "!", "", "", "", "", ""]', "[1, 2, 3]", "[3, 1, 2, 3, 4, 5, 6]",
     "[3,", json.dumps({"slots": {}, "comings": {"1": 3}, "owners": {}})],
)  # fmt: skip
def test_what_cannot_be_read_is_learned_again(text: str) -> None:
    noise = HostNoise.loaded(text)
    assert state(noise) == state(HostNoise())


# --- copies ----------------------------------------------------------------------------------------------


class Noises:
    """The noise of hosts, as a crawl carries it from visit to visit."""

    def __init__(self) -> None:
        self.known: dict[str, HostNoise] = {}

    def changed(self, url: str, before: StoredCopy, after: StoredCopy) -> bool:
        host = url.split("/")[2]
        noise, old, new = (
            self.known.setdefault(host, HostNoise()),
            compared_text(before),
            compared_text(after),
        )
        changed = noise.judge(old, new, page=url).score > 0
        noise.learn(old, new, url)
        return changed


def copy(text: str, at: float = 0.0) -> StoredCopy:
    content = f"<h1>At the quay</h1><p>{text}</p>".encode()
    return StoredCopy(content=content, index=index(content), charset="utf-8", time=at)


def test_noise_is_kept_by_host_and_found_again() -> None:
    one, url = Noises(), "http://a.test/x"
    for before, after in pairwise((0, 1, 2, 0, 1)):
        one.changed(url, copy(_advert(before)), copy(_advert(after)))
    assert not one.changed(url, copy(_advert(1)), copy(_advert(2)))
    assert one.changed(url, copy(_advert(2)), copy(_advert(9))), "not seen before"
    assert one.changed("http://b.test/", copy(_advert(1)), copy(_advert(2)))
    one.known["a.test"] = HostNoise.loaded(one.known["a.test"].saved())
    assert not one.changed(url, copy(_advert(1)), copy(_advert(2)))


def _advert(n: int) -> str:
    steady = "The ferry leaves the quay at dawn and comes back when all of the fish is sold."
    return (
        f"{steady}</p><p>Offer {'abcdefghijkl'[n] * 3} of the week for all who sail upon the river with us."
    )


def test_a_page_without_a_line_in_common_changed() -> None:
    one, url = Noises(), "http://a.test/x"
    before = StoredCopy(content=b"<p>News 1", index=index(b"<p>News 1"), charset="utf-8")
    after = StoredCopy(content=b"<p>Other", index=index(b"<p>Other"), charset="utf-8")
    assert one.changed(url, before, after)


def test_an_empty_page_is_no_trouble() -> None:
    one, url = Noises(), "http://a.test/x"
    nothing = StoredCopy(content=b"", index=index(b""), charset="utf-8")
    assert not one.changed(url, nothing, nothing)
    assert one.changed(url, nothing, copy("Text of some length."))
    HostNoise().learn(compared_text(nothing), compared_text(nothing), url)


def test_tables_that_share_lines_change_all_the_same() -> None:
    """Each page shows a window of one long table, as tide tables, logs and lists of news do."""
    one, seen, true = Noises(), 0, 0
    for edition in range(3, 45, 3):
        for every in range(1, 9):
            before, after = _table((edition - 3) // every), _table(edition // every)
            if before.content != after.content:
                true += 1
                seen += one.changed(f"http://a.test/{every}", before, after)
    assert seen == true > 40


def test_every_change_of_the_demos_tide_tables_is_seen() -> None:
    site, one = tide_tables(Addresses(8000), DemoTexts(1)), Noises()
    last = {path: _copy_of(site, path, 0) for path in site.pages}
    seen = true = 0
    for edition in range(3, 61, 3):
        for path, before in last.items():
            now, url = _copy_of(site, path, edition), f"http://tides.test{path}"
            if now.content == before.content:
                one.changed(url, now, now)
                continue
            true += 1
            seen += one.changed(url, before, now)
            last[path] = now
    assert (seen, true) == (154, 154)


def _copy_of(site: DemoHost, path: str, edition: int) -> StoredCopy:
    page = site.generate(path, edition) if site.generate else None
    assert page is not None
    return StoredCopy(content=page.body, index=index(page.body), charset="utf-8")


def _table(first: int) -> StoredCopy:
    rows = "".join(
        f"<tr><td>Day {n}<td>high water at {n * 50 % 745} minutes" for n in range(first, first + 7)
    )
    return copy(
        f"The table of the tides at the station, as it stands in the almanac.</p><table>{rows}</table>"
    )
