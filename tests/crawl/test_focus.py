"""Focused crawls from end to end, over real servers: what they fetch, keep, resume with and refuse."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import click
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.crawl.link_scoring import ScoreThreshold
from fieldmouse.errors import FieldmouseError
from fieldmouse.exits import Exit
from fieldmouse.focus.guide import Guide
from fieldmouse.focus.wordnet import load
from fieldmouse.jobs.check import check
from fieldmouse.service.setup import estimator
from fieldmouse.store import open_store
from tests.servers import Request, reply

from . import webs
from .topical import WORDS, Topical

PAGES = 60


class Done(NamedTuple):
    """How a command ended."""

    stdout: str
    stderr: str
    code: int


def run(folder: Path, *words: str | Path) -> Done:
    """A command in this process: starting another takes longer than most of what is tested here."""
    done = CliRunner().invoke(cli, ["-C", str(folder), *map(str, words)], standalone_mode=False)
    if done.exception is not None and not isinstance(done.exception, FieldmouseError | click.ClickException):
        raise done.exception
    told = done.stderr + str(done.exception or "")
    return Done(done.stdout, told, 1 if done.exception else int(done.return_value or 0))


@pytest.fixture(scope="module")
def town() -> Topical:
    return Topical()


@pytest.fixture(scope="module")
def net(town: Topical) -> Iterator[webs.Net]:
    with webs.web(town.sites()) as one:
        yield one


def focused(folder: Path, net: webs.Net, town: Topical, **settings: Any) -> library.Archive:
    """An archive with a topic made by the command, from three pages on it and three off it."""
    archive = webs.archive(folder, net, **settings)
    on = [("--example", url) for url in town.urls("astronomy", net.port)[:3]]
    off = [("--off", town.urls(kind, net.port)[0]) for kind in ("cooking", "sailing", "gardens")]
    words = (word for pair in (*on, *off) for word in pair)
    done = run(folder, "topic", "build", "astronomy", *words)
    assert done.code == 0, done.stderr
    return archive


def rows(archive: library.Archive, sql: str) -> list[tuple[Any, ...]]:
    found = list(archive.query(sql)[1])
    archive.close()
    return found


def precision(archive: library.Archive, town: Topical, net: webs.Net) -> float:
    urls = [page.url for page in archive.pages()]
    archive.close()
    good = set(town.urls("astronomy", net.port))
    return sum(url in good for url in urls) / len(urls)


def guide_of(archive: library.Archive) -> Guide:
    learned = archive.reader.guide()
    archive.close()
    assert learned is not None
    return Guide.from_bytes(learned.data, load())


@pytest.fixture(scope="module")
def crawled(
    tmp_path_factory: pytest.TempPathFactory, net: webs.Net, town: Topical
) -> dict[str, library.Archive]:
    """The same web crawled by three learners."""
    place, found = tmp_path_factory.mktemp("focus"), {}
    for learner in ("online", "nb4", "bfs"):
        # With a breath between requests, so that hosts found on the way come to their turn too.
        found[learner] = focused(place / learner, net, town, delay=0.06, burst_requests=0)
        found[learner].crawl(topic="astronomy", learner=learner, max_pages=PAGES)
    return found


def test_a_focused_crawl_finds_more_of_its_topic_than_breadth_first(
    crawled: dict[str, library.Archive], net: webs.Net, town: Topical
) -> None:
    found = {learner: precision(one, town, net) for learner, one in crawled.items()}
    assert found["online"] > found["bfs"] + 0.12
    assert found["nb4"] > found["bfs"]


def test_tables_harvest_and_what_was_learned_are_in_the_archive(crawled: dict[str, library.Archive]) -> None:
    archive = crawled["online"]
    ((judged, relevant),) = rows(archive, "SELECT count(*), sum(score > 0.5) FROM judgement")
    on = rows(archive, "SELECT url FROM relevant_table WHERE topic = 'astronomy'")
    off = rows(archive, "SELECT url, level FROM irrelevant_table")
    assert (len(on), len(on) + len(off)) == (relevant, judged)
    assert all(level >= 1 for _, level in off)
    (harvest,) = archive.harvests()
    assert (harvest.pages, harvest.relevant, harvest.learner) == (judged, relevant, "online")
    guide = guide_of(archive)
    assert guide.tally.relevant == relevant
    assert guide.learner.examples_seen > PAGES / 2


def test_status_tells_the_harvest_against_pages(crawled: dict[str, library.Archive]) -> None:
    done = run(crawled["online"].folder, "status", "--json")
    (told,) = json.loads(done.stdout)["focus"]
    assert told["rate"] == pytest.approx(told["relevant"] / told["pages"], abs=1e-4)
    assert told["curve"][-1] == [told["pages"], told["relevant"]]
    assert "topic astronomy" in run(crawled["online"].folder, "status").stdout


def test_why_tells_which_evidence_spoke(crawled: dict[str, library.Archive], town: Topical) -> None:
    archive = crawled["online"]
    ((url,),) = rows(archive, "SELECT url FROM relevant_table WHERE promise <> '' LIMIT 1")
    told = run(archive.folder, "why", url).stdout
    assert "on topic 'astronomy'" in told
    assert "link score before the visit" in told
    ((waits,),) = rows(archive, "SELECT url FROM site ORDER BY score DESC LIMIT 1")
    promise = json.loads(run(archive.folder, "why", waits, "--json").stdout)["promise"]
    assert promise["learner"] == "online"
    assert promise["reasons"]


def test_runs_are_compared_by_labels_and_drawn(
    crawled: dict[str, library.Archive], net: webs.Net, town: Topical, tmp_path: Path
) -> None:
    labels, figure = tmp_path / "labels.csv", tmp_path / "figure.svg"
    labels.write_text("".join(f"{one.url(net.port)},{one.subject == 'astronomy'}\n" for one in town.pages))
    folders = [str(one.folder) for one in crawled.values()]
    asked = (tmp_path, "evaluate", "crawl", *folders, "--labels", labels, "--figure", figure, "--json")
    done = run(*asked)
    assert done.code == 0, done.stderr
    found = json.loads(done.stdout)["runs"]
    assert set(found) == {"online", "nb4", "bfs"}
    assert found["online"][0]["target_recall"] > found["bfs"][0]["target_recall"]
    assert "<polyline" in figure.read_text()
    labels.write_text("subject,url\n" + "".join(f"{one.subject},{one.url(net.port)}\n" for one in town.pages))
    assert json.loads(run(*asked).stdout)["runs"] == found
    fewer = json.loads(run(*asked, "--without-seeds").stdout)["runs"]
    for name, (one,) in found.items():
        assert fewer[name][0]["targets"] == one["targets"] - 3
        assert one["pages"] - 6 <= fewer[name][0]["pages"] <= one["pages"] - 3
    said = run(tmp_path, "evaluate", "crawl", *(f"all={one}" for one in folders), "--labels", labels).stdout
    assert said.splitlines()[1].split()[:2] == ["all", "3"]
    assert "(" in said.splitlines()[1]


def test_a_page_that_says_noindex_was_downloaded_all_the_same(tmp_path: Path) -> None:
    def answer(request: Request) -> bytes:
        if request.target == "/":
            return reply(b"<a href=/secret>s</a><a href=/gone>g</a>")
        if request.target == "/secret":
            return reply(b"<p>Do not list me", 200, "X-Robots-Tag: noindex")
        return reply(b"", 404)

    with webs.web({"a.test": answer}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl(f"http://a.test:{net.port}/")
        places = [url.rpartition("/")[2] for url in archive.downloaded()]
        assert webs.stored(archive) == {f"http://a.test:{net.port}/"}
        archive.close()
        labels = tmp_path / "labels.csv"
        labels.write_text(f"url,label\nhttp://a.test:{net.port}/secret,yes\n")
        told = json.loads(run(tmp_path / "a", "evaluate", "crawl", "--labels", labels, "--json").stdout)
    assert places == ["", "secret"]
    assert (told["pages"], told["harvest"], told["target_recall"]) == (2, 0.5, 1.0)


def test_a_killed_crawl_goes_on_with_what_it_learned(tmp_path: Path, net: webs.Net, town: Topical) -> None:
    archive = focused(tmp_path / "a", net, town, commit_seconds=0.05)
    asked = webs.command("-C", archive.folder, "crawl", "-q", "--topic", "astronomy", "--pages", "200")
    before = len(net.hits)
    process = subprocess.Popen(asked, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    while process.poll() is None and (
        len(net.hits) < before + 40 or not rows(archive, "SELECT 1 FROM guide")
    ):
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()
    ((judged,),) = rows(archive, "SELECT count(*) FROM judgement")
    assert check(archive.folder).problems == []
    learned = guide_of(archive)
    assert 0 < learned.tally.relevant + learned.tally.irrelevant <= judged
    result = archive.crawl(topic="astronomy", max_pages=30)
    assert result.progress.judged
    ((after,),) = rows(archive, "SELECT count(*) FROM judgement")
    assert after == judged + result.progress.judged
    (harvest,) = archive.harvests()
    archive.close()
    assert harvest.pages == after
    assert guide_of(archive).learner.examples_seen > learned.learner.examples_seen


def test_an_edited_topic_begins_anew(tmp_path: Path, net: webs.Net, town: Topical) -> None:
    archive = focused(tmp_path / "a", net, town)
    archive.crawl(topic="astronomy", max_pages=20)
    file = archive.folder / "topics" / "astronomy.toml"
    file.write_text(file.read_text().replace('"astronomy" = ', '"astronomical" = 0.1\n"astronomy" = ', 1))
    assert guide_of(archive).learner.examples_seen > 12
    archive.crawl(topic="astronomy", max_pages=4)
    assert guide_of(archive).learner.examples_seen <= 12


PAD = " ".join(f"word{chr(97 + k)}{chr(97 + n)}x" for n in range(3) for k in range(26))
CHAIN = 8


def chain(request: Request) -> bytes:
    """One page on the topic; from it a path of pages off it, with one on it as the third from the end."""
    n = int(request.target.strip("/").removesuffix(".html") or 0) if request.target != "/robots.txt" else -1
    if not 0 <= n < CHAIN:
        return reply(b"", status=404)
    kind = "astronomy" if n in (0, CHAIN - 3) else "cooking"
    words = " ".join(f"{word} {kind}" for word in WORDS[kind] * 4)
    extra = " ".join(f"word{chr(97 + k)}{chr(97 + n)}x" for k in range(26))
    anchor = "comets" if n + 1 == CHAIN - 3 else "bread and soup"
    link = f'<a href="/{n + 1}.html">{anchor}</a>' if n + 1 < CHAIN else ""
    return reply(
        f"<html lang=en><title>{kind} {n}</title><p>{words} {extra} more of {kind}</p>{link}".encode()
    )


@pytest.mark.parametrize(("limit", "last"), [(2, 1), (3, 2), (0, CHAIN - 1)])
def test_a_path_ends_at_a_strict_level_limit(tmp_path: Path, limit: int, last: int) -> None:
    with webs.web({"chain.test": chain}) as net:
        archive = webs.archive(tmp_path / "a", net, depth=50)
        build = ("topic", "build", "astronomy", "--example", net.url("chain.test", "/0.html"))
        assert run(archive.folder, *build).code == 0
        asked = ("crawl", "-q", "--topic", "astronomy", "--level-limit", str(limit), "--strict", "--json")
        ended = run(archive.folder, *asked)
        told = json.loads(ended.stdout)
        assert ended.code == (Exit.LINKS_LEFT if limit else Exit.DONE)
        paths = {target for target in net.targets("chain.test") if target.endswith(".html")}
        assert paths == {f"/{n}.html" for n in range(last + 1)}
        assert told["harvest"] == pytest.approx(told["relevant"] / told["judged"])
        if limit:
            refused = run(archive.folder, "why", net.url("chain.test", f"/{last + 1}.html")).stdout
            assert f"focus: {limit} pages off the topic in a row" in refused
            # Without the limit, the links that were set aside are taken up.
            assert run(archive.folder, "crawl", "-q", "--topic", "astronomy").code == Exit.DONE
            paths = {target for target in net.targets("chain.test") if target.endswith(".html")}
            assert paths == {f"/{n}.html" for n in range(CHAIN)}


def test_links_beyond_the_level_limit_are_fetched_after_all_others(tmp_path: Path) -> None:
    with webs.web({"chain.test": chain}) as net:
        archive = webs.archive(tmp_path / "a", net, depth=50)
        build = ("topic", "build", "astronomy", "--example", net.url("chain.test", "/0.html"))
        assert run(archive.folder, *build).code == 0
        asked = ("crawl", "-q", "--topic", "astronomy", "--level-limit", "2")
        ended = run(archive.folder, *asked)
        paths = {target for target in net.targets("chain.test") if target.endswith(".html")}
    assert ended.code == Exit.DONE
    assert paths == {f"/{n}.html" for n in range(CHAIN)}
    assert "no links are left" in ended.stdout


def test_a_larger_depth_and_page_limit_take_up_what_was_set_aside(tmp_path: Path) -> None:
    with webs.web({"chain.test": chain}) as net:
        archive = webs.archive(tmp_path / "a", net, depth=2)
        build = ("topic", "build", "astronomy", "--example", net.url("chain.test", "/0.html"))
        assert run(archive.folder, *build).code == 0
        topic = ("crawl", "-q", "--topic", "astronomy")
        deep = run(archive.folder, *topic)
        assert deep.code == Exit.LINKS_LEFT
        assert "1 link is left: 1 beyond frontier.depth (2); run again" in deep.stdout
        seen = {target for target in net.targets("chain.test") if target.endswith(".html")}
        assert seen == {"/0.html", "/1.html", "/2.html"}
        assert run(archive.folder, *topic, "--depth", "50").code == Exit.DONE
        seen = {target for target in net.targets("chain.test") if target.endswith(".html")}
        assert seen == {f"/{n}.html" for n in range(CHAIN)}


@pytest.mark.parametrize("changed", ["topic", "examples", "answer"])
def test_another_topic_other_examples_and_an_answer_take_up_what_was_set_aside(
    tmp_path: Path, changed: str
) -> None:
    with webs.web({"chain.test": chain}) as net:
        archive = webs.archive(tmp_path / "a", net, depth=50)
        first, second = (net.url("chain.test", f"/{n}.html") for n in (0, 1))
        assert run(archive.folder, "topic", "build", "astronomy", "--example", first).code == 0
        strict = ("crawl", "-q", "--level-limit", "2", "--strict", "--topic")
        ended = run(archive.folder, *strict, "astronomy")
        assert ended.code == Exit.LINKS_LEFT
        assert "1 link is left: 1 beyond a strict focus.level_limit (2); run" in ended.stdout
        before = {target for target in net.targets("chain.test") if target.endswith(".html")}
        assert before == {"/0.html", "/1.html"}
        again = run(archive.folder, *strict, "astronomy")
        assert again.code == Exit.LINKS_LEFT, "nothing was changed"
        match changed:
            case "topic":
                made = run(archive.folder, "topic", "build", "cooking", "--example", second)
            case "examples":
                made = run(
                    archive.folder, "topic", "build", "astronomy", "--example", first, "--example", second
                )
            case _:
                made = run(archive.folder, "topic", "label", "astronomy", second, "yes")
        assert made.code == 0
        run(archive.folder, *strict, "cooking" if changed == "topic" else "astronomy")
        after = {target for target in net.targets("chain.test") if target.endswith(".html")}
    assert "/2.html" in after - before


def stars_and_soup(request: Request) -> bytes:
    """A page on the topic, one off it, and another on another host."""
    there = f"http://b.test:{request.header('host').partition(':')[2]}/x"
    stars, soup = (" ".join(WORDS[kind] * 4) for kind in ("astronomy", "cooking"))
    return {
        "/": reply(f'<title>Stars</title><p>{stars} {PAD}</p><a href="/2">bread</a>'.encode()),
        "/2": reply(f'<title>Soup</title><p>{soup} {PAD[::-1]}</p><a href="{there}">bread</a>'.encode()),
        "/x": reply(f"<title>Soup</title><p>{soup} {PAD[::2]}</p>".encode()),
    }.get(request.target, reply(b"", status=404))


def test_links_to_other_hosts_that_were_set_aside_are_taken_up(tmp_path: Path) -> None:
    with webs.web({"a.test": stars_and_soup, "b.test": stars_and_soup}) as net:
        archive = webs.archive(tmp_path / "a", net, allow=("a.test", "b.test"))
        asked = ("--example", net.url("a.test"), "--off", net.url("a.test", "/2"))
        assert run(archive.folder, "topic", "build", "astronomy", *asked).code == 0
        topic = ("crawl", "-q", "--topic", "astronomy")
        ended = run(archive.folder, *topic, "--level-limit", "2", "--strict")
        assert ended.code == Exit.LINKS_LEFT
        assert "1 link is left: 1 beyond a strict focus.level_limit (2); run" in ended.stdout
        assert "/x" not in net.targets("b.test")
        assert run(archive.folder, *topic).code == Exit.DONE
        assert "/x" in net.targets("b.test")


def test_why_tells_of_a_refused_link_to_another_host_and_a_crawl_that_its_topic_is_used_up(
    tmp_path: Path,
) -> None:
    with webs.web({"a.test": stars_and_soup, "b.test": stars_and_soup}) as net:
        archive = webs.archive(tmp_path / "a", net, allow=("a.test", "b.test"))
        asked = ("--example", net.url("a.test"), "--off", net.url("a.test", "/2"))
        assert run(archive.folder, "topic", "build", "astronomy", *asked).code == 0
        asked = ("crawl", "-q", "--topic", "astronomy", "--level-limit", "2", "--strict")
        first = run(archive.folder, *asked, "--pages", "1").stdout
        second = run(archive.folder, *asked).stdout
        refused = json.loads(run(archive.folder, "why", net.url("b.test", "/x"), "--json").stdout)
    assert "1 of 1 pages judged on topic" in first
    assert "no new pages on topic; the archive already has 1" in second
    assert refused["summary"] == "not followed: focus: 2 pages off the topic in a row"
    assert refused["promise"]["reasons"]


def test_a_host_far_below_the_best_waits() -> None:
    bar = ScoreThreshold(0.5)
    assert bar.passes("a", 0.9)
    assert bar.passes("b", 0.5)
    assert not bar.passes("c", 0.4)
    bar.closed("a")
    assert bar.passes("c", 0.4)
    assert bar.least == pytest.approx(0.25)
    bar.others = 0.9  # of another worker
    assert not bar.passes("c", 0.4)
    assert bar.top == pytest.approx(0.5), "which says nothing about its own"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.none() | st.floats(0, 1))))
def test_the_bar_is_as_high_as_the_best_host_makes_it(turns: list[tuple[str, float | None]]) -> None:
    bar, best = ScoreThreshold(0.5), dict[str, float]()
    for host, score in turns:
        if score is None:
            bar.closed(host)
            best.pop(host, None)
        else:
            best[host] = score
            assert bar.passes(host, score) == (score >= 0.5 * max(best.values()))
        assert bar.least == 0.5 * max(best.values(), default=0.0)


def test_several_workers_each_learn(tmp_path: Path, net: webs.Net, town: Topical) -> None:
    archive = focused(tmp_path / "a", net, town)
    result = archive.crawl(topic="astronomy", max_pages=60, workers=2)
    assert result.exit in (Exit.DONE, Exit.SIZE_LIMIT)
    assert {worker for (worker,) in rows(archive, "SELECT worker FROM guide")} <= {"w0", "w1"}
    ((judged,),) = rows(archive, "SELECT count(*) FROM judgement")
    assert archive.harvests()[0].pages == judged == result.progress.judged
    archive.close()


def test_imported_pages_are_classified_by_the_same_judge(
    crawled: dict[str, library.Archive], net: webs.Net, town: Topical, tmp_path: Path
) -> None:
    source = crawled["bfs"].folder
    archive = webs.archive(tmp_path / "b", net)
    for file in sorted((source / "warc").iterdir()):
        archive.import_warc(file)
    (archive.folder / "topics").mkdir()
    for file in (source / "topics").iterdir():
        (archive.folder / "topics" / file.name).write_bytes(file.read_bytes())
    told = json.loads(run(archive.folder, "classify", "--topic", "astronomy", "--json").stdout)
    good = set(town.urls("astronomy", net.port))
    right = sum((one["score"] > 0.5) == (one["url"] in good) for one in told["judged"])
    assert right >= 0.9 * len(told["judged"])
    found = rows(archive, "SELECT url FROM relevant_table WHERE judge = 'classify'")
    assert len(found) == sum(one["score"] > 0.5 for one in told["judged"])


def test_what_cannot_be_focused_on_is_told(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    for words, said in (
        (("crawl", "--topic", "tides"), "there is no topic 'tides'"),
        (("classify",), "say which topic"),
        (("crawl", "--topic", "tides", "--learner", "nb9"), "nb9"),
    ):
        done = run(archive.folder, *words)
        assert done.code != 0
        assert said in done.stderr
        assert "Traceback" not in done.stderr
    assert run(archive.folder, "topic", "build", "tides").code == 0
    assert "names no relevant seeds" in run(archive.folder, "crawl", "--topic", "tides").stderr


def test_a_misspelt_topic_leaves_no_seed_behind(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    done = run(archive.folder, "crawl", "--topic", "tidse", net.url("a.test"))
    assert done.code != 0
    assert "there is no topic 'tidse'" in done.stderr
    assert "nothing to crawl yet" in run(archive.folder, "crawl").stderr


@pytest.mark.parametrize("dead", ["http://nobody.test/", "http://a.test:{port}/gone"])
def test_seeds_that_are_all_dead(tmp_path: Path, dead: str) -> None:
    with webs.web({"a.test": {"/robots.txt": b""}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        seed = dead.format(port=net.port)
        made = run(archive.folder, "topic", "build", "tides", "--example", seed)
        assert "example not read, kept as a seed" in made.stderr
        done = run(archive.folder, "crawl", "-q", "--topic", "tides")
    assert done.code == Exit.ALL_FAILED
    assert "failed" in done.stdout
    assert "check a seed with `why`" in done.stdout


def test_a_dead_example_off_the_topic_is_no_failure(tmp_path: Path) -> None:
    with webs.web({"a.test": {"/": b"<p>tides and waves"}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        live, dead = f"http://a.test:{net.port}/", f"http://a.test:{net.port}/gone"
        made = run(archive.folder, "topic", "build", "tides", "--example", live, "--off", dead)
        assert "example not read, kept as a seed" in made.stderr
        assert made.code == 0
        made = run(archive.folder, "topic", "build", "tides", "--example", dead, "--off", live)
        assert made.code == Exit.ALL_FAILED


def test_a_second_topic_of_an_archive_begins_with_its_own_seeds_once(tmp_path: Path) -> None:
    sites = {"a.test": {"/": b"<p>stars and comets"}, "b.test": {"/": b"<p>bread and soup"}}
    with webs.web(sites) as net:
        archive = webs.archive(tmp_path / "a", net)
        for host, topic in (("a.test", "stars"), ("b.test", "bread")):
            assert run(archive.folder, "topic", "build", topic, "--example", net.url(host)).code == 0
            for _ in range(2):
                assert run(archive.folder, "crawl", "-q", "--topic", topic).code == 0
        found = rows(archive, "SELECT url, via, visits FROM page ORDER BY id")
        assert found == [(net.url("a.test"), "seed", 1), (net.url("b.test"), "seed", 1)]


def test_a_crawl_that_has_nothing_to_do_says_so(tmp_path: Path) -> None:
    with webs.web({"a.test": {"/": b"<p>a page"}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        archive.crawl(net.url("a.test"))
        archive.close()
        assert run(archive.folder, "topic", "build", "tides").code == 0
        assert "no pages were pending" in run(archive.folder, "crawl", "-q", "--topic", "tides").stdout


FRENCH = "le ciel les étoiles brillent la nuit avec des planètes lointaines et une comète qui passe"


def test_pages_in_other_languages_are_off_the_topic_and_seeds_off_it_are_told(tmp_path: Path) -> None:
    with webs.web({"fr.test": {"/": f"<html lang=fr><p>{FRENCH} {FRENCH[::-1]}".encode()}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        assert run(archive.folder, "topic", "build", "stock market").code == 0
        done = run(archive.folder, "crawl", "-q", net.url("fr.test"), "--topic", "stock market")
        assert done.code == 0, done.stderr
        assert "no page is on topic" in done.stdout
        ((score, level),) = rows(archive, "SELECT score, level FROM judgement")
        assert score < 0.5
        assert level == 1


def test_a_seed_whose_text_has_both_labels_does_not_stop_the_crawl(tmp_path: Path) -> None:
    same = b"<html lang=en><title>For sale</title><p>" + b"this domain name is for sale, stars and all " * 9
    with webs.web({"a.test": {"/": same, "/b": same}}) as net:
        archive = webs.archive(tmp_path / "a", net)
        (archive.folder / "topics").mkdir()
        seeds = f'relevant = ["{net.url("a.test")}", "{net.url("a.test", "/c")}"]'
        off = f'irrelevant = ["{net.url("a.test", "/b")}"]'
        text = f'name = "stars"\n{seeds}\n{off}\n[keywords]\nstars = 1.0\n'
        (archive.folder / "topics" / "stars.toml").write_text(text)
        result = archive.crawl([net.url("a.test"), net.url("a.test", "/b")], topic="stars")
        assert result.exit is Exit.DONE
        assert result.progress.judged == 2


def searxng(town: Topical) -> Callable[[Request], bytes]:
    """A server that speaks SearXNG's JSON: two engines that agree on three pages of each kind."""

    def answer(request: Request) -> bytes:
        port = request.header("host").partition(":")[2]
        kind = "cooking" if "q=-" in request.target else "astronomy"
        both = [one.url(port) for one in town.kinds[kind][:3]]
        rows = [{"url": url, "engine": "alpha", "engines": ["alpha", "beta"]} for url in both]
        rows.append({"url": town.kinds[kind][5].url(port), "engine": "beta", "engines": ["beta"]})
        good = request.target.startswith("/search?") and "format=json" in request.target
        return reply(json.dumps({"results": rows}).encode() if good else b"", 200 if good else 404)

    return answer


