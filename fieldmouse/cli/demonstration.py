"""The demo as a story on the terminal; the pipeline it runs is the real one, only the web is small."""

import shutil
import time
from pathlib import Path
from typing import Any

import click

from fieldmouse import library
from fieldmouse.demo.web import DemoWeb
from fieldmouse.errors import UsageError
from fieldmouse.service import crawl_run
from fieldmouse.store.sqlite.crawl_store import DATABASE_FILE

from .common import print_json, table
from .progress import Display, summary

# A guest in its own house need not wait long.
HURRY = {"manners.delay": 0.0, "manners.ip_delay": 0.0, "manners.backoff": 0.2, "crawl.commit_seconds": 0.5}

LOOK_AROUND = (
    "export pages.jsonl --text",
    "templates",
    "copies",
    "topic build bees --stored",
    "classify --topic bees",
    "parked list",
    "redirects list",
)

CONTACT = {"crawl.contact": "https://fieldmouse.example/demo"}


def play(folder: Path, *, quiet: bool, machine: bool) -> int:
    """Crawl the bundled web, let it change, crawl again, and show what came of it."""
    _make_room(folder)
    with DemoWeb() as web:
        archive = library.create(folder, **{**web.overrides, **HURRY, **CONTACT, "scope.allow": web.domains})
        say = (lambda _: None) if machine else click.echo
        say(f"A small town's web is served on this machine: {len(web.seeds)} seeds, several hosts.\n")
        first = _crawl(archive, list(web.seeds), again=False, quiet=quiet or machine)
        say("\n".join(summary(first)))
        web.advance()
        say("\nA day passes; some pages change. The same pages again, with conditional requests:\n")
        second = _crawl(archive, [], again=True, quiet=quiet or machine)
        say("\n".join(summary(second)))
        report = _report(archive, web)
    if machine:
        print_json({**report, "folder": str(folder)})
    else:
        _tell(report, folder)
    archive.close()
    return 1 if report["missing"] or report["trespassed"] else 0


def _make_room(folder: Path) -> None:
    """An earlier demo makes way; anything else does not."""
    if (folder / "demo").is_file():
        shutil.rmtree(folder)
    elif folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and is no earlier demo; give another folder")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "demo").write_text("made by `fieldmouse demo`, and removed by the next one\n")
    (folder / DATABASE_FILE).unlink(missing_ok=True)


def _crawl(archive: library.Archive, seeds: list[str], *, again: bool, quiet: bool) -> crawl_run.Result:
    display = Display(archive.settings, quiet=quiet)
    hooks = crawl_run.Hooks(progress=display.show, started=display.begin, signals=True)
    try:
        return crawl_run.crawl(crawl_run.Order(archive.folder, archive.settings, tuple(seeds), again), hooks)
    finally:
        display.end()


def _report(archive: library.Archive, web: DemoWeb) -> dict[str, Any]:
    """What was to be stored and what was, and who was asked that should not have been."""
    pages, totals = list(archive.pages()), archive.status()
    stored = {page.url for page in pages}
    changed = [page.url for page in pages if any(visit.changed for visit in page.visits())]
    return {
        "stored": len(stored),
        "missing": sorted(web.pages - stored),
        "trespassed": sorted(web.requested & web.forbidden),
        "changed": sorted(changed),
        "new_bytes": sum(page.record.versions > 1 for page in pages) - len(changed),
        "trap_pages": sum(web.in_trap(url) for url in stored),
        "templates": next(archive.query("SELECT count(DISTINCT host) FROM template")[1])[0],
        "parked": totals.hosts.get("parked", 0),
        "redirect_spam": len(archive.redirect_farms()),
        "requests": len(web.requests),
        "totals": totals,
        "finished": time.time(),
    }


def _tell(report: dict[str, Any], folder: Path) -> None:
    totals = report["totals"]
    click.echo()
    table(
        [
            ("stored", f"{report['stored']} pages, {len(report['missing'])} missing"),
            ("robots.txt", f"{len(report['trespassed'])} forbidden pages asked for"),
            ("trap", f"{report['trap_pages']} pages of an endless calendar, then it was left alone"),
            (
                "changed",
                f"{len(report['changed'])} pages say something else, {report['new_bytes']} only look new",
            ),
            ("unchanged", f"{totals.unchanged} visits found what was there before"),
            (
                "spam",
                f"{report['parked']} parked names left alone, {report['redirect_spam']} farm of redirects",
            ),
            (
                "clean",
                f"templates of {report['templates']} hosts; {totals.copies} pages are copies of another",
            ),
            ("archive", f"{folder}: WARC files in warc/, everything else in {DATABASE_FILE}"),
        ]
    )
    example = report["changed"][0] if report["changed"] else "URL"
    click.echo(f"\nLook around:\n  fieldmouse -C {folder} status\n  fieldmouse -C {folder} why {example}")
    for command in LOOK_AROUND:
        click.echo(f"  fieldmouse -C {folder} {command}")
