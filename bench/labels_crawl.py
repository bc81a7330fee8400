"""Crawls for a class against filtering after a full crawl: on a labelled web, and on the web of the demo.

Each web is crawled whole, for a class as promise with half as many pages, and with the class as scope: as by
default, and without following links of pages of other classes. `fieldmouse evaluate filtering` compares them.
The classes have keywords that a person would write, and no examples. Of the labelled web the pages of four of
its subjects are served, so that all crawls end within minutes; seeds are three pages of the class, or three
of another one (`elsewhere`). The constants of such crawls were chosen on these classes; `unseen` are other
subjects and classes of that web, which were not crawled before.
"""

import csv
import gzip
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from fieldmouse import library
from fieldmouse.demo.server import DemoWeb

from .focus_served import ENOUGH, SETTINGS, closed, root, serve
from .labelled import sheets

CLASSES = """
[classes.birds.keywords]
bird = 5
feather = 4
beak = 4
nest = 3
wing = 3
species = 1
owl = 3
duck = 3
plumage = 4
egg = 2
[classes.railways.keywords]
railway = 5
train = 5
locomotive = 4
station = 3
rail = 4
track = 3
gauge = 3
steam = 2
line = 1
[classes.food.keywords]
food = 5
fruit = 4
crop = 4
cooking = 4
vegetable = 4
agriculture = 4
cuisine = 4
eaten = 3
flavour = 3
[classes.countries.keywords]
country = 5
republic = 4
capital = 4
population = 3
government = 3
border = 3
economy = 3
[classes.space.keywords]
planet = 5
star = 4
orbit = 4
moon = 4
space = 4
galaxy = 4
astronomy = 5
telescope = 4
"""
DEMO_CLASSES = """
[classes.bees.keywords]
bee = 5
hive = 4
honey = 4
swarm = 3
beekeeper = 4
wax = 3
[classes.kitchen.keywords]
recipe = 5
cake = 4
kitchen = 4
bake = 3
oven = 3
flour = 3
[classes.tides.keywords]
tide = 5
harbour = 3
boat = 3
ferry = 3
rowing = 3
sea = 2
"""
FEW_SEEDS = 3


class LabelledPart(NamedTuple):
    """A part of the labelled web, and the classes that crawls look for."""

    served: tuple[str, ...]  # subjects of the index
    classes: str  # as TOML
    subjects: dict[str, str]  # what a class stands for, by its name
    elsewhere: str  # where seeds of another class are from


CHOSEN_BY = LabelledPart(
    ("Science", "Everyday_life", "Design_and_Technology", "Countries"),
    CLASSES,
    {
        "birds": "Science.Biology.Birds",
        "railways": "Design_and_Technology.Railway_transport",
        "food": "Everyday_life.Food_and_agriculture",
    },
    "Countries",
)
UNSEEN = LabelledPart(
    ("Music", "Religion", "History", "Geography"),
    (Path(__file__).parent / "class_lists" / "schools.toml").read_text("utf-8"),
    {
        "music": "Music",
        "religion": "Religion",
        "weather": "Geography.Storms Geography.Climate_and_the_Weather",
    },
    "Geography.General_Geography",
)

Figures = dict[str, float]


