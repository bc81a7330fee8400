import fcntl
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fieldmouse.errors import ArchiveBusy, ArchiveDamaged, ArchiveError, DiskFull
from fieldmouse.files import append_only
from fieldmouse.files.append_only import Appender, FileBatch, Lock, Repair, repair, replace

ROOM = 256 * 1024


def test_appends_say_where_they_stand(tmp_path):
    with Appender(tmp_path / "a") as file:
        assert (file.append(b"one"), file.append(b"three"), file.size) == (0, 3, 8)
        assert file.sync() == 8
        file.commit()
    assert (tmp_path / "a").read_bytes() == b"onethree"


def test_what_was_not_committed_is_cut(tmp_path):
    (tmp_path / "a").write_bytes(b"goodtorn!")
    with Appender(tmp_path / "a", 4) as file:
        assert file.cut == 5
        assert file.append(b" again") == 4
        file.sync()
    assert (tmp_path / "a").read_bytes() == b"good again"


def test_a_file_shorter_than_committed_is_damage(tmp_path):
    (tmp_path / "a").write_bytes(b"goo")
    with pytest.raises(ArchiveDamaged, match="3 bytes, but 4 were committed"):
        Appender(tmp_path / "a", 4)


def test_rollback_goes_to_the_last_commit_even_after_a_sync(tmp_path):
    with Appender(tmp_path / "a") as file:
        file.append(b"kept")
        file.sync()
        file.commit()
        file.append(b"lost")
        file.sync()
        file.rollback()
        assert (file.size, file.path.read_bytes()) == (4, b"kept")
        file.append(b"next")
        file.rollback()
        assert file.path.read_bytes() == b"kept"


def test_nothing_is_appended_between_sync_and_commit(tmp_path):
    with Appender(tmp_path / "a") as file:
        file.append(b"x")
        file.sync()
        with pytest.raises(ArchiveError, match="commit or roll back first"):
            file.append(b"y")


def test_nothing_is_committed_that_was_not_synced(tmp_path):
    with Appender(tmp_path / "a") as file:
        file.append(b"x")
        with pytest.raises(ArchiveError, match="must be synced"):
            file.commit()


def test_large_appends_reach_the_file_before_a_sync(tmp_path):
    with Appender(tmp_path / "a") as file:
        file.append(b"x" * append_only.BUFFER)
        assert (tmp_path / "a").stat().st_size == append_only.BUFFER


def test_a_folder_that_is_not_there_is_a_clear_error(tmp_path):
    with pytest.raises(ArchiveError, match=r"cannot write .*No such file"):
        Appender(tmp_path / "missing" / "a")


STEPS = st.lists(
    st.one_of(st.binary(max_size=40), st.sampled_from(["commit", "rollback", "crash"])), max_size=30
)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(steps=STEPS)
def test_a_file_is_always_what_was_committed(tmp_path_factory, steps):
    path = tmp_path_factory.mktemp("steps") / "a"
    kept = wanted = b""
    file = Appender(path)
    for step in steps:
        if isinstance(step, bytes):
            assert file.append(step) == len(wanted)
            wanted += step
        elif step == "commit":
            assert file.sync() == len(wanted)
            file.commit()
            kept = wanted
        elif step == "rollback":
            file.rollback()
            wanted = kept
        else:
            file.flush()
            file.close()
            file = Appender(path, len(kept))
            wanted = kept
    file.close()
    Appender(path, len(kept)).close()
    assert path.read_bytes() == kept


@pytest.fixture
def small_disk(tmp_path):
    """A real file system with little room."""
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small disk; the file size limit is tested all the same")
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "tmpfs", str(disk)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this machine does not let root mount a tmpfs")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def test_a_full_disk_loses_nothing_committed(small_disk):
    with Appender(small_disk / "a") as file:
        file.append(b"safe" * 100)
        file.sync()
        file.commit()
        file.append(b"x" * (ROOM * 2))
        with pytest.raises(DiskFull, match="No space left on device; nothing committed was lost"):
            file.sync()
        with pytest.raises(ArchiveError, match="roll back first"):
            file.append(b"more")
        file.rollback()
        assert file.path.read_bytes() == b"safe" * 100
        file.append(b"fits")
        assert file.sync() == 404


def test_a_full_disk_leaves_the_old_file_in_place(small_disk):
    replace(small_disk / "index", [b"old"])
    with pytest.raises(DiskFull):
        replace(small_disk / "index", [b"x" * ROOM, b"y" * ROOM])
    assert (small_disk / "index").read_bytes() == b"old"
    assert sorted(path.name for path in small_disk.iterdir()) == ["index"]


def test_free_bytes_follow_what_is_written(small_disk):
    before = append_only.free_bytes(small_disk)
    (small_disk / "a").write_bytes(b"x" * 65536)
    assert append_only.free_bytes(small_disk) == before - 65536


