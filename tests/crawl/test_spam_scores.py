"""Pages are scored when they are cleaned, and domains of spam are not visited again."""

import json
from collections.abc import Iterator
from pathlib import Path

from fieldmouse.exits import Exit
from fieldmouse.jobs.export import Exported, ExportOptions, json_lines
from fieldmouse.store.page_records import PageFilter
from tests.servers import reply

from .webs import Site, archive, web

SPAM = (
    "Buy cheap viagra online without prescription. Order now at the best price, free trial, free shipping. "
    "Get an instant loan with bad credit, sign up here. Play casino games, free spins, welcome bonus. "
)
HAM = (
    "The library opens at nine on weekdays. Children's books are on the second floor and maps in the cellar. "
    "The council met on Tuesday and talked about the bridge, which will be painted in spring. "
)


def pages(text: str, count: int) -> dict[str, bytes]:
    links = "".join(f"<a href=/{n}>{n}</a> " for n in range(count))
    found = {f"/{n}": f"<title>{n}</title><p>{text} Page {n}.</p>".encode() for n in range(count)}
    return {"/": f"<nav>{links}</nav><p>{text}</p>".encode(), **found}


def test_scores_are_stored_shown_and_a_reason_for_admission(tmp_path: Path) -> None:
    sites: dict[str, Site] = {
        "www.cheap.test": pages(SPAM, 12), "town.test": pages(HAM, 3), "b.cheap.test": pages(SPAM, 2),
    }  # fmt: skip
    with web(sites) as net:
        one = archive(tmp_path / "a", net, **{"spam.score_pages": True, "templates.automatic": False})
        seeds = [net.url("www.cheap.test"), net.url("town.test")]
        assert one.crawl(seeds).exit is Exit.DONE
        assert not [done.trouble for done in one.clean() if done.trouble]
        sql = (
            "SELECT host, min(spam_score), max(spam_score), sum(spam) FROM pages GROUP BY host ORDER BY host"
        )
        (ham, low, high, none), (spam, worst, _, many) = list(one.query(sql)[1])
        assert ham.startswith("town")
        assert spam.startswith("www.cheap")
        assert 0 <= low <= high <= 70 < worst <= 99
        assert (none, many) == (0, 13)
        found = one.why(net.url("www.cheap.test", "/1")).spam[0]
        assert "of 99: spam; " in found
        assert "not spam" in one.why(net.url("town.test", "/1")).spam[0]
        exported = {row["url"]: row["spam_score"] for row in rows(one.reader)}
        assert exported[net.url("www.cheap.test", "/1")] > 70 >= exported[net.url("town.test", "/1")]
        kept = [page.url for page in one.reader.selected(PageFilter())]
        assert kept == [url for url in exported if "town" in url]
        # Another host of the domain is found by a link: it is not visited.
        one.import_urls([net.url("town.test", "/new")])
        net.handlers["town.test"] = lambda _: reply(b"<a href=%s>x</a>" % net.url("b.cheap.test").encode())
        one.crawl([])
        assert net.targets("b.cheap.test") == []
        host = one.why(net.url("b.cheap.test")).host
        assert host is not None
        assert host.reason == "content spam: 13 of 13 scored pages of cheap.test are spam"
        one.close()


def rows(reader: object) -> Iterator[dict[str, object]]:
    return map(json.loads, json_lines(reader, ExportOptions(where=PageFilter(spam=True)), Exported()))  # type: ignore[arg-type]


def test_nothing_is_scored_by_default(tmp_path: Path) -> None:
    with web({"a.test": pages(SPAM, 2)}) as net:
        one = archive(tmp_path / "a", net, **{"templates.automatic": False})
        one.crawl([net.url("a.test")])
        list(one.clean())
        assert set(one.query("SELECT spam_score, spam FROM pages")[1]) == {(None, 0)}
        one.close()
