"""Made-up sites: the same seed gives the same bytes, truth is true, and noise touches no facts."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bench import changes, fact_recall
from bench.sites.content import Fact, TrueChange
from bench.sites.everyday_sites import PARTS, EverydaySite
from bench.sites.fetches import Fetch
from bench.sites.kinds import KINDS
from bench.sites.noises import NOISES
from bench.sites.site_templates import TEMPLATES
from bench.sites.strange_noises import STRANGE_NOISES
from bench.sites.visits import ALL_NOISES, HALVES, MadeSite, made_sites
from bench.sites.words import LANGUAGES, LATER_LANGUAGES, Words

# Cents that are raised figures have no sign before them: readers see that they are raised.
RAISED = "\0"
CENTS = re.compile(r"(?<=\d)[.,٫](?=\d\d(?!\d))")


class TextParser(HTMLParser):
    """The visible text of a page, by another parser than ours.

    Pictures say what their alternative text says: an icon names a fact, or is its value. Fields show their
    value, unless they are hidden.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden += tag in ("script", "style", "title")
        given = dict(attrs)
        if tag == "sup":
            self.parts.append(RAISED)
        elif tag == "img":
            self.parts.append(given.get("alt") or "")
        elif tag == "input" and given.get("type") == "text":
            self.parts.append(given.get("value") or "")

    def handle_endtag(self, tag: str) -> None:
        self.hidden -= tag in ("script", "style", "title")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def visible(html: str) -> str:
    """The visible text without any white space, so that markup inside of words does not matter."""
    parser = TextParser()
    parser.feed(html)
    return squeezed("".join(parser.parts))


def seen(fetch: Fetch, site: MadeSite) -> str:
    return visible(fetch.html.decode(TEMPLATES[site.template](site.name).charset(site.language)))


def squeezed(text: str) -> str:
    return "".join(text.split())


def shows(page: str, text: str) -> bool:
    """Whether the visible text of a page has a text."""
    return squeezed(text) in page or CENTS.sub(RAISED, squeezed(text)) in page


ALL = [
    MadeSite(kind, template, LANGUAGES[(row + column) % 5], 7, NOISES, pages=2, visits=4, changing=1)
    for row, kind in enumerate(KINDS)
    for column, template in enumerate(TEMPLATES)
    if (row + column) % 4 == 0
]  # fmt: skip


def test_halves_share_no_kind_and_no_template() -> None:
    """But those that write the usual kinds with other templates."""
    assert HALVES["more"][0] == HALVES["dev"][0]
    again = ("more", "ordinary", "plain")
    parts = [kinds for name, (kinds, _) in HALVES.items() if name not in again]
    assert sorted(kind for kinds in parts for kind in kinds) == sorted(KINDS)
    assert sorted(one for _, templates in HALVES.values() for one in templates) == sorted(TEMPLATES)
    dev, held = HALVES["dev"], HALVES["held"]
    assert len(dev[0]) + len(held[0]) >= 12
    assert len(dev[1]) + len(held[1]) >= 6
    assert {site.template for site in ALL} == set(TEMPLATES)


def test_languages_have_the_same_tables() -> None:
    wanted = Words("en")
    for language in LANGUAGES:
        words = Words(language)
        for table in ("labels", "heads", "values", "strange"):
            assert words[table].keys() == wanted[table].keys()


@pytest.mark.parametrize("site", ALL[::7], ids=lambda site: site.name)
def test_the_same_seed_gives_the_same_bytes(site: MadeSite) -> None:
    again = MadeSite(**{name: getattr(site, name) for name in site.__dataclass_fields__})
    assert list(site) == list(again)
    other = MadeSite(site.kind, site.template, site.language, seed=8, pages=1, visits=1)
    assert next(iter(other)).fetch.html != next(iter(site)).fetch.html


@pytest.mark.parametrize(
    ("html", "there", "missing"),
    [
        ("<p>price <b>1</b>9,99 €</p>", "19,99 €", "19,98 €"),
        ("<p>19<sup>99</sup> €</p>", "19,99 €", "19,98 €"),
        ("<p>19 <b>99</b> €</p>", "19 99 €", "19,99 €"),
        ("<p>19<sup>99</sup> €</p>", "19", "1999"),
        ('<img alt="landed" title="late" src="on-time.png">', "landed", "late"),
        ('<img alt="landed" title="late" src="on-time.png">', "landed", "on-time"),
        ('<input type="text" value="Kelby" name="Corley" readonly>', "Kelby", "Corley"),
        ('<input type="hidden" value="Corley"><p>Kelby</p>', "Kelby", "Corley"),
        ('<title>Corley</title><p content="Corley">Kelby</p><script>"Corley"</script>', "Kelby", "Corley"),
    ],
)
def test_what_is_not_on_a_page_is_not_seen(html: str, there: str, missing: str) -> None:
    assert shows(visible(html), there)
    assert not shows(visible(html), missing)


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_a_page_is_true(kind: str) -> None:
    """Facts, main text and the texts of true changes are visible; each true change alters what is visible."""
    for site in (one for one in ALL if one.kind == kind):
        tell_the_truth(site)
        assert all(visit.control.html != visit.fetch.html for visit in site)


