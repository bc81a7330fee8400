"""Which region a host goes to."""

from hypothesis import given
from hypothesis import strategies as st

from fieldmouse.frontier.graph_division import (
    NO_PRIORS,
    ROOM,
    SLACK,
    RegionPriors,
    UndividedHost,
    chosen_part,
)

SIZES = {"eu": 100, "us": 100}


def test_domains_come_first_then_the_suffix_then_the_country_then_links() -> None:
    host = UndividedHost("town.de", {"us": 1}, {"eu": 50}, "AT")
    priors = RegionPriors({"us": ("de",)}, {"us": ("AT",)})
    assert chosen_part(host, SIZES, priors) == ("us", "other hosts of town.de are there")
    host = host._replace(siblings={})
    assert chosen_part(host, SIZES, priors) == ("us", "domains in .de belong there")
    priors = priors._replace(domains={})
    assert chosen_part(host, SIZES, priors) == ("us", "its address is in AT, which belongs there")
    assert chosen_part(host, SIZES, NO_PRIORS) == ("eu", "50 of its 50 links are from and to hosts there")
    host = host._replace(links={}, country="")
    assert chosen_part(host, {"eu": 9, "us": 3}, priors) == ("us", "it has the fewest hosts")


def test_a_lost_region_gets_no_host() -> None:
    host = UndividedHost("town.de", {"asia": 3}, {"asia": 50})
    assert chosen_part(host, SIZES, RegionPriors({"asia": ("de",)}, {}))[0] in SIZES


@given(st.lists(st.dictionaries(st.sampled_from(["a", "b", "c"]), st.integers(0, 9)), max_size=300))
def test_links_do_not_overfill_a_region(links: list[dict[str, int]]) -> None:
    sizes = {"a": 0, "b": 0, "c": 0}
    for number, one in enumerate(links):
        region, reason = chosen_part(UndividedHost(f"d{number}.org", {}, one), sizes, NO_PRIORS)
        assert reason
        sizes[region] += 1
        assert sizes[region] <= SLACK * (sum(sizes.values()) + 1) / 3 + ROOM + 1
