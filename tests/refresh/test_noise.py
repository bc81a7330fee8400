"""What is learned of noise: that it heals, that it stays small, and that it survives a restart."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.refresh.change import judge_change, judge_control
from fieldmouse.refresh.difference import difference, hunks, without_numbers
from fieldmouse.refresh.noise import (
    COMINGS,
    EXCHANGES,
    GUESTS,
    NOISE,
    PLACES,
    POOL,
    SLOTS,
    HostNoise,
    NoiseOverrides,
    PageNoise,
    Slot,
    overrides,
)  # fmt: skip
from fieldmouse.refresh.page_units import page_units
from fieldmouse.refresh.volatile_forms import same_but_for_form
from fieldmouse.settings import RefreshSettings
from fieldmouse.units import DAY
from tests.refresh.watched import START, Watched, copy_of, judged

WORDS = (
    "boat", "mast", "keel", "rope", "deck", "hull", "sail", "oar", "net", "quay", "lock", "tide", "buoy",
    "reef", "dock",
)  # fmt: skip
FILL = "<p>The harbour office opens its doors to boats and their crews on every day of the week.</p>"


def page(name: str, *parts: str) -> str:
    own = f"<p>This is what the page {name} alone has to say about {name} and about nothing else at all.</p>"
    return f"<html><body><main><h1>{name}</h1>{own}{FILL}{''.join(parts)}</main></body></html>"


def test_a_template_that_changes_does_not_count_on_all_pages() -> None:
    watched, names = Watched(), [f"page-{n}" for n in range(12)]
    old, new = (f"<div class=notice>All boats leave at {when} on this day</div>" for when in ("noon", "dusk"))
    for name in names:
        watched.visit(page(name, old), START, name)
    seen = [watched.visit(page(name, new), START + DAY, name) for name in names]
    assert [one.changed for one in seen if one] == [True, True, *[False] * 10]
    last = seen[-1]
    assert last is not None
    assert last.note.startswith('only noise: div.notice: "All boats leave at noon')
    assert last.kinds == ("template only",)


def test_a_fact_that_changes_alike_on_a_few_pages_counts() -> None:
    watched, names = Watched(), [f"page-{n}" for n in range(4)]
    for name in names:
        watched.visit(page(name, "<table><tr><th>State<td>In stock</table>"), START, name)
    again = [page(name, "<table><tr><th>State<td>Sold out</table>") for name in names]
    seen = [watched.visit(html, START + DAY, name) for html, name in zip(again, names, strict=True)]
    assert all(one.changed for one in seen if one)


@pytest.mark.parametrize("base", [0, 400])
def test_numbers_that_follow_those_of_other_pages_are_the_hosts(base: int) -> None:
    """A rate that all pages show is noise, though it has a label; a price of each page's own counts."""
    watched, chance, names = Watched(), random.Random(3), [f"page-{n}" for n in range(5)]
    told: list[bool] = []
    for day in range(9):
        rate = 900 + 100 * chance.random()
        for n, name in enumerate(names):
            sign = "\u25b2" if chance.random() < 0.5 else "\u25bc"
            row = f"<tr><th>Silver<td>{rate + base * n + chance.random():.2f} {sign} {chance.random():.2f}"
            html = page(name, f"<table>{row}</table>")
            verdict = watched.visit(html, START + day * DAY + n * 360, name)
            told += [verdict.changed] if verdict and day > 4 else []
            watched.host = HostNoise.loaded(watched.host.saved())
    assert told == [base > 0] * 20


@pytest.mark.parametrize("apart", [0, 400])
def test_an_index_of_one_level_on_all_pages_is_noise_and_a_price_is_not(apart: int) -> None:
    """An index around one level is as near to its older number as to those of other pages."""
    watched, chance, names = Watched(), random.Random(3), [f"page-{n}" for n in range(6)]
    told: list[bool] = []
    for day in range(10):
        for n, name in enumerate(names):
            index = (500 + apart * n) * (1 + chance.uniform(-0.03, 0.03))
            item = f"<p>JUNI</p><p>{index:.2f} \u25b2 {chance.uniform(0, 3):.2f}%</p>"
            html = page(name, f"<ul><li>{item}</li></ul>")
            verdict = watched.visit(html, START + day * DAY + n * 360, name)
            told += [verdict.changed] if verdict and day > 6 else []
            watched.host = HostNoise.loaded(watched.host.saved())
    assert told == [apart > 0] * 18


