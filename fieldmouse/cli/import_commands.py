"""The command `import`: WARC files, lists of URLs, posts, and access logs."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from fieldmouse.errors import DiskFull, ImportFailed, UsageError

from . import common
from .common import archive_options, echo, open_archive, print_json
from .export_commands import clean_first

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from fieldmouse.jobs.import_posts import PostImport
    from fieldmouse.jobs.import_visits import VisitImport
    from fieldmouse.jobs.import_warc import ImportResult
    from fieldmouse.library import Archive

WARC_ENDINGS = (".warc", ".warc.gz", ".warc.zst", ".arc", ".arc.gz")
STREAM = click.Path(exists=True, dir_okay=False, allow_dash=True)


@click.command("import")
@click.argument("files", nargs=-1, type=common.EXISTING_FILE)
@click.option(
    "--posts", multiple=True, type=STREAM, metavar="FILE|-",
    help="Import posts; the addresses in them are pending for the next crawl. - reads stdin.",
)  # fmt: skip
@click.option(
    "--visits", multiple=True, type=STREAM, metavar="FILE|-",
    help="Import an access log: who read which page when, as salted hashes. - reads stdin.",
)  # fmt: skip
@click.option("--host", default="", help="Host of an access log whose lines do not name one.")
@common.executor_options
@common.quiet_option
@archive_options
def import_(
    obj: str, /, files: tuple[Path, ...], *, posts: tuple[str, ...], visits: tuple[str, ...], **options: Any
) -> None:
    """Import WARC files, lists of URLs as seeds, posts that name addresses, or access logs.

    WARC files can come from any tool, compressed with gzip or zstandard, or plain. Posts are JSON lines, CSV,
    text, RSS, Atom, or exports of Mastodon and similar services; see the reference on posts. Access logs are
    in Common or Combined Log Format. With --jobs or --executor, several parts of WARC files are read at once.
    """
    if not files and not posts and not visits:
        raise UsageError("give WARC files or lists of URLs, --posts FILE, or --visits FILE")
    results: list[dict[str, Any]] = []
    as_json, pool = options["as_json"], common.opened_executor(obj, options["executor"], options["jobs"])
    line = common.StatusLine(quiet=options["quiet"] or as_json)
    with open_archive(obj) as archive, pool as executor:
        for file, done, text, problems in _import_files(archive, files, line, executor):
            line.end()
            results.append({"file": str(file), **done})
            if not as_json:
                echo(f"{file}: {text}")
                for problem in problems:
                    echo(f"{file}: {problem}", err=True)
        if archive.settings.templates.automatic and any("pages" in one for one in results):
            clean_first(archive, "", line, executor, "cleaned and indexed {} with new content")
        results += [_import_posts(archive, name, options) for name in posts]
        results += [_import_visits(archive, name, options) for name in visits]
    if as_json:
        print_json(results)


def _import_files(
    archive: "Archive", files: tuple[Path, ...], line: common.StatusLine, executor: "Executor | None"
) -> Iterator[tuple[Path, dict[str, Any], str, list[str]]]:
    """Import files in their order: each with the result, a line about it, and problems."""
    for is_warc, group in groupby(files, lambda file: file.name.lower().endswith(WARC_ENDINGS)):
        some = list(group)
        if not is_warc:
            yield from ((file, *_import_list(archive, file)) for file in some)
            continue

        shown = "nothing imported of this file"

        def show(now: "ImportResult") -> None:
            nonlocal shown
            shown = f"{now.pages:,} pages imported of this file"
            line.show(shown)

        try:
            for file, done in zip(some, archive.import_warcs(some, show, executor), strict=True):
                if not done.records:
                    raise ImportFailed(
                        f"{file}: {done.problems[0] if done.problems else 'it has no records'}"
                    )
                text = (
                    f"{done.records} records, {done.pages} pages imported, {done.already} already present, "
                    f"{done.skipped} other records (requests, metadata) skipped"
                )
                if done.noindex:
                    text += f"; the content of {done.noindex} pages is not stored (manners.obey_noindex)"
                yield file, common.plain(done), text, done.problems
        except (KeyboardInterrupt, DiskFull):
            line.end()
            echo(f"not to the end: {shown}", err=True)
            raise


def _import_list(archive: "Archive", file: Path) -> tuple[dict[str, Any], str, list[str]]:
    """Import a list of URLs: the result, a line about it, and problems."""
    if file.name.endswith(".pack"):
        raise UsageError(f"{file} is a pack, not a WARC file; `export all.warc.gz` on its archive makes one")
    urls = common.read_seeds(file)
    if not any(url.lower().startswith(("http://", "https://")) for url in urls):
        raise ImportFailed(
            f"{file} has no URL; a list has one http or https URL a line, and the name of a WARC "
            f"file ends in {', '.join(WARC_ENDINGS)}"
        )
    new, bad = archive.import_urls(urls)
    problems = [f"not an http or https URL, ignored: {one}" for one in bad]
    return {"new": new, "bad": bad}, f"{new} new URLs pending for the next crawl", problems


def _import_posts(archive: "Archive", name: str, options: dict[str, Any]) -> dict[str, Any]:
    from fieldmouse.report.wording import count

    with _opened(name, quiet=options["quiet"] or options["as_json"]) as (file, label, line):
        done = archive.import_posts(
            file,
            label,
            lambda now: line(f"{now.posts:,} posts, {now.addresses:,} addresses", now.position),
        )
    addresses = count(done.addresses, "address", "addresses")
    found = f"{count(done.posts, 'post')} with {addresses}, {done.wanted:,} in scope"
    return _told(name, done, f"{found}; {done.new:,} new", as_json=options["as_json"])


def _import_visits(archive: "Archive", name: str, options: dict[str, Any]) -> dict[str, Any]:
    from fieldmouse.report.wording import count

    with _opened(name, quiet=options["quiet"] or options["as_json"]) as (file, label, line):
        done = archive.import_visits(
            file,
            label,
            options["host"],
            lambda now: line(f"{now.lines:,} lines, {now.visits:,} visits", now.position),
        )
    found = f"{count(done.visits, 'visit')} of {count(done.readers, 'reader')} in {count(done.lines, 'line')}"
    return _told(name, done, f"{found}; {done.new:,} new", as_json=options["as_json"])


def _told(name: str, done: "PostImport | VisitImport", text: str, *, as_json: bool) -> dict[str, Any]:
    """Print how much was imported and left out; returns the JSON of it."""
    if not as_json:
        echo(f"{name}: {text}")
        for reason, n in sorted(done.left_out.items(), key=lambda one: -one[1]):
            echo(f"{name}: left out {n:,}: {reason}", err=True)
    return {"file": name, **common.plain(done)}


@contextmanager
def _opened(name: str, *, quiet: bool) -> Iterator[tuple[BinaryIO, str, Callable[[str, int], None]]]:
    """A file or stdin, what it is called, and what shows progress: a text and the place in the file."""
    size = 0 if name == "-" else Path(name).stat().st_size
    line = common.StatusLine(quiet=quiet)
    line.shown = time.monotonic()  # a short import leaves nothing in a log

    def show(text: str, position: int) -> None:
        line.show(f"{position / size:.0%} · {text}" if size else text)

    with ExitStack() as stack:
        file: BinaryIO = sys.stdin.buffer if name == "-" else stack.enter_context(Path(name).open("rb"))
        stack.callback(line.end)
        yield file, "stdin" if name == "-" else Path(name).name, show
