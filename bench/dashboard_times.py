"""How fast the dashboard, the search, SQL and exports are on a large archive.

`python -m bench.dashboard_times --folder DIR`, with an archive made by `bench.million_pages`. It runs the
commands `serve`, `query` and `export` as users do. A request is timed from the first byte sent to the last
byte received, on one connection; the processor time is that of the server: on a busy machine it tells more.
Prints one JSON object.
"""

import argparse
import http.client
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from fieldmouse.store import open_reader
from fieldmouse.store.page_records import PageFilter

from .scale import share

PROGRAM = Path(sys.executable).with_name("fieldmouse")
PARTS = ("pages", "sizes", "sql", "exports", "columnar")
EXPORTS = (
    ("pages.csv",), ("pages.parquet",), ("pages.jsonl",), ("pages.jsonl", "--text"),
    ("pages.jsonl", "--content"), ("pages.warc.gz",), ("pages.wacz",), ("pages.cdxj",),
)  # fmt: skip
KILLED_AFTER = 20.0  # seconds
GROUPS = {
    "pages by host": "SELECT host, count(*), avg(content_length) FROM pages GROUP BY host",
    "pages by language": "SELECT language, count(*), avg(spam_score) FROM pages GROUP BY 1",
    "changes by day": "SELECT substr(time, 1, 10), count(*) FROM changes GROUP BY 1",
}


