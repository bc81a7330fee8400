"""One main process for an archive on a server, also from folders that share nothing, and names of workers."""

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldmouse.errors import ArchiveBusy, UsageError
from fieldmouse.settings import Settings
from fieldmouse.store import open_repair
from fieldmouse.store.contract import Store
from fieldmouse.store.engines import open_server
from tests.postgres_cluster import Cluster
from tests.store.answers import BEGAN
from tests.store.stores import found, make, opened


@pytest.fixture
def machines(tmp_path: Path, postgres: Cluster) -> tuple[Path, Path, Settings]:
    """Two folders of one archive."""
    settings = make(tmp_path / "a", postgres.archive_database())
    (tmp_path / "b").mkdir()
    for name in ("fieldmouse.toml", "fieldmouse.id"):
        shutil.copy(tmp_path / "a" / name, tmp_path / "b")
    return tmp_path / "a", tmp_path / "b", settings


@pytest.fixture
def main(machines: tuple[Path, Path, Settings]) -> Iterator[Store]:
    with opened(machines[0], machines[2]) as one:
        yield one


def cut(postgres: Cluster, store: Store) -> None:
    name = store.db.where.rpartition("/")[2]
    postgres.run(f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'")


def test_one_main_process_on_all_machines(main: Store, machines: tuple[Path, Path, Settings]) -> None:
    _, folder, settings = machines
    with pytest.raises(ArchiveBusy, match=r"in use by process \d+ on .*join it with `fieldmouse worker`"):
        opened(folder, settings)
    with pytest.raises(ArchiveBusy, match="in use by"):
        open_repair(folder, now=BEGAN)
    opened(folder, settings, "other", join=True).close()
    main.close()
    opened(folder, settings).close()


def test_it_stays_the_main_process_when_its_connection_breaks(
    main: Store, machines: tuple[Path, Path, Settings], postgres: Cluster
) -> None:
    cut(postgres, main)
    main.seed({"a.test": ["http://a.test/"]}, BEGAN)
    with pytest.raises(ArchiveBusy, match="in use by"):
        opened(machines[1], machines[2])


def test_it_writes_nothing_after_another_one_took_its_place(
    main: Store, machines: tuple[Path, Path, Settings], postgres: Cluster
) -> None:
    main.seed({"a.test": ["http://a.test/"]}, BEGAN)
    main.lease(BEGAN, 1)
    main.db.patience = 0.5
    cut(postgres, main)
    with opened(machines[1], machines[2]) as other:
        with pytest.raises(ArchiveBusy, match="another process is the main process of the archive now"):
            main.commit([found()], BEGAN)
        assert [lease.epoch for lease in other.lease(BEGAN, 1)] == [2]
        other.commit([found()], BEGAN)
        with other.reader() as reader:
            assert reader.page("http://a.test/").visits == 1


def test_two_workers_do_not_have_one_name(main: Store, machines: tuple[Path, Path, Settings]) -> None:
    _, folder, settings = machines
    with opened(folder, settings, "otter", join=True) as other, opened(folder, settings, join=True) as one:
        other.workers.join("otter", "far", 7, BEGAN)
        with pytest.raises(UsageError, match="called otter is at work on far, process 7"):
            one.workers.join("otter", "here", 8, BEGAN)
        other.close()
        one.workers.join("otter", "here", 8, BEGAN)


def test_a_machine_that_vanished_is_noticed_by_both_sides(postgres: Cluster) -> None:
    """Not after hours, as systems would by themselves; what the address of the server says counts."""
    url = postgres.archive_database()
    for more, idle in (("", 20), ("?keepalives_idle=7", 7)):
        db = open_server(url + more)
        own = socket.socket(fileno=socket.dup(db.db.fileno()))
        assert own.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert own.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == idle
        assert own.getsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT) == 40_000
        own.close()
        for name, value in (("keepalives_idle", "20"), ("keepalives_count", "4"), ("user_timeout", "40000")):
            assert db.db.execute(f"SHOW tcp_{name}").fetchone() == (value,)
        db.close()