def program(*words: str, codes: tuple[int, ...] = (0, ENOUGH)) -> str:
    """Run the command; its output."""
    done = subprocess.run(
        [str(Path(sys.executable).with_name("fieldmouse")), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode not in codes:
        raise SystemExit(
            f"fieldmouse {' '.join(words[:6])} ended with {done.returncode}: {done.stderr[-500:]}"
        )
    return done.stdout


class Web(NamedTuple):
    """A served web: where archives are made, its classes, and the settings for a crawl of it."""

    place: Path
    settings: dict[str, Any]

    def compare(self, name: str, seeds: list[str], gold: str, *, key: str = "") -> Figures:
        """A full crawl and crawls for one class from the same seeds."""
        key = key or name
        chosen = self.settings | {"templates.automatic": "false"}
        sets = [part for one, value in chosen.items() for part in ("-s", f"{one}={value}")]
        labels, full = self.place / f"{key}.csv", self.place / "full"
        labels.write_text(gold, "utf-8")
        if not full.exists():
            program("init", str(full))
            program("-C", str(full), "crawl", *seeds, "-q", *sets)
        with library.open(full) as archive:
            half = len(archive.downloaded()) // 2
        kinds: dict[str, tuple[str, ...]] = {"scope": ("--class-as", "scope")}
        if key == name:
            kinds["promise"] = ("--class-as", "promise", "--pages", str(half))
            kinds["scope_direct"] = ("--class-as", "scope", "-s", "labels.tunnel=0")
        runs = []
        for kind, words in kinds.items():
            folder = self.place / f"{key}-{kind}"
            program("init", str(folder))
            classes = ["-s", f"labels.classes={self.place / 'classes.toml'}"]
            program("-C", str(folder), "crawl", *seeds, "--class", name, *words, "-q", *classes, *sets)
            runs.append(f"{kind}={folder}")
            print(f"crawled for {key}: {kind}", file=sys.stderr, flush=True)
        asked = ("--full", str(full), "--class", "yes", "--labels", str(labels), "--json")
        flat: Figures = {}
        for row in json.loads(program("evaluate", "filtering", *runs, *asked)):
            kind = row["crawl"].replace(" ", "_")
            flat |= {f"{key}.{kind}.{one}": row[one] or 0 for one in ("pages", "bytes", "found", "lost")}
        return flat


def crawls(folder: Path) -> Figures:
    """The figures of both webs."""
    return demo_crawls() | labelled_crawls(folder, CHOSEN_BY) | labelled_crawls(folder, UNSEEN)


def demo_crawls() -> Figures:
    """Of the web of the demo, from its seeds, which are of other classes."""
    with tempfile.TemporaryDirectory() as scratch, DemoWeb() as web:
        (Path(scratch) / "classes.toml").write_text(DEMO_CLASSES, "utf-8")
        gold = "url,label\n" + "".join(
            f"{url},{'yes' if '//bees.' in url else 'no'}\n" for url in sorted(web.pages)
        )
        settings: dict[str, Any] = {
            "crawl.contact": "https://bench.example/",
            "manners.delay": 0,
            "manners.ip_delay": 0,
        }
        for key, value in web.overrides.items():
            settings[key] = json.dumps(value) if isinstance(value, tuple) else value
        found = Web(Path(scratch), settings).compare("bees", list(web.seeds), gold)
    return {f"demo.{key}": value for key, value in found.items()}


def labelled_crawls(folder: Path, part: LabelledPart) -> Figures:
    """Of a part of a labelled web."""
    text = gzip.decompress((folder / "categories.tsv.gz").read_bytes()).decode()
    rows = [(path, subject) for path, subject in csv.reader(io.StringIO(text), delimiter="\t")][1:]
    html = sheets(folder)[0]
    paths = {path for path, subject in rows if subject.partition(".")[0] in part.served} & html.keys()
    server = serve({path: closed(path, html[path], paths) for path in paths}, 0)
    site = f"http://127.0.0.1:{server.server_port}/"
    found: Figures = {}

    def of(subjects: str) -> list[str]:
        """The paths of subjects and what is below them."""
        wanted = tuple(f"{one}." for one in subjects.split())
        return sorted({p for p, one in rows if f"{one}.".startswith(wanted)} & paths)

    def address(path: str) -> str:
        return site + root(path).lstrip("/")

    with tempfile.TemporaryDirectory() as scratch:
        (Path(scratch) / "classes.toml").write_text(part.classes, "utf-8")
        settings = {**SETTINGS, "crawl.contact": "bench@web.test", "web.allow_addresses": "127.0.0.0/8"}
        web = Web(Path(scratch), settings)
        strangers = [address(path) for path in of(part.elsewhere)[:FEW_SEEDS]]
        for name, subject in part.subjects.items():
            on = of(subject)
            gold = "url,label\n" + "".join(
                f'"{address(path)}",{"yes" if path in on else "no"}\n' for path in sorted(paths)
            )
            found |= web.compare(name, [address(path) for path in on[:FEW_SEEDS]], gold)
            found |= web.compare(name, strangers, gold, key=f"{name}_elsewhere")
    server.shutdown()
    return found
