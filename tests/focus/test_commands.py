"""Topics from the command line, over a small archive crawled from a real server."""

import json
import random
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import fieldmouse
from fieldmouse.cli.topic_commands import classify, evaluate, topic
from fieldmouse.errors import FieldmouseError
from fieldmouse.focus.topic import RECIPES

STARS = "stars planets orbits telescopes galaxies comets moons eclipses nebulae asteroids".split()  # noqa: SIM905
FOOD = "bread soups ovens butter recipes flour kitchens cheeses dinners onions".split()  # noqa: SIM905
FIRST = ("ba", "ce", "di", "fo", "gu", "ha", "je", "ki", "lo", "mu")
OTHER = [first + last for first in FIRST for last in ("nder", "rmat", "stle", "lver", "mble", "ngo", "rax")]


def page(n: int) -> str:
    rng, words = random.Random(n), STARS if n % 2 else FOOD
    title = "Astronomy and stars" if n % 2 else "Cooking at home"
    links = "".join(f'<a href="/{m}.html">{m}</a> ' for m in range(1, 9))
    body = " ".join(rng.choices(words, k=120) + rng.sample(OTHER, k=60))
    first = "astronomy" if n % 2 else "cooking"
    return f"<html lang=en><title>{title}</title><p>{first} {body}</p>{links}"


class Serves(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        name = self.path.strip("/").removesuffix(".html") or "1"
        found = name.isdigit() and 0 < int(name) < 9
        body = page(int(name)).encode() if found else b""
        self.send_response(200 if found else 404)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Serves)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
def folder(site: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    place = tmp_path_factory.mktemp("archive")
    with fieldmouse.create(place / "a", delay=0.0, ip_delay=0.0, allow_addresses=("127.0.0.0/8",)) as archive:
        archive.crawl([f"{site}/"])
    return str(place / "a")


def run(command: click.Command, folder: str, *words: str) -> Any:
    done = CliRunner().invoke(command, [*words, "--json"], obj=folder, catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_a_topic_from_stored_pages_judges_the_archive(folder: str, site: str) -> None:
    made = run(topic, folder, "build", "astronomy", "--stored")
    assert made["keywords"][0]["weight"] == 1.0
    assert set(made["relevant"]) == {f"{site}/{n}.html" for n in (1, 3, 5, 7)} | {f"{site}/"}
    assert made["irrelevant"]
    assert run(topic, folder, "show", "astronomy")["keywords"] == made["keywords"]
    judged = run(classify, folder, "--topic", "astronomy")
    scores = {one["url"]: one["score"] for one in judged["judged"]}
    assert all((score > 0.5) == (url.removesuffix(".html")[-1] in "/1357") for url, score in scores.items())


def test_examples_are_files_and_addresses(folder: str, site: str, tmp_path: Path) -> None:
    file = tmp_path / "comet.html"
    file.write_text("<title>Comets</title><p>comets comets and telescopes", "utf-8")
    made = run(
        topic, folder, "build", "night sky", "--example", str(file), "--example", f"{site}/3.html",
        "--off", f"{site}/2.html", "--keywords", "5",
    )  # fmt: skip
    words = {one["word"] for one in made["keywords"]}
    assert len(words) == 5
    assert {"night", "sky"} <= words
    assert (made["relevant"], made["irrelevant"]) == ([f"{site}/3.html"], [f"{site}/2.html"])


def test_every_recipe_can_be_asked_for(folder: str, site: str) -> None:
    asked = ("build", "night sky", "--example", f"{site}/3.html", "--off", f"{site}/2.html")
    (chosen,) = [one for one in topic.commands["build"].params if one.name == "recipe"]
    assert isinstance(chosen.type, click.Choice)
    assert tuple(chosen.type.choices) == RECIPES
    tables = [run(topic, folder, *asked, "--recipe", one)["keywords"] for one in RECIPES]
    assert tables[0] != tables[1] != tables[2]


def test_a_dead_example_is_left_out(folder: str, site: str) -> None:
    done = CliRunner().invoke(topic, ["build", "comets", "--example", f"{site}/none"], obj=folder)
    assert done.exit_code == 0
    assert "example not read, kept as a seed" in done.stderr
    assert "comets" in done.stdout


@pytest.mark.parametrize(
    ("words", "said"),
    [(["build", ""], "empty"), (["build", "of the"], "stop words"), (["show", "x"], "topic build")],
)
def test_what_makes_no_sense_is_told(folder: str, words: list[str], said: str) -> None:
    done = CliRunner().invoke(topic, words, obj=folder)
    assert isinstance(done.exception, FieldmouseError)
    assert said in str(done.exception)


def test_a_crawl_is_measured_by_labels(folder: str, site: str, tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("url,label\n" + "".join(f"{site}/{n}.html,{n % 2}\n" for n in range(1, 9)), "utf-8")
    found = run(evaluate, folder, "crawl", "--labels", str(file))
    assert found["target_recall"] == 1.0
    assert found["harvest"] == pytest.approx(4 / 9, abs=1e-4)


def test_topics_in_any_script_have_files_of_their_own(folder: str) -> None:
    names = ["рынок акций", "музыка", "café", "cafe", "star " * 80, "star " * 81]
    names += ["AC/DC", "AC DC", "C programming", "C++ programming", '50% off: "stars"']
    files = {run(topic, folder, "build", name)["file"] for name in names}
    assert len(files) == len(names)
    assert {Path(file).parent for file in files} == {Path(folder) / "topics"}
    for name in names:
        assert run(topic, folder, "show", name)["name"] == name


@pytest.mark.parametrize(
    ("words", "told"), [("株式市場", True), ("ตลาดหุ้น", True), ("рынок акций", False), ("주식 시장", False)]
)
def test_a_topic_whose_words_cannot_be_told_apart_is_warned_of(folder: str, words: str, told: bool) -> None:
    done = CliRunner().invoke(topic, ["build", words], obj=folder)
    assert done.exit_code == 0
    assert ("few pages will match" in done.stderr) is told


def test_a_topic_renamed_by_hand_is_found_by_its_file(folder: str) -> None:
    file = Path(run(topic, folder, "build", "eclipses")["file"])
    file.write_text(file.read_text().replace('name = "eclipses"', 'name = "dark suns"'))
    assert run(topic, folder, "show", "eclipses")["name"] == "dark suns"
    assert run(topic, folder, "show", str(file))["name"] == "dark suns"


def test_the_same_text_on_the_topic_and_off_it_is_refused(folder: str, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>comets and moons")
    (tmp_path / "b.html").write_text("<p>comets  and\nmoons")
    asked = ("--example", str(tmp_path / "a.html"), "--off", str(tmp_path / "b.html"))
    with pytest.raises(FieldmouseError, match=r"a\.html and .*b\.html; leave one out"):
        run(topic, folder, "build", "comets", *asked)


def test_a_topic_edited_by_hand_is_kept_when_it_is_made_anew(folder: str) -> None:
    file = Path(run(topic, folder, "build", "moons")["file"])
    edited = file.read_text() + "\n# by hand\n"
    file.write_text(edited)
    run(topic, folder, "build", "moons")
    assert file.with_suffix(".toml.former").read_text() == edited
    assert "by hand" not in file.read_text()


def test_topics_of_no_archive_are_not_an_empty_list(tmp_path: Path) -> None:
    done = CliRunner().invoke(topic, ["list"], obj=str(tmp_path))
    assert isinstance(done.exception, FieldmouseError)
    assert "there is no archive" in str(done.exception)