def test_a_topic_found_with_a_search_server_is_crawled_from_its_own_seeds(
    tmp_path: Path, town: Topical
) -> None:
    with webs.web({**town.sites(), "search.test": searxng(town)}) as net:
        archive = webs.archive(tmp_path / "a", net)
        done = run(
            archive.folder, "topic", "build", "astronomy", "--searxng", net.url("search.test"), "--json"
        )
        made = json.loads(done.stdout)
        assert made["relevant"] == [one.url(net.port) for one in town.kinds["astronomy"][:3]]
        assert made["irrelevant"] == [one.url(net.port) for one in town.kinds["cooking"][:3]]
        told = json.loads(
            run(archive.folder, "crawl", "-q", "--topic", "astronomy", "--pages", "20", "--json").stdout
        )
        assert told["harvest"] > 0.5
        assert run(archive.folder, "topic", "list").stdout.startswith("astronomy")


def test_a_refresh_of_a_focused_archive_visits_what_is_due_and_judges_it(
    tmp_path: Path, net: webs.Net, town: Topical
) -> None:
    archive = focused(tmp_path / "a", net, town, topic="astronomy")
    archive.crawl(max_pages=20)
    with open_store(archive.folder, archive.settings, estimator(archive.settings), now=time.time()) as store:
        store.db.db.execute("UPDATE page SET due = 1 WHERE version IS NOT NULL")
    ((due,),) = rows(archive, "SELECT count(*) FROM page WHERE due = 1")
    ((before,),) = rows(archive, "SELECT max(time) FROM judgement")
    result = archive.refresh()
    assert result.progress.visits >= due > 10
    ((again,),) = rows(archive, f"SELECT count(*) FROM judgement WHERE time > {before}")
    assert again == due
    assert archive.harvests()[0].pages < 20 + 1  # a page looked at again is no new one
    archive.close()