def test_texts_drawn_from_a_pool_are_noise_and_news_are_not() -> None:
    watched = Watched(settings=RefreshSettings(count="all"))

    def related(*numbers: int) -> str:
        return page("a", "<ul class=related>" + "".join(
            f"<li><a href='/{n}'>The story of the {WORDS[n % 15]} number {n} as told</a></li>"
            for n in numbers
        ) + "</ul>")  # fmt: skip

    draws = [(1, 2, 3), (4, 5, 6), (1, 5, 2), (3, 4, 6), (2, 6, 1), (5, 3, 4), (1, 2, 6), (3, 5, 4)]
    told = watched.visits(*(related(*some) for some in draws))
    assert told[0]
    assert not any(told[-2:])
    assert watched.visit(related(3, 5, 99), START + 20 * DAY) is not None
    news = Watched().visits(*(related(*range(n, n + 5)) for n in range(8)))
    assert all(news), "each headline is new"


@pytest.mark.parametrize("named", [True, False])
def test_titles_with_a_count_are_known_by_their_names_and_numbered_items_are_not(named: bool) -> None:
    """What others read now comes back with other counts; each build of one project is new."""
    watched, told, chance = Watched(), list[bool](), random.Random(5)
    titles = [" ".join(pair) for pair in zip(WORDS[::2], WORDS[1::2], strict=False)]
    for day in range(8):
        for at in range(4):
            if named:
                lines = [f"{one} ({chance.randint(10, 999)})" for one in chance.sample(titles, 3)]
            else:
                lines = [f"Build {at}.{40 + day - n} of the main line has passed all tests" for n in range(3)]
            box = "".join(f"<li><a href=/{n}>{one}</a></li>" for n, one in enumerate(lines))
            verdict = watched.visit(page(f"page-{at}", f"<ul>{box}</ul>"), START + day * DAY, f"/{at}")
            told += [verdict.changed] if verdict and day > 5 else []
    assert told == [not named] * 8


ADVERTISEMENTS = ("Win a bicycle", "Fly to the islands", "New shoes, -20 %", "Try soap today", "Rent a boat")


def test_short_texts_drawn_at_every_visit_are_noise_without_any_names() -> None:
    """Two advertisements of a few words on every page, the first of which is no label of the second."""
    watched, names = Watched(), [f"page-{n}" for n in range(6)]
    chance = random.Random(7)

    def told(visit: int, name: str, state: str) -> bool:
        box = "".join(f"<p>{one}</p>" for one in chance.sample(ADVERTISEMENTS, 2))
        html = page(name, f"<div>Reading room: {state}</div>") + f"<section>{box}</section>"
        verdict = watched.visit(html, START + visit * DAY, name)
        return verdict is not None and verdict.changed

    for visit in range(6):
        late = [told(visit, name, "open") for name in names]
    assert not any(late)
    assert told(6, names[0], "closed"), "a state that was never shown before"


def test_what_a_box_does_says_nothing_of_a_text_that_is_edited() -> None:
    """In a template without names a bid stands at the same place as a quotation that is always another."""

    def lot(bid: int, bidder: str, word: str) -> str:
        quote = f"{word} and {word} make a harbour as they say"
        return page("lot", f"<div><p>Highest bid {bid} by {bidder}</p></div><div><p>{quote}</p></div>")

    _, known, host = control(lot(90, "Ek", "oar"), lot(95, "Lux", "sail"), lot(95, "Lux", "mast"))
    copies = copy_of(lot(95, "Lux", "mast"), START + DAY), copy_of(lot(99, "Orla", "keel"), START + 2 * DAY)
    verdict = judge_change(*copies, known, host, RefreshSettings(), url="/")
    assert [one.new for one in verdict.entries if one.counted] == ["Highest bid 99 by Orla"]


