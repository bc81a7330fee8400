"""Hosts that a person pauses: not visited by crawls and refreshes, said everywhere, and then resumed."""

import json
import re
from pathlib import Path

from click.testing import CliRunner, Result

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.exits import Exit
from tests.crawl import webs
from tests.crawl.passing import make_due
from tests.servers import Request, reply

PAGES = 40


def run(folder: Path, *words: str, code: int = 0) -> Result:
    done = CliRunner().invoke(cli, ["-C", str(folder), *words])
    assert done.exit_code == code, done.output
    return done


def links(prefix: str) -> bytes:
    return reply("".join(f"<a href={prefix}{n}>{n}</a> " for n in range(PAGES)).encode())


def test_a_crawl_leaves_a_host_that_is_paused_and_takes_it_up_again(tmp_path: Path) -> None:
    def paused_meanwhile(request: Request) -> webs.Answer:
        if request.target == "/3":
            archive.pause(f"a.test:{net.port}")
        return 0.02, links("/") if request.target == "/" else reply(f"<p>Page {request.target}.".encode())

    def other(request: Request) -> bytes:
        return links("/") if request.target == "/" else reply(b"<p>Another page.")

    with webs.web({"a.test": paused_meanwhile, "b.test": other}) as net:
        archive = webs.archive(tmp_path / "a", net)
        result = archive.crawl([net.url("a.test"), net.url("b.test")])
        assert result.exit is Exit.DONE
        fetched = len(net.targets("a.test"))
        assert 4 < fetched < PAGES / 2, "it goes on until the next commit, and no longer"
        assert len(net.targets("b.test")) > PAGES

        name, folder = f"a.test:{net.port}", archive.folder
        archive.close()
        assert re.search(rf"^paused +{name}: not visited until", run(folder, "status").stdout, re.MULTILINE)
        why = run(folder, "why", net.url("a.test", "/39")).stdout
        assert "its host is paused since" in why
        assert "paused since" in run(folder, "hosts", "list", "--paused").stdout
        stored = json.loads(run(folder, "hosts", "list", "--json").stdout)
        assert [one["paused_at"] is None for one in stored] == [True, False]

        assert archive.crawl([]).progress.visits == 0
        assert len(net.targets("a.test")) == fetched

        def still(_: Request) -> bytes:
            return reply(b"<p>Here.")

        net.handlers["a.test"] = still
        resumed = run(folder, "hosts", "resume", net.url("a.test"), "--json").stdout
        assert json.loads(resumed) == {"resumed": [name]}
        archive.crawl([])
        assert set(net.targets("a.test")) >= {f"/{n}" for n in range(PAGES)}
        archive.close()
    assert "no host is paused" in run(folder, "hosts", "list", "--paused").stdout


def test_a_refresh_leaves_a_paused_host_alone(tmp_path: Path) -> None:
    with webs.web({"a.test": {"/": b"<p>One."}, "b.test": {"/": b"<p>Two."}}) as net:
        archive = webs.archive(tmp_path / "a", net, audit=0.0)
        archive.crawl([net.url("a.test"), net.url("b.test")])
        archive.pause(net.url("a.test"))
        make_due(archive, net.url("a.test"), net.url("b.test"))
        net.hits.clear()
        assert archive.refresh().progress.visits == 1
        assert net.targets("a.test") == []
        assert "once its host is resumed" in run(archive.folder, "why", net.url("a.test")).stdout
        archive.pause(net.url("a.test"), resume=True)
        assert archive.refresh().progress.visits == 1
        assert "/" in net.targets("a.test")
        archive.close()


def test_an_unknown_host_is_refused(tmp_path: Path) -> None:
    library.create(tmp_path / "a")
    for command in ("pause", "resume"):
        assert "there is no host no.test in the archive" in str(
            CliRunner().invoke(cli, ["-C", str(tmp_path / "a"), "hosts", command, "no.test"]).exception
        )
    assert "no host was visited yet" in run(tmp_path / "a", "hosts", "list").stdout
