"""Background cleaning: a process that cleans hosts during a crawl, and ends with it."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.jobs.clean import Cleaner
from fieldmouse.service.background_cleaning import NEEDED, BackgroundCleaning
from fieldmouse.settings import Settings
from tests.crawl import webs
from tests.jobs.test_clean import port, rows
from tests.waiting import until


def gone(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().split()[2] == "Z"
    except FileNotFoundError:
        return True


def test_the_process_cleans_and_ends_with_the_crawl(tmp_path: Path) -> None:
    with (
        webs.web({"port.test": port(4)}) as net,
        webs.archive(tmp_path / "a", net, **{"templates.automatic": False}) as one,
    ):
        one.crawl([net.url("port.test")])
        watching = library.open(one.folder, **{"templates.automatic": True})
        cleaning = BackgroundCleaning(one.folder, watching.settings, poll=0.05)
        assert until(lambda: one.reader.templates.left() == 0)
        assert cleaning.process is not None
        process = cleaning.process.pid
        assert not gone(process)
        assert len(one.reader.templates.figures()) == 1
        cleaning.close()
        assert gone(process)
        cleaning.close()


def test_the_process_ends_when_the_crawl_is_killed(tmp_path: Path) -> None:
    with (
        webs.web({"port.test": port(4)}) as net,
        webs.archive(tmp_path / "a", net, **{"templates.automatic": False}) as one,
    ):
        one.crawl([net.url("port.test")])
        folder = one.folder
    child = os.fork()
    if not child:  # a crawl that is killed while the process runs
        cleaning = BackgroundCleaning(
            folder, library.open(folder, **{"templates.automatic": True}).settings, poll=0.01
        )
        until(lambda: cleaning.process)
        assert cleaning.process is not None
        (tmp_path / "pid").write_text(str(cleaning.process.pid))
        time.sleep(60)
        os._exit(0)
    pid = tmp_path / "pid"
    assert until(lambda: pid.exists() and pid.read_text())
    os.kill(child, 9)
    os.waitpid(child, 0)
    assert until(lambda: gone(int(pid.read_text())))


def test_an_interrupted_host_keeps_its_tries(tmp_path: Path) -> None:
    with (
        webs.web({"port.test": port(4)}) as net,
        webs.archive(tmp_path / "a", net, **{"templates.automatic": False}) as one,
    ):
        one.crawl([net.url("port.test")])

        def pressed() -> float:
            raise KeyboardInterrupt

        cleaner = Cleaner(one.folder, one.settings, pressed)
        with pytest.raises(KeyboardInterrupt):
            list(cleaner.all(unfinished=False))
        assert rows(one, "SELECT tries FROM uncleaned_host") == [(0,)]
        (host,) = rows(one, "SELECT host FROM uncleaned_host")[0]
        cleaner.store.begin(int(str(host)))
        cleaner.close()
        ending = (
            "import sys, pathlib, types; "
            "from fieldmouse.service.background_cleaning import _exit_with_stdin as end; "
            "end(pathlib.Path(sys.argv[1]), [types.SimpleNamespace(current_host=int(sys.argv[2]))])"
        )
        order = [sys.executable, "-c", ending, str(one.folder), str(host)]
        assert subprocess.run(order, stdin=subprocess.DEVNULL, check=False).returncode == 0
        assert rows(one, "SELECT tries FROM uncleaned_host") == [(0,)]


class _Watched:
    """Settings, or a section of them, that note what is read."""

    def __init__(self, real: object, read: set[str], name: str = "") -> None:
        self.real, self.read, self.name = real, read, name

    def __getattr__(self, name: str) -> object:
        value, full = getattr(self.real, name), f"{self.name}{name}"
        if not self.name:
            return _Watched(value, self.read, f"{full}.")
        self.read.add(full)
        return value


def test_the_process_gets_every_setting_that_cleaning_reads(tmp_path: Path) -> None:
    read: set[str] = set()
    with webs.web(
        {"a.test": {"/": b"<title>A</title><p>Hello there.<a href=/b>b</a>", "/b": b"<p>B"}}
    ) as net:
        with webs.archive(tmp_path / "a", net, **{"templates.automatic": False}) as one:
            one.crawl([net.url("a.test")])
        cleaner = Cleaner(tmp_path / "a", _Watched(Settings(), read), time.time)  # type: ignore[arg-type]
        assert [host.pages for host in cleaner.all(unfinished=True)] == [2]
        cleaner.close()
    assert "templates.pages" in read
    assert read <= set(NEEDED)
