"""Labels the sites of an archive by a list of classes, and takes the answers of a person.

A site is labelled by its home page, or by the page of it that was stored first. The labels of a list are
replaced together; a person's answers stay, win over the labels, and teach the labeller.
"""

import lzma
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import NamedTuple

from fieldmouse.crawl.guide_setup import read_stored, stored_text
from fieldmouse.crawl.study import HTML
from fieldmouse.errors import UsageError
from fieldmouse.files.append_only import replace as replace_file
from fieldmouse.focus import topic as topics
from fieldmouse.focus.wordnet import load as load_wordnet
from fieldmouse.focus.words import Stems, stem, words
from fieldmouse.labels.classes import ClassList, keyword_term, load_classes, to_toml_text
from fieldmouse.labels.evidence import EvidenceReader, PageEvidence
from fieldmouse.labels.labeller import ACCURACY, Labeller, PageLabels, label_published
from fieldmouse.labels.measures import ClassRanker
from fieldmouse.labels.split import Splitters
from fieldmouse.store import open_reader
from fieldmouse.store.contract import Store, StoreReader
from fieldmouse.store.label_contract import LabelAnswer, LabelRow
from fieldmouse.types import PageRecord
from fieldmouse.urls import home

from .executors import in_order, in_parts

FOLDER = "classes"  # of an archive: the lists that it was labelled by
SUGGESTED = 30  # keywords
# Weights of suggested keywords by what they are to the name of the class, in the order of `subjects.dat`.
SUBJECT_WEIGHTS = {"same": 3.0, "narrower": 2.0, "subject": 2.0, "definition": 1.0}
BATCH = 100  # pages that an executor reads in one task
LEAST_TEXTS, TEXTS = 3, 400  # pages of an archive that keywords are suggested from


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelOrder:
    """How an archive is labelled."""

    classes: ClassList
    published: bool = False
    every_page: bool = False
    least: float | None = None  # probability of a label; by default what the accuracy needs
    accuracy: float = ACCURACY
    dictionary: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelReport:
    """What a run of the labeller did."""

    classes: str
    pages: int
    split: int  # names that could be split
    labelled: int
    expected_accuracy: float | None  # the mean probability of the labels; None for the published pipeline
    by_class: Mapping[str, int]
    without: Mapping[str, int]  # pages without a label, by reason
    answers: int  # of a person
    agreement: float | None  # share of the answers that the labeller's best class agrees with
    warnings: tuple[str, ...]


class ReviewItem(NamedTuple):
    """A page to be answered by a person."""

    url: str
    title: str
    best: str
    probability: float
    labelled: bool  # the labeller is sure enough for a label
    evidence: tuple[str, ...]


def site_pages(reader: StoreReader, *, every_page: bool = False) -> Iterator[PageRecord]:
    """The page that each site is labelled by, or every page with HTML; no private page."""
    chosen: dict[str, PageRecord] = {}
    for page in reader.pages():
        if page.version is None or page.version.mime not in HTML or page.private:
            continue
        if every_page:
            yield page
        elif page.host not in chosen or (page.url == home(page.url) != chosen[page.host].url):
            chosen[page.host] = page
    yield from sorted(chosen.values(), key=lambda one: one.id)


def page_evidence(reader: StoreReader, page: PageRecord, using: EvidenceReader) -> PageEvidence:
    """The evidence of a stored page."""
    assert page.version is not None
    return using.page(page.host, *read_stored(reader, page.version))


class EvidenceTask(NamedTuple):
    """Pages whose evidence is read by a process of an executor."""

    folder: Path
    classes: ClassList
    dictionary: Mapping[str, int] | None
    published: bool
    shortened: bool
    pages: Sequence[PageRecord]


def read_evidence(task: EvidenceTask) -> list[PageEvidence]:
    """The evidence of some pages."""
    using = _evidence_reader(task.classes, task.dictionary, published=task.published)
    with open_reader(task.folder) as reader:
        found = [page_evidence(reader, page, using) for page in task.pages]
    return [using.shortened(one) for one in found] if task.shortened else found


def _evidence_reader(
    classes: ClassList, dictionary: Mapping[str, int] | None, *, published: bool
) -> EvidenceReader:
    splitters = Splitters(dictionary)
    return EvidenceReader(classes, splitters.published if published else splitters.learned)


