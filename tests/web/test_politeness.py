"""After a failure: rest, try again, or give up."""

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from fieldmouse.settings import MannersSettings
from fieldmouse.types import Failure, Outcome, Response, Trouble
from fieldmouse.web.politeness import FINE, RETRY, crawl_delay, pause

NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT
MANNERS = MannersSettings()


def answer(status: int, retry_after: str = "") -> Response:
    headers = (("retry-after", retry_after),) if retry_after else ()
    return Response(
        url="http://h.test/",
        status=status,
        head=b"",
        headers=headers,
        body=b"",
        content=b"",
        request=b"",
        address="192.0.2.1",
        began=NOW,
        took=0.1,
    )


def failed(trouble: Trouble) -> Failure:
    return Failure(url="http://h.test/", trouble=trouble, detail="so it was", began=NOW)


def test_the_table_covers_every_trouble() -> None:
    assert set(RETRY) == set(Trouble)


@pytest.mark.parametrize("status", [200, 204, 301, 302, 304, 400, 401, 403, 404, 410, 451])
def test_an_answer_is_an_answer(status: int) -> None:
    assert pause(answer(status), 0, MANNERS, NOW) == FINE


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("header", "tries", "wait"),
    [
        ("120", 0, 120.0),
        ("120", 2, 120.0),
        ("0", 1, 0.0),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 0, 60.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0, 0.0),
        ("999999999", 0, 86400.0),
        ("", 0, 30.0),
        ("", 1, 60.0),
        ("", 2, 120.0),
        ("", 50, 3600.0),
        ("nonsense", 1, 60.0),
    ],
)
def test_a_server_that_asks_for_rest_gets_it(status: int, header: str, tries: int, wait: float) -> None:
    judged = pause(answer(status, header), tries, MANNERS, NOW)
    assert judged.wait == wait
    assert judged.again is (tries < 3)
    assert judged.strike
    assert str(status) in judged.why


def test_a_cut_is_said() -> None:
    assert "cut to 86400 s" in pause(answer(503, "100000"), 0, MANNERS, NOW).why


@pytest.mark.parametrize(
    ("status", "again", "wait"),
    [
        (500, True, 0.0),
        (502, True, 30.0),
        (504, True, 30.0),
        (520, True, 0.0),
        (501, False, 0.0),
        (408, True, 0.0),
    ],
)
def test_other_answers(status: int, again: bool, wait: float) -> None:
    judged = pause(answer(status), 0, MANNERS, NOW)
    assert (judged.again, judged.wait, judged.strike) == (again, wait, True)
    assert not pause(answer(status), 3, MANNERS, NOW).again


@pytest.mark.parametrize(
    ("trouble", "tries", "wait", "again", "drop_host", "strike"),
    [
        (Trouble.DNS, 0, 60.0, True, False, True),
        (Trouble.DNS, 2, 240.0, False, True, True),
        (Trouble.TIMEOUT, 0, 30.0, True, False, True),
        (Trouble.TIMEOUT, 3, 240.0, False, False, True),
        (Trouble.CONNECT, 1, 60.0, True, False, True),
        (Trouble.TLS, 0, 0.0, False, True, True),
        (Trouble.PROTOCOL, 0, 0.0, True, False, True),
        (Trouble.ROBOTS, 0, 0.0, False, False, False),
        (Trouble.REFUSED, 0, 0.0, False, False, False),
        (Trouble.REDIRECTS, 0, 0.0, False, False, False),
        (Trouble.CONTENT, 0, 0.0, False, False, False),
    ],
)
def test_failures(
    trouble: Trouble, tries: int, wait: float, again: bool, drop_host: bool, strike: bool
) -> None:
    judged = pause(failed(trouble), tries, MANNERS, NOW)
    assert judged == (wait, again, drop_host, strike, f"{trouble.value}: so it was")


def test_retries_can_be_switched_off() -> None:
    none = MannersSettings(retries=0)
    assert not pause(failed(Trouble.TIMEOUT), 0, none, NOW).again
    assert not pause(answer(503), 0, none, NOW).again
    assert pause(failed(Trouble.DNS), 0, none, NOW).drop_host


def test_all_pauses_follow_one_setting() -> None:
    hasty = MannersSettings(backoff=0.0)
    assert pause(failed(Trouble.DNS), 5, hasty, NOW).wait == 0.0
    often = MannersSettings(retries=10**9)
    assert pause(answer(503), 10**9, often, NOW).wait == MANNERS.max_backoff


@pytest.mark.parametrize(
    ("requested", "delay"),
    [(None, 0.0), (0.0, 0.0), (-3.0, 0.0), (float("nan"), 0.0), (10.0, 10.0), (60.0, 60.0), (61.0, 60.0)],
)
def test_crawl_delay(requested: float | None, delay: float) -> None:
    assert crawl_delay(requested, MANNERS)[0] == delay


def test_a_crawl_delay_that_is_cut_is_noted() -> None:
    assert crawl_delay(3600.0, MANNERS)[1] == "Crawl-delay of 3600 s cut to 60 s (manners.max_crawl_delay)"
    assert crawl_delay(60.0, MANNERS)[1] == ""


OUTCOMES: st.SearchStrategy[Outcome] = st.one_of(
    st.builds(failed, st.sampled_from(Trouble)),
    st.builds(answer, st.integers(100, 999), st.sampled_from(["", "5", "1e9", "99999999999"])),
)


@hypothesis_settings(max_examples=200, deadline=None, derandomize=True)
@given(OUTCOMES, st.integers(0, 1000))
def test_it_always_ends(outcome: Outcome, tries: int) -> None:
    judged = pause(outcome, tries, MANNERS, NOW)
    assert 0.0 <= judged.wait <= max(MANNERS.max_backoff, MANNERS.max_retry_after)
    assert not (judged.again and tries >= MANNERS.retries)
    assert not (judged.again and judged.drop_host)
