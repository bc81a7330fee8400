"""Jobs on a Dask cluster of several processes: the results of the local pool, and how it is lost."""

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import closing
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from fieldmouse import library
from fieldmouse.errors import ExecutorLost, UsageError
from fieldmouse.jobs.clean import CleanedHost
from fieldmouse.jobs.executors import in_order, in_parts, opened_executor
from fieldmouse.jobs.export import Exported, ExportOptions, json_lines
from fieldmouse.jobs.label_archive import LabelOrder, label_archive
from fieldmouse.jobs.mirror import mirror
from fieldmouse.jobs.train import train_static
from fieldmouse.jobs.train_classes import classify_pages, save_classifier, train_classes
from fieldmouse.labels.classes import load_classes
from fieldmouse.library import Archive
from fieldmouse.store import open_reader
from fieldmouse.store.page_records import PageFilter
from tests.crawl import webs
from tests.crawl.town import Town
from tests.dask_cluster import DaskCluster, missing, running_dask
from tests.jobs.watched_pages import watched_archive

# Hosts about boats and hosts about animals in turn, so that labels do not depend on chance.
KINDS = (("barge", "ferry", "mooring", "lock"), ("heron", "otter", "willow", "ford"))
TOWN = Town(hosts=8, pages=25, pause=0.0, kinds=KINDS)

CLASSES = """
name = "river"
[classes.boats.keywords]
barge = 3
ferry = 3
mooring = 2
[classes.animals.keywords]
heron = 3
otter = 3
willow = 2
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[DaskCluster]:
    if reason := missing():
        pytest.skip(reason)
    with running_dask(3) as one:
        yield one


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, get_context("spawn")) as one:
        yield one


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that was crawled, but not cleaned."""
    folder, settings = tmp_path_factory.mktemp("crawled") / "a", {"templates.automatic": False}
    with webs.web(TOWN.sites()) as net, webs.archive(folder, net, **settings) as archive:
        archive.crawl([net.url(host) for host in TOWN.hosts])
    return folder


@pytest.fixture
def copied(crawled: Path, tmp_path: Path) -> Callable[[str], Archive]:
    def copy(name: str) -> Archive:
        shutil.copytree(crawled, tmp_path / name)
        return library.open(tmp_path / name)

    return copy


def cleaned(archive: Archive, executor: Executor | None) -> Any:
    hosts = [(one.host, one.pages, one.templates) for one in archive.clean(executor=executor)]
    rows = archive.query("select url, copy_of, content from pages order by url")[1]
    return hosts, list(rows)


def labelled(archive: Archive, executor: Executor | None) -> Any:
    """Labelling, training and classification, one after the other."""
    (archive.folder / "river.toml").write_text(CLASSES, "utf-8")
    order = LabelOrder(classes=load_classes(str(archive.folder / "river.toml")), every_page=True, least=0.1)
    with archive.writing() as store:
        report = label_archive(store, order, 1e9, executor=executor)
    trained = train_classes(archive.reader, executor=executor)
    save_classifier(trained, archive.folder)
    with archive.writing() as store:
        return (
            report,
            trained.accuracy,
            trained.learner.save(),
            list(classify_pages(store, 1e9, executor=executor)),
        )


def exported(archive: Archive, executor: Executor | None) -> Any:
    done = Exported()
    lines = b"".join(json_lines(archive.reader, ExportOptions(text=True, content=True), done, executor))
    made = mirror(archive.reader, archive.folder / "mirror", PageFilter(), executor=executor)
    paths = sorted((archive.folder / "mirror").rglob("*.parquet"))
    files = [(str(one.relative_to(archive.folder)), one.read_bytes()) for one in paths]
    assert done.count == lines.count(b"\n") > 100
    return lines, made, files


def judged(archive: Archive, executor: Executor | None) -> Any:
    (archive.folder / "topics").mkdir()
    (archive.folder / "topics" / "boats.toml").write_text(
        'name = "boats"\nrelevant = []\nirrelevant = []\n[keywords]\nbarge = 1.0\nferry = 0.8\n', "utf-8"
    )
    return sorted(archive.classify("boats", executor=executor))


def reviewed(archive: Archive, executor: Executor | None) -> Any:
    return archive.re_evaluate(offline=True, executor=executor)


def trained(archive: Archive, executor: Executor | None) -> Any:
    """The model of changes, from an archive with a history of visits; and what was said meanwhile."""
    heard: list[str] = []
    folder = archive.folder.with_name(f"{archive.folder.name}-watched")
    watched_archive(folder)
    with open_reader(folder) as reader:
        found = train_static(reader, groups=2, tell=heard.append, executor=executor)
    assert heard[0] == "60 pages with enough visits"
    assert heard[1] == "choosing features: 9 left"
    return found.learner.save(), found.features, found.page_error, found.site_error, heard


JOBS = (cleaned, labelled, exported, judged, reviewed, trained)