def tell_the_truth(site: MadeSite) -> None:
    """Every page of a site that changes at each visit shows what is said of it."""
    last: dict[int, tuple[str, str]] = {}
    for visit in site:
        text = seen(visit.fetch, site)
        assert visit.fetch.facts
        for fact in visit.fetch.facts:
            assert shows(text, fact.label)
            assert shows(text, fact.value)
        for line in visit.fetch.main.split("\n"):
            assert shows(text, line)
        assert visit.control.facts == visit.fetch.facts
        assert visit.control.main == visit.fetch.main
        if visit.number:
            before, main = last[visit.page]
            assert visit.change is not None
            assert visit.fetch.main != main
            assert shows(text, visit.change.new)
            assert shows(before, visit.change.old)
            assert visit.change.old != visit.change.new
        last[visit.page] = text, visit.fetch.main


@pytest.mark.parametrize("kind", HALVES["strange"][0])
def test_strange_sites_tell_the_truth_in_all_languages(kind: str) -> None:
    """With the noises that each of them draws, and with all noises of the part at once."""
    drawn = [one for one in made_sites("strange", 7, pages=2, visits=4, changing=1) if one.kind == kind]
    every = [
        MadeSite(kind, template, language, 7, STRANGE_NOISES, pages=1, visits=3, changing=1)
        for template, language in zip(HALVES["strange"][1], LATER_LANGUAGES, strict=True)
    ]
    for site in (*drawn, *every):
        tell_the_truth(site)


@pytest.mark.parametrize("template", HALVES["strange"][1])
def test_without_noises_strange_pages_say_nothing_else(template: str) -> None:
    """What is visible differs between visits only where the page itself was changed."""
    for kind, language in zip(HALVES["strange"][0], LATER_LANGUAGES * 3, strict=False):
        site = MadeSite(kind, template, language, 5, pages=1, visits=6, changing=0.5)
        last = ""
        for visit in site:
            text = seen(visit.fetch, site)
            assert text == seen(visit.control, site)
            assert visit.number == 0 or (text != last) == (visit.change is not None)
            last = text


def test_noise_alone_touches_nothing_of_the_page() -> None:
    site = MadeSite("shop", "semantic", "en", seed=3, noises=ALL_NOISES, pages=2, visits=6, changing=0)
    visits = list(site)
    for page in range(2):
        mine = [one for one in visits if one.page == page]
        assert {one.fetch.main for one in mine} == {mine[0].fetch.main}
        assert {one.fetch.facts for one in mine} == {mine[0].fetch.facts}
        assert len({one.fetch.html for one in mine}) == len(mine)
        assert all(one.change is None for one in mine)


@pytest.mark.parametrize("noise", ALL_NOISES)
def test_every_noise_makes_a_difference(noise: str) -> None:
    fetches = [
        visit.fetch.html
        for seed in range(3)
        for visit in MadeSite("shop", "semantic", "en", seed, (noise,), pages=1, visits=12, changing=0)
    ]
    assert len(set(fetches)) > 3


def test_a_site_without_noise_is_the_same_at_each_visit() -> None:
    site = MadeSite("register", "cards", "fr", seed=3, pages=1, visits=5, changing=0)
    assert len({visit.fetch.html for visit in site} | {visit.control.html for visit in site}) == 1


def test_views_only_rise() -> None:
    site = MadeSite("shop", "minimal", "en", 5, ("views",), pages=1, visits=8, changing=0)
    frames = [set(fetch.frame.split("\n")) for visit in site for fetch in (visit.fetch, visit.control)]
    steady = set.intersection(*frames)
    numbers = [int("".join(filter(str.isdigit, (one - steady).pop()))) for one in frames]
    assert len(set(numbers)) == 16
    assert numbers == sorted(numbers)


def test_a_redesign_changes_the_frame_of_all_pages_at_once() -> None:
    site = MadeSite("estate", "div_soup", "de", 5, pages=3, visits=4, changing=0, redesign=2)
    for visit in site:
        assert visit.redesigned == (visit.number == 2)
    frames = [{visit.fetch.frame for visit in site if (visit.number >= 2) == late} for late in (False, True)]
    assert [len(one) for one in frames] == [1, 1]
    assert frames[0] != frames[1]