def test_the_columns_of_a_layout_are_places_of_their_own() -> None:
    def layout(vote: int, first: str, second: str) -> str:
        return page("poll", f"<table><tr><td>Yes {vote} votes<td>{first}<hr>{second}</tr></table>")

    old, now, again = layout(51, *WORDS[:2]), layout(53, *WORDS[2:4]), layout(53, *WORDS[4:6])
    changed, known, host = control(old, now, again)
    assert changed
    copies = copy_of(again, START + DAY), copy_of(layout(55, *WORDS[6:8]), START + 2 * DAY)
    verdict = judge_change(*copies, known, host, RefreshSettings(), url="/")
    assert [one.new for one in verdict.entries if one.counted] == ["Yes 55 votes"]


def control(first: str, second: str, again: str | None) -> tuple[bool, PageNoise, HostNoise]:
    """What is left of a change after a control fetch that shows `again`."""
    verdict = judged(first, second)
    assert verdict.changed
    copies = copy_of(second, START + DAY), copy_of(again, START + DAY + 180) if again else None
    found = judge_control(*copies, (verdict.size, verdict.to_json()), verdict.page, RefreshSettings())
    host = HostNoise()
    assert verdict.evidence is not None
    host.learn(verdict.evidence)
    host.learn_control("/", found.noisy, found.calm)
    return found.verdict.changed, found.page, host


def test_a_control_fetch_tells_noise_from_a_change() -> None:
    def state(price: int, views: int, *items: str) -> str:
        box = "".join(f"<li><a href=/{one}>The tale of the {one} on the sea</a></li>" for one in items)
        return page(
            "Lamp", f"<table class=facts><tr><th>Price<td>{price} €</table>"
            f"<div class=views>{views} views</div><ul class=tales>{box}</ul>",
        )  # fmt: skip

    first, second = state(12, 1204, "net", "oar", "keel"), state(13, 1233, "mast", "oar", "rope")
    changed, known, host = control(first, second, state(13, 1234, "deck", "oar", "sail"))
    assert changed, "the price"
    third = state(13, 1260, "net", "quay", "lock")
    copies = copy_of(second, START + DAY), copy_of(third, START + 2 * DAY)
    verdict = judge_change(*copies, known, host, RefreshSettings(), url="/")
    assert not verdict.changed
    assert {one.rule for one in verdict.entries} == {"control"}
    copies = copy_of(second, START + DAY), copy_of(state(14, 1260, "net"), START + 2 * DAY)
    verdict = judge_change(*copies, known, host, RefreshSettings(), url="/")
    assert verdict.note.startswith("changed (numbers; ")
    assert not verdict.control, "the price was calm"


def test_what_is_gone_again_at_the_control_fetch_was_noise() -> None:
    advert = page("a", "<div class=box>Buy a boat now and sail away with it</div>")
    assert control(page("a"), advert, page("a"))[0] is False
    assert control(page("a"), advert, None)[0] is True, "the same bytes"


def test_a_certificate_ends() -> None:
    known = PageNoise(slots={7: Slot(1, 0, NOISE, 0)})
    for _ in range(7):
        known = known.after_visit(())
    assert known.slots[7].certificate == NOISE
    assert known.after_visit(()).slots == {}


def test_a_user_may_switch_off_a_rule_or_a_place() -> None:
    old, new = page("a"), page("a", "<div id=cookie-banner>We bake cookies for you</div>")
    copies = copy_of(old), copy_of(new, START + DAY)

    def changed(*rows: tuple[str, str]) -> bool:
        host = HostNoise(overrides(rows))
        return judge_change(*copies, PageNoise(), host, RefreshSettings(count="all"), url="/").changed

    assert not changed()
    assert changed(("declared", "counted"))
    place = difference(page_units(copies[0]), page_units(copies[1])).events[0].place
    assert changed((str(place), "counted"))
    copies = copy_of(old), copy_of(page("b"), START + DAY)
    places = [one.place for one in difference(page_units(copies[0]), page_units(copies[1])).events]
    assert changed()
    assert not changed(*((str(place), "muted") for place in places))
    assert overrides([("pool", "counted")]) == NoiseOverrides(off=frozenset({"pool"}))


