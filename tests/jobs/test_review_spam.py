"""Parked domains, with a real name server: refused hosts, and wrong verdicts that are corrected."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from fieldmouse import library
from fieldmouse.exits import Exit
from fieldmouse.jobs.review_spam import judge_spam
from fieldmouse.service import setup
from fieldmouse.store import open_store
from fieldmouse.store.records import DomainRecord, ParkingRow
from tests.crawl.webs import Net, Site, run, web
from tests.servers import names

from .test_import_warc import warc

WORDS = " ".join(f"word{n} of a long text that somebody wrote about gardens" for n in range(40))
PARKING = "ns1.sedoparking.com"


def ordinary(name: str) -> dict[str, bytes]:
    return {
        "/": f"<title>{name}</title><h1>Gardens</h1><p>{WORDS}<a href=/b>b</a>".encode(),
        "/b": b"<p>more",
    }


def parked(name: str) -> dict[str, bytes]:
    html = f"<title>{name}</title><h1>{name}</h1><p>This domain is for sale. Buy this domain now."
    return {"/": html.encode()}


def hub(net_names: list[str]) -> Site:
    """A seed that links to everybody; the port is that of whoever asks."""

    def handle(request: Any) -> bytes:
        port = request.header("host").partition(":")[2]
        links = "".join(f"<a href=http://{name}:{port}/>x</a>" for name in net_names)
        body = f"<title>hub</title>{links}".encode()
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body

    return handle


class Registry:
    """A web with a name server that says who serves whom."""

    def __init__(self, net: Net, server: Any) -> None:
        self.net, self.dns = net, server

    def archive(self, folder: Path, **more: Any) -> library.Archive:
        settings = {**self.net.settings, "web.dns_servers": [self.dns.server], "spam.probe": 0.0}
        return library.create(folder, **{**settings, **library.full_names(more)})

    def crawl(self, archive: library.Archive) -> Exit:
        return archive.crawl([self.net.url("hub.test")]).exit


@contextmanager
def registry(
    sites: Mapping[str, Site], served: Mapping[str, str], *more: str, delegated: tuple[str, ...] = ()
) -> Iterator[Registry]:
    """Serve sites, with the name server of each; further records as they stand."""
    with web({"hub.test": hub(list(sites)), **sites}) as net:
        records = [f"{name}. 60 IN A {address}" for name, address in net.addresses.items()]
        records += [f"{name}. 60 IN NS {server}." for name, server in served.items()]
        with names(*records, *more, delegated=delegated) as server:
            yield Registry(net, server)


def state(archive: library.Archive, net: Net, name: str) -> tuple[str, str]:
    found = archive.reader.host(f"{name}:{net.port}")
    assert found is not None
    return found.state, found.reason


def enter(archive: library.Archive, *lines: ParkingRow) -> None:
    settings = archive.settings
    with open_store(archive.folder, settings, setup.estimator(settings), now=0.0) as store:
        store.domains.enter(lines)


def test_a_parked_host_gets_no_request(tmp_path: Path) -> None:
    sites = {"parked.test": parked("parked.test"), "fine.test": ordinary("fine.test")}
    with registry(sites, {"parked.test": PARKING, "fine.test": "ns1.host.test"}) as all_:
        archive = all_.archive(tmp_path / "a")
        assert all_.crawl(archive) is Exit.DONE
        assert all_.net.targets("parked.test") == []
        assert all_.net.targets("fine.test") == ["/robots.txt", "/", "/b"]
        told = archive.why(all_.net.url("parked.test"))
        assert "its host is parked (its name server belongs to a parking service" in told.summary
        assert "sedoparking.com" in told.summary
        assert archive.status().hosts["parked"] == 1
        printed = run("-C", tmp_path / "a", "status").stdout
        assert "1 parked" in printed
        archive.close()


def test_a_parked_seed_is_visited(tmp_path: Path) -> None:
    with registry({"parked.test": parked("parked.test")}, {"parked.test": PARKING}) as all_:
        archive = all_.archive(tmp_path / "a")
        all_.crawl(archive)
        assert all_.net.targets("parked.test") == []
        archive.crawl([all_.net.url("parked.test")])
        assert all_.net.targets("parked.test") == ["/robots.txt", "/"]
        archive.close()


def test_the_setting_spam_parked_turns_it_off(tmp_path: Path) -> None:
    with registry({"parked.test": parked("parked.test")}, {"parked.test": PARKING}) as all_:
        archive = all_.archive(tmp_path / "a", **{"spam.parked": False})
        all_.crawl(archive)
        assert "/" in all_.net.targets("parked.test")
        assert all_.dns.questions("NS") == []
        archive.close()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_domain_is_looked_up_once_for_all_its_hosts(tmp_path: Path, workers: int) -> None:
    hosts = [f"h{n}.many.test" for n in range(12)]
    sites = {name: {"/": b"<p>here"} for name in hosts}
    with registry(sites, {"many.test": "ns1.host.test"}, "many.test. 60 IN A 127.77.40.99") as all_:
        archive = all_.archive(tmp_path / "a", workers=workers)
        all_.crawl(archive)
        assert all(all_.net.targets(name) for name in hosts)
        asked = [name for name in all_.dns.questions("NS") if name == "many.test"]
        assert 1 <= len(asked) <= workers
        before = len(all_.dns.questions("NS"))
        archive.crawl([all_.net.url("hub.test")], again=True)
        assert len(all_.dns.questions("NS")) == before, "DNS records are stored"
        archive.close()


def test_a_shared_name_server_needs_a_second_sign(tmp_path: Path) -> None:
    sites = {name: ordinary(name) for name in ("shop.test", "lot.test")}
    with registry(sites, dict.fromkeys(sites, "ns.registrar.test")) as all_:
        archive = all_.archive(tmp_path / "a")
        address = all_.net.addresses["lot.test"]
        enter(
            archive,
            ParkingRow("ns", "registrar.test", "shared", "survey", 0.5, "", 0.0),
            ParkingRow("address", f"{address}/32", "shared", "survey", 0.9, "", 0.0),
        )
        all_.crawl(archive)
        assert "/" in all_.net.targets("shop.test")
        assert all_.net.targets("lot.test") == []
        assert state(archive, all_.net, "lot.test")[0] == "parked"
        assert "its address belongs to a parking service" in state(archive, all_.net, "lot.test")[1]
        archive.close()


def test_an_alias_of_a_parking_service_is_enough(tmp_path: Path) -> None:
    with web({"hub.test": hub(["www.sold.test"]), "x.lander.test": ordinary("x")}) as net:
        records = [f"{name}. 60 IN A {address}" for name, address in net.addresses.items()]
        with names(*records, "www.sold.test. 60 IN CNAME x.lander.test.") as server:
            all_ = Registry(net, server)
            archive = all_.archive(tmp_path / "a")
            enter(archive, ParkingRow("alias", "lander.test", "parking", "survey", 0.9, "", 0.0))
            all_.crawl(archive)
            assert state(archive, net, "www.sold.test")[0] == "parked"
            assert "alias of a parking service" in state(archive, net, "www.sold.test")[1]
            archive.close()


def test_hosts_without_dns_records_are_visited(tmp_path: Path) -> None:
    """A circle of name servers, a lame delegation, servers that never answer, a name that serves itself."""
    odd = ("circle.test", "lame.test", "itself.test", "none.test")
    sites = {name: ordinary(name) for name in odd} | {"silent.test": ordinary("silent.test")}
    delegated = (
        "circle.test. 60 IN NS ns.other.test.",
        "other.test. 60 IN NS ns.circle.test.",
        "lame.test. 60 IN NS ns.nowhere.test.",
        "nowhere.test. 60 IN NS ns.nowhere.test.",
    )
    with registry(sites, {"itself.test": "itself.test"}, delegated=delegated) as all_:
        archive = all_.archive(tmp_path / "a", dns_timeout=2.0)
        assert all_.crawl(archive) is Exit.DONE
        for name in odd:
            assert "/b" in all_.net.targets(name), name
        assert state(archive, all_.net, "silent.test")[0] == "given up"
        rows = dict(archive.query("SELECT domain, name_servers FROM domain_dns")[1])
        assert rows["circle.test"] == rows["lame.test"] == ""
        archive.close()


def test_a_wrong_verdict_is_corrected(tmp_path: Path) -> None:
    """Ordinary sites of a listed server: a sample is visited, the verdict falls, the others are visited."""
    hosts = [f"site{n}x.test" for n in range(30)]
    with registry({one: ordinary(one) for one in hosts}, dict.fromkeys(hosts, "ns1.wronged.test")) as all_:
        archive = all_.archive(tmp_path / "a", **{"spam.probe": 0.3})
        enter(archive, ParkingRow("ns", "wronged.test", "parking", "survey", 0.9, "an old error", 1.0))
        all_.crawl(archive)
        seen = [one for one in hosts if all_.net.targets(one)]
        assert 3 <= len(seen) <= 20
        assert all(all_.net.targets(one) == ["/robots.txt", "/"] for one in seen), (
            "of a sample the front door"
        )
        (line,) = json.loads(run("-C", tmp_path / "a", "parked", "list", "--own", "--json").stdout)["entries"]
        assert line["state"] == "regular"
        assert "none looks parked" in line["why"] or "0 of" in line["why"]
        archive.crawl()
        assert all({"/", "/b"} <= set(all_.net.targets(one)) for one in hosts)
        assert archive.status().hosts == {"complete": 31}
        before = len(all_.net.hits)
        archive.crawl()
        assert len(all_.net.hits) == before, "and once only"
        archive.close()


def test_a_new_parking_service_is_found_and_its_next_hosts_are_refused(tmp_path: Path) -> None:
    first = [f"lot{n}q.test" for n in range(14)]
    later = ["late1.test", "late2.test"]
    good = [f"good{n}.test" for n in range(14)]
    sites = {one: parked(one) for one in (*first, *later)} | {one: ordinary(one) for one in good}
    served = dict.fromkeys((*first, *later), "ns1.lots.test") | dict.fromkeys(good, "ns1.host.test")
    with registry(sites, served) as all_:
        archive = all_.archive(tmp_path / "a")
        archive.crawl([all_.net.url(one) for one in (*first, *good)])
        (line,) = [one for one in archive.parked() if one.value == "lots.test"]
        assert (line.state, line.source) == ("parking", "own")
        assert "14 of 14 home pages look parked" in line.why
        all_.crawl(archive)
        assert [one for one in later if all_.net.targets(one)] == []
        (line,) = [one for one in archive.parked() if one.value == "lots.test"]
        assert line.hosts == 2
        assert not [one for one in archive.parked() if one.value == "host.test"]
        archive.close()


def test_a_sample_of_refused_hosts_is_visited(tmp_path: Path) -> None:
    with registry({"parked.test": parked("parked.test")}, {"parked.test": PARKING}) as all_:
        archive = all_.archive(tmp_path / "a")
        all_.crawl(archive)
        found = archive.re_evaluate(sample=5)
        assert found.sample == (f"parked.test:{all_.net.port}",)
        archive.crawl()
        assert all_.net.targets("parked.test") == ["/robots.txt", "/"]
        assert archive.re_evaluate(sample=5).sample == (), "its home page was visited"
        archive.close()


def test_a_new_link_to_a_refused_host_changes_nothing(tmp_path: Path) -> None:
    with registry({"parked.test": parked("parked.test")}, {"parked.test": PARKING}) as all_:
        archive = all_.archive(tmp_path / "a")
        all_.crawl(archive)
        archive.crawl([all_.net.url("hub.test")], again=True)
        assert state(archive, all_.net, "parked.test")[0] == "parked"
        archive.close()


# warcio leaves its temporary files to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_imported_home_pages_are_judged(tmp_path: Path) -> None:
    sites = {f"lot{n}q.test": parked for n in range(14)} | {f"good{n}.test": ordinary for n in range(14)}
    homes = [(f"http://{name}/", site(name)["/"], "2024-01-01T00:00:00Z") for name, site in sites.items()]
    (tmp_path / "homes.warc.gz").write_bytes(warc(*homes))
    with library.create(tmp_path / "a", min_free=0) as archive:
        archive.import_warc(tmp_path / "homes.warc.gz")
        settings = archive.settings
    with open_store(tmp_path / "a", settings, setup.estimator(settings), now=0.0) as store:
        for name, site in sites.items():
            servers = ("ns1.lots.test",) if site is parked else ("ns1.host.test",)
            store.domains.put([DomainRecord(domain=name, time=0.0, expires=9e9, name_servers=servers)])
        review, _ = judge_spam(store, settings, 1.0)
    assert review.read == len(sites)
    assert [(one.value, one.state) for one in review.listed] == [("lots.test", "parking")]
