"""The commands as a shell sees them: what they print, for people and for machines, and how they end."""

import fcntl
import json
import multiprocessing
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from fieldmouse import library
from fieldmouse.cli import cli
from fieldmouse.cli.command_list import COMMANDS as COMMAND_LIST
from fieldmouse.cli.common import StatusLine
from fieldmouse.cli.crawl_commands import ProgressLine
from fieldmouse.crawl.progress import Progress
from fieldmouse.errors import ArchiveDamaged, ImportFailed, UsageError
from fieldmouse.exits import Exit
from fieldmouse.store import SETTINGS_FILE
from fieldmouse.store.engines import DATABASE_FILE
from fieldmouse.version import VERSION
from tests.crawl import webs
from tests.servers import ALLOWED, Request, reply, serve

COMMANDS = sorted(cli.list_commands(click.Context(cli)))


@pytest.fixture(scope="module")
def net() -> Iterator[webs.Net]:
    site = {
        "/robots.txt": reply(b"User-agent: *\nDisallow: /no\nCrawl-delay: 0.01\n", mime="text/plain"),
        "/": b"<title>One</title><a href=/two>2</a><a href=/no>n</a><a href=/gone>g</a>",
        "/two": b"<p>two",
    }
    with webs.web({"a.test": site}) as one:
        yield one


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, net: webs.Net) -> Path:
    path: Path = tmp_path_factory.mktemp("cli") / "a"
    webs.archive(path, net).close()
    done = webs.run("-C", path, "crawl", net.url("a.test"), "nonsense://x")
    assert done.returncode == 0, done.stderr
    assert "ignored: nonsense://x" in done.stderr
    assert "3 pages requested, 2 stored" in done.stdout
    return path


def out(*args: str | Path, code: int = 0, **options: Any) -> str:
    done = webs.run(*args, **options)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    cli.main([name, "--help"], standalone_mode=False)
    text = capsys.readouterr().out
    assert text.startswith("Usage:")
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert (command.help or "").split("\n")[0] in " ".join(text.split())
    listed = next(one for entries in COMMAND_LIST.values() for one in entries if one.name == name)
    assert listed.help == command.get_short_help_str(200)


def test_the_commands_promised_are_there() -> None:
    promised = "init crawl status why import export robots demo version".split()  # noqa: SIM905
    assert set(promised) <= set(COMMANDS)


def answered(folder: Path, net: webs.Net, *args: str) -> Any:
    words = [word.replace("URL", net.url("a.test", "/two")) for word in args]
    return json.loads(out("-C", folder, *words, "--json"))


def test_status_as_json(folder: Path, net: webs.Net) -> None:
    found = answered(folder, net, "status")
    assert found["totals"]["stored"] == 2
    assert found["totals"]["hosts"] == {"complete": 1}


def test_status_tells_of_hosts_in_which_no_copies_were_looked_for(tmp_path: Path, net: webs.Net) -> None:
    webs.archive(tmp_path / "a", net).close()
    here = ("-C", tmp_path / "a")
    out(*here, "crawl", "-q", "-s", "templates.automatic=false", net.url("a.test"))
    assert "0 pages are copies of other pages; 1 host not checked yet\n" in out(*here, "status")
    out(*here, "clean")
    assert "0 pages are copies of other pages\n" in out(*here, "status")


def test_why_as_json(folder: Path, net: webs.Net) -> None:
    found = answered(folder, net, "why", "URL")
    assert found["summary"].startswith("stored")
    assert found["visits"][0]["known_by"] == "first"
    assert found["page"]["features"]["links"] == 0


def test_check_as_json(folder: Path, net: webs.Net) -> None:
    found = answered(folder, net, "check")
    assert (found["problems"], found["pages"]) == ([], 3)


def test_robots_as_json(folder: Path, net: webs.Net) -> None:
    found = answered(folder, net, "robots", net.url("a.test", "/no/x"))
    assert (found["allowed"], found["rule"], found["crawl_delay"]) == (False, "Disallow: /no", 0.01)


def test_version_as_json(folder: Path, net: webs.Net) -> None:
    assert answered(folder, net, "version")["fieldmouse"] == VERSION


