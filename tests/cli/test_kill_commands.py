"""`kill -9` of every command that writes: nothing is lost, nothing is doubled, nothing is torn.

Each command runs once without being killed, on a copy of the archive. Then it is killed at random instants of
the time that took, on another copy, which must be whole after each kill. At last it runs to its end and must
leave what the first run left.
"""

import gzip
import http.client
import json
import os
import random
import re
import shutil
import signal
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from warcio.archiveiterator import ArchiveIterator

from fieldmouse import library
from fieldmouse.exits import Exit
from fieldmouse.store import open_inbox
from fieldmouse.store.engines import server as store_server
from fieldmouse.store.inbox_contract import Role
from tests.crawl import webs, whole
from tests.crawl.passing import asked, later
from tests.crawl.town import Town
from tests.postgres_cluster import Cluster
from tests.service.test_notifications import Receiver
from tests.waiting import until

from .killing import Command, kill_often

# Kills of each command in `make soak`, and in the gate. 26 commands times 20 are 520; a crawl has others.
SOAK, GATE = 20, 1


@dataclass
class Trial:
    """A command, the archive it writes to, and what must hold."""

    folder: Path
    net: webs.Net
    args: list[str] = field(default_factory=list)
    code: int = 0
    receiver: Receiver | None = None
    whole_after_kill: bool = True
    forgotten: list[str] = field(default_factory=list)

    @property
    def archive(self) -> library.Archive:
        return library.open(self.folder)

    def start(self) -> Command:
        return Command(self.folder, self.args, self.folder.parent / f"{self.folder.name}.out")

    def kept(self) -> dict[str, list[str]]:
        """The digests of all versions of each page."""
        with self.archive as archive:
            return {page.url: [one.version.digest for one in page.versions()] for page in archive.pages()}


def prepare_crawl(trial: Trial) -> None:
    trial.args = ["crawl", "-q", "--again"]


def prepare_refresh(trial: Trial) -> None:
    with trial.archive as archive:
        later(archive, 100)
    trial.args = ["refresh", "-q", "--pages", "1000"]


def prepare_clean(trial: Trial) -> None:
    trial.args = ["clean", "--rebuild", *(f"{host}:{trial.net.port}" for host in ("h0.test", "h1.test"))]


def prepare_compact(trial: Trial) -> None:
    trial.args = ["compact"]


def prepare_import(trial: Trial) -> None:
    source = trial.folder.parent / "source.warc.gz"
    if not source.exists():
        webs.run("-C", trial.folder, "export", source)
    shutil.rmtree(trial.folder)
    webs.archive(trial.folder, trial.net).close()
    trial.args = ["import", "-q", str(source)]


def prepare_posts(trial: Trial) -> None:
    source = trial.folder.parent / "posts.jsonl"
    lines = [
        {"id": str(n), "created_at": "2026-11-10T10:00:00Z", "account": {"acct": f"user{n % 7}"},
         "content": f"<p>see <a href='https://site{n}.example/new'>this</a></p>"}
        for n in range(3000)
    ]  # fmt: skip
    source.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    trial.args = ["import", "-q", "--posts", str(source)]


def prepare_visits(trial: Trial) -> None:
    source, begin = trial.folder.parent / "access.log", datetime(2026, 11, 10, 8, tzinfo=UTC)
    lines = [
        f"192.0.2.{n % 90} - - [{begin + timedelta(seconds=n):%d/%b/%Y:%H:%M:%S} +0000] "
        f'"GET /p/{n % 40} HTTP/1.1" 200 512 "-" "Firefox"\n'
        for n in range(4000)
    ]
    source.write_text("".join(lines), "utf-8")
    trial.args = ["import", "-q", "--visits", str(source), "--host", f"h0.test:{trial.net.port}"]


def prepare_forget(trial: Trial) -> None:
    with trial.archive as archive:
        trial.forgotten = sorted(page.url for page in archive.pages())[:12]
    trial.args = ["forget", "--yes", *trial.forgotten]


def prepare_train(trial: Trial) -> None:
    """A history of four visits; it is made once and copied."""
    trained = trial.folder.parent / "trained"
    if not trained.exists():
        shutil.copytree(trial.folder, trained)
        for _ in range(4):
            with library.open(trained) as archive:
                later(archive, 3)
            done = webs.run("-C", trained, "crawl", "-q", "--again")
            assert done.returncode == 0, done.stderr
    shutil.rmtree(trial.folder)
    shutil.copytree(trained, trial.folder)
    trial.args = ["train", "static"]


def prepare_build(trial: Trial) -> None:
    trial.args = ["topic", "build", "heron", "--example", trial.net.url("h0.test")]


