"""Parked pages of providers that nobody knows are recognized by form, and similar pages in use are not."""

import pytest

from fieldmouse.spam.homepage import MARKS, read_home_page

from .parked_pages import IN_USE, IN_USE_HELD_OUT, PARKED, PARKED_HELD_OUT


@pytest.mark.parametrize("kind", [*PARKED, *PARKED_HELD_OUT])
def test_parked_pages_are_recognized(kind: str) -> None:
    page = (PARKED | PARKED_HELD_OUT)[kind]
    found = read_home_page("kettle.com", page.encode())
    assert found.parked, found
    assert not any(mark in page.lower().encode() for mark in MARKS)


@pytest.mark.parametrize("kind", [*IN_USE, *IN_USE_HELD_OUT])
def test_pages_in_use_are_not_accused(kind: str) -> None:
    found = read_home_page("kettle.com", (IN_USE | IN_USE_HELD_OUT)[kind].encode())
    assert not found.parked, found


def test_default_pages_of_hosts_are_not_parked() -> None:
    page = (
        "<title>kettle.com</title><h1>kettle.com</h1><p>The owner has not uploaded a website.</p>"
        "<a href='https://host.test/'>Host</a>"
    )
    found = read_home_page("kettle.com", page.encode())
    assert not found.parked
    assert not found.hinted
    assert len(found.cues) >= 2


def test_a_frame_to_a_host_with_the_same_word_is_no_evidence() -> None:
    page = b"<iframe src='https://www.airportparking.test/' width='100%' height='100%'></iframe>"
    assert read_home_page("kettle.com", page).parked
    assert not read_home_page("cheap-parking.com", page).parked
