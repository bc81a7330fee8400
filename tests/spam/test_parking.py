"""Home pages by name server: which servers park names, which only look like it, and what stays open."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.spam.homepage import HomePage, read_home_page
from fieldmouse.spam.parking import Business, ParkingList, judge_sample, survey

from .registry import Registry

_NAMES = """kettle harbour violin meadow lantern copper walnut glacier saffron timber orchard falcon pebble
velvet cactus anchor marble thistle beacon willow"""
NAMES = _NAMES.split()
ARTICLE = " ".join(f"word{i}" for i in range(300))


def read(domain: str, body: str, **roots: tuple[str, ...]) -> HomePage:
    return replace(read_home_page(domain, body.encode()), **roots)


@pytest.mark.parametrize(
    "body",
    [
        "<h1>kettle.com</h1><p>kettle.com is for sale!</p>",
        "<p>Buy this domain today</p>",
        "<title>kettle.com</title><p>Diese Domain steht zum Verkauf</p>",
        "<p>Ce nom de domaine est à vendre</p>",
        "<p>Домен kettle.com продается</p>",
        "<p>此域名正在出售</p>",
        "<p>This page is parked free, courtesy of Example Registrar</p>",
        "<p>kettle.com er parkert</p>",
        "<title>kettle.com</title><h2>Related Searches</h2><a href=/?q=a>a</a>",
        "<script src=//www.google.com/adsense/domains/caf.js></script>",
        "<title>Object moved</title>Object moved to <a href='https://market.test/buy?d=kettle'>here</a>",
    ],
)
def test_parked_pages_are_known_by_what_they_say(body: str) -> None:
    page = read("kettle.com", body)
    assert page.parked, page
    assert page.cues


@pytest.mark.parametrize(
    "body",
    [
        "<p>Houses for sale in your area. Make an offer!</p>",
        f"<h1>How to sell</h1><p>This domain is for sale, said the blog. {ARTICLE * 5}</p>",
        "<p>Our domain is chemistry</p>",
        "<p>Parking is behind the town hall</p>",
        "<title>Welcome to nginx!</title><p>the nginx web server is successfully installed</p>",
        "<p>Registered charity number 12345</p>",
        "Object moved to <a href='https://login.test/?return=https://kettle.com/'>here</a>",
        "",
        "\0\xff<<<>>>",
    ],
)
def test_others_are_not(body: str) -> None:
    assert not read("kettle.com", body).parked


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.binary(max_size=400), st.text(max_size=20), st.text(max_size=60))
def test_any_bytes_and_names_are_read(content: bytes, domain: str, moved: str) -> None:
    assert 0 <= read_home_page(domain, content, moved_to=moved).score <= 1


def test_huge_pages_are_read_in_time() -> None:
    for body in (b"domain " * 3_000_000, b"<p>" * 3_000_000, b"x" * 20_000_000, b"park" * 4_000_000):
        page = read_home_page("kettle.com", body)
        assert not page.parked


def parked_site(name: str, number: int) -> HomePage:
    ads = "".join(f"<li><a href=/?q={i}>ad {i}</a>" for i in range(10 + number % 3))
    return read(f"{name}.com", f"<h1>{name}.com</h1><p>This domain is for sale</p><ul>{ads}</ul>")


def own_site(name: str, number: int) -> HomePage:
    parts = "".join(
        f"<{t}>{ARTICLE}</{t}>" for t in ["p", "div", "h2", "li", "td"][number % 5 :] * (number + 1)
    )
    return read(f"{name}.org", parts)


def test_a_parking_service_is_known_with_evidence() -> None:
    pages = [parked_site(name, i) for i, name in enumerate(NAMES)]
    found = judge_sample(pages)
    assert found.business is Business.PARKING
    assert found.verdict.score == 1
    assert found.verdict.reasons[0] == "20 of 20 home pages look parked"
    assert "offers the domain for sale" in found.verdict.reasons[1]
    assert judge_sample(reversed(pages)).verdict == found.verdict


def test_mixtures_and_small_samples_stay_undecided() -> None:
    half = [parked_site(name, i) if i % 2 else own_site(name, i) for i, name in enumerate(NAMES)]
    assert judge_sample(half).business is Business.UNDECIDED
    few = judge_sample([parked_site(name, 0) for name in NAMES[:9]])
    assert (few.business, few.verdict.score) == (Business.UNDECIDED, 0)
    assert judge_sample([]).business is Business.UNDECIDED
    assert judge_sample([parked_site("kettle", 0)] * 50).business is Business.UNDECIDED


def test_false_friends_are_regular() -> None:
    def business(body: str, label: str = "") -> Business:
        pages = [read(f"{label}{name}.com", body.format(d=f"{name}.com")) for name in NAMES]
        return judge_sample(pages).business

    assert business("<title>Welcome to nginx!</title><h1>Welcome to nginx!</h1>") is Business.REGULAR
    assert business("<h1>{d}</h1><p>Coming soon</p>") is Business.REGULAR
    assert business(f"<h1>Acme</h1><p>{ARTICLE}</p>") is Business.REGULAR  # a site builder's frame
    assert business("<h1>Acme</h1><p>Buy this domain of ours</p>", "acmeworks-") is Business.REGULAR
    assert business("<div id=app></div><script src=a.js></script>") is Business.UNDECIDED  # anything


def test_pages_without_words_join_a_proven_service_only() -> None:
    script = [read(f"{name}.net", "<div id=x></div><script src=l.js></script>") for name in NAMES]
    assert judge_sample(script).business is Business.UNDECIDED
    proven = [*script, *(parked_site(name, i) for i, name in enumerate(NAMES[:8]))]
    assert judge_sample(proven).business is Business.PARKING


def test_names_of_a_shared_server_are_told_apart_by_address() -> None:
    pages = []
    for i, name in enumerate(NAMES):
        roots = {"name_servers": ("ns1.registrar.net",)}
        body = f"<h1>{name}.com</h1><p>This domain is for sale</p>"
        pages.append(read(f"{name}.com", body, **roots, addresses=("10.0.0.1",)))
        other = own_site(name, i)
        pages.append(
            HomePage(domain=other.domain, shape=other.shape, words=300, addresses=("10.0.0.2",), **roots)
        )
    found = survey(pages, now=7.0)
    listed = ParkingList(found.entries)
    assert {(one.kind, one.value, one.state) for one in listed} == {
        ("address", "10.0.0.1/32", "parking"),
        ("ns", "registrar.net", "shared"),
    }
    assert listed.match(["ns1.registrar.net"], ["10.0.0.1"]) is not None
    assert listed.match(["ns1.registrar.net"], ["10.0.0.2"]) is None


def test_a_generated_registry_is_judged_well() -> None:
    """The floor is far below what `bench/parked.py` measures on 50,000 pages, but above chance."""
    sites = list(Registry(11, servers=30, websites=700))
    pages = [
        replace(
            read_home_page(site.domain, site.html),
            name_servers=site.name_servers,
            addresses=(site.address,),
            aliases=(site.alias,) if site.alias else (),
        )
        for site in sites
    ]
    listed = ParkingList(survey(pages[::2]).entries)
    skipped = [
        listed.match(site.name_servers, (site.address,), (site.alias,) if site.alias else ()) is not None
        for site in sites[1::2]
    ]
    truths = [site.truth for site in sites[1::2]]
    lost = sum(skip for skip, truth in zip(skipped, truths, strict=True) if truth == "relevant")
    caught = sum(skip for skip, truth in zip(skipped, truths, strict=True) if truth == "parked")
    assert lost <= 0.005 * truths.count("relevant")
    assert caught >= 0.6 * truths.count("parked") > 0


def test_a_wordless_page_made_by_a_site_that_is_told_its_name_is_a_hint() -> None:
    lander = "<title>{n}</title><div id=x></div><script src='//cdn.lander.test/l.js?d={n}'></script>"
    pages = [read(f"{name}.com", lander.format(n=f"{name}.com")) for name in NAMES]
    assert all(page.hinted for page in pages)
    assert judge_sample(pages).business is Business.PARKING
    for told in (
        "/app.js?d=kettle.com",
        "//kettle.com/app.js?d=kettle",
        "//cdn.test/a.js",
        "//id.test/?next=kettle",
    ):
        assert not read("kettle.com", f"<div id=x></div><script src='{told}'></script>").hinted, told
    spoken = f"<p>{ARTICLE}</p><script src='//cdn.lander.test/l.js?d=kettle.com'></script>"
    assert not read("kettle.com", spoken).hinted


def test_half_proven_and_nothing_else_to_read_is_a_parking_service() -> None:
    proven = [parked_site(name, i) for i, name in enumerate(NAMES[:10])]
    strange = [
        read(
            f"{name}.net",
            "".join(f"<{tag}>{name}</{tag}>" for tag in ["p", "b", "td", "li"][i % 4 :] * (i + 1)),
        )
        for i, name in enumerate(NAMES[10:])
    ]
    found = judge_sample([*proven, *strange])
    assert found.business is Business.PARKING
    assert "almost none of the others" in " ".join(found.verdict.reasons)
    speaking = [own_site(name, i) for i, name in enumerate(NAMES[10:])]
    assert judge_sample([*proven, *speaking]).business is Business.UNDECIDED


def test_few_names_settle_an_address_when_they_agree() -> None:
    shared = {"name_servers": ("ns1.registrar.test",)}
    sites = [
        read(f"{name}.org", f"<p>{ARTICLE}</p>" * (i + 1), addresses=(f"10.0.0.{i}",), **shared)
        for i, name in enumerate(NAMES)
    ]
    lots = [
        read(
            f"{name}x.com",
            f"<h1>{name}x.com</h1><p>This domain is for sale",
            addresses=("10.9.9.9",),
            **shared,
        )
        for name in NAMES[:4]
    ]
    listed = ParkingList(survey([*sites, *lots]).entries)
    assert listed.match(["ns1.registrar.test"], ["10.9.9.9"]) is not None
    assert listed.match(["ns1.registrar.test"], ["10.0.0.3"]) is None
    assert survey([*sites, *lots[:2]]).entries == ()
