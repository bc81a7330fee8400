"""What holds while a crawl runs, and what is as before when it has ended."""

import gc

import pytest

from fieldmouse.crawl.writer import Batch
from fieldmouse.exits import Exit
from fieldmouse.gc_tuning import OBJECTS
from fieldmouse.service.setup import run_loop, sort_seeds
from fieldmouse.types import Finding, HostLease, Response, Ticket
from fieldmouse.urls import Canon


def test_garbage_is_sought_seldom_while_a_crawl_runs_and_as_before_afterwards():
    before, frozen = gc.get_threshold(), gc.get_freeze_count()

    async def crawl(error: bool) -> Exit:
        assert gc.get_threshold()[0] == OBJECTS
        assert gc.isenabled()
        assert gc.get_freeze_count() > frozen
        if error:
            raise ValueError("the crawl fails")
        return Exit.DONE

    assert run_loop(crawl(error=False)) is Exit.DONE
    assert gc.get_threshold() == before
    with pytest.raises(ValueError, match="fails"):
        run_loop(crawl(error=True))
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0


def test_a_batch_counts_what_answers_hold_in_memory():
    batch = Batch()
    for body, content in ((b"x" * 10, b"y" * 5000), (b"z" * 100, None)):
        answer = Response(
            url="http://a.test/", status=200, head=b"", headers=(), body=body, content=content or body,
            request=b"", address="127.0.0.1", began=0.0, took=0.0,
        )  # fmt: skip
        finding = Finding(ticket=Ticket(url="http://a.test/", host="a.test"), outcome=answer)
        batch.add(finding, HostLease(id=1, name="a.test"))
    assert batch.bytes == 5010 + 100


@pytest.mark.parametrize(
    ("seed", "url"),
    [
        ("http:/example.org", "http://example.org/"),
        ("https:example.org/a", "https://example.org/a"),
        (" https://example.org ", "https://example.org/"),
        ("example.org:8080/a?b", "http://example.org:8080/a?b"),
        ("bücher.example", "http://xn--bcher-kva.example/"),
        ("intranet", "http://intranet/"),
        ("[::1]:80/x", "http://[::1]/x"),
        ("url,name", None),
        ("ftp://example.org/", None),
        ("mailto:me@example.org", None),
        ("./seeds.txt", None),
        ("two words", None),
    ],
)
def test_a_seed_is_what_a_person_means(seed: str, url: str | None) -> None:
    by_host, bad = sort_seeds([seed], Canon())
    assert ([one for urls in by_host.values() for one in urls], bad) == (([url], []) if url else ([], [seed]))