def prepare_export(name: str, *options: str) -> Callable[[Trial], None]:
    def prepare(trial: Trial) -> None:
        target = trial.folder.parent / f"{trial.folder.name}-out" / name
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(b"old")
        trial.args = ["export", str(target), *options]

    return prepare


def prepare_mirror(trial: Trial) -> None:
    target = trial.folder.parent / f"{trial.folder.name}-out"
    target.mkdir(exist_ok=True)
    trial.args = ["export", "--parquet", str(target / "mirror")]


def prepare_rebuild(trial: Trial) -> None:
    trial.args = ["rebuild", "-q", "--force"]


def prepare_repair(trial: Trial) -> None:
    with trial.archive as archive:
        place = next(page.versions()[0].version.place for page in archive.pages() if page.versions())
    file = trial.folder / "warc" / place.file
    with file.open("r+b") as one:
        one.seek(place.offset + 60)
        one.write(b"damage")
    trial.args, trial.whole_after_kill = ["check", "--repair"], False


def prepare_label(trial: Trial) -> None:
    trial.args = ["label", "--classes", "business", "--every-page"]


def prepare_weight(trial: Trial) -> None:
    file = trial.folder.parent / "weights.csv"
    with trial.archive as archive:
        file.write_text("".join(f"{page.url},3\n" for page in archive.pages()), "utf-8")
    trial.args = ["weight", "--file", str(file)]


def prepare_search(trial: Trial) -> None:
    trial.args = ["search", "--rebuild"]


def prepare_topic(trial: Trial) -> None:
    done = webs.run("-C", trial.folder, "topic", "build", "heron", "--example", trial.net.url("h0.test"))
    assert done.returncode == 0, done.stderr
    trial.args = ["classify", "--topic", "heron"]


def prepare_notify(trial: Trial) -> None:
    trial.receiver = trial.receiver or Receiver()
    trial.receiver.taken.clear()
    settings = trial.folder / "fieldmouse.toml"
    text = settings.read_text("utf-8")
    settings.write_text(text.replace("[notify]", f'[notify]\nwebhooks = ["{trial.receiver.url}"]'), "utf-8")
    assert (
        webs.run("-C", trial.folder, "notify").returncode == 0
    )  # a new receiver gets what comes from now on
    with trial.archive as archive:
        later(archive, 100)
    trial.net.handlers["h0.test"].changed = True  # type: ignore[attr-defined]
    assert webs.run("-C", trial.folder, "refresh", "-q", "--pages", "30").returncode == Exit.SIZE_LIMIT
    trial.net.handlers["h0.test"].changed = False  # type: ignore[attr-defined]
    trial.args = ["notify"]


# --- what each command must leave ------------------------------------------------------------------------


def pages_left(trial: Trial) -> Any:
    return trial.kept()


def visits_left(trial: Trial) -> Any:
    with trial.archive as archive:
        visits = whole.visited(archive)
    # A sitemap is read whenever robots.txt is.
    return trial.kept(), {url: count for url, count in visits.items() if not url.endswith("/map.txt")}


def texts_left(trial: Trial) -> Any:
    with trial.archive as archive:
        return {page.url: page.content.text for page in archive.pages()}


def bodies_left(trial: Trial) -> Any:
    with trial.archive as archive:
        return {page.url: [one.body for one in page.versions()] for page in archive.pages()}


def posts_left(trial: Trial) -> Any:
    with trial.archive as archive:
        tables = ("post", "post_link", "named_host")
        return [asked(archive, f"SELECT count(*) FROM {table}") for table in tables]


def readers_left(trial: Trial) -> Any:
    with trial.archive as archive:
        return sorted(archive.query("SELECT url, time FROM reader_visits")[1])


def forgotten_left(trial: Trial) -> Any:
    """The pages that stay; nothing of the others can be read, neither here nor in the files."""
    kept = trial.kept()
    assert set(kept).isdisjoint(trial.forgotten)
    left = {url for _, url in whole.records(trial.folder)}
    assert left.isdisjoint(trial.forgotten)
    return kept


def model_left(trial: Trial) -> Any:
    """The models, without the times at which they were trained."""
    models = sorted((trial.folder / "models").iterdir())
    return [(one.name, re.sub(rb"20\d\d-\d\d-\d\d[T 0-9:.+Z]*", b"", one.read_bytes())) for one in models]


def export_left(trial: Trial) -> Any:
    (file,) = Path(trial.args[1]).parent.iterdir()
    if file.suffix == ".gz":  # its first record says when it was written
        with file.open("rb") as one:
            return [record.rec_headers.get_header("WARC-Target-URI") for record in ArchiveIterator(one)]
    if file.suffix == ".wacz":
        with zipfile.ZipFile(file) as parts:
            return sorted(parts.namelist())
    return file.read_bytes()