def test_answers_teach_the_judge_at_once_and_are_kept(tmp_path: Path, net: webs.Net, town: Topical) -> None:
    archive = focused(tmp_path / "a", net, town)
    archive.crawl(topic="astronomy", max_pages=60)
    before = guide_of(archive)
    listed = json.loads(run(archive.folder, "topic", "review", "astronomy", "--count", "4", "--json").stdout)
    assert len(listed) == 4
    url = listed[0]["url"]
    done = run(archive.folder, "topic", "label", "astronomy", url, "no")
    assert done.code == 0, done.stderr
    assert "off topic; the judge has learned it" in done.stdout
    after = guide_of(archive)
    assert len(after.pages.labelled) == len(before.pages.labelled) + 1
    assert after.learner.examples_seen > before.learner.examples_seen
    assert url in json.loads(run(archive.folder, "topic", "show", "astronomy", "--json").stdout)["irrelevant"]
    # The opposite answer replaces it.
    assert run(archive.folder, "topic", "label", "astronomy", url, "yes").code == 0
    shown = json.loads(run(archive.folder, "topic", "show", "astronomy", "--json").stdout)
    assert url in shown["relevant"]
    assert url not in shown["irrelevant"]
    assert shown["pages"]
    assert shown["harvest"][0]["pages"]
    missing = run(archive.folder, "topic", "label", "astronomy", "http://nowhere.test/", "yes")
    assert missing.code
    assert "is not stored" in missing.stderr


def test_a_review_asks_and_tells_the_agreement(tmp_path: Path, net: webs.Net, town: Topical) -> None:
    archive = focused(tmp_path / "a", net, town)
    archive.crawl(topic="astronomy", max_pages=120)
    figure = tmp_path / "harvest.svg"
    asked = ("-C", str(archive.folder), "topic", "review", "astronomy", "--count", "10", "--seed", "1")
    done = CliRunner().invoke(cli, asked, input="y\n" * 10)
    assert done.exit_code == 0, done.output
    assert "learned 10 answers; the judge agreed with " in done.output
    assert "of the pages are on topic (" in done.output
    assert run(archive.folder, "topic", "show", "astronomy", "--figure", str(figure)).code == 0
    assert "<polyline" in figure.read_text("utf-8")
