"""Workers that share a crawl: whoever has no host gets some of another."""

from collections import Counter
from functools import partial
from pathlib import Path

from fieldmouse.exits import Exit
from tests.servers import Request, reply

from . import webs

HOSTS, PAGES = 8, 40

# One request at a time to a host.
ONE_BY_ONE = {"manners.burst_requests": 0, "manners.parallel": 1, "templates.automatic": False}


def site(folder: Path, request: Request) -> webs.Answer:
    """A host of so many pages; the first one names the others.

    It is slow until both workers have stored something: whichever starts late finds enough left.
    """
    if request.target == "/robots.txt":
        return reply(b"", 404)
    port = request.header("host").partition(":")[2]
    links = [f"/{n}" for n in range(PAGES)]
    if request.header("host").startswith("h0."):
        links += [f"http://h{n}.test:{port}/" for n in range(HOSTS)]
    both = all(any(folder.glob(f"warc/*-w{n}-*")) for n in range(2))
    pause = 0.02 if both or request.target == "/" else 0.7
    return pause, reply("".join(f'<a href="{one}">x</a> ' for one in links).encode())


def test_both_workers_visit_hosts_that_one_of_them_found(tmp_path: Path) -> None:
    names = [f"h{n}.test" for n in range(HOSTS)]
    with webs.web(dict.fromkeys(names, partial(site, tmp_path / "a"))) as net:
        archive = webs.archive(tmp_path / "a", net, workers=2, **ONE_BY_ONE)
        assert archive.crawl([net.url("h0.test")]).exit is Exit.DONE
        assert archive.check().problems == []
        wanted = {net.url(name, f"/{n}") for name in names for n in range(PAGES)} | {*map(net.url, names)}
        assert webs.stored(archive) == wanted
        asked = Counter(net.url(hit.host, hit.target) for hit in net.hits if hit.target != "/robots.txt")
        assert asked == Counter(wanted)
        logs = {file.name: len(file.read_text().splitlines()) for file in archive.folder.glob("logs/*.log")}
        assert len(logs) == 2, logs
        assert min(logs.values()) >= len(wanted) / 10, logs
        archive.close()
