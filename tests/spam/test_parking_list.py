"""The list of parking services: what it matches, how it is changed, and how a wrong entry heals."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import UsageError
from fieldmouse.spam.parking import ParkingEntry, ParkingList, probe


def test_the_starter_list_knows_services_and_doubts_shared_servers() -> None:
    starter = ParkingList.starter()
    assert len(starter) > 200
    assert {one.source for one in starter} == {"misp"}
    found = starter.match(["ns1.sedoparking.com", "ns2.sedoparking.com"])
    assert found is not None
    assert found.reason == "its name server belongs to a parking service (ns sedoparking.com, misp)"
    assert starter.match(["dns1.registrar-servers.com"]) is None  # a registrar's, for everybody
    assert starter.match(["dns1.registrar-servers.com"], ["198.54.117.200"]) is not None
    assert starter.match(["dns1.registrar-servers.com"], ["93.184.216.34"]) is None
    assert starter.match(["ns1.wordpress.com"]) is None
    assert starter.match(["ada.ns.cloudflare.com"], ["104.26.6.37"]) is None  # a content network's address
    assert starter.match(["ns1.host.test"], [], ["parkingpage.namecheap.com"]) is not None


def test_one_strange_server_or_address_is_enough_to_doubt() -> None:
    listed = ParkingList(
        [ParkingEntry(kind="ns", value="park.net"), ParkingEntry(kind="address", value="10.1.0.0/16")]
    )
    assert listed.match(["a.park.net", "b.park.net"]) is not None
    assert listed.match(["a.park.net", "ns.own.org"]) is None
    assert listed.match(["notpark.net"]) is None
    assert listed.match(["x.org"], ["10.1.2.3"]) is not None
    assert listed.match(["x.org"], ["10.1.2.3", "10.2.0.1"]) is None
    assert listed.match([]) is None


def test_the_narrowest_entry_counts() -> None:
    listed = ParkingList(
        [ParkingEntry(kind="ns", value="x.net"), ParkingEntry(kind="ns", value="good.x.net", state="regular")]
    )
    assert listed.match(["ns1.x.net"]) is not None
    assert listed.match(["ns1.good.x.net"], ["10.0.0.1"]) is None
    listed.add(ParkingEntry(kind="address", value="10.0.0.0/8"))
    listed.add(ParkingEntry(kind="address", value="10.0.0.9", state="regular"))
    assert listed.match(["ns1.x.net"], ["10.0.0.9"]) is None
    assert listed.match([], ["10.0.0.8"]) is not None


def test_what_was_taken_off_by_hand_stays_off() -> None:
    listed = ParkingList.starter()
    assert listed.remove("ns", "SedoParking.com.")
    assert not listed.remove("ns", "never.heard.of")
    assert listed.merge(ParkingList.starter()) == 0
    assert listed.match(["ns1.sedoparking.com"]) is None
    assert listed.merge([ParkingEntry(kind="ns", value="new.net", source="survey")]) == 1


def test_a_list_survives_saving() -> None:
    listed = ParkingList.starter()
    listed.add(ParkingEntry(kind="alias", value="*.Lander.test", why="ünïcode", score=0.8, checked=3.0))
    again = ParkingList.load(listed.dump())
    assert list(again) == list(listed)
    assert again.dump() == listed.dump()
    assert again.match([], [], ["a.lander.test"]) is not None


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", '{"entries": [1]}', '{"entries": [{"kind": "ns"}]}', '{"entries": 3}']
)
def test_other_files_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        ParkingList.load(text)


@pytest.mark.parametrize(
    "entry",
    [
        ParkingEntry(kind="host", value="a.net"),
        ParkingEntry(kind="ns", value="a.net", state="evil"),
        ParkingEntry(kind="ns", value="net"),
        ParkingEntry(kind="address", value="10.0.0.300"),
    ],
)
def test_entries_that_make_no_sense_are_refused(entry: ParkingEntry) -> None:
    with pytest.raises(UsageError):
        ParkingList().add(entry)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(st.text(max_size=12)), st.lists(st.text(max_size=12)), st.lists(st.text(max_size=12)))
def test_any_roots_can_be_matched(servers: list[str], addresses: list[str], aliases: list[str]) -> None:
    assert ParkingList.starter().match(servers, addresses, aliases) is None


def test_a_wrong_entry_heals() -> None:
    listed = ParkingList(
        [
            ParkingEntry(kind="ns", value="a.net", source="survey", checked=100.0),
            ParkingEntry(kind="ns", value="b.net"),
        ]
    )
    wrong = listed.get("ns", "a.net")
    assert wrong is not None
    healed = listed.correct(wrong, "regular", 0.1, "3 of 30 home pages look parked", 1000.0)
    assert (healed.state, healed.checked) == ("regular", 1000.0)
    assert listed.match(["ns.a.net"]) is None
    by_hand = listed.get("ns", "b.net")
    assert by_hand is not None
    assert listed.correct(by_hand, "regular", 0, "", 1000.0).state == "parking"


def test_probes_are_a_small_share_and_change() -> None:
    names = [f"site{i}.com" for i in range(20_000)]
    first, second = ({name for name in names if probe(name, epoch)} for epoch in (1, 2))
    assert 300 < len(first) < 500
    assert len(first & second) < 30
    assert not any(probe(name, 1, 0.0) for name in names)
    assert all(probe(name, 1, 1.0) for name in names)
