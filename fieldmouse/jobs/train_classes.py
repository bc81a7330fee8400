"""Trains the classifier of pages on the labels of an archive, applies it, and makes a topic of a class."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from fieldmouse.crawl.guide_setup import stored_text, topic_file
from fieldmouse.crawl.page_classes import LIST_FILE, MODEL_FILE, PageSorter, load_classifier
from fieldmouse.crawl.study import HTML
from fieldmouse.errors import UsageError
from fieldmouse.files.append_only import replace as replace_file
from fieldmouse.focus import topic as topics
from fieldmouse.focus.words import Stems, words
from fieldmouse.labels.classes import ClassList, to_toml_text
from fieldmouse.labels.evidence import EvidenceReader, PageEvidence
from fieldmouse.labels.page_classifier import PARTS, PageClassifier
from fieldmouse.labels.split import NameSplitter
from fieldmouse.learn.learner import TrainingRecord, make_learner
from fieldmouse.page.read import read
from fieldmouse.store.contract import Store, StoreReader
from fieldmouse.types import PageClasses, PageRecord
from fieldmouse.urls import host_key

from .label_archive import archive_classes, page_evidence

LEAST_PAGES = 10  # with a label
BATCH = 200
EXAMPLES = 40  # pages of a class, and of others, that teach the topic of a class


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedPageClassifier:
    """A trained classifier of pages with its figures."""

    learner: PageClassifier
    classes: ClassList
    pages: int
    answered: int  # of these, by a person
    accuracy: float  # share of pages of hosts left out whose best class is one of their labels


def training_labels(reader: StoreReader, classes: ClassList) -> dict[str, tuple[str, ...]]:
    """The classes of pages by URL: a person's answers, else labels that are sure enough."""
    answers = {one.page: one.names for one in reader.labels.answers(classes.name)}
    found: dict[str, tuple[str, ...]] = {}
    for row in reader.labels.all(classes.name):
        if row.page in answers:
            found[row.url] = answers[row.page]
        elif row.chosen:
            found[row.url] = (*found.get(row.url, ()), row.name)
    return found


def train_classes(reader: StoreReader, name: str = "", *, seed: int = 1) -> TrainedPageClassifier:
    """Train the classifier on the labels of a list, by default the last one."""
    classes = archive_classes(reader, name)
    labels = training_labels(reader, classes)
    used = {one for names in labels.values() for one in names}
    if len(labels) < LEAST_PAGES or len(used) < min(2, len(classes.classes)):
        raise UsageError(
            f"{len(labels)} pages of {len(used)} classes have a label; "
            f"at least {LEAST_PAGES} pages of 2 classes are needed to learn from. "
            "Crawl more sites and `label` them, or `label review` some"
        )
    using = EvidenceReader(classes, NameSplitter())
    pages: list[PageEvidence] = []
    sets: list[frozenset[int]] = []
    hosts: list[str] = []
    newest = 0.0
    for url, names in labels.items():
        page = reader.page(url)
        if page is None or page.version is None:
            continue
        newest = max(newest, page.last_visit)
        pages.append(page_evidence(reader, page, using))
        sets.append(frozenset(classes.names.index(one) for one in names if one in classes.names))
        hosts.append(host_key(url))

    def fitted(places: list[int]) -> PageClassifier:
        made = make_learner("words", classes=classes.names, seed=seed)
        assert isinstance(made, PageClassifier)
        chosen = [pages[one] for one in places], [sets[one] for one in places]
        return made.fit_sets(*chosen, [hosts[one] for one in places])

    parts = {host: place % PARTS for place, host in enumerate(sorted(set(hosts)))}
    right = tested = 0
    for part in range(PARTS):
        kept = [place for place, host in enumerate(hosts) if parts[host] != part]
        left = [place for place, host in enumerate(hosts) if parts[host] == part and sets[place]]
        if not kept or not left:
            continue
        model = fitted(kept)
        for place in left:
            odds = model.odds(pages[place])
            right, tested = right + (int(odds.argmax()) in sets[place]), tested + 1
    learner = fitted(list(range(len(pages))))
    accuracy = right / tested if tested else 0.0
    date = datetime.fromtimestamp(newest, UTC).date().isoformat()
    learner.training = TrainingRecord(
        f"the archive's own labels by {classes.name}", date, {"agreement_on_other_hosts": round(accuracy, 4)}
    )
    answered = sum(1 for one in reader.labels.answers(classes.name))
    return TrainedPageClassifier(
        learner=learner, classes=classes, pages=len(pages), answered=answered, accuracy=accuracy
    )