def label_archive(
    store: Store,
    order: LabelOrder,
    now: float,
    progress: Callable[[int], None] = lambda _: None,
    executor: Executor | None = None,
) -> LabelReport:
    """Label the sites of an archive; the labels of an earlier run with this list are replaced."""
    classes = order.classes
    pages: list[PageRecord] = []
    evidence: list[PageEvidence] = []
    with store.reader() as reader:
        chosen = site_pages(reader, every_page=order.every_page)
        using = _evidence_reader(classes, order.dictionary, published=order.published)
        if executor is None:
            for page in chosen:
                pages.append(page)
                evidence.append(using.shortened(page_evidence(reader, page, using)))
                progress(len(pages))
        else:
            pages = list(chosen)
            shared = (store.folder, classes, order.dictionary, order.published, True)
            tasks = (EvidenceTask(*shared, part) for part in in_parts(pages, BATCH))
            for part in in_order(executor, read_evidence, tasks):
                evidence += part
                progress(len(evidence))
    if not pages:
        raise UsageError("there is no stored page to label yet; crawl or import some first")
    places = {page.id: place for place, page in enumerate(pages)}
    numbers = {name: number for number, name in enumerate(classes.names)}
    answered = {one.page: one.names for one in store.labels.answers(classes.name) if one.page in places}
    answers = {
        places[page]: frozenset(numbers[name] for name in names if name in numbers)
        for page, names in answered.items()
    }
    if order.published:
        ranker = ClassRanker([one.terms for one in classes.classes])
        found = [label_published(ranker, classes, one) for one in evidence]
    else:
        labeller = Labeller(classes, stems=using.stems)
        found = labeller.label(evidence, answers, least=order.least, accuracy=order.accuracy)
    store.labels.put(classes.name, _rows(pages, found, now))
    save_classes(store.folder, classes)
    chances = [one.labels[0].probability for one in found if one.labels]
    agreed = [
        one.best is not None and one.best.name in answered[page.id]
        for page, one in zip(pages, found, strict=True)
        if page.id in answered
    ]
    return LabelReport(
        classes=classes.name,
        pages=len(pages),
        split=sum(bool(one.words) and one.probability > 0 for one in evidence),
        labelled=len(chances),
        expected_accuracy=sum(chances) / len(chances) if chances and not order.published else None,
        by_class=dict(Counter(label.name for one in found for label in one.labels).most_common()),
        without=dict(Counter(one.reason.partition(":")[0] for one in found if not one.labels).most_common()),
        answers=len(agreed),
        agreement=sum(agreed) / len(agreed) if agreed else None,
        warnings=classes.warnings,
    )


def _rows(pages: Sequence[PageRecord], found: Sequence[PageLabels], now: float) -> Iterator[LabelRow]:
    for page, one in zip(pages, found, strict=True):
        shown = one.labels or ((one.best,) if one.best else ())
        for label in shown:
            said = (*label.evidence, *((one.reason,) if one.reason else ()))
            chance = round(label.probability, 4)
            yield LabelRow(page.id, page.url, label.name, chance, bool(one.labels), "\n".join(said), now)


# --- the lists of an archive ---


def classes_file(folder: Path, name: str) -> Path:
    """Where an archive keeps a list of classes that it was labelled by."""
    return folder / FOLDER / (re.sub(r"[^\w-]+", "-", name).strip("-")[:100] + ".toml")


def save_classes(folder: Path, classes: ClassList) -> None:
    """Keep a list with the archive, for the commands that come after."""
    file = classes_file(folder, classes.name)
    file.parent.mkdir(exist_ok=True)
    replace_file(file, [to_toml_text(classes).encode()])


def archive_classes(reader: StoreReader | Store, name: str = "") -> ClassList:
    """A list that this archive was labelled by; by default the last one."""
    known = [one for one, _ in reader.labels.lists()]
    chosen = name or (known[0] if known else "")
    if not chosen or not classes_file(reader.folder, chosen).is_file():
        have = f"; there are {', '.join(known)}" if known else ""
        what = f"was not labelled by {name!r}{have}" if name else "has no labels yet"
        raise UsageError(f"this archive {what}; run `label --classes FILE` first")
    return load_classes(str(classes_file(reader.folder, chosen)))


# --- review ---


def review_list(
    reader: StoreReader, classes: str = "", most: int = 20, *, check: bool = False
) -> list[ReviewItem]:
    """The pages that the labeller is least certain of and that no person answered; or labels to check."""
    name = archive_classes(reader, classes).name
    found = []
    for row in (reader.labels.drawn if check else reader.labels.uncertain)(name, most):
        page = reader.page(row.url)
        title = page.title if page else ""
        said = tuple(row.evidence.splitlines())
        found.append(ReviewItem(row.url, title, row.name, row.probability, row.chosen, said))
    return found


