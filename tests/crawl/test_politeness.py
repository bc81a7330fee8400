"""Politeness as the servers see it: their clocks say when they were asked."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from fieldmouse.crawl.worker import clocks_apart
from fieldmouse.errors import DiskFull
from fieldmouse.exits import Exit
from tests.servers import Request, reply
from tests.waiting import deliver, until

from . import webs

MANY = [f"/{n}" for n in range(30)]
SITE = {"/": b"".join(b"<a href=%s>x</a> " % one.encode() for one in MANY), **dict.fromkeys(MANY, b"<p>x")}

# Timers may be early by what the clocks of two threads differ by.
SLACK = 0.01


def gaps(net: webs.Net, host: str) -> list[float]:
    """Seconds from the end of one answer of a host to the next request."""
    hits = sorted(hit for hit in net.hits if hit.host == host)
    return [after.began - before.ended for before, after in pairwise(hits)]


def test_the_delay_is_kept_after_the_first_burst(tmp_path: Path) -> None:
    with webs.web({"a.test": SITE}) as net:
        archive = webs.archive(tmp_path / "a", net, delay=0.15, burst_requests=4, burst_parallel=2)
        archive.crawl([net.url("a.test")], max_pages=9)
        found = gaps(net, "a.test")
        quick = [gap for gap in found if gap < 0.15 - SLACK]
        assert len(quick) <= 4, found
        assert net.most_under_way <= 2


def test_a_process_that_stands_still_between_two_clocks_makes_no_delay_shorter() -> None:
    def stopped_before() -> float:
        time.sleep(0.05)
        return time.time()

    def stopped_after() -> float:
        now = time.time()
        time.sleep(0.05)
        return now

    exact = min(time.time() - time.monotonic() for _ in range(100))
    assert clocks_apart(stopped_before) >= exact + 0.05 - SLACK
    assert clocks_apart(stopped_after) >= exact - SLACK / 10


def test_no_burst_when_none_is_wanted(tmp_path: Path) -> None:
    with webs.web({"a.test": SITE}) as net:
        archive = webs.archive(tmp_path / "a", net, delay=0.1, burst_requests=0)
        archive.crawl([net.url("a.test")], max_pages=5)
        assert min(gaps(net, "a.test")) >= 0.1 - SLACK
        assert net.most_under_way == 1


def test_crawl_delay_is_kept_from_the_first_page_on(tmp_path: Path) -> None:
    robots = reply(b"User-agent: *\nCrawl-delay: 0.2\n", mime="text/plain")
    with webs.web({"a.test": {**SITE, "/robots.txt": robots}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")], max_pages=4)
        assert min(gaps(net, "a.test")) >= 0.2 - SLACK


def test_crawl_delay_is_kept_in_a_second_run_which_reads_no_robots_txt(tmp_path: Path) -> None:
    robots = reply(b"User-agent: *\nCrawl-delay: 0.2\n", mime="text/plain")
    with webs.web({"a.test": {**SITE, "/robots.txt": robots}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl([net.url("a.test")], max_pages=1)
        net.hits.clear()
        archive.crawl([], max_pages=3)
        assert "/robots.txt" not in net.targets("a.test")
        assert min(gaps(net, "a.test")) >= 0.2 - SLACK


def test_hosts_on_one_address_take_turns_with_a_delay(tmp_path: Path) -> None:
    with webs.web({"a.test": SITE, "b.test": SITE}, share=True) as net:
        archive = webs.archive(tmp_path / "a", net, delay=0.1, ip_delay=0.08, burst_requests=0)
        archive.crawl([net.url("a.test"), net.url("b.test")], max_pages=8)
        hits = sorted(net.hits)
        assert min(after.began - before.ended for before, after in pairwise(hits)) >= 0.08 - SLACK
        assert net.most_under_way == 1
        assert {hit.host for hit in hits[:5]} == {"a.test", "b.test"}, "neither may starve"


def test_a_busy_server_gets_the_rest_it_asks_for(tmp_path: Path) -> None:
    answers = iter([503, 429])

    def handler(request: Request) -> bytes:
        if request.target == "/robots.txt":
            return reply(b"", 404)
        return reply(b"<p>ok", status := next(answers, 200), *(["Retry-After: 1"] if status != 200 else []))

    with webs.web({"a.test": handler}) as net:
        archive = webs.archive(tmp_path / "a", net)
        assert archive.crawl([net.url("a.test")]).exit is Exit.DONE
        first, second, third = [hit for hit in sorted(net.hits) if hit.target == "/"]
        assert second.began - first.ended >= 1 - SLACK
        assert third.began - second.ended >= 1 - SLACK
        found = archive.why(net.url("a.test"))
        assert [visit.status for visit in found.visits] == [503, 429, 200]
        assert "Retry-After" in found.visits[0].note
        archive.close()


def test_a_crawl_ends_when_all_that_is_left_asks_for_a_long_rest(tmp_path: Path) -> None:
    """It would make no sense to wait for hours: the rest is for another run."""

    def handler(request: Request) -> bytes:
        return reply(b"", 404) if request.target == "/robots.txt" else reply(b"", 503, "Retry-After: 3600")

    with webs.web({"a.test": handler, "b.test": SITE}) as net:
        archive = webs.archive(tmp_path / "a", net)
        result = archive.crawl([net.url("a.test"), net.url("b.test")], max_seconds=20)
        assert result.exit is Exit.RATE_LIMITED
        assert len(webs.stored(archive)) == 31
        host = archive.reader.host(f"a.test:{net.port}")
        assert host is not None
        assert host.state == "resting"
        assert host.ready_at > time.time() + 3000
        archive.close()


def test_a_page_that_keeps_failing_is_given_up(tmp_path: Path) -> None:
    def handler(request: Request) -> bytes:
        if request.target == "/":
            return reply(b"<a href=/bad>x</a><a href=/good>y</a>")
        return reply(b"", 500) if request.target == "/bad" else reply(b"", 404)

    with webs.web({"a.test": handler}) as net:
        archive = webs.archive(tmp_path / "a", net, retries=2)
        assert archive.crawl([net.url("a.test")]).exit is Exit.DONE
        assert net.targets("a.test").count("/bad") == 3
        assert archive.status().waiting == 0
        archive.close()


def test_a_host_that_keeps_failing_is_given_up_and_the_rest_of_it_kept_for_later(tmp_path: Path) -> None:
    def handler(request: Request) -> bytes:
        if request.target == "/robots.txt":
            return reply(b"", 404)
        return reply(SITE["/"]) if request.target == "/" else reply(b"", 500)

    with webs.web({"a.test": handler}) as net:
        archive = webs.archive(tmp_path / "a", net, retries=0, host_failures=5, burst_requests=0)
        archive.crawl([net.url("a.test")])
        assert len(net.counts()) == 6
        host = archive.reader.host(f"a.test:{net.port}")
        assert host is not None
        assert (host.state, host.reason) == ("given up", "5 failures in a row")
        assert archive.status().waiting == 25
        archive.close()


@pytest.fixture(scope="module")
def crowd() -> Iterator[webs.Net]:
    """Eight hosts, all behind one address, that think for a moment before they answer."""

    def slow(request: Request) -> tuple[float, bytes]:
        return 0.01, reply(SITE.get(request.target, b""), 200 if request.target in SITE else 404)

    with webs.web({f"h{n}.test": slow for n in range(8)}, share=True) as net:
        yield net


def test_two_workers_never_ask_one_address_at_once(tmp_path: Path, crowd: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", crowd, burst_parallel=1)
    seeds = [crowd.url(f"h{n}.test") for n in range(8)]
    done = webs.run("-C", archive.folder, "crawl", "-q", "--workers", "2", "--depth", "1", *seeds)
    assert done.returncode == 0, done.stderr
    assert crowd.most_under_way == 1
    assert len(webs.stored(archive)) == 8 * 31
    assert max(crowd.counts().values()) == 1
    assert archive.check().problems == []
    archive.close()


class Signalled:
    """A crawl as a process of its own that is sent signals in the middle of it."""

    def __init__(self, folder: Path, net: webs.Net, *args: str) -> None:
        self.net = net
        self.process = subprocess.Popen(
            webs.command("-C", folder, "crawl", "-q", *args),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=webs.take_signals,
        )

    def wait_for_hits(self, count: int) -> None:
        until(lambda: len(self.net.hits) >= count, f"{count} requests")

    def end(self) -> tuple[int, str]:
        _, said = self.process.communicate(timeout=120)
        assert "Traceback" not in said, said
        return self.process.returncode, said


def lingering(request: Request) -> tuple[float, bytes]:
    """Pages that take a while, the eighth of them so long that somebody loses patience."""
    status = 200 if request.target in SITE else 404
    return 300.0 if request.target == "/7" else 0.05, reply(SITE.get(request.target, b""), status)


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_first_signal_drains_and_nothing_is_lost(tmp_path: Path, which: int, workers: str) -> None:
    later = [1.0]  # seconds that a page takes after the first ones: the signal comes before the last

    def handler(request: Request) -> tuple[float, bytes]:
        body = reply(SITE.get(request.target, b""), 200 if request.target in SITE else 404)
        return 0.05 if len(net.hits) < 5 else later[0], body

    with webs.web({"a.test": handler}) as net:
        archive = webs.archive(tmp_path / "a", net, commit_seconds=30)
        crawl = Signalled(archive.folder, net, net.url("a.test"), "--workers", workers)
        crawl.wait_for_hits(5)
        crawl.process.send_signal(which)
        code, said = crawl.end()
        assert code == Exit.STOPPED, said
        checked = archive.check()
        assert (checked.problems, checked.leftovers) == ([], [])
        assert {url for url, n in net.counts().items()} == {one.url for one in archive.reader.pages()}
        archive.close()
        later[0] = 0.0
        assert archive.crawl().exit is Exit.DONE
        assert max(net.counts().values()) == 1
        assert len(webs.stored(archive)) == 31
        archive.close()


@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_while_cleaning_finishes(tmp_path: Path, which: int) -> None:
    """All pages are committed; the rest of the cleaning is left, and the summary is printed."""
    words = "".join(f"<p class=c{n % 7}>word{n} and <b>more</b> of them</p>" for n in range(4000)).encode()
    site = {one: body + words + one.encode() for one, body in SITE.items()}
    with webs.web({"a.test": site}) as net:
        archive = webs.archive(tmp_path / "a", net)
        crawl = Signalled(archive.folder, net, net.url("a.test"))
        crawl.wait_for_hits(32)
        until(lambda: archive.status().visits >= 31)
        time.sleep(0.3)
        crawl.process.send_signal(which)
        summary, said = crawl.process.communicate(timeout=120)
        assert (crawl.process.returncode, said) == (Exit.STOPPED, "")
        assert "31 pages requested, 31 stored" in summary
        assert archive.check().problems == []
        archive.close()


def test_a_second_signal_ends_at_once_and_what_was_committed_is_safe(tmp_path: Path) -> None:
    with webs.web({"a.test": lingering}) as net:
        archive = webs.archive(tmp_path / "a", net, burst_parallel=1)
        crawl = Signalled(archive.folder, net, net.url("a.test"))
        crawl.wait_for_hits(9)
        until(lambda: archive.status().visits > 0)
        deliver(crawl.process.pid, signal.SIGINT)
        crawl.process.send_signal(signal.SIGINT)
        code, _ = crawl.end()  # long before the answer comes
        assert code == Exit.FORCED
        assert archive.check().problems == []
        assert archive.status().visits > 0
        archive.close()


def test_workers_told_to_stop_before_they_began_have_stopped(tmp_path: Path) -> None:
    with webs.web({"a.test": SITE}) as net:
        archive = webs.archive(tmp_path / "a", net)
        crawl = Signalled(archive.folder, net, net.url("a.test"), "--workers", "2")
        until((archive.folder / "lock").exists)
        time.sleep(0.15)
        crawl.process.send_signal(signal.SIGINT)
        code, said = crawl.end()
        assert code in (Exit.STOPPED, Exit.FORCED, Exit.DONE), said
        assert archive.check().problems == []
        archive.close()


def test_limits_end_a_run_and_the_next_goes_on(tmp_path: Path) -> None:
    def handler(request: Request) -> tuple[float, bytes]:
        return 0.02, reply(SITE.get(request.target, b""), 200 if request.target in SITE else 404)

    with webs.web({"a.test": handler}) as net:
        archive = webs.archive(tmp_path / "a", net)
        assert archive.crawl([net.url("a.test")], max_pages=5).exit is Exit.SIZE_LIMIT
        assert archive.status().visits == 5
        archive.close()
        assert archive.crawl(max_bytes=4).exit is Exit.SIZE_LIMIT
        began = time.monotonic()
        assert archive.crawl(max_seconds=0.15, delay=2.0).exit is Exit.TIME_LIMIT
        assert time.monotonic() - began < 25, "all pages would take 50 seconds"
        requested = len(net.hits)
        assert archive.crawl(min_free=1 << 60).exit is Exit.DISK_LIMIT
        assert len(net.hits) == requested, "a run that finds the disk low requests nothing"
        assert archive.crawl().exit is Exit.DONE
        assert max(net.counts().values()) == 1
        assert len(webs.stored(archive)) == 31
        archive.close()


def test_the_free_space_is_looked_at_before_each_batch(tmp_path: Path) -> None:
    """In the midst of a crawl something else fills the disk up to the limit."""
    big, free = tmp_path / "big", shutil.disk_usage(tmp_path).free
    if free < 5 << 30:
        pytest.skip("too little free space to fill some of it")

    def handler(request: Request) -> tuple[float, bytes]:
        if request.target == "/9":
            with big.open("wb") as file:
                os.posix_fallocate(file.fileno(), 0, 2 << 30)
        return 0.01, reply(SITE.get(request.target, b""), 200 if request.target in SITE else 404)

    limit = free - (1 << 30)
    with webs.web({"a.test": handler}) as net:
        archive = webs.archive(tmp_path / "a", net, commit_pages=2, burst_parallel=1)
        assert archive.crawl([net.url("a.test")], min_free=limit).exit is Exit.DISK_LIMIT
        visits = archive.status().visits
        assert 9 <= visits < 20, "it goes on until the space is gone, and not much longer"
        archive.close()
        source = tmp_path / "all.warc.gz"
        assert webs.run("-C", archive.folder, "export", source).returncode == 0
        webs.archive(tmp_path / "b", net, min_free=limit).close()
        done = webs.run("-C", tmp_path / "b", "import", source)
        assert done.returncode == DiskFull.exit_code
        assert "archive.min_free" in done.stderr
        big.unlink()
        assert webs.run("-C", tmp_path / "b", "import", source).returncode == 0
        assert archive.crawl().exit is Exit.DONE
        assert max(net.counts().values()) == 1
        archive.close()


def test_when_nothing_answers_the_run_says_so(tmp_path: Path) -> None:
    with webs.web({"a.test": SITE}) as net:
        nobody = [f"http://nobody{n}.test/" for n in range(25)]
        archive = webs.archive(tmp_path / "a", net)
        assert archive.crawl(nobody).exit is Exit.ALL_FAILED
        assert "dns" in archive.why(nobody[0]).summary
        archive.close()


def test_when_nobody_listens_the_run_says_so(tmp_path: Path) -> None:
    with webs.web({f"a{n}.test": SITE for n in range(22)}) as net:
        archive = webs.archive(tmp_path / "a", net, connect_timeout=1.0)
        dead = [f"http://a{n}.test:{net.port + 1}/" for n in range(22)]
        assert archive.crawl(dead).exit is Exit.ALL_FAILED
        assert "requested, failed" in archive.why(dead[0]).summary
        archive.close()


def test_the_summary_names_what_held_a_crawl_back(tmp_path: Path) -> None:
    with webs.web({"a.test": SITE}) as net:
        archive = webs.archive(tmp_path / "a", net, burst_requests=0)
        said = webs.run(
            "-C", archive.folder, "crawl", "-q", "--delay", "1", "--pages", "5", net.url("a.test")
        )
        assert "held back by politeness" in said.stdout, said
        assert archive.crawl([], max_pages=5, delay=0.0).progress.held_back


def test_a_slow_server_holds_a_crawl_back(tmp_path: Path) -> None:
    def handler(request: Request) -> webs.Answer:
        return 1.0, reply(b"" if request.target == "/robots.txt" else b"<p>x")

    with webs.web({"a.test": handler}) as net:
        archive = webs.archive(tmp_path / "a", net)
        done = archive.crawl([net.url("a.test")]).progress
        assert done.held_back[0][0] == "the servers", done