def test_crawl_as_json(folder: Path, net: webs.Net) -> None:
    found = answered(folder, net, "crawl", "-q")
    assert (found["exit"], found["how"], found["visits"]) == (0, "done", 0)


def test_import_as_json(folder: Path, net: webs.Net, tmp_path: Path) -> None:
    seeds = tmp_path / "seeds.txt"
    seeds.write_text(f"# ours\n{net.url('a.test')}\n\nnot an address  # really\n")
    (found,) = answered(folder, net, "import", str(seeds))
    assert (found["new"], found["bad"]) == (0, ["not an address"])


def test_the_same_for_people(folder: Path, net: webs.Net) -> None:
    assert "2 stored, 3 URLs requested" in out("-C", folder, "status")
    told = out("-C", folder, "why", net.url("a.test", "/no"))
    assert "Disallow: /no" in told
    assert "no problems found" in out("-C", folder, "check")
    assert "forbids" in out("-C", folder, "robots", net.url("a.test", "/no"))
    assert VERSION in out("version")
    assert VERSION in out("--version")


def test_a_page_reader_of_an_older_build_is_named() -> None:
    script = (
        "import importlib.machinery as machinery, importlib.util as util, sys\n"
        "old = machinery.ModuleSpec('fieldmouse.page._scan', None)\n"
        "sys.modules[old.name] = util.module_from_spec(old)\n"
        "from fieldmouse.cli import cli; cli.main(['version'])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "missing: the page reader in C. Without it, pages are read ten to" in done.stdout
    assert "nothing is missing" not in done.stdout


def test_export_to_files_and_to_stdout(folder: Path, tmp_path: Path) -> None:
    lines = out("-C", folder, "export", "-", "--text").splitlines()
    assert [json.loads(line)["text"] for line in lines][1] == "two"
    for name in ("p.jsonl", "p.warc.gz", "p.cdxj"):
        out("-C", folder, "export", tmp_path / name)
        assert (tmp_path / name).stat().st_size > 0
    assert out("-C", folder, "export", tmp_path / "x.bin", code=4) == ""
    copy = tmp_path / "copy"
    out("init", copy)
    told = out("-C", copy, "import", tmp_path / "p.warc.gz")
    assert "3 pages imported" in told


def test_init_writes_what_was_chosen(tmp_path: Path) -> None:
    out("init", tmp_path / "a", "--contact", "me@example.org", "-s", "manners.delay=2.5")
    chosen = library.open(tmp_path / "a").settings
    assert (chosen.crawl.contact, chosen.manners.delay) == ("me@example.org", 2.5)
    out("init", tmp_path / "a", code=4)
    assert "# retries = 3" in (tmp_path / "a" / SETTINGS_FILE).read_text("utf-8")


def test_the_folder_may_come_from_the_environment_or_be_the_current_one(folder: Path) -> None:
    named = {**os.environ, "FIELDMOUSE_DIR": str(folder)}
    assert json.loads(out("status", "--json", env=named))["totals"]["stored"] == 2
    assert json.loads(out("status", "--json", cwd=folder))["totals"]["stored"] == 2


@pytest.mark.parametrize(
    ("args", "word"),
    [
        (["-C", "NOWHERE", "status"], "fieldmouse init"),
        (["-C", "NOWHERE", "crawl", "http://a.test/"], "no archive"),
        (["-C", "FOLDER", "crawl", "-s", "manners.dealy=2"], "did you mean manners.delay?"),
        (["-C", "FOLDER", "crawl", "-s", "manners.delay=soon"], "manners.delay"),
        (["-C", "FOLDER", "crawl", "-s", "delay"], "section.name=value"),
        (["-C", "FOLDER", "crawl", "--workers", "0"], "crawl.workers"),
        (["-C", "FOLDER", "crawl", "--seeds", "NOWHERE"], "cannot be read"),
        (["-C", "FOLDER", "crawl", "ftp://x"], "the seed 'ftp://x' is not an http or https URL"),
        (["-C", "FOLDER", "frobnicate"], "No such command"),
        (["-C", "FOLDER", "import", "NOWHERE"], "does not exist"),
        (["-C", "FOLDER", "export", "NOWHERE/x.jsonl"], "cannot be written"),
        (["-C", "FOLDER", "robots", "nonsense://"], "not an http"),
    ],
)
def test_wrong_usage_ends_with_4_and_says_what_to_do(
    folder: Path, tmp_path: Path, args: list[str], word: str
) -> None:
    words = [one.replace("NOWHERE", str(tmp_path / "no")).replace("FOLDER", str(folder)) for one in args]
    done = webs.run(*words)
    assert done.returncode == 4, done.stderr
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_settings_from_the_environment(folder: Path) -> None:
    wrong = {**os.environ, "FIELDMOUSE_MANNERS_DEALY": "2"}
    done = webs.run("-C", folder, "status", env=wrong)
    assert done.returncode == 4
    assert "FIELDMOUSE_MANNERS_DELAY" in done.stderr


def test_the_public_web_needs_a_contact(tmp_path: Path) -> None:
    out("init", tmp_path / "a")
    done = webs.run("-C", tmp_path / "a", "crawl", "https://example.org/")
    assert done.returncode == 4
    assert "crawl.contact" in done.stderr


def test_limits_have_their_codes(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    out("-C", archive.folder, "crawl", "-q", "--pages", "1", net.url("a.test"), code=Exit.SIZE_LIMIT)
    out("-C", archive.folder, "crawl", "-q", "--seconds", "0.01", "--delay", "9", code=Exit.TIME_LIMIT)
    out("-C", archive.folder, "crawl", "-q", "-s", f"archive.min_free={1 << 60}", code=Exit.DISK_LIMIT)
    seeds = "# nothing\n"
    out("-C", archive.folder, "crawl", "-q", "--seeds", "-", input=seeds)


def test_progress_is_shown_in_lines(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    done = webs.run("-C", archive.folder, "crawl", "--pages", "9", net.url("a.test"))
    assert re.search(r"pages? ·", done.stderr)
    assert re.search(r"\d hosts? open", done.stderr)
    quiet = webs.run("-C", archive.folder, "crawl", "-q", "--again")
    assert quiet.stderr == ""


def test_output_that_nobody_reads_is_no_error(folder: Path) -> None:
    code = f"{webs.PROGRAM} -C {folder} export - | head -c 1"
    done = subprocess.run(["bash", "-c", code], capture_output=True, check=False)
    assert done.stdout == b"{"
    assert b"Error" not in done.stderr


def test_the_demo_tells_the_whole_story(tmp_path: Path) -> None:
    done = webs.run("demo", tmp_path / "demo", "--json", timeout=120)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    found = json.loads(done.stdout)
    assert (found["missing"], found["trespassed"]) == ([], [])
    assert found["changed"]
    assert found["trap_pages"] > 0
    assert found["parked"] > 0
    assert found["redirect_spam"] == 1
    report = Path(found["report"]).read_text("utf-8")
    assert "copies are current" in report
    assert "price of the day" in report
    assert re.search(r"[1-9]\d* changes today", report), "the last refresh had its share of the budget"
    assert found["templates"] > 5
    assert found["totals"]["copies"] > 10
    assert json.loads(out("-C", tmp_path / "demo", "check", "--json"))["problems"] == []
    exported = webs.run("-C", tmp_path / "demo", "export", tmp_path / "pages.csv", "-q")
    assert "pages left out as spam; --include-spam adds them" in exported.stderr
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear diary")
    out("demo", tmp_path / "mine", code=4)


def test_help_is_quick() -> None:
    """Nobody who asks for help should wait: the heavy parts are not even imported."""
    script = (
        "import sys; from fieldmouse.cli import cli; cli.main(['--help'], standalone_mode=False)\n"
        "heavy = {'asyncio', 'pycurl', 'sqlite3'}\n"
        "print([m for m in sys.modules if m in heavy or m.endswith('_commands')], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_status_loads_only_what_it_shows(folder: Path) -> None:
    """A command that reads starts quickly: what writes and what parses pages is not imported."""
    script = (
        "import sys; from fieldmouse.cli import cli\n"
        "cli.main(['-C', sys.argv[1], 'status'], standalone_mode=False)\n"
        "heavy = ('store.relational.commit', 'page.blocks', 'files.warc_reader', 'web')\n"
        "print([name for name in heavy if f'fieldmouse.{name}' in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder)], capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() == "[]"


def test_python_runs_it_by_its_name() -> None:
    order = [sys.executable, "-m", "fieldmouse", "--version"]
    done = subprocess.run(order, capture_output=True, text=True, check=True)
    assert done.stdout.split()[-1] == VERSION


HOSTILE = "a\x1b[31mred\x07 \u202efdp.exe\x9b2J"


def test_pages_cannot_control_the_terminal(tmp_path: Path) -> None:
    site = {"/": f"<title>{HOSTILE}</title><p>text".encode(), "/robots.txt": b""}
    with webs.web({"a.test": site}) as net:
        path = tmp_path / "a"
        webs.archive(path, net).close()
        said = out("-C", path, "crawl", net.url("a.test"))
        said += out("-C", path, "why", net.url("a.test")) + out("-C", path, "status")
        table = out("-C", path, "query", "SELECT title, 'tab\there', 'line\nfeed', x'00ff' FROM page")
        for text in (said, table):
            assert not [one for one in text if one in HOSTILE and not one.isprintable() and one != "\n"]
        assert "a\\x1b[31mred" in table
        assert "\\u202efdp.exe" in table
        assert table.endswith("tab\\there\tline\\nfeed\t00ff\n")
        exact = out("-C", path, "query", "SELECT title FROM page", "--json")
        assert "\x1b" not in exact
        assert "\u202e" not in exact
        assert json.loads(exact) == [{"title": HOSTILE}]
        # Behind a pipe too: `... | less -R` shows it on a terminal.
        lines = out("-C", path, "query", "SELECT title FROM page", "--format", "jsonl")
        lines += out("-C", path, "export", "-", "--format", "jsonl")
        assert {json.loads(line)["title"] for line in lines.splitlines()} == {HOSTILE}
        tables = out("-C", path, "query", "SELECT title FROM page", "--format", "csv")
        tables += out("-C", path, "export", "-", "--format", "csv")
        assert tables.count("a\\x1b[31mred\\x07 \\u202efdp.exe\\x9b2J") == 2
        assert not set(lines + tables) & set("\x1b\x07\u202e\x9b")
        out("-C", path, "export", tmp_path / "exact.csv")
        assert HOSTILE in (tmp_path / "exact.csv").read_text("utf-8")
        assert json.loads(out("-C", path, "query", "SELECT 1e999 AS a", "--json")) == [{"a": None}]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["query", b"SELECT '\xff'"], "text is not UTF-8"),
        (["topic", "show", b"\xff\xfe"], "text is not UTF-8"),
        (["search", "-n", "99999999999999999999", "word"], "number is too large"),
    ],
)
def test_arguments_that_nothing_can_hold(folder: Path, words: list[str | bytes], what: str) -> None:
    done = subprocess.run(
        [webs.PROGRAM, "-C", str(folder), *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (4, f"fieldmouse: an argument cannot be used: the {what}\n")


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize(
    "words",
    [["import", "--visits", "-"], ["import", "--posts", "-"], ["label", "names", "-", "--split-only"]],
)
def test_signals_stop_commands_that_visit_nothing(folder: Path, which: int, words: list[str]) -> None:
    """They wait for stdin, so that the signal comes in their midst."""
    with subprocess.Popen(
        webs.command("-C", folder, *words), stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, preexec_fn=webs.take_signals,
    ) as process:  # fmt: skip
        assert process.stdin is not None
        process.stdin.write(b"one line\n")
        process.stdin.flush()
        while any(fcntl.ioctl(process.stdin, termios.FIONREAD, bytes(4))):  # it has not read the line yet
            time.sleep(0.02)
        time.sleep(0.1)
        process.send_signal(which)
        said = process.communicate(timeout=120)[1].decode()
    assert process.returncode == Exit.STOPPED
    assert said.splitlines()[-1] == "stopped; what was committed before is safe"


@contextmanager
def read_only(folder: Path, place: Path) -> Iterator[Path]:
    """A folder as on a medium that cannot be written."""
    if os.geteuid():
        folder.chmod(0o555)
        yield folder
        folder.chmod(0o755)
        return
    place.mkdir()
    if subprocess.run(["mount", "--bind", folder, place], capture_output=True, check=False).returncode:
        pytest.skip("root may write everywhere, and cannot mount here")
    try:
        subprocess.run(["mount", "-o", "remount,ro,bind", place], check=True)
        yield place
    finally:
        subprocess.run(["umount", place], check=True)


@pytest.mark.parametrize("log", ["", "fieldmouse.sqlite-wal", "fieldmouse.sqlite-shm"])
def test_a_read_only_archive_can_be_read(tmp_path: Path, folder: Path, net: webs.Net, log: str) -> None:
    """Also one that was not closed: its last commits are in files beside the database."""
    one, url = tmp_path / "a", net.url("a.test")
    titles = ("query", "SELECT title FROM pages WHERE title <> ''")
    if log:
        with closing(sqlite3.connect(shutil.copytree(folder, tmp_path / "open") / DATABASE_FILE)) as db:
            db.execute("PRAGMA wal_autocheckpoint = 0")
            db.execute("UPDATE page SET title = 'Later' WHERE title = 'One'")
            db.commit()
            shutil.copytree(tmp_path / "open", one)
    else:
        shutil.copytree(folder, one)
    if log.endswith("wal"):
        (one / "fieldmouse.sqlite-shm").unlink()
    with read_only(one, tmp_path / "medium") as place:
        if log.endswith("wal"):
            assert "copy the archive to a folder" in webs.run("-C", place, *titles).stderr
            assert webs.run("-C", place, "status").returncode == ArchiveDamaged.exit_code
            return
        assert out("-C", place, *titles).split() == ["title", "Later" if log else "One"]
        assert "no problems found" in out("-C", place, "check")
        assert "visits     3" in out("-C", place, "status")
        assert "200" in out("-C", place, "why", url)
        assert "no worker can join" in out("-C", place, "cluster", "status")
        out("-C", place, "export", tmp_path / "all.warc.gz")
        out("-C", place, "export", tmp_path / "all.jsonl")
        assert len((tmp_path / "all.jsonl").read_text("utf-8").splitlines()) == 2
        host = url.split("/")[2]
        for words in (
            ("crawl", "-q"),
            ("hosts", "pause", host),
            ("token", "add", "a", "--role", "read"),
        ):
            done = webs.run("-C", place, *words)
            assert (done.returncode, "cannot write" in done.stderr) == (1, True), done.stderr


def test_an_emptied_or_foreign_database_is_refused(tmp_path: Path, folder: Path, net: webs.Net) -> None:
    kept = sorted(one.name for one in (folder / "warc").iterdir())
    database = folder / "fieldmouse.sqlite"
    good = database.read_bytes()
    other = tmp_path / "other"
    webs.archive(other, net).close()
    try:
        for bad, said in ((b"", "empty"), ((other / database.name).read_bytes(), "another archive")):
            database.write_bytes(bad)
            for command in (["check"], ["clean"], ["crawl", "--again"], ["status"]):
                done = webs.run("-C", folder, *command)
                assert done.returncode == ArchiveDamaged.exit_code, (command, done.stderr)
                assert said in done.stderr
                assert "Traceback" not in done.stderr
            assert sorted(one.name for one in (folder / "warc").iterdir()) == kept
    finally:
        database.write_bytes(good)
    out("-C", folder, "check")


def test_a_crawl_that_reaches_no_seed_fails_and_tells_why(tmp_path: Path, net: webs.Net) -> None:
    archive = webs.archive(tmp_path / "a", net)
    archive.close()
    done = webs.run("-C", tmp_path / "a", "crawl", "http://nowhere.test/", "http://10.1.2.3/")
    assert done.returncode == Exit.ALL_FAILED
    assert "http://nowhere.test/: requested, failed: dns: " in done.stdout
    assert (
        "http://10.1.2.3/: requested, failed: refused: 10.1.2.3 is not in web.allow_addresses" in done.stdout
    )
    again = out("-C", tmp_path / "a", "crawl")
    assert "2 hosts were given up" in again
    assert webs.run("-C", tmp_path / "a", "robots", "http://10.1.2.3/").returncode == Exit.ALL_FAILED
    refused = webs.run("-C", tmp_path / "a", "topic", "build", "tides", "--example", "http://10.1.2.3/")
    assert refused.returncode == Exit.ALL_FAILED
    assert "not in web.allow_addresses" in refused.stderr


def test_a_seed_whose_server_was_down_can_be_crawled_at_once(tmp_path: Path) -> None:
    """A robots.txt that could not be fetched is requested again when somebody asks for the host again."""
    status = 503

    def handler(_: Request) -> bytes:
        return reply(b"<p>text", status)

    with serve(handler) as server:
        library.create(tmp_path / "a", **{"web.allow_addresses": ALLOWED, "manners.backoff": 0.01}).close()
        down = webs.run("-C", tmp_path / "a", "crawl", server.url("/"))
        assert down.returncode == Exit.ALL_FAILED
        assert "robots.txt answered 503, so nothing may be fetched" in down.stdout
        status = 200
        assert "no pages were pending" in out("-C", tmp_path / "a", "crawl")
        assert "1 page requested, 1 stored" in out("-C", tmp_path / "a", "crawl", server.url("/"))
        nothing_due = out("-C", tmp_path / "a", "refresh")
        assert "no page is due; the next is planned 2" in nothing_due
        assert "--again" not in nothing_due


@pytest.mark.parametrize("group", ["hosts", "redirects", "parked", "token", "topic"])
def test_groups_that_list_do_so_without_a_command(folder: Path, group: str) -> None:
    assert out("-C", folder, group) == out("-C", folder, group, "list")
    assert json.loads(out("-C", folder, group, "--json")) == json.loads(
        out("-C", folder, group, "list", "--json")
    )
    assert "Commands:" in out("-C", folder, group, "--help")
    assert "No such command 'lst'" in webs.run("-C", folder, group, "lst").stderr


def test_the_limit_that_was_reached_is_named(tmp_path: Path, net: webs.Net) -> None:
    webs.archive(tmp_path / "a", net).close()
    done = webs.run("-C", tmp_path / "a", "crawl", net.url("a.test"), "--pages", "1")
    assert done.returncode == Exit.SIZE_LIMIT
    assert "crawl.max_pages (1) was reached" in done.stdout


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.warc", b"garbage\n", "not a WARC"),
        ("x.warc.gz", b"\x1f\x8bgarbage", "x.warc.gz"),
        ("x.warc", b"", "no records"),
        ("x.html", b"<!doctype html><p>text http://a.test/", "has no URL"),
        ("x.txt", b"", "has no URL"),
    ],
)
def test_importing_something_else_fails(
    folder: Path, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    (tmp_path / name).write_bytes(content)
    done = webs.run("-C", folder, "import", tmp_path / name)
    assert done.returncode == ImportFailed.exit_code, done.stdout + done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("contact", ["nonsense", "http://", "me@", "ftp://a.test/", "a b@c.d"])
def test_a_contact_must_be_one(tmp_path: Path, net: webs.Net, contact: str) -> None:
    webs.archive(tmp_path / "a", net).close()
    done = webs.run("-C", tmp_path / "a", "crawl", net.url("a.test"), "--contact", contact)
    assert done.returncode == UsageError.exit_code
    assert "neither a web page" in done.stderr


def test_an_archive_in_an_impossible_place(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = webs.run("init", tmp_path / "file" / "a")
    assert done.returncode == UsageError.exit_code
    assert "cannot be made" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_folder_may_follow_the_command(folder: Path) -> None:
    assert out("query", "SELECT url FROM page", "-C", folder) == out(
        "-C", folder, "query", "SELECT url FROM page"
    )
    assert out("topic", "list", "-C", folder, "-v") == out("-C", folder, "topic", "list")


def test_the_help_lists_every_command_in_a_group_and_cuts_none(capsys: pytest.CaptureFixture[str]) -> None:
    cli.main(["--help"], standalone_mode=False)
    text = capsys.readouterr().out
    assert not [name for name in COMMANDS if f"\n  {name} " not in text]
    assert "..." not in text.replace("https://...", "").replace("[ARGS]...", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_a_command_fits_the_terminal_and_cuts_nothing(name: str) -> None:
    text = CliRunner().invoke(cli, [name, "--help"], terminal_width=80).output
    lines = [line for line in text.splitlines() if not line.startswith(("Usage:", "  bash: "))]
    assert [line for line in lines if line.endswith("...")] == []
    assert [line for line in lines if len(line) > 80] == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("stat", "status"), ("hosts pa", "pause"), ("topic sh", "show"), ("parked re", "re-evaluate"),
        ("label classes s", "suggest"), ("crawl --wor", "--workers"), ("-C x noise mu", "mute"),
    ],
)  # fmt: skip
def test_a_shell_completes_commands(shell: str, line: str, word: str) -> None:
    assert "_FIELDMOUSE_COMPLETE" in out("completion", shell)
    last = line.rsplit(maxsplit=1)[-1] if shell == "fish" else str(len(line.split()))
    words = {"COMP_WORDS": f"fieldmouse {line}", "COMP_CWORD": last}
    done = subprocess.run(
        [Path(sys.executable).with_name("fieldmouse")],
        env={**os.environ, **words, "_FIELDMOUSE_COMPLETE": f"{shell}_complete"},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert word in done.stdout.replace(",", " ").split()


def _read_as_nobody(folder: Path, pipe: Any) -> None:
    os.setgid(65534)
    os.setuid(65534)
    try:
        with library.open(folder) as archive:
            urls = sorted(one.url for one in archive.pages())
            pipe.send((urls, list(archive.query("SELECT count(*) FROM page")[1]), archive.check().problems))
    except BaseException as error:
        pipe.send(repr(error))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to become somebody who may only read")
def test_an_archive_that_nobody_may_write_can_be_read(folder: Path) -> None:
    with library.open(folder) as archive:
        expected = sorted(one.url for one in archive.pages())
        count = list(archive.query("SELECT count(*) FROM page")[1])
        assert archive.check().problems == []
    for parent in (folder, *folder.parents):
        if parent.stat().st_uid == os.geteuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o055)
    context = multiprocessing.get_context("fork")
    pipe, theirs = context.Pipe(duplex=False)
    child = context.Process(target=_read_as_nobody, args=(folder, theirs))
    child.start()
    assert pipe.poll(30)
    assert pipe.recv() == (expected, count, [])
    child.join()


def test_progress_does_not_wrap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    line = ProgressLine(library.create(tmp_path / "a"), quiet=False)
    line.line.terminal = True
    line.show(Progress(visits=1_234_567, hosts_waiting=98_765, pages_waiting=1_000_000, bytes=10**12))
    shown = capsys.readouterr().err.lstrip("\r")
    assert len(shown) <= 39
    assert re.fullmatch(r"1,234,567 pages · [\d.]+/s( · 0 errors)?", shown), "only whole parts"


def test_an_error_begins_a_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    with click.Context(cli):
        line = StatusLine(quiet=False)
        line.terminal = True
        line.show("12 of 20 pages")
    assert capsys.readouterr().err == "\r12 of 20 pages\n"


@pytest.mark.parametrize(("given", "expected"), [({}, "1"), ({"OPENBLAS_NUM_THREADS": "3"}, "3")])
def test_numpy_has_one_thread_unless_the_user_sets_more(given: dict[str, str], expected: str) -> None:
    code = (
        "import atexit, os; atexit.register(lambda: print(os.environ['OPENBLAS_NUM_THREADS']));"
        "import sys; sys.argv = ['fieldmouse', 'version']; from fieldmouse.cli import main; main()"
    )
    others = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=others | given)
    assert done.stdout.splitlines()[-1] == expected