def mirror_left(trial: Trial) -> Any:
    import pyarrow.dataset

    table = pyarrow.dataset.dataset(trial.args[2], format="parquet", partitioning="hive").to_table(["url"])
    return sorted(table.column("url").to_pylist())


def labels_left(trial: Trial) -> Any:
    with trial.archive as archive:
        return sorted((one.url, one[2]) for one in archive.reader.labels.all("business"))


def weights_left(trial: Trial) -> Any:
    with trial.archive as archive:
        return asked(archive, "SELECT url, weight FROM page ORDER BY url")


def found_left(trial: Trial) -> Any:
    return webs.run("-C", trial.folder, "search", "heron", "-n", "1000", "--json").stdout


def scores_left(trial: Trial) -> Any:
    with trial.archive as archive:
        return list(archive.query("SELECT url, score FROM relevant_table ORDER BY url")[1])


def sent_left(trial: Trial) -> Any:
    assert trial.receiver is not None
    return sorted({each["id"] for got in trial.receiver.taken for each in _changes(got)})


def _changes(got: dict[str, Any]) -> list[dict[str, Any]]:
    return list(got.get("changes", [got]))


CASES: dict[str, tuple[Callable[[Trial], None], Callable[[Trial], Any]]] = {
    "crawl --again": (prepare_crawl, pages_left),
    "refresh": (prepare_refresh, visits_left),
    "clean": (prepare_clean, texts_left),
    "compact": (prepare_compact, bodies_left),
    "import": (prepare_import, visits_left),
    "import --posts": (prepare_posts, posts_left),
    "import --visits": (prepare_visits, readers_left),
    "forget": (prepare_forget, forgotten_left),
    "train static": (prepare_train, model_left),
    "topic build": (prepare_build, lambda trial: (trial.folder / "topics" / "heron.toml").read_bytes()),
    "export jsonl": (prepare_export("x.jsonl", "--text"), export_left),
    "export warc": (prepare_export("x.warc.gz"), export_left),
    "export csv": (prepare_export("x.csv"), export_left),
    "export wacz": (prepare_export("x.wacz"), export_left),
    "export parquet": (prepare_mirror, mirror_left),
    "rebuild": (prepare_rebuild, visits_left),
    "check --repair": (prepare_repair, pages_left),
    "label": (prepare_label, labels_left),
    "weight": (prepare_weight, weights_left),
    "search --rebuild": (prepare_search, found_left),
    "classify": (prepare_topic, scores_left),
    "notify": (prepare_notify, sent_left),
}


class Changing:
    """A site of a town whose pages can change."""

    def __init__(self, handler: Callable[..., Any]) -> None:
        self.handler, self.changed = handler, False

    def __call__(self, request: Any) -> Any:
        pause, answer = self.handler(request)
        if self.changed and answer.startswith(b"HTTP/1.1 200") and b"Content-Encoding" not in answer:
            head, _, body = answer.partition(b"\r\n\r\n")
            body = body.replace(b"<p>", b"<p>A new sentence about the ferry that nobody has read before. ")
            lines = [
                one for one in head.split(b"\r\n") if not one.lower().startswith((b"content-length", b"etag"))
            ]
            answer = b"\r\n".join([*lines, b"Content-Length: %d" % len(body)]) + b"\r\n\r\n" + body
        return pause, answer


@pytest.fixture(scope="module")
def net() -> Iterator[webs.Net]:
    town = Town(hosts=2, pages=40, pause=0.004)
    sites = {name: Changing(site) for name, site in town.sites().items()}
    with webs.web(sites) as one:
        yield one


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, net: webs.Net) -> Path:
    """An archive of both hosts, to be copied."""
    folder: Path = tmp_path_factory.mktemp("kill") / "base"
    with webs.archive(folder, net, audit=0.0, forecast=False) as archive:
        assert archive.crawl([net.url("h0.test"), net.url("h1.test")]).exit is Exit.DONE
    return folder


def make_work(trial: Trial, base: Path, prepare: Callable[[Trial], None]) -> None:
    """A new copy of the archive, on which the command has everything to do."""
    shutil.rmtree(trial.folder)
    shutil.copytree(base, trial.folder)
    prepare(trial)