# --- properties ------------------------------------------------------------------------------------------

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
parts = st.lists(
    st.one_of(
        texts.map(lambda text: f"<p>{text}</p>"),
        texts.map(lambda text: f"<div class=box>{text}</div>"),
        st.integers(0, 5000).map(lambda n: f"<p class=count>{n} views</p>"),
        st.tuples(texts, texts).map(lambda two: f"<table><tr><th>{two[0]}<td>{two[1]}</table>"),
    ),
    max_size=12,
).map("".join)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("abc"), parts), max_size=12))
def test_any_visits_leave_small_states_that_survive_a_restart(visits: list[tuple[str, str]]) -> None:
    watched = Watched()
    for n, (name, html) in enumerate(visits):
        watched.visit(page("x", html), START + n * DAY, name)
        same = watched.visit(page("x", html), START + n * DAY + 60, name)
        assert same is not None
        assert not same.changed
        assert same.note == "unchanged"
        again = HostNoise.loaded(watched.host.saved())
        assert again.saved() == watched.host.saved()
        assert (again.places, again.pool, again.comings) == (
            watched.host.places, watched.host.pool, watched.host.comings,
        )  # fmt: skip
        assert (again.exchanges, again.guests) == (watched.host.exchanges, watched.host.guests)
        known = watched.pages[name]
        assert PageNoise.loaded(known.saved()) == known
        assert len(known.saved()) <= 3 + 8 * SLOTS


@settings(max_examples=60, deadline=None)
@given(parts, texts, texts)
def test_a_labelled_value_counts_at_the_first_revisit(around: str, old: str, new: str) -> None:
    first, second = (page("x", around, f"<dl><dt>State<dd>{value}</dl>") for value in (old, new))
    assert judged(first, second).changed == (old != new)


@given(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)))
def test_hunks_are_what_differs(old: list[int], new: list[int]) -> None:
    rest_old, rest_new = list(old), list(new)
    for hunk in reversed(list(hunks(old, new))):
        del rest_old[hunk.old.start : hunk.old.stop]
        del rest_new[hunk.new.start : hunk.new.stop]
    assert rest_old == rest_new


def test_long_pages_are_compared_too() -> None:
    old = list(range(3000))
    new = [*range(100), -1, *range(100, 2000), *range(2500, 3000), -2]
    found = list(hunks(old, new))
    assert [(one.old.start, len(one.old), one.new.start, len(one.new)) for one in found] == [
        (100, 0, 100, 1), (2000, 500, 2001, 0), (3000, 0, 2501, 1),
    ]  # fmt: skip


def test_a_host_of_many_texts_stays_small() -> None:
    watched = Watched()
    for n in range(14):
        for name in "ab":
            classes = [f"c{chr(97 + k % 26)}{chr(97 + k // 26)}{name}" for k in range(200)]
            lines = [f"<div class={one}>{WORDS[n]} of the {one} {WORDS[-n]}</div>" for one in classes]
            watched.visit(page(name, *lines), START + n * DAY, name)
    host = watched.host
    assert [len(one) for one in (host.places, host.pool)] == [PLACES, POOL]
    assert [len(one) for one in (host.comings, host.exchanges)] == [COMINGS, EXCHANGES]
    assert len(host.guests) <= GUESTS
    assert len(host.saved()) < 80_000


@pytest.mark.parametrize("data", [b"", b"\0", b"\1", b"\1abc", b"{}", HostNoise().saved()[:-1]])
def test_a_damaged_state_is_an_empty_one(data: bytes) -> None:
    assert HostNoise.loaded(data).saved() == HostNoise().saved()
    assert PageNoise.loaded(data[:2]) == PageNoise()


