"""The commands on labels, as a person uses them."""

import csv
import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from fieldmouse import library
from fieldmouse.cli import cli
from tests.crawl import webs
from tests.labels.sites import CLASSES, sites

SITES = sites(60)
TRUTH = {host: name for host, _, name in SITES}
MORE = b"<title>play here</title><p>game play game dragon sword"


@pytest.fixture(scope="module")
def net() -> Iterator[webs.Net]:
    pages = {host: {"/": html + b"<a href=/more>more</a>", "/more": MORE} for host, html, _ in SITES}
    with webs.web(pages) as one:
        yield one


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, net: webs.Net) -> Path:
    where = tmp_path_factory.mktemp("labels")
    with webs.archive(where / "a", net) as archive:
        archive.crawl([net.url(host) for host, _, _ in SITES], depth=0)
    (where / "three.toml").write_text(CLASSES)
    return where


def run(folder: Path, *words: str, text: str = "") -> Result:
    return CliRunner().invoke(cli, ["-C", str(folder / "a"), *words], input=text)


def host_of(url: str) -> str:
    return url.split("/")[2].partition(":")[0]


@pytest.fixture(scope="module")
def labelled(folder: Path) -> Path:
    done = run(folder, "label", "--classes", str(folder / "three.toml"), "--out", str(folder / "labels.csv"))
    assert done.exit_code == 0, done.output
    assert "expected accuracy" in done.stdout
    return folder


def test_labels_are_written_with_their_evidence(labelled: Path) -> None:
    rows = list(csv.DictReader(io.StringIO((labelled / "labels.csv").read_text())))
    chosen = [one for one in rows if one["chosen"] in ("1", "True")]
    assert len(chosen) > 30
    assert all(TRUTH[host_of(one["url"])] == one["class"] for one in chosen)
    assert all(one["evidence"] for one in chosen)


def test_the_curve_is_drawn_and_gold_measures_the_accuracy(labelled: Path) -> None:
    with library.open(labelled / "a") as archive:
        urls = [url for (url,) in archive.query("SELECT url FROM pages WHERE depth = 0")[1]]
    gold = "url,class\n" + "".join(f"{url},{TRUTH[host_of(url)]}\n" for url in urls)
    (labelled / "gold.csv").write_text(gold)
    words = ("--gold", str(labelled / "gold.csv"), "--figure", str(labelled / "curve.svg"), "--json")
    done = run(labelled, "label", "--classes", str(labelled / "three.toml"), *words)
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["accuracy"] > 0.9
    assert (labelled / "curve.svg").read_text().startswith("<svg")


def test_review_takes_answers_and_reports_agreement(labelled: Path) -> None:
    first = json.loads(run(labelled, "label", "review", "--json").stdout)["pages"][0]["url"]
    done = run(labelled, "label", "review", "--most", "3", text="x\n0\n\nq\n")
    assert done.exit_code == 0, done.output
    assert "answer with numbers from 0 to 3, s or q" in done.stdout
    assert "you and the labeller agree on 1 of 2 pages" in done.stdout
    left = json.loads(run(labelled, "label", "review", "--json").stdout)
    assert first not in [one["url"] for one in left["pages"]]
    assert left["agreement"]["answers"] == 2
    drawn = json.loads(run(labelled, "label", "review", "--check", "--most", "5", "--json").stdout)["pages"]
    assert len(drawn) == 5
    assert all(one["labelled"] for one in drawn)
    assert {one["url"] for one in drawn} != {one["url"] for one in left["pages"][:5]}
    assert run(labelled, "label", "answer", first, "games").stdout == "stored: games\n"
    assert run(labelled, "label", "answer", first).stdout == "stored: none of the classes\n"


