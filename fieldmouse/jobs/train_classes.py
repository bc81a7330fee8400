"""Trains the classifier of pages on the labels of an archive, applies it, and makes a topic of a class."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from fieldmouse.crawl.guide_setup import read_stored, stored_text, topic_file
from fieldmouse.crawl.page_classes import LIST_FILE, MODEL_FILE, PageSorter, load_classifier
from fieldmouse.errors import UsageError
from fieldmouse.files.append_only import replace as replace_file
from fieldmouse.files.shared_content import publish
from fieldmouse.focus import topic as topics
from fieldmouse.focus.words import Stems, words
from fieldmouse.labels.classes import ClassList, to_toml_text
from fieldmouse.labels.evidence import EvidenceReader, PageEvidence
from fieldmouse.labels.page_classifier import PARTS, PageClassifier
from fieldmouse.labels.split import NameSplitter
from fieldmouse.learn.learner import TrainingRecord, make_learner
from fieldmouse.store import open_reader
from fieldmouse.store.contract import Store, StoreReader
from fieldmouse.types import PageClasses, PageRecord
from fieldmouse.urls import host_key

from .classify import html_pages
from .executors import in_order, in_parts
from .label_archive import EvidenceTask, archive_classes, page_evidence, read_evidence

LEAST_PAGES = 10  # with a label
BATCH = 200
EXAMPLES = 40  # pages of a class, and of others, that teach the topic of a class


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainedPageClassifier:
    """A trained classifier of pages with its figures."""

    learner: PageClassifier
    classes: ClassList
    pages: int  # with a label
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


def unsure_labels(reader: StoreReader, classes: ClassList) -> dict[str, tuple[str, float]]:
    """The best class of pages without a label, by URL, with its probability."""
    answered = {one.page for one in reader.labels.answers(classes.name)}
    rows = (row for row in reader.labels.all(classes.name) if not row.chosen and row.page not in answered)
    return {row.url: (row.name, row.probability) for row in rows}


class Fold(NamedTuple):
    """Pages with their classes, and one part of them that a model is tested on."""

    names: tuple[str, ...]
    seed: int
    pages: Sequence[PageEvidence]
    sets: Sequence[Mapping[int, float]]  # the classes of each, with their probabilities
    hosts: Sequence[str]
    kept: Sequence[int]  # places of the pages that are learned from
    left: Sequence[int]  # ... and of those that are tested


def run_fold(fold: Fold) -> tuple[int, int]:
    """How many of the tested pages got one of their classes, and how many there were."""
    model = _fitted(fold)
    right = sum(int(model.odds(fold.pages[one]).argmax()) in fold.sets[one] for one in fold.left)
    return right, len(fold.left)


def _fitted(fold: Fold) -> PageClassifier:
    made = make_learner("words", classes=fold.names, seed=fold.seed)
    assert isinstance(made, PageClassifier)
    chosen = [fold.pages[one] for one in fold.kept], [fold.sets[one] for one in fold.kept]
    return made.fit_sets(*chosen, [fold.hosts[one] for one in fold.kept])


def train_classes(
    reader: StoreReader, name: str = "", *, seed: int = 1, executor: Executor | None = None
) -> TrainedPageClassifier:
    """Train the classifier on the labels of a list, by default the last one.

    A page without a label counts for its best class as much as that is probable, and for no other: so the
    classifier learns what pages of none of the classes look like.
    """
    classes = archive_classes(reader, name)
    labels = training_labels(reader, classes)
    used = {one for names in labels.values() for one in names}
    unsure = unsure_labels(reader, classes)
    # The pages that are of one class only are told from those without a label.
    alone = len(used) < 2 and len(classes.classes) > 1 and len(unsure) < LEAST_PAGES
    if len(labels) < LEAST_PAGES or not used or alone:
        raise UsageError(
            f"{len(labels)} pages of {len(used)} classes have a label; "
            f"at least {LEAST_PAGES} are needed to learn from, of 2 classes or beside as many without one. "
            "Crawl more sites and `label` them, or `label review` some"
        )
    numbers = {one: number for number, one in enumerate(classes.names)}
    lessons = {url: {numbers[one]: 1.0 for one in names if one in numbers} for url, names in labels.items()}
    for url, (best, chance) in unsure.items():
        lessons[url] = {numbers[best]: chance} if best in numbers else {}
    stored: list[PageRecord] = []
    sets: list[Mapping[int, float]] = []
    for url, shares in lessons.items():
        page = reader.page(url)
        if page is not None and page.version is not None:
            stored.append(page)
            sets.append(shares)
    hosts, newest = [host_key(page.url) for page in stored], max(page.last_visit for page in stored)
    if executor is None:
        using = EvidenceReader(classes, NameSplitter())
        pages = [page_evidence(reader, page, using) for page in stored]
    else:
        shared = (reader.folder, classes, None, False, False)
        tasks = (EvidenceTask(*shared, part) for part in in_parts(stored, BATCH))
        pages = [one for part in in_order(executor, read_evidence, tasks) for one in part]
    parts = {host: place % PARTS for place, host in enumerate(sorted(set(hosts)))}
    everything = Fold(classes.names, seed, pages, sets, hosts, range(len(pages)), ())
    folds = []
    for part in range(PARTS):
        kept = [place for place, host in enumerate(hosts) if parts[host] != part]
        sure = [place for place, shares in enumerate(sets) if 1.0 in shares.values()]
        left = [place for place in sure if parts[hosts[place]] == part]
        if kept and left:
            folds.append(everything._replace(kept=kept, left=left))
    found = list(map(run_fold, folds) if executor is None else in_order(executor, run_fold, folds))
    learner = _fitted(everything)
    right, tested = sum(one for one, _ in found), sum(one for _, one in found)
    accuracy = right / tested if tested else 0.0
    date = datetime.fromtimestamp(newest, UTC).date().isoformat()
    learner.training = TrainingRecord(
        f"the archive's own labels by {classes.name}", date, {"agreement_on_other_hosts": round(accuracy, 4)}
    )
    answered = sum(1 for one in reader.labels.answers(classes.name))
    return TrainedPageClassifier(
        learner=learner, classes=classes, pages=len(labels), answered=answered, accuracy=accuracy
    )


def save_classifier(trained: TrainedPageClassifier, folder: Path) -> Path:
    """Write the classifier into the archive; from then on new pages are classified by it."""
    target = folder / "models" / MODEL_FILE
    target.parent.mkdir(exist_ok=True)
    replace_file(target.with_name(LIST_FILE), [to_toml_text(trained.classes).encode()])
    replace_file(target, [trained.learner.save()])
    publish(target.with_name(LIST_FILE))
    publish(target)
    return target


class SortTask(NamedTuple):
    """Pages to sort, for the processes of an executor."""

    folder: Path
    model: str  # digest of its file: a process that sorted by an older one loads it again
    pages: Sequence[PageRecord]


Sorted = tuple[PageRecord, PageClasses]


def classify_pages(
    store: Store,
    now: float,
    progress: Callable[[int], None] = lambda _: None,
    executor: Executor | None = None,
) -> Iterator[tuple[str, PageClasses]]:
    """Sort every stored page by the archive's classifier; each batch is stored before it is returned."""
    file = store.folder / "models" / MODEL_FILE
    sorter, done = _archive_sorter(store.folder), 0
    with store.reader() as reader:
        parts = in_parts(html_pages(reader), BATCH)
        if executor is None:
            batches: Iterator[list[Sorted]] = (sort_pages(reader, sorter, part) for part in parts)
        else:
            digest = sha256(file.read_bytes()).hexdigest()
            tasks = (SortTask(store.folder, digest, part) for part in parts)
            batches = in_order(executor, run_sort_task, tasks)
        for batch in batches:
            store.labels.put_classes([(page.id, found) for page, found in batch], now)
            done += len(batch)
            progress(done)
            yield from [(page.url, found) for page, found in batch]


def _archive_sorter(folder: Path) -> PageSorter:
    trained = load_classifier(folder)
    if trained is None:
        raise UsageError("this archive has no classifier yet; run `label` and `train classes` first")
    return PageSorter(trained[1], trained[0])


def sort_pages(reader: StoreReader, sorter: PageSorter, pages: Sequence[PageRecord]) -> list[Sorted]:
    """The classes of pages."""
    found = []
    for page in pages:
        assert page.version is not None
        found.append((page, sorter.sort(page.host, *read_stored(reader, page.version))))
    return found


def run_sort_task(task: SortTask) -> list[Sorted]:
    """The same in a process of an executor."""
    with open_reader(task.folder) as reader:
        return sort_pages(reader, _loaded_sorter(task.folder, task.model), task.pages)


@lru_cache(1)
def _loaded_sorter(folder: Path, _digest: str) -> PageSorter:
    """The sorter of an archive, for several tasks in one process."""
    return _archive_sorter(folder)


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