def test_a_file_that_may_not_grow_is_a_full_disk(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with Appender(tmp_path / "a") as file:
            file.append(b"kept")
            file.sync()
            file.commit()
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
            file.append(b"x" * 10_000)
            with pytest.raises(DiskFull):
                file.sync()
            file.rollback()
            assert file.path.read_bytes() == b"kept"
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)


def test_replace_does_not_replace_a_pipe_or_a_device(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    assert replace(tmp_path / "pipe", [b"one ", b"two"]) == 7
    assert os.read(reader, 100) == b"one two"
    assert (tmp_path / "pipe").is_fifo()
    os.close(reader)


def test_replace_leaves_no_draft(tmp_path):
    assert replace(tmp_path / "a", iter([b"one ", b"two"])) == 7
    assert replace(tmp_path / "a", []) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_batch_replaces_files_in_growing_groups(tmp_path):
    (tmp_path / "0").write_bytes(b"old")
    named = []
    with FileBatch(tmp_path, most=4) as batch:
        for n in range(12):
            batch.add(tmp_path / str(n), [b"new ", str(n).encode()])
            named.append(len([path for path in tmp_path.iterdir() if not path.suffix]))
    assert named == [1, 1, 3, 3, 3, 3, 7, 7, 7, 7, 11, 11]
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        str(n): f"new {n}".encode() for n in range(12)
    }


def test_a_batch_that_fails_keeps_what_is_whole(tmp_path):
    def broken():
        yield b"half"
        raise ValueError("no more")

    with FileBatch(tmp_path) as batch:
        for n in range(4):
            batch.add(tmp_path / str(n), [b"whole"])
        with pytest.raises(ValueError, match="no more"):
            batch.add(tmp_path / "0", broken())
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {
        str(n): b"whole" for n in range(4)
    }


def test_a_full_disk_leaves_the_old_files_of_a_batch(small_disk):
    replace(small_disk / "1", [b"old"])
    with FileBatch(small_disk) as batch:
        batch.add(small_disk / "0", [b"new"])
        with pytest.raises(DiskFull):
            batch.add(small_disk / "1", [b"x" * 2 * ROOM])
    assert {path.name: path.read_bytes() for path in small_disk.iterdir()} == {"0": b"new", "1": b"old"}


def test_repair_cuts_known_files_and_puts_strangers_aside(tmp_path):
    folder, aside = tmp_path / "warc", tmp_path / "aside"
    folder.mkdir()
    (folder / "known").write_bytes(b"good+torn")
    (folder / "whole").write_bytes(b"good")
    (folder / "empty").touch()
    (folder / "stranger").write_bytes(b"??")
    assert repair(folder, {"known": 4, "whole": 4}, aside=aside) == [
        Repair("known", "cut", 5),
        Repair("empty", "removed", 0),
        Repair("stranger", "moved aside", 2),
    ]
    assert sorted(path.name for path in folder.iterdir()) == ["known", "whole"]
    (folder / "stranger").write_bytes(b"again")
    repair(folder, {"known": 4, "whole": 4}, aside=aside)
    assert {path.name: path.read_bytes() for path in aside.iterdir()} == {
        "stranger": b"??",
        "stranger.1": b"again",
    }


def test_a_missing_file_is_damage(tmp_path):
    with pytest.raises(ArchiveDamaged, match="is missing"):
        repair(tmp_path, {"gone": 10}, aside=tmp_path / "aside")
    assert not (tmp_path / "gone").exists()


def test_a_known_file_that_never_got_a_byte_may_be_missing(tmp_path):
    assert repair(tmp_path, {"gone": 0}, aside=tmp_path / "aside") == []


def test_a_second_lock_names_the_holder(tmp_path):
    held = rf"process {os.getpid()} on .* since 1970-01-01 00:00:00 UTC"
    with Lock(tmp_path / "lock", now=0.0), pytest.raises(ArchiveBusy, match=held):
        Lock(tmp_path / "lock", now=1.0)
    Lock(tmp_path / "lock", now=2.0).close()


def test_a_lock_that_is_just_taken_or_given_back_is_waited_for(tmp_path):
    """Its file names nobody at that moment."""
    with (tmp_path / "lock").open("w") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        threading.Timer(0.3, lambda: fcntl.flock(other, fcntl.LOCK_UN)).start()
        Lock(tmp_path / "lock", now=2.0).close()


def test_a_killed_process_gives_its_lock_back(tmp_path):
    script = f"""
        import time
        from pathlib import Path
        from fieldmouse.files.append_only import Lock
        lock = Lock(Path({str(tmp_path / "lock")!r}), now=0.0)
        print("held", flush=True)
        time.sleep(60)
    """
    command = [sys.executable, "-c", textwrap.dedent(script)]
    root = Path(append_only.__file__).parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) as process:
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(ArchiveBusy, match=f"process {process.pid} on "):
            Lock(tmp_path / "lock", now=1.0)
        process.kill()
    Lock(tmp_path / "lock", now=2.0).close()