def test_training_classifying_and_a_crawl_for_a_class(labelled: Path, net: webs.Net) -> None:
    done = run(labelled, "train", "classes", "--json")
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["card"]["learner"] == "words"
    found = json.loads(run(labelled, "classify", "--classes", "--json").stdout)
    assert len(found) == len(SITES)
    assert "games" in run(labelled, "classify", "--classes", "--least", "0.9").stdout
    # New pages are classified as they arrive.
    done = run(labelled, "crawl", "--pages", "20", "-q")
    assert done.exit_code in (0, 1, 10, 11), done.output
    with library.open(labelled / "a") as archive:
        sql = "SELECT count(*) FROM page_classes WHERE class = 'games' AND url LIKE '%/more'"
        assert next(archive.query(sql)[1])[0] > 0


def test_a_crawl_is_steered_by_a_class(labelled: Path, net: webs.Net, tmp_path: Path) -> None:
    seeds = [net.url(host) for host, _, _ in SITES]
    truth = "\n".join(f"{net.url(host)},{name}" for host, _, name in SITES)
    (tmp_path / "gold.csv").write_text(f"url,label\n{truth}\n")
    for kind in ("promise", "scope"):
        webs.archive(tmp_path / kind, net).close()
        words = ["-C", str(tmp_path / kind), "crawl", *seeds, "--class", "games", "--class-as", kind, "-q"]
        words += ["-s", f"labels.classes={labelled / 'three.toml'}"]
        done = CliRunner().invoke(cli, words)
        assert done.exit_code == 0, done.output
    with library.open(tmp_path / "scope") as archive:
        stored = {host_of(one.url) for one in archive.pages() if not one.url.endswith("/more")}
        assert stored
        assert {TRUTH[host] for host in stored} == {"games"}
    with library.open(tmp_path / "promise") as archive:
        assert archive.harvests()[0].topic == "class games"
    words = ["evaluate", "filtering", f"scope={tmp_path / 'scope'}", "--full", str(labelled / "a")]
    words += ["--class", "games", "--labels", str(tmp_path / "gold.csv"), "--json"]
    rows = json.loads(CliRunner().invoke(cli, words).stdout)
    assert [one["crawl"] for one in rows] == ["filtered after", "scope"]
    assert rows[0]["lost"] == 0
    assert rows[1]["pages"] <= rows[0]["pages"] + len(SITES)


def test_pages_of_a_class_are_found_behind_pages_of_others(labelled: Path, tmp_path: Path) -> None:
    texts = {name: html for _, html, name in SITES}

    def page(name: str, *links: str) -> bytes:
        return texts[name] + "".join(f'<a href="{link}">more</a>' for link in links).encode()

    site = {
        "/": page("cooking", "/1"),
        "/1": page("cooking", "/game", "/2"),
        "/game": page("games", "/game2"),
        "/game2": page("games"),
        "/2": page("cooking", "/3"),
        "/3": page("cooking", "/far"),
        "/far": page("games"),
    }
    with webs.web({"site.test": site}) as net:
        for tunnel, wanted in (("2", {"/game", "/game2"}), ("4", {"/game", "/game2", "/far"}), ("0", set())):
            folder = tmp_path / tunnel
            webs.archive(folder, net).close()
            words = ["-C", str(folder), "crawl", net.url("site.test"), "--class", "games", "-q"]
            words += ["--class-as", "scope", "-s", f"labels.classes={labelled / 'three.toml'}"]
            done = CliRunner().invoke(cli, [*words, "-s", f"labels.tunnel={tunnel}"])
            assert done.exit_code == 0, done.output
            with library.open(folder) as archive:
                found = {url for (url,) in archive.query("SELECT url FROM pages")[1]}
            assert found == {net.url("site.test", path) for path in wanted}