def run_case(name: str, tmp_path: Path, base: Path, net: webs.Net, kills: int) -> None:
    prepare, left = CASES[name]
    trials = []
    for copy in ("calm", "killed"):
        shutil.copytree(base, tmp_path / copy)
        trials.append(Trial(tmp_path / copy, net))
        prepare(trials[-1])
    calm, killed = trials
    try:
        length = calm.start().end(code=calm.code)
        before = killed.kept() if name not in ("import", "check --repair") else {}
        kill_often(
            killed.start, lambda: inspect(killed, before), lambda: make_work(killed, base, prepare),
            kills=kills, length=length, chance=random.Random(name),
        )  # fmt: skip
        killed.start().end(code=killed.code)
        inspect(killed, before)
        assert left(killed) == left(calm)
        with killed.archive as archive:
            assert archive.check().problems == []
            if name != "compact":
                whole.assert_index_leads_to_records(archive, tmp_path)
    finally:
        for trial in trials:
            if trial.receiver is not None:
                trial.receiver.close()


def inspect(trial: Trial, before: dict[str, list[str]]) -> None:
    """After a kill: no damage, and every version that was there is there, once."""
    with trial.archive as archive:
        if trial.whole_after_kill:
            assert archive.check().problems == []
    now = trial.kept()
    for url in sorted(set(before) - set(trial.forgotten)):
        digests = before[url]
        assert now.get(url, [])[: len(digests)] == digests or set(digests) <= set(now.get(url, [])), url
    assert [url for url, digests in now.items() if len(set(digests)) < len(digests)] == []
    if "export" in trial.args and trial.args[1] != "--parquet":
        file = Path(trial.args[1])
        content = file.read_bytes()
        assert content == b"old" or _is_whole(file, content), "a file that is neither the old one nor whole"


def _is_whole(file: Path, content: bytes) -> bool:
    if file.suffix == ".jsonl":
        return all(json.loads(line)["url"] for line in content.splitlines()) and content.endswith(b"\n")
    if file.suffix == ".wacz":
        return zipfile.ZipFile(file).testzip() is None
    if file.suffix == ".gz":
        return len(gzip.decompress(content)) > 0
    return content.endswith(b"\n")


@pytest.mark.parametrize("name", CASES)
def test_a_command_that_is_killed_goes_on(name: str, tmp_path: Path, base: Path, net: webs.Net) -> None:
    run_case(name, tmp_path, base, net, GATE)


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_command_that_is_killed_often_goes_on(name: str, tmp_path: Path, base: Path, net: webs.Net) -> None:
    run_case(name, tmp_path, base, net, SOAK)


# --- the commands that run until they are stopped --------------------------------------------------------


def keep_fresh(tmp_path: Path, base: Path, net: webs.Net, kills: int) -> None:
    folder = tmp_path / "a"
    shutil.copytree(base, folder)
    trial = Trial(folder, net, ["run", "-q", "--budget", "100000"])
    with trial.archive as archive:
        later(archive, 100)
    before = trial.kept()
    kill_often(
        trial.start,
        lambda: inspect(trial, before),
        lambda: None,
        kills=kills,
        length=1.5,
        chance=random.Random(4),
    )
    last = trial.start()
    for _ in range(200):
        time.sleep(0.05)
        with trial.archive as archive:
            if min(whole.visited(archive).values()) >= 2:
                break
    os.kill(last.process.pid or 0, signal.SIGTERM)
    last.end(code=Exit.STOPPED)
    inspect(trial, before)


def test_a_daemon_that_is_killed_goes_on(tmp_path: Path, base: Path, net: webs.Net) -> None:
    keep_fresh(tmp_path, base, net, GATE)


@pytest.mark.slow
def test_a_daemon_that_is_killed_often_goes_on(tmp_path: Path, base: Path, net: webs.Net) -> None:
    keep_fresh(tmp_path, base, net, SOAK)


def take_in(tmp_path: Path, base: Path, net: webs.Net, kills: int) -> None:
    """Send pages to a server that is killed; what it said it took is in the archive, once."""
    folder = tmp_path / "a"
    shutil.copytree(base, folder)
    with open_inbox(folder) as inbox:
        token = inbox.add_token("ann", frozenset({Role.PUBLISH}), 1.0)
    trial, chance = Trial(folder, net, ["serve", "--port", "0"]), random.Random(5)
    before, accepted, sent = trial.kept(), set(), 0
    for turn in range(kills + 1):
        server = trial.start()
        port = _port_of(server)
        ends = time.monotonic() + (2.5 if turn == kills else chance.random())
        while time.monotonic() < ends:
            sent += turn < kills
            url = f"https://reader.example/{sent if turn < kills else sent - 1}"
            if _send(port, token, url):
                accepted.add(url)
            if turn == kills:
                break
        if turn < kills:
            server.kill_after(0)
            inspect(trial, before)
    # The process that takes them in has a low priority, and there are hundreds.
    until(lambda: accepted <= set(trial.kept()), "what was accepted is in the archive", 600)
    os.kill(server.process.pid or 0, signal.SIGTERM)
    server.end()
    kept = trial.kept()
    assert accepted, "nothing was accepted between the kills"
    assert sorted(accepted - set(kept)) == []
    assert [url for url in accepted if len(kept[url]) != 1] == []
    inspect(trial, before)


