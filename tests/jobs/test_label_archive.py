"""Labels of an archive: labelling, review, training, classifying, and crawls for a class."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from fieldmouse.crawl.page_classes import WINDOW, PageSorter, Tunnel, load_classifier, page_sorter
from fieldmouse.crawl.study import Rules, study
from fieldmouse.errors import ConfigError, UsageError
from fieldmouse.frontier.scope import CrawlScope
from fieldmouse.jobs.label_archive import (
    LabelOrder,
    agreement,
    answer_review,
    archive_classes,
    label_archive,
    review_list,
    suggest_keywords,
)
from fieldmouse.jobs.train_classes import class_topic, classify_pages, save_classifier, train_classes
from fieldmouse.labels.classes import from_toml
from fieldmouse.settings import Settings, with_overrides
from fieldmouse.store.contract import Store
from fieldmouse.types import Ticket
from fieldmouse.urls import Canon
from tests.labels.sites import class_list, site, sites
from tests.store.answers import BEGAN, answer
from tests.store.stores import found, make, opened

SITES = sites(90)
TRUTH = {f"http://{host}/": name for host, _, name in SITES}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    settings = make(tmp_path / "a")
    with opened(tmp_path / "a", settings) as one:
        one.seed({host: [f"http://{host}/"] for host, _, _ in SITES}, BEGAN)
        one.lease(BEGAN, len(SITES))
        one.commit([found(f"http://{host}/", html) for host, html, _ in SITES], BEGAN)
        yield one


def labelled(store: Store, **options: object) -> None:
    label_archive(store, LabelOrder(classes=class_list(), **options), BEGAN)  # type: ignore[arg-type]


def test_sites_are_labelled_with_evidence(store: Store) -> None:
    report = label_archive(store, LabelOrder(classes=class_list()), BEGAN)
    assert report.pages == len(SITES)
    rows = [one for one in store.labels.all("three") if one.chosen]
    assert len(rows) == report.labelled > 0.6 * len(SITES)
    assert sum(TRUTH[one.url] == one.name for one in rows) > 0.95 * len(rows)
    assert all(one.evidence for one in rows)
    assert archive_classes(store).names == class_list().names
    assert report.expected_accuracy is not None
    assert report.expected_accuracy >= 0.9


def test_private_pages_are_in_no_training_set(store: Store) -> None:
    hidden = replace(found("http://hidden.test/", SITES[0][1]), private=True)
    store.seed({"hidden.test": ["http://hidden.test/"]}, BEGAN)
    store.lease(BEGAN, 1)
    store.commit([hidden], BEGAN)
    labelled(store, every_page=True)
    assert {one.url for one in store.labels.all("three")} <= TRUTH.keys()


def test_the_published_pipeline_labels_by_name(store: Store) -> None:
    report = label_archive(store, LabelOrder(classes=class_list(), published=True), BEGAN)
    assert 0 < report.labelled <= report.split <= report.pages
    assert all(TRUTH[one.url] == one.name for one in store.labels.all("three") if one.chosen)


def test_an_archive_without_pages_or_labels_says_what_to_do(tmp_path: Path) -> None:
    settings = make(tmp_path / "a")
    with opened(tmp_path / "a", settings) as store:
        with pytest.raises(UsageError, match="crawl or import"):
            labelled(store)
        with pytest.raises(UsageError, match="run `label --classes FILE` first"):
            archive_classes(store)
        with pytest.raises(UsageError, match="`train classes` first"):
            list(classify_pages(store, BEGAN))


def test_review_shows_the_least_certain_first_and_an_answer_wins(store: Store) -> None:
    labelled(store)
    with store.reader() as reader:
        items = review_list(reader, most=10)
    doubts = [abs(one.probability - 0.5) for one in items]
    assert doubts == sorted(doubts)
    url = items[0].url
    answer_review(store, url, [TRUTH[url]], BEGAN)
    answer_review(store, items[1].url, [], BEGAN)
    with store.reader() as reader:
        assert url not in [one.url for one in review_list(reader, most=100)]
        assert agreement(reader).answers == 2
        rows = list(reader.query(f"SELECT class, source FROM labels WHERE url = '{url}'", 10, {})[1])
    assert rows == [(TRUTH[url], "person")]
    report = label_archive(store, LabelOrder(classes=class_list()), BEGAN)
    assert report.answers == 2
    assert report.agreement is not None
    with pytest.raises(UsageError, match="no class 'gems'; there are games"):
        answer_review(store, url, ["gems"], BEGAN)
    with pytest.raises(UsageError, match="not in this archive"):
        answer_review(store, "http://nowhere.test/", [], BEGAN)


def test_a_classifier_is_trained_saved_and_applied(store: Store) -> None:
    labelled(store)
    with store.reader() as reader:
        trained = train_classes(reader)
    assert trained.accuracy > 0.9
    save_classifier(trained, store.folder)
    sorted_ = dict(classify_pages(store, BEGAN))
    assert len(sorted_) == len(SITES)
    best = {url: one.found[0][0] for url, one in sorted_.items() if one.found}
    assert len(best) > 0.8 * len(SITES)
    assert sum(TRUTH[url] == name for url, name in best.items()) > 0.95 * len(best)
    assert dict(store.labels.class_counts("three"))["games"] == sum(
        "games" in dict(one.found) for one in sorted_.values()
    )


def test_a_damaged_classifier_says_what_to_do(store: Store) -> None:
    labelled(store)
    with store.reader() as reader:
        file = save_classifier(train_classes(reader), store.folder)
    file.write_bytes(file.read_bytes()[:-50])
    with pytest.raises(ConfigError, match="remove it, or run `train classes`"):
        load_classifier(store.folder)


def test_too_few_labels_to_train_on(store: Store) -> None:
    labelled(store, least=1.0)
    with store.reader() as reader, pytest.raises(UsageError, match="0 pages of 0 classes have a label"):
        train_classes(reader)


def test_one_class_is_learned_beside_pages_without_a_label(store: Store) -> None:
    """Where no page of the other classes is sure enough, there is still something to tell it from."""
    labelled(store)
    rows = [one._replace(chosen=one.chosen and one.name == "games") for one in store.labels.all("three")]
    store.labels.put("three", rows)
    with store.reader() as reader:
        trained = train_classes(reader)
    assert trained.pages == sum(one.chosen for one in rows) >= 10
    store.labels.put("three", [one for one in rows if one.chosen])
    with store.reader() as reader, pytest.raises(UsageError, match="pages of 1 classes have a label"):
        train_classes(reader)


def test_a_topic_is_made_of_a_class(store: Store) -> None:
    labelled(store)
    with store.reader() as reader:
        assert class_topic(reader, class_list(), "games") == "class games"
        with pytest.raises(UsageError, match="no class 'sport'"):
            class_topic(reader, class_list(), "sport")
    assert (store.folder / "topics" / "class-games.toml").is_file()


def test_keywords_are_suggested_from_wordnet_and_from_pages(store: Store) -> None:
    alone = suggest_keywords("car", None)
    assert (alone[0].word, alone[0].source) == ("car", "name")
    assert any(one.source.startswith("WordNet") for one in alone)
    with store.reader() as reader:
        words = {one.word for one in suggest_keywords("kitchen", reader)}
    assert words & {"butter", "onion", "oven", "flour", "recipe", "cook"}
    with pytest.raises(UsageError, match="no word in the class"):
        suggest_keywords("the", None)


def test_suggested_words_belong_to_the_subject_in_their_usual_sense() -> None:
    insurance = {one.word for one in suggest_keywords("insurance", None)}
    assert "life assurance" in insurance
    assert not insurance & {"see", "check", "car insurance"}
    assert {"soccer", "rugby", "quarterback"} <= {one.word for one in suggest_keywords("football", None)}
    assert "honeybee" in {one.word for one in suggest_keywords("bees", None)}
    estate = suggest_keywords("real estate", None)
    assert (estate[0].word, estate[0].weight) == ("real estate", 5.0)
    assert "real" not in {one.word for one in estate}
    assert [one.word for one in suggest_keywords("zzxq", None)] == ["zzxq"]


# --- while crawling ---


def settings(**labels: object) -> Settings:
    return with_overrides(Settings(), {f"labels.{name}": value for name, value in labels.items()})


def visit(sorter: PageSorter | None, name: str, level: int = 0) -> object:
    """What the study of a page of a class finds."""
    host, html = site(name, 1, random.Random(5), clear=True)
    html += b'<a href="/more">more</a>'
    ticket = Ticket(url=f"http://{host}/", host=host, level=level)
    outcome = answer(html, url=ticket.url, began=BEGAN, headers=(("content-type", "text/html"),))
    rules = Rules(Settings(), Canon(), CrawlScope(Settings().scope, [host]), sorter=sorter)
    return study(ticket, outcome, None, rules)


@pytest.mark.parametrize("trained", [True, False])
def test_new_pages_are_classified_and_limited_to_a_class(store: Store, trained: bool) -> None:
    learner = None
    if trained:
        labelled(store)
        with store.reader() as reader:
            learner = train_classes(reader).learner
    sorter = PageSorter(class_list(), learner, only="games", exclude=("banking",), tunnel=2)
    good, bad = visit(sorter, "games"), visit(sorter, "cooking")
    assert good.finding.classes.found[0][0] == "games"
    assert good.content.kept
    assert good.content.links
    assert not bad.content.kept
    assert bad.finding.note.startswith("class: not games")
    assert bad.content.links  # what lies behind may be of the class
    assert visit(sorter, "cooking", level=1).content.links
    assert not visit(sorter, "cooking", level=2).content.links
    refused = visit(sorter, "banking")
    assert refused.finding.note == "class: banking is excluded"
    assert not refused.content.links
    assert visit(None, "games").finding.classes is None


def test_a_focused_crawl_counts_the_class_and_not_the_words() -> None:
    sorter = PageSorter(class_list(), prefer="games")
    good, bad = visit(sorter, "games"), visit(sorter, "cooking")
    assert bad.content.kept
    assert sorter.relevance(good.finding.classes).score > 0.5
    found = sorter.relevance(bad.finding.classes)
    assert found.score == 0
    assert found.reasons[0].startswith("class: cooking")
    assert sorter.relevance(None) is None
    assert PageSorter(class_list(), only="games").relevance(good.finding.classes) is None


def test_a_tunnel_closes_when_it_leads_nowhere() -> None:
    tunnel = Tunnel(2)
    assert tunnel.open(1)
    assert tunnel.open(2)
    assert not tunnel.open(3)
    for _ in range(WINDOW):
        assert tunnel.open(2)
        tunnel.learn(2, found=False)
    tunnel.learn(2, found=False)
    assert not tunnel.open(2)
    assert not tunnel.open(1), "what is beyond a level counts for it"
    for n in range(WINDOW):
        tunnel.learn(1, found=n % 4 == 0)
    assert tunnel.open(1)
    assert not tunnel.open(2)
    for _ in range(2 * WINDOW):
        tunnel.learn(1, found=False)
    assert not tunnel.open(1), "what it led to long ago does not count"


def test_the_sorter_of_a_crawl_comes_from_the_settings(store: Store, tmp_path: Path) -> None:
    assert page_sorter(store.folder, settings()) is None
    with pytest.raises(UsageError, match=r"set labels\.classes"):
        page_sorter(store.folder, settings(only="games"))
    adult = page_sorter(store.folder, settings(classes="adult", exclude=("adult",)))
    assert adult is not None
    assert adult.learner is None
    with pytest.raises(UsageError, match="no class 'porn'"):
        page_sorter(store.folder, settings(classes="adult", exclude=("porn",)))
    labelled(store)
    with store.reader() as reader:
        save_classifier(train_classes(reader), store.folder)
    own = page_sorter(store.folder, settings(only="games"))
    assert own is not None
    assert own.learner is not None
    assert page_sorter(store.folder, settings(classify_new=False)) is None


def test_one_class_is_enough(store: Store) -> None:
    one = from_toml("[classes.games]\nkeywords = ['game', 'play']", "one.toml")
    report = label_archive(store, LabelOrder(classes=one), BEGAN)
    assert "only one class" in report.warnings[0]
    assert {TRUTH[row.url] for row in store.labels.all("one") if row.chosen} == {"games"}