def test_names_are_split_and_labelled_without_an_archive(labelled: Path) -> None:
    names = "bestgamehouse.com\n# comment\n\nпример.рф\n10.0.0.1\n"
    place = str(labelled / "three.toml")
    done = CliRunner().invoke(cli, ["label", "names", "-", "--classes", place], input=names)
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [one["words"] for one in rows] == ["best game house", "пример", ""]
    assert rows[0]["class"] == "games"
    assert done.stderr == "3 names, 1 of them split, 1 labelled\n"
    assert rows[1]["reason"] == "the name cannot be split into words"
    packed = ["label", "names", "-", "--split-only"]
    done = CliRunner().invoke(cli, packed, input=gzip.compress(names.encode()))
    assert [one["words"] for one in csv.DictReader(io.StringIO(done.stdout))] == [
        "best game house",
        "пример",
        "",
    ]
    cut = CliRunner().invoke(cli, packed, input=gzip.compress(names.encode())[:-12])
    assert "is damaged at" in str(cut.exception)
    done = CliRunner().invoke(cli, ["label", "names", "-", "--split-only", "--published"], input=names)
    assert "best game house" in done.stdout
    done = CliRunner().invoke(cli, ["label", "names", str(labelled / "none.txt"), "--split-only"])
    assert (done.stdout, "does not exist" in done.stderr) == ("", True)


def test_names_as_json_with_warnings_about_their_classes(tmp_path: Path) -> None:
    place = tmp_path / "one.csv"
    place.write_text("games,game,3\n")
    call = ["label", "names", "-", "--classes", str(place), "--json"]
    done = CliRunner().invoke(cli, call, input="gamehouse.com\nxyz.org\n")
    assert [one["name"] for one in json.loads(done.stdout)] == ["gamehouse.com", "xyz.org"]
    assert "warning: there is only one class" in done.stderr
    done = CliRunner().invoke(cli, [*call, "--out", str(tmp_path / "o.jsonl")], input="gamehouse.com\n")
    assert json.loads(done.stdout) == {"names": 1, "split": 1, "labelled": 1}


def test_it_says_why_pages_have_no_label(labelled: Path, tmp_path: Path) -> None:
    other = tmp_path / "birds.csv"
    other.write_text("birds,owl,5\nbirds,beak,4\nplants,fern,5\nplants,moss,5\n")
    done = run(labelled, "label", "--classes", str(other))
    assert f"without a label: {len(SITES)} no keyword of any class" in done.stdout
    assert "other keywords, a lower --accuracy or 30 of your answers" in done.stderr
    other.write_text("play,game,5\nplay,puzzle,4\nfun,puzzle,5\nfun,game,4\nfun,play,3\n")
    done = run(labelled, "label", "--classes", str(other))
    assert "share 2 keywords (game, puzzle): they will be hard to separate" in done.stderr
    assert "not sure enough" in done.stdout


def test_classes_are_shown_and_suggested(labelled: Path) -> None:
    assert '[classes."gambling".keywords]' in run(labelled, "label", "classes", "show", "business").stdout
    assert '"car" = 5' in run(labelled, "label", "classes", "suggest", "car", "--no-archive").stdout
    found = json.loads(run(labelled, "label", "classes", "suggest", "play", "--json").stdout)
    assert any("pages of the archive" in one["source"] for one in found)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("label",), "say which classes"),
        (("label", "--classes", "none.toml"), "cannot be read"),
        (("label", "answer", "http://x.test/", "gems"), "no class 'gems'"),
        (("crawl", "--class", "gems"), "no class 'gems'"),
        (("label", "--published", "review"), "--published stands before review; give options after it"),
        (("label", "--classes", "three.toml", "names", "-"), "--classes stands before names"),
        (("label", "--published", "--accuracy", "0.8"), "leave out --accuracy and --least"),
        (("label", "names", "-", "--split-only", "--classes", "business"), "--split-only gives no labels"),
        (("label", "review", "--classes", "other"), "was not labelled by 'other'"),
    ],
)
def test_mistakes_are_explained(labelled: Path, words: tuple[str, ...], why: str) -> None:
    done = run(labelled, *words)
    assert done.exit_code != 0
    assert why in str(done.exception)