def test_noise_in_a_template_without_names_says_nothing_about_other_texts() -> None:
    """All paragraphs have one place there, and only those that differed within minutes are noise."""

    def bare(url: str, text: str, advert: str) -> str:
        rows = "".join(f"<tr><td>Row {n} of {url}</td><td>{n}</td></tr>" for n in range(6))
        return f"<body><p>{text}</p><table>{rows}</table><p>{advert}</p><p>Printed in the old town</p></body>"

    watched, time = Watched(), START + DAY
    for url in ("/a", "/b", "/c"):
        watched.visit(bare(url, f"About the boat {url}", "Win a boat with our radio"), START, url)
    now = bare("/a", "About the boat /a", "Compare nine offers today")
    verdict = watched.visit(now, time, "/a")
    assert verdict is not None
    assert verdict.changed
    again = copy_of(bare("/a", "About the boat /a", "Sail to the islands in June"), time + 180)
    found = judge_control(
        copy_of(now, time), again, (verdict.size, verdict.to_json()), verdict.page, watched.settings
    )
    assert not found.verdict.changed
    watched.pages["/a"] = found.page
    watched.host.learn_control("/a", found.noisy, found.calm)
    other = watched.visit(bare("/b", "About the boat /b", "Compare nine offers today"), time, "/b")
    assert other is not None
    assert not other.changed, "one control fetch is enough for the same spot of other pages"
    last = watched.visit(bare("/c", "The boat /c was sold", "Win a boat with our radio"), time, "/c")
    assert last is not None
    assert last.changed


def test_texts_without_spaces() -> None:
    """The day of the fetch and times ago are known by their form."""
    first, second = START, START + DAY
    assert same_but_for_form("今日は2026年10月26日です", "今日は2026年10月27日です", (first, second))
    assert not same_but_for_form("開場は2027年5月3日です", "開場は2027年5月9日です", (first, second))
    assert same_but_for_form("3分前に更新", "41分前に更新", (first, second))


def test_a_redesign_of_the_template_counts_once() -> None:
    """Several exchanges that one other page made too are no coincidence."""
    watched, names = Watched(), [f"page-{n}" for n in range(6)]
    lines = (
        "Boats and their crews are welcome here",
        "Write to the harbour office",
        "Our prices for this year",
    )
    later = (
        "Welcome to the new harbour of the town",
        "The office is open to all",
        "What a berth costs from now on",
    )
    for name in names:
        watched.visit(
            page(name, *(f"<div class=l{n}>{line}</div>" for n, line in enumerate(lines))), START, name
        )
    again = [page(name, *(f"<div class=l{n}>{line}</div>" for n, line in enumerate(later))) for name in names]
    seen = [watched.visit(html, START + DAY, name) for html, name in zip(again, names, strict=True)]
    assert [one.changed for one in seen if one] == [True, *[False] * 5]


def test_a_box_of_the_whole_host_is_noise_at_first_sight() -> None:
    """Its list is another one each day, on all pages; a page's own list at another place counts."""
    watched, names = Watched(), [f"page-{n}" for n in range(5)]
    stories = [f"Story number {n} of the harbour and its {word}" for n, word in enumerate(WORDS)]

    def shown(name: str, day: int, own: str = "") -> str:
        box = "".join(f"<li><a href=/{n}>{stories[n]}</a></li>" for n in range(day * 3, day * 3 + 3))
        items = "".join(f"<li><a href=/x>{name} said {n} things{own}</a></li>" for n in range(4))
        return page(name, f"<ul class=popular>{box}</ul>", f"<ul class=own>{items}</ul>")

    verdicts = [
        [watched.visit(shown(name, day), START + day * DAY + n * 300, name) for n, name in enumerate(names)]
        for day in range(4)
    ]
    assert not any(one.changed for one in verdicts[3] if one)
    last = watched.visit(shown(names[0], 4, " today"), START + 4 * DAY, names[0])
    assert last is not None
    assert last.changed
    assert all(one.place.endswith("ul.own>li") for one in last.entries if one.counted)


@pytest.mark.parametrize(
    ("box", "fact"),
    [
        ("<dl><dt>Partners<dd>{}</dl>", False),
        ("<dl><dt>Partners<dd>{}<dt>Price<dd>12 €</dl>", True),
        ("<table><tr><th>Partners<td>{}</table>", False),
        ("<table><tr><th>Partners<td>{}<tr><th>Price<td>12 €</table>", True),
        ("<div><dl><dt>A<dd>x</dl><dl><dt>B<dd>{}</dl><dl><dt>C<dd>y</dl></div>", True),
    ],
)
def test_the_heading_of_a_box_is_no_label_of_a_fact(box: str, fact: bool) -> None:
    html = page("x", box.format("Win a boat with our radio"))
    (unit,) = [one for one in page_units(copy_of(html, START)).units if one.text.startswith("Win")]
    assert (unit.fact, unit.boxed, bool(unit.label)) == (fact, not fact, True)


