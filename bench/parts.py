"""The parts of the bench: what data each needs, where that lies, and how each is called.

Every part is a module that prints its figures as JSON, or writes them to a file. Data is known by what a
folder holds, so that one `--data` serves many parts and other data of the same formats is taken as well.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

PARTS = (
    "crawl", "pipeline", "workers", "scale", "page", "clients", "live", "refresh", "noise", "changes",
    "focus", "parked", "templates", "fact_recall", "labels",
)  # fmt: skip

# Visits of each page of a series, as the floors were measured.
EACH = 60

# These write their figures to a file, and lines for people to the screen.
WRITERS = ("noise", "refresh", "changes", "fact_recall")


class Data(NamedTuple):
    """The data that was found."""

    bench: Path | None = None
    histories: Path | None = None
    fetches: tuple[Path, ...] = ()
    labelled: Path | None = None
    gold: Path | None = None
    homes: Path | None = None
    names: Path | None = None


NEEDS = {
    "crawl": ("bench", "a bench folder (ns.sh)"),
    "page": ("bench", "a bench folder (ns.sh)"),
    "pipeline": ("bench", "a bench folder (ns.sh)"),
    "workers": ("bench", "a bench folder (ns.sh)"),
    "refresh": ("histories", "folders with changes.csv.gz"),
    "noise": ("fetches", "folders with pairs.jsonl.zst or replay.jsonl.zst"),
    "labels": ("names", "domains, homepages2018, labels_homepages and wikischools"),
    "focus": ("labelled", "a labelled web (links.tsv.zst; or --labelled DIR)"),
}


def search(given: argparse.Namespace) -> Data:
    """What lies in the folders given, at most two folders down."""
    folders: Sequence[Path] = given.data or ()
    if missing := [one for one in folders if not one.is_dir()]:
        raise SystemExit(f"{missing[0]} is no folder")
    changes = [one.parent for one in holding(folders, "changes.csv.gz")]
    fetches = (*holding(folders, "pairs.jsonl.zst"), *holding(folders, "replay.jsonl.zst"))
    found = Data(
        bench=next((one for one in folders if (one / "ns.sh").is_file()), None),
        histories=next(iter(changes), None),
        fetches=tuple(dict.fromkeys(fetches)),
        labelled=given.labelled or next(holding(folders, "links.tsv.zst"), None),
        gold=given.gold
        or next((one for folder in folders if (one := folder / "main_content").is_dir()), None),
        homes=next((one for one in folders if (one / "homepages2018/pages.jsonl.zst").is_file()), None),
        names=next((one for one in folders if (one / "domains/segmentation_eval.tsv.gz").is_file()), None),
    )
    if folders and not any(found):
        raise SystemExit(f"{folders[0]} holds nothing that can be measured; see docs/how-to/bench.md")
    return found


def holding(folders: Sequence[Path], name: str) -> Iterator[Path]:
    """The folders that hold a file of this name."""
    for folder in folders:
        for depth in ("", "*/", "*/*/"):
            yield from (one.parent for one in sorted(folder.glob(depth + name)))


def chosen(only: Sequence[str] | None, data: Data) -> list[str]:
    """The parts to run: those asked for, or all that there is data for."""
    lacking = [one for one in PARTS if one in NEEDS and not getattr(data, NEEDS[one][0])]
    for part in only or ():
        if part in lacking:
            raise SystemExit(f"{part} needs --data DIR with {NEEDS[part][1]}; see docs/how-to/bench.md")
    return list(dict.fromkeys(only)) if only else [one for one in PARTS if one not in lacking]


def called(part: str, given: argparse.Namespace, data: Data) -> list[str]:
    """The arguments of a part."""
    match part:
        case "page":
            return ["--data", f"{data.bench}/web/docs"]
        case "pipeline" | "workers":
            return ["--data", str(data.bench)]
        case "scale":
            return _passed(given, "hosts", "links")
        case "live":
            return _passed(given, "days", "snapshots")
        case "refresh":
            return ["--data", str(data.histories), *_several("--only", given.history)]
        case "noise":
            return [*map(str, data.fetches), "--each", str(given.each)]
        case "changes" | "fact_recall":
            return ["--half", "held"]
        case "focus":
            return ["--data", str(data.labelled), *_passed(given, "topics")]
        case "labels":
            return ["--data", str(data.names), "--json"]
        case "parked":
            real = ["--data", str(data.homes)] if data.homes else []
            return ["--json", *real, *_passed(given, "websites")]
        case "templates":
            manuals = ["--manuals", f"{data.bench}/web/docs"] if data.bench else []
            return [*(["--data", str(data.gold)] if data.gold else []), *manuals]
    return []


def _passed(given: argparse.Namespace, *names: str) -> list[str]:
    return [f"--{name}={value}" for name in names if (value := getattr(given, name))]


def _several(option: str, values: Sequence[str] | None) -> list[str]:
    return [option, *values] if values else []


def measured(part: str, arguments: Sequence[str]) -> Any:
    """Run a part in a process of its own; its figures. What it tells people goes to the standard error."""
    command = [sys.executable, "-m", f"bench.{part}", *arguments]
    if part not in WRITERS:
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        return json.loads(done.stdout)
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / "figures.json"
        subprocess.run([*command, "--json", str(file)], check=True, stdout=sys.stderr)
        return json.loads(file.read_text("utf-8"))