def answer_review(store: Store, url: str, names: Sequence[str], now: float, classes: str = "") -> LabelAnswer:
    """Store what a person says of a page: its classes, or none of them."""
    known = archive_classes(store, classes)
    if unknown := [one for one in names if one not in known.names]:
        raise UsageError(f"there is no class {unknown[0]!r}; there are {', '.join(known.names)}")
    with store.reader() as reader:
        page = reader.page(url)
    if page is None:
        raise UsageError(f"{url} is not in this archive")
    answer = LabelAnswer(page.id, tuple(names))
    store.labels.answer(known.name, answer, now)
    return answer


class Agreement(NamedTuple):
    """How far a person and the labeller agree."""

    answers: int
    agreed: int  # the best class is one of the answer
    labelled: int  # answers on pages that have a label
    labels_agreed: int


def agreement(reader: StoreReader, classes: str = "") -> Agreement:
    """Compare the answers of a person with the labels that are stored now."""
    name = archive_classes(reader, classes).name
    said = {one.page: one.names for one in reader.labels.answers(name)}
    best: dict[int, LabelRow] = {}
    for row in reader.labels.all(name):
        best.setdefault(row.page, row)
    both = [(best[page], names) for page, names in said.items() if page in best]
    right = [(row.chosen, row.name in names) for row, names in both]
    sure = [ok for chosen, ok in right if chosen]
    return Agreement(len(right), sum(ok for _, ok in right), len(sure), sum(sure))


# --- keywords ---


class SuggestedKeyword(NamedTuple):
    """A keyword for a class, and where it comes from."""

    word: str
    weight: float
    source: str


def suggest_keywords(name: str, reader: StoreReader | None, most: int = SUGGESTED) -> list[SuggestedKeyword]:
    """Keywords for a class: its name, words that WordNet has for the subject, and words of pages with it."""
    stems = Stems()
    own = {term: word for word in words(name) if (term := stems[word])}
    if not own:
        raise UsageError(f"there is no word in the class {name!r} that could be a keyword")
    spoken = words(name)
    phrase = subject_words(" ".join(spoken)) if len(spoken) > 1 else {}
    found = {term: SuggestedKeyword(word, 5.0, "name") for term, word in own.items()}
    if phrase:  # `real estate` is a subject, and `real` is none
        found = {stem("".join(spoken)): SuggestedKeyword(" ".join(spoken), 5.0, "name")}
    for word in spoken:
        for kind, others in (phrase or subject_words(word)).items():
            for other in others:
                said = SuggestedKeyword(other, SUBJECT_WEIGHTS[kind], f"WordNet, {kind}: {name}")
                found.setdefault(keyword_term(other, stems), said)
    on, off = _pages_with(own.keys(), reader, stems) if reader is not None else ([], [])
    if len(on) >= LEAST_TEXTS:
        known = load_wordnet().background
        built = topics.build(name, topics.Examples(on, off), background=known, size=most)
        for one in built.keywords:
            said = SuggestedKeyword(one.word, round(1 + 3 * one.weight, 1), f"{len(on)} pages of the archive")
            found.setdefault(one.stem, said)
    return sorted(found.values(), key=lambda one: -one.weight)[:most]


def subject_words(name: str) -> dict[str, list[str]]:
    """The words that WordNet has for a subject, by kind; none if it does not know it.

    A word in the plural is found by its stem.
    """
    text = lzma.decompress(files("fieldmouse.labels").joinpath("subjects.dat").read_bytes()).decode()
    root, rows = stem(name), {}
    for line in text.partition("\n\n")[2].splitlines():
        subject, *kinds = line.split("\t")
        if subject == name or (subject[:3] == name[:3] and stem(subject) == root):
            rows[subject] = kinds
    if not rows:
        return {}
    best = rows.get(name) or rows[min(rows, key=lambda one: (len(one), one))]
    return {kind: row.split(",") for kind, row in zip(SUBJECT_WEIGHTS, best, strict=True) if row}


def _pages_with(own: AbstractSet[str], reader: StoreReader, stems: Stems) -> tuple[list[str], list[str]]:
    """Texts of pages that have one of these terms in the title or the URL, and of others."""
    sides: dict[bool, list[str]] = {True: [], False: []}
    for page in reader.pages():
        if page.version is None or page.version.mime not in HTML:
            continue
        text = stored_text(reader, page.version)
        title = {stems[word] for word in words(f"{page.url} {text.partition(chr(10))[0]}")}
        side = sides[bool(title & own)]
        if len(side) < TEXTS:
            side.append(text[: topics.LONGEST_EXAMPLE])
        if min(map(len, sides.values())) >= TEXTS:
            break
    return sides[True], sides[False]