@pytest.mark.parametrize(
    "form",
    [
        "<table><tr><th>Status<td>{}</table>",
        "<div>Status: <b>{}</b></div>",
        "<div><div>Status</div><div>{}</div></div>",
    ],
)
def test_a_state_that_comes_and_goes_counts_each_time(form: str) -> None:
    states = [state for state in ("open", "shut", "open", "shut", "late", "open", "shut") for _ in range(2)]
    told = Watched().visits(*(page("x", form.format(one)) for one in states))
    assert told == [False] + [True, False] * 6


def test_the_footers_of_cards_are_no_edge() -> None:
    def cards(state: str) -> str:
        said = "".join(
            f"<div class=card><h5>{name}</h5><div class=card-footer><i>State</i> {one}</div></div>"
            for name, one in (("Lamp", state), ("Desk", "sold"), ("Bed", "sold"))
        )
        return page("x", said, "<footer>Open today</footer>")

    assert judged(cards("new"), cards("sold")).changed
    assert not judged(cards("new"), cards("new").replace("Open today", "Shut today")).changed


def test_rows_of_blocks_have_labels_and_two_that_exchange_their_values_differ() -> None:
    def rows(*times: str) -> str:
        lines = zip(("S41", "S42", "S43"), times, strict=True)
        return (
            "<div>"
            + "".join(f"<div><div>{a}</div><div>{b}</div><div>on time</div></div>" for a, b in lines)
            + "</div>"
        )

    verdict = judged(page("x", rows("8:15", "9:40", "9:50")), page("x", rows("9:40", "8:15", "9:50")))
    assert {(one.label, one.old, one.new) for one in verdict.entries} == {
        ("S41", "8:15", "9:40"),
        ("S42", "9:40", "8:15"),
    }


def test_a_text_that_stands_twice_is_counted_twice() -> None:
    both, one = (
        page("x", *(f"<p>{text}</p>" for text in texts))
        for texts in (
            ("Gate two opens at noon", "Tea", "Gate two opens at noon"),
            ("Gate two opens at noon", "Tea", "Gate six opens at noon"),
        )
    )
    assert judged(both, one).changed


def test_pages_of_a_large_host_are_sampled() -> None:
    """The sets of pages never fill up, so that no text looks host-wide that is not."""
    watched = Watched()
    for day in range(2):
        for n in range(150):
            state = (
                "closed for the winter months" if n % 3 == 0 and day == 0 else "open on every day of the week"
            )
            name = f"page-{n}"
            watched.visit(
                page(name, f"<div class=state>The quay is {state}</div>"), START + day * DAY + n * 60, name
            )
    (record,) = [one for one in watched.host.places.values() if "state" in one.name]
    assert watched.host.sampled > 0
    assert record.having.bit_count() <= 49
    assert HostNoise.loaded(watched.host.saved()).saved() == watched.host.saved()


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("Actualizado hace 3 minutos", "Actualizado hace 9 minutos", True),
        ("La dirige desde hace 67 años", "La dirige desde hace 69 años", False),
        ("Обновлено 3 минуты назад", "Обновлено 55 минут назад", True),
        ("Aggiornato 3 minuti fa", "Aggiornato 2 ore fa", True),
        ("Bijgewerkt 3 minuten geleden", "Bijgewerkt 5 uur geleden", True),
        ("تم التحديث قبل 5 دقائق", "تم التحديث قبل 30 دقيقة", True),
        ("Работы займут 3 недели", "Работы займут 5 недель", False),
    ],
)
def test_how_long_something_lasts_is_a_fact(old: str, new: str, same: bool) -> None:
    assert same_but_for_form(old, new, (START, START + DAY)) is same


@pytest.mark.parametrize(
    "form",
    [
        "Сегодня {day} октября 2026 г.", "Oggi è il {day} ottobre 2026", "Dziś jest {day} października 2026",
        "Hoje, {day} de outubro de 2026", "Vandaag is het {day} oktober 2026", "Idag är det {day} oktober",
    ],
)  # fmt: skip
def test_the_day_of_the_fetch_is_known_in_other_languages(form: str) -> None:
    old, new = form.format(day=26), form.format(day=27)
    assert same_but_for_form(old, new, (START, START + DAY))
    assert not same_but_for_form(old, new, (START + 9 * DAY, START + 10 * DAY))


