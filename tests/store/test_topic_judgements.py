"""Scores in the queue, judgements and what was learned: stored with the pages, whole or not at all."""

from dataclasses import replace
from pathlib import Path

import pytest

from fieldmouse.store import open_reader
from fieldmouse.store.contract import Store
from fieldmouse.store.records import Ending, EndKind
from fieldmouse.store.relational.leases import HostLeases
from fieldmouse.store.relational.topic_judgements import STEP
from fieldmouse.types import Finding, OutLink, SavedGuide, Ticket, TopicJudgement
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened

LEARNED = SavedGuide("stars", "online", b"all of it")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    one = opened(tmp_path / "a", make(tmp_path / "a"))
    one.seed({"a.test": ["http://a.test/"]}, BEGAN)
    one.lease(BEGAN, 1)
    return one


def judged(n: int, score: float, at: float = BEGAN) -> Finding:
    said = TopicJudgement(
        "stars", "online", score, 0 if score > 0.5 else 1, ("star +1.00",), 0.7, ("anchor +0.50",)
    )
    return replace(found(f"http://a.test/{n}", at=at), judged=said)


def seen(host: str, score: float, n: int = 0) -> OutLink:
    return OutLink(host, f"http://{host}/{n}", wanted=True, score=score, level=1)


def test_hosts_are_leased_by_their_best_address_and_not_below_the_bar(store: Store) -> None:
    outside = (
        *(seen("many.test", 0.2, n) for n in range(30)),
        seen("best.test", 0.9),
        seen("good.test", 0.6),
    )
    store.commit([found(outside=outside)], BEGAN)
    assert [one.name for one in store.lease(BEGAN, 1)] == ["best.test"]
    assert [one.name for one in store.lease(BEGAN, 5, least=0.5)] == ["good.test"]
    (low,) = store.lease(BEGAN, 5)
    assert {ticket.score for ticket in low.waiting} == {0.2}
    store.close()


def test_seeds_go_first_once_and_then_by_what_waits_there(store: Store) -> None:
    store.seed({"s.test": ["http://s.test/"]}, BEGAN)
    store.commit([found(outside=(seen("best.test", 0.9), seen("s.test", 0.1, 5)))], BEGAN)
    (lease,) = store.lease(BEGAN, 1)
    assert lease.name == "s.test"
    store.commit([], BEGAN, endings=[Ending(lease, EndKind.TURN, "turn", waiting=3, score=0.3)])
    assert [one.name for one in store.lease(BEGAN, 2)] == ["best.test", "s.test"]
    store.close()


def test_a_likely_way_in_is_kept_beyond_the_first_ones_and_keeps_its_better_score(tmp_path: Path) -> None:
    store = opened(tmp_path / "a", make(tmp_path / "a", **{"frontier.entry_points": 2}))
    store.seed({"a.test": ["http://a.test/"]}, BEGAN)
    store.lease(BEGAN, 1)
    store.commit([found(outside=tuple(seen("b.test", 0.1, n) for n in range(4)))], BEGAN)
    store.commit([found("http://a.test/2", outside=(seen("b.test", 0.8, 1), seen("b.test", 0.7, 9)))], BEGAN)
    (lease,) = store.lease(BEGAN, 1)
    assert {one.url[-1]: one.score for one in lease.waiting} == {"0": 0.1, "1": 0.8, "9": 0.7}
    store.close()


def test_waiting_pages_keep_score_and_level(store: Store) -> None:
    child = Ticket(url="http://a.test/c", host="a.test", depth=1, score=0.4, level=2)
    store.commit([found(inside=(child,))], BEGAN)
    store.release_worker("w0")
    (lease,) = store.lease(BEGAN, 1)
    assert next(one for one in lease.waiting if one.url == child.url) == child
    store.close()


def test_judgements_and_the_harvest_grow_together(store: Store) -> None:
    for first in range(0, 120, 40):
        batch = [judged(n, 0.9 if n % 4 == 0 else 0.1) for n in range(first, first + 40)]
        store.commit(batch, BEGAN, learned=LEARNED)
    with open_reader(store.folder) as reader:
        (harvest,) = reader.harvests()
        assert (harvest.pages, harvest.relevant, harvest.rate) == (120, 30, 0.25)
        assert [pages for pages, _ in harvest.curve] == [STEP, 2 * STEP, 120]
        page = reader.page("http://a.test/4")
        assert page is not None
        (one,) = reader.judgements(page.id)
        assert (one.score, one.expected, one.reasons, one.promise) == (0.9, 0.7, "star +1.00", "anchor +0.50")
        assert reader.guide() == LEARNED
    assert store.judged("stars") == (120, 30)
    store.close()


class Power(Exception):
    """It goes."""


class Dying(HostLeases):
    """Leases that die at the end of a commit, after everything was written."""

    def renew(self, now: float) -> None:
        super().renew(now)
        raise Power


def test_what_was_learned_is_lost_with_the_pages_it_was_learned_from(tmp_path: Path) -> None:
    settings = make(tmp_path / "a")
    store = opened(tmp_path / "a", settings)
    store.seed({"a.test": ["http://a.test/"]}, BEGAN)
    store.commit([judged(1, 0.9)], BEGAN, learned=LEARNED)
    store.close()
    with opened(tmp_path / "a", settings) as dying, pytest.raises(Power):  # noqa: PT012
        dying.leases = Dying(dying.db, "w0", 300.0)
        dying.commit([judged(2, 0.9)], BEGAN, learned=LEARNED._replace(data=b"more"))
    store = opened(tmp_path / "a", settings)
    assert store.learned("stars", "online") == b"all of it"
    assert store.judged("stars") == (1, 1)
    store.close()


def test_a_worker_takes_the_newest_guide_of_all(tmp_path: Path) -> None:
    settings = make(tmp_path / "a")
    first = opened(tmp_path / "a", settings)
    first.commit([], BEGAN, learned=LEARNED)
    second = opened(tmp_path / "a", settings, "w1", join=True)
    assert second.learned("stars", "online") == b"all of it"
    assert second.learned("stars", "nb4") is None
    second.commit([], BEGAN + 1, learned=LEARNED._replace(data=b"mine"))
    assert (first.learned("stars", "online"), second.learned("stars", "online")) == (b"mine", b"mine")
    second.close()
    first.close()


def test_pages_judged_afterwards_keep_what_their_link_promised(store: Store) -> None:
    store.commit([judged(1, 0.9)], BEGAN)
    with open_reader(store.folder) as reader:
        page = reader.page("http://a.test/1")
        assert page is not None
        store.classified([(page.id, TopicJudgement("stars", "classify", 0.2, 1, ("pan -1.00",)), BEGAN + 5)])
        (one,) = reader.judgements(page.id)
    assert (one.judge, one.score, one.expected, one.promise) == ("classify", 0.2, 0.7, "anchor +0.50")
    store.close()
