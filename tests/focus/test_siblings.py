"""How the other links of a page turned out."""

import json
import math

import pytest

from fieldmouse.focus.siblings import SiblingRecords

from .test_guide import FOOD, STARS, astronomy, text, to

LIST, OTHER = "http://a.test/people", "http://a.test/news"


def test_the_record_of_the_best_parent_counts() -> None:
    found = SiblingRecords(100)
    found.stands_on(LIST, ["http://a.test/1", "http://a.test/2", "http://a.test/3"])
    found.stands_on(OTHER, ["http://a.test/3", "http://a.test/4"])
    assert found.odds("http://a.test/3") == 0.0
    assert list(found.turned_out("http://a.test/1", 0.9)) == ["http://a.test/2", "http://a.test/3"]
    assert list(found.turned_out("http://a.test/4", 0.1)) == [], "a record that falls raises nobody"
    usual = (1.0 + 0.5) / (2 + 4)
    best = (0.9 + 2 * usual) / (1 + 2)
    expected = math.log(best / (1 - best)) - math.log(usual / (1 - usual))
    assert found.odds("http://a.test/3") == pytest.approx(expected)
    assert found.odds("http://a.test/2") == pytest.approx(expected)
    assert found.odds("http://a.test/unknown") == 0.0
    again = SiblingRecords(100)
    again.restore(json.loads(json.dumps(found.state())))
    assert again.odds("http://a.test/3") == pytest.approx(expected)
    assert list(again.turned_out("http://a.test/2", 0.5)) == ["http://a.test/3"]


def test_old_pages_are_forgotten() -> None:
    found = SiblingRecords(10)
    for n in range(50):
        found.stands_on(f"http://a.test/{n}", [f"http://b.test/{n}"])
        list(found.turned_out(f"http://b.test/{n}", 0.5))
    assert len(found.links) <= 10
    assert len(found.records) <= 10


def test_pending_links_rise_when_links_of_the_same_page_turn_out_well() -> None:
    guide = astronomy()
    _, parent = guide.saw(LIST, text(FOOD, 1))
    links = [to(f"http://a.test/x{n}", "person") for n in range(6)]
    before = {lead.url: lead.score for lead in guide.leads(parent, links)}
    assert guide.risen() == []
    for n in range(3):
        guide.saw(f"http://a.test/x{n}", text(STARS, 50 + n))
    risen = dict(guide.risen())
    assert risen.keys() == {f"http://a.test/x{n}" for n in range(3, 6)}
    assert all(risen[url] > before[url] for url in risen)
    assert guide.risen() == []


@pytest.mark.parametrize("learner", ["best-first", "sarsa", "bfs"])
def test_the_baselines_know_nothing_of_siblings(learner: str) -> None:
    guide = astronomy(learner)
    _, parent = guide.saw(LIST, text(FOOD, 1))
    guide.leads(parent, [to(f"http://a.test/x{n}", "person") for n in range(6)])
    for n in range(3):
        guide.saw(f"http://a.test/x{n}", text(STARS, 50 + n))
    assert guide.risen() == []
    assert guide.siblings.odds("http://a.test/x4") == 0.0
