"""The Python face: the verbs of the command line on one object."""

import asyncio
import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest

from fieldmouse import library
from fieldmouse.crawl.progress import Progress
from fieldmouse.errors import ConfigError
from fieldmouse.exits import Exit
from fieldmouse.store import SETTINGS_FILE
from fieldmouse.store.page_records import PageFilter
from tests.crawl import webs

FRONT = b'<html lang="en"><title>Front</title><p>Hello <a href="/two">second page</a> and on.</html>'


@pytest.fixture(scope="module")
def net() -> Iterator[webs.Net]:
    with webs.web({"a.test": {"/": FRONT, "/two": b"<title>Two</title><p>Two words"}}) as one:
        yield one


@pytest.fixture
def archive(tmp_path: Path, net: webs.Net) -> Iterator[library.Archive]:
    with webs.archive(tmp_path / "a", net) as one:
        assert one.crawl([net.url("a.test")]).exit is Exit.DONE
        yield one


def test_everything_is_in_the_reference(archive: library.Archive) -> None:
    """Methods with their parameters, members of pages, filters; and the examples run."""
    text = (Path(__file__).parents[1] / "docs/reference/python.md").read_text("utf-8")
    for kind in (library.Archive, library.Page):
        for name, member in vars(kind).items():
            if name.startswith("_"):
                continue
            if not inspect.isfunction(member):
                assert f"`{name}`" in text, f"{kind.__name__}.{name}"
                continue
            written = re.search(rf"`(?:await )?{name}\(([^`]*)\)`", text)
            assert written, f"{kind.__name__}.{name}() is not in python.md"
            stated = dict(one.partition("=")[::2] for one in written[1].split(", ") if one)
            real = [one for one in inspect.signature(member).parameters.values() if one.name != "self"]
            assert stated == {
                str(one.replace(annotation=one.empty, default=one.empty)): (
                    ""
                    if one.default is one.empty
                    else repr(one.default).replace("'", '"').replace("60.0", "60")
                )
                for one in real
            }, name
    missing = [one.name for one in fields(PageFilter) if f"`{one.name}" not in text]
    assert missing == []
    for code in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        compile(code, "python.md", "exec")
        if "fieldmouse.create" not in code:
            exec(code, {"archive": archive})


def test_pages_stream_with_all_that_is_known(archive: library.Archive, net: webs.Net) -> None:
    front, two = archive.pages()
    assert (front.url, two.url) == (net.url("a.test"), net.url("a.test", "/two"))
    assert (front.title, front.language, front.body) == ("Front", "en", FRONT)
    assert front.text == "Front\nHello second page and on."
    assert [(link.url, link.anchor) for link in front.links] == [(two.url, "second page")]
    assert FRONT[front.tags[0].offset :].startswith(b"<html")
    assert front.response.status == 200
    assert front.features is not None
    assert front.features.links == 1
    assert [visit.known_by for visit in front.visits()] == ["first"]
    assert "Front" not in repr(front)
    assert front.url in repr(front)
    assert [page.url for page in archive.pages(f"a.test:{net.port}")] == [front.url, two.url]
    assert list(archive.pages("nobody.test")) == []


def test_one_page_by_any_spelling_of_its_address(archive: library.Archive, net: webs.Net) -> None:
    page = archive.page(net.url("A.TEST", "/x/../two#top"))
    assert page is not None
    assert page.title == "Two"
    assert archive.page(net.url("a.test", "/none")) is None
    assert archive.page("no address") is None
    assert archive.page(page.url, at=0.0) is None


def test_why(archive: library.Archive, net: webs.Net) -> None:
    assert archive.why(net.url("a.test", "/two")).summary.startswith("stored: found on")
    assert "a seed" in archive.why(net.url("a.test")).summary
    assert archive.why("ftp://x").summary == "not an http or https URL"
    assert archive.why("http://b.example/").scope
    assert archive.why(net.url("a.test", "/never")).summary.startswith("never seen; its host is complete")


def test_crawling_inside_a_running_loop(tmp_path: Path, net: webs.Net) -> None:
    async def main() -> Exit:
        with webs.archive(tmp_path / "b", net) as one:
            done = await one.crawl_async([net.url("a.test")])
            assert len(webs.stored(one)) == 2
            return done.exit

    assert asyncio.run(main()) is Exit.DONE


def test_progress_is_told(tmp_path: Path, net: webs.Net) -> None:
    told: list[int] = []

    def hear(progress: Progress) -> None:
        told.append(progress.visits)

    with webs.archive(tmp_path / "b", net) as one:
        result = one.crawl([net.url("a.test")], progress=hear)
    assert told[-1] == result.progress.visits == 2
    assert told == sorted(told)


def test_settings_by_short_and_by_full_names(tmp_path: Path) -> None:
    library.create(tmp_path / "a", delay=3, **{"crawl.contact": "me@example.org"})
    text = (tmp_path / "a" / SETTINGS_FILE).read_text("utf-8")
    assert "\ndelay = 3" in text
    opened = library.open(tmp_path / "a", workers=2)
    assert (opened.settings.manners.delay, opened.settings.crawl.workers) == (3, 2)
    assert opened.settings.crawl.contact == "me@example.org"


@pytest.mark.parametrize(
    ("given", "proposed"), [({"dealy": 3}, "manners.delay"), ({"manners.delai": 3}, "manners.delay")]
)
def test_misspelt_settings_propose_the_nearest(tmp_path: Path, given: dict[str, int], proposed: str) -> None:
    with pytest.raises(ConfigError, match=f"did you mean {proposed}"):
        library.create(tmp_path / "a", **given)
    assert not (tmp_path / "a").exists()


def test_closing_twice_and_using_it_again(archive: library.Archive) -> None:
    archive.close()
    archive.close()
    assert archive.status().pages == 2
