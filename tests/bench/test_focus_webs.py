"""Served crawls of three webs: which topics are chosen, one small crawl, and the figures with floors."""

from pathlib import Path

import pytest

from bench import floors
from bench.focus import OURS
from bench.focus_served import Crawls, Measured, bodies, runs, serve
from bench.focus_webs import LEARNERS, Row, Source, figures, largest, options, table
from bench.labelled import SITE, Web, load
from bench.labelled_make import Sheet, write
from fieldmouse.focus.evaluation import Curve

OWLS = "owl feather nest wing beak prey night hunting plumage roost "
LAW = "court judge trial statute lawyer verdict appeal justice clause treaty "


def subjects(**sizes: int) -> dict[str, set[str]]:
    return {name.replace("__", "."): {f"{SITE}{n}" for n in range(size)} for name, size in sizes.items()}


def test_the_largest_subjects_are_chosen_none_within_another() -> None:
    pages = {f"{SITE}{n}": "text" for n in range(100)}
    pictures = {f"{SITE}{n}" for n in range(80, 100)}
    found = subjects(all=80, wide=21, birds=20, birds__owls=19, law=18, art=17, birdsong=16)
    web = Web(pages, {}, found, pictures)
    assert largest(web) == ["birds", "law", "art"]
    assert largest(web, 4) == ["birds", "law", "art", "birdsong"]


def test_a_university_is_crawled_for_two_kinds_of_pages_and_a_field() -> None:
    web = Web({}, {}, subjects(kind__home=300, kind__course=300, zebra=400, bees=250, ants=249), set())
    assert Source("university", Path()).chosen(web) == ("kind.home", "kind.course", "bees")


def measured(harvest: dict[int, float], pages: int = 1000, true: float = 0.3) -> Measured:
    one = Curve({}, 0.3, 0.3, 0.5, pages, 100)
    return Measured(one, harvest, 0.6, 0.9, (0.1, 0.4), true)


def test_the_floors_are_of_the_default_and_over_the_best_other() -> None:
    ours = Row.of("manual", OURS, [measured({250: 0.6}), measured({250: 0.8}, 999, 0.5)], 1000)
    assert (ours.complete, ours.harvest, ours.looks, ours.within) == (1, {250: 0.7}, 2, 1)
    others = [
        Row.of("manual", name, [measured({250: part})], 1000) for name, part in (("bfs", 0.5), ("x", 0.2))
    ]
    other_web = Row.of("university", "bfs", [measured({250: 0.9})], 1000)
    found = figures([ours, *others, other_web])
    assert found["focus.manual_250_harvest"] == 0.7
    assert found["focus.manual_250_over_best_other"] == 1.4
    assert found["focus.truth_within_bounds"] == pytest.approx(4 / 5)
    assert "| manual | online | 1 of 2 | 0.700 | 0.60, 0.90 | 1 of 2 |" in table([ours, *others])


def test_what_a_web_is_made_of_must_be_given(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        options([str(tmp_path), "--data", str(tmp_path)])
    assert options([str(tmp_path), "--web", "university"]).learner == LEARNERS


def test_floors_are_checked_on_the_crawls_that_they_are_of(tmp_path: Path) -> None:
    university = [str(tmp_path), "--web", "university", "--check"]
    assert options(university).check
    for other in (["--seed", "2"], ["--draw", "1"], ["--pages", "50"], ["--learner", "bfs"]):
        with pytest.raises(SystemExit):
            options([*university, *other])


def test_every_floor_of_the_served_webs_is_a_figure_that_is_measured() -> None:
    harvest = {250: 0.6, 500: 0.5, 1000: 0.4}
    rows = [
        Row.of(web, learner, [measured(harvest)], 1000)
        for web in ("university", "manual", "encyclopaedia")
        for learner in (OURS, "bfs")
    ]
    served = {name for name, one in floors.load().items() if "focus_webs" in one.what}
    assert served == figures(rows).keys()


def test_a_web_is_crawled_over_http_and_measured_once(tmp_path: Path) -> None:
    pages = [
        Sheet(
            f"{kind}{n}.html",
            kind if kind == "owls" else "",
            f"<title>{kind} {n}</title><p>{words * (8 + n % 3)} {kind}{n}</p>"
            + "".join(
                f'<a href="/{to}{(n + step) % 40}.html">{to}</a> '
                for to in ("owls", "law")
                for step in (1, 7)
            ),
        )
        for kind, words in (("owls", OWLS), ("law", LAW))
        for n in range(40)
    ]
    write(tmp_path / "web", pages)
    web = load(tmp_path / "web")
    server = serve(bodies(tmp_path / "web"), 0)
    try:
        site = f"http://127.0.0.1:{server.server_port}/"
        what = Crawls(tmp_path / "out", ["owls"], [OURS], pages=10)
        ((topic, learner, one),) = runs(web, site, what)
    finally:
        server.shutdown()
        server.server_close()
    assert (topic, learner, one.curve.pages) == ("owls", OURS, 10)
    assert one.curve.harvest > 0.5, "half of the pages are on the topic"
    assert list(runs(web, site, what)) == [(topic, learner, one)], "measured as it is, without a server"