@pytest.mark.parametrize("job", JOBS)
def test_results_do_not_depend_on_the_executor(
    job: Callable[[Archive, Executor | None], Any],
    copied: Callable[[str], Archive],
    pool: Executor,
    cluster: DaskCluster,
) -> None:
    with copied("alone") as archive:
        alone = job(archive, None)
    with copied("pool") as archive:
        assert job(archive, pool) == alone
    with copied("dask") as archive, opened_executor(f"dask={cluster.address}", 0, archive.folder) as executor:
        assert executor is not None
        assert job(archive, executor) == alone


@pytest.mark.parametrize("kind", ["pool", "dask"])
def test_imports_are_the_same(
    kind: str, crawled: Path, tmp_path: Path, pool: Executor, cluster: DaskCluster
) -> None:
    """Several files, one of them damaged, one that is not split into members, and one twice."""
    found: list[Any] = []
    with library.open(crawled) as archive:
        warc = next((crawled / "warc").iterdir()).read_bytes()
    plain = b"".join(_members(warc))
    files = {"a.warc.gz": warc[: len(warc) // 2 + 99], "b.warc.gz": warc, "c.warc": plain, "d.warc.gz": warc}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    paths = [tmp_path / name for name in files]
    for name, executor in (("alone", None), (kind, pool)):
        with library.create(tmp_path / name) as archive:
            if name == "dask":
                with opened_executor(f"dask={cluster.address}", 0, archive.folder) as executor:
                    done = list(archive.import_warcs(paths, executor=executor))
            else:
                done = list(archive.import_warcs(paths, executor=executor))
            rows = [(one.url, one.visits, one.versions, one.title) for one in archive.reader.pages()]
            found.append((done, sorted(rows)))
            assert archive.check().problems == []
    assert found[0] == found[1]
    assert found[0][0][0].problems
    assert found[0][0][1].pages > 50


def _members(data: bytes) -> Iterator[bytes]:
    import zlib

    while data:
        inflate = zlib.decompressobj(wbits=31)
        yield inflate.decompress(data)
        data = inflate.unused_data


def slowly(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def test_a_dask_worker_that_is_killed_during_a_job(tmp_path: Path) -> None:
    if reason := missing():
        pytest.skip(reason)
    with running_dask(2) as cluster, opened_executor(f"dask={cluster.address}", 0, tmp_path) as executor:
        assert executor is not None
        results = in_order(executor, slowly, [0.1] * 30)
        first = [next(results) for _ in range(4)]
        cluster.workers[0].kill()
        assert len([*first, *results]) == 30


def test_the_scheduler_is_killed_during_a_job(copied: Callable[[str], Archive]) -> None:
    """There is a clear error, nothing is half written, and the same command goes on without Dask."""
    if reason := missing():
        pytest.skip(reason)
    with copied("lost") as archive, running_dask(2) as cluster:
        killer = threading.Timer(0.0, cluster.scheduler.kill)
        with opened_executor(f"dask={cluster.address}", 0, archive.folder) as executor:
            cleaning, done = archive.clean(executor=executor), list[CleanedHost]()
            killer.start()  # before the first result: a fast machine may have all of them soon after it
            with pytest.raises(ExecutorLost, match="run the command again"):
                done += cleaning
            killer.join()
        assert archive.check().problems == []
        rest = list(archive.clean())
        assert {one.host for one in done} | {one.host for one in rest} == {
            f"{host}:{_port(archive)}" for host in TOWN.hosts
        }
        assert archive.reader.templates.left() == 0
    with copied("whole") as other:
        list(other.clean())
        query = "select url, copy_of, content from pages order by url"
        assert list(archive.query(query)[1]) == list(other.query(query)[1])


def _port(archive: Archive) -> str:
    return next(archive.pages()).url.split("/")[2].partition(":")[2]


def test_the_command_line_on_dask(copied: Callable[[str], Archive], cluster: DaskCluster) -> None:
    with copied("cli") as archive:
        folder = archive.folder
    done = webs.run("-C", folder, "clean", "--json", "--executor", f"dask={cluster.address}")
    assert done.returncode == 0, done.stderr
    assert {one["pages"] for one in json.loads(done.stdout)} >= {25}
    out = folder / "pages.jsonl"
    done = webs.run("-C", folder, "export", out, "--text", "-q", "--executor", f"dask={cluster.address}")
    assert done.returncode == 0, done.stderr
    assert out.read_bytes().count(b"\n") > 150


def test_what_is_wrong_with_a_cluster_is_said(tmp_path: Path, cluster: DaskCluster) -> None:
    for choice, words in (
        ("dask=tcp://127.0.8.1:1", "no Dask scheduler answers"),
        ("dask=nonsense", "looks like tcp://HOST:PORT, not 'nonsense'"),
        ("ray", "there is no executor"),
        (f"dask={cluster.address}", "does not find"),
    ):
        with pytest.raises(UsageError, match=words), opened_executor(choice, 0, tmp_path / "missing"):
            pass


def test_tasks_under_way_are_limited(pool: Executor) -> None:
    asked: list[int] = []

    def items() -> Iterator[float]:
        for n in range(20):
            asked.append(n)
            yield 0.0

    with closing(in_order(pool, slowly, items(), ahead=4)) as results:  # type: ignore[type-var]
        next(iter(results))
        assert len(asked) == 4
    assert list(in_parts(range(5), 2)) == [[0, 1], [2, 3], [4]]