def test_the_true_difference_itself_is_asked_for() -> None:
    price = TrueChange("number", "12 €", "13 €")
    assert changes.counts(price, ["Price: 13 €"])
    assert not changes.counts(price, ["113 visitors", "120 €"])
    text = TrueChange("sentence", "", "Nobody remembers such a winter in town.")
    assert changes.counts(text, ["It rained. Nobody remembers such a winter in town. It snowed."])
    assert not changes.counts(text, ["It rained."])


def test_facts_need_label_and_value_in_one_line() -> None:
    site = next(iter(made_sites("dev", noises=(), pages=1, visits=1)))
    fetch = Fetch("", 0, b"", (Fact("Price", "12 €"),), "Price 12 €", "Home Contact")

    class Given:
        def __init__(self, text: str) -> None:
            self.text = text

    def kept(text: str) -> fact_recall.Kept:
        return fact_recall.kept(site, "alone", fetch, Given(text))  # type: ignore[arg-type]

    assert kept("Price: 12 €").facts == 1
    assert (kept("Price\n12 €").facts, kept("Price\n12 €").near) == (0, 1)
    assert kept("Price: 112 €").near == 0
    assert (kept("Price 12 €\nHome").junk, kept("Price 12 €").junk) == (0.5, 0)


def test_a_small_run_of_both(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With one page a site nothing can be learned of other pages, and figures are made all the same."""
    file = tmp_path / "out.json"
    assert changes.main(["--pages=1", "--noises=ad,views", f"--json={file}"]) == 0
    found = json.loads(file.read_text("utf-8"))
    assert found["digest"]["noiseless"]["event_recall"] == 1
    assert found["digest"]["noiseless"]["precision"] == 1
    assert found["digest"]["noise"]["precision"] < 0.6
    assert set(found["figures"]) >= {"changes.dev_plain_recall", "changes.dev_plain_precision_5"}
    assert fact_recall.main(["--pages=4", f"--json={file}"]) == 0
    found = json.loads(file.read_text("utf-8"))
    assert found["alone"]["all"]["pages"] == 4 * 9 * 4
    assert 0 < found["siblings"]["all"]["facts"] <= 1
    assert "half dev" in capsys.readouterr().out


def test_errors_are_shown_of_the_development_half_only(capsys: pytest.CaptureFixture[str]) -> None:
    sites = [MadeSite("shop", "semantic", "en", 1, ("views",), pages=1)]
    alarms = list(changes.errors(sites, changes.WAYS[0]))
    calm = [visit.number for visit in sites[0] if visit.number >= 5 and not visit.change]
    assert [line.split(": ")[1].split()[-1] for line in alarms] == [str(number) for number in calm]
    assert all(line.startswith("alarm: ") and "views" in line for line in alarms)
    with pytest.raises(SystemExit):
        changes.main(["--show=3", "--half=held"])
    assert "--show is for dev and more" in capsys.readouterr().err


def test_an_unknown_noise_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        changes.main(["--noises=ad,drums"])
    assert "no such noise: drums" in capsys.readouterr().err


def test_facts_beside_the_text_count_where_prose_outweighs_them() -> None:
    site = next(iter(made_sites("dev", noises=(), pages=1, visits=1)))

    class Given:
        text, facts = "A long story.", (("Price", "12 €", ""),)

    def kept(*, reading: bool) -> fact_recall.Kept:
        fetch = Fetch("", 0, b"", (Fact("Price", "12 €"),), "A long story.", "", reading)
        return fact_recall.kept(site, "alone", fetch, Given())  # type: ignore[arg-type]

    assert (kept(reading=True).facts, kept(reading=True).in_text) == (1, 0)
    assert kept(reading=False).facts == 0


@pytest.mark.parametrize(
    ("kind", "template"),
    [(kind, template) for kinds, templates, _ in PARTS.values() for kind in kinds for template in templates],
)
def test_everyday_sites_show_what_changed_and_nothing_else_without_noises(kind: str, template: str) -> None:
    site = EverydaySite(kind, template, 7, pages=1, visits=5, changing=1.0)
    before = ""
    for visit in site:
        text = visible(visit.fetch.html.decode())
        assert text == visible(visit.control.html.decode())
        assert all(shows(text, one.value) for one in visit.fetch.facts)
        if visit.change is not None:
            assert text != before
            assert shows(text, visit.change.new)
            assert shows(before, visit.change.old)
        before = text


@pytest.mark.parametrize("noise", [noise for *_, noises in PARTS.values() for noise in noises])
def test_everyday_noises_differ_now_and_then(noise: str) -> None:
    site = EverydaySite("product", "bootstrap", 7, (noise,), pages=1, visits=9, changing=0.0)
    assert len({visit.fetch.html.partition(b"<body")[2].partition(b"<script")[0] for visit in site}) > 1
