"""The command `demo`: the real pipeline on a small bundled web."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fieldmouse.errors import UsageError

from .common import json_option, print_json, print_pairs, quiet_option

if TYPE_CHECKING:
    from fieldmouse.demo.server import DemoWeb
    from fieldmouse.library import Archive

# The server runs on this machine, so delays are not needed.
SETTINGS = {
    "crawl.contact": "https://fieldmouse.example/demo",
    "crawl.commit_seconds": 0.5,
    "manners.delay": 0.0,
    "manners.ip_delay": 0.0,
    "manners.backoff": 0.2,
}

NEXT_COMMANDS = (
    *("export pages.jsonl --text", "templates", "copies", "topic build bees --stored"),
    *("classify --topic bees", "parked list", "redirects list"),
)


@click.command()
@click.argument("folder", required=False, type=click.Path(file_okay=False))
@quiet_option
@json_option
def demo(folder: str | None, quiet: bool, as_json: bool) -> int:
    """Run the whole pipeline over a small web on this machine.

    It takes about a minute. The archive stays in FOLDER (default demo-archive), to be explored with the other
    commands.
    """
    from fieldmouse import library
    from fieldmouse.demo.server import DemoWeb
    from fieldmouse.service import crawl_run

    from .terminal import run_with_progress, summary

    where = Path(folder or "demo-archive")
    _prepare_folder(where)
    say = (lambda _: None) if as_json else click.echo
    quiet = quiet or as_json
    with DemoWeb() as web:
        archive = library.create(where, **{**SETTINGS, **web.overrides, "scope.allow": web.domains})
        say(f"A small web is served on this machine: {len(web.seeds)} seeds, several hosts.\n")
        first = run_with_progress(archive, crawl_run.crawl, seeds=web.seeds, quiet=quiet)
        say("\n".join(summary(first)))
        web.advance()
        say("\nA day later some pages have changed. Visit all pages again, conditionally:\n")
        second = run_with_progress(archive, crawl_run.crawl, again=True, quiet=quiet)
        say("\n".join(summary(second)))
        report = _report(archive, web)
        archive.close()
    if as_json:
        print_json({**report, "folder": str(where)})
    else:
        _print_report(report, where)
    return 1 if report["missing"] or report["trespassed"] else 0


def _prepare_folder(folder: Path) -> None:
    """Remove an earlier demo; refuse any other folder that is not empty."""
    import shutil

    if (folder / "demo").is_file():
        shutil.rmtree(folder)
    elif folder.exists() and any(folder.iterdir()):
        raise UsageError(f"{folder} is not empty and not an earlier demo; give another folder")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "demo").write_text("made by `fieldmouse demo`, and removed by the next one\n")


def _report(archive: "Archive", web: "DemoWeb") -> dict[str, Any]:
    """What had to be stored and was, and what should not have been requested."""
    import time

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
        "templates": archive.reader.templates.hosts(),
        "parked": totals.hosts.get("parked", 0),
        "redirect_spam": len(archive.redirect_farms()),
        "requests": len(web.requests),
        "totals": totals,
        "finished": time.time(),
    }


def _print_report(report: dict[str, Any], folder: Path) -> None:
    totals, changed = report["totals"], report["changed"]
    rows = {
        "stored": f"{report['stored']} pages, {len(report['missing'])} missing",
        "robots.txt": f"{len(report['trespassed'])} forbidden pages requested",
        "trap": f"{report['trap_pages']} pages of an endless calendar, then it was left alone",
        "changed": f"{len(changed)} pages; {report['new_bytes']} changed in bytes but not in text",
        "unchanged": f"{totals.unchanged} visits found the stored version",
        "spam": f"{report['parked']} parked domains not visited, {report['redirect_spam']} redirect farm",
        "templates": f"found on {report['templates']} hosts; {totals.copies} pages are copies",
        "archive": f"{folder}: WARC files in warc/, everything else in the database",
    }
    click.echo()
    print_pairs(list(rows.items()))
    click.echo("\nExplore it:")
    for command in ("status", f"why {(changed or ['URL'])[0]}", *NEXT_COMMANDS):
        click.echo(f"  fieldmouse -C {folder} {command}")