def save_classifier(trained: TrainedPageClassifier, folder: Path) -> Path:
    """Write the classifier into the archive; from then on new pages are classified by it."""
    target = folder / "models" / MODEL_FILE
    target.parent.mkdir(exist_ok=True)
    replace_file(target.with_name(LIST_FILE), [to_toml_text(trained.classes).encode()])
    replace_file(target, [trained.learner.save()])
    return target


def classify_pages(
    store: Store, now: float, progress: Callable[[int], None] = lambda _: None
) -> Iterator[tuple[str, PageClasses]]:
    """Sort every stored page by the archive's classifier; each batch is stored before it is returned."""
    trained = load_classifier(store.folder)
    if trained is None:
        raise UsageError("this archive has no classifier yet; run `label` and `train classes` first")
    sorter = PageSorter(trained[1], trained[0])
    batch: list[tuple[PageRecord, PageClasses]] = []
    done = 0

    def stored() -> Iterator[tuple[str, PageClasses]]:
        store.labels.put_classes([(page.id, found) for page, found in batch], now)
        yield from [(page.url, found) for page, found in batch]
        batch.clear()

    with store.reader() as reader:
        for page in reader.pages():
            if page.version is not None and page.version.mime in HTML:
                response = reader.response(page.version)
                kind, index = response.header("content-type"), reader.tags(page.version)
                facts = read(response.content, content_type=kind, index=index)
                batch.append((page, sorter.sort(page.host, response.content, facts)))
                done += 1
                progress(done)
            if len(batch) >= BATCH:
                yield from stored()
        yield from stored()


def class_topic(reader: StoreReader, classes: ClassList, name: str) -> str:
    """Make a topic of a class, so that a crawl can look for it; returns the name of the topic.

    Its keywords are those of the class; labelled pages of the class and of other classes are its examples.
    """
    chosen = next((one for one in classes.classes if one.name == name), None)
    if chosen is None:
        known = ", ".join(classes.names)
        raise UsageError(f"the list {classes.name!r} has no class {name!r}; there are {known}")
    stems = Stems()
    single = {word: weight for word, weight in chosen.keywords.items() if len(words(word)) == 1}
    keywords: dict[str, topics.Keyword] = {}
    for word, weight in sorted(single.items(), key=lambda one: -one[1]):
        if term := stems[words(word)[0]]:
            keywords.setdefault(term, topics.Keyword(word, term, float(weight) / max(single.values())))
    on: list[topics.TopicExample] = []
    off: list[topics.TopicExample] = []
    for url, names in training_labels(reader, classes).items():
        side, relevant = (on, True) if name in names else (off, False)
        page = reader.page(url)
        if len(side) < EXAMPLES and page is not None and page.version is not None:
            text = stored_text(reader, page.version)[: topics.LONGEST_EXAMPLE]
            side.append(topics.TopicExample(url, relevant, text))
    topic = topics.Topic(
        name=f"class {name}",
        keywords=tuple(keywords.values()),
        relevant=tuple(one.url for one in on),
        irrelevant=tuple(one.url for one in off),
    )
    file = topic_file(reader.folder, topic.name)
    file.parent.mkdir(exist_ok=True)
    topics.save_examples([*on, *off], file)
    topics.save(topic, file)
    return topic.name