class Server:
    """A running `serve`, and one connection of a signed-in reader."""

    def __init__(self, process: "subprocess.Popen[str]", sign_in: str) -> None:
        self.pid = process.pid
        parts = urlsplit(sign_in)
        self.connection = http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=120)
        answer = self._get(f"{parts.path}?{parts.query}", {})
        self.headers = {"cookie": str(answer[2]["set-cookie"]).partition(";")[0], "accept": "text/html"}

    def _get(self, path: str, headers: dict[str, str]) -> tuple[int, bytes, Any]:
        self.connection.request("GET", path, headers=headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read(), answer.headers

    def milliseconds(self, path: str) -> float:
        """How long a page takes."""
        began = time.perf_counter()
        status, body, _ = self._get(path, self.headers)
        took = 1000 * (time.perf_counter() - began)
        if status != 200:
            raise RuntimeError(f"{path}: {status} {body[:200]!r}")
        return took

    def cpu_seconds(self) -> float:
        """Processor time of the threads of the server so far, exact to a fraction of a millisecond."""
        tasks = Path(f"/proc/{self.pid}/task").glob("*/schedstat")
        return sum(int(one.read_text("ascii").split()[0]) for one in tasks) / 1e9

    def memory(self) -> tuple[float, float]:
        """MiB resident now, and at most."""
        lines = Path(f"/proc/{self.pid}/status").read_text("ascii").splitlines()
        found = {line.partition(":")[0]: line.split()[1] for line in lines if line.startswith("Vm")}
        return int(found["VmRSS"]) / 1024, int(found["VmHWM"]) / 1024


@contextmanager
def serving(folder: Path) -> Iterator[Server]:
    """A server of an archive."""
    command = [str(PROGRAM), "-C", str(folder), "serve", "--port", "0", "--json", "-s", "serve.rate=100000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        text = ""
        while not text.rstrip().endswith("}"):
            text += process.stdout.readline() or sys.exit("the server did not start")
        try:
            yield Server(process, json.loads(text)["sign_in"])
        finally:
            process.terminate()


def paths(folder: Path, dice: random.Random) -> dict[str, Callable[[], str]]:
    """Addresses of each kind of page, other ones at each call."""
    with open_reader(folder) as reader:
        rows = reader.dashboard
        newest = rows.newest_pages(None, 1)[0].id
        hosts = [one.name for one in rows.hosts("stored", None, 200)]
        pages = [rows.newest_pages(dice.randrange(2, newest), 1)[0] for _ in range(400)]
        texts = [(reader.text(one.id) or "steel price").split() for one in pages]
    common = sorted({word.strip(".").lower() for text in texts for word in text}, key=str)

    def words(n: int) -> str:
        text = dice.choice(texts)
        start = dice.randrange(max(1, len(text) - n))
        return quote(" ".join(text[start : start + n]).replace(".", ""))

    def page(view: str) -> Callable[[], str]:
        return lambda: f"/page?url={quote(dice.choice(pages).url, safe='')}{view}"

    return {
        "overview": lambda: "/",
        "changes": lambda: f"/changes?since=30&before={time.time() - dice.uniform(0, 60) * 86400!r}",
        "changes, filtered by text": lambda: "/changes?since=30&kind=number&level=2&q=31",
        "changes of the largest host": lambda: f"/changes?since=30&host={hosts[0]}",
        "hosts": lambda: f"/hosts?order={dice.choice(('stored', 'changes', 'failing', 'refused'))}",
        "the largest host": lambda: f"/hosts/{hosts[0]}",
        "a host": lambda: f"/hosts/{dice.choice(hosts[1:])}",
        "pages": lambda: f"/pages?order=new&after={dice.randrange(2, newest)}",
        "pages by next visit": lambda: "/pages?order=due",
        "a page": page(""),
        "a page, as stored": page("&view=stored"),
        "search, one rare word": lambda: f"/search?q={quote(dice.choice(common))}",
        "search, two words": lambda: f"/search?q={words(2)}",
        "search, a phrase": lambda: f"/search?q=%22{words(3)}%22",
        "search, narrowed": lambda: f"/search?q={words(2)}&topic=metals&language=de",
        "labels": lambda: "/labels",
        "topics": lambda: "/topics",
        "submissions": lambda: "/submissions",
        "settings": lambda: "/settings",
    }


def pages_of_dashboard(folder: Path, requests: int) -> dict[str, Any]:
    """The times of each kind of page, and the memory of the server."""
    dice = random.Random(7)
    found: dict[str, Any] = {}
    with serving(folder) as server:
        start = server.memory()[0]
        for name, path in paths(folder, dice).items():
            server.milliseconds(path())  # opens the files and reads the templates
            times, used = [], []
            for _ in range(requests):
                before = server.cpu_seconds()
                times.append(server.milliseconds(path()))
                used.append(1000 * (server.cpu_seconds() - before))
            found[name] = {
                "p50_ms": round(share(times, 0.5), 1), "p95_ms": round(share(times, 0.95), 1),
                "most_ms": round(max(times), 1), "cpu_p50_ms": round(share(used, 0.5), 1),
                "cpu_p95_ms": round(share(used, 0.95), 1),
            }  # fmt: skip
            print(name, found[name], file=sys.stderr, flush=True)
        now, most = server.memory()
    memory = {"at_start_mib": round(start), "at_end_mib": round(now), "most_mib": round(most)}
    return {"pages": found, "serve_memory": memory}


class Took(NamedTuple):
    """Time of a command, with its start: by the clock, and of processors in it and its children."""

    clock: float
    cpu: float


def seconds(*words: str | Path) -> Took:
    """How long a command takes."""
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([PROGRAM, *words], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Took(round(time.perf_counter() - began, 2), round(cpu, 2))


def group_by(folder: Path) -> dict[str, Any]:
    """Group-by queries over the whole archive."""
    return {name: seconds("-C", folder, "query", sql) for name, sql in GROUPS.items()}


def columnar(folder: Path, mirror: Path) -> dict[str, Any]:
    """The same with DuckDB over a mirror in Parquet, and making the mirror: killed once, resumed, again."""
    words: list[str | Path] = ["-C", folder, "export", "--parquet", mirror, "-q"]
    with subprocess.Popen([PROGRAM, *words], stdout=subprocess.DEVNULL) as first:
        with suppress(subprocess.TimeoutExpired):
            first.wait(KILLED_AFTER)
        first.kill()
    killed = files_of(mirror)
    resumed, again = (seconds(*words) for _ in range(2))
    made: dict[str, Any] = {
        "killed_after_s": KILLED_AFTER,
        "at_kill": killed,
        "resumed": resumed,
        "again": again,
    }
    made["at_end"] = files_of(mirror)
    found = {
        name: seconds("-C", folder, "query", "--columnar", mirror, sql)
        for name, sql in GROUPS.items()
        if " pages " in sql
    }
    return {"making the mirror": made, **found}


def files_of(mirror: Path) -> dict[str, float]:
    """How many files a mirror has by now, and how large they are."""
    sizes = [file.stat().st_size for file in mirror.glob("host=*/month=*/*.parquet")]
    return {"files": len(sizes), "mb": round(sum(sizes) / 1e6, 1)}


def exports(folder: Path, scratch: Path) -> dict[str, Any]:
    """The rate of an export of the largest host with text, in pages and bytes of the file."""
    found = {}
    with open_reader(folder) as reader:
        host = reader.dashboard.hosts("stored", None, 1)[0]
        pages = reader.count(PageFilter(host=host.name))
    for name, *more in EXPORTS:
        file = scratch / name
        took = seconds("-C", folder, "export", file, "--host", host.name, *more)
        size = file.stat().st_size
        rates = {
            f"per_{unit}_second": (round(pages / time_), round(size / time_ / 1e6, 1))
            for unit, time_ in (("clock", took.clock), ("cpu", took.cpu))
        }
        found[" ".join((name, *more))] = {"pages": pages, "mb": round(size / 1e6, 1), "pages and MB": rates}
        file.unlink()
    return found


def sizes(folder: Path) -> dict[str, Any]:
    """Text and index as shares of the WARC files."""
    with open_reader(folder) as reader:
        text = reader.text_sizes()
        files = {kind: sum(named.values()) for kind, named in reader.file_sizes().items()}
    warc = files.get("warc", 0) + files.get("packs", 0)
    database = (folder / "fieldmouse.sqlite").stat().st_size
    megabytes = {
        "warc": warc, "database": database, "text": text.text_bytes, "index": text.index_bytes,
    }  # fmt: skip
    shares = {"text_share": text.text_bytes / warc, "index_share": text.index_bytes / warc}
    return {
        **{f"{name}_mb": round(n / 1e6, 1) for name, n in megabytes.items()},
        **{name: round(value, 3) for name, value in shares.items()},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--folder", type=Path, required=True, help="the archive")
    parser.add_argument("--requests", type=int, default=40, help="of each kind of page")
    parser.add_argument("--only", choices=PARTS, help="one part")
    options = parser.parse_args(arguments)
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="fieldmouse-") as scratch:
        parts: dict[str, Callable[[], dict[str, Any]]] = {
            "pages": lambda: pages_of_dashboard(options.folder, options.requests),
            "sizes": lambda: sizes(options.folder),
            "sql": lambda: group_by(options.folder),
            "exports": lambda: exports(options.folder, Path(scratch)),
            "columnar": lambda: columnar(options.folder, Path(scratch) / "mirror"),
        }
        for name in [options.only] if options.only else PARTS:
            found[name] = parts[name]()
    print(json.dumps(found, indent=2))


if __name__ == "__main__":
    main()