def _port_of(server: Command) -> int:
    until(lambda: "http://127.0.0.1:" in server.said or not server.process.is_alive(), "the server is ready")
    return int(server.said.partition("http://127.0.0.1:")[2].partition("/")[0])


def _send(port: int, token: str, url: str) -> bool:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    body = json.dumps({"url": url, "html": f"<title>{url}</title><p>What a reader saw at {url}.", "key": url})
    try:
        connection.request(
            "POST", "/v1/pages", body,
            {"authorization": f"Bearer {token}", "content-type": "application/json"},
        )  # fmt: skip
        return connection.getresponse().status in (200, 201, 202)
    except OSError:
        return False
    finally:
        connection.close()


def test_a_server_that_is_killed_loses_nothing_it_took(tmp_path: Path, base: Path, net: webs.Net) -> None:
    take_in(tmp_path, base, net, GATE)


@pytest.mark.slow
def test_a_server_that_is_killed_often_loses_nothing_it_took(
    tmp_path: Path, base: Path, net: webs.Net
) -> None:
    take_in(tmp_path, base, net, SOAK)


# --- the commands of archives on a server ----------------------------------------------------------------


def move_there_and_back(tmp_path: Path, base: Path, net: webs.Net, server: Cluster, kills: int) -> None:
    trial = Trial(tmp_path / "a", net)
    shutil.copytree(base, trial.folder)
    before, wanted = trial.kept(), visits_left(trial)

    def to_server() -> None:
        make_work(trial, base, lambda _: None)
        trial.args = ["move", "-q", server.new_database()]

    def to_file() -> None:
        to_server()
        trial.start().end()
        trial.args = ["move", "-q", "sqlite"]

    for prepare, there in ((to_server, True), (to_file, False)):
        prepare()
        length = trial.start().end()
        prepare()
        kill_often(
            trial.start, lambda: inspect(trial, before), prepare,
            kills=max(1, kills // 2), length=length, chance=random.Random(trial.args[2]),
        )  # fmt: skip
        if bool(store_server(trial.folder)) != there:  # the last kill came before it was done
            trial.start().end()
        inspect(trial, before)
        assert visits_left(trial) == wanted
        assert (trial.folder / "fieldmouse.sqlite").exists() != there


def test_a_move_that_is_killed_goes_on(tmp_path: Path, base: Path, net: webs.Net, postgres: Cluster) -> None:
    move_there_and_back(tmp_path, base, net, postgres, GATE)


@pytest.mark.slow
def test_a_move_that_is_killed_often_goes_on(
    tmp_path: Path, base: Path, net: webs.Net, postgres: Cluster
) -> None:
    move_there_and_back(tmp_path, base, net, postgres, SOAK)


def join(tmp_path: Path, net: webs.Net, server: Cluster, kills: int) -> None:
    """A worker is killed and another one joins; what was committed stays, and the hosts are taken over."""
    trial, before = Trial(tmp_path / "a", net, ["worker", "-q", "--until-done"]), dict[str, list[str]]()

    def prepare() -> None:
        shutil.rmtree(trial.folder, ignore_errors=True)
        before.clear()
        settings = {"archive.store": server.archive_database(), "crawl.lease_seconds": 1.0}
        with webs.archive(trial.folder, net, **settings) as archive:
            archive.import_urls([net.url("h0.test"), net.url("h1.test")])

    def look() -> None:
        inspect(trial, before)
        before.update(trial.kept())

    prepare()
    length = trial.start().end()
    wanted = trial.kept()
    prepare()
    kill_often(trial.start, look, prepare, kills=kills, length=length + 1.0, chance=random.Random(6))
    trial.start().end()
    look()
    assert trial.kept() == wanted
    with trial.archive as archive:
        assert set(whole.visited(archive).values()) == {1}


def test_a_worker_that_is_killed_loses_nothing(tmp_path: Path, net: webs.Net, postgres: Cluster) -> None:
    join(tmp_path, net, postgres, GATE)


@pytest.mark.slow
def test_a_worker_that_is_killed_often_loses_nothing(
    tmp_path: Path, net: webs.Net, postgres: Cluster
) -> None:
    join(tmp_path, net, postgres, SOAK)
