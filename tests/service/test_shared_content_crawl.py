"""Archives whose content is in a shared place: crawled, read, killed and swept."""

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from fieldmouse.exits import Exit
from fieldmouse.library import Archive
from fieldmouse.library import open as open_archive
from tests.crawl import webs
from tests.crawl.town import Town
from tests.object_storage import ADDRESS, ObjectStorage
from tests.postgres_cluster import Cluster

CONTENT = ("warc", "tags", "packs")


@pytest.fixture(scope="module")
def town() -> Town:
    return Town(hosts=3, pages=12, pause=0.005)


@pytest.fixture(scope="module")
def net(town: Town) -> Iterator[webs.Net]:
    with webs.web(town.sites()) as one:
        yield one


def make(folder: Path, net: webs.Net, content: str, **more: object) -> Archive:
    polite = {"manners.delay": 0.0, "manners.burst_requests": 0, "templates.automatic": False}
    settings = {"archive.content": content, "crawl.commit_pages": 10, **polite, **more}
    return webs.archive(folder, net, **settings)


def crawl(archive: Archive, town: Town, net: webs.Net, *words: str) -> None:
    seeds = [net.url(name) for name in town.hosts]
    done = webs.run("-C", archive.folder, "crawl", "-q", *words, *seeds, timeout=180)
    assert done.returncode == Exit.DONE, done.stderr


def forget(folder: Path) -> None:
    """Empty the folder of all content, as it is on a machine that has fetched nothing."""
    for kind in CONTENT:
        shutil.rmtree(folder / kind, ignore_errors=True)
        (folder / kind).mkdir()


def fields(*words: str | Path) -> dict[str, list[str]]:
    done = webs.run(*words, "--json")
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.parametrize("kind", ["folder", "s3"])
def test_every_command_reads_from_the_place(
    tmp_path: Path, town: Town, net: webs.Net, storage: ObjectStorage, kind: str
) -> None:
    content = str(tmp_path / "shared") if kind == "folder" else f"s3://{storage.new_bucket()}/town"
    with make(tmp_path / "a", net, content) as archive:
        crawl(archive, town, net, "--workers", "2")
        wanted = {net.url(*one) for one in town.addresses()}
        forget(archive.folder)
        assert archive.check().problems == []
        assert webs.stored(archive) == wanted
        assert any((archive.folder / "warc").iterdir()), "what was read is kept"
        forget(archive.folder)
        assert webs.run("-C", archive.folder, "clean").returncode == 0
        forget(archive.folder)
        (found, *_) = json.loads(webs.run("-C", archive.folder, "search", "heron", "--json").stdout)["hits"]
        assert webs.run("-C", archive.folder, "why", found["url"]).returncode == 0
        done = webs.run("-C", archive.folder, "export", tmp_path / "all.warc.gz")
        assert (done.returncode, (tmp_path / "all.warc.gz").stat().st_size > 10_000) == (0, True)
        crawl(archive, town, net, "--again")  # pages are compared with their stored versions
        assert archive.check().problems == []
        # Packs take the place of the files, which are deleted after a while.
        forget(archive.folder)
        assert webs.run("-C", archive.folder, "compact").returncode == 0
        forget(archive.folder)
        assert archive.check().problems == []
        assert webs.stored(archive) == wanted


@pytest.mark.parametrize("kind", ["folder", "s3"])
def test_archives_do_not_sweep_each_others_objects(
    tmp_path: Path, town: Town, net: webs.Net, storage: ObjectStorage, kind: str
) -> None:
    content = str(tmp_path / "shared") if kind == "folder" else f"s3://{storage.new_bucket()}/town"
    other = str(tmp_path / "other") if kind == "folder" else f"s3://{storage.new_bucket()}/town"
    with make(tmp_path / "a", net, content) as archive, make(tmp_path / "b", net, other) as neighbour:
        crawl(archive, town, net)
        settings = neighbour.folder / "fieldmouse.toml"
        settings.write_text(settings.read_text("utf-8").replace(other, content), "utf-8")
        for command in (["sweep", "--grace", "0"], ["crawl", "-q", net.url(town.hosts[0])]):
            done = webs.run("-C", neighbour.folder, *command)
            assert done.returncode == 4, done.stderr
            assert "content of another archive" in done.stderr
        forget(archive.folder)
        assert archive.check().problems == []


def test_an_archive_is_made_whole_or_not_at_all(tmp_path: Path, storage: ObjectStorage) -> None:
    """Its place must be there, and belong to nobody else: `init` says so, not the first crawl."""
    bucket = storage.new_bucket()
    for content in ("s3://no-such-bucket/town", "s3:/town"):
        done = webs.run("init", tmp_path / "a", "--set", f"archive.content={content}")
        assert (done.returncode, content in done.stderr) == (4, True), done.stderr
        assert not (tmp_path / "a").exists()
    for name, code in (("a", Exit.DONE), ("b", 4)):
        done = webs.run("init", tmp_path / name, "--set", f"archive.content=s3://{bucket}/town")
        assert done.returncode == code, done.stderr
    assert not (tmp_path / "b").exists()


