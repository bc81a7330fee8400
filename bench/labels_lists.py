"""Other lists of classes than the shipped ones: `python -m bench.labels --data DIR --part lists`.

`bench/class_lists` has three. `twelve` has weighted keywords for twelve other categories of home pages; the
constants of the agreement were fitted to it too. No rule was chosen by the others: `analyst` has eight
keywords without weights for classes of another cut, `schools` the same for subjects of an encyclopedia, whose
pages are all on one host. Each is labelled alone, and with pages of none of its classes in between.
"""

import gzip
import json
import random
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

from fieldmouse.labels.classes import ClassList, load_classes
from fieldmouse.labels.evidence import EvidenceReader, PageEvidence
from fieldmouse.labels.split import NameSplitter
from fieldmouse.page.read import read

from .labelled import lines, sheets

LISTS = Path(__file__).parent / "class_lists"
EACH, OTHERS = 100, 1200  # pages of the encyclopedia: of a class, and of none

# Categories of home pages by class, as `category` of UT1 or `CATEGORY` of Citizen Lab.
HOME_PAGES: Mapping[str, Mapping[str, str]] = {
    "twelve": {
        "cryptocurrency": "bitcoin", "government": "GOVT", "religion": "REL",
        "file sharing": "FILE filehosting warez download", "advertising": "publicite",
        "social networks": "social_networks GRP", "privacy tools": "ANON vpn", "health": "PUBH",
        "politics and rights": "POLR HUMR", "manga": "manga", "blogs": "blog HOST", "search": "SRCH",
    },
    "analyst": {
        "money": "bank financial bitcoin ECON", "play": "games GAME gambling GMB", "press": "NEWS press",
        "people meet": "dating DATE social_networks GRP LGBT chat forums",
        "watch and listen": "audio-video MMED radio", "downloads": "FILE filehosting warez download",
        "state and society": "GOVT POLR HUMR IGO", "faith": "REL sect", "shops": "shopping COMM lingerie",
        "web services": "HOST SRCH publicite blog shortener",
    },
}  # fmt: skip
# Subjects of the encyclopedia by class.
SUBJECTS = {
    "birds": "Science.Biology.Birds", "mammals": "Science.Biology.Mammals",
    "plants": "Science.Biology.Plants", "elements": "Science.Chemistry.Chemical_elements",
    "astronomy": "Science.Physics.Space_Astronomy", "medicine": "Science.Biology.Health_and_medicine",
    "food": "Everyday_life.Food_and_agriculture", "railways": "Design_and_Technology.Railway_transport",
    "war": "History.Military_History_and_War History.World_War_II History.Pre_1900_Military",
    "countries": "Countries", "music": "Music", "religion": "Religion", "mathematics": "Mathematics",
    "computing": "IT", "weather": "Geography.Storms Geography.Climate_and_the_Weather",
}  # fmt: skip

Labelled = tuple[list[PageEvidence], list[set[str]]]


def labelled_lists(
    data: Path, names: Collection[str] = ("twelve", "analyst", "schools")
) -> Iterator[tuple[str, ClassList, Labelled]]:
    """Lists with pages, and the classes of each page; none for pages of other categories."""
    for name, categories in HOME_PAGES.items():
        if name not in names:
            continue
        classes = load_classes(str(LISTS / f"{name}.toml"))
        by_category = {one: kind for kind, some in categories.items() for one in some.split()}
        rows = [
            (
                row["domain"],
                row["html"],
                {by_category.get(one.partition(":")[2], "") for one in row["labels"]},
            )
            for row in json_lines(data / "homepages2018" / "labelled_homepages.jsonl.zst")
        ]
        yield name, classes, _read(classes, rows)
    if "schools" not in names:
        return
    classes = load_classes(str(LISTS / "schools.toml"))
    yield "schools", classes, _read(classes, _subject_pages(data / "wikischools"))


def _read(classes: ClassList, rows: list[tuple[str, str, set[str]]]) -> Labelled:
    using, kind = EvidenceReader(classes, NameSplitter()), "text/html; charset=utf-8"
    pages = []
    for host, html, _ in rows:
        content = html.encode("utf-8", "replace")
        pages.append(using.page(host, content, read(content, content_type=kind)))
    return pages, [gold - {""} for _, _, gold in rows]


def _subject_pages(folder: Path) -> list[tuple[str, str, set[str]]]:
    gold: dict[str, set[str]] = {}
    with gzip.open(folder / "categories.tsv.gz", "rt", encoding="utf-8") as rows:
        for path, subject in (row.rstrip("\n").split("\t") for row in rows):
            gold.setdefault(path, set()).update(
                kind
                for kind, some in SUBJECTS.items()
                if any(f"{subject}.".startswith(f"{one}.") for one in some.split())
                or (kind == "countries" and subject.endswith("_Countries"))
            )
    groups: dict[str, list[str]] = {}
    for path, kinds in sorted(gold.items()):
        groups.setdefault(min(kinds, default=""), []).append(path)
    rng, chosen = random.Random(5), set[str]()
    for kind, paths in sorted(groups.items()):
        chosen.update(rng.sample(paths, min(len(paths), EACH if kind else OTHERS)))
    pages = sheets(folder)[0]
    return [("schools.example", pages[path], gold[path]) for path in sorted(chosen & pages.keys())]


def json_lines(file: Path) -> Iterator[dict[str, Any]]:
    """The rows of a file."""
    return map(json.loads, lines(file))