def test_the_same_day_of_another_year_is_another_day() -> None:
    old, new = (f"Delivery from {day} October 2028" for day in (26, 27))
    assert not same_but_for_form(old, new, (START, START + DAY))


def test_texts_that_take_turns_on_several_pages_are_guests() -> None:
    """Also at a place where other texts never return, so that no pool of it is known."""
    watched, told = Watched(), []
    ads = [f"{name} sells boats and oars to all of you" for name in ("Ada", "Bea", "Cy")]
    for day in range(7):
        for n in range(3):
            sold = f"Somebody in harbour {day}{n}{'xyz'[n]} bought {'abcdefg'[day]}{n} ropes"
            html = page(f"page {n}", f"<p>{ads[(day + n) % 3]}</p><p>{sold}</p>")
            verdict = watched.visit(html, START + day * DAY + n * 60, f"/{n}")
            told += [one.rule for one in verdict.entries if one.new in ads] if verdict and day > 4 else []
    assert told
    assert all(told)


def test_a_text_that_goes_when_a_guest_comes_counts() -> None:
    watched = Watched()
    ads = [f"{name} sells boats and oars to all of you" for name in ("Ada", "Bea", "Cy")]
    own = "The harbour master has resigned after ten years"
    for day in range(6):
        for n in range(3):
            watched.visit(page(f"page {n}", f"<p>{ads[(day + n) % 3]}</p>"), START + day * DAY, f"/{n}")
    watched.visit(page("new", f"<p>{own}</p>"), START, "/new")
    verdict = watched.visit(page("new", f"<p>{ads[0]}</p>"), START + 6 * DAY, "/new")
    assert verdict is not None
    assert verdict.changed


def test_a_count_that_rises_on_several_pages_is_a_counter_though_it_is_calm() -> None:
    def visit(day: int, n: int, form: str) -> bool:
        html = page(f"page {n}", f"<p>{form.format(100 * n + 7 * day)}</p>")
        verdict = watched.visit(html, START + day * DAY + n * 60, f"/{n}")
        if verdict is None:
            return False
        calm = {at for one in verdict.entries for at in one.at}
        watched.pages[f"/{n}"] = watched.pages[f"/{n}"].after_control((), calm)
        return verdict.changed

    watched = Watched()
    told = [visit(day, n, "{} people like this") for day in range(7) for n in range(3)]
    assert any(told[3:9])
    assert not any(told[-9:])
    watched = Watched()
    told = [visit(day, n, "Members: {} €") for day in range(7) for n in range(3)]
    assert all(told[3:]), "an amount"


def test_a_spot_that_moves_on_several_pages_is_noise_whatever_it_says() -> None:
    """The other texts of its place stand still, and count when they change."""
    watched, told = Watched(), []
    for day in range(7):
        for n in range(3):
            price = 20 + n if day < 6 else 30 + n
            sky = f"Lyon: {(day * 7 + n * 5) % 30} °C, {('fog', 'sunny', 'cloudy')[(day + n) % 3]}"
            html = page(f"page {n}", f"<p>Now {price} € a night</p><p>Free until noon</p><p>{sky}</p>")
            verdict = watched.visit(html, START + day * DAY + n * 60, f"/{n}")
            told.append((day, verdict.changed if verdict else None))
    assert [changed for day, changed in told if day in (4, 5)] == [False] * 6
    assert [changed for day, changed in told if day == 6] == [True] * 3


def test_a_new_headline_counts_though_one_comes_at_every_visit() -> None:
    watched, told = Watched(), []
    news = [[f"Council {n} votes on plan {'abcdefghijkl'[at]}{n}" for at in range(12)] for n in range(3)]
    for day in range(8):
        for n in range(3):
            items = "".join(f"<li><a href=/x>{one}</a></li>" for one in news[n][8 - day : 11 - day])
            verdict = watched.visit(page(f"page {n}", f"<ul>{items}</ul>"), START + day * DAY, f"/{n}")
            told += [verdict.changed] if verdict else []
    assert all(told)