def test_models_reach_other_machines(tmp_path: Path, net: webs.Net, storage: ObjectStorage) -> None:
    from fieldmouse.files.shared_content import publish

    content = f"s3://{storage.new_bucket()}"
    with make(tmp_path / "a", net, content) as archive:
        model = archive.folder / "models" / "static.json"
        model.parent.mkdir(exist_ok=True)
        model.write_text("{}")
        publish(model)
        model.unlink()
        with archive.writing():
            assert model.read_text() == "{}"


class StuckUpload:
    """A way to the storage on which the first upload of a WARC file does not end.

    Its body stays in the middle, or it arrives and the answer does not.
    """

    def __init__(self, storage: ObjectStorage, *, whole: bool) -> None:
        self.listener = socket.create_server((ADDRESS, 0))
        self.port, self.server, self.whole = self.listener.getsockname()[1], storage.port, whole
        self.stuck = threading.Event()
        self.ended = threading.Event()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, server = self.listener.accept()[0], socket.create_connection((ADDRESS, self.server))
                threading.Thread(target=self._up, args=(client, server), daemon=True).start()
                threading.Thread(target=self._down, args=(server, client), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError), client, server:
            while data := client.recv(65536):
                if b"PUT /" in data and b"/warc/" in data:
                    if not self.whole:
                        server.sendall(data[:-1] if data.partition(b"\r\n\r\n")[2] else data)
                        self.stuck.set()
                        self.ended.wait(60)
                        return
                    self.stuck.set()
                server.sendall(data)

    def _down(self, server: socket.socket, client: socket.socket) -> None:
        with suppress(OSError), client, server:
            while data := server.recv(65536):
                if self.stuck.is_set() and b"HTTP/1.1 200" in data:
                    self.ended.wait(60)
                    return
                client.sendall(data)

    def close(self) -> None:
        self.ended.set()
        self.listener.close()


@pytest.mark.parametrize("whole", [False, True], ids=["in the middle", "before its commit"])
def test_an_upload_that_is_killed_is_never_indexed(
    tmp_path: Path, town: Town, net: webs.Net, storage: ObjectStorage, whole: bool
) -> None:
    """SIGKILL while a WARC file is being uploaded, or when it was and no row points to it."""
    bucket = storage.new_bucket()
    with make(tmp_path / "a", net, f"s3://{bucket}/town") as archive:
        link = StuckUpload(storage, whole=whole)
        seeds = [net.url(name) for name in town.hosts]
        victim = subprocess.Popen(
            webs.command("-C", archive.folder, "crawl", "-q", *seeds),
            env={**os.environ, **storage.environment(link.port)},
        )
        try:
            assert link.stuck.wait(60), "nothing was uploaded"
            time.sleep(0.5)
            victim.send_signal(signal.SIGKILL)
            victim.wait()
        finally:
            victim.kill()
            link.close()
        assert webs.stored(archive) == set(), "no row points to it"
        place = archive_objects(f"s3://{bucket}/town")
        assert len(place) == int(whole), "an object is there whole, or not at all"
        found = fields("-C", archive.folder, "sweep")
        assert (found["orphans"], found["kept"]) == ([], len(place)), "it may still be committed"
        crawl(archive, town, net)
        forget(archive.folder)
        assert archive.check().problems == []
        assert webs.stored(archive) == {net.url(*one) for one in town.addresses()}
        count = len(archive_objects(f"s3://{bucket}/town"))
        found = fields("-C", archive.folder, "sweep", "--grace", "0", "--dry-run")
        assert found["orphans"] == place
        assert len(archive_objects(f"s3://{bucket}/town")) == count
        found = fields("-C", archive.folder, "sweep", "--grace", "0")
        assert found["orphans"] == place
        assert len(archive_objects(f"s3://{bucket}/town")) == count - len(place)
        forget(archive.folder)
        assert archive.check().problems == []


def archive_objects(url: str) -> list[str]:
    from fieldmouse.files.shared_content import ContentPlace

    return [one.key for one in ContentPlace(url).objects(*CONTENT)]


def test_workers_without_a_common_folder(
    tmp_path: Path, town: Town, net: webs.Net, storage: ObjectStorage, postgres: Cluster
) -> None:
    """State on PostgreSQL, content on S3: two folders that share nothing are one archive."""
    url, content = postgres.archive_database(), f"s3://{storage.new_bucket()}/town"
    with make(tmp_path / "a", net, content, **{"archive.store": url}) as archive:
        archive.import_urls([net.url(name) for name in town.hosts])
        other = tmp_path / "b"
        other.mkdir()
        for name in ("fieldmouse.toml", "fieldmouse.id"):
            shutil.copy(archive.folder / name, other)
        team = [
            subprocess.Popen(webs.command("-C", folder, "worker", "-q", "--until-done"))
            for folder in (archive.folder, other)
        ]
        assert [one.wait(120) for one in team] == [Exit.DONE, Exit.DONE]
        with open_archive(other) as second:
            for one in (archive, second):
                assert one.check().problems == []
                assert webs.stored(one) == {net.url(*place) for place in town.addresses()}
