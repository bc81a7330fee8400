"""The commands and the Python of the how-to pages, run one after the other as a reader would.

Each page gets an archive `market` with the addresses that the pages name, and the files they read. What needs
the Web, a server or another machine is left out, each with its reason; everything else must end well.
"""

import os
import re
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.jobs.build_topic import TopicRequest, build_topic
from fieldmouse.service.setup import estimator, planner
from fieldmouse.store import open_store
from fieldmouse.units import DAY
from tests.store.stores import found, visited

HOW_TO = sorted((Path(__file__).parents[1] / "docs" / "how-to").glob("*.md"))

# Pages that are about machines and servers; their commands are tested in their rooms.
ELSEWHERE = {"bench", "run-a-cluster", "run-as-a-service", "use-postgresql"}

# Commands that are not run, and why.
NOT_RUN = {
    r"-C \w+ (crawl|refresh|run)\b": "needs the Web",
    r"-C market serve": "does not end",
    r".*--searxng": "needs a server",
    r".*topic build .*--stored": "needs a larger archive",
    r".*import --visits|.*(train|evaluate) behaviour": "needs a log of months",
    r"-C market train classes|.*classify --classes": "needs many answers",
    r"evaluate (crawl|filtering)|-C market evaluate": "compares several crawls",
    r"-C market rebuild": "refuses an archive that is sound",
}

# What the archive holds: an address, its words, and how many versions.
WORDS = "shares and stocks rise on the market as investors trade bonds and the index of the exchange gains"
PAGES = {
    "https://example.org/shares": f"Shares {WORDS}",
    "https://example.org/shares/today": f"Shares today {WORDS} again",
    "https://example.org/pizza": "Pizza dough with tomatoes, basil and cheese from the oven, and a salad",
    "https://example.org/news/": "News of the insolvency of Acme, with the annual report of the year",
    "https://example.org/prices": "Prices of steel, coil and sheet, in euros a tonne",
    "https://example.org/about/jane": "About Jane, who writes here about insurance and travel",
    "https://www.example.org/about": "About the company, its insurance policy and its offices",
    "http://www.example.org/print/about": "About the company, its insurance policy and its offices",
    "https://blog.example.org/": "A blog about hotels, flights and holidays",
    "http://parked.example/": "This domain may be for sale",
}
FILES = {
    "weights.csv": "url,weight\nhttps://example.org/prices,10\n",
    "seeds.txt": "https://example.org/\n",
    "names.txt": "cheapflights.example\nlifeinsurance.example\n",
    "basque.txt": "etxe\nmendi\n",
    "lists.csv": "query,source,url\n"
    + "".join(f"stock market,{n},https://example.org/shares\n" for n in "ab"),
    "classes.toml": '[classes.insurance]\nkeywords = ["insurance"]\n[classes.travel]\nkeywords = ["hotel"]\n',
}


def page(words: str, day: int) -> bytes:
    menu = "<nav><a href=/>Home</a><a href=/about>About</a></nav>"
    body = f"<h1>{words.partition(' ')[0]}</h1><p>{words}.</p><table><tr><th>Price<td>{640 + day} €</table>"
    return f"<html lang=en><title>{words[:20]}</title>{menu}{body}".encode()


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the archive and the files."""
    folder = tmp_path_factory.mktemp("how-to")
    chosen = {"notify.webhooks": ["http://127.0.0.1:9/"], "archive.min_free": 0}
    with library.create(folder / "market", contact="me@example.org", **chosen) as archive:
        settings, start = archive.settings, time.time() - 3 * DAY
        store = open_store(archive.folder, settings, estimator(settings), now=start)
        store.seed({url.split("/")[2]: [url] for url in PAGES}, start)
        for day in range(3):
            findings = [found(url, page(words, day), at=start + day * DAY) for url, words in PAGES.items()]
            visited(store, findings, start + day * DAY, planner(store, settings))
        store.close()
        for _ in archive.clean():
            pass
        request = TopicRequest(name="stock market", examples=("https://example.org/shares",))
        build_topic(archive.reader, archive.canon, lambda _: b"", request)
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    run(folder, "-C market classify --topic 'stock market'")
    run(folder, "-C market export wget.warc.gz")
    run(folder, "-C market token add ann --role publish")
    run(folder, "-C market label --classes classes.toml")
    shutil.copy(folder / "wget.warc.gz", folder / "heritrix.warc.gz")
    library.create(folder / "other").close()
    return folder


def run(folder: Path, line: str) -> str:
    """Run a line of a shell; a redirection of its output is the only thing of a shell that it knows."""
    words = shlex.split(line, comments=True)
    target = words[words.index(">") + 1] if ">" in words else ""
    words = words[: words.index(">")] if target else words
    before = Path.cwd()
    os.chdir(folder)
    try:
        answer = "y\n" if "review" not in words else "q\n" if "label" in words else "quit\n"
        done = CliRunner().invoke(cli, words, input=answer)
    finally:
        os.chdir(before)
    assert done.exit_code == 0, f"fieldmouse {line}\n{done.output}\n{done.exception!r}"
    if target:
        (folder / target).write_text(done.stdout, "utf-8")
    return done.output


def lines(text: str) -> Iterator[str]:
    """The commands of a page that can be run here."""
    for block in re.findall(r"^```(?:sh|bash|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            words = line.strip().removeprefix("$ ")
            if words.startswith("fieldmouse "):
                words = words.removeprefix("fieldmouse ").replace("heritrix.warc.zst", "heritrix.warc.gz")
                if not any(re.match(pattern, words) for pattern in NOT_RUN):
                    yield words


@pytest.mark.parametrize(
    "path", [one for one in HOW_TO if one.stem not in ELSEWHERE], ids=lambda one: one.stem
)
def test_what_a_how_to_page_shows_can_be_done(path: Path, prepared: Path, tmp_path: Path) -> None:
    folder = tmp_path / "work"
    shutil.copytree(prepared, folder)
    text = path.read_text("utf-8")
    for line in lines(text):
        run(folder, line)
    before = Path.cwd()
    os.chdir(folder)
    try:
        names: dict[str, object] = {}
        for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            exec(compile(block, str(path), "exec"), names)
        if isinstance(archive := names.get("archive"), library.Archive):
            archive.close()
    finally:
        os.chdir(before)


def test_what_is_not_run_is_shown_somewhere() -> None:
    shown = "\n".join(one.read_text("utf-8") for one in HOW_TO)
    starts = re.findall(r"^(?:fieldmouse )?(\S.*)$", shown, re.MULTILINE)
    assert [one for one in NOT_RUN if not any(re.match(one, line) for line in starts)] == []
