"""Pages that look like those of a trap are visited later, a few each day, and never given up."""

import random
import signal
import subprocess
from itertools import pairwise
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.exits import Exit
from tests.servers import Request, reply
from tests.waiting import until

from . import webs
from .passing import later

WORDS = "heron barge lock weir ferry mooring sluice towpath otter willow quay".split()  # noqa: SIM905
NAMES = ["".join(random.Random(n).choices("bcdfglmnprst", k=9)) for n in range(190)]


def story(number: int) -> bytes:
    """One of eleven texts, and a link to the next story: it looks like a calendar without end."""
    following = f"<a href=/story/{NAMES[number + 1]}>next</a>" if number + 1 < len(NAMES) else ""
    return reply(f"<p>A story about the {WORDS[number % 11]}.</p>{following}".encode())


def chain(request: Request) -> bytes:
    if request.target == "/":
        return reply(f"<p>Stories</p><a href=/story/{NAMES[0]}>first</a>".encode())
    name = request.target.rpartition("/")[2]
    return story(NAMES.index(name)) if name in NAMES else reply(b"", 404)


def stories(archive: library.Archive) -> int:
    return sum("/story/" in url for url in webs.stored(archive))


def test_deferred_pages_are_all_visited_in_the_end(tmp_path: Path) -> None:
    with webs.web({"a.test": chain}) as net:
        archive = webs.archive(tmp_path / "a", net, depth=1000)
        assert archive.crawl([net.url("a.test")]).exit is Exit.DONE
        first = stories(archive)
        assert first < len(NAMES) - 100, "the chain is too short to be deferred"
        assert archive.status().deferred == 1
        following = net.url("a.test", f"/story/{NAMES[first]}")
        assert "deferred: trap: /story/*" in archive.why(following).summary
        assert archive.crawl().progress.visits == 0, "they are visited after a day, not at once"
        said = "1 page looks like a trap; each day `crawl` or `run` visits at most 50 of each host"
        assert said in " ".join(webs.run("-C", archive.folder, "status").stdout.split())

        seen = [first]
        for _ in range(8):
            later(archive, 1.1)
            assert archive.crawl().exit is Exit.DONE
            seen.append(stories(archive))
        days = [now - before for before, now in pairwise(seen)]
        assert max(days) == 50
        assert days.index(0) < days.index(len(NAMES) - first - 100), "the pause grows while there is no end"
        assert stories(archive) == len(NAMES)
        assert archive.status().deferred == 0
        assert set(net.counts().values()) == {1}, "no page is asked for twice"
        assert archive.check().problems == []
        archive.close()


def test_a_turn_that_is_cut_off_leaves_links_of_deferred_pages_for_later(tmp_path: Path) -> None:
    with webs.web({"a.test": chain}) as net:
        archive = webs.archive(tmp_path / "a", net, depth=1000)
        archive.crawl([net.url("a.test")])
        before = stories(archive)
        later(archive, 1.1)
        assert archive.crawl(max_pages=3).exit is Exit.SIZE_LIMIT
        assert stories(archive) == before + 3
        archive.crawl()
        assert stories(archive) - before <= 50, "the rest of the turn, and no new credit"
        archive.close()


@pytest.mark.parametrize("pages", [0, 7])
def test_a_setting_says_how_many_deferred_pages_are_visited(tmp_path: Path, pages: int) -> None:
    with webs.web({"a.test": chain}) as net:
        archive = webs.archive(tmp_path / "a", net, depth=1000, trap_pages_per_day=pages)
        archive.crawl([net.url("a.test")])
        before = stories(archive)
        later(archive, 1.1)
        archive.crawl()
        assert stories(archive) - before == pages
        archive.close()


def test_the_daemon_visits_them_too_within_its_budget(tmp_path: Path) -> None:
    with webs.web({"a.test": chain}) as net:
        archive = webs.archive(tmp_path / "a", net, depth=1000, trap_pages_per_day=20, audit=0.0)
        archive.crawl([net.url("a.test")])
        before = stories(archive)
        later(archive, 1.1)
        daemon = subprocess.Popen(webs.command("-C", archive.folder, "run", "-q", "--budget", "100000"))
        try:
            until(lambda: stories(archive) >= before + 20, "the deferred pages of a day are stored")
        finally:
            daemon.send_signal(signal.SIGTERM)
            code = daemon.wait(60)
        assert code == Exit.STOPPED
        assert stories(archive) == before + 20
        archive.close()