def test_a_post_of_a_thread_that_grows_at_most_visits_counts_when_it_is_edited() -> None:
    watched, told = Watched(), []
    posts = [" ".join([word, *WORDS[n : n + 12]]) for n, word in enumerate(("Ada", "Bea", "Cid"))]
    for day in range(8):
        html = page("thread", *(f"<article><div>{one}</div></article>" for one in posts))
        verdict = watched.visit(html, START + day * DAY)
        told += [verdict.changed] if verdict else []
        if day < 6:
            posts.append(f"Post {'abcdefgh'[day]} of {WORDS[day]} and {WORDS[day + 4]} was written today")
        else:
            posts[-1] = "Nobody may take boats out while repairs go on at both gates"
    assert told == [True] * 7


def test_pages_that_drop_the_same_row_one_after_the_other_are_no_template() -> None:
    """A page that shows a text after others have dropped it does not get it from the template."""
    watched, told = Watched(), []
    for day in range(6):
        for n in range(5):
            names = ["timeout", "retries", "proxy", "output", *([] if day > n else ["verbose"])]
            rows = "".join(f"<tr><td>{name}</td><td>{n}</td></tr>" for name in names)
            verdict = watched.visit(page(f"page {n}", f"<table>{rows}</table>"), START + day * DAY, f"/{n}")
            if verdict is not None and day == n + 1:
                told.append(verdict.changed)
    assert told == [True] * 5


def test_the_heading_of_a_list_that_is_drawn_anew_is_the_same() -> None:
    lists = [("Rope", "Oar", "Sail", "Mast"), ("Tar", "Oar", "Hemp", "Deck")]
    old, new = (
        page("lamp", f"<p>Read by {n}</p><h3>Tags</h3><ul>{''.join(f'<li>{one}</li>' for one in some)}</ul>")
        for n, some in zip(("Ada", "Bea"), lists, strict=True)
    )
    assert "Tags" not in {text for one in judged(old, new).entries for text in (one.old, one.new)}


def test_a_labelled_fact_is_noted_before_other_differences() -> None:
    before, after = (
        page(
            "lamp",
            "".join(f"<p>{one} {n}</p>" for n in ("a", "b", "c", "d", "e"))
            + f"<dl><dt>Price<dd>{price} €<dt>"
            "Stock<dd>12</dl>",
        )
        for one, price in (("Boats are here", 12), ("Ropes went away", 13))
    )
    assert judged(before, after).note.partition(": ")[2].startswith("Price: ")


def test_what_differs_at_most_visits_on_all_pages_is_noise_and_one_change_of_all_pages_is_not() -> None:
    """An endless supply of comments beside a notice that all pages replace at one time."""
    watched, names, chance = Watched(), [f"page-{n}" for n in range(12)], random.Random(3)

    def told(visit: int, name: str, notice: str) -> bool:
        words = " ".join(chance.choices(WORDS, k=9))
        html = page(name, f"<section class=say><p class=one>{words}</p></section><p class=due>{notice}</p>")
        verdict = watched.visit(html, START + visit * DAY, name)
        return verdict is not None and verdict.changed

    for visit in range(6):
        late = [told(visit, name, f"Due {name} 40 days") for name in names]
    assert not any(late)
    assert all(told(6, name, f"Due {name} 55 days") for name in names), "no page is silent for the others"


def test_a_text_below_another_heading_that_moves_with_it_is_in_another_order() -> None:
    def cards(*titles: str) -> str:
        return "".join(
            f"<div class=card><h3>{one}</h3><p>Place: Ghent</p><p>Full time</p></div>" for one in titles
        )

    names = ("Nurse", "Cook", "Welder", "Teacher")
    assert Watched().visits(page("a", cards(*names)), page("a", cards(*names[2:], *names[:2]))) == [False]
    assert Watched().visits(page("a", cards(*names)), page("a", cards(*names[1:]))) == [True]


def test_a_number_with_arabic_separators_is_one_number() -> None:
    texts = [
        f"\u0632\u0627\u0631 {n} \u0635\u0641\u062d\u062a\u0646\u0627"
        for n in ("5\u066c741", "6\u066c183", "12\u066c004")
    ]
    assert len({without_numbers(text) for text in texts}) == 1
