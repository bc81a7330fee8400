"""Crawls for a class against filtering after a full crawl: on a labelled web, and on the web of the demo.

Each web is crawled whole, for a class as promise with half as many pages, and with the class as scope;
`fieldmouse evaluate filtering` compares them. The classes have keywords that a person would write, and no
examples.
"""

import csv
import gzip
import io
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from fieldmouse import library
from fieldmouse.demo.server import DemoWeb

from .focus_served import ENOUGH, SETTINGS, bodies, root, serve

# Of the labelled web: the class, and the subject of the index that it stands for.
SUBJECTS = {
    "birds": "Science.Biology.Birds",
}
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


def compare(place: Path, name: str, seeds: list[str], settings: dict[str, Any], gold: str) -> dict[str, Any]:
    """Three crawls from the same seeds, for one class."""
    chosen = settings | {"templates.automatic": "false"}
    sets = [part for key, value in chosen.items() for part in ("-s", f"{key}={value}")]
    classes, labels = place / "classes.toml", place / f"{name}.csv"
    labels.write_text(gold, "utf-8")
    full = place / "full"
    if not full.exists():
        program("init", str(full))
        program("-C", str(full), "crawl", *seeds, "-q", *sets)
    with library.open(full) as archive:
        half = len(archive.downloaded()) // 2
    runs = []
    for kind in ("promise", "scope"):
        folder = place / f"{name}-{kind}"
        program("init", str(folder))
        limit = ["--pages", str(half)] if kind == "promise" else []
        words = ["--class", name, "--class-as", kind, *limit, "-q", "-s", f"labels.classes={classes}"]
        program("-C", str(folder), "crawl", *seeds, *words, *sets)
        runs.append(f"{kind}={folder}")
        print(f"crawled for {name} as {kind}", file=sys.stderr, flush=True)
    found = program(
        "evaluate",
        "filtering",
        *runs,
        "--full",
        str(full),
        "--class",
        "yes",
        "--labels",
        str(labels),
        "--json",
    )
    flat: dict[str, Any] = {}
    for row in json.loads(found):
        kind = row["crawl"].replace(" ", "_")
        flat |= {f"{name}.{kind}.{key}": row[key] or 0 for key in ("pages", "bytes", "found", "lost")}
    return flat


def crawls(folder: Path) -> dict[str, float]:
    """The figures of both webs."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        (place / "classes.toml").write_text(DEMO_CLASSES, "utf-8")
        with DemoWeb() as web:
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
            found |= {
                f"demo.{k}": v for k, v in compare(place, "bees", list(web.seeds), settings, gold).items()
            }
    with tempfile.TemporaryDirectory() as scratch:
        place = Path(scratch)
        (place / "classes.toml").write_text(CLASSES, "utf-8")
        pages = bodies(folder)
        server = serve(pages, 0)
        site = f"http://127.0.0.1:{server.server_port}/"
        text = gzip.decompress((folder / "categories.tsv.gz").read_bytes()).decode()
        rows = list(csv.reader(io.StringIO(text), delimiter="\t"))[1:]
        for name, subject in SUBJECTS.items():
            on = {
                path for path, category in rows if category == subject or category.startswith(f"{subject}.")
            }
            gold = "url,label\n" + "".join(
                f'"{site}{root(path).lstrip("/")}",{"yes" if path in on else "no"}\n'
                for path in sorted(pages)
            )
            seeds = [site + root(path).lstrip("/") for path in sorted(on & pages.keys())[:FEW_SEEDS]]
            settings = {**SETTINGS, "crawl.contact": "bench@web.test", "web.allow_addresses": "127.0.0.0/8"}
            found |= compare(place, name, seeds, settings, gold)
        server.shutdown()
    return found
