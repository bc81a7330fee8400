"""A worker that hangs: others take over its hosts, and what it commits too late is refused."""

import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path

import psutil

from fieldmouse.exits import Exit
from fieldmouse.store.engines import DATABASE_FILE
from tests.crawl import webs
from tests.servers import reply
from tests.waiting import LIMIT, until

HOSTS, PAGES = 4, 12


def site(name: str) -> webs.Site:
    links = "".join(f"<a href=/{n}>{n}</a>" for n in range(PAGES))
    pages = {f"/{n}": reply(body=f"<p>{name} page {n}".encode()) for n in range(PAGES)}
    return {"/": reply(body=f"<p>{name}{links}".encode()), **pages}


def stop_between_transactions(worker: psutil.Process, file: Path) -> None:
    """A process stopped inside a transaction would hold the database's lock, which no lease can help."""
    while True:
        os.kill(worker.pid, signal.SIGSTOP)
        db = sqlite3.connect(file, timeout=0.5, isolation_level=None)
        try:
            db.execute("BEGIN IMMEDIATE")
            db.execute("ROLLBACK")
            return
        except sqlite3.OperationalError:
            os.kill(worker.pid, signal.SIGCONT)
            time.sleep(0.05)
        finally:
            db.close()


def test_hosts_of_a_stopped_worker_are_taken_over_and_its_late_commit_is_refused(tmp_path: Path) -> None:
    names = [f"h{n}.test" for n in range(HOSTS)]
    with webs.web({name: site(name) for name in names}) as net:
        quick = {"manners.delay": 0.2, "manners.burst_requests": 0, "manners.ip_delay": 0.0}
        crawl = {"crawl.lease_seconds": 2.0, "crawl.workers": 2, "crawl.commit_seconds": 30.0}
        archive = webs.archive(tmp_path / "a", net, **quick, **crawl, **{"templates.automatic": False})
        archive.import_urls([net.url(name) for name in names])
        file = archive.folder / DATABASE_FILE

        def leases(worker: str) -> int:
            with sqlite3.connect(file) as db:
                found = db.execute("SELECT count(*) FROM lease WHERE worker = ?", (worker,)).fetchone()
            return int(found[0])

        process = subprocess.Popen(
            webs.command("-C", archive.folder, "crawl", "-q"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        try:
            until(lambda: len(net.hits) >= 5 * HOSTS)
            workers = [
                one
                for one in sorted(psutil.Process(process.pid).children(), key=lambda one: one.create_time())
                if "spawn_main" in " ".join(one.cmdline())
            ]
            assert len(workers) == 2
            hung = max(("w0", "w1"), key=leases)
            held, other = leases(hung), "w1" if hung == "w0" else "w0"
            assert held
            worker = workers[int(hung[1])]
            stop_between_transactions(worker, file)
            until(lambda: leases(hung) == 0 and leases(other) > 0)
            until(lambda: leases(other) == 0)
            os.kill(worker.pid, signal.SIGCONT)
            said, _ = process.communicate(timeout=LIMIT)
        finally:
            for one in psutil.Process(process.pid).children() if process.poll() is None else []:
                one.send_signal(signal.SIGCONT)
            process.kill()
        assert process.returncode == Exit.DONE, said.decode()
        assert archive.check().problems == []
        wanted = {net.url(name, target) for name in names for target in site(name)}
        assert webs.stored(archive) == wanted
        visits = {page.url: len(page.visits()) for page in archive.pages() if page.url in wanted}
        assert visits == dict.fromkeys(wanted, 1)
        asked = [net.url(hit.host, hit.target) for hit in net.hits]
        assert any(asked.count(url) > 1 for url in wanted), "lost pages are fetched again"
        archive.close()
